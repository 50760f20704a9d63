use super::{ReceiverFeatures, Scheme};

pub(super) static SCHEME: Scheme = Scheme {
    name: "ewln",
    title: "EWLN",
    about: "The MAC of the receiving station hands up frames with a wrong checksum and plausible headers, \
           and the TCP receiver acknowledges them with a loss flag and the number of the segment; the sender \
           retransmits without congestion control. HACK without an option of TCP.",
    helps: "As HACK. There is no checksum that vouches for the headers, and no bytes are spent on one.",
    cite: "B. Zhang and M. N. Shirazi, Implementation of Explicit Wireless Loss Notification Using MAC-Layer \
           Information, WCNC 2003",
    verified: &["\"based on the similar idea\" as HACK, with the delay and the failures of HACK (Yun 2009 \
           §1, Table 1)"],
    reconstructed: &[
        "the sender is that of HACK",
        "headers that are hit are always noticed, and the segment is then lost like any other",
    ],
    features: ReceiverFeatures::SACK,
    ..super::hack::SCHEME
};
