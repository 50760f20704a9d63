//! One direction of a wired link: a queue, a serialiser, and the wire.

use crate::label::Label;
use crate::queues::{Dropped, QueueDisc};
use crate::world::Event;
use airhop_base::{Drop, NodeId, Packet, Span, Time};
use airhop_engine::{Arena, EventQueue, Id};
use airhop_radio::errors::{Damage, ErrorModel, Frame};
use airhop_radio::pace::Pace;
use std::collections::VecDeque;

/// One direction of a wired link. At most two of its events wait: the next arrival, and, if packets queue, the end of the
/// transmission under way.
#[derive(Debug)]
pub(crate) struct Link {
    /// Its index in the world.
    pub index: u16,
    /// "r1->r2", for traces.
    pub name: String,
    /// Where it begins.
    pub from: NodeId,
    /// Where it ends.
    pub to: NodeId,
    /// The row of its name in the recorder, and its interfaces at both ends.
    pub trace: LinkTrace,
    pace: Pace,
    delay: Span,
    queue: Box<dyn QueueDisc>,
    errors: Option<Box<dyn ErrorModel>>,
    /// When the serialiser is free.
    free_at: Time,
    /// A [`Event::LinkFree`] waits.
    free_pending: bool,
    wire: VecDeque<OnWire>,
}

/// A packet that is being sent, or under way.
#[derive(Debug)]
struct OnWire {
    packet: Id<Packet>,
    /// From its first bit sent
    start: Time,
    /// to the last.
    end: Time,
    arrival: Time,
}

/// Names of a link in the recorder.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LinkTrace {
    pub place: u32,
    pub from_interface: u16,
    pub to_interface: u16,
}

/// What came out at the far end.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub packet: Id<Packet>,
    pub damage: Damage,
}

impl Link {
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        index: u16,
        name: String,
        from: NodeId,
        to: NodeId,
        pace: Pace,
        delay: Span,
        queue: Box<dyn QueueDisc>,
        errors: Option<Box<dyn ErrorModel>>,
    ) -> Self {
        Link {
            index,
            name,
            from,
            to,
            trace: LinkTrace::default(),
            pace,
            delay,
            queue,
            errors,
            free_at: Time::ZERO,
            free_pending: false,
            wire: VecDeque::new(),
        }
    }

    /// Offers a packet. What the queue drops is found in `dropped`.
    pub fn offer(
        &mut self,
        now: Time,
        packet: Id<Packet>,
        arena: &mut Arena<Packet>,
        labels: &[Label],
        events: &mut EventQueue<Event>,
        dropped: &mut Dropped,
    ) {
        // Packets wait only as long as the end of a transmission does: most often the queue itself need not be asked.
        if self.free_at <= now && (!self.free_pending || self.queue.len() == 0) {
            match self.queue.pass(now, self.free_at, &packet, arena) {
                None => self.transmit(now, packet, labels, events),
                Some(why) => dropped.push((packet, why)),
            }
            return;
        }
        self.queue.push(now, packet, arena, dropped);
        if !self.free_pending {
            self.free_pending = true;
            events.push(self.free_at.max(now), Event::LinkFree(self.index));
        }
    }

    fn transmit(&mut self, now: Time, packet: Id<Packet>, labels: &[Label], events: &mut EventQueue<Event>) {
        let start = self.pace.begin(now);
        let end = self.pace.finish(now, labels[packet.index() as usize].bytes);
        let arrival = self.pace.arrival(end, self.delay);
        self.free_at = end;
        if self.wire.is_empty() {
            events.push(arrival, Event::LinkArrival(self.index));
        }
        self.wire.push_back(OnWire { packet, start, end, arrival });
    }

    /// The serialiser is free: the next packet goes out. What the queue drops is found in `dropped`.
    pub fn on_free(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        labels: &[Label],
        events: &mut EventQueue<Event>,
        dropped: &mut Dropped,
    ) {
        self.free_pending = false;
        if let Some(packet) = self.queue.pop(now, arena, dropped) {
            self.transmit(now, packet, labels, events);
        }
        if self.queue.len() > 0 {
            self.free_pending = true;
            events.push(self.free_at, Event::LinkFree(self.index));
        }
    }

    /// Drops all that wait.
    pub fn clear_queue(&mut self, dropped: &mut Dropped) {
        drop_all(&mut *self.queue, dropped);
    }

    /// The oldest packet on the wire arrives.
    pub fn on_arrival(&mut self, arena: &Arena<Packet>, events: &mut EventQueue<Event>) -> Option<Arrival> {
        let OnWire { packet, start, end, .. } = self.wire.pop_front()?;
        if let Some(next) = self.wire.front() {
            events.push(next.arrival, Event::LinkArrival(self.index));
        }
        let damage = self.errors.as_mut().map_or(Damage::None, |model| {
            let sent = arena.get(&packet);
            let [bits, header_bits] = [sent.bytes, sent.header_bytes()].map(|bytes| u64::from(bytes) * 8);
            model.damage(&Frame { bits, header_bits, control: false, start, end, attempt: 1 })
        });
        Some(Arrival { packet, damage })
    }

    /// Its queue.
    pub fn queue(&self) -> &dyn QueueDisc {
        &*self.queue
    }

    /// Packets inside: waiting, and on the wire.
    pub fn holds(&self) -> usize {
        self.queue.len() + self.wire.len()
    }
}

/// Drops all that wait in a queue: their route is gone.
pub(crate) fn drop_all(queue: &mut dyn QueueDisc, dropped: &mut Dropped) {
    while let Some(packet) = queue.take_out(&|_| true) {
        dropped.push((packet, Drop::Route));
    }
}
