//! Ends of a flow, and packets of the flow, on the wire.

use crate::hostile::{internet_checksum, protected};
use airhop_base::{
    Body, Flags, FlowId, NodeId, Notice, NoticeKind, Options, Packet, Sack, SackBlock, Segment, Time,
};
use airhop_wire::{Conversation, encode};

pub const SENDER: NodeId = NodeId(0);
pub const RECEIVER: NodeId = NodeId(4);
pub const BASE_STATION: NodeId = NodeId(2);
/// ACK without options.
pub const NOTHING: Segment = Segment {
    seq: 1,
    len: 0,
    ack: 1,
    window: 20_000,
    flags: Flags { syn: false, ack: true, fin: false, psh: false, ece: false, cwr: false },
    timestamps: None,
    has_header_checksum: false,
    sack_permitted: false,
    options: Options::NONE,
    sent: Time::ZERO,
};

pub fn sack(blocks: &[(u64, u64)]) -> Sack {
    let mut sack = Sack::EMPTY;
    for &(start, end) in blocks {
        sack.push(SackBlock { start, end });
    }
    sack
}

/// Returns a segment of the sender.
pub fn data(segment: Segment) -> Packet {
    let bytes = 40 + segment.option_bytes() + segment.len;
    Packet::new(FlowId(3), SENDER, RECEIVER, bytes, Body::Tcp(segment))
}

/// Returns a segment of the receiver.
pub fn reverse(segment: Segment) -> Packet {
    Packet { src: RECEIVER, dst: SENDER, ..data(segment) }
}

/// Returns a notice in the form of an ACK of the receiver.
pub fn notice(kind: NoticeKind, seq: u64, end: u64) -> Packet {
    let notice = Notice { origin: RECEIVER, ..Notice::with_segment(kind, seq, end) };
    Packet::new(FlowId(3), RECEIVER, SENDER, notice.datagram_bytes(), Body::Notice(notice))
}

/// Returns a packet's bytes on the wire.
pub fn bytes(packet: &Packet) -> Vec<u8> {
    let mut conversation = Conversation::new(SENDER, RECEIVER);
    conversation.record_window_scale(packet);
    let mut out = vec![0xEE; 7];
    encode(packet, &conversation, &mut out).unwrap();
    out
}

/// Checks checksums (RFC 1071 §1): the sum over the protected bytes, checksum included, is zero.
pub fn checksums_hold(datagram: &[u8]) -> bool {
    internet_checksum(&datagram[..20]) == 0 && internet_checksum(&protected(datagram)) == 0
}

/// Returns the 32-bit number at this offset.
pub fn word(datagram: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([datagram[at], datagram[at + 1], datagram[at + 2], datagram[at + 3]])
}
