//! Applications that send bursts and transfers of given sizes: load, and completion times.

use crate::common::{hosts, run};
use airhop_base::{Rate, Span, Time};
use airhop_net::apps::{AppPlan, BulkPlan, CbrPlan, ParetoOnOffPlan, TransferPlan, TransportProtocol};
use airhop_net::links::Links;
use airhop_net::plan::{FlowPlan, Plan, Transport};
use airhop_net::{BuildError, World};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Params, Preset};
use std::sync::Arc;

const MS: fn(u64) -> Span = Span::from_millis;

/// Returns a plan with one flow from a to b, over a link without losses and with a large queue.
fn alone(mbps: u64, delay: Span, transport: Transport, app: Arc<dyn AppPlan>) -> Plan {
    Plan {
        links: Links { wired: vec![hosts::wire(mbps, delay, 100_000, ErrorPlan::Clean)], ..Links::default() },
        ..hosts::hosts(Span::from_secs(20), transport, app)
    }
}

/// Returns a plan with bursts of datagrams at 8 Mbit/s: 1000 bytes, headers included, each millisecond.
fn bursts(on: Span, off: Span, shape: f64, seconds: u64) -> Plan {
    let app = Arc::new(ParetoOnOffPlan {
        peak_rate: Rate::from_bps(8_000_000),
        mean_on_time: on,
        mean_off_time: off,
        shape,
    });
    let mut plan = alone(100, MS(1), Transport::Udp { bytes: 1000 }, app);
    plan.duration = Span::from_secs(seconds);
    plan
}

fn transfer(delay: Span, bytes: u64) -> Plan {
    let scheme = airhop_tcp::find_scheme("newreno").expect("known");
    let config = Preset::Ns2.config(1000);
    let transport = Transport::Tcp { scheme, params: Params::defaults(scheme), config };
    alone(8, delay, transport, Arc::new(TransferPlan { bytes }))
}

/// Returns the mean load over ten seeds, as a fraction of the load of a permanent burst.
fn load(plan: &Plan) -> f64 {
    (1..=10).map(|seed| run(plan, seed).flows[0].goodput_mbps).sum::<f64>() / 10.0 / 8.0
}

// The mean rate of an on/off source is peak × on / (on + off). The variance of a period with shape 3 is mean²
// / 3. The load of a run of n cycles therefore has the standard deviation load × (1 - load) × sqrt(2 / 3 n)
// (renewal theory). Here n is 10 × 300, and the tolerance is five standard deviations.
#[test]
fn on_off_load_is_the_peak_times_the_on_share() {
    for (on, off) in [(400, 100), (100, 400), (250, 250)] {
        let share = on as f64 / 500.0;
        let deviation = share * (1.0 - share) * f64::sqrt(2.0 / 9_000.0);
        let load = load(&bursts(MS(on), MS(off), 3.0, 150));
        assert!((load - share).abs() < 5.0 * deviation, "{on} ms on, {off} ms off: {load}");
    }
}

// The mean rate is the same for bursts hardly longer than a datagram, because bursts are not rounded to whole
// packets. By ns-2's rule (rounded, at least one packet) a burst of 1.2 packet times would have 1 or 2
// packets.
#[test]
fn bursts_shorter_than_a_packet_keep_the_mean_load() {
    let load = load(&bursts(Span::from_micros(1200), Span::from_micros(1200), 3.0, 20));
    // With 10 × 8333 cycles the standard deviation is 0.0007.
    assert!((load - 0.5).abs() < 0.0035, "{load}");
}

// Background traffic of Yun 2009 §5.3: Pareto periods of shape 2, with a mean of 8 Mbit/s and a peak of 10.
// The variance of such a period is infinite, so the tolerance is wide: the sum of n periods deviates by about
// mean / 2 × sqrt(n ln n) (domain of attraction of the normal law).
#[test]
fn the_background_traffic_of_yun_2009_has_its_mean_rate() {
    let app = Arc::new(ParetoOnOffPlan {
        peak_rate: Rate::from_bps(10_000_000),
        mean_on_time: MS(400),
        mean_off_time: MS(100),
        shape: 2.0,
    });
    let mut plan = alone(100, MS(1), Transport::Udp { bytes: 1000 }, app);
    plan.duration = Span::from_secs(150);
    let mean = (1..=10).map(|seed| run(&plan, seed).flows[0].goodput_mbps).sum::<f64>() / 10.0;
    let n = 3_000.0_f64;
    let deviation = 0.8 * 0.2 * 0.5 * f64::sqrt(2.0 * n * n.ln()) / n * 10.0;
    assert!((mean - 8.0).abs() < 5.0 * deviation, "{mean} Mbit/s, standard deviation {deviation}");
}

