use super::{ReceiverFeatures, BASE_PARAM, Param, Scheme, build_recovery};
use crate::control::Reno;
use crate::notices::RestartTimerOnEbsn;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ebsn",
    title: "EBSN",
    family: "explicit notification",
    preset: None,
    about: "The base station itself retransmits the losses of the wireless link, and sends the source an EBSN \
            (\"explicit bad state notification\") for each failed attempt. The source then restarts its retransmission timer with its \
            present RTT estimate, and changes no other state.",
    applicability: "On links with a persistent link layer and fades longer than the timeout, with a fast path from the base \
            station back to the source: the first EBSN of a fade must arrive before the timer expires. An EBSN \
            carries no information about losses, so it delays necessary retransmissions as well as spurious retransmissions; \
            and it arrives too late if \
            the EBSN itself must cross a fading link.",
    citation: "M. E. Kounavis, A study on the design, performance and implementation of Transport Layer Protocols over Wireless \
           Links, Columbia University 1996; B. S. Bakshi, P. Krishna, N. H. Vaidya and D. K. Pradhan, Improving Performance of \
           TCP over Wireless Networks, ICDCS 1997",
    network_requirements: &["ebsn"],
    params: &[
        BASE_PARAM,
        Param::with_choices(
            "own_link",
            &["silent", "heard"],
            "reaction to EBSNs from the source's own link layer, if the source is a mobile; in the paper only \
             base stations send EBSNs",
        ),
    ],
    verified_rules: &["effect of an EBSN on the timer: Kounavis 1996 §3, by hand in ticks of a coarse clock"],
    reconstructed_rules: &[
        "Tahoe as the base is inferred from the paper's reference for TCP, Jacobson and Karels 1988",
        "the timer that an EBSN starts has no backoff; the next timer has the backoff from before. The paper specifies a + 4v and does not \
         mention backoff",
        "an EBSN has no effect if no timer runs",
        "a base station is a node at which data moves from another network to a wireless link; it notifies of each \
         failed attempt that is followed by a retry. A link layer that retransmits a window of packets notifies of \
         each packet",
        "an EBSN is an ICMP message of 40 bytes with the first eight bytes of the TCP header, and can be queued and lost",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: build_recovery(&BASE_PARAM, p, c),
        notices: Box::new(RestartTimerOnEbsn),
    },
};
