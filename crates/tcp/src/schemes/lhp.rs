use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::notices::Answer;
use crate::recovery::{Lhp, Trigger};
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "lhp",
    title: "LHP: header protection and packet list",
    family: "explicit notification",
    preset: None,
    about: "The link layer sends a packet in fragments, the first, with the headers, until it is \
           acknowledged; a receiver that gets it and not the rest answers with an ELN. The sender keeps a \
           list of its segments in sending order and counts duplicate ACKs for each of them, so that a \
           segment that an ELN moved to the end is not blamed for what was sent before it. Each segment that \
           reaches three is a fast recovery of its own.",
    helps: "On a lossy last hop, with less undetected than with HACK. Every fragment pays for headers and an \
           ACK of the link layer, which is much in 802.11. Several congestion losses in one window halve it \
           several times; with SMART's ACKs every lost ACK may do that, too.",
    cite: "X. Gao, S. N. Diggavi and S. Muthukrishnan, LHP: An End-to-End Reliable Transport Protocol over \
           Wireless Data Networks, ICC 2003",
    needs: &["fragments"],
    params: &[Param::word(
        "trigger",
        &["sack", "smart"],
        "evidence for the segment that caused an ACK: the segments that SACK blocks report for the first time, or the number that a SMART \
         ACK carries (Yun 2009 §2.1)",
    )],
    verified: &[
        "the packet list has the counters of Figure 4 of Yun 2009 after each ACK, and three fast recoveries",
        "detection fails as often as the first fragment is lost, P_f_frag of Table 1 of Yun 2009",
    ],
    reconstructed: &[
        "trigger: Yun 2009 §2.1 says what SMART would cost (\"If SMART is used for LHP\"), not which of the two its simulations have; each word \
         is a reading",
        "the segments on the list are in flight, and the window limits their number",
        "the window does not grow from a reduction until all that was outstanding then is acknowledged",
        "an ACK carries both SACK blocks and the number of the segment, whichever the sender heeds",
    ],
    features: ReceiverFeatures { arrival: true, ..ReceiverFeatures::SACK },
    build: &|p, c| {
        let trigger = [Trigger::Sack, Trigger::Smart][p.choice("trigger")];
        Parts {
            control: Box::new(Reno),
            recovery: Box::new(Lhp::new(trigger, c.dupthresh)),
            notices: Box::new(Answer),
        }
    },
};
