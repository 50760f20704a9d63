//! Whole runs: 50 s of the last hop of Yun 2009 under each scheme. Throughput is in delivered segments.

#[path = "../tests/common/mod.rs"]
mod common;

use common::LastHop;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn schemes(c: &mut Criterion) {
    let mut group = c.benchmark_group("last hop");
    group.sample_size(20);
    for scheme in ["reno", "sack", "snoop", "ll-elsn"] {
        let hop = LastHop { scheme, seconds: 50, ..LastHop::default() };
        let segments = hop.run(1).flows[0].delivered_bytes / 1000;
        group.throughput(Throughput::Elements(segments));
        group.bench_function(scheme, |b| b.iter(|| hop.run(1)));
    }
    group.finish();
}

criterion_group!(benches, schemes);
criterion_main!(benches);
