//! `WirelessInterface`: station of a link layer, with its transmit queues and packet records.

use super::trace_rows::kind_of;
use crate::queues::TxQueue;
use crate::routing::aodv::RoutedPacket;
use airhop_base::{AccessCategory, DropCause, NodeId, Packet, Span, Time};
use airhop_radio::PacketTag;
use airhop_radio::layer::StationIndex;
use airhop_trace::PacketKind;
use std::collections::VecDeque;

/// Interface of a node to a cell or a radio link.
#[derive(Debug)]
pub(crate) struct WirelessInterface {
    pub node: NodeId,
    /// Name of the node.
    pub name: String,
    /// Transmit queue. In a cell with EDCA, the best-effort queue.
    pub queue: InterfaceQueue,
    /// Transmit queues of the other access categories in use.
    pub other_queues: Box<[InterfaceQueue]>,
    /// Cause of the last loss of a data frame.
    pub last_loss: Option<DropCause>,
    /// Records of the packets in the layer.
    pub records: PacketRecords,
    /// Kinds of the packets that the layer accepted most recently, for the recorder.
    pub packet_kinds: PacketKindHistory,
    /// Fades observed by the link layer, for the subscribed agents of this node.
    pub fades: FadeTracker,
    /// Index of the interface in the recorder.
    pub recorder_index: u16,
    /// Recorder index of the link to all stations (`NODE->*`), for broadcasts and for stations without an
    /// entry in `station_place_indices`. On a radio link, index of its only link.
    pub broadcast_place_index: u32,
    /// Recorder indices of the links to the stations in receive range, in the order of the stations.
    pub station_place_indices: Vec<(StationIndex, u32)>,
}

/// Transmit queue of an interface. In a cell with EDCA each access category of a station has its own queue.
#[derive(Debug)]
pub(crate) struct InterfaceQueue {
    pub category: AccessCategory,
    pub queue: TxQueue,
    /// Last time at which the layer had room while the queue was empty.
    pub idle_since: Time,
    /// Recorder index of the queue. The queue is recorded under its access category and the link to the only
    /// other station, or to all stations.
    pub place_index: u32,
}

impl InterfaceQueue {
    /// Creates the queue of an access category. The queue is not yet registered with the recorder.
    pub fn new(category: AccessCategory, queue: TxQueue) -> Self {
        InterfaceQueue { category, queue, idle_since: Time::ZERO, place_index: 0 }
    }

    /// Returns the queue's name in results and traces. `link`: link to the only other station, or to all
    /// stations.
    pub fn name(&self, link: &str) -> String {
        match self.category {
            AccessCategory::Be => link.to_string(),
            category => format!("{link} {}", category.name()),
        }
    }
}

impl WirelessInterface {
    /// Creates an interface of this node. The interface is not yet registered with the recorder.
    pub fn new(node: NodeId, name: String, queue: TxQueue, fades: FadeTracker) -> Self {
        WirelessInterface {
            node,
            name,
            queue: InterfaceQueue::new(AccessCategory::Be, queue),
            other_queues: Box::default(),
            last_loss: None,
            records: PacketRecords::default(),
            packet_kinds: PacketKindHistory::default(),
            fades,
            recorder_index: 0,
            broadcast_place_index: 0,
            station_place_indices: Vec::new(),
        }
    }

    /// Returns the queue of an access category. A link layer without EDCA has one queue for all packets.
    #[inline]
    pub fn queue_of(&self, category: AccessCategory) -> &InterfaceQueue {
        self.other_queues.iter().find(|other| other.category == category).unwrap_or(&self.queue)
    }

    /// Returns mutable access to the queue of an access category.
    #[inline]
    pub fn queue_mut(&mut self, category: AccessCategory) -> &mut InterfaceQueue {
        if self.other_queues.is_empty() {
            return &mut self.queue; // most interfaces: the search needs more time than this comparison
        }
        self.other_queues.iter_mut().find(|other| other.category == category).unwrap_or(&mut self.queue)
    }

    /// Returns the queues of all access categories in use.
    pub fn queues(&self) -> impl Iterator<Item = &InterfaceQueue> {
        std::iter::once(&self.queue).chain(&self.other_queues)
    }

    /// Returns mutable access to all queues.
    pub fn queues_mut(&mut self) -> impl Iterator<Item = &mut InterfaceQueue> {
        std::iter::once(&mut self.queue).chain(&mut self.other_queues)
    }

    /// Returns the recorder index of the link to a station; `None` if the link is not recorded.
    pub fn place_index(&self, to: StationIndex) -> Option<u32> {
        let found = self.station_place_indices.binary_search_by_key(&to, |(station, _)| *station);
        found.ok().map(|i| self.station_place_indices[i].1)
    }
}

