//! Wireless networks in the world, 802.11 cells and radio links: the node of each station, and the queue before each MAC.

use super::link_site::LinkSite;
use super::trace_rows::kind_of;
use crate::queues::{Dropped, Marker, TxQueue};
use crate::routing::Hop;
use crate::routing::aodv::{Passing, Router};
use airhop_base::{Drop, NodeId, Packet, Span, Time};
use airhop_engine::TimerId;
use airhop_radio::Tag;
use airhop_radio::cell::Cell;
use airhop_radio::layer::{BROADCAST, Station};
use airhop_radio::link::RadioLink;
use airhop_trace::DropKind;
use std::collections::VecDeque;

/// A cell with the interface queues of its stations.
#[derive(Debug)]
pub(crate) struct Site {
    pub cell: Cell,
    pub stations: Vec<StationSite>,
    /// Router of each station and its timer; empty if routes are known from the beginning.
    pub routers: Vec<(Router, TimerId)>,
}

/// Station in the world.
#[derive(Debug)]
pub(crate) struct StationSite {
    pub node: NodeId,
    pub name: String,
    pub queue: TxQueue,
    /// Time at which the MAC last found the queue empty.
    pub idle_since: Time,
    /// True if the packet in the MAC has not been delivered.
    pub in_mac: bool,
    /// The router's information on the packet in the MAC, unless there is none or it is a message of the router's own.
    pub passing: Option<Passing>,
    /// Cause of the last loss of a data frame.
    pub last_loss: Option<Drop>,
    /// Packet that the MAC is sending; kept only for a recorder, and for flows to which its headers alone are of use.
    pub on_air: Option<Packet>,
    /// Kind and number of the packet in its last frame that was no answer, for a recorder.
    pub sent: (DropKind, u64),
    /// Interface of the station in the recorder.
    pub interface: u16,
    /// Place in the recorder of its queue: the link to the other station of two, else to all.
    pub queue_place: u32,
    /// Place in the recorder of broadcasts, which are for no single station.
    pub broadcast_place: u32,
    /// Places in the recorder of the links to the stations in receive range, in their order.
    pub places: Vec<(Station, u32)>,
    /// Fades towards the stations that agents here listen to.
    pub fades: Vec<(Station, Fade)>,
}

/// Fade as the link layer of the sending station knows it: from the first failure after a success to the next link ACK.
#[derive(Debug, Default)]
pub(crate) struct Fade {
    since: Option<Time>,
    /// Agents that listen to the fade.
    pub listeners: Vec<u16>,
}

impl Fade {
    /// Records a failed attempt; true if a fade begins with it.
    pub fn begins(&mut self, now: Time) -> bool {
        self.since.replace(self.since.unwrap_or(now)).is_none()
    }

    /// Records a link ACK; returns the duration of the fade that it ends, if there was one.
    pub fn ends(&mut self, now: Time) -> Option<Span> {
        self.since.take().map(|since| now - since)
    }
}

impl StationSite {
    /// Returns the place in the recorder, if there is one, of the link to a station.
    pub fn place(&self, to: Station) -> Option<u32> {
        let found = self.places.binary_search_by_key(&to, |(station, _)| *station);
        found.ok().map(|i| self.places[i].1)
    }

    /// Returns the fade towards a station, if an agent here listens to it.
    pub fn fade(&self, to: Station) -> Option<&Fade> {
        self.fades.iter().find(|(station, _)| *station == to).map(|(_, fade)| fade)
    }

    /// Returns mutable access to the fade towards a station, if an agent here listens to it.
    pub fn fade_mut(&mut self, to: Station) -> Option<&mut Fade> {
        self.fades.iter_mut().find(|(station, _)| *station == to).map(|(_, fade)| fade)
    }

    /// Adds agent `i` to the listeners of fades towards a station.
    pub fn listen(&mut self, to: Station, i: u16) {
        match self.fade_mut(to) {
            Some(fade) => fade.listeners.push(i),
            None => self.fades.push((to, Fade { since: None, listeners: vec![i] })),
        }
    }
}

impl Site {
    /// Returns the node of a station.
    pub fn node(&self, s: Station) -> NodeId {
        self.stations[s as usize].node
    }

    /// Returns the station of a node of this cell, or [`BROADCAST`] for all.
    pub fn station(&self, node: NodeId) -> Station {
        if node == NodeId::BROADCAST {
            return BROADCAST;
        }
        let place = self.stations.iter().position(|station| station.node == node);
        place.expect("routers know the nodes of their cell only") as Station
    }

    /// Returns the station that a hop of this cell begins at.
    fn from(&self, hop: Hop) -> &StationSite {
        &self.stations[usize::from(station_of(hop))]
    }
}

/// Returns the number of the station that a hop begins at.
fn station_of(hop: Hop) -> Station {
    match hop {
        Hop::Air { from, .. } | Hop::OnDemand { from, .. } => from,
        other => unreachable!("{other:?} is in no cell"),
    }
}

impl LinkSite for Site {
    /// Returns the number of packets in queues, in MACs, and held by routers.
    fn holds(&self) -> usize {
        let at_stations = self.stations.iter().map(|s| s.queue.len() + usize::from(s.in_mac));
        at_stations.chain(self.routers.iter().map(|(router, _)| router.holds())).sum()
    }

