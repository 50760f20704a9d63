use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::RetransmitOncePerLoss;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-eln",
    title: "TCP-ELN",
    about: "HACK whose receiver repeats the notification on every duplicate ACK until the segment arrives, so lost \
            ACKs do not lose the notification. The sender reacts to the first notification only, and an ACK with the notification never \
            counts as a duplicate ACK.",
    applicability: "As for HACK, and on wireless links that lose ACKs; the duplicate ACKs after a loss do not halve the window. A lost \
            retransmission \
    leads to a timeout, since the sender processes the notification of the second loss as a repetition.",
    citation: "G. Buchholcz, T. Ziegler and T. Van Do, TCP-ELN: On the Protocol Aspects and Performance of \
           Explicit Loss Notification for TCP over Wireless Networks, WICON 2005",
    verified_rules: &["\"based on the similar idea\" as HACK, with the delay and the undetected losses of HACK (Yun 2009 §1, Table 1)"],
    reconstructed_rules: &[
        "with two damaged segments the receiver repeats the notification of the last damaged segment",
        "in all other respects the sender is that of HACK",
    ],
    features: ReceiverFeatures { eln_repeated: true, ..super::hack::SCHEME.features },
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::sack(c),
        notices: Box::new(RetransmitOncePerLoss::default()),
    },
    ..super::hack::SCHEME
};
