use super::{Dropped, QueueDisc};
use airhop_base::{Drop, Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// First in, first out; a packet that finds the queue full is dropped.
#[derive(Debug)]
pub struct DropTail {
    waiting: VecDeque<Id<Packet>>,
    capacity: usize,
}

impl DropTail {
    /// Creates a queue for `capacity` waiting packets.
    pub fn new(capacity: usize) -> Self {
        DropTail { waiting: VecDeque::new(), capacity }
    }

    /// Removes the newest packet for which `matches` is true, if there is one.
    pub fn take_newest(&mut self, matches: impl Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>> {
        let place = self.waiting.iter().rposition(matches)?;
        self.waiting.remove(place)
    }
}

impl QueueDisc for DropTail {
    fn push(&mut self, _: Time, packet: Id<Packet>, _: &mut Arena<Packet>, dropped: &mut Dropped) {
        if self.waiting.len() >= self.capacity {
            dropped.push((packet, Drop::Queue));
        } else {
            self.waiting.push_back(packet);
        }
    }

    fn pop(&mut self, _: Time, _: &mut Arena<Packet>, _: &mut Dropped) -> Option<Id<Packet>> {
        self.waiting.pop_front()
    }

    fn remove_first(&mut self, matches: &dyn Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>> {
        let place = self.waiting.iter().position(matches)?;
        self.waiting.remove(place)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.waiting.iter().any(matches)
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}
