//! The simulator reports properties of the path to a congestion control; here they are compared with the
//! simulation.

use crate::common::radio::{Mobile, recovery, rules};
use crate::common::{LastHop, run, served_by};
use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::World;
use airhop_net::apps::{AppPlan, CbrPlan, GamePlan, ParetoOnOffPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_radio::arq::{ArqPlan, RetransmissionGroup};
use airhop_radio::cell::AccessMethod;
use airhop_radio::link_rate::LinkRate;
use airhop_tcp::recovery::{PartialAckReaction, RenoRecovery};
use airhop_tcp::seams::{
    Ack, CongestionControl, Loss, LossClass, NoticePolicy, NoticeReaction, PathTruth, SenderPolicies, Window,
};
use airhop_tcp::{Config, Params, Preset, ReceiverFeatures, Scheme, SenderState};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    /// Values that the simulator reported last to a [`Spy`] of this test.
    static TOLD: Cell<Option<PathTruth>> = const { Cell::new(None) };
}

/// Congestion control with a constant window that records what the simulator reports to it.
#[derive(Debug)]
struct Spy;

impl CongestionControl for Spy {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, _: &mut Window, _: &Loss, _: &SenderState) -> LossClass {
        LossClass::Undecided
    }

    fn on_path_truth(&mut self, truth: &PathTruth) {
        TOLD.set(Some(*truth));
    }
}

#[derive(Debug)]
struct IgnoreNotices;

impl NoticePolicy for IgnoreNotices {
    fn on_notice(&mut self, _: Time, _: &airhop_base::Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Ignore
    }
}

fn spy() -> &'static Scheme {
    let build = |_: &Params, _: &Config| SenderPolicies {
        control: Box::new(Spy),
        recovery: Box::new(RenoRecovery::new(PartialAckReaction::RepairsNext, false)),
        notices: Box::new(IgnoreNotices),
    };
    let scheme = Scheme {
        name: "spy",
        title: "",
        family: "",
        preset: None,
        about: "",
        applicability: "",
        citation: "",
        network_requirements: &["truth"],
        params: &[],
        verified_rules: &[],
        reconstructed_rules: &[],
        features: ReceiverFeatures::NONE,
        build: Box::leak(Box::new(build)),
    };
    airhop_tcp::add_scheme(scheme).expect("no built-in scheme");
    airhop_tcp::find_scheme("spy").expect("just added")
}

/// Returns the plan with a spy as the congestion control of the first flow.
fn spied(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let scheme = spy();
    let flow = &mut plan.flows[0];
    if let Transport::Tcp { config, .. } = &flow.transport {
        flow.transport = Transport::Tcp { scheme, params: Params::defaults(scheme), config: *config };
    }
    flow.services = served_by(&["truth"]);
    plan
}

/// Returns the values that the simulator reports to the first flow.
fn truth_of(plan: &Plan) -> PathTruth {
    World::new(&spied(plan), 1, 0, None).expect("a good plan");
    TOLD.take().expect("the value was reported")
}

fn hop(uplink: bool) -> LastHop {
    LastHop { fer: 0.0, attempts: 7, control_mbps: 11.0, uplink, ..LastHop::default() }
}

fn udp(name: &str, from: u16, to: u16, app: Arc<dyn AppPlan>) -> FlowPlan {
    FlowPlan {
        name: name.into(),
        from: NodeId(from),
        to: NodeId(to),
        transport: Transport::Udp { bytes: 972 },
        app,
        start: Time::ZERO,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("cbr"),
    }
}

fn mbps(truth: PathTruth) -> f64 {
    truth.share_rate.bps() as f64 / 1e6
}

// The formula in `crates/net/src/ground_truth/oracle.rs`, computed by hand for 802.11b at 11 Mbit/s, in µs:
// DIFS 50, data 192 + 8608/11 (1040 + 36 B), SIFS 10, ACK 192 + 112/11, TCP ACK 192 + 608/11 (40 + 36 B), and
// a mean backoff of 15.5 slots of 20 µs.
#[test]
fn cell_capacity_follows_from_802_11b_timing() {
    let data = 50.0 + 192.0 + 8608.0 / 11.0 + 10.0 + 192.0 + 112.0 / 11.0;
    let ack = 50.0 + 192.0 + 608.0 / 11.0 + 10.0 + 192.0 + 112.0 / 11.0;
    let by_hand = 8000.0 / (data + ack + 310.0);
    for uplink in [false, true] {
        assert!((mbps(truth_of(&hop(uplink).plan())) - by_hand).abs() < 1e-3, "{by_hand}");
    }
    // With an ACK for every second segment, each segment counts half of an ACK, and one backoff instead of
    // two.
    let mut delayed = hop(false).plan();
    if let Transport::Tcp { config, .. } = &mut delayed.flows[0].transport {
        config.delayed_ack = Preset::Rfc.config(1000).delayed_ack;
    }
    let by_hand = 8000.0 / (data + ack / 2.0 + 310.0);
    assert!((mbps(truth_of(&delayed)) - by_hand).abs() < 1e-3, "{by_hand}");
}

