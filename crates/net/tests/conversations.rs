//! Calls and games: delays, losses and deadlines in both directions, compared with closed forms.

use crate::common::{LastHop, hosts, run};
use airhop_base::{Rate, Span, Time};
use airhop_net::apps::{AppPlan, CallPlan, CbrPlan, GamePlan, Punctuality, Quality};
use airhop_net::links::Links;
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::{FlowReport, Report};
use airhop_radio::errors::ErrorPlan;
use std::sync::Arc;

const MS: fn(u64) -> Span = Span::from_millis;
const G711: CallPlan = CallPlan {
    rate: Rate::from_bps(64_000),
    packet_interval: MS_20,
    playout_delay: Span::from_millis(60),
    ie: 0.0,
    bpl: 4.3,
};
const MS_20: Span = Span::from_millis(20);
const GAME: GamePlan =
    GamePlan { payload_bytes: 100, packet_interval: MS_20, deadline: Span::from_millis(50) };

/// Returns a plan with a conversation of 20 s between a and b over a wire of 1 Mbit/s with errors in the
/// direction to b.
fn over(delay: Span, errors: ErrorPlan, app: impl AppPlan + 'static) -> Plan {
    let transport = Transport::Udp { bytes: app.datagram_bytes().expect("a conversation") };
    Plan {
        links: Links { wired: vec![hosts::wire(1, delay, 50, errors)], ..Links::default() },
        ..hosts::hosts(Span::from_secs(20), transport, Arc::new(app))
    }
}

/// Returns the numbers of packets in time, late and lost of one direction; for a call also its delay and
/// rating.
fn heard(flow: &FlowReport) -> (Punctuality, Option<(f64, f64)>) {
    match flow.quality.expect("a conversation") {
        Quality::Call(call) => {
            (call.punctuality, call.rating.map(|rating| (rating.mouth_to_ear_ms, rating.r)))
        }
        Quality::Game(game) => (game.punctuality, None),
        Quality::Video(_) => panic!("a video"),
    }
}

/// Returns the number of packets, sent every 20 ms from `start` on, whose deadline is before 20 s. The
/// deadline of a packet is `bound` after its transmission.
fn deadlines(start: Time, bound: Span) -> u64 {
    (Time::ZERO + Span::from_secs(20)).since(start + bound).nanos().div_ceil(MS_20.nanos())
}

// Computed by hand. A packet has 160 bytes of speech, and 200 bytes with the headers of RTP, UDP and IP,
// which take 1.6 ms at 1 Mbit/s. The delay from mouth to ear is 20 + 1.6 + 8.4 + 60 = 90 ms. It is
// imperceptible, so R is 93.2. Each direction sends 1000 packets, one every 20 ms; those of the last 70 ms
// are not played within the run.
#[test]
fn a_call_over_an_idle_wire_has_the_rating_of_its_codec() {
    let plan = over(Span::from_micros(8400), ErrorPlan::Clean, G711);
    let report = run(&plan, 1);
    let [there, back] = &report.flows[..] else { panic!("two directions") };
    assert_eq!([&there.name, &back.name], ["f", "f reverse"]);
    assert_eq!([&back.from, &back.to], ["b", "a"]);
    let all = deadlines(Time::ZERO, MS(70));
    assert_eq!(heard(there), (Punctuality { in_time: all, ..Punctuality::default() }, Some((90.0, 93.2))));
    let (packets, rating) = heard(back);
    assert_eq!((packets.missed(), rating), (0, Some((90.0, 93.2))));
    // The other end starts at a random time within the first interval.
    assert!((all - 1..=all).contains(&packets.in_time), "{}", packets.in_time);
    assert_eq!((there.delivered_bytes % 172, there.loss, there.jitter_ms), (0, Some(0.0), Some(0.0)));
}

// Losses are independent: each of n packets is lost or late with probability p, and the burst ratio is 1. The
// tolerances are five standard deviations: sqrt(p (1 - p) / n) for the loss rate, and sqrt(p / (n p (1 - p)))
// for the mean length of a burst, relative to the mean.
#[test]
fn independent_losses_have_a_burst_ratio_of_one() {
    let p = 0.1;
    let mut plan = over(MS(10), ErrorPlan::Loss(p), G711);
    plan.duration = Span::from_secs(400);
    let report = run(&plan, 1);
    let (packets, _) = heard(&report.flows[0]);
    let n = (packets.in_time + packets.missed()) as f64;
    assert!((packets.missed() as f64 / n - p).abs() < 5.0 * (p * (1.0 - p) / n).sqrt(), "{packets:?}");
    let ratio = packets.burst_ratio().expect("losses");
    assert!((ratio - 1.0).abs() < 5.0 / (n * (1.0 - p)).sqrt(), "{ratio}");
    assert_eq!(heard(&report.flows[1]).0.missed(), 0, "the other direction has no errors");
}

