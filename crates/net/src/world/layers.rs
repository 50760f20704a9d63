//! Link layers of a world. The world passes packets to the stations, and executes the effects that the layers
//! report.

use super::interface::{InterfaceQueue, PacketRecord, WirelessInterface};
use super::site::{LinkLayer, WirelessNetwork};
use crate::agents::LinkEventKind;
use crate::flow::Flow;
use crate::ground_truth::loss_ledger::DropReason;
use crate::queues::{OfferOutcome, QueueEntry};
use crate::routing::aodv::RoutedPacket;
use crate::routing::{Hop, LinkLayerId};
use crate::world::{World, tag};
use airhop_base::{AccessCategory, Body, DropCause, FlowId, Packet, Span, Time};
use airhop_engine::Id;
use airhop_radio::PacketTag;
use airhop_radio::cell::CellEvent;
use airhop_radio::layer::{
    BROADCAST, Fragmentation, FrameKind, LinkEffect, LostFrame, OutgoingPacket, StationIndex,
};
use airhop_radio::link::RadioEvent;
use airhop_trace::PathStep;

impl World {
    #[inline(always)]
    pub(crate) fn on_cell_event(&mut self, now: Time, event: CellEvent) {
        let LinkLayer::Cell(cell) = &mut self.links.cells[usize::from(event.cell)].layer else {
            unreachable!("the network has only cells")
        };
        cell.on_event(now, event.kind, &mut self.events, &mut self.link_effects);
        self.apply_effects(now, LinkLayerId::Cell(event.cell));
    }

    pub(crate) fn on_radio_event(&mut self, now: Time, event: RadioEvent) {
        let LinkLayer::Radio(link) = &mut self.links.radio_links[usize::from(event.link)].layer else {
            unreachable!("the network has only radio links")
        };
        link.on_event(now, event.kind, &mut self.events, &mut self.link_effects);
        self.apply_effects(now, LinkLayerId::Radio(event.link));
    }

    /// Offers a packet to the interface at the start of its hop.
    #[inline(always)]
    pub(crate) fn offer_to_layer(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        from: StationIndex,
        packet: QueueEntry,
    ) {
        self.trace_step_at(now, PathStep::Offered, layer, (from, packet.next_station), &packet.id);
        let WirelessNetwork { layer: link, interfaces, .. } = self.links.wireless_network_mut(layer);
        let interface = &mut interfaces[usize::from(from)];
        let InterfaceQueue { queue, idle_since, category, .. } = if interface.other_queues.is_empty() {
            &mut interface.queue
        } else {
            let flow = self.hop_fields[packet.id.index() as usize].flow;
            interface.queue_mut(category_of(&self.flows, flow))
        };
        let category = *category;
        let free_since = link.has_room(from, category).then_some(*idle_since);
        match queue.offer(now, free_since, packet, &mut self.arena, &mut self.dropped_by_queue) {
            OfferOutcome::Passes(packet) => self.pass_to_station(now, layer, from, category, packet),
            OfferOutcome::Refused => self.process_interface_drops(now, layer, from),
            OfferOutcome::Pushed => {
                self.process_interface_drops(now, layer, from);
                self.record_layer_queue(now, layer, from, category);
            }
        }
    }

    /// Passes queued packets of an access category to a station that accepts packets again, until the MAC is
    /// full.
    #[inline(always)]
    fn on_ready(&mut self, now: Time, layer: LinkLayerId, from: StationIndex, category: AccessCategory) {
        let mut has_popped = false;
        loop {
            let WirelessNetwork { layer: link, interfaces, .. } = self.links.wireless_network_mut(layer);
            if !link.has_room(from, category) {
                break;
            }
            let InterfaceQueue { queue, idle_since, .. } = interfaces[usize::from(from)].queue_mut(category);
            let Some(packet) = queue.pop(now, &mut self.arena, &mut self.dropped_by_queue) else {
                *idle_since = now;
                break;
            };
            has_popped = true;
            self.process_interface_drops(now, layer, from);
            self.pass_to_station(now, layer, from, category, packet);
        }
        if has_popped {
            self.record_layer_queue(now, layer, from, category);
        }
    }

