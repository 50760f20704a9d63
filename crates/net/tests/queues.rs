//! Queue disciplines in networks: their drops and delays, and the effect of a flow's services on the queues
//! of its path.

use crate::common::trace::{queue_at, traced};
use crate::common::{LastHop, run, served_by};
use airhop_base::{NodeId, Rate, Time};
use airhop_net::Report;
use airhop_net::apps::CbrPlan;
use airhop_net::links::WiredPlan;
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::queues::{CodelPlan, FqCodelPlan, PiePlan, QueuePlan, RedPlan};
use airhop_radio::link_rate::LinkRate;
use std::sync::Arc;

const QUEUE: usize = 0;
const AQM: usize = 1;

const RED: RedPlan = RedPlan {
    capacity_packets: 50,
    min_threshold: 5.0,
    max_threshold: 15.0,
    max_p: 0.1,
    weight: 0.002,
    gentle: true,
    ecn: false,
    mean_packet_bytes: 500,
};

/// Returns a plan with one bulk flow over three wired hops and a cell without errors; a frame is sent at most
/// seven times.
fn clean(uplink: bool) -> Plan {
    LastHop { scheme: "newreno", fer: 0.0, attempts: 7, uplink, seconds: 60, ..LastHop::default() }.plan()
}

fn with_service(plan: &Plan, service: &str) -> Plan {
    let mut plan = plan.clone();
    for flow in &mut plan.flows {
        flow.services = served_by(&[service]);
    }
    plan
}

fn with_ecn(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    for flow in &mut plan.flows {
        if let Transport::Tcp { config, .. } = &mut flow.transport {
            config.ecn = true;
        }
    }
    plan
}

fn narrow(plan: &Plan, mbps: u64) -> Plan {
    let mut plan = plan.clone();
    plan.links.wired[1].rates = LinkRate::both_ways(Rate::from_bps(mbps * 1_000_000));
    plan
}

// RED keeps the average queue between its thresholds, so the queue does not overflow (Floyd and Jacobson
// 1993). It drops about as many packets early as a drop-tail queue drops by overflow.
#[test]
fn red_drops_early_at_wired_links_and_stations() {
    for (plan, place) in
        [(narrow(&clean(false), 2), "wire"), (clean(false), "base station"), (clean(true), "station")]
    {
        let drop_tail = run(&plan, 1);
        let mut red = plan.clone();
        red.links.wired.iter_mut().for_each(|w| w.queue = [QueuePlan::Red(RED); 2]);
        red.links.wlans[0].queue = QueuePlan::Red(RED);
        let red = run(&red, 1);
        assert!(drop_tail.drops[QUEUE] > 0 && drop_tail.drops[AQM] == 0, "{place}: {:?}", drop_tail.drops);
        assert!(red.drops[AQM] > 10, "{place}: {:?}", red.drops);
        // The first slow start is faster than RED's average (weight 0.002) can follow, so the queue overflows
        // then.
        assert!(red.drops[QUEUE] < red.drops[AQM], "{place}: {:?}", red.drops);
        let (less, more) = (red.flows[0].srtt_ms, drop_tail.flows[0].srtt_ms);
        assert!(less < more, "{place}: shorter queues, {less:?} and {more:?} ms");
        assert!(red.flows[0].judgements[0][1] > 0, "{place}: the true causes include early drops");
    }
}

// Two identical flows are on separate links. With drop-tail both have the same results. With RED each link
// has a random stream of its own, so the links do not affect each other.
#[test]
fn each_red_queue_has_the_random_stream_of_its_link() {
    let twins = |queue, pairs: u16| {
        let mut plan = narrow(&clean(false), 2);
        let (link, flow) = (plan.links.wired[1].clone(), plan.flows[0].clone());
        plan.links.wlans.clear();
        let ends = |i| [NodeId(2 * i), NodeId(2 * i + 1)];
        plan.nodes = (0..2 * pairs).map(|i| format!("n{i}")).collect();
        plan.links.wired = (0..pairs)
            .map(|i| WiredPlan { name: format!("w{i}"), ends: ends(i), queue: [queue; 2], ..link.clone() })
            .collect();
        let twin = |i| FlowPlan { from: ends(i)[0], to: ends(i)[1], name: format!("f{i}"), ..flow.clone() };
        plan.flows = (0..pairs).map(twin).collect();
        run(&plan, 1).flows.iter().map(|f| f.retransmissions).collect::<Vec<_>>()
    };
    let drop_tail = twins(QueuePlan::DropTail { packets: 50 }, 2);
    assert_eq!(drop_tail[0], drop_tail[1]);
    let red = twins(QueuePlan::Red(RED), 2);
    assert_ne!(red[0], red[1]);
    assert_eq!(red[0], twins(QueuePlan::Red(RED), 1)[0]);
}

