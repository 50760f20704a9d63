use super::{ReceiverFeatures, Scheme};
use crate::Preset;
use crate::config::{LossDetection, SackRecovery};
use crate::control::{Ns2LinuxReno, Reno};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "sack",
    title: "TCP SACK",
    family: "loss-based",
    preset: None,
    about: "The receiver reports the segments that arrived beyond a gap. The sender halves the window once, repairs several holes per \
    round trip, and keeps the path fully used.",
    applicability: "On every path whose two ends support SACK. A random loss still halves the window.",
    citation: "RFC 6675, A Conservative Loss Recovery Algorithm Based on SACK for TCP, 2012; K. Fall and S. Floyd, \
           Simulation-based Comparisons of Tahoe, Reno, and SACK TCP, CCR 26(3), 1996",
    network_requirements: &[],
    params: &[],
    verified_rules: &["goodput within 10 % of ns-2.35's Sack1 at every point of docs/cross-checks-table.md"],
    reconstructed_rules: &[],
    features: ReceiverFeatures::SACK,
    build: &|_, c| SenderPolicies {
        control: match (c.stack, c.loss_detection, c.sack_recovery) {
            (Preset::Ns2, LossDetection::Duplicates, SackRecovery::RateHalving) => Box::new(Ns2LinuxReno::default()),
            _ => Box::new(Reno),
        },
        recovery: recovery::sack(c),
        notices: Box::new(IgnoreNotices),
    },
};
