//! Agents of a world. Agents process packets and link-layer events. The world sends the packets and notices
//! that an agent requests.

use crate::agents::{LinkEvent, LinkEventKind, PacketAction};
use crate::flow::{Endpoints, Flow};
use crate::plan::FlowPlan;
use crate::queues::TxQueue;
use crate::routing::Hop;
use crate::services::DataDirection;
use crate::world::hop_fields::HopFields;
use crate::world::site::LinkLayer;
use crate::world::{Event, HostedAgent, World};
use airhop_base::{Body, DropCause, FlowId, Naks, NodeId, Notice, NoticeKind, Packet, Segment, Time};
use airhop_engine::Id;
use airhop_radio::PacketTag;
use airhop_trace::{NoticeEvent, Recorder};
use std::ops::Range;

impl World {
    pub(crate) fn pass_to_agents(
        &mut self,
        now: Time,
        node: NodeId,
        flow: FlowId,
        id: &Id<Packet>,
    ) -> PacketAction {
        if self.arena.get(id).has_payload_errors {
            return PacketAction::Forward; // agents classify packets by their headers
        }
        let to_receiver = self.arena.get(id).dst == self.flows[flow.0 as usize].plan.to;
        let here = self.flows[flow.0 as usize].agents_at(node);
        let proxy = here.clone().next_back().filter(|&k| self.is_proxy_for_direction(flow, k, to_receiver));
        let action = self.pass_to_flow_agents(now, flow, proxy.map_or(here, |k| k..k + 1), id);
        self.pass_piggybacked_ack(now, node, id);
        action
    }

    /// True if agent `k` is a proxy, and packets in this direction reach the proxy from the wired side. Only
    /// the proxy processes these packets, because the other agents are between the proxy and the wireless
    /// link.
    fn is_proxy_for_direction(&self, flow: FlowId, k: usize, to_receiver: bool) -> bool {
        let (_, i) = self.flows[flow.0 as usize].agents[k];
        self.hosted_agents[i as usize]
            .agent
            .proxied_direction()
            .is_some_and(|way| (way == DataDirection::Down) == to_receiver)
    }

    /// Passes a packet to these agents of its flow in order, until an agent does not forward the packet.
    fn pass_to_flow_agents(
        &mut self,
        now: Time,
        flow: FlowId,
        agents: Range<usize>,
        id: &Id<Packet>,
    ) -> PacketAction {
        for k in agents {
            let (node, i) = self.flows[flow.0 as usize].agents[k];
            let queued = self.queue_fill_level(node, &self.flows[flow.0 as usize].plan);
            let hosted = &mut self.hosted_agents[i as usize];
            let packet = self.arena.get_mut(id);
            let named_lost = packet.segment().and_then(Segment::eln_seq);
            let had_naks = naks(packet);
            let action = hosted.agent.on_packet(now, packet, queued, &mut self.agent_actions);
            self.hop_fields[id.index() as usize] = HopFields::from_packet(packet, &self.flows);
            if let (Some(recorder), Some(seq)) =
                (&mut self.recorder, packet.segment().and_then(Segment::eln_seq))
                && named_lost != Some(seq)
            {
                recorder.record_notice(now, flow, NoticeKind::Eln, NoticeEvent::Sent, seq);
            }
            record_naks(&mut self.recorder, now, packet, had_naks);
            self.apply_agent_actions(now, i);
            if action != PacketAction::Forward {
                return action;
            }
        }
        PacketAction::Forward
    }

    /// Passes the ACK in a data segment of a real host to the agents of the acknowledged flow.
    fn pass_piggybacked_ack(&mut self, now: Time, node: NodeId, id: &Id<Packet>) {
        let packet = self.arena.get(id);
        let Some(half) = self.flows[packet.flow.0 as usize].endpoints.half_connection() else { return };
        let Some(ack) = packet.segment().filter(|s| s.len > 0 && s.flags.ack).map(|s| s.ack) else { return };
        let other = half.reverse_flow.0 as usize;
        for k in self.flows[other].agents_at(node) {
            let (_, i) = self.flows[other].agents[k];
            self.hosted_agents[i as usize].agent.on_piggybacked_ack(now, ack);
            self.apply_agent_actions(now, i);
        }
    }