// Routers and the base station mark packets (Xu, Tian and Ansari 2004). A sender that reacts to marks never
// fills a queue: packets are lost only in the first slow start, which fills the queue before the first mark
// is echoed.
#[test]
fn congestion_warning_replaces_drop_tail_of_wire_and_cell() {
    for (plan, place) in
        [(narrow(&clean(false), 2), "wire"), (clean(false), "base station"), (clean(true), "station")]
    {
        let ecn = with_ecn(&plan);
        let warned = with_service(&ecn, "congestion-warning");
        let (without, with) = (run(&ecn, 1), run(&warned, 1));
        assert!(without.drops[QUEUE] > with.drops[QUEUE], "{place}: {:?}, {:?}", without.drops, with.drops);
        assert!(
            with.flows[0].window_cuts > 5 && with.flows[0].fast_recoveries <= 1,
            "{place}: {:?}",
            with.flows[0]
        );
        let deaf = run(&with_service(&plan, "congestion-warning"), 1);
        assert_eq!(deaf.fingerprint, run(&plan, 1).fingerprint, "{place}: no transport understands marks");
    }
}

// A service replaces only drop-tail queues, and only on the path of the flow's data. A queue that the
// scenario sets remains.
#[test]
fn a_service_replaces_drop_tail_on_the_data_path_only() {
    let plan = with_ecn(&narrow(&clean(false), 2));
    let warned = with_service(&plan, "congestion-warning");
    let mut chosen = warned.clone();
    chosen.links.wired[1].queue = [QueuePlan::Red(RED); 2];
    let mut as_chosen = plan.clone();
    as_chosen.links.wired[1].queue = [QueuePlan::Red(RED); 2];
    assert_eq!(run(&chosen, 1).fingerprint, run(&as_chosen, 1).fingerprint);
    // The ACKs use the other direction of the same links. Datagrams of another flow fill its queues if it is
    // the bottleneck.
    let mut back = plan.clone();
    back.flows.push(FlowPlan {
        name: "back".into(),
        from: NodeId(4),
        to: NodeId(0),
        transport: Transport::Udp { bytes: 972 },
        app: Arc::new(CbrPlan { rate: Rate::from_bps(3_000_000) }),
        start: Time::ZERO,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("cbr"),
    });
    let mut back_warned = back.clone();
    back_warned.flows[0].services = warned.flows[0].services.clone();
    assert!(run(&back_warned, 1).drops[QUEUE] > 1000, "drop-tail towards the sender");
}

/// Returns the results of a run without its number of events and its queues, which differ between
/// disciplines: a drop-tail queue needs fewer events, and counts also the sojourn times of packets that are
/// in the queue at the end.
fn outcome(plan: &Plan) -> Report {
    Report { events: 0, queues: Vec::new(), ..run(plan, 1) }
}

// If all packets are marked "in", as by every scheme except Casablanca, the discipline of Biaz and Vaidya
// 2005 behaves as drop-tail.
#[test]
fn a_biased_queue_without_out_packets_is_drop_tail() {
    let plan = narrow(&clean(false), 2);
    assert_eq!(outcome(&with_service(&plan, "biased-queue")), outcome(&plan));
}

const CODEL: CodelPlan = CodelPlan { ecn: true, ..CodelPlan::RFC8289 };
const PIE: PiePlan = PiePlan { ecn: true, ..PiePlan::RFC8033 };

const fn fq_codel(codel: CodelPlan, flows: u16) -> QueuePlan {
    QueuePlan::FqCodel(FqCodelPlan { codel, quantum_bytes: 1514, queue_count: flows })
}

const fn fq(packets: usize) -> QueuePlan {
    QueuePlan::Fq { packets, quantum: 1514 }
}

/// Returns the plan with this discipline at both ends of all links.
fn everywhere(plan: &Plan, queue: QueuePlan) -> Plan {
    let mut plan = plan.clone();
    plan.links.wired.iter_mut().for_each(|w| w.queue = [queue; 2]);
    plan.links.wlans[0].queue = queue;
    plan
}

/// Returns the plan with a copy of its first flow for each of these segment lengths.
fn with_segments(plan: &Plan, segments: &[u32]) -> Plan {
    let mut plan = plan.clone();
    let first = plan.flows.remove(0);
    plan.flows = (0..)
        .zip(segments)
        .map(|(i, &segment)| {
            let mut flow = FlowPlan { name: format!("f{i}"), ..first.clone() };
            if let Transport::Tcp { config, .. } = &mut flow.transport {
                config.mss = segment;
            }
            flow
        })
        .collect();
    plan
}

