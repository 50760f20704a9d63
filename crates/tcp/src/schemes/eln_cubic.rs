use super::ll_elsn::{ERSN, N, filter};
use super::{ReceiverFeatures, Params, Scheme, cubic};
use crate::recovery::{self, NoticeAware};
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "eln-cubic",
    title: "CUBIC with LL-ELSN's notices",
    family: "explicit notification",
    preset: None,
    about: "CUBIC with notices of the link layer: lost segments (ELN) and segments that it is retrying (ERSN). A segment that an ELN names \
            goes out again at once and the window stays; other losses are congestion. Everything else is a present-day sender, with the \
            recovery that the connection is configured with.",
    helps: "As LL-ELSN: on a last hop whose link layer retries little or not at all. The gain from the notices is the difference to CUBIC \
            on the same path.",
    cite: "RFC 9438, CUBIC for Fast and Long-Distance Networks, 2023; J.-H. Yun, Cross-Layer Explicit Link Status Notification to \
           Improve TCP Performance in Wireless Networks, EURASIP JWCN 2009, 617818",
    needs: &["elsn"],
    params: &[N, ERSN],
    verified: &[
        "a loss that is notified is repaired at once, and neither the window nor the duplicate ACKs that follow know of it: segment \
         for segment, with every recovery that CUBIC can have",
    ],
    reconstructed: &[
        "the combination: the paper has its notices for a sender of its own (`notices = \"elsn\"` gives them to any scheme, with \
         the scheme's own parameters)",
        "duplicate ACKs that segments sent before the repair may have caused are not counted, and each makes room for a segment; \
         RACK goes by time and needs neither",
        "an ERSN suspends congestion control for its segment for two RTOs at most, and a disconnection freezes, as with LL-ELSN",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| Parts {
        control: Box::new(cubic::control(&Params::defaults(&cubic::SCHEME), c)),
        recovery: Box::new(NoticeAware::new(recovery::sack(c))),
        notices: Box::new(filter(p)),
    },
};
