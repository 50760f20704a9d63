//! Cost of link recovery, compared with closed forms.
//!
//! The sender is saturated, frames are lost independently with probability p, and link ACKs are never lost.
//! The time per packet is then a sum of independent parts, whose mean is exact. In the comments, t is the
//! duration of a frame, T is the timeout, and R is the time until the link ACK of a frame arrives; T and R
//! count from the start of the transmission.

use crate::radio_link::{World, go_back, round, rules};
use airhop_base::{Span, Time};
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioPlan;

/// Duration of a frame of 100 bytes. With a propagation delay of 45 µs and link ACKs of 10 µs, its link ACK
/// arrives after R = 200 µs.
const FRAME: f64 = 100.0;
const ROUND_TRIP: f64 = 200.0;

fn lossy(arq: ArqPlan, p: f64) -> RadioPlan {
    RadioPlan { arq: [arq, ArqPlan::None], errors: [ErrorPlan::Loss(p), ErrorPlan::Clean], ..round(45) }
}

/// Returns the measured time per packet, µs, over `packets` packets that take about `expect` µs each.
fn measured(plan: &RadioPlan, packets: f64, expect: f64) -> f64 {
    let mut world = World::new(plan, 1);
    world.keep = false;
    world.saturate(0, FRAME as u32);
    world.run(Time::ZERO + Span::from_secs_f64(packets * expect * 1e-6));
    world.queue.now().secs_f64() * 1e6 / world.delivered[0] as f64
}

/// Checks that a packet takes `mean` µs with this standard deviation. There are so many packets that five
/// standard deviations of their mean are 0.9 % of the mean, which fails for a fraction 6e-7 of seeds. Another
/// 0.05 % is for the packets in flight at the end.
fn check(plan: &RadioPlan, mean: f64, deviation: f64) {
    let packets = (5.0 * deviation / (0.009 * mean)).powi(2).max(10_000.0);
    let measured = measured(plan, packets, mean);
    let allowed = (5.0 * deviation / packets.sqrt()) + 0.0005 * mean;
    assert!(
        (measured - mean).abs() < allowed,
        "{:?}: {measured} µs, expected {mean} ± {allowed}",
        plan.arq[0]
    );
}

/// Without losses one window of N frames is sent per round trip. If a window takes longer than the round
/// trip, frames are sent without pauses.
#[test]
fn one_arq_window_is_sent_per_round_trip() {
    for window in 1..=4 {
        let sliding = ROUND_TRIP.max(f64::from(window) * FRAME) / f64::from(window);
        check(&lossy(go_back(RetransmissionGroup::Sliding, rules(window, 1000)), 0.0), sliding, 0.0);
        let selective = ArqPlan::SelectiveRepeat { srej: true, rules: rules(window, 1000) };
        check(&lossy(selective, 0.0), sliding, 0.0);
        // The link ACK of a block arrives R after the start of the last frame.
        let block = (ROUND_TRIP + f64::from(window - 1) * FRAME) / f64::from(window);
        check(&lossy(go_back(RetransmissionGroup::Blocks, rules(window, 1000)), 0.0), block, 0.0);
    }
    check(&round(45), FRAME, 0.0);
}

/// Sliding window: a round trip after a frame is lost, it is the oldest one, because all frames before it
/// have arrived. T after its start the sender goes back to it; all frames sent in the meantime are useless. A
/// packet therefore takes t, plus T for each loss. The number of losses has the mean p / (1 - p) and the
/// variance p / (1 - p)². The efficiency is t / (t + T p / (1 - p)) = (1 - p) / (1 - p + p T / t). This
/// requires that a window takes longer than a round trip and less than T.
#[test]
fn go_back_n_costs_one_timeout_per_loss() {
    for (p, window, timeout) in [(0.02, 3, 350.0), (0.1, 4, 430.0), (0.2, 3, 301.0)] {
        let plan = lossy(go_back(RetransmissionGroup::Sliding, rules(window, timeout as u64)), p);
        check(&plan, FRAME + timeout * p / (1.0 - p), timeout * f64::sqrt(p) / (1.0 - p));
    }
}

