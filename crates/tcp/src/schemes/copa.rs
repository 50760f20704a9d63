mod control;
mod delta;
mod overload;
mod trips;
mod velocity;

use super::{ReceiverFeatures, Param, Scheme};
use crate::Config;
use crate::notices::IgnoreNotices;
use crate::recovery::Rack;
use crate::seams::Parts;
use control::Copa;

pub(super) static SCHEME: Scheme = Scheme {
    name: "copa",
    title: "Copa",
    family: "delay-based",
    preset: None,
    about: "The sender steers its window towards the rate 1/(delta · queueing delay), which leaves 1/delta of its segments in the queue: \
            up while its rate is below, down while it is above, by 1/delta segments a round trip, and twice as fast each round trip after \
            three in the same direction. So the queue empties every five round trips, and every Copa flow in it measures the empty path. \
            If the queue does not empty, another flow fills it: then 1/delta itself grows by one a round trip and halves with each loss, \
            as Reno's window does, until the queue empties again.",
    helps: "In long queues, for flows that need low delay: it keeps a few segments in the queue, whatever the buffer. Wireless losses do \
            not reduce its window while it is alone. Delays that vary for other reasons, as those of a MAC that contends and retries, look \
            like a queue to it; a queue that another flow fills makes it fill the queue too. Ten Copa flows in a long queue take each \
            other for such flows, and overrun a short one.",
    cite: "V. Arun and H. Balakrishnan, Copa: Practical Delay-Based Congestion Control for the Internet, NSDI 2018",
    needs: &[],
    params: &[
        Param::number(
            "delta",
            0.5,
            (0.001, 10.0),
            "of the default mode: 1/delta segments are to wait in the queue (§2.2: 0.5)",
        ),
        Param::word(
            "competitive",
            &["on", "off"],
            "competitive mode beside flows that fill the queue (§2.2); off = delta is always the default one",
        ),
    ],
    verified: &[
        "target rate, direction, velocity, standing round trip, test for an empty queue, delta in both modes and pacing, by hand, and a queue \
         that swings between 0 and 2.5/delta segments every five round trips: against what implementations by others quote of the \
         paper's §2 and §3. Of the paper itself no more than its abstract was at hand",
        "read beside it: the authors' own sender (genericCC), which keeps two segments at least and lets the window double in a round \
         trip at most, whatever the velocity",
    ],
    reconstructed: &[
        "every segment is acknowledged at once, as the authors' receiver does: ACKs of two segments let two out together, and the \
         second waits in a queue that the sender takes for somebody else's",
        "an ACK that all the same tells of several counts as so many; directions are compared once a round trip, from the fourth of the \
         same direction on the velocity doubles",
        "the smoothed round trip of half of which the standing one is the least has the gain 1/8 for each ACK's sample",
        "losses are repaired by RACK whatever the preset says, as the window goes on meanwhile; a timeout, of which the paper says \
         nothing, begins slow start anew with one segment",
        "a queue with no more than one of the sender's own segments counts as nearly empty too: a tenth of the swing of two flows is \
         hardly a segment, no more than the one in service adds",
        "nor is the queue tested in slow start or while the velocity is not 1: then it is the sender's own, and that it empties every five \
         round trips is said of the steady state only",
        "30 % of the window are given up when 30 % of two round trips are lost: the authors' sender does so, the paper has nothing for a \
         path on which delay cannot grow",
    ],
    features: ReceiverFeatures { delivery_rate: true, paces: true, prompt_acks: true, ..ReceiverFeatures::SACK },
    build: &|p, c| Parts {
        control: Box::new(Copa::new(p.get("delta"), p.choice("competitive") == 0)),
        // Losses do not move the window: there is nothing to reduce evenly.
        recovery: Box::new(Rack::new(&Config { prr: false, ..*c })),
        notices: Box::new(IgnoreNotices),
    },
};
