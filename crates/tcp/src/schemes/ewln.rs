use super::{ReceiverFeatures, Scheme};

pub(super) static SCHEME: Scheme = Scheme {
    name: "ewln",
    title: "EWLN",
    about: "The MAC of the receiving station delivers frames with a wrong checksum and plausible headers. The TCP receiver responds to \
    such a segment by an ACK with a loss flag and the number of the segment, and the sender retransmits the segment without congestion \
    control. EWLN is HACK without a TCP option.",
    applicability: "As for HACK; EWLN does not need the bytes of the header checksum.",
    citation: "B. Zhang and M. N. Shirazi, Implementation of Explicit Wireless Loss Notification Using MAC-Layer \
           Information, WCNC 2003",
    verified_rules: &["\"based on the similar idea\" as HACK, with the delay and the undetected losses of HACK (Yun 2009 §1, Table 1)"],
    reconstructed_rules: &[
        "the sender is that of HACK",
        "damaged headers are always detected, and the segment is then lost without a notice",
    ],
    features: ReceiverFeatures::SACK,
    ..super::hack::SCHEME
};
