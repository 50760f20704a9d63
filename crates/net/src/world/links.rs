//! Running links of a world. Only this module uses the types of links. The rest of the world uses the trait
//! [`RunningLink`]. The counterpart for plans is [`crate::links`].
//!
//! The trait covers neither events nor packets on wires. The event loop and [`World::forward`] match on the
//! type of the link instead. A virtual call per event would slow a cell by 2 %, and most hops of most worlds
//! are wires.

use super::World;
use super::build::disciplines::RequiredQueueDisciplines;
use super::build::networks;
use super::interface::WirelessInterface;
use super::link_site::RunningLink;
use super::site::WirelessNetwork;
use crate::link::Link;
use crate::plan::Plan;
use crate::queues::{QueueEntry, QueueState};
use crate::routing::{Hop, LinkLayerId};
use airhop_base::{Packet, Time};
use airhop_engine::{Id, RandomStreams};
use airhop_radio::layer::StationIndex;
use airhop_trace::Recorder;

/// All links of a world.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Directions of wired links, two per link.
    pub wired_links: Vec<Link>,
    pub radio_links: Vec<WirelessNetwork>,
    pub cells: Vec<WirelessNetwork>,
}

impl Links {
    /// Creates the links of a plan. A recorder registers the names of the links in this order.
    pub fn new(
        plan: &Plan,
        queues: &RequiredQueueDisciplines,
        streams: &RandomStreams,
        mut recorder: Option<&mut Recorder>,
    ) -> Self {
        let wires = networks::build_wired_links(plan, queues, streams, recorder.as_deref_mut());
        let cells = plan.links.wlans.iter();
        let cells = cells
            .map(|w| networks::build_cell_network(w, plan, queues, streams, recorder.as_deref_mut()))
            .collect();
        let radios = plan.links.radios.iter();
        let radios = radios
            .map(|r| networks::build_radio_network(r, plan, queues, streams, recorder.as_deref_mut()))
            .collect();
        Links { wired_links: wires, radio_links: radios, cells }
    }

    fn iter(&self) -> impl Iterator<Item = &dyn RunningLink> {
        fn iter_links<L: RunningLink>(links: &[L]) -> impl Iterator<Item = &dyn RunningLink> {
            links.iter().map(|link| link as &dyn RunningLink)
        }
        iter_links(&self.wired_links).chain(iter_links(&self.radio_links)).chain(iter_links(&self.cells))
    }

    /// Returns the link of a hop.
    pub fn link_of_hop(&self, hop: Hop) -> Option<&dyn RunningLink> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&self.wired_links[usize::from(i)]),
            Hop::Layer { layer, .. } => Some(self.wireless_network(layer)),
            Hop::OnDemand { cell, .. } => Some(self.wireless_network(LinkLayerId::Cell(cell))),
        }
    }

    /// Returns mutable access to the link of a hop.
    pub fn link_of_hop_mut(&mut self, hop: Hop) -> Option<&mut dyn RunningLink> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&mut self.wired_links[usize::from(i)]),
            Hop::Layer { layer, .. } => Some(self.wireless_network_mut(layer)),
            Hop::OnDemand { cell, .. } => Some(self.wireless_network_mut(LinkLayerId::Cell(cell))),
        }
    }

    /// Returns a link layer with its interfaces.
    #[inline]
    pub fn wireless_network(&self, layer: LinkLayerId) -> &WirelessNetwork {
        match layer {
            LinkLayerId::Cell(cell) => &self.cells[usize::from(cell)],
            LinkLayerId::Radio(link) => &self.radio_links[usize::from(link)],
        }
    }

    /// Returns mutable access to a link layer with its interfaces.
    #[inline]
    pub fn wireless_network_mut(&mut self, layer: LinkLayerId) -> &mut WirelessNetwork {
        match layer {
            LinkLayerId::Cell(cell) => &mut self.cells[usize::from(cell)],
            LinkLayerId::Radio(link) => &mut self.radio_links[usize::from(link)],
        }
    }

    /// Returns the interface of a station.
    #[inline]
    pub fn interface(&self, layer: LinkLayerId, station: StationIndex) -> &WirelessInterface {
        &self.wireless_network(layer).interfaces[usize::from(station)]
    }

    /// Returns mutable access to the interface of a station.
    #[inline]
    pub fn interface_mut(&mut self, layer: LinkLayerId, station: StationIndex) -> &mut WirelessInterface {
        &mut self.wireless_network_mut(layer).interfaces[usize::from(station)]
    }

    /// Calls `show` with the name and state of each queue.
    pub fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState)) {
        self.iter().for_each(|link| link.for_each_queue(show));
    }

    /// Ends the warm-up. Only packets that leave a queue later count in the sojourn times.
    pub fn end_warm_up(&mut self) {
        self.wired_links.iter_mut().for_each(|link| link.end_warm_up());
        self.radio_links.iter_mut().chain(&mut self.cells).for_each(|link| link.end_warm_up());
    }

    /// Returns the number of packets in all links and their queues.
    pub fn packet_count(&self) -> usize {
        self.iter().map(|link| link.packet_count()).sum()
    }
}

impl World {
    /// Offers a packet to a cell or a radio link.
    #[inline(never)]
    pub(crate) fn offer_to_wireless_hop(&mut self, now: Time, hop: Hop, id: Id<Packet>) {
        match hop {
            Hop::Layer { layer, from, to } => {
                self.offer_to_layer(now, layer, from, QueueEntry { id, next_station: to, offered_at: now });
            }
            Hop::OnDemand { cell, from } => self.route_packet(now, cell, from, id),
            Hop::Link(_) | Hop::None => unreachable!("every flow was checked to have a route both ways"),
        }
    }

    /// Records the number of packets in the queues before a hop.
    pub(crate) fn record_queue(&mut self, now: Time, hop: Hop) {
        match hop {
            Hop::None => {}
            Hop::Link(i) => self.record_link_queue(now, i),
            Hop::Layer { layer, from, .. } => self.record_layer_queues(now, layer, from),
            Hop::OnDemand { cell, from } => self.record_layer_queues(now, LinkLayerId::Cell(cell), from),
        }
    }
}
