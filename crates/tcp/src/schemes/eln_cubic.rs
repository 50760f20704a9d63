use super::ll_elsn::{ERSN, N, build_eln_filter};
use super::{ReceiverFeatures, Params, Scheme, cubic};
use crate::recovery::{self, NoticeAwareRecovery};
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "eln-cubic",
    title: "CUBIC with LL-ELSN's notices",
    family: "explicit notification",
    preset: None,
    about: "CUBIC with notices of the link layer about lost segments (ELN) and about segments under retry (ERSN). The sender immediately \
    retransmits a segment named by an ELN, without a window reduction; all other losses are congestion. Window growth is CUBIC's, with the \
    configured loss recovery.",
    applicability: "As for LL-ELSN: on a last hop with few or no retries of the link layer. The difference from CUBIC on the same \
            path is the gain of the notices.",
    citation: "RFC 9438, CUBIC for Fast and Long-Distance Networks, 2023; J.-H. Yun, Cross-Layer Explicit Link Status Notification to \
           Improve TCP Performance in Wireless Networks, EURASIP JWCN 2009, 617818",
    network_requirements: &["elsn"],
    params: &[N, ERSN],
    verified_rules: &[
        "a loss reported by an ELN is repaired immediately, and neither the window nor the count of duplicate ACKs changes: \
         compared segment by segment, with every loss recovery that CUBIC can have",
    ],
    reconstructed_rules: &[
        "the combination: the paper's notices are for its own sender (`notices = \"elsn\"` adds them to any scheme, \
         with the scheme's own parameters)",
        "duplicate ACKs that segments sent before the retransmission may have caused are not counted, and each \
         releases a segment; RACK uses transmission times and needs neither of these rules",
        "an ERSN suspends congestion control for its segment for two RTOs at most, and a disconnection freezes the sender, as in LL-ELSN",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies {
        control: Box::new(cubic::build_control(&Params::defaults(&cubic::SCHEME), c)),
        recovery: Box::new(NoticeAwareRecovery::new(recovery::sack(c))),
        notices: Box::new(build_eln_filter(p)),
    },
};
