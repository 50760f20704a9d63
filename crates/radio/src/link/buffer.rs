//! The packets of one direction of a radio link.
use super::plan::Outgoing;
use crate::tag::Tag;
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
    /// Header bytes at the start.
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

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId, NodeId, Time};
    use airhop_engine::Arena;

    /// A buffer with so many packets.
    fn filled(recovers: bool, packets: u64) -> Buffer {
        let (mut arena, mut buffer) = (Arena::new(), Buffer::new(recovers));
        for number in 0..packets {
            let body = Body::Udp(Datagram { number, len: 100, sent: Time::ZERO, original: None });
            let packet = arena.insert(Packet::new(FlowId(0), NodeId(0), NodeId(1), 100, body));
            let tag = Tag { flow: FlowId(0), seq: number, end: number };
            buffer.push(Outgoing { packet, bytes: 100, header: 28, tag });
        }
        buffer
    }

    /// With recovery a packet is gone when it has left, and the sender has done with it, in either order.
    #[test]
    fn what_nobody_needs_is_let_go() {
        let mut buffer = filled(true, 3);
        buffer.settle(1);
        buffer.settle(0);
        assert_eq!((buffer.held.len(), buffer.len()), (3, 3));
        assert!(buffer.take(0).is_some());
        assert!(buffer.take(0).is_none(), "it leaves once");
        assert_eq!((buffer.held.len(), buffer.first), (2, 1));
        assert!(buffer.take(2).is_some() && buffer.take(1).is_some());
        assert_eq!((buffer.held.len(), buffer.len()), (1, 0), "2 may be sent again");
        assert_eq!(buffer.get(2).map(|held| held.tag.seq), Some(2));
        buffer.settle(2);
        assert!(buffer.held.is_empty());
    }

    #[test]
    fn without_recovery_a_lost_frame_takes_its_packet_with_it() {
        let mut buffer = filled(false, 2);
        assert!(buffer.lost(0).is_some() && buffer.take(1).is_some());
        assert!(buffer.held.is_empty());
        assert!(filled(true, 1).lost(0).is_none());
    }
}
