//! The packets of one direction of a radio link.
use super::Outgoing;
use crate::cell::Tag;
use airhop_base::Packet;
use airhop_engine::Id;
use std::collections::VecDeque;

/// Packets by their numbers, from the moment the link takes them until nobody needs them any more: not the sender, which may send
/// them again, and not the receiver, which may hold them back.
#[derive(Debug)]
pub(super) struct Buffer {
    /// The number of the oldest packet inside.
    first: u64,
    held: VecDeque<Held>,
    /// The sender may send a packet more than once.
    recovers: bool,
}

/// A packet of a [`Buffer`].
#[derive(Debug)]
pub(super) struct Held {
    /// `None` once it was delivered or dropped.
    pub packet: Option<Id<Packet>>,
    pub tag: Tag,
    /// Bytes of the packet.
    pub bytes: u32,
    /// So many of them, at the front, are headers.
    pub header: u32,
    /// The sender has done with it.
    settled: bool,
}

impl Buffer {
    pub fn new(recovers: bool) -> Self {
        Buffer { first: 0, held: VecDeque::new(), recovers }
    }

    /// Takes the packet of the next number.
    pub fn push(&mut self, packet: Outgoing) {
        let Outgoing { packet, bytes, header, tag } = packet;
        let settled = !self.recovers;
        self.held.push_back(Held { packet: Some(packet), tag, bytes, header, settled });
    }

    /// The packet of this number, while somebody needs it.
    pub fn get(&self, number: u64) -> Option<&Held> {
        self.held.get(number.checked_sub(self.first)? as usize)
    }

    /// Takes a packet out for the world: it was delivered, or nobody can deliver it any more.
    pub fn take(&mut self, number: u64) -> Option<Id<Packet>> {
        let packet = self.get_mut(number)?.packet.take();
        self.trim();
        packet
    }

    /// A frame of this number is lost; returns its packet if that was its only one.
    pub fn lost(&mut self, number: u64) -> Option<Id<Packet>> {
        if self.recovers { None } else { self.take(number) }
    }

    /// The sender has done with it.
    pub fn settle(&mut self, number: u64) {
        if let Some(held) = self.get_mut(number) {
            held.settled = true;
        }
        self.trim();
    }

    /// How many packets have not left the link.
    pub fn len(&self) -> usize {
        self.held.iter().filter(|held| held.packet.is_some()).count()
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut Held> {
        self.held.get_mut(number.checked_sub(self.first)? as usize)
    }

    fn trim(&mut self) {
        while self.held.front().is_some_and(|held| held.settled && held.packet.is_none()) {
            self.held.pop_front();
            self.first += 1;
        }
    }
}
