use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::RetransmitOncePerLoss;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "eln",
    title: "ELN at the base station",
    family: "explicit notification",
    preset: None,
    about: "The base station stores the numbers of the segments that passed it. In duplicate ACKs for a segment that the wireless link \
    lost, the base station sets a bit, ELN. The sender then retransmits this segment without a window reduction. An ACK with the ELN bit \
    never counts as a duplicate ACK.",
    applicability: "On a lossy last hop whose base station can read TCP headers and store some state per connection, in either direction, with any \
    link layer. The agent detects every loss, but slowly: another segment and an ACK must cross the wireless link first, and the sender \
    sends no new data until the loss is repaired. A lost retransmission leads to a timeout. On the uplink the agent classifies a drop in \
    the sender's own queue as a wireless loss.",
    citation: "H. Balakrishnan and R. H. Katz, Explicit Loss Notification and Wireless Web Performance, GLOBECOM \
           Internet Mini-Conference 1998",
    network_requirements: &["eln"],
    params: &[],
    verified_rules: &[
        "the sender's rule, one retransmission per loss and no other effect of an ACK with the bit, is that \
         of ns-2.35",
        "the notice arrives one data packet, one ACK and the delay of the wire after the loss, as in Table 1 of Yun \
         2009 (measured on the downlink of an idle path)",
    ],
    reconstructed_rules: &[
        "the base is Reno: ns-2 has the same rule in Reno and NewReno, and Yun 2009 names neither",
        "on the uplink a hole remains until it is acknowledged, even after its retransmission has passed the base \
         station: duplicate ACKs still on their way must not count",
        "on the downlink (described in Yun 2009 §1 only) the base station stores 256 segment numbers, and sets the \
         bit on all duplicate ACKs for one of them; after the retransmission of a congestion loss it does not set the \
         bit on duplicate ACKs caused by segments ahead of the retransmission",
    ],
    features: ReceiverFeatures::NONE,
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::reno(c),
        notices: Box::new(RetransmitOncePerLoss::default()),
    },
};
