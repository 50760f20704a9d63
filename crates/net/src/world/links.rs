//! Running links of a world. Only this module uses the types of links. The rest of the world uses the trait
//! [`RunningLink`]. The counterpart for plans is [`crate::links`].
//!
//! The trait covers neither events nor packets on wires. The event loop and [`World::forward`] match on the
//! type of the link instead. A virtual call per event would slow a cell by 2 %, and most hops of most worlds
//! are wires.

use super::World;
use super::build::disciplines::Disciplines;
use super::build::networks;
use super::interface::Interface;
use super::link_site::RunningLink;
use super::site::WirelessSite;
use crate::link::Link;
use crate::plan::Plan;
use crate::queues::{QueueState, Queued};
use crate::routing::{Hop, Layer};
use airhop_base::{Packet, Time};
use airhop_engine::{Id, RandomStreams};
use airhop_radio::layer::Station;
use airhop_trace::Recorder;

/// All links of a world.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// Directions of wired links, two per link.
    pub wires: Vec<Link>,
    pub radios: Vec<WirelessSite>,
    pub cells: Vec<WirelessSite>,
}

impl Links {
    /// Creates the links of a plan. A recorder registers the names of the links in this order.
    pub fn new(
        plan: &Plan,
        queues: &Disciplines,
        streams: &RandomStreams,
        mut recorder: Option<&mut Recorder>,
    ) -> Self {
        let wires = networks::build_wired_links(plan, queues, streams, recorder.as_deref_mut());
        let cells = plan.links.wlans.iter();
        let cells = cells
            .map(|w| networks::build_cell_site(w, plan, queues, streams, recorder.as_deref_mut()))
            .collect();
        let radios = plan.links.radios.iter();
        let radios = radios
            .map(|r| networks::build_radio_site(r, plan, queues, streams, recorder.as_deref_mut()))
            .collect();
        Links { wires, radios, cells }
    }

    fn iter(&self) -> impl Iterator<Item = &dyn RunningLink> {
        fn of<L: RunningLink>(links: &[L]) -> impl Iterator<Item = &dyn RunningLink> {
            links.iter().map(|link| link as &dyn RunningLink)
        }
        of(&self.wires).chain(of(&self.radios)).chain(of(&self.cells))
    }

    /// Returns the link of a hop.
    pub fn link_of_hop(&self, hop: Hop) -> Option<&dyn RunningLink> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&self.wires[usize::from(i)]),
            Hop::Layer { layer, .. } => Some(self.site(layer)),
            Hop::OnDemand { cell, .. } => Some(self.site(Layer::Cell(cell))),
        }
    }

    /// Returns mutable access to the link of a hop.
    pub fn link_of_hop_mut(&mut self, hop: Hop) -> Option<&mut dyn RunningLink> {
        match hop {
            Hop::None => None,
            Hop::Link(i) => Some(&mut self.wires[usize::from(i)]),
            Hop::Layer { layer, .. } => Some(self.site_mut(layer)),
            Hop::OnDemand { cell, .. } => Some(self.site_mut(Layer::Cell(cell))),
        }
    }

    /// Returns a link layer with its interfaces.
    #[inline]
    pub fn site(&self, layer: Layer) -> &WirelessSite {
        match layer {
            Layer::Cell(cell) => &self.cells[usize::from(cell)],
            Layer::Radio(link) => &self.radios[usize::from(link)],
        }
    }

    /// Returns mutable access to a link layer with its interfaces.
    #[inline]
    pub fn site_mut(&mut self, layer: Layer) -> &mut WirelessSite {
        match layer {
            Layer::Cell(cell) => &mut self.cells[usize::from(cell)],
            Layer::Radio(link) => &mut self.radios[usize::from(link)],
        }
    }

    /// Returns the interface of a station.
    #[inline]
    pub fn interface(&self, layer: Layer, station: Station) -> &Interface {
        &self.site(layer).interfaces[usize::from(station)]
    }

    /// Returns mutable access to the interface of a station.
    #[inline]
    pub fn interface_mut(&mut self, layer: Layer, station: Station) -> &mut Interface {
        &mut self.site_mut(layer).interfaces[usize::from(station)]
    }

    /// Calls `show` with the name and state of each queue.
    pub fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState)) {
        self.iter().for_each(|link| link.for_each_queue(show));
    }

    /// Ends the warm-up. Only packets that leave a queue later count in the sojourn times.
    pub fn end_warm_up(&mut self) {
        self.wires.iter_mut().for_each(|link| link.end_warm_up());
        self.radios.iter_mut().chain(&mut self.cells).for_each(|link| link.end_warm_up());
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
                self.offer_to_layer(now, layer, from, Queued { id, to, since: now });
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
            Hop::OnDemand { cell, from } => self.record_layer_queues(now, Layer::Cell(cell), from),
        }
    }
}