#[test]
fn every_on_off_source_has_its_own_bursts() {
    let mut plan = bursts(MS(100), MS(100), 1.5, 20);
    let other = FlowPlan { name: "g".into(), ..plan.flows[0].clone() };
    let alone = run(&plan, 1).flows[0].clone();
    plan.flows.push(other);
    let both = run(&plan, 1);
    assert_eq!(both.flows[0].sent_segments, alone.sent_segments, "another flow has no effect");
    assert_ne!(both.flows[1].sent_segments, alone.sent_segments, "the name determines the random stream");
    assert_ne!(run(&plan, 2).flows[0].sent_segments, alone.sent_segments);
}

// Slow start on a link without losses, with an ACK for each segment, an initial window of 2 and no handshake
// (ns-2). Round k, from 0, sends 2^(k+1) segments, so n rounds send 2 (2^n - 1), and the transfer completes
// when the last segment of round n - 1 arrives. A segment takes 1.04 ms on the link, an ACK 40 µs, and the
// delay is d each way. A round starts when the ACK of the first segment of the round before it arrives, T =
// 1.04 ms + 0.04 ms + 2 d later. Each ACK triggers two segments, and ACKs are 1.04 ms apart, so the link
// sends the 2^(k+1) segments of a round without gaps. The last of them arrives 2^(k+1) × 1.04 ms + d after
// the start of the round.
#[test]
fn a_lone_transfer_takes_the_time_of_slow_start() {
    for (d, n) in [(50, 1), (50, 4), (100, 6), (20, 5)] {
        let segments = 2 * ((1_u64 << n) - 1);
        let plan = transfer(MS(d), segments * 1000);
        let (segment, ack) = (1.04e-3, 0.04e-3);
        let round_trip = segment + ack + 2.0 * d as f64 * 1e-3;
        let last_round = f64::from(1_u32 << n) * segment;
        assert!(last_round < round_trip, "every round is over before the next begins");
        let expected = f64::from(n - 1) * round_trip + last_round + d as f64 * 1e-3;
        let completion = run(&plan, 1).flows[0].completion_s.expect("20 s are enough");
        assert!((completion - expected).abs() < 1e-6, "{n} rounds: {completion} s, expected {expected} s");
    }
}

// A completion time counts from the start of the flow. A warm-up does not shorten it, even if the transfer
// ends before the warm-up does. A transfer that is unfinished or unlimited has no completion time.
#[test]
fn completion_times_count_from_the_flow_start() {
    let plan = transfer(MS(50), 30_000);
    let completion = run(&plan, 1).flows[0].completion_s;
    let at = completion.expect("20 s are enough");
    let mut later = plan.clone();
    later.flows[0].start = Time::ZERO + MS(3700);
    let moved = run(&later, 1).flows[0].completion_s.expect("16 s are enough");
    assert!((moved - at).abs() < 1e-9, "{moved} s, {at} s");
    for warmup in [100, 10_000] {
        let mut warm = plan.clone();
        warm.warmup = MS(warmup);
        let r = run(&warm, 1).flows[0].clone();
        assert_eq!(r.completion_s, completion);
        assert!(r.delivered_bytes < 30_000, "delivered bytes exclude the warm-up");
    }
    let mut short = plan;
    short.duration = MS(200);
    assert_eq!(run(&short, 1).flows[0].completion_s, None);
    assert_eq!(run(&bursts(MS(100), MS(100), 1.5, 20), 1).flows[0].completion_s, None);
}

// Each application runs only over the transport that it needs.
#[test]
fn an_application_over_another_transport_is_refused() {
    let mut udp = bursts(MS(100), MS(100), 1.5, 20);
    udp.flows[0].app = Arc::new(BulkPlan);
    let mut tcp = transfer(MS(50), 30_000);
    tcp.flows[0].app = Arc::new(CbrPlan { rate: Rate::from_bps(1_000_000) });
    for (plan, needs) in [(udp, TransportProtocol::Tcp), (tcp, TransportProtocol::Udp)] {
        let refused = BuildError::OtherTransport { flow: "f".into(), needs };
        assert_eq!(World::new(&plan, 1, 0, None).err(), Some(refused));
    }
}
