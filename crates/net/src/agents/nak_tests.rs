//! Tests of the NAK agent by scripts: the MAC discards segments at given times, and ACKs carry the NAKs.
//! Segments are numbered from 1 and carry 1000 bytes.

use super::*;
use crate::apps::BulkPlan;
use crate::plan::FlowClass;
use airhop_base::{Eln, Flags, FlowId, RareOptions, SegmentArrival, Timestamps};
use airhop_radio::PacketTag;
use airhop_tcp::{Params, Preset};
use std::sync::Arc;

const SOURCE: NodeId = NodeId(0);
const HERE: NodeId = NodeId(1);
const NEXT: NodeId = NodeId(2);
const OTHER: NodeId = NodeId(3);
const RECEIVER: NodeId = NodeId(9);

fn at(node: NodeId, given: &[(&str, f64)]) -> NakAgent {
    let scheme = airhop_tcp::find_scheme("tcp-cl").expect("a scheme");
    let mut params = Params::defaults(scheme);
    given.iter().for_each(|&(name, value)| params.set(scheme, name, value).expect("a parameter"));
    let plan = FlowPlan {
        name: "f".into(),
        from: SOURCE,
        to: RECEIVER,
        transport: Transport::Tcp { scheme, params, config: Preset::Ns2.config(1000) },
        app: Arc::new(BulkPlan),
        start: Time::ZERO,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("bulk"),
    };
    NakAgent::new(&plan, node)
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn byte(n: u64) -> u64 {
    1 + 1000 * (n - 1)
}

fn packet(dst: NodeId, segment: Segment) -> Packet {
    let segment = Segment { flags: Flags { ack: true, ..segment.flags }, ..segment };
    let bytes = 40 + segment.len + segment.option_bytes();
    Packet::new(FlowId(0), RECEIVER, dst, bytes, Body::Tcp(segment))
}

/// Reports a link event to the agent. Returns a boolean that is true if the event is not reported to routing,
/// and the number of notices sent at once as packets or calls.
fn link_event(
    agent: &mut NakAgent,
    now: Time,
    kind: LinkEventKind,
    n: u64,
    next: NodeId,
    ack_waits: bool,
) -> (bool, usize) {
    let tag = PacketTag { flow: FlowId(0), payload_bytes: (byte(n + 1) - byte(n)) as u32, seq: byte(n) };
    let mut actions = AgentActions::default();
    agent.on_link_event(
        now,
        &LinkEvent { kind, tag, next_hop: next, has_queued_ack: ack_waits },
        &mut actions,
    );
    let expected = Notice::with_segment(NoticeKind::Nak, byte(n), byte(n + 1));
    assert!(actions.packets.is_empty() && actions.notices.iter().all(|&notice| notice == expected));
    (actions.hides_discard, actions.notices.len())
}

fn discard(agent: &mut NakAgent, now: Time, n: u64) -> (bool, usize) {
    link_event(agent, now, LinkEventKind::Discarded, n, NEXT, false)
}

fn deliver(agent: &mut NakAgent, n: u64) {
    link_event(agent, Time::ZERO, LinkEventKind::Delivered, n, NEXT, false);
}

/// Passes `packet` through the agent, and returns the segments that the packet's NAKs name.
fn pass(agent: &mut NakAgent, now: Time, mut packet: Packet) -> Vec<u64> {
    let mut actions = AgentActions::default();
    assert_eq!(agent.on_packet(now, &mut packet, 0.0, &mut actions), PacketAction::Forward);
    assert!(actions.packets.is_empty() && actions.notices.is_empty());
    named(&packet)
}

fn named(packet: &Packet) -> Vec<u64> {
    let Body::Tcp(s) = &packet.body else { unreachable!("only segments were made") };
    assert_eq!(packet.bytes, 40 + s.len + s.option_bytes(), "the option makes the packet longer");
    s.options.naks.seqs().iter().map(|seq| (seq - 1) / 1000 + 1).collect()
}

fn ack() -> Packet {
    packet(SOURCE, Segment::default())
}

const SPARED: (bool, usize) = (true, 0);
const REPORTED: (bool, usize) = (false, 0);
const TOLD: (bool, usize) = (true, 1);

// Default of the scheme: a NAK is added once, to the next ACK of the flow that the station forwards. It is
// not added to data, to packets of the opposite direction, or to packets of the handshake.
#[test]
fn a_nak_is_added_to_the_next_forwarded_ack() {
    let mut agent = at(HERE, &[]);
    assert_eq!(discard(&mut agent, ms(0), 5), SPARED);
    assert_eq!(pass(&mut agent, ms(1), packet(SOURCE, Segment { len: 1000, ..Segment::default() })), []);
    assert_eq!(pass(&mut agent, ms(1), packet(RECEIVER, Segment::default())), []);
    let syn = Flags { syn: true, ..Flags::default() };
    assert_eq!(pass(&mut agent, ms(1), packet(SOURCE, Segment { flags: syn, ..Segment::default() })), []);
    assert_eq!(pass(&mut agent, ms(1), ack()), [5]);
    assert_eq!(pass(&mut agent, ms(2), ack()), []);
}

// A NAK is also added to an ACK that is queued at the node: "up to 4 sequence numbers, lowest first". The
// next ACK carries the remaining NAKs.
#[test]
fn naks_are_added_to_queued_acks() {
    let mut agent = at(HERE, &[("n", 9.0)]);
    for n in [7, 3, 9, 5, 8] {
        assert_eq!(link_event(&mut agent, ms(0), LinkEventKind::Discarded, n, NEXT, true), SPARED);
    }
    let [mut first, mut second] = [ack(), ack()];
    assert!(agent.on_queued_ack(ms(0), &mut first), "it still has NAKs to send");
    assert!(!agent.on_queued_ack(ms(0), &mut second));
    assert_eq!([named(&first), named(&second)], [vec![3, 5, 7, 8], vec![9]]);
}

// "Hold at most 1 s or 8 NAKs/flow, oldest first."
#[test]
fn a_stored_nak_expires_after_one_second_or_eight_naks() {
    let mut agent = at(HERE, &[("n", 20.0)]);
    discard(&mut agent, ms(0), 1);
    discard(&mut agent, ms(500), 2);
    assert_eq!(pass(&mut agent, ms(1001), ack()), [2]);
    for n in 11..=19 {
        discard(&mut agent, ms(2000), n);
    }
    let heard = [(); 3].map(|()| pass(&mut agent, ms(3000), ack()));
    assert_eq!(heard, [vec![12, 13, 14, 15], vec![16, 17, 18, 19], vec![]]);
}

// "If RET_F < retransmission threshold ... increase RET_F; else discard": the discard at the threshold is
// reported to routing. A delivery to the next hop resets RET_F.
#[test]
fn ret_f_limits_consecutive_naks() {
    for n in [0, 1, 3] {
        let mut agent = at(HERE, &[("n", n as f64)]);
        for round in 0..2 {
            let drops: Vec<_> = (0..5).map(|k| discard(&mut agent, ms(0), 1 + k + 10 * round)).collect();
            assert_eq!(drops.iter().filter(|drop| **drop == SPARED).count(), n);
            assert!(drops[n..].iter().all(|drop| *drop == REPORTED));
            deliver(&mut agent, 99);
        }
    }
}

// RET_F counts discards per next hop and flow (the default), per flow without a reset, or per segment.
#[test]
fn ret_f_counts_discards_per_next_hop_flow_or_segment() {
    use LinkEventKind::{Delivered, Discarded};
    for (run, expected) in [
        (0.0, [SPARED, REPORTED, SPARED, SPARED]),
        (1.0, [SPARED, REPORTED, REPORTED, REPORTED]),
        (2.0, [SPARED, SPARED, REPORTED, SPARED]),
    ] {
        let mut agent = at(HERE, &[("ret_f", run)]);
        let mut discard = |n, next| link_event(&mut agent, ms(0), Discarded, n, next, false);
        let first = [discard(1, NEXT), discard(2, NEXT), discard(1, OTHER)];
        link_event(&mut agent, ms(0), Delivered, 2, NEXT, false);
        let last = link_event(&mut agent, ms(0), Discarded, 2, NEXT, false);
        assert_eq!([first[0], first[1], first[2], last], expected, "{run}");
    }
}

// "Drop at the TCP source itself: upcall without message". The threshold also applies at the source, because
// routing must learn of a broken link.
#[test]
fn a_discard_at_the_source_calls_the_sender_without_a_nak() {
    for no_ack in [0.0, 1.0, 2.0] {
        let mut agent = at(SOURCE, &[("no_ack", no_ack)]);
        assert_eq!([discard(&mut agent, ms(0), 1), discard(&mut agent, ms(0), 2)], [TOLD, REPORTED]);
        deliver(&mut agent, 3);
        assert_eq!(discard(&mut agent, ms(1), 1), TOLD);
        assert_eq!(pass(&mut agent, ms(2), ack()), []);
    }
}

// Interpretations R1 and R3 of the slides, each without and with a queued ACK.
#[test]
fn no_ack_selects_the_fate_of_a_nak_without_queued_ack() {
    for (no_ack, expected) in [(0.0, SPARED), (1.0, REPORTED), (2.0, TOLD)] {
        let mut agent = at(HERE, &[("no_ack", no_ack)]);
        assert_eq!(discard(&mut agent, ms(0), 1), expected, "{no_ack}");
        assert_eq!(pass(&mut agent, ms(0), ack()), if no_ack == 0.0 { vec![1] } else { vec![] });
        deliver(&mut agent, 2);
        assert_eq!(link_event(&mut agent, ms(0), LinkEventKind::Discarded, 3, NEXT, true), SPARED);
        let mut waiting = ack();
        assert!(!agent.on_queued_ack(ms(0), &mut waiting));
        assert_eq!(named(&waiting), [3]);
    }
}

// "If a TCP data frame is discarded": the discard of an ACK causes no NAK. With the choice "unanswered" the
// discard of an ACK is reported to routing.
#[test]
fn only_discarded_data_causes_naks() {
    let mut agent = at(HERE, &[("reported", 1.0)]);
    let tell_ack = |agent: &mut NakAgent, kind| {
        let mut actions = AgentActions::default();
        let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: 1 };
        agent.on_link_event(
            ms(0),
            &LinkEvent { kind, tag, next_hop: NEXT, has_queued_ack: true },
            &mut actions,
        );
        (actions.hides_discard, actions.notices.len())
    };
    assert_eq!(tell_ack(&mut agent, LinkEventKind::Discarded), REPORTED);
    assert_eq!(pass(&mut agent, ms(1), ack()), []);
    assert_eq!(discard(&mut agent, ms(1), 5), SPARED);
    tell_ack(&mut agent, LinkEventKind::Delivered);
    assert_eq!(discard(&mut agent, ms(1), 6), REPORTED);
}

