//! Tag: the link layer's record of a packet.

use airhop_base::FlowId;

/// The link layer's record of a packet that it has passed on: enough to identify the TCP segment in a frame (Yun 2009 §3.1: "flow
/// information, sequence number").
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// The flow.
    pub flow: FlowId,
    /// First byte of the TCP payload.
    pub seq: u64,
    /// First byte after the payload; equal to `seq` if the packet carries no TCP payload.
    pub end: u64,
}