// The formula ignores collisions. With two saturated stations, 2 of 33 exchanges end in a collision, which
// lasts about as long as an exchange. The simulated goodput of the cell is therefore 4 to 6 % lower. A model
// in units of slots has 3.76 to 3.80 Mbit/s, and ns-2 about 3.66.
#[test]
fn a_saturated_cell_stays_5_percent_below_its_capacity() {
    for (uplink, rts) in [(false, false), (true, false), (false, true)] {
        let mut plan = LastHop { d_off_ms: 2, seconds: 60, ..hop(uplink) }.plan();
        if rts {
            plan.links.wlans[0].cell.access_method = AccessMethod::RtsCts;
        }
        // The sender is saturated, but never overflows its queue.
        if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
            config.receive_window = 40_000;
        }
        let goodput = run(&plan, 1).flows[0].goodput_mbps;
        let capacity = mbps(truth_of(&plan));
        println!("uplink {uplink}, rts {rts}: {goodput:.3} of {capacity:.3} Mbit/s");
        assert!((0.93..0.99).contains(&(goodput / capacity)), "{goodput:.3} of {capacity:.3} Mbit/s");
        assert!(rts || (3.6..3.8).contains(&goodput), "{goodput:.3} Mbit/s");
    }
}

// The fair share is the capacity of the narrowest link, less the mean load of datagrams, divided by the
// number of TCP flows.
#[test]
fn the_fair_share_is_the_capacity_left_by_udp() {
    let mut plan = hop(false).plan();
    plan.links.wired[1].rates = LinkRate::both_ways(Rate::from_bps(2_000_000));
    let payload = 1000.0 / 1040.0;
    assert!((mbps(truth_of(&plan)) - 2.0 * payload).abs() < 1e-3);
    // A payload of 972 bytes has 1000 bytes with headers. A stream of 0.486 Mbit/s therefore loads the wire
    // with 0.5 Mbit/s, and bursts at that rate, on for half of the time, with 0.25 Mbit/s.
    let bursts = Arc::new(ParetoOnOffPlan {
        peak_rate: Rate::from_bps(486_000),
        mean_on_time: Span::from_millis(100),
        mean_off_time: Span::from_millis(100),
        shape: 1.5,
    });
    plan.flows.push(udp("cbr", 1, 2, Arc::new(CbrPlan { rate: Rate::from_bps(486_000) })));
    plan.flows.push(udp("bursts", 1, 2, bursts));
    assert!((mbps(truth_of(&plan)) - 1.25 * payload).abs() < 1e-3);
    // A stream in the other direction uses another link, and changes nothing.
    plan.flows.push(udp("back", 2, 1, Arc::new(CbrPlan { rate: Rate::from_bps(1_900_000) })));
    assert!((mbps(truth_of(&plan)) - 1.25 * payload).abs() < 1e-3);
    let mut five = LastHop { flows: 5, ..hop(false) }.plan();
    five.links.wired[1].rates = LinkRate::both_ways(Rate::from_bps(2_000_000));
    assert!((mbps(truth_of(&five)) - 0.4 * payload).abs() < 1e-3);
    // Each flow alone could use the capacity that datagrams leave.
    for shared in [&plan, &five] {
        assert!((truth_of(shared).bottleneck_rate.bps() as f64 / 1e6 - 2.0 * payload).abs() < 1e-3);
    }
    // If the datagrams leave no capacity, the reported rate is 1 bit/s, not zero.
    plan.flows.push(udp("flood", 1, 2, Arc::new(CbrPlan { rate: Rate::from_bps(9_000_000) })));
    assert_eq!(truth_of(&plan).share_rate.bps(), 1);
}

// A game with 972 bytes every 10 ms loads each direction of the wire like a stream at that rate.
#[test]
fn a_conversation_reduces_the_capacity_of_both_directions() {
    let every = Span::from_millis(10);
    let game = Arc::new(GamePlan { payload_bytes: 972, packet_interval: every, deadline: every });
    for (from, to) in [(1, 2), (2, 1)] {
        let mut plan = hop(false).plan();
        plan.links.wired[1].rates = LinkRate::both_ways(Rate::from_bps(2_000_000));
        plan.flows.push(udp("game", from, to, game.clone()));
        assert!((mbps(truth_of(&plan)) - 1.2 * 1000.0 / 1040.0).abs() < 1e-3, "{from} to {to}");
    }
}

// In a cell datagrams use airtime. A TCP flow has the rest of the airtime, by the same formula.
#[test]
fn udp_load_reduces_the_cell_capacity_by_its_airtime() {
    let mut plan = LastHop { scheme: "sack", d_off_ms: 2, ..hop(false) }.plan();
    plan.duration = Span::from_secs(60);
    plan.flows.push(udp("cbr", 3, 4, Arc::new(CbrPlan { rate: Rate::from_bps(1_500_000) })));
    let share = mbps(truth_of(&plan));
    let goodput = run(&plan, 1).flows[0].goodput_mbps;
    println!("{goodput:.3} of {share:.3} Mbit/s");
    assert!((0.93..1.02).contains(&(goodput / share)), "{goodput:.3} of {share:.3} Mbit/s");
}

