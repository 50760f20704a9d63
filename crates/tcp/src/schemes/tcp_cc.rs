use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::SenderPolicies;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-cc",
    title: "TCP-CC (reconstruction)",
    family: "receiver control",
    preset: None,
    about: "A column of Cheng and Lin's tables, which print only its label; in Airhop it is TCP Contention Control. \
            Every node adds the contention time of the segment to a header field. The receiver compares goodput and \
            contention of successive intervals, and raises or lowers its advertised window.",
    applicability: "On chains of wireless hops, where a few segments fill the path and each further segment causes collisions among segments of \
    the flow. TCP-CC does not classify losses.",
    citation: "E. Hamadani and V. Rakocevic, TCP Contention Control: A Cross Layer Approach to Improve TCP Performance in \
           Multihop Ad Hoc Networks, WWIC 2007, known by its abstract",
    network_requirements: &["contention"],
    params: &[],
    verified_rules: &[],
    reconstructed_rules: &[
        "the whole scheme: the tables say \"TCP-CC\" without a reference, and TCP Contention Control is the most probable of \
         three candidates. No number of the tables was used to fit it",
        "the contention time is the time from the dequeue of the packet by the MAC to the start of the successful exchange: \
         backoffs and failed attempts, without queueing",
        "four stages by the signs of both changes, where changes below 5 % count as no change: the window grows by 1 per \
         arrived segment or by 1 per interval, shrinks by 1, or is halved; its range is 2 to 64 segments, and it starts at 2",
        "an interval is the receiver's estimate of a round trip, the arrival of a window of data, and lasts at least 100 ms",
        "the right edge of the window never moves back, and moves only when data arrives in order",
        "the sender is Reno",
    ],
    features: ReceiverFeatures { contention_time: true, ..ReceiverFeatures::NONE },
    build: &|_, c| SenderPolicies {
        control: Box::new(Reno),
        recovery: recovery::reno(c),
        notices: Box::new(IgnoreNotices),
    },
};