/// Blocks: each round delivers the frames before the first loss. Each loss of the next missing frame
/// therefore causes another round: a block of N frames needs 1 + N p / (1 - p) rounds in the mean. The last
/// round takes (N - 1) t + R, all others take T.
#[test]
fn go_back_n_in_blocks_costs_one_timeout_per_round() {
    for (p, n, timeout) in [(0.1, 3.0, 450.0), (0.05, 4.0, 520.0), (0.2, 2.0, 333.0)] {
        let plan = lossy(go_back(RetransmissionGroup::Blocks, rules(n as u32, timeout as u64)), p);
        let block = (n - 1.0) * FRAME + ROUND_TRIP;
        check(&plan, block / n + timeout * p / (1.0 - p), timeout * f64::sqrt(p) / (1.0 - p));
    }
}

/// A window of one is stop-and-wait: a packet takes R, plus T for each loss of its frame or of its link ACK.
#[test]
fn stop_and_wait_costs_one_timeout_per_lost_frame_or_ack() {
    for (p, q) in [(0.1, 0.0), (0.2, 0.1)] {
        let plan = lossy(go_back(RetransmissionGroup::Sliding, rules(1, 280)), p);
        let plan = RadioPlan { errors: [ErrorPlan::Loss(p), ErrorPlan::Loss(q)], ..plan };
        let fails = 1.0 - (1.0 - p) * (1.0 - q);
        check(&plan, ROUND_TRIP + 280.0 * fails / (1.0 - fails), 280.0 * fails.sqrt() / (1.0 - fails));
    }
}

/// Selective repeat: a loss costs only the retransmitted frame. If the window exceeds the number of frames
/// that may be missing simultaneously, there are no pauses, and a packet takes t / (1 - p). With timeouts of
/// three frames, a window of 64 frames is sufficient for 20 losses of one frame in a row.
#[test]
fn selective_repeat_costs_one_frame_per_loss() {
    for srej in [true, false] {
        for p in [0.01, 0.2] {
            let plan = lossy(ArqPlan::SelectiveRepeat { srej, rules: rules(64, 290) }, p);
            check(&plan, FRAME / (1.0 - p), FRAME * f64::sqrt(p) / (1.0 - p));
        }
    }
}

/// Stop-and-wait with at most l attempts, and without losses of ACKs: p^l of the packets are lost. A packet
/// takes R with probability 1 - p^l, plus T for each failure. The mean number of failures is p (1 - p^l) / (1
/// - p) = p + … + p^l.
#[test]
fn with_n_attempts_the_loss_rate_is_the_nth_power() {
    let (p, limit, timeout) = (0.3_f64, 3, 280.0);
    let rules = ArqRules { max_attempts: Some(limit), ..rules(1, timeout as u64) };
    let mut world = World::new(&lossy(go_back(RetransmissionGroup::Sliding, rules), p), 1);
    world.keep = false;
    world.saturate(0, FRAME as u32);
    world.run(Time::ZERO + Span::from_secs(50));
    let (lost, n) = (p.powi(limit as i32), world.handed[0] as f64);
    let delivered = world.delivered[0] as f64 / n;
    assert!((delivered - (1.0 - lost)).abs() < 5.0 * (lost * (1.0 - lost) / n).sqrt(), "{delivered} of {n}");
    let mean = ROUND_TRIP * (1.0 - lost) + timeout * p * (1.0 - lost) / (1.0 - p);
    let measured = world.queue.now().secs_f64() * 1e6 / n;
    // A packet takes at most 3 T = 840 µs, so the standard deviation is below 420 µs.
    assert!((measured - mean).abs() < 5.0 * 420.0 / n.sqrt(), "{measured} µs, expected {mean}");
}
