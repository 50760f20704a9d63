//! Messages of AODV between routers (RFC 3561 §5).

use crate::{NodeId, Span};

/// Message of AODV. Every hop sends it anew, so the source of its packet is the neighbour that sent it last.
#[derive(Clone, Debug, PartialEq)]
pub enum Routing {
    /// Route request: broadcast, and forwarded by nodes without a route.
    Request(RouteRequest),
    /// Route reply: returns on the path of the request.
    Reply(RouteReply),
    /// Route error: destinations that cannot be reached through the sender any more.
    Error(Vec<Unreachable>),
}

/// Route request (RFC 3561 §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// With `origin`, the identity of the request.
    pub id: u32,
    /// Hops from the originator to the sender of this copy.
    pub hops: u8,
    /// Destination of the wanted route.
    pub dst: NodeId,
    /// Least destination sequence number of the wanted route; 0 if it is unknown.
    pub dst_seq: u32,
    /// Originator of the request.
    pub origin: NodeId,
    /// Sequence number of the originator, for routes back to it.
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
    /// Lifetime of the route; whole milliseconds on the wire.
    pub lifetime: Span,
}

/// Lost destination (RFC 3561 §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// Destination.
    pub dst: NodeId,
    /// Highest destination sequence number of the lost routes.
    pub seq: u32,
}

impl Routing {
    /// Returns its length in bytes, without the headers of UDP and IP (RFC 3561 §5.1 to §5.3).
    pub fn bytes(&self) -> u32 {
        match self {
            Routing::Request(_) => 24,
            Routing::Reply(_) => 20,
            Routing::Error(lost) => 4 + 8 * lost.len() as u32,
        }
    }
}
