//! Agents at base stations and stations, which process packets and link-layer events.
//!
//! An agent instance serves one flow at one node. [`crate::services`] lists the agents, and the nodes on a
//! flow's path at which they run.

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

/// Link-layer event. Agents receive no other information across layers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEvent {
    /// Kind of the event.
    pub kind: LinkEventKind,
    /// Tag of the packet, which names flow and bytes.
    pub tag: Tag,
    /// Node at the far end of the hop.
    pub next: NodeId,
    /// For [`LinkEventKind::Discarded`]: true if an ACK of the flow is queued at this station. The world then
    /// calls [`Agent::on_waiting`] with it.
    pub ack_waits: bool,
}

/// Kinds of link events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEventKind {
    /// The first attempt failed, and a second attempt follows.
    FirstFailure,
    /// A later attempt failed, and a further attempt follows.
    AttemptFailed,
    /// The link layer discarded the packet.
    Discarded,
    /// A link ACK reported the delivery of the packet.
    Delivered,
    /// Start of a fade as the link layer observes it, i.e. the first failure after a success. Agents that use
    /// fades receive the event, for every flow with this link as next hop towards either end. The tag names
    /// the flow.
    FadeStart,
    /// End of a fade, with its duration until the first link ACK.
    FadeEnd(Span),
}

/// Action of an agent on a packet at its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// The packet is forwarded.
    Forward,
    /// The agent drops the packet. The results count it as `drops.agent`.
    Consume,
    /// The packet has reached its destination, which is the agent (proxy of a split connection).
    Take,
}

/// Actions of an agent beyond the action on the packet. The agent adds actions, and the world executes and
/// removes them.
#[derive(Debug, Default)]
pub struct AgentActions {
    /// Packets that the node sends along its routes (Snoop's local retransmissions).
    pub packets: Vec<Packet>,
    /// Notices to the sender of the flow. A notice is a 40-byte packet, or a call if the sender is on this
    /// node (Yun 2009 §3.1).
    pub notices: Vec<Notice>,
    /// Set for [`LinkEventKind::Discarded`]: true if the discard is not reported to routing, so that routing
    /// keeps the link.
    pub spares_link: bool,
}

/// Agent of one flow at one node.
pub trait Agent: std::fmt::Debug + Send {
    /// Handles a packet of the flow that this node forwards, sends or receives. The agent may change its
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

    /// Handles an ACK of the flow that a data segment of the opposite direction carries, as in real
    /// connections. Such an ACK is not a duplicate ACK (RFC 5681 §2).
    fn on_piggybacked(&mut self, now: Time, ack: u64) {
        let _ = (now, ack);
    }

    /// Handles a link-layer event of this node for a packet of the flow.
    fn on_link(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let _ = (now, event, actions);
    }

    /// Handles an ACK of the flow that is queued at this station, after [`LinkEventKind::Discarded`]. The
    /// agent may change its headers. ACKs are passed in the order of the queue, as long as the agent returns
    /// true.
    fn on_waiting(&mut self, now: Time, ack: &mut Packet) -> bool {
        let _ = (now, ack);
        false
    }

    /// Returns the direction of the data at a proxy, which terminates the connection; `None` for other
    /// agents. A proxy receives all segments, and the other agents of its node process only packets on its
    /// wireless side.
    fn ends(&self) -> Option<Way> {
        None
    }

    /// True if the agent uses fades: [`LinkEventKind::FadeStart`] and [`LinkEventKind::FadeEnd`].
    fn uses_fades(&self) -> bool {
        false
    }

    /// Sets the seed of the agent's sender: a random number of this flow, node and replication.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the initial advertised window, bytes, of an agent that acts as the receiver; `None` for other
    /// agents.
    fn first_window(&self) -> Option<u64> {
        None
    }

    /// Returns the expiry time of the agent's timer; `None` if it is stopped.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// Handles the expiry of the agent's timer.
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

    // Contract of the trait: an agent with the default methods forwards all packets and requests no action.
    #[test]
    fn the_default_agent_forwards_every_packet_without_action() {
        let body = Body::Udp(Datagram { number: 0, len: 12, sent: Time::ZERO, original: None });
        let mut packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body);
        let mut actions = AgentActions::default();
        assert_eq!(Bystander.on_packet(Time::ZERO, &mut packet, 1.0, &mut actions), PacketAction::Forward);
        assert!(!Bystander.on_waiting(Time::ZERO, &mut packet), "no further ACK reaches the agent");
        Bystander.on_piggybacked(Time::ZERO, 1);
        assert!(!Bystander.uses_fades());
        assert_eq!((Bystander.first_window(), Bystander.poll_timeout()), (None, None));
    }
}
