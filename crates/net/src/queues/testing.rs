//! A queue discipline under test: packets are known by their order of arrival.

use super::{Admit, QueueDisc};
use airhop_base::{Body, Datagram, Drop, Ecn, FlowId, NodeId, Packet, Span, Time};
use airhop_engine::Arena;

/// What became of an offered packet.
#[derive(Debug, PartialEq)]
pub enum Offered {
    Queued,
    /// This one was dropped.
    Dropped(u64, Drop),
}

pub struct Bench<Q> {
    pub disc: Q,
    /// How long the link has been free for packets that pass.
    pub idle: Span,
    arena: Arena<Packet>,
    made: u64,
}

impl<Q: QueueDisc> Bench<Q> {
    pub fn new(disc: Q) -> Self {
        Bench { disc, idle: Span::ZERO, arena: Arena::new(), made: 0 }
    }

    pub fn offer(&mut self) -> Offered {
        self.offer_with(|_| {})
    }

    /// Offers a packet of which `set` says what is special.
    pub fn offer_with(&mut self, set: impl Fn(&mut Packet)) -> Offered {
        let packet = self.packet(set);
        let id = self.arena.insert(packet);
        match self.disc.push(Time::ZERO, id, &mut self.arena) {
            Admit::Queued => Offered::Queued,
            Admit::Dropped(id, why) => Offered::Dropped(number(&self.arena.take(id)), why),
        }
    }

    /// A packet goes straight through. Returns the mark that it has then.
    pub fn pass_with(&mut self, set: impl Fn(&mut Packet)) -> Ecn {
        let packet = self.packet(set);
        let id = self.arena.insert(packet);
        assert_eq!(self.disc.pass(Time::ZERO + self.idle, Time::ZERO, &id, &mut self.arena), None);
        self.arena.take(id).ecn
    }

    pub fn drain(&mut self) -> Vec<u64> {
        self.drain_packets().map(|packet| number(&packet)).collect()
    }

    pub fn drain_packets(&mut self) -> impl Iterator<Item = Packet> {
        std::iter::from_fn(|| Some(self.arena.take(self.disc.pop()?)))
    }

    fn packet(&mut self, set: impl Fn(&mut Packet)) -> Packet {
        let body = Body::Udp(Datagram { number: self.made, len: 972, sent: Time::ZERO });
        self.made += 1;
        let mut packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 1000, body);
        set(&mut packet);
        packet
    }
}

fn number(packet: &Packet) -> u64 {
    match &packet.body {
        Body::Udp(datagram) => datagram.number,
        other => unreachable!("no {other:?} was made"),
    }
}
