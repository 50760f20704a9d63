//! The bare event queue: the "hold" model, one event out and one in, at several fills. What the run loop is measured against.

use airhop_base::Span;
use airhop_base::Time;
use airhop_engine::{EventQueue, RandomStreams};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const STEPS: u64 = 100_000;

fn hold(c: &mut Criterion) {
    let mut group = c.benchmark_group("event queue");
    group.throughput(Throughput::Elements(STEPS));
    for fill in [10, 100, 10_000_u64] {
        let mut draw = RandomStreams::new(1, 0).stream("hold");
        let gaps: Vec<Span> =
            (0..1024).map(|_| Span::from_nanos(u64::from(draw.uniform_below(1_000_000)))).collect();
        group.bench_function(format!("{fill} waiting"), |b| {
            b.iter(|| {
                let mut queue = EventQueue::new();
                (0..fill).for_each(|i| queue.push(Time::ZERO + gaps[i as usize % gaps.len()], i));
                for i in 0..STEPS as usize {
                    if let Some((now, event)) = queue.pop_until(Time::MAX) {
                        queue.push(now + gaps[i % gaps.len()], event);
                    }
                }
                queue.popped_count()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, hold);
criterion_main!(benches);
