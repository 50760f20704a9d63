use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::control::Reno;
use crate::notices::ElnFilter;
use crate::recovery::EsackRecovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ll-elsn",
    title: "LL-ELSN with ESACK",
    family: "explicit notification",
    preset: None,
    about: "The link layer notifies the sender when it begins to retry a segment (ERSN) and when it drops the segment \
            (ELN). ESACK, a SACK sender with a queue in sending order, retransmits on an ELN without a window \
            reduction, and suspends congestion control for a segment after an ERSN.",
    applicability: "On a wireless last hop that loses frames by noise or collisions, with few or no retries of the link layer.",
    citation: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless Networks, \
           EURASIP JWCN 2009, 617818",
    network_requirements: &["elsn"],
    params: &[N, ERSN],
    verified_rules: &["Algorithm 1, the ELN filter and Table 1 of the paper, step by step"],
    reconstructed_rules: &[
        "n in the paper's simulations: §4.2 has 2 as the example for 20 % frame errors and one attempt (\"we can \
         configure N as 2\"), and \"For more conservative operation, we can increase N\"; each value is one \
         interpretation",
        "the flight excludes SACKed and lost segments, so duplicate ACKs release new data",
        "in recovery a segment is lost once three segments sent after it were SACKed",
        "an ERSN suspends congestion control for its segment for two RTOs at most",
        "under Block Ack one notice names all segments of a PPDU with the same fate, by a bitmap of 64 segments like that of a \
         BlockAck; the paper's notices name one segment",
        "a frozen sender sends a probe at each RTO, and unfreezes after 12 probes without an ACK",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, _| SenderPolicies {
        control: Box::new(Reno),
        recovery: Box::new(EsackRecovery::default()),
        notices: Box::new(build_eln_filter(p)),
    },
};

pub(super) const N: Param = Param::with_range(
    "n",
    2.0,
    (0.0, 1e6),
    "largest number of consecutive ELNs taken for channel noise; more indicate a disconnection (Yun 2009 §4.2)",
);
pub(super) const ERSN: Param =
    Param::with_choices("ersn", &["heeded", "ignored"], "reaction to an ERSN, to separate its effect from that of ELN");

/// Creates the ELN filter that the parameters [`N`] and [`ERSN`] configure.
pub(super) fn build_eln_filter(p: &Params) -> ElnFilter {
    match p.choice(ERSN.name) {
        0 => ElnFilter::new(p.get(N.name) as u32),
        _ => ElnFilter::without_ersn(p.get(N.name) as u32),
    }
}