/// Record of a packet in a link layer.
#[derive(Debug, Default)]
pub(crate) struct PacketRecord {
    /// Packet fields that the router reads; `None` for static routing or a routing message.
    pub routed: Option<RoutedPacket>,
    /// Cause of the last loss of a data frame with the packet.
    pub last_loss: Option<DropCause>,
}

/// Records of the packets in a link layer, by packet number. A record is kept until the layer delivers or
/// discards the packet. Most packets need no record.
#[derive(Debug, Default)]
pub(crate) struct PacketRecords {
    records: PacketNumberMap<PacketRecord>,
    /// Copies of packets, kept only for the recorder and for flows that can use headers alone.
    copies: PacketNumberMap<PacketCopy>,
}

/// Copy of a packet in a link layer.
#[derive(Debug)]
struct PacketCopy {
    packet: Packet,
    /// Bitmap of the fragments sent so far. An unfragmented packet is fragment 0.
    sent: u16,
}

impl PacketRecords {
    /// Adds the record of the most recently accepted packet.
    #[inline]
    pub fn push(&mut self, number: u64, record: PacketRecord) {
        self.records.0.push_back((number, record));
    }

    /// Returns the record of a packet, and creates an empty record if there is none.
    pub fn entry(&mut self, number: u64) -> &mut PacketRecord {
        self.records.entry(number, PacketRecord::default)
    }

    /// Stores a copy of a packet.
    pub fn store_copy(&mut self, number: u64, packet: &Packet) {
        self.copies.entry(number, || PacketCopy { packet: packet.clone(), sent: 0 });
    }

    /// Returns the copy of a packet; `None` if there is no copy.
    pub fn copy(&self, number: u64) -> Option<&Packet> {
        Some(&self.copies.get(number)?.packet)
    }

    /// Marks a fragment of a packet as sent. Returns the packet's copy, and true if the fragment had been
    /// sent before; `None` if there is no copy.
    pub fn mark_sent(&mut self, number: u64, fragment: u8) -> Option<(&Packet, bool)> {
        let place = self.copies.find_index(number).ok()?;
        let PacketCopy { packet, sent } = &mut self.copies.0[place].1;
        let was_sent = *sent >> fragment & 1 == 1;
        *sent |= 1 << fragment;
        Some((packet, was_sent))
    }

    /// Removes the record and the copy of a packet. Returns the record, or an empty record if there is none.
    #[inline(always)]
    pub fn remove(&mut self, number: u64) -> PacketRecord {
        if self.records.0.is_empty() && self.copies.0.is_empty() {
            return PacketRecord::default();
        }
        self.copies.remove(number);
        self.records.remove(number).unwrap_or_default()
    }
}

/// Values by packet number. Packets enter in the order of their numbers, and most leave in that order.
#[derive(Debug)]
struct PacketNumberMap<T>(VecDeque<(u64, T)>);

impl<T> Default for PacketNumberMap<T> {
    fn default() -> Self {
        PacketNumberMap(VecDeque::new())
    }
}

impl<T> PacketNumberMap<T> {
    fn entry(&mut self, number: u64, first: impl FnOnce() -> T) -> &mut T {
        let place = match self.find_index(number) {
            Ok(place) => place,
            Err(place) if place == self.0.len() => {
                self.0.push_back((number, first()));
                place
            }
            Err(place) => {
                self.0.insert(place, (number, first()));
                place
            }
        };
        &mut self.0[place].1
    }

    fn get(&self, number: u64) -> Option<&T> {
        Some(&self.0[self.find_index(number).ok()?].1)
    }

    #[inline]
    fn remove(&mut self, number: u64) -> Option<T> {
        if self.0.front()?.0 != number {
            return self.remove_behind_first(number);
        }
        self.0.pop_front().map(|(_, value)| value)
    }

    #[inline(never)]
    fn remove_behind_first(&mut self, number: u64) -> Option<T> {
        let place = self.find_index(number).ok()?;
        self.0.remove(place).map(|(_, value)| value)
    }

    #[inline]
    fn find_index(&self, number: u64) -> Result<usize, usize> {
        match self.0.back() {
            Some((last, _)) if *last >= number => self.0.binary_search_by_key(&number, |(number, _)| *number),
            _ => Err(self.0.len()),
        }
    }
}

/// Kinds of packets by packet number. Frames of a packet may still be sent long after its delivery.
#[derive(Debug, Default)]
pub(crate) struct PacketKindHistory {
    /// Number of packets whose kinds are no longer stored.
    forgotten: u64,
    recent: VecDeque<(PacketKind, u64)>,
}

impl PacketKindHistory {
    /// Number of packets whose kinds are stored. This number exceeds every Block Ack window: 257 A-MSDUs of
    /// 11424 bytes have at most 56,000 datagrams.
    const MAX_STORED_KINDS: usize = 1 << 16;

    pub fn push(&mut self, packet: &Packet) {
        if self.recent.len() == Self::MAX_STORED_KINDS {
            self.recent.pop_front();
            self.forgotten += 1;
        }
        self.recent.push_back(kind_of(packet));
    }

