use super::{DroppedPackets, QueueDisc, QueueEntry};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// FIFO queue that drops arriving packets while it is full.
#[derive(Debug)]
pub struct DropTail {
    waiting: VecDeque<QueueEntry>,
    capacity: usize,
}

impl DropTail {
    /// Creates a queue with a capacity of `capacity` packets.
    pub fn new(capacity: usize) -> Self {
        DropTail { waiting: VecDeque::new(), capacity }
    }

    /// Removes and returns the newest packet for which `matches` returns true.
    pub fn take_newest(&mut self, matches: impl Fn(&Id<Packet>) -> bool) -> Option<QueueEntry> {
        let place = self.waiting.iter().rposition(|waiting| matches(&waiting.id))?;
        self.waiting.remove(place)
    }
}

impl QueueDisc for DropTail {
    fn push(&mut self, _: Time, packet: QueueEntry, _: &mut Arena<Packet>, dropped: &mut DroppedPackets) {
        if self.waiting.len() >= self.capacity {
            dropped.push((packet, DropCause::Queue));
        } else {
            self.waiting.push_back(packet);
        }
    }

    fn pop(&mut self, _: Time, _: &mut Arena<Packet>, _: &mut DroppedPackets) -> Option<QueueEntry> {
        self.waiting.pop_front()
    }

    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        let place = self.waiting.iter().position(matches)?;
        self.waiting.remove(place)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.waiting.iter().any(|waiting| matches(&waiting.id))
    }

    fn len(&self) -> usize {
        self.waiting.len()
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}
