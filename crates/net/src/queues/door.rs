use super::drop_tail::DropTail;
use super::{Dropped, QueueDisc};
use airhop_base::{Drop, Packet, Time};
use airhop_engine::{Arena, Id};
use std::fmt::Debug;

/// What stands before a drop-tail queue and looks at what arrives: it may mark a packet, refuse it, or make room for it.
pub trait Door: Debug + Send {
    /// A packet arrives. `None`: it may go on to the queue, which drops it if there is no room. What else has to go is put into
    /// `dropped`.
    fn arrives(
        &mut self,
        queue: &mut DropTail,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
        dropped: &mut Dropped,
    ) -> Option<Drop>;

    /// As [`QueueDisc::pass`].
    fn passes(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<Drop> {
        let _ = (now, idle_since, packet, arena);
        None
    }
}

/// A drop-tail queue behind a door.
#[derive(Debug)]
pub struct Behind<D> {
    pub door: D,
    queue: DropTail,
}

impl<D: Door> Behind<D> {
    /// A queue for `capacity` waiting packets.
    pub fn new(door: D, capacity: usize) -> Self {
        Behind { door, queue: DropTail::new(capacity) }
    }
}

impl<D: Door> QueueDisc for Behind<D> {
    fn push(&mut self, now: Time, packet: Id<Packet>, arena: &mut Arena<Packet>, dropped: &mut Dropped) {
        match self.door.arrives(&mut self.queue, &packet, arena, dropped) {
            Some(why) => dropped.push((packet, why)),
            None => self.queue.push(now, packet, arena, dropped),
        }
    }

    fn pass(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<Drop> {
        self.door.passes(now, idle_since, packet, arena)
    }

    fn pop(&mut self, now: Time, arena: &mut Arena<Packet>, dropped: &mut Dropped) -> Option<Id<Packet>> {
        self.queue.pop(now, arena, dropped)
    }

    fn take_out(&mut self, is_so: &dyn Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>> {
        self.queue.take_out(is_so)
    }

    fn any(&self, is_so: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.queue.any(is_so)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }
}