// A stream of 2 Mbit/s fills the queue of 50 packets before the wire of 1 Mbit/s. A packet that the queue
// accepts waits for about 50 × 8.2 ms, longer than any deadline, so no packet is in time after the first 100
// ms. In the other direction no packet waits.
#[test]
fn a_full_queue_makes_packets_late() {
    for app in [Arc::new(G711) as Arc<dyn AppPlan>, Arc::new(GAME)] {
        let mut plan = over(MS(10), ErrorPlan::Clean, GAME);
        plan.flows[0].transport = Transport::Udp { bytes: app.datagram_bytes().expect("a conversation") };
        plan.flows[0].app = app;
        plan.flows.push(FlowPlan {
            name: "stream".into(),
            transport: Transport::Udp { bytes: 997 },
            app: Arc::new(CbrPlan { rate: Rate::from_bps(2_000_000) }),
            class: FlowClass::OfKind("cbr"),
            ..plan.flows[0].clone()
        });
        let report = run(&plan, 1);
        let [(there, _), (back, _)] = [0, 2].map(|place| heard(&report.flows[place]));
        assert!(there.in_time < 10 && there.late > 100 && there.lost > 100, "{there:?}");
        assert_eq!((back.missed(), back.in_time > 990), (0, true), "{back:?}");
    }
}

// If the delay of the wire exceeds the deadline of a game by a microsecond, no packet is in time; if it
// equals the deadline, all packets are in time. A packet of 128 bytes takes 1.024 ms at this rate.
#[test]
fn a_packet_that_arrives_at_its_deadline_is_in_time() {
    for (us, expected) in [(48_976, [1, 0]), (48_977, [0, 1])] {
        let report = run(&over(Span::from_micros(us), ErrorPlan::Clean, GAME), 1);
        let (Punctuality { in_time, late, lost, .. }, _) = heard(&report.flows[0]);
        let all = deadlines(Time::ZERO, MS(50));
        // With the longer delay, the packet with the last deadline has not arrived at the end of the run.
        assert_eq!([in_time, late + lost], expected.map(|share| share * all), "{us} µs");
    }
}

// After a warm-up only deadlines after the warm-up count.
#[test]
fn the_quality_excludes_the_warm_up() {
    let mut plan = over(Span::from_micros(8400), ErrorPlan::Clean, G711);
    plan.warmup = Span::from_secs(10);
    let (packets, rating) = heard(&run(&plan, 1).flows[0]);
    let all = deadlines(Time::ZERO, MS(70));
    let before = (MS(10_000) - MS(70)).nanos().div_ceil(MS_20.nanos());
    assert_eq!((packets.in_time, packets.missed()), (all - before, 0));
    assert_eq!(rating, Some((90.0, 93.2)));
}

// The application sends at constant intervals, independent of the network. The offset of the other end
// depends only on the seed and on the name of the flow.
#[test]
fn transmission_times_do_not_depend_on_the_network() {
    let sent = |plan: &Plan, seed| {
        let report = run(plan, seed);
        [report.flows[0].sent_segments, report.flows[1].sent_segments]
    };
    let clean = over(MS(10), ErrorPlan::Clean, GAME);
    let lossy = over(MS(300), ErrorPlan::Loss(0.5), GAME);
    for seed in 1..5 {
        assert_eq!(sent(&clean, seed), sent(&lossy, seed));
    }
}

// A conversation has one class for both directions, so the name of the class has no direction. A name in the
// scenario is used as it is.
#[test]
fn the_class_of_a_conversation_has_no_direction() {
    let classes =
        |report: &Report| report.classes.iter().map(|class| class.name.to_string()).collect::<Vec<_>>();
    let mut plan = LastHop { seconds: 2, ..LastHop::default() }.plan();
    plan.flows[0].transport = Transport::Udp { bytes: 172 };
    plan.flows[0].app = Arc::new(G711);
    plan.flows[0].class = FlowClass::OfKind("call");
    let report = run(&plan, 1);
    assert_eq!((classes(&report), report.classes[0].quality.0.len()), (vec!["call".to_string()], 2));
    plan.flows[0].class = FlowClass::Named("voice".into());
    assert_eq!(classes(&run(&plan, 1)), ["voice"]);
}
