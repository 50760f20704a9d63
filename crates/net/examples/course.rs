//! One run of a course (scenario) of `airhop bench`, as a program without Python, for use with a profiler:
//!
//! ```text
//! cargo build --release -p airhop-net --example course
//! valgrind --tool=callgrind target/release/examples/course dumbbell 1 100      # course, seconds, flows
//! ```

#[path = "../tests/common/mod.rs"]
mod common;

use airhop_net::World;
use airhop_net::plan::{Plan, RoutingPlan};
use airhop_net::routing::AodvPlan;
use common::chain::Chain;
use common::{LastHop, dumbbell};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |place: usize, default: u64| {
        words.get(place).map_or(default, |word| word.parse().expect("a whole number"))
    };
    let plan = course(words.get(1).map_or("last-hop", String::as_str), number(2, 10), number(3, 100) as u16);
    let mut world = World::new(&plan, 1, 0, None).expect("a plan with routes");
    let begin = Instant::now();
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    let seconds = begin.elapsed().as_secs_f64();
    let report = world.report();
    let sent: u64 = report.flows.iter().map(|flow| flow.sent_segments).sum();
    let delivered: u64 = report.flows.iter().map(|flow| flow.delivered_bytes).sum();
    println!(
        "{:016x}: {} events, {sent} segments sent, {delivered} bytes delivered; in {seconds:.3} s, {:.0} ns per segment sent, \
         {:.0} ns per event",
        report.fingerprint,
        report.events,
        seconds * 1e9 / sent as f64,
        seconds * 1e9 / report.events as f64,
    );
}

fn course(name: &str, seconds: u64, flows: u16) -> Plan {
    match name {
        "last-hop" => LastHop { control_mbps: 11.0, seconds, ..LastHop::default() }.plan(),
        "chain" => {
            let mut chain = Chain::new(8, "newreno", RoutingPlan::Aodv(AodvPlan::NS2));
            chain.config.mss = 1460;
            chain.config.receive_window = 146_000;
            chain.seconds = seconds;
            chain.cell.control_rate = airhop_base::Rate::from_bps(6_000_000);
            chain.plan()
        }
        "dumbbell" => dumbbell::plan(flows, seconds),
        _ => panic!("expected last-hop, chain or dumbbell"),
    }
}
