//! Queue disciplines at work: who is dropped where, and what a flow's services make of the queues on its way.

mod common;
use airhop_base::{NodeId, Rate, Time};
use airhop_net::plan::{AppPlan, FlowPlan, Plan, QueuePlan, RedPlan, Transport, WiredPlan};
use airhop_net::services;
use common::{LastHop, run};

const QUEUE: usize = 0;
const AQM: usize = 1;

const RED: RedPlan = RedPlan {
    packets: 50,
    min: 5.0,
    max: 15.0,
    max_p: 0.1,
    weight: 0.002,
    gentle: true,
    ecn: false,
    mean_packet: 500,
};

/// One bulk flow over three wired hops and a cell without errors, every frame sent up to seven times.
fn clean(uplink: bool) -> Plan {
    LastHop { scheme: "newreno", fer: 0.0, attempts: 7, uplink, seconds: 60, ..LastHop::default() }.plan()
}

fn with_service(plan: &Plan, service: &str) -> Plan {
    let mut plan = plan.clone();
    for flow in &mut plan.flows {
        flow.services = vec![services::find(service).expect("a service")];
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
    plan.wired[1].pace = Rate::from_bps(mbps * 1_000_000).into();
    plan
}

// Floyd and Jacobson 1993: RED keeps the average queue between its thresholds, so that nothing overflows; what drop-tail loses in
// the queue, RED loses early.
#[test]
fn red_drops_early_in_wired_links_and_in_stations() {
    for (plan, place) in
        [(narrow(&clean(false), 2), "wire"), (clean(false), "base station"), (clean(true), "station")]
    {
        let drop_tail = run(&plan, 1);
        let mut red = plan.clone();
        red.wired.iter_mut().for_each(|w| w.queue = QueuePlan::Red(RED));
        red.wlans[0].queue = QueuePlan::Red(RED);
        let red = run(&red, 1);
        assert!(drop_tail.drops[QUEUE] > 0 && drop_tail.drops[AQM] == 0, "{place}: {:?}", drop_tail.drops);
        assert!(red.drops[AQM] > 10, "{place}: {:?}", red.drops);
        // The first slow start is quicker than the average (weight 0.002).
        assert!(red.drops[QUEUE] < red.drops[AQM], "{place}: {:?}", red.drops);
        let (less, more) = (red.flows[0].srtt_ms, drop_tail.flows[0].srtt_ms);
        assert!(less < more, "{place}: shorter queues, {less:?} and {more:?} ms");
        assert!(red.flows[0].judgements[0][1] > 0, "{place}: true causes know of early drops");
    }
}

// Twins on links of their own, alike but for the names: drop-tail treats them alike, RED has its own dice for each link; and what
// happens on one link does not depend on the other.
#[test]
fn a_red_queue_has_randomness_of_its_own_link() {
    let twins = |queue, pairs: u16| {
        let mut plan = narrow(&clean(false), 2);
        let (link, flow) = (plan.wired[1].clone(), plan.flows[0].clone());
        plan.wlans.clear();
        let ends = |i| [NodeId(2 * i), NodeId(2 * i + 1)];
        plan.nodes = (0..2 * pairs).map(|i| format!("n{i}")).collect();
        plan.wired = (0..pairs)
            .map(|i| WiredPlan { name: format!("w{i}"), ends: ends(i), queue, ..link.clone() })
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

// schemes.md 2.8: routers and base station mark. A sender that heeds marks then never fills a queue: nothing is lost after the
// first slow start, where the queue is full before the first echo is back.
#[test]
fn congestion_warning_replaces_drop_tail_queues_of_wire_and_cell() {
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

// What the scenario chose stays: a service changes drop-tail queues only, and only those that the flow's data meet.
#[test]
fn a_service_replaces_drop_tail_queues_on_the_way_of_the_data_only() {
    let plan = with_ecn(&narrow(&clean(false), 2));
    let warned = with_service(&plan, "congestion-warning");
    let mut chosen = warned.clone();
    chosen.wired[1].queue = QueuePlan::Red(RED);
    let mut as_chosen = plan.clone();
    as_chosen.wired[1].queue = QueuePlan::Red(RED);
    assert_eq!(run(&chosen, 1).fingerprint, run(&as_chosen, 1).fingerprint);
    // The way back has the same links; its queues fill if it is the one that is narrow, with datagrams of another flow.
    let mut back = plan.clone();
    back.flows.push(FlowPlan {
        name: "back".into(),
        from: NodeId(4),
        to: NodeId(0),
        transport: Transport::Udp { bytes: 972 },
        app: AppPlan::Cbr { rate: Rate::from_bps(3_000_000) },
        start: Time::ZERO,
        services: Vec::new(),
    });
    let mut back_warned = back.clone();
    back_warned.flows[0].services = warned.flows[0].services.clone();
    assert!(run(&back_warned, 1).drops[QUEUE] > 1000, "drop-tail back");
}

// Biaz and Vaidya 2005, with all packets "in", as every scheme but Casablanca sends them: drop-tail.
#[test]
fn a_biased_queue_is_drop_tail_for_equals() {
    let plan = narrow(&clean(false), 2);
    assert_eq!(run(&with_service(&plan, "biased-queue"), 1), run(&plan, 1));
}
