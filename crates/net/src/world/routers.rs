//! Routers of a world. The world requests next hops, passes on messages and reports of lost neighbours, and
//! executes the routers' actions.

use crate::ground_truth::loss_ledger::DropReason;
use crate::queues::Queued;
use crate::routing::Layer;
use crate::routing::aodv::{Action, RoutedPacket, Router};
use crate::world::hop_fields::digest;
use crate::world::interface::{Interface, InterfaceQueue, PacketRecord};
use crate::world::{Event, World};
use airhop_base::{AodvMessage, Body, DropCause, NodeId, Packet, Time};
use airhop_engine::Id;
use airhop_radio::layer::Station;
use airhop_trace::Direction;

impl World {
    /// Sends a packet from a station to the next hop that the station's router chooses.
    pub(crate) fn route_packet(&mut self, now: Time, cell: u16, station: Station, id: Id<Packet>) {
        let routed = RoutedPacket::from_packet(self.arena.get(&id));
        let site = &mut self.links.cells[cell as usize];
        let (router, _) = &mut site.routers[station as usize];
        if let Some(next) = router.forward(now, routed) {
            let packet = Queued { id, to: site.station(next), since: now };
            return self.offer_to_layer(now, Layer::Cell(cell), station, packet);
        }
        router.on_packet(now, id, routed);
        self.apply_router_actions(now, cell, station);
    }

    /// Handles a routing message that has arrived at its destination, `station`.
    pub(crate) fn on_routing_message(&mut self, now: Time, cell: u16, station: Station, id: Id<Packet>) {
        let node = self.links.cells[cell as usize].node(station);
        let packet = self.take_delivered(now, node, id);
        self.take_message(now, cell, station, packet);
    }

    /// Handles the reception of a broadcast by station `to`. `from` and `number` identify the packet.
    pub(crate) fn on_broadcast(&mut self, now: Time, cell: u16, (from, number): (Station, u64), to: Station) {
        let interfaces = &self.links.cells[cell as usize].interfaces;
        let Interface { node, recorder_index: interface, .. } = interfaces[to as usize];
        let Some(packet) = interfaces[from as usize].records.copy(number).cloned() else { return };
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
            recorder.record_packet(now, node, interface, Direction::In, &packet, None);
        }
        self.take_message(now, cell, to, Packet { ttl: packet.ttl.saturating_sub(1), ..packet });
    }

    fn take_message(&mut self, now: Time, cell: u16, station: Station, packet: Packet) {
        let node = self.links.cells[cell as usize].node(station);
        self.fingerprint.add_event(now, self.node_hashes[node.0 as usize] ^ digest(&packet, 0));
        if let Body::Routing(message) = packet.body {
            self.router(cell, station).on_message(now, message, packet.src, packet.ttl);
            self.apply_router_actions(now, cell, station);
        }
    }

    pub(crate) fn on_router_timer(&mut self, now: Time, cell: u16, station: Station) {
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
        (from, to): (Station, Station),
        packet: Option<Id<Packet>>,
        record: PacketRecord,
    ) {
        let next = self.links.cells[cell as usize].node(to);
        let was_there = packet.is_some();
        let rest = self.router(cell, from).on_link_failure(now, next, record.routed, packet);
        if !was_there || rest.is_some() {
            self.on_given_up(now, Layer::Cell(cell), (from, to), rest, record.last_loss);
        }
        self.apply_router_actions(now, cell, from);
    }

    fn router(&mut self, cell: u16, station: Station) -> &mut Router {
        &mut self.links.cells[cell as usize].routers[station as usize].0
    }

    fn apply_router_actions(&mut self, now: Time, cell: u16, station: Station) {
        while let Some(action) = self.router(cell, station).poll_action() {
            match action {
                Action::Forward { packet, next } => {
                    let to = self.links.cells[cell as usize].station(next);
                    let packet = Queued { id: packet, to, since: now };
                    self.offer_to_layer(now, Layer::Cell(cell), station, packet);
                }
                Action::Send { message, to, ttl } => self.send_message(now, cell, station, message, to, ttl),
                Action::Drop(packet) => self.drop_without_route(now, cell, station, packet),
                Action::Flush(next) => self.flush(now, cell, station, next),
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
        station: Station,
        message: AodvMessage,
        dst: NodeId,
        ttl: u8,
    ) {
        let site = &self.links.cells[cell as usize];
        let (src, to) = (site.node(station), site.station(dst));
        let id = self.create_packet(now, src, Packet::from_routing_message(src, dst, ttl, message));
        self.offer_to_layer(now, Layer::Cell(cell), station, Queued { id, to, since: now });
    }

    /// Drops a station's queued packets for the next hop `next`.
    fn flush(&mut self, now: Time, cell: u16, station: Station, next: NodeId) {
        let to = self.links.cells[cell as usize].station(next);
        loop {
            let interface = &mut self.links.cells[cell as usize].interfaces[station as usize];
            let first = |queue: &mut InterfaceQueue| queue.queue.remove_first(&|waiting| waiting.to == to);
            let Some(packet) = interface.queues_mut().find_map(first) else { break };
            self.drop_without_route(now, cell, station, packet.id);
        }
        self.record_layer_queues(now, Layer::Cell(cell), station);
    }

    /// Drops a packet without a route. The recorded cause is the last frame loss at this station, because
    /// frame losses break routes.
    fn drop_without_route(&mut self, now: Time, cell: u16, station: Station, id: Id<Packet>) {
        let interface = &self.links.cells[cell as usize].interfaces[station as usize];
        let cause = interface.last_loss.unwrap_or(DropCause::Collision);
        let place = interface.queue.place_index;
        self.drop_packet(now, id, DropReason { counted: DropCause::Route, cause }, Some(place));
    }
}
