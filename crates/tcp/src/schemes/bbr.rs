mod aggregation;
mod control;
mod mode;

use super::{ReceiverFeatures, Scheme};
use crate::Config;
use crate::notices::IgnoreNotices;
use crate::recovery::RackRecovery;
use crate::seams::SenderPolicies;
use control::Bbr;

pub(super) static SCHEME: Scheme = Scheme {
    name: "bbr",
    title: "TCP BBR v1",
    family: "rate-based",
    preset: Some(crate::Preset::Linux),
    about: "The sender keeps a model of the path: the largest delivery rate of the last ten round trips and the \
            smallest round trip of the last ten seconds. It paces at that rate, and keeps at most twice their product \
            in flight. Once in eight round trips it sends a quarter faster for one round trip, to probe for more bandwidth, and \
            a quarter slower for the next round trip, to drain the queue of the probe; every ten seconds it keeps \
            only four segments in flight for 200 ms (ProbeRTT), to measure the path without its own queue. Losses do \
            not change the rate.",
    applicability: "On paths with wireless losses: BBR fills a path with a loss rate of up to about 20 %. If the queue is shorter than the \
    overshoot of the startup, BBR loses many segments at the start. Beside loss-based flows the share of BBR depends on the queue and not \
    on the number of these flows.",
    citation: "N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh and V. Jacobson, BBR: Congestion-Based Congestion Control, ACM Queue \
           14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00, 2017",
    network_requirements: &[],
    params: &[],
    verified_rules: &[
        "the states, gains and filters: draft-cardwell-iccrg-bbr-congestion-control-00",
        "with preset linux within 2 % of a Linux 6.18 kernel's goodput and retransmissions from zero to 5 % loss; the startup loses 191 \
         segments, as in the kernel",
    ],
    reconstructed_rules: &[
        "additions of Linux to the draft, known from Linux: window headroom for aggregated ACKs, a reduction by one \
         segment per detected loss, three send quanta above the window, an unpaced initial window",
        "no detection of policers (Linux' long-term rate): the model treats a path with 20 % losses or more as any other path",
        "loss recovery is RACK with every preset, since the window follows the flight",
    ],
    features: ReceiverFeatures { delivery_rate: true, paces: true, ..ReceiverFeatures::SACK },
    build: &|_, c| SenderPolicies {
        control: Box::new(Bbr::new(c)),
        // BBR has its own packet conservation, so PRR is off.
        recovery: Box::new(RackRecovery::new(&Config { prr: false, ..*c })),
        notices: Box::new(IgnoreNotices),
    },
};