/// Returns Jain's index of the flows (Jain, Chiu and Hawe 1984): 1 for equal shares, 1/n if one flow has
/// everything.
fn fairness(report: &Report) -> f64 {
    let shares: Vec<f64> = report.flows.iter().map(|flow| flow.goodput_mbps).collect();
    let sum: f64 = shares.iter().sum();
    sum * sum / (shares.len() as f64 * shares.iter().map(|share| share * share).sum::<f64>())
}

fn goodput(report: &Report) -> f64 {
    report.flows.iter().map(|flow| flow.goodput_mbps).sum()
}

/// Queue before the bottleneck, from the trace of a run.
struct Narrow {
    /// Queue length after each change: time in seconds, and packets.
    lengths: Vec<(f64, f64)>,
}

impl Narrow {
    /// Serialisation time of a packet of 1040 bytes at 2 Mbit/s, ms.
    const PACKET_MS: f64 = 4.16;

    fn new(plan: &Plan) -> Self {
        let rows = queue_at(&traced(plan, 1).1, "r1->r2").into_iter();
        Narrow { lengths: rows.map(|(t, packets)| (t, f64::from(packets))).collect() }
    }

    /// Returns the mean queueing delay from time `from` on, ms.
    fn mean_wait(&self, from: f64) -> f64 {
        let steps = self.lengths.windows(2).filter(|w| w[0].0 >= from);
        let (area, time) = steps.fold((0.0, 0.0), |(area, time), w| {
            let lasts = w[1].0 - w[0].0;
            (area + lasts * w[0].1, time + lasts)
        });
        area / time * Self::PACKET_MS
    }

    /// Returns the fraction of intervals of 100 ms in which every packet has a queueing delay of at least
    /// `ms`.
    fn standing(&self, from: f64, to: f64, ms: f64) -> f64 {
        let windows = ((to - from) / 0.1) as usize;
        let stands = |i: usize| {
            let (begin, end) = (from + 0.1 * i as f64, from + 0.1 * (i + 1) as f64);
            let first = self.lengths.partition_point(|(t, _)| *t <= begin).saturating_sub(1);
            let within = self.lengths[first..].iter().take_while(|(t, _)| *t < end);
            within.map(|(_, packets)| packets * Self::PACKET_MS).fold(f64::INFINITY, f64::min) > ms
        };
        (0..windows).filter(|&i| stands(i)).count() as f64 / windows as f64
    }
}

/// Returns disciplines that drop packets before the queue is full, without ECN marks.
fn of_today() -> [QueuePlan; 3] {
    let codel = CodelPlan { ecn: false, ..CODEL };
    [QueuePlan::Codel(codel), fq_codel(codel, 1024), QueuePlan::Pie(PiePlan { ecn: false, ..PIE })]
}

// Disciplines that drop before the queue is full limit the delay (RFC 8289, 8290, 8033), on wired links and
// in stations, where the rate varies.
#[test]
fn aqm_limits_delay_at_wired_links_and_stations() {
    for (plan, place) in
        [(narrow(&clean(false), 2), "wire"), (clean(false), "base station"), (clean(true), "station")]
    {
        let drop_tail = run(&plan, 1);
        for queue in of_today() {
            let controlled = run(&everywhere(&plan, queue), 1);
            let drops = controlled.drops;
            assert!(drops[AQM] > 10 && drops[QUEUE] == 0, "{place}, {queue:?}: {drops:?}");
            let [less, more] = [&controlled, &drop_tail].map(|r| r.flows[0].srtt_ms.expect("a sample"));
            assert!(less < 0.8 * more, "{place}, {queue:?}: {less} and {more} ms");
            assert!(goodput(&controlled) > 0.8 * goodput(&drop_tail), "{place}, {queue:?}");
            assert!(controlled.flows[0].judgements[0][1] > 0, "{place}: the true causes include early drops");
        }
    }
}

// CoDel avoids a standing queue (RFC 8289 §3.2). One Reno flow keeps a drop-tail queue filled. With CoDel, in
// nearly every interval of 100 ms at least one packet waits less than twice the target.
#[test]
fn codel_avoids_a_standing_queue() {
    let plan = narrow(&clean(false), 2);
    assert_eq!(Narrow::new(&plan).standing(10.0, 60.0, 10.0), 1.0, "drop-tail");
    let narrow = Narrow::new(&everywhere(&plan, QueuePlan::Codel(CODEL)));
    assert!(narrow.standing(10.0, 60.0, 10.0) < 0.02);
    assert!((1.0..5.0 + Narrow::PACKET_MS).contains(&narrow.mean_wait(10.0)), "{}", narrow.mean_wait(10.0));
}

