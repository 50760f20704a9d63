//! Tag of a packet: its flow and sequence number, as a link layer records them.

use airhop_base::FlowId;

/// Flow and sequence number of a packet, by which a link layer identifies the TCP segment in a frame (Yun
/// 2009 §3.1: "flow information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// Flow of the packet.
    pub flow: FlowId,
    /// Length of the TCP payload, bytes; 0 if the packet has none.
    pub len: u32,
    /// Sequence number of the first byte of the TCP payload.
    pub seq: u64,
}

impl Tag {
    /// Returns the sequence number after the last byte of the TCP payload.
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}
