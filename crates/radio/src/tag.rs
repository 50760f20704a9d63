//! Tag: the link layer's record of a packet.

use airhop_base::FlowId;

/// The link layer's record of a packet that it has forwarded, sufficient to identify the TCP segment in a
/// frame (Yun 2009 §3.1: "flow information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// The flow.
    pub flow: FlowId,
    /// Length of the TCP payload, bytes; 0 if the packet carries none.
    pub len: u32,
    /// First byte of the TCP payload.
    pub seq: u64,
}

impl Tag {
    /// Returns the first byte after the TCP payload.
    pub fn end(&self) -> u64 {
        self.seq + u64::from(self.len)
    }
}
