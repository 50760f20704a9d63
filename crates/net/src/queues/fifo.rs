use airhop_base::{Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// First in, first out, for disciplines that must know how long a packet has waited and how many bytes wait.
#[derive(Debug, Default)]
pub struct Fifo {
    waiting: VecDeque<Waiting>,
    bytes: u64,
}

/// A packet that waits.
#[derive(Debug)]
pub struct Waiting {
    pub packet: Id<Packet>,
    /// Its length.
    pub bytes: u32,
    /// When it came.
    pub since: Time,
}

impl Fifo {
    /// Puts a packet behind the others.
    pub fn push(&mut self, now: Time, packet: Id<Packet>, arena: &Arena<Packet>) {
        let bytes = arena.get(&packet).bytes;
        self.bytes += u64::from(bytes);
        self.waiting.push_back(Waiting { packet, bytes, since: now });
    }

    /// Takes out the oldest.
    pub fn pop(&mut self) -> Option<Waiting> {
        let oldest = self.waiting.pop_front();
        self.took_out(oldest)
    }

    /// Takes out the newest.
    pub fn pop_newest(&mut self) -> Option<Waiting> {
        let newest = self.waiting.pop_back();
        self.took_out(newest)
    }

    /// Takes out the first that is so, if there is one.
    pub fn remove_first(&mut self, matches: &dyn Fn(&Id<Packet>) -> bool) -> Option<Waiting> {
        let place = self.waiting.iter().position(|waiting| matches(&waiting.packet))?;
        let found = self.waiting.remove(place);
        self.took_out(found)
    }

    fn took_out(&mut self, waiting: Option<Waiting>) -> Option<Waiting> {
        self.bytes -= waiting.as_ref().map_or(0, |waiting| u64::from(waiting.bytes));
        waiting
    }

    /// Shows the packets, the oldest first, until one is so. Returns whether one was.
    pub fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.waiting.iter().any(|waiting| matches(&waiting.packet))
    }

    /// The length of the oldest, if there is one.
    pub fn next_bytes(&self) -> Option<u32> {
        self.waiting.front().map(|waiting| waiting.bytes)
    }

    /// How many packets wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// How many bytes wait.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}
