//! Scripts: segments are numbered from 0 and carry 1000 bytes; ACK n asks for segment n.

use super::*;
use airhop_base::{Flags, FlowId};

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(9);

fn tcp(src: NodeId, dst: NodeId, seq: u64, len: u32, ack: u64) -> Packet {
    let flags = Flags { ack: true, ..Flags::default() };
    let body = Body::Tcp(Segment { seq, len, ack, flags, ..Segment::default() });
    Packet::new(FlowId(0), src, dst, 40 + len, body)
}

fn pass(agent: &mut Eln, mut packet: Packet, queued: f64) -> Packet {
    let mut actions = AgentActions::default();
    assert_eq!(agent.on_packet(Time::ZERO, &mut packet, queued, &mut actions), PacketAction::Forward);
    assert!(actions.packets.is_empty() && actions.notices.is_empty());
    packet
}

fn data(agent: &mut Eln, segments: impl IntoIterator<Item = u64>) {
    for n in segments {
        pass(agent, tcp(SENDER, RECEIVER, 1 + 1000 * n, 1000, 1), 0.0);
    }
}

/// Returns, for each of these ACKs, whether the agent sets its bit.
fn acks<const N: usize>(agent: &mut Eln, acks: [u64; N]) -> [bool; N] {
    acks.map(|n| {
        let ack = pass(agent, tcp(RECEIVER, SENDER, 1, 0, 1 + 1000 * n), 0.0);
        ack.segment().is_some_and(|s| s.options.eln == Some(Bit::Next))
    })
}

// Balakrishnan and Katz 1998: segment 2 did not arrive from the wireless side, so its duplicate ACKs carry
// the bit, and so does the new ACK that expects it. Segment 5 was lost on the wired side: no bit.
#[test]
fn uplink_missing_segments_were_lost_on_the_air() {
    let mut agent = Eln::uplink();
    data(&mut agent, [0, 1, 3, 4, 5, 6, 7]);
    assert_eq!(acks(&mut agent, [1, 2, 2, 2]), [false, true, true, true]);
    data(&mut agent, [2]);
    assert_eq!(acks(&mut agent, [2, 2]), [true, true], "caused by what was sent before the repair");
    assert_eq!(acks(&mut agent, [5, 5, 5, 5]), [false; 4]);
    data(&mut agent, [5, 8]);
    assert_eq!(acks(&mut agent, [9, 9]), [false; 2]);
}

#[test]
fn uplink_several_holes_and_the_first_segment() {
    let mut agent = Eln::uplink();
    data(&mut agent, [1, 3, 5]);
    assert_eq!(acks(&mut agent, [0, 0, 0]), [true; 3]);
    data(&mut agent, [0]);
    assert_eq!(acks(&mut agent, [1, 1]), [false; 2], "segment 1 came, and was lost behind the base station");
    assert_eq!(acks(&mut agent, [2, 4, 6]), [true, true, false]);
    assert_eq!(acks(&mut agent, [2, 4]), [false; 2], "old ACKs say nothing");
}

// ns-2's agent has room for 8 blocks: blocks before the second of nine are dropped, and ACKs for them have no bit.
#[test]
fn uplink_eight_blocks() {
    let mut agent = Eln::uplink();
    data(&mut agent, (1..=15).step_by(2));
    assert_eq!(acks(&mut agent, [0, 2]), [true; 2]);
    let mut agent = Eln::uplink();
    data(&mut agent, (1..=17).step_by(2));
    assert_eq!(acks(&mut agent, [0, 2, 4]), [false, true, true]);
    // Neither a segment without a gap before it nor a retransmission uses a further block.
    let mut agent = Eln::uplink();
    data(&mut agent, (1..=15).step_by(2).chain(16..30).chain([2, 4]));
    assert_eq!(acks(&mut agent, [0, 2, 14]), [true; 3]);
}

// Only ACKs towards the data's sender can carry the bit: ACKs in the direction of the data and a handshake's
// ACKs do not.
#[test]
fn only_acks_of_the_data_bear_the_bit() {
    let syn = |mut packet: Packet| {
        if let Body::Tcp(s) = &mut packet.body {
            s.flags.syn = true;
        }
        packet
    };
    let (along, back) = (tcp(SENDER, RECEIVER, 1, 0, 1), tcp(RECEIVER, SENDER, 1, 0, 1));
    let cases = [(along.clone(), false), (syn(along), false), (syn(back.clone()), false), (back, true)];
    for (packet, has_bit) in cases {
        let mut agent = Eln::uplink();
        data(&mut agent, [1]);
        let passed = pass(&mut agent, packet, 0.0);
        assert_eq!(passed.segment().is_some_and(|s| s.options.eln.is_some()), has_bit, "{passed:?}");
    }
}

// Yun 2009 §1, downlink: segment 1 crossed the base station, segment 3 did not. A new ACK is no sign of loss.
#[test]
fn downlink_forwarded_segments_were_lost_on_the_air() {
    let mut agent = Eln::downlink();
    data(&mut agent, [0, 1, 2, 4, 5, 6]);
    assert_eq!(acks(&mut agent, [1, 1, 1]), [false, true, true]);
    assert_eq!(acks(&mut agent, [3, 3, 3]), [false; 3]);
    // The retransmission of 3 passes the base station after 4, 5 and 6, which still cause three duplicate ACKs; a
    // fourth duplicate shows that the retransmission was lost on the air.
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [3, 3, 3, 3, 3]), [false, false, false, true, true]);
    // Segment 3 is retransmitted again although it has passed: duplicate ACKs for it carry the bit, because the
    // sender must not count them.
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [3]), [true]);
    assert_eq!(acks(&mut agent, [7, 7]), [false; 2]);
}

// A segment that arrives at a full queue before the wireless link is lost by congestion.
#[test]
fn downlink_a_full_queue() {
    let mut agent = Eln::downlink();
    data(&mut agent, [0, 1]);
    pass(&mut agent, tcp(SENDER, RECEIVER, 2001, 1000, 1), 1.0);
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [2, 2, 2]), [false; 3]);
    // Segment 2 is lost on the air, and its retransmission at the full queue: no further bit until 3 is
    // missing.
    let mut agent = Eln::downlink();
    data(&mut agent, 0..5);
    assert_eq!(acks(&mut agent, [2, 2]), [false, true]);
    pass(&mut agent, tcp(SENDER, RECEIVER, 2001, 1000, 1), 1.0);
    assert_eq!(acks(&mut agent, [2, 2]), [false; 2]);
    assert_eq!(acks(&mut agent, [3, 3]), [false, true]);
}

// The memory is bounded: the least recent of 257 segments is dropped from it.
#[test]
fn downlink_256_segments() {
    let mut agent = Eln::downlink();
    data(&mut agent, 0..257);
    assert_eq!(acks(&mut agent, [0, 0]), [false; 2]);
    assert_eq!(acks(&mut agent, [1, 1]), [false, true]);
}
