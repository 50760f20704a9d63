//! What a data frame exchange costs: saturated stations, 802.11b, basic access. `cargo bench -p airhop-bench --bench dcf`; the rate that
//! criterion prints is packets delivered per second.
#[path = "../../../crates/radio/tests/harness/mod.rs"]
mod harness;

use airhop_base::{Span, Time};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use harness::{World, plan};

/// Simulated time of one measurement.
const DURATION: Span = Span::from_secs(10);

/// A world in which stations 0 and 1 exchange packets, as in a TCP transfer, and the others talk to station 0.
fn saturated(stations: usize) -> World {
    let mut world = World::new(&plan(stations), 1);
    world.keep = false;
    world.saturate(0, 1, 1040);
    (1..stations as u16).for_each(|s| world.saturate(s, 0, 1040));
    world
}

fn exchanges(c: &mut Criterion) {
    let mut group = c.benchmark_group("saturated");
    for stations in [2, 20] {
        let mut once = saturated(stations);
        once.run(Time::ZERO + DURATION);
        group.throughput(Throughput::Elements(once.delivered));
        group.bench_function(format!("{stations} stations"), |b| {
            b.iter_batched(
                || saturated(stations),
                |mut world| world.run(Time::ZERO + DURATION),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, exchanges);
criterion_main!(benches);
