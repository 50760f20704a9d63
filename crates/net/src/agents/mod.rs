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

/// Event of the link layer: all information that agents receive across layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEvent {
    /// Kind of the event.
    pub kind: LinkEventKind,
    /// Tag of the packet.
    pub tag: Tag,
    /// Next node of the packet: the end of the hop.
    pub next: NodeId,
    /// With [`LinkEventKind::Discarded`]: true if an ACK of the flow is queued at this station;
    /// [`Agent::on_waiting`] will show it.
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
    /// Link ACK: the link layer knows that the packet arrived.
    Delivered,
    /// Begin of a fade, as known to the link layer: the first failure after a success. Reported to agents
    /// that use fades, for all flows whose next hop towards either end is this link; the tag names the flow.
    FadeStart,
    /// End of a fade, with its duration up to the first link ACK.
    FadeEnd(Span),
}

/// Action of an agent on a packet that passes its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// The packet continues.
    Forward,
    /// The agent drops the packet, which is counted as `drops.agent`.
    Consume,
    /// The agent is the packet's destination, where it has arrived (proxy of a split connection).
    Take,
}

/// Further actions of an agent besides the one on the passing packet: filled by the agent, emptied by the
/// world.
#[derive(Debug, Default)]
pub struct AgentActions {
    /// Packets to send from this node along its routes (Snoop's local retransmissions).
    pub packets: Vec<Packet>,
    /// Notices to the sender of the flow: a 40-byte packet, or a call if the sender is on this node (Yun 2009 §3.1).
    pub notices: Vec<Notice>,
    /// Set on [`LinkEventKind::Discarded`]: true if this discard is not reported to routing, which then keeps
    /// the link.
    pub spares_link: bool,
}

/// Agent for one flow at one node.
pub trait Agent: std::fmt::Debug + Send {
    /// Handles a packet of the flow that passes (or starts, or ends) at this node; the agent may change its
    /// headers. `queued`: occupancy, 0 to 1, of the queue towards the receiver.
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

    /// Handles an ACK of the flow that is carried on data of the opposite direction, as in real connections.
    /// Such an ACK is not a duplicate ACK (RFC 5681 §2).
    fn on_piggybacked(&mut self, now: Time, ack: u64) {
        let _ = (now, ack);
    }

    /// Handles an event of this node's link layer about a packet of the flow.
    fn on_link(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let _ = (now, event, actions);
    }

    /// Handles, after [`LinkEventKind::Discarded`], an ACK of the flow queued at this station; the agent may
    /// change its headers. ACKs are shown in the order of the queue. Returns true to be shown the next one
    /// too.
    fn on_waiting(&mut self, now: Time, ack: &mut Packet) -> bool {
        let _ = (now, ack);
        false
    }

    /// Returns the direction of the data through the node of a proxy, which ends the connection: it receives
    /// all segments, and the other agents see only its wireless side. `None` if the agent is no proxy.
    fn ends(&self) -> Option<Way> {
        None
    }

    /// True if the agent uses fades: [`LinkEventKind::FadeStart`] and [`LinkEventKind::FadeEnd`].
    fn heeds_fades(&self) -> bool {
        false
    }

    /// Receives a random number specific to this flow, node and replication, as seed for a sender of the
    /// agent.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the initial advertised window, bytes, of an agent in the receiver's place; `None` for others.
    fn first_window(&self) -> Option<u64> {
        None
    }

    /// Returns the time of the next call of `on_timeout`; `None` without one.
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

    // Contract of the trait: the default methods let all packets pass, and request nothing.
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
