//! What an agent at a base station does with a data segment, its link ACK, and the TCP ACK for it; by how many are on their way at a time.
//! `cargo bench -p airhop-bench --bench agents`; the rate that criterion prints is segments per second.

use airhop_base::{Body, Flags, FlowId, NodeId, Packet, Segment, Span, TCP_IP_HEADER_BYTES, Time};
use airhop_net::agents::{Agent, AgentActions, ElnAgent, ElsnAgent, LinkEvent, LinkEventKind, SnoopAgent};
use airhop_radio::PacketTag;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// Segments of one measurement.
const SEGMENTS: u64 = 10_000;
const BYTES: u32 = 1000;
const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(1);

fn byte(n: u64) -> u64 {
    1 + n * u64::from(BYTES)
}

fn packet(src: NodeId, dst: NodeId, seq: u64, len: u32, ack: u64) -> Packet {
    let flags = Flags { ack: true, ..Flags::default() };
    let body = Body::Tcp(Segment { seq, len, ack, window: 1 << 20, flags, ..Segment::default() });
    Packet::new(FlowId(0), src, dst, TCP_IP_HEADER_BYTES + len, body)
}

/// All segments pass and are acknowledged `window` segments later, 100 µs apart.
fn pass(agent: &mut dyn Agent, window: u64) -> usize {
    let mut actions = AgentActions::default();
    let mut now = Time::ZERO;
    for n in 0..SEGMENTS {
        now += Span::from_micros(100);
        agent.on_packet(now, &mut packet(SENDER, RECEIVER, byte(n), BYTES, 1), 0.5, &mut actions);
        let tag = PacketTag { flow: FlowId(0), payload_bytes: (byte(n + 1) - byte(n)) as u32, seq: byte(n) };
        let delivered =
            LinkEvent { kind: LinkEventKind::Delivered, tag, next_hop: RECEIVER, has_queued_ack: false };
        agent.on_link_event(now, &delivered, &mut actions);
        if let Some(acknowledged) = n.checked_sub(window) {
            agent.on_packet(now, &mut packet(RECEIVER, SENDER, 1, 0, byte(acknowledged)), 0.0, &mut actions);
        }
    }
    actions.packets.len() + actions.notices.len()
}

fn agents(c: &mut Criterion) {
    let mut group = c.benchmark_group("agent");
    group.throughput(Throughput::Elements(SEGMENTS));
    for window in [10, 1000] {
        group.bench_function(format!("snoop, {window} under way"), |b| {
            b.iter(|| pass(&mut SnoopAgent::new(), window));
        });
        group.bench_function(format!("eln, {window} under way"), |b| {
            b.iter(|| pass(&mut ElnAgent::downlink(), window));
        });
        group.bench_function(format!("elsn, {window} under way"), |b| {
            b.iter(|| pass(&mut ElsnAgent, window));
        });
    }
    group.finish();
}

criterion_group!(benches, agents);
criterion_main!(benches);