    /// Builds the link event of a packet on a hop to `next`.
    fn link_event(&self, hop: Hop, next: NodeId, kind: LinkEventKind, tag: PacketTag) -> LinkEvent {
        let flow = &self.flows[tag.flow.0 as usize];
        let ack_waits = kind == LinkEventKind::Discarded
            && self
                .queue(hop, flow)
                .is_some_and(|q| q.any_waiting(&mut |id| is_ack(self.arena.get(id), flow)));
        LinkEvent { kind, tag, next_hop: next, has_queued_ack: ack_waits }
    }

    /// Reports a link-layer event to the agents at the start of a wireless hop. Returns true if an agent
    /// hides the event from routing.
    #[inline(always)]
    pub(crate) fn notify_agents(&mut self, now: Time, hop: Hop, kind: LinkEventKind, tag: PacketTag) -> bool {
        if self.hosted_agents.is_empty() {
            return false;
        }
        let watched = tag.flow.index().filter(|&flow| self.has_agents[flow]);
        watched.is_some_and(|flow| self.notify_agents_of(flow, now, hop, kind, tag))
    }

    #[inline(never)]
    fn notify_agents_of(
        &mut self,
        flow: usize,
        now: Time,
        hop: Hop,
        kind: LinkEventKind,
        tag: PacketTag,
    ) -> bool {
        let [node, next] = self.end_nodes(hop);
        let event = self.link_event(hop, next, kind, tag);
        let mut spares_link = false;
        for k in self.flows[flow].agents_at(node) {
            let (_, i) = self.flows[flow].agents[k];
            self.hosted_agents[i as usize].agent.on_link_event(now, &event, &mut self.agent_actions);
            if self.has_ampdu(hop) {
                self.hold_notices(node, tag.flow);
            }
            if event.has_queued_ack {
                self.pass_queued_acks(now, hop, i);
            }
            spares_link |= std::mem::take(&mut self.agent_actions.hides_discard);
            self.apply_agent_actions(now, i);
        }
        spares_link
    }

    /// Handles a failed attempt on a wireless hop. Notifies the agents if another attempt follows.
    pub(crate) fn on_attempt_failed(
        &mut self,
        now: Time,
        hop: Hop,
        tag: PacketTag,
        attempt: u32,
        retry: bool,
    ) {
        if retry {
            let kind = if attempt == 1 { LinkEventKind::FirstFailure } else { LinkEventKind::AttemptFailed };
            self.notify_agents(now, hop, kind, tag);
        }
    }

    /// Notifies the subscribed agents that a fade of a hop starts or ends.
    pub(crate) fn notify_of_fade(&mut self, now: Time, hop: Hop, kind: LinkEventKind) {
        let [_, next] = self.end_nodes(hop);
        for k in 0..self.fade_subscribers(hop).len() {
            let i = self.fade_subscribers(hop)[k];
            let hosted = &mut self.hosted_agents[i as usize];
            let tag = PacketTag { flow: hosted.flow, payload_bytes: 0, seq: 0 };
            let event = LinkEvent { kind, tag, next_hop: next, has_queued_ack: false };
            hosted.agent.on_link_event(now, &event, &mut self.agent_actions);
            self.apply_agent_actions(now, i);
        }
    }

    /// Returns the agents subscribed to the fades of a hop.
    fn fade_subscribers(&self, hop: Hop) -> &[u16] {
        self.links.link_of_hop(hop).map_or(&[], |link| link.fade_subscribers(hop))
    }

    /// Returns the nodes at the start and the end of a wireless hop.
    fn end_nodes(&self, hop: Hop) -> [NodeId; 2] {
        self.links.link_of_hop(hop).expect("only link layers of links report events").end_nodes(hop)
    }

