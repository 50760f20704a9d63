//! Scripts of segments and ACKs. Segments are numbered from 0 and carry 1000 bytes; ACK n requests segment n.

use super::*;
use airhop_base::{Flags, FlowId};

const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(9);

fn tcp(src: NodeId, dst: NodeId, seq: u64, len: u32, ack: u64) -> Packet {
    let flags = Flags { ack: true, ..Flags::default() };
    let body = Body::Tcp(Segment { seq, len, ack, flags, ..Segment::default() });
    Packet::new(FlowId(0), src, dst, 40 + len, body)
}

fn pass(agent: &mut ElnAgent, mut packet: Packet, queued: f64) -> Packet {
    let mut actions = AgentActions::default();
    assert_eq!(agent.on_packet(Time::ZERO, &mut packet, queued, &mut actions), PacketAction::Forward);
    assert!(actions.packets.is_empty() && actions.notices.is_empty());
    packet
}

fn data(agent: &mut ElnAgent, segments: impl IntoIterator<Item = u64>) {
    for n in segments {
        pass(agent, tcp(SENDER, RECEIVER, 1 + 1000 * n, 1000, 1), 0.0);
    }
}

/// Passes ACKs through the agent. Returns a boolean for each ACK: true if the agent sets the ELN bit.
fn acks<const N: usize>(agent: &mut ElnAgent, acks: [u64; N]) -> [bool; N] {
    acks.map(|n| {
        let ack = pass(agent, tcp(RECEIVER, SENDER, 1, 0, 1 + 1000 * n), 0.0);
        ack.segment().is_some_and(|s| s.options.eln == Some(Bit::Next))
    })
}

// Balakrishnan and Katz 1998: segment 2 did not arrive from the wireless link. Its duplicate ACKs carry the
// bit, and so does the new ACK that requests segment 2. Segment 5 was lost on the wired path, so its ACKs
// carry no bit.
#[test]
fn uplink_acks_of_segments_lost_on_the_air_carry_eln() {
    let mut agent = ElnAgent::uplink();
    data(&mut agent, [0, 1, 3, 4, 5, 6, 7]);
    assert_eq!(acks(&mut agent, [1, 2, 2, 2]), [false, true, true, true]);
    data(&mut agent, [2]);
    assert_eq!(acks(&mut agent, [2, 2]), [true, true], "caused by segments sent before the retransmission");
    assert_eq!(acks(&mut agent, [5, 5, 5, 5]), [false; 4]);
    data(&mut agent, [5, 8]);
    assert_eq!(acks(&mut agent, [9, 9]), [false; 2]);
}

#[test]
fn uplink_eln_covers_several_holes_and_the_first_segment() {
    let mut agent = ElnAgent::uplink();
    data(&mut agent, [1, 3, 5]);
    assert_eq!(acks(&mut agent, [0, 0, 0]), [true; 3]);
    data(&mut agent, [0]);
    assert_eq!(acks(&mut agent, [1, 1]), [false; 2], "segment 1 came, and was lost behind the base station");
    assert_eq!(acks(&mut agent, [2, 4, 6]), [true, true, false]);
    assert_eq!(acks(&mut agent, [2, 4]), [false; 2], "old ACKs say nothing");
}

// ns-2's agent stores 8 blocks. With nine blocks the first is removed, and ACKs for segments before the
// second block carry no bit.
#[test]
fn the_uplink_agent_stores_eight_blocks() {
    let mut agent = ElnAgent::uplink();
    data(&mut agent, (1..=15).step_by(2));
    assert_eq!(acks(&mut agent, [0, 2]), [true; 2]);
    let mut agent = ElnAgent::uplink();
    data(&mut agent, (1..=17).step_by(2));
    assert_eq!(acks(&mut agent, [0, 2, 4]), [false, true, true]);
    // A segment without a gap before it, and a retransmission, add no block.
    let mut agent = ElnAgent::uplink();
    data(&mut agent, (1..=15).step_by(2).chain(16..30).chain([2, 4]));
    assert_eq!(acks(&mut agent, [0, 2, 14]), [true; 3]);
}

// Only ACKs towards the data's sender can carry the bit. ACKs in the direction of the data, and ACKs of the
// handshake, never do.
#[test]
fn only_acks_towards_the_data_sender_carry_eln() {
    let syn = |mut packet: Packet| {
        if let Body::Tcp(s) = &mut packet.body {
            s.flags.syn = true;
        }
        packet
    };
    let (along, back) = (tcp(SENDER, RECEIVER, 1, 0, 1), tcp(RECEIVER, SENDER, 1, 0, 1));
    let cases = [(along.clone(), false), (syn(along), false), (syn(back.clone()), false), (back, true)];
    for (packet, has_bit) in cases {
        let mut agent = ElnAgent::uplink();
        data(&mut agent, [1]);
        let passed = pass(&mut agent, packet, 0.0);
        assert_eq!(passed.segment().is_some_and(|s| s.options.eln.is_some()), has_bit, "{passed:?}");
    }
}

// Yun 2009 §1, downlink: the base station has forwarded segment 1, but not segment 3. A first ACK for a
// number does not indicate a loss.
#[test]
fn downlink_acks_of_forwarded_segments_carry_eln() {
    let mut agent = ElnAgent::downlink();
    data(&mut agent, [0, 1, 2, 4, 5, 6]);
    assert_eq!(acks(&mut agent, [1, 1, 1]), [false, true, true]);
    assert_eq!(acks(&mut agent, [3, 3, 3]), [false; 3]);
    // The retransmission of segment 3 is forwarded after segments 4, 5 and 6, which cause three duplicate
    // ACKs for segment 3. A fourth duplicate ACK shows that the wireless link lost the retransmission.
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [3, 3, 3, 3, 3]), [false, false, false, true, true]);
    // Segment 3 is retransmitted again although the base station has already forwarded it. Its duplicate ACKs
    // carry the bit, because the sender must not count them as signs of congestion.
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [3]), [true]);
    assert_eq!(acks(&mut agent, [7, 7]), [false; 2]);
}

// A segment dropped by a full queue before the wireless link is lost by congestion.
#[test]
fn a_segment_dropped_before_the_downlink_is_congestion() {
    let mut agent = ElnAgent::downlink();
    data(&mut agent, [0, 1]);
    pass(&mut agent, tcp(SENDER, RECEIVER, 2001, 1000, 1), 1.0);
    data(&mut agent, [3]);
    assert_eq!(acks(&mut agent, [2, 2, 2]), [false; 3]);
    // The wireless link loses segment 2, and the full queue drops its retransmission. ACKs carry no ELN bit
    // until segment 3 is missing.
    let mut agent = ElnAgent::downlink();
    data(&mut agent, 0..5);
    assert_eq!(acks(&mut agent, [2, 2]), [false, true]);
    pass(&mut agent, tcp(SENDER, RECEIVER, 2001, 1000, 1), 1.0);
    assert_eq!(acks(&mut agent, [2, 2]), [false; 2]);
    assert_eq!(acks(&mut agent, [3, 3]), [false, true]);
}

// At most 256 segments are stored: the 257th replaces the segment that was forwarded first.
#[test]
fn the_downlink_agent_stores_256_segments() {
    let mut agent = ElnAgent::downlink();
    data(&mut agent, 0..257);
    assert_eq!(acks(&mut agent, [0, 0]), [false; 2]);
    assert_eq!(acks(&mut agent, [1, 1]), [false, true]);
}
