//! Tests of the proxy with a simulated sender and receiver.

use super::*;
use crate::apps::BulkPlan;
use crate::plan::FlowClass;
use airhop_base::{Body, Flags, Segment, TCP_IP_HEADER_BYTES};
use airhop_tcp::{Config, Params, Preset};
use std::sync::Arc;

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(4);

fn plan(buffer: f64, config: Config) -> FlowPlan {
    let scheme = airhop_tcp::find_scheme("split").expect("a scheme");
    let mut params = Params::defaults(scheme);
    params.set(scheme, "buffer", buffer).expect("in range");
    FlowPlan {
        name: "f".into(),
        from: SENDER,
        to: RECEIVER,
        transport: Transport::Tcp { scheme, params, config },
        app: Arc::new(BulkPlan),
        start: Time::ZERO,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("bulk"),
    }
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

/// Packets that the proxy sends: for ACKs the acknowledgement number and the right edge of the window, for
/// data segments the first byte.
#[derive(Debug, PartialEq, Default)]
struct Out {
    acks: Vec<(u64, u64)>,
    data: Vec<u64>,
}

fn out(actions: &mut AgentActions) -> Out {
    let mut out = Out::default();
    for p in actions.packets.drain(..) {
        let s = p.segment().expect("TCP");
        if p.dst == SENDER {
            assert_eq!(p.src, RECEIVER);
            out.acks.push((s.ack, s.ack + s.window));
        } else {
            assert_eq!((p.src, p.dst), (SENDER, RECEIVER));
            out.data.push(s.seq);
        }
    }
    out
}

fn arrive(split: &mut SplitProxy, now: Time, segment: Segment, to: NodeId) -> Out {
    let from = if to == SENDER { RECEIVER } else { SENDER };
    let bytes = TCP_IP_HEADER_BYTES + segment.len;
    let mut actions = AgentActions::default();
    let mut packet = Packet::new(FlowId(0), from, to, bytes, Body::Tcp(segment));
    assert_eq!(split.on_packet(now, &mut packet, 0.0, &mut actions), PacketAction::Take);
    out(&mut actions)
}

fn data(split: &mut SplitProxy, now: Time, seq: u64) -> Out {
    let flags = Flags { ack: true, ..Flags::default() };
    arrive(split, now, Segment { seq, len: 1000, ack: 1, flags, ..Segment::default() }, RECEIVER)
}

fn ack(split: &mut SplitProxy, now: Time, ack: u64) -> Out {
    let flags = Flags { ack: true, ..Flags::default() };
    arrive(split, now, Segment { seq: 1, ack, window: 1 << 30, flags, ..Segment::default() }, SENDER)
}

// Bakre and Badrinath 1995: the base station acknowledges the data that it has received, and forwards it. Its
// buffer is bounded, because the right edge of its window advances only with the receiver's ACKs.
#[test]
fn the_split_proxy_acknowledges_within_its_buffer() {
    let mut split = SplitProxy::new(FlowId(0), &plan(4.0, Preset::Ns2.config(1000)), DataDirection::Down);
    assert_eq!(split.initial_window(), Some(4000));
    assert_eq!(data(&mut split, ms(0), 1), Out { acks: vec![(1001, 4001)], data: vec![1] });
    // A hole causes a duplicate ACK, and the data above it is not forwarded.
    assert_eq!(data(&mut split, ms(1), 2001), Out { acks: vec![(1001, 4001)], data: vec![] });
    // The initial window of the second connection is two segments.
    assert_eq!(data(&mut split, ms(2), 1001), Out { acks: vec![(3001, 4001)], data: vec![1001] });
    assert_eq!(data(&mut split, ms(3), 3001), Out { acks: vec![(4001, 4001)], data: vec![] });
    // The buffer is full. Free space for one segment causes no window update; free space for two segments
    // causes one.
    assert_eq!(ack(&mut split, ms(10), 1001), Out { acks: vec![], data: vec![2001, 3001] });
    assert_eq!(ack(&mut split, ms(10), 1999), Out::default());
    assert_eq!(ack(&mut split, ms(11), 2001), Out { acks: vec![(4001, 6001)], data: vec![] });
    // The window update is repeated at growing intervals until data arrives.
    assert_eq!(split.poll_timeout(), Some(ms(211)));
    let mut actions = AgentActions::default();
    ack(&mut split, ms(12), 4001);
    split.on_timeout(ms(211), &mut actions);
    assert_eq!(out(&mut actions).acks, [(4001, 8001)]);
    assert_eq!(split.poll_timeout(), Some(ms(611)));
    data(&mut split, ms(300), 4001);
    assert!(split.poll_timeout().is_some_and(|due| due != ms(611)), "only its own retransmission timer runs");
}

// A window update is sent only to a sender that had to stop. While a whole segment fits, the ACK of the
// sender's next data carries the new window. Space for less than a segment counts as a closed window, because
// the sender waits for a full segment (RFC 9293 §3.8.6.2.1).
#[test]
fn a_window_update_follows_a_window_below_one_segment() {
    for (window, told, news) in [(4000, 4001, vec![]), (3900, 3901, vec![(3001, 5901)])] {
        let config = Config { receive_window: window, ..Preset::Ns2.config(1000) };
        let mut split = SplitProxy::new(FlowId(0), &plan(64.0, config), DataDirection::Down);
        let last = [1, 1001, 2001].map(|seq| data(&mut split, ms(0), seq).acks);
        assert_eq!(last[2], [(3001, told)]);
        assert_eq!(ack(&mut split, ms(10), 2001).acks, news, "a window of {window}");
    }
}

// The second connection has its own handshake, and its endpoint at the base station repairs its losses.
#[test]
fn the_split_proxy_opens_its_own_connection() {
    let mut split = SplitProxy::new(FlowId(0), &plan(64.0, Preset::Rfc.config(1000)), DataDirection::Down);
    let syn = Flags { syn: true, ..Flags::default() };
    let out = arrive(&mut split, ms(0), Segment { seq: 0, flags: syn, ..Segment::default() }, RECEIVER);
    assert_eq!(
        (out.acks, out.data),
        (vec![(1, 64_001)], vec![0]),
        "a SYN-ACK to one side, a SYN to the other"
    );
    let syn_ack = Flags { syn: true, ack: true, ..Flags::default() };
    let segment = Segment { seq: 0, ack: 1, window: 1 << 30, flags: syn_ack, ..Segment::default() };
    arrive(&mut split, ms(5), segment, SENDER);
    assert_eq!(data(&mut split, ms(6), 1).data, [1]);
    let mut sent = Vec::new();
    while sent.is_empty() {
        let due = split.poll_timeout().expect("the second half waits for an ACK");
        let mut actions = AgentActions::default();
        split.on_timeout(due, &mut actions);
        sent = super::tests::out(&mut actions).data;
    }
    assert_eq!(sent, [1]);
}

// The second connection has its own seed for its random numbers (BBR's initial phase).
#[test]
fn the_sender_of_the_split_proxy_has_its_own_seed() {
    let scheme = airhop_tcp::find_scheme("bbr").expect("a scheme");
    let (params, config) = (Params::defaults(scheme), Preset::Linux.config(1000));
    let plan = FlowPlan { transport: Transport::Tcp { scheme, params, config }, ..plan(64.0, config) };
    let of = |seed| {
        let mut split = SplitProxy::new(FlowId(0), &plan, DataDirection::Down);
        split.set_seed(seed);
        format!("{:?}", split.sender)
    };
    assert_eq!(of(7), of(7));
    assert_ne!(of(7), of(8));
}

// RFC 9293 §3.6: the proxy closes its connection to the receiver once the sender's stream has ended and all
// of its data was sent.
#[test]
fn the_split_proxy_forwards_a_fin_after_all_data() {
    let mut split = SplitProxy::new(FlowId(0), &plan(4.0, Preset::Ns2.config(1000)), DataDirection::Down);
    let flags = Flags { ack: true, fin: true, ..Flags::default() };
    let fin = |seq| Segment { seq, ack: 1, flags, ..Segment::default() };
    assert_eq!(arrive(&mut split, ms(0), fin(1001), RECEIVER), Out { acks: vec![(1, 4001)], data: vec![] });
    assert_eq!(data(&mut split, ms(1), 1), Out { acks: vec![(1002, 4001)], data: vec![1, 1001] });
    assert_eq!(
        arrive(&mut split, ms(2), fin(1001), RECEIVER),
        Out { acks: vec![(1002, 4001)], data: vec![] }
    );
    assert_eq!(ack(&mut split, ms(3), 1002), Out::default());
    assert_eq!(split.poll_timeout(), None);
}
