//! Actions of routers, fields of packets that routers read, and counters of messages.

use airhop_base::{NodeId, Packet, Routing};
use airhop_engine::Id;

/// Action of a router, which its station executes.
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
        /// TTL of the message.
        ttl: u8,
    },
    /// Drop this packet for lack of a route.
    Drop(Id<Packet>),
    /// Drop all packets queued for this neighbour, because their route is lost.
    Flush(NodeId),
}

/// Fields of a packet that a router reads.
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
    /// Returns the fields of `packet`.
    pub fn of(packet: &Packet) -> Self {
        RoutedPacket { src: packet.src, dst: packet.dst, hops: Packet::TTL.saturating_sub(packet.ttl) }
    }
}

/// Counters of routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutingCounts {
    /// Route requests sent, including forwarded requests.
    pub requests: u64,
    /// Route replies sent, including forwarded replies.
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

    /// Returns mutable access to the counters, in the order of the results.
    pub fn each_mut(&mut self) -> [&mut u64; 4] {
        let RoutingCounts { requests, replies, errors, link_failures } = self;
        [requests, replies, errors, link_failures]
    }

    /// Adds the counters of another router.
    pub fn add(&mut self, mut other: RoutingCounts) {
        self.each_mut().into_iter().zip(other.each_mut()).for_each(|(count, more)| *count += *more);
    }
}
