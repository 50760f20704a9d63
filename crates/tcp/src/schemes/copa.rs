mod control;
mod delta;
mod overload;
mod trips;
mod velocity;

use super::{ReceiverFeatures, Param, Scheme};
use crate::Config;
use crate::notices::IgnoreNotices;
use crate::recovery::RackRecovery;
use crate::seams::SenderPolicies;
use control::Copa;

pub(super) static SCHEME: Scheme = Scheme {
    name: "copa",
    title: "Copa",
    family: "delay-based",
    preset: None,
    about: "The sender steers its window towards the rate 1/(delta · queueing delay), at which 1/delta of its \
            segments wait in the queue. While the sending rate is below this target, the window grows by 1/delta \
            segments per round trip; above it, the window shrinks as fast. After three round trips in the same \
            direction the step doubles each round trip. The queue therefore empties every five round trips, and \
            every Copa flow in it measures the empty path. If the queue does not empty, another flow fills it: \
            1/delta then grows by one per round trip and halves at each loss, as Reno's window does, until the \
            queue empties again.",
    applicability: "In long queues, for flows that need low delay: it keeps a few segments in the queue, for any buffer size. \
            Wireless losses do not reduce its window while it is alone. It interprets other variations of delay, such as those \
            of a contending and retrying MAC, as a queue; if another flow fills the queue, Copa also fills it. Ten Copa flows \
            in a long queue classify each other as flows that fill the queue; in a short queue they overflow it.",
    citation: "V. Arun and H. Balakrishnan, Copa: Practical Delay-Based Congestion Control for the Internet, NSDI 2018",
    network_requirements: &[],
    params: &[
        Param::with_range(
            "delta",
            0.5,
            (0.001, 10.0),
            "delta of the default mode: 1/delta segments wait in the queue (§2.2: 0.5)",
        ),
        Param::with_choices(
            "competitive",
            &["on", "off"],
            "competitive mode beside flows that fill the queue (§2.2); off = always the delta of the default mode",
        ),
    ],
    verified_rules: &[
        "by hand: target rate, direction, velocity, standing round trip, test for an empty queue, delta in both \
         modes, pacing, and a queue that oscillates between 0 and 2.5/delta segments every five round trips. The \
         expected values follow from quotations of the paper's §2 and §3 in other implementations; only the \
         abstract of the paper itself was available",
        "compared with the source of the authors' sender (genericCC), which keeps at least two segments and at most \
         doubles the window in a round trip, for any velocity",
    ],
    reconstructed_rules: &[
        "every segment is acknowledged immediately, as by the authors' receiver. An ACK of two segments would \
         release two segments together; the second would wait in a queue, and the sender would conclude that \
         another flow fills it",
        "an ACK of several segments nevertheless counts as several ACKs; directions are compared once per round trip, \
         and the velocity doubles from the fourth round trip in the same direction on",
        "the smoothed round trip, half of which is the window of the standing RTT, has a gain of 1/8 for the sample of each ACK",
        "loss recovery is RACK with every preset, since the window keeps changing during recovery; a timeout, which \
         the paper does not mention, restarts slow start with one segment",
        "the paper's limit of a nearly empty queue, a tenth of the oscillation, is less than one segment for two \
         flows, and the segment in service alone exceeds it; a queue with at most one of the sender's own \
         segments therefore counts as nearly empty",
        "the queue is not tested in slow start, or while the velocity is not 1: the queue is then the sender's own, \
         and the paper's rule that it empties every five round trips describes the steady state only",
        "the window shrinks by 30 % if 30 % of the segments of two round trips are lost, as in the authors' sender; \
         the paper has no rule for a path whose delay cannot grow",
    ],
    features: ReceiverFeatures { delivery_rate: true, paces: true, prompt_acks: true, ..ReceiverFeatures::SACK },
    build: &|p, c| SenderPolicies {
        control: Box::new(Copa::new(p.get("delta"), p.choice("competitive") == 0)),
        // Copa does not reduce its window for a loss, so PRR is off.
        recovery: Box::new(RackRecovery::new(&Config { prr: false, ..*c })),
        notices: Box::new(IgnoreNotices),
    },
};
