//! Wireless networks of a world. Each is a link layer (802.11 cell or radio link) with the interfaces of its
//! nodes.

use super::interface::WirelessInterface;
use super::link_site::RunningLink;
use crate::queues::{DroppedPackets, QueueState, TxQueue};
use crate::routing::Hop;
use crate::routing::aodv::Router;
use crate::world::Event;
use airhop_base::{AccessCategory, MacHeader, NodeId, Packet, Time};
use airhop_engine::{EventQueue, Id, TimerId};
use airhop_radio::cell::Cell;
use airhop_radio::layer::{BROADCAST, LinkEffect, OutgoingPacket, StationIndex};
use airhop_radio::link::RadioLink;

/// Link layer, with the interfaces of its stations.
#[derive(Debug)]
pub(crate) struct WirelessNetwork {
    pub layer: LinkLayer,
    pub interfaces: Vec<WirelessInterface>,
    /// Router of each station and the router's timer; empty if routes are static.
    pub routers: Vec<(Router, TimerId)>,
    /// Station of each node, by node number. [`BROADCAST`] for a node without a station. Empty if routes are
    /// static.
    stations: Vec<StationIndex>,
}

/// Link layer of either type: 802.11 cell or radio link. A match on the type is faster than a virtual call,
/// and each event contains the type.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a world has few")]
pub(crate) enum LinkLayer {
    Cell(Cell),
    Radio(RadioLink),
}

impl LinkLayer {
    /// True if a station has room for a packet of an access category.
    #[inline]
    pub fn has_room(&self, from: StationIndex, category: AccessCategory) -> bool {
        match self {
            LinkLayer::Cell(cell) => cell.has_room(from, category),
            LinkLayer::Radio(link) => link.has_room(from),
        }
    }

    /// Passes a packet to a station. The station must have room. Returns the packet's number at the station.
    #[inline]
    pub fn send(
        &mut self,
        now: Time,
        from: StationIndex,
        packet: OutgoingPacket,
        events: &mut EventQueue<Event>,
        effects: &mut Vec<LinkEffect>,
    ) -> u64 {
        match self {
            LinkLayer::Cell(cell) => cell.send(now, from, packet, events),
            LinkLayer::Radio(link) => link.send(now, from, packet, events, effects),
        }
    }

    /// Returns a packet in the layer by its number; `None` in a cell. For cells, the world stores copies of
    /// the packets ([`PacketRecords::copy`](super::interface::PacketRecords::copy)).
    pub fn packet(&self, from: StationIndex, number: u64) -> Option<&Id<Packet>> {
        match self {
            LinkLayer::Cell(_) => None,
            LinkLayer::Radio(link) => link.packet(from, number),
        }
    }

    /// Returns the MAC header of the last reported transmission; `None` outside a cell.
    pub fn mac_header(&self) -> Option<&MacHeader> {
        match self {
            LinkLayer::Cell(cell) => Some(cell.last_mac_header()),
            LinkLayer::Radio(_) => None,
        }
    }

    /// Returns the number of packets in the layer.
    fn packet_count(&self) -> usize {
        match self {
            LinkLayer::Cell(cell) => cell.packet_count(),
            LinkLayer::Radio(link) => link.packet_count(),
        }
    }
}

impl WirelessNetwork {
    /// Creates the site of a link layer with static routes.
    pub fn new(layer: LinkLayer, interfaces: Vec<WirelessInterface>) -> Self {
        WirelessNetwork { layer, interfaces, routers: Vec::new(), stations: Vec::new() }
    }

    /// Adds the routers of the stations.
    pub fn set_routers(&mut self, routers: Vec<(Router, TimerId)>) {
        self.routers = routers;
        for (interface, station) in self.interfaces.iter().zip(0..) {
            let node = usize::from(interface.node.0);
            self.stations.resize(self.stations.len().max(node + 1), BROADCAST);
            self.stations[node] = station;
        }
    }

    /// Returns the node of a station.
    pub fn node(&self, s: StationIndex) -> NodeId {
        self.interfaces[usize::from(s)].node
    }

    /// Returns the station of a node in this cell with on-demand routing. [`BROADCAST`] stands for all nodes.
    pub fn station(&self, node: NodeId) -> StationIndex {
        if node == NodeId::BROADCAST { BROADCAST } else { self.stations[usize::from(node.0)] }
    }

    /// Returns the interface at the start of a hop.
    fn sending_interface(&self, hop: Hop) -> &WirelessInterface {
        &self.interfaces[usize::from(station_of(hop))]
    }
}

/// Returns the station at the start of a hop.
fn station_of(hop: Hop) -> StationIndex {
    match hop {
        Hop::Layer { from, .. } | Hop::OnDemand { from, .. } => from,
        other => unreachable!("{other:?} does not start at a station"),
    }
}

impl RunningLink for WirelessNetwork {
    /// Returns the number of packets in queues, in the layer, and in routers.
    fn packet_count(&self) -> usize {
        let waiting =
            self.interfaces.iter().flat_map(WirelessInterface::queues).map(|queue| queue.queue.len());
        let at_routers = self.routers.iter().map(|(router, _)| router.packet_count());
        self.layer.packet_count() + waiting.chain(at_routers).sum::<usize>()
    }

    fn end_nodes(&self, hop: Hop) -> [NodeId; 2] {
        match hop {
            Hop::Layer { from, to, .. } => [from, to].map(|station| self.node(station)),
            other => unreachable!("only a router knows the end of {other:?}"),
        }
    }

    fn place_index(&self, hop: Hop) -> u32 {
        let from = self.sending_interface(hop);
        match hop {
            Hop::Layer { to, .. } => from.place_index(to).unwrap_or(from.queue.place_index),
            _ => from.queue.place_index,
        }
    }

    fn queue_length_and_capacity(&self, hop: Hop, category: AccessCategory, _: Time) -> (usize, usize) {
        let queue = &self.sending_interface(hop).queue_of(category).queue;
        (queue.len(), queue.capacity())
    }

    fn queue(&self, hop: Hop, category: AccessCategory) -> Option<&TxQueue> {
        Some(&self.sending_interface(hop).queue_of(category).queue)
    }

    fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState)) {
        let several = self.interfaces.len() > 2;
        for (number, interface) in self.interfaces.iter().enumerate() {
            let to = if several { "*" } else { &self.interfaces[1 - number].name };
            let link = format!("{}->{to}", interface.name);
            interface.queues().for_each(|queue| show(&queue.name(&link), queue.queue.queue_state()));
        }
    }

    fn end_warm_up(&mut self) {
        let queues = self.interfaces.iter_mut().flat_map(WirelessInterface::queues_mut);
        queues.for_each(|queue| queue.queue.end_warm_up());
    }

    fn clear_queue(&mut self, hop: Hop, dropped: &mut DroppedPackets) {
        let queues = self.interfaces[usize::from(station_of(hop))].queues_mut();
        queues.for_each(|queue| queue.queue.clear(dropped));
    }

    fn fade_subscribers(&self, hop: Hop) -> &[u16] {
        let Hop::Layer { to, .. } = hop else { return &[] };
        self.sending_interface(hop).fades.subscribers(to)
    }

    /// No effect with on-demand routing, because the hops of a route are not known in advance.
    fn subscribe_to_fades(&mut self, hop: Hop, agent: u16) {
        if let Hop::Layer { from, to, .. } = hop {
            self.interfaces[usize::from(from)].fades.subscribe(to, agent);
        }
    }
}
