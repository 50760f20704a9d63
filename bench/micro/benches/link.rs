//! What a packet over a radio link costs: both ends saturated, go-back-n or selective repeat. `cargo bench -p airhop-bench --bench
//! link`; the rate that criterion prints is packets delivered per second.
#[path = "../../../crates/radio/tests/radio_link/mod.rs"]
mod radio_link;

use airhop_base::{Span, Time};
use airhop_radio::arq::{ArqPlan, RetransmissionGroup};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioPlan;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use radio_link::{World, go_back, round, rules};

/// Simulated time of one measurement.
const DURATION: Span = Span::from_secs(1);

fn saturated(arq: &ArqPlan) -> World {
    let errors = [0, 1].map(|_| ErrorPlan::Loss(0.05));
    let mut world = World::new(&RadioPlan { arq: [arq.clone(), arq.clone()], errors, ..round(45) }, 1);
    world.keep = false;
    [0, 1].into_iter().for_each(|end| world.saturate(end, 100));
    world
}

fn packets(c: &mut Criterion) {
    let mut group = c.benchmark_group("radio link");
    let kinds = [
        ("none", ArqPlan::None),
        ("go-back-n", go_back(RetransmissionGroup::Sliding, rules(8, 1200))),
        ("selective repeat", ArqPlan::SelectiveRepeat { srej: true, rules: rules(8, 1200) }),
    ];
    for (name, arq) in kinds {
        let mut once = saturated(&arq);
        once.run(Time::ZERO + DURATION);
        group.throughput(Throughput::Elements(once.delivered.iter().sum()));
        group.bench_function(name, |b| {
            b.iter_batched(
                || saturated(&arq),
                |mut world| world.run(Time::ZERO + DURATION),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, packets);
criterion_main!(benches);
