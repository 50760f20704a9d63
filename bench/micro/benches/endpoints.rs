//! What a segment costs at its two ends, without a network: a sender whose window is acknowledged over and over, and a receiver of what
//! comes in order and of what comes behind a hole. `cargo bench -p airhop-bench --bench endpoints`; the rate that criterion prints is segments per second.

#[path = "../../../crates/tcp/tests/common/mod.rs"]
mod common;

use airhop_base::{
    Body, Flags, FlowId, NodeId, Packet, RareOptions, Sack, SackBlock, Segment, Span, TCP_IP_HEADER_BYTES,
    Time,
};
use airhop_tcp::{Receiver, Sender};
use common::{MSS, byte, rfc, sender};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Segments of one measurement.
const SEGMENTS: u64 = 10_000;
/// Segments in flight.
const WINDOW: u64 = 100;

/// An ACK that expects segment `n` and has segments `sacked` of those behind it.
fn ack(n: u64, sacked: Option<(u64, u64)>) -> Packet {
    let mut sack = Sack::EMPTY;
    if let Some((from, to)) = sacked {
        sack.push(SackBlock { start: byte(from), end: byte(to) });
    }
    let flags = Flags { ack: true, ..Flags::default() };
    let ack = Segment { seq: 1, ack: byte(n), window: 1 << 40, flags, ..Segment::default() };
    packet(ack.with_rare_options(RareOptions { sack, ..RareOptions::NONE }))
}

fn packet(segment: Segment) -> Packet {
    let bytes = TCP_IP_HEADER_BYTES + segment.option_bytes() + segment.len;
    Packet::new(FlowId(0), NodeId(0), NodeId(1), bytes, Body::Tcp(segment))
}

/// A sender that has sent its first window.
fn open(scheme: &str) -> Sender {
    let mut sender = sender(scheme, &[], &rfc(WINDOW as f64, WINDOW as f64));
    sender.supply_data(1 << 40);
    while sender.poll_transmit(Time::ZERO).is_some() {}
    sender
}

/// Each segment is acknowledged by itself, 100 µs after the last, but for the first of every `lost`th window, which is sent again.
fn transfer(sender: &mut Sender, lost: u64) -> u64 {
    let mut now = Time::ZERO;
    let mut n = 1;
    while n <= SEGMENTS {
        if (n / WINDOW) % lost == lost - 1 {
            for further in 1..WINDOW / 2 {
                now += Span::from_micros(100);
                sender.on_segment(now, &ack(n, Some((n + 1, n + 1 + further))));
                while sender.poll_transmit(now).is_some() {}
            }
            n += WINDOW / 2;
        }
        n += 1;
        now += Span::from_micros(100);
        sender.on_segment(now, &ack(n, None));
        while sender.poll_transmit(now).is_some() {}
    }
    sender.counters().sent_segments
}

fn senders(c: &mut Criterion) {
    let mut group = c.benchmark_group("sender");
    group.throughput(Throughput::Elements(SEGMENTS));
    for scheme in ["newreno", "sack", "cubic", "bbr"] {
        group.bench_function(scheme, |b| b.iter(|| transfer(&mut open(scheme), u64::MAX)));
    }
    group
        .bench_function("sack, a loss in every fourth window", |b| b.iter(|| transfer(&mut open("sack"), 4)));
    group.finish();
}

/// Segments `from..` come, and every ACK is taken.
fn receive(receiver: &mut Receiver, from: u64) -> u64 {
    for n in from..from + SEGMENTS {
        let data = packet(Segment { seq: byte(n), len: MSS, ..Segment::default() });
        receiver.on_segment(Time::ZERO, &data);
        while receiver.poll_transmit(Time::ZERO).is_some() {}
    }
    receiver.rcv_nxt()
}

fn receivers(c: &mut Criterion) {
    let mut group = c.benchmark_group("receiver");
    group.throughput(Throughput::Elements(SEGMENTS));
    let features = airhop_tcp::find_scheme("sack").expect("a known scheme").features;
    for (name, first) in [("in order", 1), ("behind a hole", 2)] {
        let fresh = || Receiver::new(FlowId(0), NodeId(1), NodeId(0), &rfc(1.0, 1.0), features);
        group.bench_function(name, |b| b.iter(|| receive(&mut fresh(), first)));
    }
    group.finish();
}

criterion_group!(benches, senders, receivers);
criterion_main!(benches);
