//! Routes found on demand, in whole worlds.

mod common;
use airhop_net::plan::{AodvPlan, RoutingPlan};
use common::{chain::Chain, run};

#[test]
#[ignore = "a measurement"]
fn table() {
    let reps: u64 = std::env::var("REPS").ok().and_then(|s| s.parse().ok()).unwrap_or(5);
    for (name, routing) in [
        ("ns2", RoutingPlan::Aodv(AodvPlan::NS2)),
        ("rfc", RoutingPlan::Aodv(AodvPlan::RFC3561)),
        ("static", RoutingPlan::Static),
    ] {
        for hops in 1..=8 {
            let chain = Chain { hops, scheme: "reno", seconds: 100, routing, errors: vec![] };
            let mut sum = vec![];
            for rep in 0..reps {
                let r = run(&chain.plan(), rep + 1);
                if rep == 0 {
                    println!(
                        "{:?} {:?} to {} rx {} ev {}",
                        r.drops, r.routing, r.flows[0].timeouts, r.flows[0].retransmissions, r.events
                    );
                }
                sum.push(r.flows[0].goodput_mbps * 100.0 / 99.5);
            }
            let mean = sum.iter().sum::<f64>() / reps as f64;
            println!("{name} {hops} {mean:.2} {sum:.2?}");
        }
    }
}