    /// Counts and frees the packets that an interface queue has just dropped. Each packet has its own next
    /// station.
    #[inline]
    fn process_interface_drops(&mut self, now: Time, layer: LinkLayerId, from: StationIndex) {
        if !self.dropped_by_queue.is_empty() {
            self.drain_interface_drops(now, layer, from);
        }
    }

    #[cold]
    fn drain_interface_drops(&mut self, now: Time, layer: LinkLayerId, from: StationIndex) {
        let mut dropped = std::mem::take(&mut self.dropped_by_queue);
        for (packet, why) in dropped.drain(..) {
            let place = self.links.interface(layer, from).place_index(packet.next_station);
            self.drop_packet(now, packet.id, why.into(), place);
        }
        self.dropped_by_queue = dropped;
    }

    /// Passes a packet of an access category to a station. The station's MAC must accept the packet.
    fn pass_to_station(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        from: StationIndex,
        category: AccessCategory,
        QueueEntry { id, next_station: to, .. }: QueueEntry,
    ) {
        let packet = self.arena.get(&id);
        let flow = packet.flow.index().map(|flow| &self.flows[flow]);
        let is_fragmented = flow.is_some_and(|flow| flow.uses_fragments);
        let is_of_use = is_fragmented || flow.is_some_and(|flow| flow.accepts_damaged) || to == BROADCAST;
        let fragments = (is_fragmented && packet.is_tcp_data()).then(Fragmentation::default);
        let (tag, bytes, header) = (tag(packet), packet.bytes, packet.header_bytes());
        let outgoing = OutgoingPacket {
            to,
            packet: id,
            tag,
            category,
            bytes,
            header_bytes: header,
            fragmentation: fragments,
        };
        let WirelessNetwork { layer: link, interfaces, routers, .. } = self.links.wireless_network_mut(layer);
        let interface = &mut interfaces[usize::from(from)];
        if self.recorder.is_some() {
            interface.packet_kinds.push(packet);
        }
        let number = link.send(now, from, outgoing, &mut self.events, &mut self.link_effects);
        if layer.is_cell() && (self.recorder.is_some() || is_of_use) {
            interface.records.store_copy(number, packet);
        }
        if !routers.is_empty() {
            let routed = packet.flow.index().map(|_| RoutedPacket::from_packet(packet));
            interface.records.push(number, PacketRecord { routed, last_loss: None });
        }
    }

    /// Executes the effects of a layer. Most events have no effects.
    #[inline(always)]
    fn apply_effects(&mut self, now: Time, layer: LinkLayerId) {
        if !self.link_effects.is_empty() {
            self.apply_all(now, layer);
        }
    }

    /// Executes the effects in order. Deliveries at the first attempt are handled in place, because moving an
    /// effect takes more time than handling it.
    #[inline(never)]
    fn apply_all(&mut self, now: Time, layer: LinkLayerId) {
        let mut next = 0;
        while let Some(effect) = self.link_effects.get_mut(next) {
            match *effect {
                LinkEffect::Deliver { from, to, number, contended, .. } => {
                    let LinkEffect::Deliver { packet, .. } = take(effect) else {
                        unreachable!("the effect has just been read")
                    };
                    self.capture(now, layer, (from, number), None);
                    if self.sums_contention {
                        self.add_contention(&packet, contended);
                    }
                    self.on_delivery(now, layer, (from, to), packet);
                }
                LinkEffect::Acknowledged { from, to, number, tag } => {
                    self.on_acknowledged(now, layer, (from, to), number, tag);
                }
                LinkEffect::Ready(from, category) => self.on_ready(now, layer, from, category),
                _ => {
                    let effect = take(effect);
                    self.apply(now, layer, effect);
                }
            }
            next += 1;
        }
        self.link_effects.clear();
        if !self.held_notices.is_empty() {
            self.send_held_notices(now);
            self.apply_effects(now, layer);
        }
    }

