//! Routers of a world. The world requests next hops, passes on messages and reports of lost neighbours, and
//! executes the routers' actions.

use crate::ground_truth::loss_ledger::DropReason;
use crate::queues::QueueEntry;
use crate::routing::LinkLayerId;
use crate::routing::aodv::{AodvAction, RoutedPacket, Router};
use crate::world::hop_fields::packet_hash;
use crate::world::interface::{InterfaceQueue, PacketRecord, WirelessInterface};
use crate::world::{Event, World};
use airhop_base::{AodvMessage, Body, DropCause, NodeId, Packet, Time};
use airhop_engine::Id;
use airhop_radio::layer::StationIndex;
use airhop_trace::Direction;

impl World {
    /// Sends a packet from a station to the next hop that the station's router chooses.
    pub(crate) fn route_packet(&mut self, now: Time, cell: u16, station: StationIndex, id: Id<Packet>) {
        let routed = RoutedPacket::from_packet(self.arena.get(&id));
        let site = &mut self.links.cells[cell as usize];
        let (router, _) = &mut site.routers[station as usize];
        if let Some(next) = router.try_forward(now, routed) {
            let packet = QueueEntry { id, next_station: site.station(next), offered_at: now };
            return self.offer_to_layer(now, LinkLayerId::Cell(cell), station, packet);
        }
        router.on_packet(now, id, routed);
        self.apply_router_actions(now, cell, station);
    }

    /// Handles a routing message that has arrived at its destination, `station`.
    pub(crate) fn on_routing_message(&mut self, now: Time, cell: u16, station: StationIndex, id: Id<Packet>) {
        let node = self.links.cells[cell as usize].node(station);
        let packet = self.take_delivered_packet(now, node, id);
        self.process_routing_message(now, cell, station, packet);
    }

    /// Handles the reception of a broadcast by station `to`. `from` and `number` identify the packet.
    pub(crate) fn on_broadcast(
        &mut self,
        now: Time,
        cell: u16,
        (from, number): (StationIndex, u64),
        to: StationIndex,
    ) {
        let interfaces = &self.links.cells[cell as usize].interfaces;
        let WirelessInterface { node, recorder_index: interface, .. } = interfaces[to as usize];
        let Some(packet) = interfaces[from as usize].records.copy(number).cloned() else { return };
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.captures_packets()) {
            recorder.record_packet(now, node, interface, Direction::In, &packet, None);
        }
        self.process_routing_message(now, cell, to, Packet { ttl: packet.ttl.saturating_sub(1), ..packet });
    }

    fn process_routing_message(&mut self, now: Time, cell: u16, station: StationIndex, packet: Packet) {
        let node = self.links.cells[cell as usize].node(station);
        self.fingerprint.add_event(now, self.node_hashes[node.0 as usize] ^ packet_hash(&packet, 0));
        if let Body::Routing(message) = packet.body {
            self.router(cell, station).on_message(now, message, packet.src, packet.ttl);
            self.apply_router_actions(now, cell, station);
        }
    }

    pub(crate) fn on_router_timer(&mut self, now: Time, cell: u16, station: StationIndex) {
        let (_, timer) = self.links.cells[cell as usize].routers[station as usize];
        if self.timers.expire_if_due(timer, Event::Router(cell, station), &mut self.events) {
            self.router(cell, station).on_timeout(now);
            self.apply_router_actions(now, cell, station);
        }
    }

    /// Reports to a station's router that the link layer has discarded a packet for a neighbour. `packet`:
    /// packet that the router may keep; `None` if it has arrived. `record`: packet fields recorded at
    /// transmission.
    pub(crate) fn on_next_hop_lost(
        &mut self,
        now: Time,
        cell: u16,
        (from, to): (StationIndex, StationIndex),
        packet: Option<Id<Packet>>,
        record: PacketRecord,
    ) {
        let next = self.links.cells[cell as usize].node(to);
        let was_there = packet.is_some();
        let rest = self.router(cell, from).on_link_failure(now, next, record.routed, packet);
        if !was_there || rest.is_some() {
            self.on_given_up(now, LinkLayerId::Cell(cell), (from, to), rest, record.last_loss);
        }
        self.apply_router_actions(now, cell, from);
    }

    fn router(&mut self, cell: u16, station: StationIndex) -> &mut Router {
        &mut self.links.cells[cell as usize].routers[station as usize].0
    }

    fn apply_router_actions(&mut self, now: Time, cell: u16, station: StationIndex) {
        while let Some(action) = self.router(cell, station).poll_action() {
            match action {
                AodvAction::Forward { packet, next } => {
                    let to = self.links.cells[cell as usize].station(next);
                    let packet = QueueEntry { id: packet, next_station: to, offered_at: now };
                    self.offer_to_layer(now, LinkLayerId::Cell(cell), station, packet);
                }
                AodvAction::Send { message, to, ttl } => {
                    self.send_message(now, cell, station, message, to, ttl)
                }
                AodvAction::Drop(packet) => self.drop_without_route(now, cell, station, packet),
                AodvAction::Flush(next) => self.drop_queued_for(now, cell, station, next),
            }
        }
        let (router, timer) = &self.links.cells[cell as usize].routers[station as usize];
        let event = Event::Router(cell, station);
        self.timers.set_deadline(*timer, router.poll_timeout(), event, &mut self.events);
    }

    fn send_message(
        &mut self,
        now: Time,
        cell: u16,
        station: StationIndex,
        message: AodvMessage,
        dst: NodeId,
        ttl: u8,
    ) {
        let site = &self.links.cells[cell as usize];
        let (src, to) = (site.node(station), site.station(dst));
        let id = self.create_packet(now, src, Packet::from_routing_message(src, dst, ttl, message));
        self.offer_to_layer(
            now,
            LinkLayerId::Cell(cell),
            station,
            QueueEntry { id, next_station: to, offered_at: now },
        );
    }

    /// Drops a station's queued packets for the next hop `next`.
    fn drop_queued_for(&mut self, now: Time, cell: u16, station: StationIndex, next: NodeId) {
        let to = self.links.cells[cell as usize].station(next);
        loop {
            let interface = &mut self.links.cells[cell as usize].interfaces[station as usize];
            let first =
                |queue: &mut InterfaceQueue| queue.queue.remove_first(&|waiting| waiting.next_station == to);
            let Some(packet) = interface.queues_mut().find_map(first) else { break };
            self.drop_without_route(now, cell, station, packet.id);
        }
        self.record_layer_queues(now, LinkLayerId::Cell(cell), station);
    }

    /// Drops a packet without a route. The recorded cause is the last frame loss at this station, because
    /// frame losses break routes.
    fn drop_without_route(&mut self, now: Time, cell: u16, station: StationIndex, id: Id<Packet>) {
        let interface = &self.links.cells[cell as usize].interfaces[station as usize];
        let cause = interface.last_loss.unwrap_or(DropCause::Collision);
        let place = interface.queue.place_index;
        self.drop_packet(
            now,
            id,
            DropReason { counted_cause: DropCause::Route, physical_cause: cause },
            Some(place),
        );
    }
}
