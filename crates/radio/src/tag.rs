//! Flow and sequence number that a link layer records for a packet.

use airhop_base::FlowId;

/// Flow and sequence number of a packet. A link layer uses the tag to identify the TCP segment in a frame
/// (Yun 2009 §3.1: "flow information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketTag {
    /// Flow of the packet.
    pub flow: FlowId,
    /// Length of the TCP payload in bytes; 0 without payload.
    pub payload_bytes: u32,
    /// Sequence number of the first byte of the TCP payload.
    pub seq: u64,
}

impl PacketTag {
    /// Returns the sequence number after the last byte of the TCP payload.
    pub fn end_seq(&self) -> u64 {
        self.seq + u64::from(self.payload_bytes)
    }
}
