//! Actions of routers, packet fields that routers read, and counters of routing messages.

use airhop_base::{AodvMessage, NodeId, Packet};
use airhop_engine::Id;

/// Action that a router requests from its station.
#[derive(Debug)]
pub enum AodvAction {
    /// Forward a packet.
    Forward {
        /// The packet.
        packet: Id<Packet>,
        /// Next hop.
        next: NodeId,
    },
    /// Send a routing message.
    Send {
        /// Message.
        message: AodvMessage,
        /// Receiver: a neighbour, or [`NodeId::BROADCAST`].
        to: NodeId,
        /// TTL of the message.
        ttl: u8,
    },
    /// Drop this packet, because no route is known.
    Drop(Id<Packet>),
    /// Drop all packets queued for this neighbour, because the routes over it are lost.
    Flush(NodeId),
}

/// Packet fields that a router reads.
#[derive(Clone, Copy, Debug)]
pub struct RoutedPacket {
    /// Source of the packet.
    pub src: NodeId,
    /// Destination of the packet.
    pub dst: NodeId,
    /// Number of hops that the packet has crossed so far.
    pub hops: u8,
}

impl RoutedPacket {
    /// Returns the fields of `packet`.
    pub fn from_packet(packet: &Packet) -> Self {
        RoutedPacket {
            src: packet.src,
            dst: packet.dst,
            hops: Packet::DEFAULT_TTL.saturating_sub(packet.ttl),
        }
    }
}

/// Counters of one or more routers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutingCounts {
    /// Number of route requests sent; forwarded requests also count.
    pub requests: u64,
    /// Number of route replies sent; forwarded replies also count.
    pub replies: u64,
    /// Number of route errors sent.
    pub errors: u64,
    /// Number of packets that the link layer reported as discarded.
    pub link_failures: u64,
}

impl RoutingCounts {
    /// Counts a message when it is sent.
    pub(super) fn count_message(&mut self, message: &AodvMessage) {
        *match message {
            AodvMessage::Request(_) => &mut self.requests,
            AodvMessage::Reply(_) => &mut self.replies,
            AodvMessage::Error(_) => &mut self.errors,
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
