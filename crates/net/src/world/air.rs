//! Cells in the world: the world passes packets to MACs, and carries out the effects of a cell.

use crate::agents::LinkEventKind;
use crate::ground_truth::loss_ledger::DropReason;
use crate::queues::{Offered, Queued};
use crate::routing::Hop;
use crate::routing::aodv::Passing;
use crate::world::trace_rows::kind_of;
use crate::world::{World, tag};
use airhop_base::{Body, Drop, FlowId, Packet, Span, Time};
use airhop_engine::Id;
use airhop_radio::Tag;
use airhop_radio::cell::CellEvent;
use airhop_radio::layer::{
    BROADCAST, Fragmentation, FrameKind, LinkEffect, Outgoing, Reception, Station, Transmitted,
};
use airhop_trace::{AirKind, AirOutcome, AirRow, Direction, DropKind, DropRow, Step};

impl World {
    pub(crate) fn offer_to_station(
        &mut self,
        now: Time,
        cell: u16,
        from: Station,
        to: Station,
        id: Id<Packet>,
    ) {
        self.step_on_air(now, Step::Offered, (cell, from, to), &id);
        let site = &mut self.links.cells[cell as usize];
        let station = &mut site.stations[from as usize];
        let free_since = site.cell.is_free(from).then_some(station.idle_since);
        let packet = Queued { id, to };
        match station.queue.offer(now, free_since, packet, &mut self.arena, &mut self.dropped_by_queue) {
            Offered::Passes(packet) => self.hand_to_mac(now, cell, from, packet),
            Offered::Refused => self.drop_at_station(now, cell, from),
            Offered::Pushed => {
                self.drop_at_station(now, cell, from);
                self.record_station_queue(now, cell, from);
            }
        }
    }

    /// Drops the packets that the queue of a station has just dropped. Each has a next station of its own.
    #[inline]
    fn drop_at_station(&mut self, now: Time, cell: u16, from: Station) {
        if !self.dropped_by_queue.is_empty() {
            self.drop_all_at_station(now, cell, from);
        }
    }

    #[cold]
    fn drop_all_at_station(&mut self, now: Time, cell: u16, from: Station) {
        let mut dropped = std::mem::take(&mut self.dropped_by_queue);
        for (packet, why) in dropped.drain(..) {
            let station = &self.links.cells[cell as usize].stations[from as usize];
            let place = station.place(packet.to);
            self.drop_packet(now, packet.id, why.into(), place);
        }
        self.dropped_by_queue = dropped;
    }

    fn hand_to_mac(&mut self, now: Time, cell: u16, from: Station, Queued { id, to }: Queued) {
        let packet = self.arena.get(&id);
        let site = &mut self.links.cells[cell as usize];
        let station = &mut site.stations[from as usize];
        station.in_mac = true;
        if !site.routers.is_empty() {
            station.passing = packet.flow.index().map(|_| Passing::of(packet));
        }
        let flow = packet.flow.index().map(|flow| &self.flows[flow]);
        let is_fragmented = flow.is_some_and(|flow| flow.fragmented);
        let is_of_use = is_fragmented || flow.is_some_and(|flow| flow.takes_damaged) || to == BROADCAST;
        if self.recorder.is_some() || is_of_use {
            station.on_air = Some(packet.clone());
        }
        let fragments = (is_fragmented && packet.is_tcp_data()).then(Fragmentation::default);
        let (tag, bytes, header) = (tag(packet), packet.bytes, packet.header_bytes());
        let outgoing = Outgoing { to, packet: id, tag, bytes, header, fragments };
        site.cell.send(now, from, outgoing, &mut self.events);
    }

    #[inline(always)]
    pub(crate) fn on_cell_event(&mut self, now: Time, event: CellEvent) {
        let site = &mut self.links.cells[event.cell as usize];
        site.cell.on_event(now, event.what, &mut self.events, &mut self.effects);
        self.apply_effects(now, event.cell);
    }

    /// Carries out the effects of a cell.
    #[inline]
    pub(crate) fn apply_effects(&mut self, now: Time, cell: u16) {
        while let Some(effect) = self.effects.pop_front() {
            self.apply(now, cell, effect);
        }
    }