    fn ends(&self, hop: Hop) -> [NodeId; 2] {
        match hop {
            Hop::Air { from, to, .. } => [from, to].map(|station| self.node(station)),
            other => unreachable!("where {other:?} ends only a router knows"),
        }
    }

    fn place(&self, hop: Hop) -> u32 {
        let from = self.from(hop);
        match hop {
            Hop::Air { to, .. } => from.place(to).unwrap_or(from.queue_place),
            _ => from.queue_place,
        }
    }

    fn waiting(&self, hop: Hop, _: Time) -> (usize, usize) {
        let queue = &self.from(hop).queue;
        (queue.len(), queue.capacity())
    }

    fn queue(&self, hop: Hop) -> Option<&TxQueue> {
        Some(&self.from(hop).queue)
    }

    fn for_each_marker(&self, show: &mut dyn FnMut(&str, &Marker)) {
        let several = self.stations.len() > 2;
        for (number, station) in self.stations.iter().enumerate() {
            let Some(marker) = station.queue.marker() else { continue };
            let to = if several { "*" } else { &self.stations[1 - number].name };
            show(&format!("{}->{to}", station.name), marker);
        }
    }

    fn clear_queue(&mut self, hop: Hop, dropped: &mut Dropped) {
        self.stations[usize::from(station_of(hop))].queue.clear(dropped);
    }

    fn listeners(&self, hop: Hop) -> &[u16] {
        let Hop::Air { to, .. } = hop else { return &[] };
        self.from(hop).fade(to).map_or(&[], |fade| &fade.listeners)
    }

    /// Ignores listeners where routes are found on demand, as the fades on a route are not known beforehand.
    fn listen(&mut self, hop: Hop, agent: u16) {
        if let Hop::Air { from, to, .. } = hop {
            self.stations[usize::from(from)].listen(to, agent);
        }
    }
}

/// Radio link in the world, with the queue before each end.
#[derive(Debug)]
pub(crate) struct RadioSite {
    pub link: RadioLink,
    pub ends: [EndSite; 2],
}

/// End of a radio link.
#[derive(Debug)]
pub(crate) struct EndSite {
    pub node: NodeId,
    /// Name for traces, such as "bs->m".
    pub name: String,
    pub queue: TxQueue,
    /// Time at which the link last found the queue empty.
    pub idle_since: Time,
    /// Kinds of the packets that the link took last, for a recorder.
    pub taken: Taken,
    /// Row of its name in the recorder.
    pub place: u32,
    /// Interface of the end in the recorder.
    pub interface: u16,
    /// Agents that listen to fades.
    pub listeners: Vec<u16>,
}

impl RadioSite {
    fn from(&self, hop: Hop) -> &EndSite {
        &self.ends[end_of(hop)]
    }
}

/// Returns the number of the end that a hop begins at.
fn end_of(hop: Hop) -> usize {
    match hop {
        Hop::Radio { end, .. } => usize::from(end),
        other => unreachable!("{other:?} is over no radio link"),
    }
}

impl LinkSite for RadioSite {
    /// Returns the number of packets in queues, and in the link.
    fn holds(&self) -> usize {
        self.link.holds() + self.ends.iter().map(|end| end.queue.len()).sum::<usize>()
    }

    fn ends(&self, hop: Hop) -> [NodeId; 2] {
        [end_of(hop), 1 - end_of(hop)].map(|end| self.ends[end].node)
    }

    fn place(&self, hop: Hop) -> u32 {
        self.from(hop).place
    }

    fn waiting(&self, hop: Hop, _: Time) -> (usize, usize) {
        let queue = &self.from(hop).queue;
        (queue.len(), queue.capacity())
    }

    fn queue(&self, hop: Hop) -> Option<&TxQueue> {
        Some(&self.from(hop).queue)
    }

    fn for_each_marker(&self, show: &mut dyn FnMut(&str, &Marker)) {
        for end in &self.ends {
            end.queue.marker().into_iter().for_each(|marker| show(&end.name, marker));
        }
    }

    fn clear_queue(&mut self, hop: Hop, dropped: &mut Dropped) {
        self.ends[end_of(hop)].queue.clear(dropped);
    }

    fn listeners(&self, hop: Hop) -> &[u16] {
        &self.from(hop).listeners
    }

    fn listen(&mut self, hop: Hop, agent: u16) {
        self.ends[end_of(hop)].listeners.push(agent);
    }
}

/// Kinds of packets, by the numbers that the link gave them: frames of a packet may go out when it has long been delivered.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Number of packets before those that are remembered.
    forgotten: u64,
    recent: VecDeque<(DropKind, u64)>,
}

impl Taken {
    /// Number of packets remembered, more than fit into any window.
    const MEMORY: usize = 4096;

    pub fn push(&mut self, packet: &Packet) {
        if self.recent.len() == Self::MEMORY {
            self.recent.pop_front();
            self.forgotten += 1;
        }
        self.recent.push_back(kind_of(packet));
    }

    /// Returns the kind of the packet in a frame; `None`: a control frame, for the packet of this tag.
    pub fn kind(&self, number: Option<u64>, tag: Tag) -> (DropKind, u64) {
        let place = number.and_then(|number| usize::try_from(number.checked_sub(self.forgotten)?).ok());
        place.and_then(|place| self.recent.get(place)).copied().unwrap_or((DropKind::Control, tag.seq))
    }
}
