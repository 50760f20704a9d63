use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery::DcrRecovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "dcr",
    title: "TCP-DCR",
    family: "delayed response",
    preset: None,
    about: "The first duplicate ACK starts a timer of one round trip, and each duplicate ACK releases a new segment. \
            If the hole is filled before the timer expires, the link layer has repaired the loss and the sender does \
            nothing; if not, the loss is congestion, and a SACK sender's recovery begins.",
    applicability: "With a link layer that repairs losses within about one round trip, and on paths that reorder packets. With a link layer of few \
    attempts, DCR only delays each response by one round trip.",
    citation: "S. Bhandarkar, N. E. Sadry, A. L. N. Reddy and N. H. Vaidya, TCP-DCR: A Novel Protocol for \
           Tolerating Wireless Channel Errors, IEEE Trans. Mobile Computing 4(5), 2005; RFC 4653, 2006",
    network_requirements: &[],
    params: &[],
    verified_rules: &["the delay of one round trip after the first duplicate ACK, and the end of the delay: Yun 2009 §2.3"],
    reconstructed_rules: &[
        "the smoothed round-trip time at the first duplicate ACK is the delay",
        "loss recovery is RFC 6675's with every preset: ns-2's pipe starts at three segments below the outstanding \
         data, which is wrong after a round trip of duplicate ACKs",
        "a retransmission timer that would expire during the delay is restarted",
    ],
    features: ReceiverFeatures::SACK,
    build: &|_, _| SenderPolicies {
        control: Box::new(Reno),
        recovery: Box::new(DcrRecovery::default()),
        notices: Box::new(IgnoreNotices),
    },
};