// With one segment in flight all queues are empty, so the mean round trip is the reported round trip. A
// backoff is uniform over 31 slots of 20 µs, with a variance of (32² - 1) / 12 × 20² µs². Each of the 5000
// round trips has two backoffs, and the tolerance is five standard deviations of the mean.
#[test]
fn the_reported_rtt_is_that_of_empty_queues() {
    for (uplink, immediate_access) in [(false, false), (true, false), (false, true), (true, true)] {
        let mut plan = hop(uplink).plan();
        plan.links.wlans[0].cell.rules.immediate_access = immediate_access;
        plan.duration = Span::from_secs(400);
        let rtt = truth_of(&plan).base_rtt;
        let mut lone = spied(&plan);
        if let Transport::Tcp { config, .. } = &mut lone.flows[0].transport {
            config.initial_window = 1.0;
        }
        let f = run(&lone, 1).flows[0].clone();
        let mean = 400.0 / (f.delivered_bytes as f64 / 1000.0);
        let told = rtt.secs_f64();
        println!(
            "uplink {uplink}, immediate {immediate_access}: {:.1} µs, told {:.1} µs",
            mean * 1e6,
            told * 1e6
        );
        let deviation = 20e-6 * f64::sqrt(2.0 * 1023.0 / 12.0 / 5000.0);
        assert!((mean - told).abs() < 5.0 * deviation, "{mean} s, told {told} s");
    }
}

/// Returns the plan with a spy that has this window, in segments.
fn window(plan: &Plan, segments: f64) -> Plan {
    let mut plan = spied(plan);
    if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
        config.initial_window = segments;
    }
    plan
}

// A radio link without errors carries 128 bytes per segment at 19.2 kbit/s and, with recovery, the link ACK
// of the TCP ACK. Its rate is lower if the window of the recovery is too small. The reported rate is that of
// a full window; the reported round trip is that of a window of one segment.
#[test]
fn the_oracle_computes_rate_and_rtt_of_radio_links() {
    let go_back = |group, window| ArqPlan::GoBackN { group, rules: rules(window, None) };
    let selective = ArqPlan::SelectiveRepeat { srej: true, rules: rules(8, None) };
    let recoveries = [
        ([ArqPlan::None, ArqPlan::None], 128.0 * 8.0 / 19.2),
        (recovery(None), 134.0 * 8.0 / 19.2),
        ([selective, ArqPlan::None], 128.0 * 8.0 / 19.2),
        // A frame, its ACK of 6 bytes, and twice 10 ms: for each frame, or for each block of three frames.
        ([go_back(RetransmissionGroup::Sliding, 1), ArqPlan::None], 134.0 * 8.0 / 19.2 + 20.0),
        (
            [go_back(RetransmissionGroup::Blocks, 3), ArqPlan::None],
            128.0 * 8.0 / 19.2 + (20.0 + 48.0 / 19.2) / 3.0,
        ),
    ];
    for (arq, cycle_ms) in recoveries {
        let plan = Mobile { arq: arq.clone(), ..Mobile::default() }.plan();
        let truth = truth_of(&plan);
        let kbps = truth.share_rate.bps() as f64 / 1e3;
        assert!((kbps - 88.0 * 8.0 / cycle_ms).abs() < 2e-3, "{arq:?}: told {kbps} kbit/s");
        let mut full = window(&plan, 20.0);
        full.warmup = Span::from_secs(20);
        let goodput = run(&full, 1).flows[0].goodput_mbps * 1e3;
        assert!((goodput / kbps - 1.0).abs() < 0.01, "{arq:?}: {goodput} kbit/s, told {kbps}");
        let lone = run(&window(&plan, 1.0), 1).flows[0].delivered_bytes / 88;
        let (rtt, told) = (100.0 / lone as f64, truth.base_rtt.secs_f64());
        assert!((rtt / told - 1.0).abs() < 0.003, "{arq:?}: {rtt} s, told {told}");
    }
}

// Datagrams use part of a radio link, and their link ACKs use part of the other direction. There are 2
// datagrams of 1000 bytes per second, headers included.
#[test]
fn udp_load_reduces_the_radio_link_capacity() {
    let plain = Mobile { arq: recovery(None), ..Mobile::default() }.plan();
    let cbr = Arc::new(CbrPlan { rate: Rate::from_bps(2 * 8 * 972) });
    let whole = mbps(truth_of(&plain));
    for (from, to, taken_ms) in [(1, 2, 1000.0 * 8.0 / 19.2), (2, 1, 6.0 * 8.0 / 19.2)] {
        let mut plan = plain.clone();
        plan.flows.push(udp("cbr", from, to, cbr.clone()));
        let share = mbps(truth_of(&plan)) / whole;
        assert!((share - (1.0 - 2.0 * taken_ms / 1e3)).abs() < 1e-3, "{from} to {to}: {share}");
    }
}
