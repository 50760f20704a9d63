//! The world and its agents: they are shown packets, told what the link layer does, and granted their wishes.

use crate::agents::{LinkEvent, LinkEventKind, Verdict};
use crate::flow::Flow;
use crate::route::Hop;
use crate::world::{Event, Hosted, World};
use airhop_base::{Body, FlowId, Naks, NodeId, Notice, NoticeKind, Packet, Segment, Time};
use airhop_engine::Id;
use airhop_radio::cell::{Station, Tag};
use airhop_trace::Recorder;

impl World {
    pub(crate) fn show_to_agents(
        &mut self,
        now: Time,
        node: NodeId,
        flow: FlowId,
        id: &Id<Packet>,
    ) -> Verdict {
        let mut verdict = Verdict::Forward;
        if self.arena.get(id).damaged {
            return verdict; // agents take packets for what their headers say
        }
        for k in self.flows[flow.0 as usize].agents_at(node) {
            let (_, i) = self.flows[flow.0 as usize].agents[k];
            let queued = self.fill_towards(node, self.flows[flow.0 as usize].plan.to);
            let hosted = &mut self.hosted[i as usize];
            let packet = self.arena.get_mut(id);
            let had_eln = packet.segment().is_some_and(|s| s.eln.is_some());
            let had_naks = naks(packet);
            match hosted.agent.on_packet(now, packet, queued, &mut self.wishes) {
                Verdict::Forward => {}
                taken => verdict = taken,
            }
            if let (Some(recorder), Some(seq)) =
                (&mut self.recorder, packet.segment().and_then(Segment::lost))
                && !had_eln
            {
                recorder.notice(now, flow, NoticeKind::Eln, false, seq);
            }
            record_naks(&mut self.recorder, now, packet, had_naks);
            self.grant_wishes(now, i);
        }
        verdict
    }

    /// What happened to a packet that station `from` of a cell has, or had, for station `to`.
    fn link_event(&self, cell: u16, [from, to]: [Station; 2], kind: LinkEventKind, tag: Tag) -> LinkEvent {
        let site = &self.sites[cell as usize];
        let flow = &self.flows[tag.flow.0 as usize];
        let ack_waits = kind == LinkEventKind::Discarded
            && !flow.agents.is_empty()
            && site.stations[from as usize].queue.any(&mut |id| is_ack(self.arena.get(id), flow));
        LinkEvent { kind, tag, next: site.node(to), ack_waits }
    }

    /// Tells the agents at station `from` what happened to a packet that it has, or had, for station `to`. Returns whether one of them
    /// wants routing not to be told.
    pub(crate) fn tell_agents(
        &mut self,
        now: Time,
        cell: u16,
        [from, to]: [Station; 2],
        kind: LinkEventKind,
        tag: Tag,
    ) -> bool {
        let Some(flow) = tag.flow.index() else { return false };
        let event = self.link_event(cell, [from, to], kind, tag);
        let node = self.sites[cell as usize].node(from);
        let mut spares_link = false;
        for k in self.flows[flow].agents_at(node) {
            let (_, i) = self.flows[flow].agents[k];
            self.hosted[i as usize].agent.on_link(now, &event, &mut self.wishes);
            if event.ack_waits {
                self.show_waiting(now, cell, from, i);
            }
            spares_link |= std::mem::take(&mut self.wishes.spares_link);
            self.grant_wishes(now, i);
        }
        spares_link
    }

    /// Shows an agent the ACKs of its flow in the queue of a station.
    fn show_waiting(&mut self, now: Time, cell: u16, station: Station, i: u16) {
        let World { sites, arena, flows, hosted, recorder, .. } = self;
        let Hosted { flow, agent, .. } = &mut hosted[i as usize];
        sites[cell as usize].stations[station as usize].queue.any(&mut |id| {
            let packet = arena.get_mut(id);
            if !is_ack(packet, &flows[flow.0 as usize]) {
                return false;
            }
            let had_naks = naks(packet);
            let goes_on = agent.on_waiting(now, packet);
            record_naks(recorder, now, packet, had_naks);
            !goes_on
        });
    }

    pub(crate) fn on_agent_timer(&mut self, now: Time, i: u16) {
        let hosted = &mut self.hosted[i as usize];
        if self.timers.fire(hosted.timer, Event::Agent(i), &mut self.events) {
            hosted.agent.on_timeout(now, &mut self.wishes);
            self.grant_wishes(now, i);
        }
    }

    /// Does what an agent asked for, and sets its timer.
    pub(crate) fn grant_wishes(&mut self, now: Time, i: u16) {
        let hosted = &self.hosted[i as usize];
        let (node, flow) = (hosted.node, hosted.flow);
        self.timers.set(hosted.timer, hosted.agent.poll_timeout(), Event::Agent(i), &mut self.events);
        if self.wishes.packets.is_empty() && self.wishes.notices.is_empty() {
            return;
        }
        let mut wishes = std::mem::take(&mut self.wishes);
        for packet in wishes.packets.drain(..) {
            self.created += 1;
            let id = self.arena.insert(packet);
            self.forward(now, node, id);
        }
        for notice in wishes.notices.drain(..) {
            self.send_notice(now, node, flow, notice);
        }
        self.wishes = wishes;
    }

    /// Downlink: a packet in the form of an ACK from the receiver, which can be queued and lost. At the sender's own station: a
    /// call (Yun 2009 §3.1, Figure 1).
    pub(crate) fn send_notice(&mut self, now: Time, node: NodeId, flow: FlowId, notice: Notice) {
        if let Some(recorder) = &mut self.recorder {
            recorder.notice(now, flow, notice.kind, false, notice.seq);
        }
        let plan = &self.flows[flow.0 as usize].plan;
        if plan.from == node {
            self.notify(now, flow, notice);
            return;
        }
        let (src, dst) = (plan.to, plan.from);
        let packet = Packet::new(flow, src, dst, notice.bytes(), Body::Notice(notice));
        self.created += 1;
        let id = self.arena.insert(packet);
        self.forward(now, node, id);
    }

    /// How full the queue from `node` towards `to` is.
    pub(crate) fn fill_towards(&self, node: NodeId, to: NodeId) -> f64 {
        match self.routes[to.0 as usize][node.0 as usize] {
            Hop::Link(i) => self.links[i as usize].fill(),
            Hop::Air { cell, from, .. } | Hop::OnDemand { cell, from } => {
                let queue = &self.sites[cell as usize].stations[from as usize].queue;
                queue.len() as f64 / queue.capacity().max(1) as f64
            }
            Hop::None => 0.0,
        }
    }
}

/// True if the packet is an ACK of the flow's receiver.
fn is_ack(packet: &Packet, flow: &Flow) -> bool {
    let is_pure = packet.segment().is_some_and(|s| s.len == 0 && !s.flags.syn);
    is_pure && packet.flow == flow.id && packet.dst == flow.plan.from
}

fn naks(packet: &Packet) -> Naks {
    packet.segment().map_or(Naks::EMPTY, |s| s.naks)
}

/// Records the NAKs that an agent put on a packet beside those that were there.
fn record_naks(recorder: &mut Option<Box<Recorder>>, now: Time, packet: &Packet, had: Naks) {
    let Some(recorder) = recorder else { return };
    for &seq in naks(packet).seqs().iter().filter(|seq| !had.seqs().contains(seq)) {
        recorder.notice(now, packet.flow, NoticeKind::Nak, false, seq);
    }
}
