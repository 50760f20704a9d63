//! Buffer for the packets of one direction of a link with recovery.
use crate::layer::OutgoingPacket;
use crate::tag::PacketTag;
use airhop_base::Packet;
use airhop_engine::Id;
use std::collections::VecDeque;

/// Packets that the link has accepted in one direction, by number. A packet stays until no retransmission can
/// follow and the receiver has delivered or dropped the packet.
#[derive(Debug)]
pub(crate) struct PacketBuffer<T = ()> {
    /// Number of the oldest packet in the buffer.
    first: u64,
    held: VecDeque<StoredPacket<T>>,
    /// True if the sender may send a packet more than once.
    recovers: bool,
}

/// Packet of a [`PacketBuffer`].
#[derive(Debug)]
pub(crate) struct StoredPacket<T> {
    /// The packet; `None` after delivery or drop. The entry remains while the sender may still retransmit the
    /// packet.
    pub packet: Option<Id<Packet>>,
    pub tag: PacketTag,
    /// Length of the packet, bytes.
    pub bytes: u32,
    /// Length of the headers at the start of the packet, bytes.
    pub header_bytes: u32,
    /// Additional data that the owner of the buffer attaches to the packet.
    pub metadata: T,
    /// True if the sender will not retransmit the packet.
    settled: bool,
}

impl<T> PacketBuffer<T> {
    pub fn new(recovers: bool) -> Self {
        PacketBuffer { first: 0, held: VecDeque::new(), recovers }
    }

    /// Adds a packet, and returns its number.
    pub fn push(&mut self, packet: OutgoingPacket, note: T) -> u64 {
        let number = self.first + self.held.len() as u64;
        let OutgoingPacket { packet, bytes, header_bytes: header, tag, .. } = packet;
        let settled = !self.recovers;
        self.held.push_back(StoredPacket {
            packet: Some(packet),
            tag,
            bytes,
            header_bytes: header,
            metadata: note,
            settled,
        });
        number
    }

    /// Returns the stored packet with this number; `None` if it was removed.
    pub fn get(&self, number: u64) -> Option<&StoredPacket<T>> {
        self.held.get(number.checked_sub(self.first)? as usize)
    }

    /// Returns mutable access to the note of the packet with this number; `None` if the packet was removed.
    pub fn metadata_mut(&mut self, number: u64) -> Option<&mut T> {
        self.get_mut(number).map(|held| &mut held.metadata)
    }

    /// Removes and returns a packet for delivery or drop; `None` if the packet is already removed.
    pub fn take(&mut self, number: u64) -> Option<Id<Packet>> {
        let packet = self.get_mut(number)?.packet.take();
        self.trim();
        packet
    }

    /// Records the loss of a frame. Returns the lost packet on a link without recovery; `None` if the sender
    /// may retransmit the packet.
    pub fn take_lost(&mut self, number: u64) -> Option<Id<Packet>> {
        if self.recovers { None } else { self.take(number) }
    }

    /// Records that the sender will not retransmit a packet.
    pub fn finish_sending(&mut self, number: u64) {
        if let Some(held) = self.get_mut(number) {
            held.settled = true;
        }
        self.trim();
    }

    /// Returns the number of the oldest stored packet, or of the next packet if the buffer is empty.
    pub fn first_number(&self) -> u64 {
        self.first
    }

    /// Returns the number of packets in the link: neither delivered nor dropped.
    pub fn len(&self) -> usize {
        self.held.iter().filter(|held| held.packet.is_some()).count()
    }

    fn get_mut(&mut self, number: u64) -> Option<&mut StoredPacket<T>> {
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
    use airhop_base::{AccessCategory, Body, Datagram, FlowId, NodeId, Time};
    use airhop_engine::Arena;

    /// Returns a buffer with `packets` packets.
    fn filled(recovers: bool, packets: u64) -> PacketBuffer {
        let (mut arena, mut buffer) = (Arena::new(), PacketBuffer::new(recovers));
        for number in 0..packets {
            let body =
                Body::Udp(Datagram { sequence_number: number, len: 100, sent: Time::ZERO, original: None });
            let packet = arena.insert(Packet::new(FlowId(0), NodeId(0), NodeId(1), 100, body));
            let tag = PacketTag { flow: FlowId(0), payload_bytes: 0, seq: number };
            let category = AccessCategory::default();
            buffer.push(
                OutgoingPacket {
                    to: 1,
                    packet,
                    bytes: 100,
                    header_bytes: 28,
                    tag,
                    category,
                    fragmentation: None,
                },
                (),
            );
        }
        buffer
    }

    /// Packets under ARQ are freed once the link has sent them and no retransmission can follow.
    #[test]
    fn acknowledged_arq_packets_are_released() {
        let mut buffer = filled(true, 3);
        buffer.finish_sending(1);
        buffer.finish_sending(0);
        assert_eq!((buffer.held.len(), buffer.len()), (3, 3));
        assert!(buffer.take(0).is_some());
        assert!(buffer.take(0).is_none(), "the frame leaves once");
        assert_eq!((buffer.held.len(), buffer.first), (2, 1));
        assert!(buffer.take(2).is_some() && buffer.take(1).is_some());
        assert_eq!((buffer.held.len(), buffer.len()), (1, 0), "frame 2 may be retransmitted");
        assert_eq!(buffer.get(2).map(|held| held.tag.seq), Some(2));
        buffer.finish_sending(2);
        assert!(buffer.held.is_empty());
    }

    #[test]
    fn a_lost_frame_loses_its_packet_without_recovery() {
        let mut buffer = filled(false, 2);
        assert!(buffer.take_lost(0).is_some() && buffer.take(1).is_some());
        assert!(buffer.held.is_empty());
        assert!(filled(true, 1).take_lost(0).is_none());
    }
}
