use super::westwood::{PARAMS, Westwood};
use super::{ReceiverFeatures, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood-nr",
    title: "TCP Westwood, NewReno form",
    family: "bandwidth estimation",
    preset: None,
    about: "Westwood's estimate and windows with NewReno's recovery: the sender repairs one hole per round trip, and \
            the window after recovery is the estimate at the beginning of the recovery.",
    applicability: "As for Westwood, and on paths that lose several segments of a window.",
    citation: "UCLA Network Research Lab, TCP Westwood modules for ns-2, 2001-2002, the base of WestwoodVT (Koo et al. \
           2007)",
    network_requirements: &[],
    params: PARAMS,
    verified_rules: &["the segments that each ACK counts for, filters and windows: UCLA's modules for ns-2; a timeout \
                 reduces the window to one segment, as in the paper"],
    reconstructed_rules: &["the smallest round trip is exact, not in ticks of 10 ms"],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(Westwood::new(p, false)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};
