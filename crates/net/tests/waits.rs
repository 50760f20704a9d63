//! Times that packets spend in queues.

use crate::common::{LastHop, hosts, run};
use airhop_base::{Rate, Span};
use airhop_net::DelaySummary;
use airhop_net::apps::{CbrPlan, TransferPlan};
use airhop_net::links::{Links, WiredPlan};
use airhop_net::plan::{FlowPlan, Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use std::sync::Arc;

/// Returns a plan with two equal streams of datagrams, 1000 bytes each with headers, over a wire of 10
/// Mbit/s.
fn streams(queue: QueuePlan) -> Plan {
    let wire = hosts::wire(10, Span::from_millis(1), 100, ErrorPlan::Clean);
    let app = Arc::new(CbrPlan { rate: Rate::from_bps(1_000_000) });
    let plan = hosts::hosts(Span::from_secs(10), Transport::Udp { bytes: 972 }, app);
    let twin = FlowPlan { name: "g".into(), ..plan.flows[0].clone() };
    let wired = vec![WiredPlan { queue: [queue; 2], ..wire }];
    let flows = vec![plan.flows[0].clone(), twin];
    Plan { links: Links { wired, ..Links::default() }, flows, ..plan }
}

fn wait(plan: &Plan) -> DelaySummary {
    run(plan, 1).queues[0].wait_ms.0.expect("packets left the queue")
}

// Computed by hand: two packets arrive together. The first is sent immediately, and the second waits for one
// serialisation time, 0.8 ms. This holds for a drop-tail queue, whose departures are known on arrival, and
// for a queue with a discipline. The run ends between the two packets of the last pair: a drop-tail queue
// counts a packet when it enters, the other queue when it leaves.
#[test]
fn the_second_of_two_packets_waits_for_one_transmission() {
    for queue in [QueuePlan::DropTail { packets: 100 }, QueuePlan::Fq { packets: 100, quantum: 1500 }] {
        let report = run(&streams(queue), 1);
        let [ahead] = &report.queues[..] else { panic!("no packet returns: {:?}", report.queues) };
        assert_eq!((ahead.name.as_str(), ahead.marked), ("a->b", None));
        let found = ahead.wait_ms.0.expect("packets left the queue");
        assert_eq!((found.min_ms, found.p50_ms, found.max_ms), (0.0, 0.0, 0.8));
        let sent = report.flows[0].sent_segments as f64;
        let waited = if matches!(queue, QueuePlan::DropTail { .. }) { sent } else { sent - 1.0 };
        assert!((found.mean_ms - 0.8 * waited / (sent + waited)).abs() < 1e-9, "{found:?}");
        assert!((0.8..=0.808).contains(&found.p95_ms), "{found:?}");
    }
}

// A transfer that ends during the warm-up fills the queue of the wire.
#[test]
fn queue_waits_exclude_the_warm_up() {
    let mut plan = streams(QueuePlan::DropTail { packets: 100 });
    plan.flows[1].transport = hosts::tcp("newreno", Preset::Ns2.config(1000));
    plan.flows[1].app = Arc::new(TransferPlan { bytes: 200_000 });
    assert!(wait(&plan).max_ms > 2.0);
    plan.warmup = Span::from_secs(5);
    assert_eq!(wait(&plan).max_ms, 0.0);
}

// Queue of an interface: segments of a download wait before the cell, and ACKs wait less at the other end.
// The one-way delay of a segment exceeds its wait.
#[test]
fn download_segments_wait_longer_than_acks_at_a_cell() {
    let plan = LastHop { fer: 0.0, attempts: 7, seconds: 20, ..LastHop::default() }.plan();
    let report = run(&plan, 1);
    let of = |name: &str| {
        let queue = report.queues.iter().find(|queue| queue.name == name).expect("a queue");
        queue.wait_ms.0.expect("packets left the queue")
    };
    let station = |node: u16| plan.nodes[usize::from(node)].clone();
    let down = of(&format!("{}->{}", station(3), station(4)));
    let up = of(&format!("{}->{}", station(4), station(3)));
    let delay = report.flows[0].delay_ms.expect("data arrived");
    assert!(
        down.mean_ms > up.mean_ms && up.mean_ms > 0.0 && down.p50_ms < delay.p50_ms,
        "{down:?} {up:?} {delay:?}"
    );
}
