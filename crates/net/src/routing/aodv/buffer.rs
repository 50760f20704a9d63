//! Buffer of a router for packets that wait for a route.

use airhop_base::{NodeId, Packet, Span, Time};
use airhop_engine::Id;
use std::collections::VecDeque;

/// Packets that wait for a route, oldest first.
#[derive(Debug)]
pub(super) struct Buffer {
    waiting: VecDeque<BufferedPacket>,
    capacity: usize,
    /// Maximum time of a packet in the buffer.
    patience: Span,
}

#[derive(Debug)]
struct BufferedPacket {
    until: Time,
    dst: NodeId,
    packet: Id<Packet>,
}

impl Buffer {
    pub fn new(capacity: usize, patience: Span) -> Self {
        Buffer { waiting: VecDeque::new(), capacity, patience }
    }

    /// Adds a packet for `dst`. If the buffer is full, removes and returns the oldest packet; `None`
    /// otherwise.
    pub fn push(&mut self, now: Time, dst: NodeId, packet: Id<Packet>) -> Option<Id<Packet>> {
        let is_full = self.waiting.len() >= self.capacity;
        let oldest = if is_full { self.waiting.pop_front() } else { None };
        self.waiting.push_back(BufferedPacket { until: now + self.patience, dst, packet });
        oldest.map(|w| w.packet)
    }

    /// Removes and returns the oldest packet for `dst`; `None` if there is none.
    pub fn pop(&mut self, dst: NodeId) -> Option<Id<Packet>> {
        let place = self.waiting.iter().position(|w| w.dst == dst)?;
        self.waiting.remove(place).map(|w| w.packet)
    }

    /// Removes and returns the oldest packet if it has expired; `None` otherwise.
    pub fn pop_expired(&mut self, now: Time) -> Option<Id<Packet>> {
        let is_expired = self.waiting.front().is_some_and(|w| w.until <= now);
        if is_expired { self.waiting.pop_front().map(|w| w.packet) } else { None }
    }

    pub fn has_packet_for(&self, dst: NodeId) -> bool {
        self.waiting.iter().any(|w| w.dst == dst)
    }

    /// Returns the time at which the oldest packet expires; `None` if the buffer is empty.
    pub fn next_expiry(&self) -> Option<Time> {
        self.waiting.front().map(|w| w.until)
    }

    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}