    /// Returns the kind and number of a frame's packet. If `number` is `None`, the frame is a radio link's
    /// control frame for the packet of this tag.
    pub fn kind(&self, number: Option<u64>, tag: PacketTag) -> (PacketKind, u64) {
        let place = number.and_then(|number| usize::try_from(number.checked_sub(self.forgotten)?).ok());
        place.and_then(|place| self.recent.get(place)).copied().unwrap_or((PacketKind::Control, tag.seq))
    }
}

/// Fades towards stations, with the agents of this node that are subscribed to these fades.
#[derive(Debug)]
pub(crate) struct FadeTracker {
    towards: Vec<(StationIndex, ObservedFade)>,
    /// True if the link layer itself reports fades.
    are_reported: bool,
}

/// Fade as observed by the sending station's link layer. A fade lasts from the first failure after a success
/// to the next link ACK.
#[derive(Debug, Default)]
struct ObservedFade {
    since: Option<Time>,
    /// Agents that are subscribed to the fade.
    listeners: Vec<u16>,
}

impl FadeTracker {
    /// Creates an empty record of the fades at an interface. `are_reported`: true if the link layer itself
    /// reports fades.
    pub fn new(are_reported: bool) -> Self {
        FadeTracker { towards: Vec::new(), are_reported }
    }

    /// Records a failed attempt towards a station. Returns true if the failure starts a fade.
    #[inline]
    pub fn on_failed_attempt(&mut self, now: Time, to: StationIndex) -> bool {
        let fade = self.unreported(to);
        fade.is_some_and(|fade| fade.since.replace(fade.since.unwrap_or(now)).is_none())
    }

    /// Records a link ACK from a station. Returns the duration of the fade that the ACK ends; `None` without
    /// a fade.
    #[inline]
    pub fn on_link_ack(&mut self, now: Time, to: StationIndex) -> Option<Span> {
        self.unreported(to)?.since.take().map(|since| now - since)
    }

    /// Returns the agents that are subscribed to fades towards a station.
    pub fn subscribers(&self, to: StationIndex) -> &[u16] {
        let found = self.towards.iter().find(|(station, _)| *station == to);
        found.map_or(&[], |(_, fade)| &fade.listeners)
    }

    /// Subscribes agent `i` to fades towards a station.
    pub fn subscribe(&mut self, to: StationIndex, i: u16) {
        match self.fade_mut(to) {
            Some(fade) => fade.listeners.push(i),
            None => self.towards.push((to, ObservedFade { since: None, listeners: vec![i] })),
        }
    }

    #[inline]
    fn unreported(&mut self, to: StationIndex) -> Option<&mut ObservedFade> {
        if self.towards.is_empty() || self.are_reported { None } else { self.fade_mut(to) }
    }

    fn fade_mut(&mut self, to: StationIndex) -> Option<&mut ObservedFade> {
        self.towards.iter_mut().find(|(station, _)| *station == to).map(|(_, fade)| fade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets may leave out of order, as with Block Ack. Each packet has its own record. The record is
    /// removed with the packet.
    #[test]
    fn every_packet_in_a_mac_has_its_own_record() {
        let mut records = PacketRecords::default();
        records.entry(7).last_loss = Some(DropCause::Channel);
        records.entry(5).last_loss = Some(DropCause::Collision);
        assert_eq!(records.entry(6).last_loss, None);
        assert_eq!(records.remove(5).last_loss, Some(DropCause::Collision));
        assert_eq!(records.remove(5).last_loss, None, "it is removed once");
        assert_eq!(records.remove(8).last_loss, None, "no retransmission was necessary");
        assert_eq!([7, 6].map(|number| records.remove(number).last_loss), [Some(DropCause::Channel), None]);
        assert!(records.records.0.is_empty());
    }

    #[test]
    fn a_fade_lasts_from_the_first_failure_to_the_next_link_ack() {
        let at = |ms| Time::ZERO + Span::from_millis(ms);
        let mut fades = FadeTracker::new(false);
        assert!(!fades.on_failed_attempt(at(1), 3), "no node listens");
        fades.subscribe(3, 0);
        fades.subscribe(3, 1);
        assert_eq!(fades.subscribers(3), [0, 1]);
        assert!(
            fades.on_failed_attempt(at(2), 3)
                && !fades.on_failed_attempt(at(3), 3)
                && !fades.on_failed_attempt(at(3), 4)
        );
        assert_eq!(fades.on_link_ack(at(4), 4), None);
        assert_eq!(fades.on_link_ack(at(5), 3), Some(Span::from_millis(3)));
        assert_eq!(fades.on_link_ack(at(6), 3), None);
        let mut reported = FadeTracker::new(true);
        reported.subscribe(3, 0);
        assert!(!reported.on_failed_attempt(at(1), 3) && reported.on_link_ack(at(2), 3).is_none());
    }
}
