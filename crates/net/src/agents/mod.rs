//! Agents at base stations and stations: they see packets pass and hear what the link layer does.
//!
//! One agent instance serves one flow at one node. Which agents there are, and where on a flow's path they are installed, stands
//! in [`crate::services`].

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

/// So many agents can be told apart in a world.
pub(crate) const MOST_AGENTS: usize = u16::MAX as usize;

/// What the link layer tells: the whole cross-layer bus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkEvent {
    /// What happened.
    pub kind: LinkEventKind,
    /// To which packet.
    pub tag: Tag,
    /// Whom it was for: the next node on its way.
    pub next: NodeId,
    /// With [`LinkEventKind::Discarded`]: an ACK of the flow waits at this station; [`Agent::on_waiting`] will show it.
    pub ack_waits: bool,
}

/// The kinds of link events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkEventKind {
    /// The first attempt failed and a second one follows.
    FirstFailure,
    /// A later attempt failed and another one follows.
    AttemptFailed,
    /// The link layer gave the packet up.
    Discarded,
    /// The link layer learned that the packet arrived.
    Delivered,
    /// A fade began, as the link layer sees it: the first failure after a success. Told to the agents that heed fades, of all flows
    /// whose next hop, towards either end, is this link; the tag names the flow.
    FadeStart,
    /// The fade is over: the first link ACK since it began, so much later.
    FadeEnd(Span),
}

/// Action of an agent on a packet that passes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketAction {
    /// It goes on its way.
    Forward,
    /// The agent took it out; counted as `drops.agent`.
    Consume,
    /// The agent is where it was going: it arrived (a split connection's proxy).
    Take,
}

/// Actions of an agent beside the packet that it was shown: filled by the agent, emptied by the world.
#[derive(Debug, Default)]
pub struct AgentActions {
    /// Packets to send from this node, by its routes (Snoop's local retransmissions).
    pub packets: Vec<Packet>,
    /// Notices to the sender of the flow: a 40-byte packet, or a call if the sender is on this node (Yun 2009 §3.1).
    pub notices: Vec<Notice>,
    /// Set on [`LinkEventKind::Discarded`]: routing is not told of this drop, and goes on using the link.
    pub spares_link: bool,
}

/// An agent for one flow at one node.
pub trait Agent: std::fmt::Debug + Send {
    /// A packet of the flow passes (or starts, or ends) at this node; the agent may write in its headers. `queued` is the fill,
    /// 0 to 1, of the queue towards the receiver.
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

    /// An ACK of the flow passes on data of the other half of the connection, as real ones do. It is no duplicate (RFC 5681 §2).
    fn on_piggybacked(&mut self, now: Time, ack: u64) {
        let _ = (now, ack);
    }

    /// The link layer of this node did something with a packet of the flow.
    fn on_link(&mut self, now: Time, event: &LinkEvent, actions: &mut AgentActions) {
        let _ = (now, event, actions);
    }

    /// After [`LinkEventKind::Discarded`]: an ACK of the flow waits at this station; the agent may write in its headers. The one that
    /// goes next is shown first. Returns true to see the next one, too.
    fn on_waiting(&mut self, now: Time, ack: &mut Packet) -> bool {
        let _ = (now, ack);
        false
    }

    /// The way in which data cross its node, if it is a proxy, which ends the connection: it takes all segments, and the other agents see what
    /// is on its wireless side alone.
    fn ends(&self) -> Option<Way> {
        None
    }

    /// True if it is to hear of fades: [`LinkEventKind::FadeStart`] and [`LinkEventKind::FadeEnd`].
    fn heeds_fades(&self) -> bool {
        false
    }

    /// A random number, of this flow, node and replication alone, for a sender of its own that draws.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// The window that it advertises at first, bytes, if it is in the receiver's place.
    fn first_window(&self) -> Option<u64> {
        None
    }

    /// When `on_timeout` is to be called, if at all.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    /// The time that `poll_timeout` named has come.
    fn on_timeout(&mut self, now: Time, actions: &mut AgentActions) {
        let _ = (now, actions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId};

    /// An agent of which nothing is said.
    #[derive(Debug)]
    struct Bystander;

    impl Agent for Bystander {}

    // The contract of the trait: what an agent does not say, it lets pass, and asks for nothing.
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
