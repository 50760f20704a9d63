//! Messages of AODV between routers (RFC 3561 §5).

use crate::{NodeId, Span};

/// AODV message. Every hop sends a new packet with its own source address.
#[derive(Clone, Debug, PartialEq)]
pub enum AodvMessage {
    /// Route request: broadcast, and forwarded by nodes without a route.
    Request(RouteRequest),
    /// Route reply: returns on the path of the request.
    Reply(RouteReply),
    /// Route error: destinations no longer reachable through the sender.
    Error(Vec<UnreachableDestination>),
}

/// Route request (RFC 3561 §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// Identifier of the request, unique per originator.
    pub id: u32,
    /// Hops from the originator to the sender of this copy.
    pub hops: u8,
    /// Destination of the requested route.
    pub dst: NodeId,
    /// Minimum destination sequence number of the requested route; 0 if unknown.
    pub dst_seq: u32,
    /// Originator of the request.
    pub origin: NodeId,
    /// Sequence number of the originator, for the reverse route.
    pub origin_seq: u32,
}

/// Route reply (RFC 3561 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteReply {
    /// Hops from the sender of this copy to the destination.
    pub hops: u8,
    /// Destination of the route.
    pub dst: NodeId,
    /// Destination sequence number.
    pub dst_seq: u32,
    /// Originator of the request.
    pub origin: NodeId,
    /// Lifetime of the route; integer milliseconds on the wire.
    pub lifetime: Span,
}

/// Lost destination (RFC 3561 §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnreachableDestination {
    /// Destination.
    pub dst: NodeId,
    /// Highest destination sequence number of the lost routes.
    pub dst_seq: u32,
}

impl AodvMessage {
    /// Returns the message length in bytes, without UDP and IP headers (RFC 3561 §5.1 to §5.3).
    pub fn message_bytes(&self) -> u32 {
        match self {
            AodvMessage::Request(_) => 24,
            AodvMessage::Reply(_) => 20,
            AodvMessage::Error(lost) => 4 + 8 * lost.len() as u32,
        }
    }
}
