//! Actions of routers, fields of packets that routers use, and counts of messages.

use airhop_base::{NodeId, Packet, Routing};
use airhop_engine::Id;

/// Action of a router, carried out by its station.
#[derive(Debug)]
pub enum Action {
    /// Send this packet to this neighbour.
    Forward {
        /// The packet.
        packet: Id<Packet>,
        /// Next hop.
        next: NodeId,
    },
    /// Send a message to a neighbour.
    Send {
        /// Message.
        message: Routing,
        /// Receiver: a neighbour, or [`NodeId::BROADCAST`].
        to: NodeId,
        /// Maximum number of hops of the message.
        ttl: u8,
    },
    /// Drop this packet for lack of a route.
    Drop(Id<Packet>),
    /// Drop all packets queued for this neighbour, which no longer leads to their destinations.
    Flush(NodeId),
}

/// Fields of a packet that a router needs.
#[derive(Clone, Copy, Debug)]
pub struct RoutedPacket {
    /// Source of the packet.
    pub src: NodeId,
    /// Destination of the packet.
    pub dst: NodeId,
    /// Number of hops so far.
    pub hops: u8,
}

impl RoutedPacket {
    /// Returns the fields of this packet.
    pub fn of(packet: &Packet) -> Self {
        RoutedPacket { src: packet.src, dst: packet.dst, hops: Packet::TTL.saturating_sub(packet.ttl) }
    }
}

/// Counts of routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutingCounts {
    /// Route requests sent, forwarded ones included.
    pub requests: u64,
    /// Route replies sent, forwarded ones included.
    pub replies: u64,
    /// Route errors sent.
    pub errors: u64,
    /// Packets that the link layer discarded, as reported to the router.
    pub link_failures: u64,
}

impl RoutingCounts {
    /// Counts a message that is sent.
    pub(super) fn count(&mut self, message: &Routing) {
        *match message {
            Routing::Request(_) => &mut self.requests,
            Routing::Reply(_) => &mut self.replies,
            Routing::Error(_) => &mut self.errors,
        } += 1;
    }

    /// Returns mutable access to the counts, in the order of the results.
    pub fn each_mut(&mut self) -> [&mut u64; 4] {
        let RoutingCounts { requests, replies, errors, link_failures } = self;
        [requests, replies, errors, link_failures]
    }

    /// Adds the counts of another router.
    pub fn add(&mut self, mut other: RoutingCounts) {
        self.each_mut().into_iter().zip(other.each_mut()).for_each(|(count, more)| *count += *more);
    }
}
