//! Wired dumbbell, as in the packaged scenario `dumbbell`: many bulk flows, each between two hosts of its
//! own, share one link of 1 Gbit/s.

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::links::{Links, WiredPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_tcp::{Params, Preset};
use std::sync::Arc;

/// Returns a plan with `flows` flows. Their starts are spread over 100 ms (100 flows) or over a second (more
/// flows).
pub fn plan(flows: u16, seconds: u64) -> Plan {
    let gap = Span::from_micros(if flows > 100 { 1_000_000 / u64::from(flows) } else { 1000 });
    let scheme = airhop_tcp::find_scheme("sack").expect("a known scheme");
    let mut config = Preset::Rfc.config(1000);
    config.delayed_ack = None;
    // Order of the nodes: the two routers, the two hosts of the first flow, those of the second flow, and so
    // on.
    let [left, right] = [NodeId(0), NodeId(1)];
    let mut nodes: Vec<String> = ["left", "right"].map(String::from).to_vec();
    let mut wired = vec![wire("bottleneck".into(), [left, right], 20)];
    let mut all = Vec::new();
    for i in 0..flows {
        let [from, to] = [2 + 2 * i, 3 + 2 * i].map(NodeId);
        nodes.extend([format!("s{}", i + 1), format!("d{}", i + 1)]);
        wired.push(wire(format!("in{}", i + 1), [from, left], 1));
        wired.push(wire(format!("out{}", i + 1), [right, to], 1));
        all.push(FlowPlan {
            name: format!("f{}", i + 1),
            from,
            to,
            transport: Transport::Tcp { scheme, params: Params::defaults(scheme), config },
            app: Arc::new(BulkPlan),
            start: Time::ZERO + gap * u64::from(i),
            access_category: Default::default(),
            services: Vec::new(),
            class: FlowClass::OfKind("bulk"),
        });
    }
    Plan {
        name: "dumbbell".into(),
        duration: Span::from_secs(seconds),
        warmup: Span::ZERO,
        nodes,
        links: Links { wired, ..Links::default() },
        flows: all,
    }
}

fn wire(name: String, ends: [NodeId; 2], delay_ms: u64) -> WiredPlan {
    WiredPlan {
        name,
        ends,
        rates: LinkRate::both_ways(Rate::from_bps(1_000_000_000)),
        delay: [Span::from_millis(delay_ms); 2],
        queue: [QueuePlan::DropTail { packets: 1000 }; 2],
        errors: [ErrorPlan::Clean, ErrorPlan::Clean],
        reorder: [None; 2],
    }
}
