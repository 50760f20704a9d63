//! Agents at base stations and stations.
//!
//! An agent processes the packets and link-layer events of one flow at one node. [`crate::services`] lists
//! the agents, and their nodes on a flow's path.

mod ebsn;
mod eln;
mod elsn;
mod nak;
mod rttn;
mod snoop;
mod split;

use crate::services::DataDirection;
use airhop_base::{NodeId, Notice, Packet, Span, Time};
use airhop_radio::PacketTag;
pub use ebsn::EbsnAgent;
pub use eln::ElnAgent;
pub use elsn::ElsnAgent;
pub use nak::NakAgent;
pub use rttn::RttnAgent;
pub use snoop::SnoopAgent;
pub use split::SplitProxy;

/// Maximum number of agents in a world.
pub(crate) const MAX_AGENTS: usize = u16::MAX as usize;

/// Link-layer event. Agents receive no other information from the link layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEvent {
    /// Kind of the event.
    pub kind: LinkEventKind,
    /// Tag of the packet: flow and bytes.
    pub tag: PacketTag,
    /// Node at the far end of the hop.
    pub next_hop: NodeId,
    /// True if an ACK of the flow is queued at this station. Used with [`LinkEventKind::Discarded`]. The
    /// world passes a queued ACK to [`Agent::on_queued_ack`].
    pub has_queued_ack: bool,
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
    /// Start of a fade: the link layer observes the first failure after a success. The event is repeated for
    /// every flow with this link as next hop towards either end, if the flow's agent uses fades. The tag
    /// names the flow.
    FadeStart,
    /// End of a fade. The duration is the time from the start of the fade to the first link ACK.
    FadeEnd(Span),
}

/// Action of an agent on a packet at its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// The packet is forwarded.
    Forward,
    /// The agent removes the packet. The results count the packet under `drops.agent`.
    Consume,
    /// The agent receives the packet as its destination (proxy of a split connection).
    Take,
}

/// Further actions that an agent requests, besides the action on the packet. The world executes and removes
/// the requested actions.
#[derive(Debug, Default)]
pub struct AgentActions {
    /// Packets that the node sends along its routes, such as Snoop's local retransmissions.
    pub packets: Vec<Packet>,
    /// Notices to the sender of the flow. A notice is a separate packet, or a function call if the sender is
    /// on this node (Yun 2009 §3.1).
    pub notices: Vec<Notice>,
    /// True if the discard is not reported to routing, so that routing keeps the link. Used with
    /// [`LinkEventKind::Discarded`].
    pub hides_discard: bool,
}

/// Agent of one flow at one node.
pub trait Agent: std::fmt::Debug + Send {
    /// Handles a packet of the flow that this node forwards, sends or receives. The agent may change the
    /// packet's headers. `queued` is the occupancy of the queue towards the receiver, from 0 to 1.
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

    /// Handles an ACK of the flow on a data segment of the opposite direction. A piggybacked ACK is not a
    /// duplicate ACK (RFC 5681 §2).
    fn on_piggybacked_ack(&mut self, now: Time, ack: u64) {
        let _ = (now, ack);
    }

    /// Handles a link-layer event of this node for a packet of the flow.
    fn on_link_event(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let _ = (now, event, actions);
    }

    /// Handles an ACK of the flow that is queued at this station, after [`LinkEventKind::Discarded`]. The
    /// agent may change the ACK's headers. The world passes the queued ACKs in order until the agent returns
    /// false.
    fn on_queued_ack(&mut self, now: Time, ack: &mut Packet) -> bool {
        let _ = (now, ack);
        false
    }

    /// Returns the direction of the data through a proxy; `None` for other agents. A proxy terminates the
    /// connection at this node, and receives all segments. Other agents at the node process only packets on
    /// the proxy's wireless side.
    fn proxied_direction(&self) -> Option<DataDirection> {
        None
    }

    /// True if the agent uses fades: [`LinkEventKind::FadeStart`] and [`LinkEventKind::FadeEnd`].
    fn uses_fades(&self) -> bool {
        false
    }

    /// Passes a random seed to an agent that contains a sender. The seed differs between flows, nodes and
    /// replications.
    fn set_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Returns the initial advertised window in bytes, if the agent acts as the receiver; `None` for other
    /// agents.
    fn initial_window(&self) -> Option<u64> {
        None
    }

    /// Returns the expiry time of the agent's timer; `None` if the timer is stopped.
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

    /// Agent with the default methods of the trait.
    #[derive(Debug)]
    struct Bystander;

    impl Agent for Bystander {}

    // Contract of the trait: with its default methods an agent forwards all packets and requests no action.
    #[test]
    fn the_default_agent_forwards_every_packet_without_action() {
        let body = Body::Udp(Datagram { sequence_number: 0, len: 12, sent: Time::ZERO, original: None });
        let mut packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body);
        let mut actions = AgentActions::default();
        assert_eq!(Bystander.on_packet(Time::ZERO, &mut packet, 1.0, &mut actions), PacketAction::Forward);
        assert!(!Bystander.on_queued_ack(Time::ZERO, &mut packet), "no further ACK reaches the agent");
        Bystander.on_piggybacked_ack(Time::ZERO, 1);
        assert!(!Bystander.uses_fades());
        assert_eq!((Bystander.initial_window(), Bystander.poll_timeout()), (None, None));
    }
}
