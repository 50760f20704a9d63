//! Packets and stream offsets of Airhop, from segments and sequence numbers of a script.

use airhop_base::{Body, Ecn, FlowId, NodeId, Packet, Segment, TCP_IP_HEADER_BYTES};

/// Node of the stack under test.
pub(super) const LOCAL: NodeId = NodeId(0);
/// Node of the script.
pub(super) const PEER: NodeId = NodeId(1);
/// Flow of the only connection.
pub(super) const FLOW: FlowId = FlowId(0);

/// Creates the packet of a segment from the peer.
pub(super) fn packet(segment: Segment, ecn: Ecn) -> Packet {
    let bytes = TCP_IP_HEADER_BYTES + segment.option_bytes() + segment.len;
    Packet { ecn, ..Packet::new(FLOW, PEER, LOCAL, bytes, Body::Tcp(segment)) }
}

/// Converts a 32-bit sequence number into the stream offset nearest to `near`.
pub(super) fn to_stream_offset(number: u32, near: u64) -> u64 {
    let ahead = number.wrapping_sub(near as u32) as i32;
    near.saturating_add_signed(i64::from(ahead))
}