// The three choices of discards reported to routing: consecutive discards of data and of ACKs; discards of
// data without a NAK, and all discards of ACKs; none.
#[test]
fn discards_are_reported_to_routing_as_configured() {
    use LinkEventKind::{Delivered, Discarded};
    for (reported, expected) in [
        (0.0, [SPARED, REPORTED, SPARED, REPORTED, SPARED]),
        (1.0, [SPARED, REPORTED, REPORTED, REPORTED, REPORTED]),
        (2.0, [SPARED; 5]),
    ] {
        let mut agent = at(HERE, &[("reported", reported)]);
        let data = [discard(&mut agent, ms(0), 1), discard(&mut agent, ms(0), 2)];
        let mut ack = |kind| {
            let mut actions = AgentActions::default();
            let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: 1 };
            agent.on_link_event(
                ms(0),
                &LinkEvent { kind, tag, next_hop: SOURCE, has_queued_ack: true },
                &mut actions,
            );
            (actions.hides_discard, actions.notices.len())
        };
        let acks = [ack(Discarded), ack(Discarded), {
            ack(Delivered);
            ack(Discarded)
        }];
        assert_eq!([data[0], data[1], acks[0], acks[1], acks[2]], expected, "{reported}");
        assert_eq!(pass(&mut agent, ms(1), packet(SOURCE, Segment::default())), [1]);
    }
}

// An ACK has room for 40 bytes of options (RFC 9293 §3.1), and keeps the NAKs that another node has added.
// Timestamps, an arrival report and one NAK leave 8 bytes; with an ELN no NAK fits.
#[test]
fn an_ack_carries_as_many_naks_as_fit() {
    let timestamps = Some(Timestamps { tsval: 1, tsecr: 2 });
    let arrival = Some(SegmentArrival { seq: 1, at: Time::ZERO });
    let naks = Naks::from_iter([byte(6)]);
    let full = Segment { timestamps, ..Segment::default() };
    let options = |eln| RareOptions { arrival, naks, eln, ..RareOptions::NONE };
    for (eln, expected) in [(None, vec![2, 4, 6]), (Some(Eln::Segment(1)), vec![6])] {
        let mut agent = at(HERE, &[("n", 9.0)]);
        for n in [2, 4, 5, 7] {
            discard(&mut agent, ms(0), n);
        }
        assert_eq!(
            pass(&mut agent, ms(1), packet(SOURCE, full.clone().with_rare_options(options(eln)))),
            expected
        );
    }
}
