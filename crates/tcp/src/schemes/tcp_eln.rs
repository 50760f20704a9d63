use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::OncePerLoss;
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-eln",
    title: "TCP-ELN",
    about: "HACK whose receiver repeats the notification on every duplicate ACK until the segment is there, \
           so that lost ACKs do not hide it. The sender acts on the first only, and none of these ACKs \
           counts as a duplicate.",
    helps: "As HACK, where the wireless link loses ACKs too; and the window is not halved by the duplicates \
           that follow. A retransmission that is lost too costs a timeout, as its notification looks like \
           one more repetition.",
    cite: "G. Buchholcz, T. Ziegler and T. Van Do, TCP-ELN: On the Protocol Aspects and Performance of \
           Explicit Loss Notification for TCP over Wireless Networks, WICON 2005",
    verified: &["\"based on the similar idea\" as HACK, with the delay and the failures of HACK (Yun 2009 \
           §1, Table 1)"],
    reconstructed: &[
        "of two damaged segments the last one is repeated",
        "the sender is that of HACK, but for what is said here",
    ],
    features: ReceiverFeatures { eln_repeated: true, ..super::hack::SCHEME.features },
    build: &|_, c| Parts {
        control: Box::new(Reno),
        recovery: recovery::sack(c),
        notices: Box::new(OncePerLoss::default()),
    },
    ..super::hack::SCHEME
};