    #[inline(never)]
    fn apply(&mut self, now: Time, layer: LinkLayerId, effect: LinkEffect) {
        let hop = |from, to| Hop::Layer { layer, from, to };
        match effect {
            LinkEffect::Heard { from, to, number } => {
                self.on_broadcast(now, layer.index(), (from, number), to);
            }
            LinkEffect::Broadcast { from, number, packet } => {
                self.capture(now, layer, (from, number), None);
                let interface = self.links.interface_mut(layer, from);
                interface.records.remove(number);
                let node = interface.node;
                self.remove_arrived_packet(now, node, packet);
            }
            LinkEffect::AttemptFailed { from, to, tag, attempt, retry, .. } => {
                if self.links.interface_mut(layer, from).fades.on_failed_attempt(now, to) {
                    self.notify_of_fade(now, hop(from, to), LinkEventKind::FadeStart);
                }
                self.on_attempt_failed(now, hop(from, to), tag, attempt, retry);
            }
            LinkEffect::Discarded { from, to, number, tag, packet } => {
                self.on_discarded(now, layer, (from, to), number, tag, packet);
            }
            LinkEffect::GivenUp { from, to, packet, .. } => {
                self.on_given_up(now, layer, (from, to), Some(packet), None);
            }
            LinkEffect::Aborted { from, to, tag, .. } => {
                self.notify_agents(now, hop(from, to), LinkEventKind::Discarded, tag);
            }
            LinkEffect::HeaderOnly { from, to, number, .. } => {
                let copy = self.links.interface(layer, from).records.copy(number).cloned();
                if let Some(packet) = copy.filter(Packet::is_tcp_data) {
                    self.deliver_headers(now, layer, to, Packet { has_payload_errors: true, ..packet });
                }
            }
            LinkEffect::FrameLost(lost) => self.on_frame_lost(now, layer, lost),
            LinkEffect::FadeStart { from, to } => {
                self.notify_of_fade(now, hop(from, to), LinkEventKind::FadeStart);
            }
            LinkEffect::FadeEnd { from, to, lasted } => {
                self.notify_of_fade(now, hop(from, to), LinkEventKind::FadeEnd(lasted));
            }
            LinkEffect::Transmitted(frame) => self.record_transmission(now, layer, &frame),
            LinkEffect::Mpdu(mpdu) => self.record_mpdu(layer, &mpdu),
            LinkEffect::Deliver { .. } | LinkEffect::Acknowledged { .. } | LinkEffect::Ready(..) => {
                unreachable!("they were read in place")
            }
        }
    }

