use super::jersey::{Clock, Jersey, PARAMS};
use super::{ReceiverFeatures, Echo, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "new-jersey",
    title: "TCP New Jersey",
    family: "bandwidth estimation",
    preset: None,
    about: "Jersey whose estimate is timed by the receiver: every ACK says when the segment arrived that \
            caused it, and ACKs that say the same time count as one.",
    helps: "Where Jersey does, and beyond that where the way back is congested or loses ACKs: what happens \
            to an ACK does not change when its segment arrived.",
    cite: "K. Xu, Y. Tian and N. Ansari, Improving TCP Performance in Integrated Wireless Communications \
           Networks, Computer Networks 47(2), 2005",
    needs: &["congestion-warning"],
    params: PARAMS,
    verified: &["timestamps of the receiver in the filter of Jersey: the abstract of the paper"],
    reconstructed: &[
        "the bytes of a sample are those that its ACK acknowledges for the first time",
        "the receiver's clock is exact, so only arrivals at one instant are merged",
        "all that is reconstructed in Jersey",
    ],
    features: ReceiverFeatures { arrival: true, echo: Echo::EachMark, ..ReceiverFeatures::NOTHING },
    build: &|p, c| Parts {
        control: Box::new(Jersey::new(Clock::Receiver, p.choice("rtt") == 1)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};