// A controller with an integral term has no steady-state error (RFC 8033 §4.2): the mean delay is the target
// for any number of flows.
#[test]
fn pie_keeps_the_mean_delay_at_its_target() {
    let plan = narrow(&clean(false), 2);
    for flows in [1, 4, 12] {
        let plan = everywhere(&with_segments(&plan, &vec![1000; flows]), QueuePlan::Pie(PIE));
        let wait = Narrow::new(&plan).mean_wait(10.0);
        assert!((wait - 15.0).abs() < 5.0, "{flows} flows: {wait} ms");
    }
}

// If queues mark packets instead of dropping them, senders that react to marks lose no packet (RFC 3168). PIE
// is an exception: it drops packets when it would mark more than one in ten (RFC 8033 §5.1), as in slow
// start, which is not counted here. The response to a mark is "essentially the same" as to a drop (RFC 3168
// §5). A flow with marks needs no retransmissions, but does not increase its window while marks are echoed.
// Its goodput differs from that of a flow with drops by a few hundredths, because the reductions occur at
// other times.
#[test]
fn ecn_marks_replace_drops_at_the_same_goodput() {
    let mut plan = narrow(&clean(false), 2);
    for flow in &mut plan.flows {
        if let Transport::Tcp { config, .. } = &mut flow.transport {
            config.initial_ssthresh = 10.0;
        }
    }
    for queue in [QueuePlan::Codel(CODEL), fq_codel(CODEL, 1024), QueuePlan::Pie(PIE)] {
        let [deaf, heeding] = [plan.clone(), with_ecn(&plan)].map(|plan| run(&everywhere(&plan, queue), 1));
        assert!(
            deaf.drops[AQM] > 20 && heeding.drops[AQM] == 0,
            "{queue:?}: {:?}",
            (&deaf.drops, &heeding.drops)
        );
        assert!(heeding.flows[0].window_cuts > 20, "{queue:?}: {:?}", heeding.flows[0]);
        let ratio = goodput(&heeding) / goodput(&deaf);
        assert!((ratio - 1.0).abs() < 0.03, "{queue:?}: {ratio}");
    }
}

// With deficit round robin (Shreedhar and Varghese 1995), flows that always have data receive equal shares of
// the bytes on the wire. With a single queue, flows with long segments receive more.
#[test]
fn fair_queueing_shares_bytes_for_any_segment_size() {
    let plan = with_segments(&narrow(&clean(false), 2), &[1400, 1000, 700, 500, 300]);
    let index = |queue| fairness(&run(&everywhere(&plan, queue), 1));
    assert!(index(QueuePlan::DropTail { packets: 50 }) < 0.8);
    for queue in [fq(50), fq_codel(CODEL, 1024)] {
        // Not exactly 1: the shares of the bytes on the wire are equal, but headers of 40 bytes cost a flow with
        // short segments a larger part of its goodput.
        assert!(index(queue) > 0.99, "{queue:?}: {}", index(queue));
    }
    assert!(index(fq_codel(CODEL, 1)) < 0.98, "all in one queue");
}

// Datagrams arrive at twice the rate of the link. With fair queueing they receive half of the capacity, with
// other queues nearly all of it.
#[test]
fn fair_queueing_limits_a_udp_flood_to_its_share() {
    let mut plan = narrow(&clean(false), 2);
    plan.flows.push(FlowPlan {
        name: "flood".into(),
        transport: Transport::Udp { bytes: 972 },
        app: Arc::new(CbrPlan { rate: Rate::from_bps(4_000_000) }),
        services: Vec::new(),
        class: FlowClass::OfKind("cbr"),
        ..plan.flows[0].clone()
    });
    let left = |queue| run(&everywhere(&plan, queue), 1).flows[0].goodput_mbps;
    for queue in [QueuePlan::DropTail { packets: 50 }, QueuePlan::Codel(CODEL), QueuePlan::Pie(PIE)] {
        assert!(left(queue) < 0.1, "{queue:?}: {}", left(queue));
    }
    assert!((left(fq(50)) - 1000.0 / 1040.0).abs() < 0.05, "{}", left(fq(50)));
    // CoDel reduces the goodput of a single flow, because the bandwidth-delay product is only 8 packets.
    assert!(left(fq_codel(CODEL, 1024)) > 0.7, "{}", left(fq_codel(CODEL, 1024)));
}

// Fair queueing has no effect on a single flow. FQ-CoDel with one queue behaves as CoDel (RFC 8290 §1.3).
#[test]
fn fair_queueing_does_not_change_a_single_flow() {
    let plan = narrow(&clean(false), 2);
    let with = |queue| outcome(&everywhere(&plan, queue));
    assert_eq!(with(fq(50)), with(QueuePlan::DropTail { packets: 50 }));
    let two = with_segments(&plan, &[1000, 500]);
    let with = |queue| run(&everywhere(&two, queue), 1);
    assert_eq!(with(fq_codel(CODEL, 1)), with(QueuePlan::Codel(CODEL)));
}