    pub(crate) fn apply(&mut self, now: Time, cell: u16, effect: LinkEffect) {
        match effect {
            LinkEffect::Deliver { from, to, packet, contended, .. } => {
                let site = &mut self.links.cells[cell as usize];
                site.stations[from as usize].in_mac = false;
                let (node, interface) = (site.node(to), site.stations[to as usize].interface);
                self.capture(now, cell, from, None);
                self.add_contention(&packet, contended);
                if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
                    recorder.packet(now, node, interface, Direction::In, self.arena.get(&packet), None);
                }
                self.step_on_air(now, Step::Arrived, (cell, from, to), &packet);
                if !self.links.cells[cell as usize].routers.is_empty() {
                    let packet = self.arena.get_mut(&packet);
                    packet.ttl = packet.ttl.saturating_sub(1);
                }
                if self.arena.get(&packet).flow == FlowId::NONE {
                    return self.on_message(now, cell, to, packet);
                }
                self.visit(now, node, interface, packet);
            }
            LinkEffect::Heard { from, to, .. } => self.on_broadcast(now, cell, from, to),
            LinkEffect::Broadcast { from, packet, .. } => {
                self.capture(now, cell, from, None);
                self.links.cells[cell as usize].stations[from as usize].in_mac = false;
                let node = self.links.cells[cell as usize].node(from);
                self.finish(now, node, packet);
            }
            LinkEffect::AttemptFailed { from, to, tag, attempt, retry, .. } => {
                let hop = Hop::Air { cell, from, to };
                let fade = self.links.cells[cell as usize].stations[from as usize].fade_mut(to);
                if fade.is_some_and(|fade| fade.begins(now)) {
                    self.tell_of_fade(now, hop, LinkEventKind::FadeStart);
                }
                self.on_attempt_failed(now, hop, tag, attempt, retry);
            }
            LinkEffect::HeaderOnly { from, to, .. } => self.deliver_damaged(now, cell, from, to),
            LinkEffect::Acknowledged { from, to, tag, .. } => {
                let hop = Hop::Air { cell, from, to };
                self.tell_agents(now, hop, LinkEventKind::Delivered, tag);
                let fade = self.links.cells[cell as usize].stations[from as usize].fade_mut(to);
                if let Some(lasted) = fade.and_then(|fade| fade.ends(now)) {
                    self.tell_of_fade(now, hop, LinkEventKind::FadeEnd(lasted));
                }
            }
            LinkEffect::Discarded { from, to, tag, packet, .. } => {
                let (hop, kind) = (Hop::Air { cell, from, to }, LinkEventKind::Discarded);
                let site = &mut self.links.cells[cell as usize];
                // Agents that hear of this may send at once, and the MAC is free: its last packet is noted first.
                let station = &mut site.stations[from as usize];
                station.in_mac &= packet.is_none();
                let passing = station.passing;
                if site.routers.is_empty() {
                    self.on_given_up(now, cell, from, to, packet);
                    self.tell_agents(now, hop, kind, tag);
                } else {
                    match self.tell_agents(now, hop, kind, tag) {
                        true => self.on_given_up(now, cell, from, to, packet),
                        false => self.on_next_hop_lost(now, cell, (from, to), packet, passing),
                    }
                }
            }
            LinkEffect::FrameLost { from, to, frame, bytes, tag, cause, header_intact, .. } => {
                self.on_frame_lost(now, cell, (from, to), frame, bytes, tag, cause);
                let flow = tag.flow.index().map(|flow| &self.flows[flow]);
                if header_intact && flow.is_some_and(|flow| flow.takes_damaged) {
                    self.deliver_damaged(now, cell, from, to);
                }
            }
            LinkEffect::Transmitted(frame) => self.record_transmission(now, cell, &frame),
            LinkEffect::Ready(from) => self.on_mac_ready(now, cell, from),
            other => unreachable!("{other:?} is no effect of a cell"),
        }
    }

    /// Handles the discard of a packet for `to` by a link layer.
    pub(crate) fn on_given_up(
        &mut self,
        now: Time,
        cell: u16,
        from: Station,
        to: Station,
        packet: Option<Id<Packet>>,
    ) {
        let station = &mut self.links.cells[cell as usize].stations[from as usize];
        let last = station.last_loss.unwrap_or(Drop::Channel);
        let place = station.place(to);
        match packet {
            Some(id) => self.drop_packet(now, id, DropReason { counted: Drop::Retries, cause: last }, place),
            // The packet arrived, but the sending station does not know: for its link layer it is lost.
            None => self.drops[Drop::Retries as usize] += 1,
        }
    }

    /// Adds the contention of a hop to its packet, if the flow wants to know the sum over all hops.
    fn add_contention(&mut self, id: &Id<Packet>, contended: Span) {
        let packet = self.arena.get_mut(id);
        if let Body::Tcp(segment) = &mut packet.body
            && let Some(sum) = segment.options.contention
            && self.flows[packet.flow.0 as usize].adds_contention
        {
            segment.options.contention = Some(sum + contended);
        }
    }

    /// Delivers the headers, and nothing more, of the packet that `from` has on the air to `to`. The packet itself stays in the MAC: the
    /// link layer may send it again.
    fn deliver_damaged(&mut self, now: Time, cell: u16, from: Station, to: Station) {
        let site = &self.links.cells[cell as usize];
        let (node, interface) = (site.node(to), site.stations[to as usize].interface);
        if let Some(packet) = site.stations[from as usize].on_air.clone().filter(Packet::is_tcp_data) {
            self.enter(now, node, interface, Packet { damaged: true, ..packet });
        }
    }

    pub(crate) fn on_mac_ready(&mut self, now: Time, cell: u16, from: Station) {
        let site = &mut self.links.cells[cell as usize];
        if !site.cell.is_free(from) {
            return; // a packet from its end was quicker
        }
        let station = &mut site.stations[from as usize];
        let Some(packet) = station.queue.pop(now, &mut self.arena, &mut self.dropped_by_queue) else {
            station.idle_since = now;
            return;
        };
        self.drop_at_station(now, cell, from);
        self.record_station_queue(now, cell, from);
        self.hand_to_mac(now, cell, from, packet);
    }

    #[allow(clippy::too_many_arguments)]
    pub(crate) fn on_frame_lost(
        &mut self,
        now: Time,
        cell: u16,
        (from, to): (Station, Station),
        frame: FrameKind,
        bytes: u32,
        tag: Tag,
        cause: Drop,
    ) {
        self.drops[cause as usize] += 1;
        if frame == FrameKind::Data {
            self.links.cells[cell as usize].stations[from as usize].last_loss = Some(cause);
        }
        let Some(recorder) = &mut self.recorder else { return };
        let station = &self.links.cells[cell as usize].stations[from as usize];
        let (kind, seq) = match (frame, &station.on_air) {
            (FrameKind::Data, Some(packet)) => kind_of(packet),
            _ => (DropKind::Control, tag.seq),
        };
        if let Some(place) = station.place(to) {
            recorder.dropped(now, place, DropRow { flow: tag.flow, cause, kind, seq, bytes });
        }
        if frame == FrameKind::Data {
            self.capture(now, cell, from, Some((to, cause)));
        }
    }

    /// Records a transmission that just ended in the trace.
    fn record_transmission(&mut self, now: Time, cell: u16, sent: &Transmitted) {
        let Some(recorder) = &mut self.recorder else { return };
        let site = &mut self.links.cells[cell as usize];
        // A CTS and an ACK serve the packet of the frame that they answer; the MAC of its station may have discarded that meanwhile.
        let (kind, sender) = match sent.frame {
            FrameKind::Data => (AirKind::Data, sent.from),
            FrameKind::Broadcast => (AirKind::Broadcast, sent.from),
            FrameKind::Rts => (AirKind::Rts, sent.from),
            FrameKind::Cts => (AirKind::Cts, sent.to),
            FrameKind::Ack => (AirKind::Ack, sent.to),
        };
        let station = &mut site.stations[sender as usize];
        if sender == sent.from {
            station.sent = station.on_air.as_ref().map_or((DropKind::Control, sent.tag.seq), kind_of);
        }
        let (packet, seq) = station.sent;
        recorder.transmission(AirRow {
            start: sent.start,
            end: now,
            from: site.node(sent.from),
            to: (sent.to != BROADCAST).then(|| site.node(sent.to)),
            kind,
            bytes: sent.bytes,
            flow: sent.tag.flow,
            packet,
            seq,
            attempt: sent.attempt,
            outcome: match sent.reception {
                Reception::Received => AirOutcome::Received,
                Reception::Captured => AirOutcome::Captured,
                Reception::Channel => AirOutcome::Channel,
                Reception::Collision => AirOutcome::Collision,
                Reception::Unheard => AirOutcome::Unheard,
            },
        });
    }

    pub(crate) fn captures(&self) -> bool {
        self.recorder.as_ref().is_some_and(|r| r.wants_packets())
    }

    /// Captures, at the sending station, the frame that just left the air.
    pub(crate) fn capture(&mut self, now: Time, cell: u16, from: Station, lost: Option<(Station, Drop)>) {
        let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) else { return };
        let stations = &self.links.cells[cell as usize].stations;
        let sender = &stations[from as usize];
        let comment = lost.map(|(to, why)| {
            format!("lost on {}->{}: {}", sender.name, stations[to as usize].name, why.name())
        });
        if let Some(packet) = &sender.on_air {
            recorder.packet(now, sender.node, sender.interface, Direction::Out, packet, comment.as_deref());
        }
    }
}
