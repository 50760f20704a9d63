use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::notices::RetransmitOnEln;
use crate::recovery::{LhpRecovery, TriggerField};
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "lhp",
    title: "LHP with a packet list",
    family: "explicit notification",
    preset: None,
    about: "The link layer sends a packet in fragments, and retransmits the first fragment, which contains the \
            headers, until a link ACK arrives. A receiver that has the first fragment but not all others sends \
            an ELN. The sender stores its segments in a list in sending order and counts duplicate ACKs for each \
            segment. An ELN causes a retransmission, which moves the segment to the end of the list. ACKs of \
            segments sent before the retransmission no longer count as duplicate ACKs for this segment. Each \
            segment with three duplicate ACKs starts a separate fast recovery.",
    applicability: "On a lossy last hop, with fewer undetected losses than HACK. Every fragment needs headers and a link ACK, a large overhead in \
    802.11. Several congestion losses in one window halve the window several times; with SMART's ACKs each lost ACK may also halve it.",
    citation: "X. Gao, S. N. Diggavi and S. Muthukrishnan, LHP: An End-to-End Reliable Transport Protocol over \
           Wireless Data Networks, ICC 2003",
    network_requirements: &["fragments"],
    params: &[Param::with_choices(
        "trigger",
        &["sack", "smart"],
        "information that tells the sender which segment caused an ACK: sack = the segments that SACK blocks report for \
         the first time; smart = the number in a SMART ACK (Yun 2009 §2.1)",
    )],
    verified_rules: &[
        "the packet list has the counters of Figure 4 of Yun 2009 after each ACK, and the sender enters three fast recoveries",
        "the probability of an undetected loss is that of a lost first fragment, P_f_frag of Table 1 of Yun 2009",
    ],
    reconstructed_rules: &[
        "trigger: Yun 2009 §2.1 describes the cost of SMART (\"If SMART is used for LHP\"), but does not \
         state whether its simulations use SACK or SMART; each value is one interpretation",
        "the segments on the list are in flight, and the window limits their number",
        "after a reduction the window does not grow until all data outstanding at the reduction is acknowledged",
        "an ACK carries both SACK blocks and the number of the segment, for either value of trigger",
    ],
    features: ReceiverFeatures { arrival_report: true, ..ReceiverFeatures::SACK },
    build: &|p, c| {
        let trigger = [TriggerField::Sack, TriggerField::Smart][p.choice("trigger")];
        SenderPolicies {
            control: Box::new(Reno),
            recovery: Box::new(LhpRecovery::new(trigger, c.dupthresh)),
            notices: Box::new(RetransmitOnEln),
        }
    },
};
