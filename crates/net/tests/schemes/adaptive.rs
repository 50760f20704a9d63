//! DCTCP, Hybla, Illinois and H-TCP between two hosts, compared with what their papers state about whole
//! connections.

use crate::common::trace::{numbers, traced};
use crate::common::{hosts, run, served_by};
use airhop_base::Span;
use airhop_net::apps::BulkPlan;
use airhop_net::links::Links;
use airhop_net::plan::{Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Config, HalveFrom, Preset};
use airhop_trace::Table;
use std::sync::Arc;

/// Payload of a segment, in a packet of 1040 bytes, as in Linux.
const SEGMENT: u32 = 988;

/// Returns a plan with a connection of `scheme` over a wire: rate in Mbit/s, round trip without queueing,
/// queue capacity in packets, and loss rate.
fn wire(scheme: &str, config: Config, mbps: u64, rtt: Span, packets: usize, loss: f64, seconds: u64) -> Plan {
    let errors = if loss > 0.0 { ErrorPlan::Loss(loss) } else { ErrorPlan::Clean };
    Plan {
        links: Links { wired: vec![hosts::wire(mbps, rtt / 2, packets, errors)], ..Links::default() },
        ..hosts::hosts(Span::from_secs(seconds), hosts::tcp(scheme, config), Arc::new(BulkPlan))
    }
}

/// Returns the Linux preset without pacing, because the senders in these papers do not pace. Bursts matter to
/// Illinois: it takes the longest delay that it measures as the delay of a full buffer.
fn linux() -> Config {
    Config { pacing: false, ..Preset::Linux.config(SEGMENT) }
}

/// Returns the mean goodput over `reps` replications, Mbit/s.
fn goodput(plan: &Plan, reps: u64) -> f64 {
    (1..=reps).map(|seed| run(plan, seed).flows[0].goodput_mbps).sum::<f64>() / reps as f64
}

fn is_within(value: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((value / expected - 1.0).abs() < tolerance, "{what}: {value}, expected {expected}");
}

/// Returns time and window at each change of the window after the time `after`, in seconds.
fn windows(tables: &[Table], after: f64) -> Vec<(f64, f64)> {
    let (times, cwnd) = (numbers(tables, "window", "time_s"), numbers(tables, "window", "cwnd"));
    times.into_iter().zip(cwnd).filter(|w| w.0 > after).collect()
}

/// Returns the indices of the windows that directly follow a reduction.
fn cuts(windows: &[(f64, f64)]) -> Vec<usize> {
    (1..windows.len()).filter(|&i| windows[i].1 < windows[i - 1].1).collect()
}

/// Returns, for each reduction, the window after it divided by the window before it.
fn left(windows: &[(f64, f64)]) -> Vec<f64> {
    cuts(windows).into_iter().map(|i| windows[i].1 / windows[i - 1].1).collect()
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

/// Returns a plan with a DCTCP connection through a queue that marks packets while it has K packets or more.
/// As in the model, there is an ACK for each segment, and the window is reduced at once. With PRR, as in
/// Linux, the queue would not shrink at first after a mark; the next packets would also be marked, and a
/// second reduction would follow.
fn marking(mbps: u64, rtt: Span, k: f64, seconds: u64) -> Plan {
    // The window of the model is a real number; in Linux it is a whole number of segments after a mark.
    let config = Config { delayed_ack: None, prr: false, halve_from: HalveFrom::Flight, ..linux() };
    let mut plan = wire("dctcp", config, mbps, rtt, 2000, 0.0, seconds);
    plan.links.wired[0].queue =
        [QueuePlan::CongestionWarning { packets: 2000, threshold: k, weight: 1.0 }; 2];
    plan
}

// Model of one flow (Alizadeh et al. 2010 §3.3): marks start at the window W* = C RTT + K, all packets of a
// round trip are marked, and the window decreases by D = (W* + 1) alpha/2. The queue oscillates between K + 1
// and K + 1 - D (equations 9 and 10). The window grows again by D in D round trips (equation 8), after the
// round trip whose ACKs echo the marks (RFC 3168 §6.1.2, TCP_CA_CWR in Linux), so the period is P = D + 1
// round trips. Equation 6 assumes a constant alpha. In fact alpha increases by (1 - alpha) g in the round
// trip with the marks, and decreases by g alpha in all others. The reduction uses its lowest value (RFC 8257
// §3.3), hence alpha = (alpha + (1 - alpha) g) (1 - g)^(P - 1).
#[test]
fn dctcp_queue_oscillates_as_in_its_model() {
    for (mbps, rtt, k, seconds) in [(100, 8, 40.0, 6), (1000, 2, 65.0, 2)] {
        let (_, tables) = traced(&marking(mbps, Span::from_millis(rtt), k, seconds), 1);
        let held = mbps as f64 * 1e3 * rtt as f64 / (1040.0 * 8.0);
        let w = held + k;
        let period = |alpha: f64| (w + 1.0) * alpha / 2.0 + 1.0;
        let lowest = |alpha: f64| {
            let g = 1.0 / 16.0;
            (alpha + (1.0 - alpha) * g) * libm::pow(1.0 - g, period(alpha) - 1.0)
        };
        let (mut alpha, mut above) = (0.0, 1.0);
        while above - alpha > 1e-6 {
            let middle = (alpha + above) / 2.0;
            if lowest(middle) > middle { alpha = middle } else { above = middle }
        }
        let swing = (w + 1.0) * alpha / 2.0;

        let windows = windows(&tables, 1.0);
        let cuts = cuts(&windows);
        let before = mean(cuts.iter().map(|&i| windows[i - 1].1));
        let cut = mean(cuts.iter().map(|&i| windows[i - 1].1 - windows[i].1));
        let measured = (windows[cuts[cuts.len() - 1]].0 - windows[cuts[0]].0) / (cuts.len() - 1) as f64;
        is_within(before, w, 0.03, "the window that is marked");
        is_within(2.0 * cut / before, alpha, 0.05, "alpha");
        is_within(cut, swing, 0.05, "the swing of the window");
        is_within(measured, period(alpha) * rtt as f64 * 1e-3 * w / held, 0.05, "the period");

        // Rows of the queue of the data: the queue of the ACKs never has more than two packets.
        let (times, packets) = (numbers(&tables, "queue", "time_s"), numbers(&tables, "queue", "packets"));
        let late: Vec<f64> =
            times.into_iter().zip(packets).filter(|q| q.0 > 1.0 && q.1 > 2.0).map(|q| q.1).collect();
        let (least, most) = late.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &q| (a.min(q), b.max(q)));
        println!("{mbps} Mbit/s: {least} to {most} packets, alpha {:.4} of {alpha:.4}", 2.0 * cut / before);
        assert!((most - (k + 1.0)).abs() <= 1.0, "{most} at most");
        assert!((least - (k + 1.0 - swing)).abs() <= 2.0, "{least} at least, expected {}", k + 1.0 - swing);
    }
}

