//! Two hosts, "a" and "b", and one flow "f" from a to b.

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::apps::AppPlan;
use airhop_net::links::{Links, WiredPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_tcp::{Config, Params};
use std::sync::Arc;

/// Returns a plan with the hosts "a" and "b" and no link between them.
pub fn hosts(duration: Span, transport: Transport, app: Arc<dyn AppPlan>) -> Plan {
    Plan {
        name: "hosts".into(),
        duration,
        warmup: Span::ZERO,
        nodes: vec!["a".into(), "b".into()],
        links: Links::default(),
        flows: vec![FlowPlan {
            name: "f".into(),
            from: NodeId(0),
            to: NodeId(1),
            transport,
            app,
            start: Time::ZERO,
            access_category: Default::default(),
            services: Vec::new(),
            class: FlowClass::OfKind("bulk"),
        }],
    }
}

/// Returns a wire between the hosts, with errors in the direction to b.
pub fn wire(mbps: u64, delay: Span, packets: usize, errors: ErrorPlan) -> WiredPlan {
    WiredPlan {
        name: "w".into(),
        ends: [NodeId(0), NodeId(1)],
        rates: LinkRate::both_ways(Rate::from_bps(mbps * 1_000_000)),
        delay: [delay; 2],
        queue: [QueuePlan::DropTail { packets }; 2],
        errors: [errors, ErrorPlan::Clean],
        reorder: [None; 2],
    }
}

/// Returns a TCP transport of this scheme, with the default parameters.
pub fn tcp(scheme: &str, config: Config) -> Transport {
    tcp_with(scheme, &[], config)
}

/// Returns a TCP transport of this scheme with these parameters; other parameters have their
/// defaults.
pub fn tcp_with(scheme: &str, given: &[(&str, f64)], config: Config) -> Transport {
    let scheme = airhop_tcp::find_scheme(scheme).expect("a known scheme");
    let mut params = Params::defaults(scheme);
    given
        .iter()
        .for_each(|&(name, value)| params.set(scheme, name, value).expect("a parameter of the scheme"));
    Transport::Tcp { scheme, params, config }
}
