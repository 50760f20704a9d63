//! Agents at base stations and stations, which see packets and link-layer events.
//!
//! One agent instance serves one flow at one node. [`crate::services`] lists the agents, and the nodes on a flow's path where they are
//! installed.

mod ebsn;
mod eln;
mod elsn;
mod nak;
mod rttn;
mod snoop;
mod split;

use crate::services::Way;
use airhop_base::{NodeId, Notice, Packet, Span, Time};
use airhop_radio::Tag;
pub use ebsn::Ebsn;
pub use eln::Eln;
pub use elsn::Elsn;
pub use nak::Nak;
pub use rttn::Rttn;
pub use snoop::Snoop;
pub use split::Split;

/// Maximum number of agents in a world.
pub(crate) const MOST_AGENTS: usize = u16::MAX as usize;

/// Event of the link layer: the whole cross-layer bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEvent {
    /// Kind of the event.
    pub kind: LinkEventKind,
    /// Tag of the packet.
    pub tag: Tag,
    /// Destination of the hop: the packet's next node.
    pub next: NodeId,
    /// With [`LinkEventKind::Discarded`]: true if an ACK of the flow waits at this station; [`Agent::on_waiting`] will show it.
    pub ack_waits: bool,
}

/// Kinds of link events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEventKind {
    /// Failure of the first attempt; a second one follows.
    FirstFailure,
    /// Failure of a later attempt; another one follows.
    AttemptFailed,
    /// Discard of the packet by the link layer.
    Discarded,
    /// Link ACK: the link layer learned that the packet arrived.
    Delivered,
    /// Beginning of a fade for the link layer: the first failure after a success. For agents that use fades, of all
    /// flows whose next hop, towards either end, is this link; the tag names the flow.
    FadeStart,
    /// End of a fade with its duration, until the first link ACK since it began.
    FadeEnd(Span),
}

/// Action of an agent on a packet that passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// The packet continues.
    Forward,
    /// The agent consumed the packet; counted as `drops.agent`.
    Consume,
    /// The agent is the packet's destination, where it arrived (a split connection's proxy).
    Take,
}

/// Actions of an agent beside the packet that it was shown: filled by the agent, emptied by the world.
#[derive(Debug, Default)]
pub struct AgentActions {
    /// Packets to send from this node, by its routes (Snoop's local retransmissions).
    pub packets: Vec<Packet>,
    /// Notices to the sender of the flow: a 40-byte packet, or a call if the sender is on this node (Yun 2009 §3.1).
    pub notices: Vec<Notice>,
    /// Set on [`LinkEventKind::Discarded`]: true if this drop is not reported to routing, which keeps using the link.
    pub spares_link: bool,
}

/// Agent for one flow at one node.
pub trait Agent: std::fmt::Debug + Send {
    /// Handles a packet of the flow that passes (or starts, or ends) at this node; the agent may write in its headers. `queued` is the
    /// fill, 0 to 1, of the queue towards the receiver.
    fn on_packet(
        &mut self,
        now: Time,
        packet: &mut Packet,
        queued: f64,
        actions: &mut AgentActions,
    ) -> PacketAction {
        let _ = (now, packet, queued, actions);
        PacketAction::Forward
    }

    /// Handles an ACK of the flow that rides on data of the other half of the connection, as real ACKs do. It is no duplicate (RFC 5681
    /// §2).
    fn on_piggybacked(&mut self, now: Time, ack: u64) {
        let _ = (now, ack);
    }

    /// Handles an event of this node's link layer about a packet of the flow.
    fn on_link(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let _ = (now, event, actions);
    }

    /// Handles, after [`LinkEventKind::Discarded`], an ACK of the flow that waits at this station; the agent may write in its headers. The
    /// next ACK to leave is shown first. Returns true to see the one behind it, too.
    fn on_waiting(&mut self, now: Time, ack: &mut Packet) -> bool {
        let _ = (now, ack);
        false
    }

    /// Returns the direction of the data through its node, if it is a proxy, which ends the connection: it takes all segments, and the
    /// other agents see only its wireless side.
    fn ends(&self) -> Option<Way> {
        None
    }

    /// True if it listens to fades: [`LinkEventKind::FadeStart`] and [`LinkEventKind::FadeEnd`].
    fn heeds_fades(&self) -> bool {
        false
    }

    /// Receives a random number, of this flow, node and replication alone, to seed a sender of its own.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the first advertised window, bytes, if it is in the receiver's place.
    fn first_window(&self) -> Option<u64> {
        None
    }

    /// Returns the time of the next call of `on_timeout`, if any.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Handles the timeout of `poll_timeout`.
    fn on_timeout(&mut self, now: Time, actions: &mut AgentActions) {
        let _ = (now, actions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId};

    /// Agent with the default methods.
    #[derive(Debug)]
    struct Bystander;

    impl Agent for Bystander {}

    // The contract of the trait: by default an agent lets all packets pass, and requests nothing.
    #[test]
    fn a_bystander_lets_all_pass_and_asks_for_nothing() {
        let body = Body::Udp(Datagram { number: 0, len: 12, sent: Time::ZERO, original: None });
        let mut packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body);
        let mut actions = AgentActions::default();
        assert_eq!(Bystander.on_packet(Time::ZERO, &mut packet, 1.0, &mut actions), PacketAction::Forward);
        assert!(!Bystander.on_waiting(Time::ZERO, &mut packet), "no further ACK is shown");
        Bystander.on_piggybacked(Time::ZERO, 1);
        assert!(!Bystander.heeds_fades());
        assert_eq!((Bystander.first_window(), Bystander.poll_timeout()), (None, None));
    }
}