// With K > C RTT / 7 the queue never becomes empty (Alizadeh et al. 2010 §3.4, equation 13). With a hundredth
// of that K the link is idle at times.
#[test]
fn dctcp_keeps_the_link_busy_with_k_above_bdp_over_7() {
    let full = 100.0 * 988.0 / 1040.0;
    let with = |k| {
        let plan = Plan { warmup: Span::from_secs(1), ..marking(100, Span::from_millis(8), k, 5) };
        goodput(&plan, 1)
    };
    assert!(with(14.0) > 0.99 * full, "{} of {full}", with(14.0));
    assert!(with(1.0) < 0.97 * full, "{} of {full}", with(1.0));
}

// If the scenario sets no queue, the service of DCTCP installs its marking queue (RFC 8257 §3.1), and no
// packet is lost. A SACK sender overflows the same queue.
#[test]
fn dctcp_installs_its_marking_queue() {
    let mut plan = wire("dctcp", linux(), 10, Span::from_millis(60), 50, 0.0, 20);
    let drops = |plan: &Plan| {
        let flow = run(plan, 1).flows.remove(0);
        (flow.retransmissions, flow.goodput_mbps)
    };
    assert!(drops(&plan).0 > 100, "without marks it behaves as SACK");
    plan.flows[0].services = served_by(&["step-marking"]);
    let (retransmissions, goodput) = drops(&plan);
    assert_eq!(retransmissions, 0);
    assert!(goodput > 0.90 * 9.5, "{goodput}");
    // PRR is off, because without it a mark causes one reduction instead of two.
    let Transport::Tcp { config, .. } = &mut plan.flows[0].transport else { panic!("TCP") };
    config.prr = false;
    let (retransmissions, goodput) = drops(&plan);
    assert_eq!(retransmissions, 0);
    assert!(goodput > 0.95 * 9.5, "{goodput}");
}

// The rate of a Hybla connection equals that of the reference connection for any round trip, even with random
// losses (Caini and Firrincieli 2004). Reno's rate decreases as the round trip increases, at 300 ms to a
// twelfth (Mathis et al. 1997).
#[test]
fn hybla_rate_does_not_fall_with_the_rtt() {
    let at = |scheme, ms| goodput(&wire(scheme, linux(), 100, Span::from_millis(ms), 500, 1e-3, 60), 3);
    let reference = at("sack", 25);
    let [near, far] = [25, 300].map(|ms| at("hybla", ms));
    let reno = at("sack", 300);
    println!("25 ms: {near:.2} Mbit/s, SACK {reference:.2}; 300 ms: {far:.2}, SACK {reno:.2}");
    is_within(near, reference, 0.15, "25 ms");
    is_within(far, reference, 0.15, "300 ms");
    assert!(reno < 1.5 * reference * 25.0 / 300.0, "{reno}");
}

