//! Classes of flows: their names and their results.

use crate::common::{LastHop, hosts, run};
use airhop_base::{NodeId, Span};
use airhop_net::Report;
use airhop_net::apps::{ConnectionReuse, Distribution, RequestArrivals, RequestResponsePlan};
use airhop_net::links::Links;
use airhop_net::plan::{FlowClass, FlowPlan, Plan};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use std::sync::Arc;

fn names(report: &Report) -> Vec<&str> {
    report.classes.iter().map(|class| &*class.name).collect()
}

// The class of data from a base station to a mobile is "down", that of other data is "up". A name in the
// scenario is used as it is.
#[test]
fn a_class_name_states_the_wireless_direction() {
    let mut plan = LastHop { seconds: 2, ..LastHop::default() }.plan();
    let down = plan.flows[0].clone();
    let named = FlowPlan { class: FlowClass::Named("backup".into()), ..down.clone() };
    let back = FlowPlan { from: down.to, to: down.from, ..down.clone() };
    let wired = FlowPlan { to: NodeId(1), ..down.clone() };
    plan.flows.extend([back, named, wired]);
    plan.flows.iter_mut().zip(["down", "up", "named", "wired"]).for_each(|(f, name)| f.name = name.into());
    let report = run(&plan, 1);
    assert_eq!(names(&report), ["bulk down", "bulk up", "backup", "bulk"]);
    assert!(report.flows.iter().map(|flow| &*flow.class).eq(names(&report)));
}

// The goodput of a class is the sum of the goodput of its flows. A class with one flow has the delays of the
// flow, also after a warm-up, and a fairness index of 1.
#[test]
fn class_goodput_sums_its_flows_after_the_warm_up() {
    let mut plan = LastHop { seconds: 10, flows: 3, ..LastHop::default() }.plan();
    plan.warmup = Span::from_secs(4);
    plan.flows[2].class = FlowClass::Named("alone".into());
    let report = run(&plan, 1);
    let [bulk, alone] = &report.classes[..] else { panic!("two classes") };
    let [a, b, c] = &report.flows[..] else { panic!("three flows") };
    assert_eq!((bulk.flows, bulk.goodput_mbps), (2, a.goodput_mbps + b.goodput_mbps));
    let squares = a.goodput_mbps.powi(2) + b.goodput_mbps.powi(2);
    assert_eq!(bulk.jain, Some(bulk.goodput_mbps.powi(2) / (2.0 * squares)));
    assert_eq!((alone.jain, alone.goodput_mbps, alone.delay_ms), (Some(1.0), c.goodput_mbps, c.delay_ms));
    let [a, b] = [a, b].map(|flow| flow.delay_ms.expect("data arrived"));
    let all = bulk.delay_ms.expect("data arrived");
    assert_eq!((all.min_ms, all.max_ms), (a.min_ms.min(b.min_ms), a.max_ms.max(b.max_ms)));
    assert!((a.mean_ms.min(b.mean_ms)..=a.mean_ms.max(b.mean_ms)).contains(&all.mean_ms));
}

// The application opens a flow for its requests, in the opposite direction of the responses. Requests and
// responses are one class and one flow of the scenario, which has the completion times. If each request uses
// a new connection, the flow of the scenario has all connections. Over a wireless hop the class has the
// direction of the responses.
#[test]
fn flows_that_an_application_opens_belong_to_its_class() {
    let wire = hosts::wire(10, Span::from_millis(5), 100, ErrorPlan::Clean);
    let sender = hosts::tcp("newreno", Preset::Ns2.config(1000));
    let wired = Plan {
        links: Links { wired: vec![wire], ..Links::default() },
        ..hosts::hosts(Span::from_secs(5), sender, Arc::new(requests(ConnectionReuse::Reused)))
    };
    let wireless = LastHop { seconds: 5, ..LastHop::default() }.plan();
    for (mut plan, name) in [(wired, "requests"), (wireless, "requests down")] {
        plan.flows[0].class = FlowClass::OfKind("requests");
        for connections in [ConnectionReuse::Reused, ConnectionReuse::New] {
            plan.flows[0].app = Arc::new(requests(connections));
            let report = run(&plan, 1);
            assert_eq!(names(&report), [name], "{connections:?}");
            let [class] = &report.classes[..] else { panic!("one class") };
            assert_eq!((report.flows.len(), class.flows, class.jain), (2, 1, Some(1.0)), "{connections:?}");
            assert_eq!(class.completion_ms, report.flows[0].completion_ms);
            assert!(class.completion_ms.is_some_and(|completion| completion.count > 10));
            assert_eq!(class.goodput_mbps, report.flows[0].goodput_mbps + report.flows[1].goodput_mbps);
        }
    }
}

/// Requests of 200 bytes, each 0.1 s after the response of 2000 bytes to the last.
fn requests(connections: ConnectionReuse) -> RequestResponsePlan {
    let [request, response, think] = [200.0, 2000.0, 0.1].map(Distribution::Constant);
    RequestResponsePlan {
        request_size: request,
        response_size: response,
        arrivals: RequestArrivals::Closed(think),
        connections,
    }
}