    /// Returns the queue of a flow's packets before a hop; `None` if agents may not read the queue, as on a
    /// wired link.
    fn queue(&self, hop: Hop, flow: &Flow) -> Option<&TxQueue> {
        self.links.link_of_hop(hop)?.queue(hop, flow.plan.access_category)
    }

    /// Passes the ACKs in the queue before a hop to agent `i` of their flow.
    fn pass_queued_acks(&mut self, now: Time, hop: Hop, i: u16) {
        let World { links, arena, hop_fields, flows, hosted_agents: hosted, recorder, .. } = self;
        let HostedAgent { flow, agent, .. } = &mut hosted[i as usize];
        let category = flows[flow.0 as usize].plan.access_category;
        let Some(queue) = links.link_of_hop(hop).and_then(|link| link.queue(hop, category)) else { return };
        queue.any_waiting(&mut |id| {
            let packet = arena.get_mut(id);
            if !is_ack(packet, &flows[flow.0 as usize]) {
                return false;
            }
            let had_naks = naks(packet);
            let goes_on = agent.on_queued_ack(now, packet);
            hop_fields[id.index() as usize] = HopFields::from_packet(packet, flows);
            record_naks(recorder, now, packet, had_naks);
            !goes_on
        });
    }

    pub(crate) fn on_agent_timer(&mut self, now: Time, i: u16) {
        let hosted = &mut self.hosted_agents[i as usize];
        if self.timers.expire_if_due(hosted.timer, Event::Agent(i), &mut self.events) {
            hosted.agent.on_timeout(now, &mut self.agent_actions);
            self.apply_agent_actions(now, i);
        }
    }

    /// Executes the actions that agent `i` has requested, and sets the agent's timer.
    pub(crate) fn apply_agent_actions(&mut self, now: Time, i: u16) {
        let hosted = &self.hosted_agents[i as usize];
        let (node, flow) = (hosted.node, hosted.flow);
        self.timers.set_deadline(
            hosted.timer,
            hosted.agent.poll_timeout(),
            Event::Agent(i),
            &mut self.events,
        );
        if self.agent_actions.packets.is_empty() && self.agent_actions.notices.is_empty() {
            return;
        }
        let mut actions = std::mem::take(&mut self.agent_actions);
        for packet in actions.packets.drain(..) {
            let id = self.create_packet(now, node, packet);
            match self.pass_proxy_packet(now, node, i, &id) {
                PacketAction::Forward => self.forward(now, node, self.hop_fields_of(&id), id),
                _ => self.drop_packet(now, id, DropCause::Agent.into(), None),
            }
        }
        for notice in actions.notices.drain(..) {
            self.send_notice(now, node, flow, notice);
        }
        self.agent_actions = actions;
    }

    /// True if packets on this hop are sent in A-MPDUs.
    fn has_ampdu(&self, hop: Hop) -> bool {
        let Hop::Layer { layer, .. } = hop else { return false };
        matches!(&self.links.wireless_network(layer).layer, LinkLayer::Cell(cell) if cell.has_ampdu())
    }

    /// Stores an agent's notices about segments until the outcome of every MPDU of the PPDU is known.
    fn hold_notices(&mut self, node: NodeId, flow: FlowId) {
        let World { agent_actions: actions, held_notices, .. } = self;
        let about_segments = actions.notices.extract_if(.., |notice| notice.kind.is_segment_specific());
        held_notices.extend(about_segments.map(|notice| (node, flow, notice)));
    }

    /// Sends the stored notices about the MPDUs of a PPDU. Notices of the same kind to the same flow are
    /// combined into one notice, as far as there is room.
    #[cold]
    pub(crate) fn send_held_notices(&mut self, now: Time) {
        let mut held = std::mem::take(&mut self.held_notices);
        held.sort_by_key(|(node, flow, notice)| (*node, *flow, notice.kind.index(), notice.seq));
        let mut last: Option<(NodeId, FlowId, Notice)> = None;
        for (node, flow, notice) in held.drain(..) {
            if let Some((at, of, whole)) = &mut last
                && (*at, *of) == (node, flow)
                && whole.try_merge(&notice)
            {
                continue;
            }
            if let Some((node, flow, whole)) = last.replace((node, flow, notice)) {
                self.send_notice(now, node, flow, whole);
            }
        }
        if let Some((node, flow, whole)) = last {
            self.send_notice(now, node, flow, whole);
        }
        self.held_notices = held;
    }

