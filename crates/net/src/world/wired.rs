//! Wired links of a world. The world offers packets to the links, and handles the packets at the far ends.

use crate::link::WirePacket;
use crate::world::World;
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::Id;
use airhop_radio::errors::Damage;
use airhop_trace::{Direction, PathStep, StepLocation};

impl World {
    #[inline(always)]
    pub(crate) fn offer_to_link(&mut self, now: Time, i: u16, id: Id<Packet>, bytes: u32) {
        if self.recorder.is_some() {
            return self.offer_watched(now, i, id, bytes);
        }
        self.offer(now, i, id, bytes);
        self.process_link_drops(now, 0);
    }

    #[inline(always)]
    fn offer(&mut self, now: Time, i: u16, id: Id<Packet>, bytes: u32) {
        let link = &mut self.links.wired_links[i as usize];
        link.offer(now, id, bytes, &mut self.arena, &mut self.events, &mut self.dropped_by_queue);
    }

    /// Offers a packet to a link while a recorder is active.
    #[cold]
    fn offer_watched(&mut self, now: Time, i: u16, id: Id<Packet>, bytes: u32) {
        self.record_link_queue(now, i);
        let link = &self.links.wired_links[i as usize];
        let (node, trace) = (link.from, link.trace);
        self.trace_step(now, PathStep::Offered, StepLocation::Place(trace.place_index), &id);
        let captured = self.is_capturing().then(|| self.arena.get(&id).clone());
        self.offer(now, i, id, bytes);
        // A packet that the queue drops on arrival never leaves the node, so no capture would contain it
        // without this line.
        let mut refused = self.dropped_by_queue.iter().map(|(packet, _)| self.arena.get(&packet.id));
        if let Some(packet) = captured.filter(|packet| refused.all(|other| other != packet))
            && let Some(recorder) = &mut self.recorder
        {
            recorder.record_packet(now, node, trace.from_interface, Direction::Out, &packet, None);
        }
        self.process_link_drops(now, trace.place_index);
        self.record_link_queue(now, i);
    }

    pub(crate) fn on_link_free(&mut self, now: Time, i: u16) {
        let link = &mut self.links.wired_links[i as usize];
        let place = link.trace.place_index;
        link.on_free(now, &mut self.arena, &mut self.events, &mut self.dropped_by_queue);
        self.process_link_drops(now, place);
        self.record_link_queue(now, i);
    }

    /// Counts and frees the packets that a link's queue has just dropped. `place`: recorder index of the
    /// link.
    #[inline]
    pub(crate) fn process_link_drops(&mut self, now: Time, place: u32) {
        if !self.dropped_by_queue.is_empty() {
            self.drain_link_drops(now, place);
        }
    }

    #[cold]
    fn drain_link_drops(&mut self, now: Time, place: u32) {
        let mut dropped = std::mem::take(&mut self.dropped_by_queue);
        for (packet, why) in dropped.drain(..) {
            self.drop_packet(now, packet.id, why.into(), Some(place));
        }
        self.dropped_by_queue = dropped;
    }

    #[inline(always)]
    pub(crate) fn on_wire_arrival(&mut self, now: Time, i: u16) {
        let link = &mut self.links.wired_links[i as usize];
        if link.has_impairments() || self.recorder.is_some() {
            return self.on_impaired_arrival(now, i);
        }
        let (node, interface) = (link.to, link.trace.to_interface);
        if let Some(WirePacket { packet, .. }) = link.on_wire_arrival(&mut self.events) {
            self.on_node_arrival_inline(now, node, interface, packet);
        }
    }

    /// Handles the arrival of a packet over a link that is recorded, or that may damage or delay packets.
    #[inline(never)]
    fn on_impaired_arrival(&mut self, now: Time, i: u16) {
        self.record_link_queue(now, i);
        let link = &mut self.links.wired_links[i as usize];
        let Some(WirePacket { packet: id, .. }) = link.on_wire_arrival(&mut self.events) else { return };
        let (node, trace) = (link.to, link.trace);
        let damage = link.draw_damage(self.arena.get(&id));
        let is_late = link.draw_delayed() && damage == Damage::None;
        if is_late {
            self.trace_step(now, PathStep::Late, StepLocation::Place(trace.place_index), &id);
            return self.links.wired_links[i as usize].hold_delayed(now, id, &mut self.events);
        }
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.captures_packets()) {
            let comment = (damage != Damage::None).then(|| format!("lost on {}: channel", link.name));
            let packet = self.arena.get(&id);
            recorder.record_packet(now, node, trace.to_interface, Direction::In, packet, comment.as_deref());
        }
        if damage == Damage::None {
            return self.on_intact_arrival(now, i, id);
        }
        let packet = self.arena.get(&id);
        let remains = (damage == Damage::Payload).then(|| self.intact_headers(packet)).flatten();
        self.drop_packet(now, id, DropCause::Channel.into(), Some(trace.place_index));
        if let Some(packet) = remains {
            self.admit_packet(now, node, trace.to_interface, packet);
        }
    }

    /// Handles the arrival of a packet that a link has delayed (reordering).
    #[inline(never)]
    pub(crate) fn on_reordered_arrival(&mut self, now: Time, i: u16) {
        let link = &mut self.links.wired_links[i as usize];
        let (node, trace) = (link.to, link.trace);
        let Some(id) = link.on_delayed_arrival(&mut self.events) else { return };
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.captures_packets()) {
            recorder.record_packet(now, node, trace.to_interface, Direction::In, self.arena.get(&id), None);
        }
        self.on_intact_arrival(now, i, id);
    }

    /// Handles the intact arrival of a packet at the far end of a link.
    fn on_intact_arrival(&mut self, now: Time, i: u16, id: Id<Packet>) {
        let link = &self.links.wired_links[i as usize];
        let (node, trace) = (link.to, link.trace);
        self.trace_step(now, PathStep::Arrived, StepLocation::Place(trace.place_index), &id);
        self.on_node_arrival(now, node, trace.to_interface, id);
    }

    /// Returns the headers of a damaged packet if they are intact and the flow can use them; `None`
    /// otherwise.
    pub(crate) fn intact_headers(&self, packet: &Packet) -> Option<Packet> {
        let is_of_use = packet.is_tcp_data() && self.flows[packet.flow.0 as usize].accepts_damaged;
        is_of_use.then(|| Packet { has_payload_errors: true, ..packet.clone() })
    }
}