    /// Handles a link ACK. The sending station has no more work for the packet.
    #[inline(always)]
    fn on_acknowledged(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, to): (StationIndex, StationIndex),
        number: u64,
        tag: PacketTag,
    ) {
        let interface = self.links.interface_mut(layer, from);
        interface.records.remove(number);
        let ended = interface.fades.on_link_ack(now, to);
        let hop = Hop::Layer { layer, from, to };
        self.notify_agents(now, hop, LinkEventKind::Delivered, tag);
        if let Some(lasted) = ended {
            self.notify_of_fade(now, hop, LinkEventKind::FadeEnd(lasted));
        }
    }

    /// Handles the first reception of a packet by the addressed station.
    #[inline(always)]
    fn on_delivery(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, to): (StationIndex, StationIndex),
        packet: Id<Packet>,
    ) {
        let WirelessNetwork { interfaces, routers, .. } = self.links.wireless_network(layer);
        let WirelessInterface { node, recorder_index: interface, .. } = interfaces[usize::from(to)];
        let are_routed = !routers.is_empty();
        if self.recorder.is_some() {
            self.record_delivery(now, layer, (from, to), &packet);
        }
        if are_routed {
            let Packet { ttl, flow, .. } = self.arena.get_mut(&packet);
            *ttl = ttl.saturating_sub(1);
            if *flow == FlowId::NONE {
                return self.on_routing_message(now, layer.index(), to, packet);
            }
        }
        self.on_node_arrival(now, node, interface, packet);
    }

    /// Adds the contention time of a hop to its packet if the flow sums contention times.
    fn add_contention(&mut self, id: &Id<Packet>, contended: Span) {
        let packet = self.arena.get_mut(id);
        if let Body::Tcp(segment) = &mut packet.body
            && let Some(sum) = segment.options.contention_time
            && self.flows[packet.flow.0 as usize].adds_contention_time
        {
            segment.options.contention_time = Some(sum + contended);
        }
    }

    /// Handles the discard of a packet by the sending station.
    fn on_discarded(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, to): (StationIndex, StationIndex),
        number: u64,
        tag: PacketTag,
        packet: Option<Id<Packet>>,
    ) {
        let (hop, kind) = (Hop::Layer { layer, from, to }, LinkEventKind::Discarded);
        let site = self.links.wireless_network_mut(layer);
        let record = site.interfaces[usize::from(from)].records.remove(number);
        if site.routers.is_empty() {
            self.on_given_up(now, layer, (from, to), packet, record.last_loss);
            self.notify_agents(now, hop, kind, tag);
        } else if self.notify_agents(now, hop, kind, tag) {
            self.on_given_up(now, layer, (from, to), packet, record.last_loss);
        } else {
            self.on_next_hop_lost(now, layer.index(), (from, to), packet, record);
        }
    }

    /// Handles a packet for station `to` that the link layer has discarded. `lost`: cause of the packet's
    /// last frame loss; `None` if no frame was lost.
    pub(crate) fn on_given_up(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, to): (StationIndex, StationIndex),
        packet: Option<Id<Packet>>,
        lost: Option<DropCause>,
    ) {
        let interface = self.links.interface(layer, from);
        let cause = lost.or(interface.last_loss).unwrap_or(DropCause::Channel);
        let place = interface.place_index(to);
        match packet {
            Some(id) => self.drop_packet(
                now,
                id,
                DropReason { counted_cause: DropCause::Retries, physical_cause: cause },
                place,
            ),
            // The packet arrived, but its link ACK did not, so the link layer of the sending station counts
            // the packet as lost.
            None => self.drops_by_cause[DropCause::Retries as usize] += 1,
        }
    }

    /// Handles the loss of a frame. Drops the packet if it is lost with the frame. Delivers the headers if
    /// they are intact and useful.
    fn on_frame_lost(&mut self, now: Time, layer: LinkLayerId, mut lost: LostFrame) {
        let remains = self.intact_headers_of(layer, &lost);
        match lost.packet.take() {
            Some(packet) => {
                let place = self.links.interface(layer, lost.from).place_index(lost.to);
                self.drop_packet(now, packet, lost.cause.into(), place);
            }
            None => {
                self.drops_by_cause[lost.cause as usize] += u64::from(lost.msdu_index == 0);
                self.note_loss(layer, &lost);
                self.record_lost_frame(now, layer, &lost);
            }
        }
        if let Some(packet) = remains {
            self.deliver_headers(now, layer, lost.to, packet);
        }
    }

    /// Returns the headers of the packet in a lost frame if they are intact and the flow can use them; `None`
    /// otherwise.
    fn intact_headers_of(&self, layer: LinkLayerId, lost: &LostFrame) -> Option<Packet> {
        let number = lost.packet_number.filter(|_| lost.is_header_intact)?;
        let WirelessNetwork { layer: link, interfaces, .. } = self.links.wireless_network(layer);
        let inside = lost.packet.as_ref().or_else(|| link.packet(lost.from, number));
        let copy = || interfaces[usize::from(lost.from)].records.copy(number);
        self.intact_headers(inside.map(|id| self.arena.get(id)).or_else(copy)?)
    }

    /// Records the cause of a data frame's loss. The packet itself is not lost.
    fn note_loss(&mut self, layer: LinkLayerId, lost: &LostFrame) {
        let Some(number) = lost.packet_number.filter(|_| lost.kind == FrameKind::Data) else { return };
        let interface = self.links.interface_mut(layer, lost.from);
        interface.last_loss = Some(lost.cause);
        if layer.is_cell() {
            interface.records.entry(number).last_loss = Some(lost.cause);
        }
    }

    /// Delivers only the headers of a packet to a station. The packet remains in the layer and may be
    /// retransmitted.
    fn deliver_headers(&mut self, now: Time, layer: LinkLayerId, to: StationIndex, remains: Packet) {
        let WirelessInterface { node, recorder_index: interface, .. } = *self.links.interface(layer, to);
        self.admit_packet(now, node, interface, remains);
    }
}

/// Returns the access category of a flow's packets. Messages between routers are best effort.
fn category_of(flows: &[Flow], flow: FlowId) -> AccessCategory {
    flow.index().map_or(AccessCategory::Be, |flow| flows[flow].plan.access_category)
}

/// Removes an effect, and leaves an effect without a packet in its place.
#[inline]
fn take(effect: &mut LinkEffect) -> LinkEffect {
    std::mem::replace(effect, LinkEffect::Ready(BROADCAST, AccessCategory::Be))
}
