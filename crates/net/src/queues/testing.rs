//! Test bench for a queue discipline. Packets are numbered in their order of arrival.

use super::{DroppedPackets, QueueDisc, QueueEntry};
use airhop_base::{Body, Datagram, DropCause, Ecn, FlowId, NodeId, Packet, Span, Time};
use airhop_engine::Arena;
use std::collections::BTreeSet;

/// Outcome of an offered packet.
#[derive(Debug, PartialEq)]
pub enum Offered {
    Queued,
    /// The discipline dropped this packet alone, for this cause.
    Dropped(u64, DropCause),
    /// The discipline dropped these packets.
    DroppedMany(Vec<u64>),
}

pub struct Bench<Q: ?Sized> {
    pub disc: Box<Q>,
    pub now: Time,
    /// Idle time of the link before each packet that passes without queueing.
    pub idle: Span,
    /// Number of packets marked so far, including packets dropped later.
    pub marked: u64,
    arena: Arena<Packet>,
    dropped: DroppedPackets,
    made: u64,
}

impl<Q: QueueDisc> Bench<Q> {
    pub fn new(disc: Q) -> Self {
        Bench::of(Box::new(disc))
    }
}

impl<Q: QueueDisc + ?Sized> Bench<Q> {
    pub fn of(disc: Box<Q>) -> Self {
        let (arena, dropped) = (Arena::new(), DroppedPackets::new());
        Bench { disc, now: Time::ZERO, idle: Span::ZERO, marked: 0, arena, dropped, made: 0 }
    }

    pub fn offer(&mut self) -> Offered {
        self.offer_with(|_| {})
    }

    /// Offers a packet after changing its fields with `set`.
    pub fn offer_with(&mut self, set: impl Fn(&mut Packet)) -> Offered {
        self.push_with(set);
        match self.dropped()[..] {
            [] => Offered::Queued,
            [(packet, why)] => Offered::Dropped(packet, why),
            ref many => Offered::DroppedMany(many.iter().map(|&(packet, _)| packet).collect()),
        }
    }

    /// Offers a packet after changing its fields with `set`, and ignores drops.
    pub fn push_with(&mut self, set: impl Fn(&mut Packet)) {
        let packet = self.packet(set);
        let id = self.arena.insert(packet);
        self.disc.push(
            self.now,
            QueueEntry { id, next_station: 0, offered_at: self.now },
            &mut self.arena,
            &mut self.dropped,
        );
    }

    /// Removes the first packet of a flow, and returns its number.
    pub fn remove_first(&mut self, flow: FlowId) -> Option<u64> {
        let first = self.disc.remove_first(&|waiting| self.arena.get(&waiting.id).flow == flow)?;
        let packet = self.arena.take(first.id);
        self.marked += u64::from(packet.ecn == Ecn::Ce);
        Some(number(&packet))
    }

    /// Returns the numbers of the packets in the queue.
    pub fn waiting(&self) -> BTreeSet<u64> {
        let mut waiting = BTreeSet::new();
        let is_known = self.disc.any_waiting(&mut |id| !waiting.insert(number(self.arena.get(id))));
        assert!(!is_known, "each packet is passed once");
        waiting
    }

    /// Returns the packets dropped since the previous call, with the causes.
    pub fn dropped(&mut self) -> Vec<(u64, DropCause)> {
        self.dropped_packets().map(|(packet, why)| (number(&packet), why)).collect()
    }

    pub fn dropped_packets(&mut self) -> impl Iterator<Item = (Packet, DropCause)> {
        let Bench { dropped, arena, marked, .. } = self;
        dropped.drain(..).map(|(queued, why)| {
            let packet = arena.take(queued.id);
            *marked += u64::from(packet.ecn == Ecn::Ce);
            (packet, why)
        })
    }

    /// Passes a packet without queueing, and returns the packet's resulting ECN codepoint.
    pub fn pass_with(&mut self, set: impl Fn(&mut Packet)) -> Ecn {
        let packet = self.packet(set);
        let id = self.arena.insert(packet);
        assert_eq!(self.disc.pass_unqueued(self.now + self.idle, self.now, &id, &mut self.arena), None);
        self.arena.take(id).ecn
    }

    pub fn drain(&mut self) -> Vec<u64> {
        self.drain_packets().map(|packet| number(&packet)).collect()
    }

    pub fn drain_packets(&mut self) -> impl Iterator<Item = Packet> {
        std::iter::from_fn(|| self.next_packet())
    }

    /// Removes and returns the next packet.
    pub fn next_packet(&mut self) -> Option<Packet> {
        let next = self.disc.pop(self.now, &mut self.arena, &mut self.dropped)?;
        let packet = self.arena.take(next.id);
        self.marked += u64::from(packet.ecn == Ecn::Ce);
        Some(packet)
    }

    /// Removes the next packet, and returns its number.
    pub fn next(&mut self) -> Option<u64> {
        self.next_packet().map(|packet| number(&packet))
    }

    fn packet(&mut self, set: impl Fn(&mut Packet)) -> Packet {
        let mut packet = datagram(self.made);
        self.made += 1;
        set(&mut packet);
        packet
    }
}

/// Returns a datagram with this number and a length of 1000 bytes.
pub fn datagram(number: u64) -> Packet {
    let body = Body::Udp(Datagram { sequence_number: number, len: 972, sent: Time::ZERO, original: None });
    Packet::new(FlowId(0), NodeId(0), NodeId(1), 1000, body)
}

pub fn number(packet: &Packet) -> u64 {
    match &packet.body {
        Body::Udp(datagram) => datagram.sequence_number,
        other => unreachable!("a {other:?} is not created here"),
    }
}
