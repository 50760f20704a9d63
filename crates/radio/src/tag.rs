//! A tag is what the link layer remembers of a packet.

use airhop_base::FlowId;

/// What the link layer remembers of a packet after it was handed over: enough to say which TCP segment a frame was
/// (Yun 2009 §3.1: "flow information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// The flow.
    pub flow: FlowId,
    /// First byte of the TCP payload.
    pub seq: u64,
    /// First byte after it; equal to `seq` if the packet carries no TCP payload.
    pub end: u64,
}
