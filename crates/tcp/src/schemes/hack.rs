use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::RetransmitOnEln;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "hack",
    title: "TCP HACK",
    family: "explicit notification",
    preset: None,
    about: "Each data segment carries a second checksum, which covers the headers only. The receiver immediately reports a segment with a \
    damaged payload and intact headers, in an ACK with the number of the segment. The sender, a SACK sender, retransmits the segment \
    without congestion control.",
    applicability: "On links with independent bit errors whose link layer delivers damaged frames: the receiver then detects most losses. It \
    does not detect losses by damaged headers, collisions or handoffs. The retransmission arrives after the segments that were sent \
    before it. If four or more segments are in flight, the duplicate ACKs of these segments therefore halve the window, although the \
    sender has already retransmitted the segment. hack-fixed ignores these duplicate ACKs.",
    citation: "R. K. Balan, B. P. Lee, K. R. R. Kumar, L. Jacob, W. K. G. Seah and A. L. Ananda, TCP HACK: TCP \
           Header Checksum Option to Improve Performance over Lossy Links, INFOCOM 2001",
    network_requirements: &["damaged-frames"],
    params: &[],
    verified_rules: &[
        "the probability that the receiver does not detect a loss equals the probability that the headers of a lost frame are \
         damaged: P_f_header of Table 1 of Yun 2009",
        "SACK is the base, and an ELN means an immediate retransmission without congestion control (Yun 2009 \
         §2.1)",
    ],
    reconstructed_rules: &[
        "the special ACK never counts as a duplicate ACK; the ACKs of later segments count as duplicates",
        "the headers are those of MAC and LLC, IP and TCP, with all options",
    ],
    features: ReceiverFeatures { header_checksum: true, ..ReceiverFeatures::SACK },
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::sack(c),
        notices: Box::new(RetransmitOnEln),
    },
};
