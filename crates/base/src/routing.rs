//! What routers tell each other: the messages of AODV (RFC 3561 §5).

use crate::{NodeId, Span};

/// A message of AODV. Every hop sends it anew, so the packet that carries it is from the neighbour that sent it last.
#[derive(Clone, Debug, PartialEq)]
pub enum Routing {
    /// Who knows a route? Broadcast, and passed on by who does not.
    Request(RouteRequest),
    /// Here is one. Goes back the way that the request came.
    Reply(RouteReply),
    /// These destinations cannot be reached through the sender any more.
    Error(Vec<Unreachable>),
}

/// A route request (RFC 3561 §5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteRequest {
    /// With `origin`, the identity of the request.
    pub id: u32,
    /// Hops from the originator to who sent this copy.
    pub hops: u8,
    /// A route to this node is wanted.
    pub dst: NodeId,
    /// At least as fresh as this; 0 if nothing is known of it.
    pub dst_seq: u32,
    /// Who wants it.
    pub origin: NodeId,
    /// The sequence number of the originator, for routes back to it.
    pub origin_seq: u32,
}

/// A route reply (RFC 3561 §5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteReply {
    /// Hops from who sent this copy to the destination.
    pub hops: u8,
    /// The destination of the route.
    pub dst: NodeId,
    /// How fresh it is.
    pub dst_seq: u32,
    /// Who asked for it.
    pub origin: NodeId,
    /// How long the route is good for; whole milliseconds on the wire.
    pub lifetime: Span,
}

/// A destination that was lost (RFC 3561 §5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreachable {
    /// The destination.
    pub dst: NodeId,
    /// Routes to it that are as old as this, or older, are lost.
    pub seq: u32,
}

impl Routing {
    /// Its length in bytes, without the headers of UDP and IP (RFC 3561 §5.1 to §5.3).
    pub fn bytes(&self) -> u32 {
        match self {
            Routing::Request(_) => 24,
            Routing::Reply(_) => 20,
            Routing::Error(lost) => 4 + 8 * lost.len() as u32,
        }
    }
}
