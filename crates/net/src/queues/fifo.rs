use super::QueueEntry;
use airhop_base::{Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// FIFO queue that records the arrival time of each packet and the number of queued bytes.
#[derive(Debug, Default)]
pub struct Fifo {
    waiting: VecDeque<FifoEntry>,
    bytes: u64,
}

/// Queued packet.
#[derive(Debug)]
pub struct FifoEntry {
    pub packet: QueueEntry,
    /// Length of the packet in bytes.
    pub bytes: u32,
    /// Arrival time.
    pub arrival_time: Time,
}

impl Fifo {
    /// Adds a packet at the tail.
    pub fn push(&mut self, now: Time, packet: QueueEntry, arena: &Arena<Packet>) {
        let bytes = arena.get(&packet.id).bytes;
        self.bytes += u64::from(bytes);
        self.waiting.push_back(FifoEntry { packet, bytes, arrival_time: now });
    }

    /// Removes the oldest packet.
    pub fn pop(&mut self) -> Option<FifoEntry> {
        let oldest = self.waiting.pop_front();
        self.after_removal(oldest)
    }

    /// Removes the newest packet.
    pub fn pop_newest(&mut self) -> Option<FifoEntry> {
        let newest = self.waiting.pop_back();
        self.after_removal(newest)
    }

    /// Removes the first packet for which `matches` returns true.
    pub fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<FifoEntry> {
        let place = self.waiting.iter().position(|waiting| matches(&waiting.packet))?;
        let found = self.waiting.remove(place);
        self.after_removal(found)
    }

    fn after_removal(&mut self, waiting: Option<FifoEntry>) -> Option<FifoEntry> {
        self.bytes -= waiting.as_ref().map_or(0, |waiting| u64::from(waiting.bytes));
        waiting
    }

    /// Passes the packets to `matches`, oldest first, until `matches` returns true. Returns true if a packet
    /// matched.
    pub fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.waiting.iter().any(|waiting| matches(&waiting.packet.id))
    }

    /// Returns the length of the oldest packet in bytes; `None` if the queue is empty.
    pub fn next_bytes(&self) -> Option<u32> {
        self.waiting.front().map(|waiting| waiting.bytes)
    }

    /// Returns the number of queued packets.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the number of queued bytes.
    pub fn queued_bytes(&self) -> u64 {
        self.bytes
    }
}
