use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "newreno",
    title: "TCP NewReno",
    family: "loss-based",
    preset: None,
    about: "Reno that remains in fast recovery until all data outstanding at the beginning of the recovery is acknowledged, and repairs \
    one hole per round trip.",
    applicability: "On paths that lose several segments of a window, if the receiver lacks SACK.",
    citation: "RFC 6582, The NewReno Modification to TCP's Fast Recovery Algorithm, 2012",
    network_requirements: &[],
    params: &[],
    verified_rules: &[
        "goodput within 10 % of ns-2.35 at every point of docs/cross-checks-table.md",
        "goodput within 4 % of ns-3.44 at 0.01 and 1 % loss on a wire; with ns-3's recovery (loss_detection rfc6675, \
         prr) and ssthresh at half of the pipe (halve_from pipe) within 6 % of ns-3.44 and 4 % of ns-3.37 from 0.01 \
         to 3 %; on the last hop within 3 % with seven attempts; with one attempt 6 to 23 % below, since ns-3's \
         stations send TCP ACKs without a backoff",
    ],
    reconstructed_rules: &[],
    features: ReceiverFeatures::NONE,
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};
