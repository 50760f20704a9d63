use super::{ReceiverFeatures, BASE, Param, Scheme, repair_by};
use crate::control::Reno;
use crate::notices::RefreshTimer;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ebsn",
    title: "EBSN",
    family: "explicit notification",
    preset: None,
    about: "The base station itself retransmits the losses of the wireless link, and sends the source an EBSN for each attempt that \
            failed: \"explicit bad state notification\". The source then cancels its retransmission timer and starts it anew with its \
            present estimate of round-trip times; nothing else changes.",
    helps: "On links with a persistent link layer and fades longer than the timeout, with a fast way from the base station back to the \
            source: the first EBSN of a fade must arrive before the timer expires. It carries no information on losses, so it delays \
            needed retransmissions as well as needless ones; and it comes too late if it must itself cross a link that fades.",
    cite: "M. E. Kounavis, A study on the design, performance and implementation of Transport Layer Protocols over Wireless \
           Links, Columbia University 1996; B. S. Bakshi, P. Krishna, N. H. Vaidya and D. K. Pradhan, Improving Performance of \
           TCP over Wireless Networks, ICDCS 1997",
    needs: &["ebsn"],
    params: &[
        BASE,
        Param::word(
            "own_link",
            &["silent", "heard"],
            "calls by the link layer of a source that is itself wireless, too; the paper's notices come from base stations",
        ),
    ],
    verified: &["Kounavis 1996 §3: what an EBSN does to the timer, by hand in ticks of a coarse clock"],
    reconstructed: &[
        "the base of Tahoe is inferred: neither the paper nor its source names the sender",
        "the new timer has no backoff, and a later one the backoff that there was: the paper says a + 4v, and nothing of backoff",
        "an EBSN that finds no timer running does nothing",
        "a base station tells of every attempt of a data packet that failed and is followed by another; it is a node where data \
         goes down to a wireless link that it did not come by. A link layer that sends a window of packets again tells of each",
        "an EBSN is an ICMP message of 40 bytes with the first eight bytes of the TCP header, and can be queued and lost",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|p, c| Parts {
        control: Box::new(Reno),
        recovery: repair_by(&BASE, p, c),
        notices: Box::new(RefreshTimer),
    },
};
