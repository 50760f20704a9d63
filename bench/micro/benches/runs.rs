//! Whole runs: the last hop of Yun 2009 under several schemes and losses, a chain of eight hops, and a dumbbell of ever more flows.
//! `cargo bench -p airhop-bench --bench runs`; the rate that criterion prints is delivered segments per second, for the dumbbell sent
//! ones: many flows lose a lot when they begin.

#[path = "../../../crates/net/tests/common/mod.rs"]
mod common;

use airhop_net::plan::{Plan, RoutingPlan};
use airhop_net::routing::AodvPlan;
use common::chain::Chain;
use common::{LastHop, dumbbell, run};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};

/// Measures runs of a plan, in segments.
fn measure(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, plan: &Plan, segments: u64) {
    group.throughput(Throughput::Elements(segments));
    group.bench_function(name, |b| b.iter(|| run(plan, 1)));
}

fn last_hop(c: &mut Criterion) {
    let mut group = c.benchmark_group("last hop");
    group.sample_size(20);
    for scheme in ["reno", "sack", "snoop", "ll-elsn"] {
        for fer in [0.0, 0.01, 0.1] {
            let plan = LastHop { scheme, fer, seconds: 50, ..LastHop::default() }.plan();
            let segments = run(&plan, 1).flows[0].delivered_bytes / 1000;
            measure(&mut group, &format!("{scheme}, {} % of frames lost", fer * 100.0), &plan, segments);
        }
    }
    group.finish();
}

fn chain(c: &mut Criterion) {
    let mut group = c.benchmark_group("chain");
    group.sample_size(20);
    for hops in [1, 4, 8] {
        let chain = Chain { seconds: 10, ..Chain::new(hops, "newreno", RoutingPlan::Aodv(AodvPlan::NS2)) };
        let segments = run(&chain.plan(), 1).flows[0].delivered_bytes / 1000;
        measure(&mut group, &format!("{hops} hops"), &chain.plan(), segments);
    }
    group.finish();
}

fn dumbbells(c: &mut Criterion) {
    let mut group = c.benchmark_group("dumbbell");
    group.sample_size(10);
    for flows in [1, 10, 100, 1_000, 10_000] {
        let plan = dumbbell::plan(flows, 2);
        let sent = run(&plan, 1).flows.iter().map(|flow| flow.sent_segments).sum();
        measure(&mut group, &format!("{flows} flows"), &plan, sent);
    }
    group.finish();
}

criterion_group!(benches, last_hop, chain, dumbbells);
criterion_main!(benches);
