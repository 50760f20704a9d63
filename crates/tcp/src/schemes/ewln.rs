use super::{ReceiverFeatures, Scheme};

pub(super) static SCHEME: Scheme = Scheme {
    name: "ewln",
    title: "EWLN",
    about: "The MAC of the receiving station passes up frames with a wrong checksum and plausible headers, and the \
            TCP receiver acknowledges them with a loss flag and the number of the segment; the sender retransmits \
            without congestion control. It is HACK without a TCP option.",
    helps: "As HACK. No checksum protects the headers, which saves its bytes.",
    cite: "B. Zhang and M. N. Shirazi, Implementation of Explicit Wireless Loss Notification Using MAC-Layer \
           Information, WCNC 2003",
    verified: &["\"based on the similar idea\" as HACK, with HACK's delay and undetected losses (Yun 2009 §1, Table 1)"],
    reconstructed: &[
        "the sender is that of HACK",
        "damaged headers are always recognised as such, and the segment is then lost without a notice",
    ],
    features: ReceiverFeatures::SACK,
    ..super::hack::SCHEME
};
