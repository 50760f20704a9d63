use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::Parts;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tcp-cc",
    title: "TCP-CC (reconstruction)",
    family: "receiver control",
    preset: None,
    about: "A column of Cheng and Lin's tables, of which nothing but the label is printed; here it is TCP Contention \
            Control. Every node adds to a header field how long the segment contended for the medium. The receiver \
            compares goodput and contention of successive intervals, and lets the window that it advertises grow or \
            shrink.",
    helps: "On chains of wireless hops, where a few segments fill the path and every one more makes the flow collide with itself. It does \
            not classify losses.",
    cite: "E. Hamadani and V. Rakocevic, TCP Contention Control: A Cross Layer Approach to Improve TCP Performance in \
           Multihop Ad Hoc Networks, WWIC 2007, as far as its abstract tells",
    needs: &["contention"],
    params: &[],
    verified: &[],
    reconstructed: &[
        "all of it: the tables say \"TCP-CC\" without a reference, and TCP Contention Control is the likeliest of three \
         candidates. No cell of those tables is a target for it",
        "contention is the time from when the MAC takes the packet until the exchange that delivers it begins: earlier \
         attempts and backoffs, and not the queue",
        "four stages by the signs of both changes, 5 % being none: + 1 per segment that came, + 1, - 1, half; from 2 to \
         64 segments, 2 at first",
        "an interval is a round trip as a receiver can see it, the arrival of a window of data, and 100 ms at least",
        "the edge of the window never moves back, and moves with data in order only",
        "the sender is Reno",
    ],
    features: ReceiverFeatures { contention: true, ..ReceiverFeatures::NOTHING },
    build: &|_, c| Parts {
        control: Box::new(Reno),
        recovery: recovery::reno(c),
        notices: Box::new(IgnoreNotices),
    },
};
