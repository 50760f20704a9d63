use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery::TahoeRecovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tahoe",
    title: "TCP Tahoe",
    family: "loss-based",
    preset: None,
    about: "Three duplicate ACKs or a timeout set cwnd to one segment, and slow start begins again from the lost segment.",
    applicability: "On paths with few losses. Tahoe is the historical baseline: one random loss causes a whole slow start.",
    citation: "V. Jacobson, Congestion Avoidance and Control, SIGCOMM 1988",
    network_requirements: &[],
    params: &[],
    verified_rules: &["the window law, in packets per round, by hand from RFC 5681 §3 and Jacobson 1988"],
    reconstructed_rules: &[],
    features: ReceiverFeatures::NONE,
    build: &|_, _| SenderPolicies {
        control: Box::new(Reno),
        recovery: Box::new(TahoeRecovery::default()),
        notices: Box::new(IgnoreNotices),
    },
};
