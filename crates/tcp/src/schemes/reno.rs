use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "reno",
    title: "TCP Reno",
    family: "loss-based",
    preset: None,
    about: "After three duplicate ACKs the sender halves the window and retransmits the lost segment immediately; each further duplicate \
    ACK inflates the window by one segment until the first new ACK.",
    applicability: "Reno suits paths on which all losses are congestion losses, at most one per window. Random losses halve the window needlessly, \
    and several losses in one window lead to a timeout.",
    citation: "RFC 5681, TCP Congestion Control, 2009",
    network_requirements: &[],
    params: &[],
    verified_rules: &[
        "goodput within 10 % of ns-2.35 at every point of docs/cross-checks-table.md",
        "with preset linux within 2 % of a Linux 6.18 kernel from 0.01 to 5 % loss, and, without loss, within 2 % of \
         its retransmissions and of its cwnd at each halving",
    ],
    reconstructed_rules: &[],
    features: ReceiverFeatures::NONE,
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::reno(c),
        notices: Box::new(IgnoreNotices),
    },
};
