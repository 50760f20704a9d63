//! Wired and radio links whose delivery opportunities are those of a recorded link (a trace of Mahimahi). The
//! bytes of each opportunity are tested in link_rate.rs of airhop-radio; these tests check that the links of
//! a network use the opportunities.

use crate::common::trace::{numbers, traced};
use crate::common::{hosts, run};
use airhop_base::{NodeId, Rate, Span};
use airhop_net::apps::{AppPlan, BulkPlan, CbrPlan};
use airhop_net::links::{RadioLinkPlan, WiredPlan};
use airhop_net::plan::{Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::{ArqPlan, ArqRules, RetransmissionGroup};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioPlan;
use airhop_radio::link_rate::{DeliveryTrace, LinkRate};
use airhop_tcp::Preset;
use std::sync::Arc;

const DELAY: Span = Span::from_millis(10);
const TRACE: &str = "0\n5\n5\n7\n20\n";

/// Returns the plan of a flow from a to b over one link.
fn plan(transport: Transport, app: Arc<dyn AppPlan>) -> Plan {
    hosts::hosts(Span::from_secs(10), transport, app)
}

fn pace() -> LinkRate {
    LinkRate::Deliveries(Arc::new(DeliveryTrace::parse(TRACE).expect("a good trace")))
}

fn wired(mut plan: Plan) -> Plan {
    plan.links.wired.push(WiredPlan {
        name: "w".into(),
        ends: [NodeId(0), NodeId(1)],
        rates: LinkRate::both_ways(pace()),
        delay: [DELAY; 2],
        queue: [QueuePlan::DropTail { packets: 100_000 }; 2],
        errors: [ErrorPlan::Clean, ErrorPlan::Clean],
        reorder: [None; 2],
    });
    plan
}

fn radio(mut plan: Plan, arq: &ArqPlan) -> Plan {
    plan.links.radios.push(RadioLinkPlan {
        link: RadioPlan {
            arq: [arq.clone(), ArqPlan::None],
            ..RadioPlan::new("air", ["a", "b"], pace(), DELAY)
        },
        nodes: [NodeId(0), NodeId(1)],
        queue: [QueuePlan::DropTail { packets: 100_000 }; 2],
    });
    plan
}

/// Returns a plan in which a whole window of segments is sent at the start. As IP datagrams they have `bytes`
/// bytes each.
fn backlog(bytes: u32) -> Plan {
    let mut config = Preset::Ns2.config(bytes - 40);
    config.initial_window = 1000.0;
    plan(hosts::tcp("newreno", config), Arc::new(BulkPlan))
}

/// Returns the arrival times of the first `many` segments, ms.
fn arrivals(plan: &Plan, many: usize) -> Vec<u64> {
    let (_, tables) = traced(plan, 1);
    numbers(&tables, "deliveries", "time_s").iter().take(many).map(|s| (s * 1e3).round() as u64).collect()
}

/// Returns link recovery with a window that is never full.
fn recovery() -> ArqPlan {
    let rules = ArqRules { window: 1000, timeout: Span::from_secs(5), max_attempts: None, ack_bytes: 6 };
    ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules }
}

#[test]
fn packets_depart_at_the_times_of_the_delivery_trace() {
    // Packets as large as an opportunity: one per opportunity. The opportunity at 0 ms is over when the first
    // packet arrives; when the trace is repeated, it is used, at 20 ms.
    let full = [5, 5, 7, 20, 20, 25, 25, 27, 40].map(|ms| ms + 10);
    // Packets half as large: two per opportunity.
    let halves = [5, 5, 5, 5, 7, 7, 20, 20, 20].map(|ms| ms + 10);
    for (bytes, expect) in [(1500, full), (748, halves)] {
        let plan = backlog(bytes);
        assert_eq!(arrivals(&wired(plan.clone()), 9), expect, "wired, {bytes} B");
        for arq in [ArqPlan::None, recovery()] {
            assert_eq!(arrivals(&radio(plan.clone(), &arq), 9), expect, "{arq:?}, {bytes} B");
        }
    }
}

/// Under overload the link carries its mean rate, 5 opportunities of 1504 B in 20 ms, whatever the size of
/// the packets. The 4 B of the header of a TUN device count for each packet, as in Mahimahi.
#[test]
fn a_saturated_trace_link_carries_its_mean_rate() {
    let mean = 5.0 * 1504.0 * 8.0 / 0.020 / 1e6;
    for payload in [24_u32, 100, 1000, 1472] {
        let app = Arc::new(CbrPlan { rate: Rate::from_bps(8_000_000) });
        let plan = plan(Transport::Udp { bytes: payload }, app);
        let expect = mean * f64::from(payload) / f64::from(payload + 32);
        for plan in [wired(plan.clone()), radio(plan.clone(), &ArqPlan::None), radio(plan, &recovery())] {
            let goodput = run(&plan, 1).flows[0].goodput_mbps;
            assert!((goodput / expect - 1.0).abs() < 0.005, "{payload} B: {goodput}, expected {expect}");
        }
    }
}