// The paper recommends the bandwidth estimate of Hoe 1996: slow start then ends at the bandwidth-delay
// product, without losses. Without pacing and without the estimate, slow start loses thousands of segments,
// because at 100 ms each ACK adds 15 segments.
#[test]
fn hybla_bandwidth_estimate_ends_slow_start() {
    let plan = |form| {
        let mut plan = wire("hybla", linux(), 100, Span::from_millis(100), 1000, 0.0, 2);
        if let Transport::Tcp { scheme, params, .. } = &mut plan.flows[0].transport {
            params.set(scheme, "form", form).expect("a parameter");
        }
        run(&plan, 1).flows[0].retransmissions
    };
    assert_eq!(plan(0.0), 0);
    assert!(plan(1.0) > 1000);
}

// With random losses and without congestion, Illinois uses alpha_max and beta_min and has many times the
// goodput of Reno (Liu et al. 2008). With loss rate p and an empty queue, its window is that of AIMD(10,
// 1/8), sqrt(alpha (2 - beta) / (2 beta p)): 274 segments at p = 1e-3, with a bandwidth-delay product of 721.
#[test]
fn illinois_recovers_from_random_losses() {
    let at = |scheme, loss| goodput(&wire(scheme, linux(), 100, Span::from_millis(60), 200, loss, 40), 2);
    let [few, many] = [1e-4, 1e-3].map(|loss| {
        let (illinois, sack) = (at("illinois", loss), at("sack", loss));
        println!("{loss}: {illinois:.1} Mbit/s, SACK {sack:.1}");
        (illinois, illinois / sack)
    });
    assert!(few.1 > 4.0 && many.1 > 4.0);
    let segments = (10.0 * (2.0 - 0.125) / (2.0 * 0.125 * 1e-3_f64)).sqrt();
    is_within(many.0, segments * 988.0 * 8.0 / 0.06 / 1e6, 0.15, "AIMD(10, 1/8)");
}

// The window of Illinois is a concave function of the time since the last loss, because alpha decreases while
// the queue grows (Liu et al. 2008). The window of Reno is linear, except that the round trip grows.
#[test]
fn illinois_window_growth_is_concave() {
    let halfway = |scheme| {
        let (_, tables) = traced(&wire(scheme, linux(), 10, Span::from_millis(60), 50, 0.0, 60), 1);
        let windows = windows(&tables, 10.0);
        let gained = cuts(&windows)
            .windows(2)
            .map(|c| {
                let ((from, low), (to, high)) = (windows[c[0]], windows[c[1] - 1]);
                let middle =
                    windows.iter().take_while(|w| w.0 <= (from + to) / 2.0).last().expect("a window");
                (middle.1 - low) / (high - low)
            })
            .collect::<Vec<_>>();
        mean(gained.into_iter())
    };
    let (illinois, sack) = (halfway("illinois"), halfway("sack"));
    println!("half the time: {illinois:.3} of the gain, SACK {sack:.3}");
    assert!(illinois > 0.7 && (0.45..0.6).contains(&sack));
}

// For a second after a loss H-TCP's window grows by 2 (1 - beta) segments per round trip. Then it grows 1 +
// 10 t + t²/4 times as fast (Leith and Shorten 2004), which in the next second is 6.08 times as much. The
// queue is negligible, so the round trip is constant.
#[test]
fn htcp_grows_quadratically_after_a_second() {
    let mut plan = wire("htcp", linux(), 1000, Span::from_millis(60), 20_000, 0.0, 4);
    if let Transport::Tcp { scheme, params, config } = &mut plan.flows[0].transport {
        params.set(scheme, "rtt_scaling", 1.0).expect("a parameter");
        config.initial_ssthresh = 100.0;
    }
    let (_, tables) = traced(&plan, 1);
    let windows = windows(&tables, 0.0);
    let at = |s: f64| windows.iter().take_while(|w| w.0 <= s).last().expect("a window").1;
    let begun = windows.iter().find(|w| w.1 > windows[0].1).expect("an ACK").0;
    // Slow start ends after three round trips.
    let gain = |from: f64, to: f64| at(begun + to) - at(begun + from);
    let rounds = |area: f64| area / 0.06;
    is_within(gain(0.4, 1.0), rounds(0.6), 0.1, "Reno's second");
    is_within(gain(1.0, 2.0), rounds(1.0 + 5.0 + 1.0 / 12.0), 0.1, "the next");
    is_within(gain(2.0, 3.0), rounds(1.0 + 15.0 + 7.0 / 12.0), 0.1, "and the next");
}

// A loss multiplies H-TCP's window by RTTmin/RTTmax, but at least by 0.5 and at most by 0.8, which just
// empties the queue (Leith and Shorten 2004). A packet takes 832 us, and the path has a round trip of 60 ms.
#[test]
fn an_htcp_reduction_just_empties_the_queue() {
    for packets in [10, 30, 50, 100] {
        let (_, tables) = traced(&wire("htcp", linux(), 10, Span::from_millis(60), packets, 0.0, 100), 1);
        let shares = left(&windows(&tables, 20.0));
        let expected = (60.0_f64 / (60.0 + packets as f64 * 0.832)).clamp(0.5, 0.8);
        println!("{packets}: {:.3} of {expected:.3}, {} cuts", mean(shares.iter().copied()), shares.len());
        is_within(mean(shares.iter().copied()), expected, 0.04, "beta");
    }
}