    /// Passes a proxy's packet to the flow's other agents at the proxy's node. The packet is bound for the
    /// wireless link.
    fn pass_proxy_packet(&mut self, now: Time, node: NodeId, i: u16, id: &Id<Packet>) -> PacketAction {
        let HostedAgent { flow, agent, .. } = &self.hosted_agents[i as usize];
        let (flow, to_receiver) = (*flow, self.arena.get(id).dst == self.flows[flow.0 as usize].plan.to);
        match agent.proxied_direction() {
            Some(way) if (way == DataDirection::Down) == to_receiver => {
                let here = self.flows[flow.0 as usize].agents_at(node);
                self.pass_to_flow_agents(now, flow, here.start..here.end - 1, id)
            }
            _ => PacketAction::Forward,
        }
    }

    /// Sends a notice to a flow's sender. On the downlink the notice is a packet that can be queued and lost:
    /// an ACK in the receiver's name, or an ICMP message from this node. At the sender's own station the
    /// notice is a function call (Yun 2009 §3.1, Figure 1).
    pub(crate) fn send_notice(&mut self, now: Time, node: NodeId, flow: FlowId, notice: Notice) {
        let Flow { plan, endpoints: ends, .. } = &mut self.flows[flow.0 as usize];
        for one in notice.split_by_segment() {
            if let Some(recorder) = &mut self.recorder {
                recorder.record_notice(now, flow, one.kind, NoticeEvent::Sent, one.seq);
            }
            if let Endpoints::Tcp(tcp) = ends {
                tcp.lateness.on_notice_sent(one.kind);
            }
        }
        let origin = if notice.kind.is_segment_specific() { plan.to } else { node };
        let notice = Notice { origin, created: now, ..notice };
        if plan.from == node {
            self.notify_sender(now, flow, notice);
            return;
        }
        let dst = plan.from;
        let packet = Packet::new(flow, origin, dst, notice.datagram_bytes(), Body::Notice(notice));
        let id = self.create_packet(now, node, packet);
        self.forward(now, node, self.hop_fields_of(&id), id);
    }

    /// Returns the fill level (0 to 1) of the queue from `node` towards the receiver of a flow.
    pub(crate) fn queue_fill_level(&self, node: NodeId, flow: &FlowPlan) -> f64 {
        let hop = *self.routes.next_hop(node, flow.to);
        let waiting = self
            .links
            .link_of_hop(hop)
            .map(|link| link.queue_length_and_capacity(hop, flow.access_category, self.now()));
        let (waiting, capacity) = waiting.unwrap_or((0, 0));
        waiting as f64 / capacity.max(1) as f64
    }
}

/// True if the packet is an ACK from the receiver of the flow.
fn is_ack(packet: &Packet, flow: &Flow) -> bool {
    let is_pure = packet.segment().is_some_and(|s| s.len == 0 && !s.flags.syn);
    is_pure && packet.flow == flow.id && packet.dst == flow.plan.from
}

fn naks(packet: &Packet) -> Naks {
    packet.segment().map_or(Naks::EMPTY, |s| s.options.naks)
}

/// Records the NAKs that an agent has added to a packet. `had`: earlier NAKs of the packet.
fn record_naks(recorder: &mut Option<Box<Recorder>>, now: Time, packet: &Packet, had: Naks) {
    let Some(recorder) = recorder else { return };
    for &seq in naks(packet).seqs().iter().filter(|seq| !had.seqs().contains(seq)) {
        recorder.record_notice(now, packet.flow, NoticeKind::Nak, NoticeEvent::Sent, seq);
    }
}
