use super::jersey::{Clock, Jersey, PARAMS};
use super::{ReceiverFeatures, EchoMode, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "new-jersey",
    title: "TCP New Jersey",
    family: "bandwidth estimation",
    preset: None,
    about: "Jersey with the receiver's clock: every ACK reports the arrival time of the segment that caused it, and several \
            ACKs with the same time count as one ACK.",
    applicability: "As for Jersey, and also on paths that delay or lose ACKs: delays and losses of ACKs do not change the reported arrival times.",
    citation: "K. Xu, Y. Tian and N. Ansari, Improving TCP Performance in Integrated Wireless Communications \
           Networks, Computer Networks 47(2), 2005",
    network_requirements: &["congestion-warning"],
    params: PARAMS,
    verified_rules: &["timestamps of the receiver in the filter of Jersey: the abstract of the paper"],
    reconstructed_rules: &[
        "a sample counts the bytes that its ACK acknowledges for the first time",
        "the receiver's clock is exact, so only arrivals at one instant are merged",
        "the reconstructed parts of `jersey`",
    ],
    features: ReceiverFeatures { arrival_report: true, echo_mode: EchoMode::EachMark, ..ReceiverFeatures::NONE },
    build: &|p, c| SenderPolicies {
        control: Box::new(Jersey::new(Clock::Receiver, p.choice("rtt") == 1)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};
