//! Snoop: repairs wireless losses between the base station and the TCP receiver (Balakrishnan et al. 1995).
//!
//! The agent stores every segment towards the receiver until the receiver has acknowledged it. On duplicate
//! ACKs for a stored segment, or at a timeout of its own, it retransmits the segment, and drops the duplicate
//! ACKs. At a sending station the same agent lies between TCP and MAC (Yun 2009 §5.2, "symmetric operation"):
//! there ACKs arrive a full round trip later, and the agent cannot know where a segment was lost.
//!
//! Rules that Balakrishnan et al. leave open are those of ns-2.35's agent, which the papers used: the second
//! duplicate ACK triggers the retransmission, a segment is retransmitted only once for duplicate ACKs, and
//! the gains and the minimum of the local timer. Three peculiarities of that agent are left out: all flows
//! between two hosts share a cache, all flows share the count of first duplicates, and the number of expected
//! duplicates is one too large.

use super::{Agent, AgentActions, PacketAction};
use airhop_base::{NodeId, Packet, Segment, Span, Time};
use std::collections::VecDeque;

/// Capacity of the cache, segments.
const CAPACITY: usize = 100;

/// Maximum number of local retransmissions of one segment.
const MAX_RETRANSMISSIONS: u32 = 10;

/// Lower bound of the local timer.
const MIN_TIMEOUT: Span = Span::from_millis(100);

/// Occupancy of a "nearly full" queue: ns-2 stops caching when the last but one place of its queue of 50 is
/// taken. An overflow must be left to the sender's congestion control; a local retransmission would hide it.
const NEARLY_FULL: f64 = 0.97;

/// Snoop agent for one flow.
#[derive(Debug, Default)]
pub struct Snoop {
    /// Cached unacknowledged segments, by sequence number.
    cache: VecDeque<Cached>,
    /// Node from which the data comes; only ACKs towards this node can be duplicates. `None` before the first
    /// segment.
    sender: Option<NodeId>,
    /// First byte after the highest byte seen.
    last_seen: u64,
    /// Highest cumulative ACK; initially, the first byte of the data.
    last_ack: u64,
    /// True if a first duplicate ACK has passed; the next one triggers a retransmission.
    warned: bool,
    /// Number of further duplicate ACKs caused by segments sent before the local retransmission.
    expected_duplicates: usize,
    round_trip: LocalRoundTrip,
    /// Time of the local retransmission of the oldest segment.
    deadline: Option<Time>,
}

/// Segment in the cache.
#[derive(Debug)]
struct Cached {
    packet: Packet,
    seq: u64,
    end: u64,
    /// Time of the segment's last transmission.
    sent: Time,
    /// Number of local retransmissions.
    retransmissions: u32,
    /// True if the sender itself retransmitted the segment: the sender knows of the loss, so the duplicate
    /// ACKs are forwarded to it.
    by_sender: bool,
}

impl Snoop {
    /// Creates an agent without history.
    pub fn new() -> Self {
        Snoop::default()
    }

    /// Handles a segment towards the receiver, which is forwarded in any case.
    fn on_data(&mut self, now: Time, packet: &Packet, s: &Segment, queued: f64) {
        if self.sender.is_none() {
            self.sender = Some(packet.src);
            self.last_ack = s.seq;
        }
        if s.end() <= self.last_ack {
            return;
        }
        if queued < NEARLY_FULL {
            self.insert(now, packet, s);
        }
        self.last_seen = self.last_seen.max(s.end());
        if self.deadline.is_none() {
            self.restart_timer(now);
        }
    }

    fn insert(&mut self, now: Time, packet: &Packet, s: &Segment) {
        let place = self.cache.partition_point(|c| c.seq < s.seq);
        if let Some(known) = self.cache.get_mut(place).filter(|c| c.seq == s.seq) {
            (known.sent, known.retransmissions, known.by_sender) = (now, 0, true);
            if place == 0 {
                self.restart_timer(now);
            }
        } else if self.cache.len() < CAPACITY {
            let cached = Cached {
                packet: packet.clone(),
                seq: s.seq,
                end: s.end(),
                sent: now,
                retransmissions: 0,
                // Out of order: the sender's retransmission of a segment that was lost, or not cached,
                // before.
                by_sender: s.seq < self.last_seen,
            };
            self.cache.insert(place, cached);
        }
    }

    /// Handles a pure ACK towards the sender.
    fn on_ack(&mut self, now: Time, ack: u64, actions: &mut AgentActions) -> PacketAction {
        if ack > self.last_ack {
            self.on_new_ack(now, ack);
            PacketAction::Forward
        } else if ack == self.last_ack && self.holds_missing() {
            self.on_duplicate(now, actions)
        } else {
            // Old ACKs are forwarded; so are duplicate ACKs for a segment that was lost before it reached
            // this node.
            PacketAction::Forward
        }
    }

    fn on_new_ack(&mut self, now: Time, ack: u64) {
        self.last_ack = ack;
        let mut newest = None;
        while self.cache.front().is_some_and(|c| c.end <= ack) {
            newest = self.cache.pop_front();
        }
        // Karn's rule: a segment that was sent twice yields no sample.
        if let Some(c) = newest.filter(|c| c.retransmissions == 0 && !c.by_sender) {
            self.round_trip.sample(now - c.sent);
        }
        self.warned = false;
        self.expected_duplicates = 0;
        self.restart_timer(now);
    }

    fn on_duplicate(&mut self, now: Time, actions: &mut AgentActions) -> PacketAction {
        if self.expected_duplicates > 0 {
            self.expected_duplicates -= 1;
            return PacketAction::Consume;
        }
        // The first duplicate may indicate reordering; it is forwarded, so that the sender may send new data
        // (RFC 3042).
        if !self.warned {
            self.warned = true;
            return PacketAction::Forward;
        }
        self.warned = false;
        let oldest = &self.cache[0];
        if oldest.by_sender {
            return PacketAction::Forward;
        }
        // Each segment behind the lost one causes a duplicate ACK; two of them have arrived.
        self.expected_duplicates = (self.cache.len() - 1).saturating_sub(2);
        if oldest.retransmissions > 0 {
            // The retransmission was lost as well, and a segment is retransmitted only once for duplicates.
            // These reach the sender, which retransmits at the third that it receives (RFC 5681 §3.2), unless
            // the local timer expires first.
            return PacketAction::Forward;
        }
        self.retransmit(now, actions);
        PacketAction::Consume
    }

    /// True if the oldest cached segment is the one that the receiver expects.
    fn holds_missing(&self) -> bool {
        self.cache.front().is_some_and(|c| c.seq <= self.last_ack)
    }

    /// Retransmits the oldest cached segment and restarts its timer.
    fn retransmit(&mut self, now: Time, actions: &mut AgentActions) {
        let oldest = &mut self.cache[0];
        oldest.retransmissions += 1;
        actions.packets.push(oldest.packet.clone());
        self.restart_timer(now);
    }

    fn restart_timer(&mut self, now: Time) {
        self.deadline = (!self.cache.is_empty()).then(|| now + self.round_trip.timeout());
    }
}

impl Agent for Snoop {
    fn on_packet(
        &mut self,
        now: Time,
        packet: &mut Packet,
        queued: f64,
        actions: &mut AgentActions,
    ) -> PacketAction {
        match packet.segment() {
            Some(s) if s.len > 0 => {
                self.on_data(now, packet, s, queued);
                PacketAction::Forward
            }
            // ACKs of a handshake travel in the other direction, or precede all data.
            Some(s) if !s.flags.syn && self.sender == Some(packet.dst) => self.on_ack(now, s.ack, actions),
            _ => PacketAction::Forward,
        }
    }

    fn on_piggybacked(&mut self, now: Time, ack: u64) {
        if self.sender.is_some() && ack > self.last_ack {
            self.on_new_ack(now, ack);
        }
    }

    fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }

    fn on_timeout(&mut self, now: Time, actions: &mut AgentActions) {
        if self.deadline.is_none_or(|deadline| now < deadline) {
            return;
        }
        self.deadline = None;
        // A missing segment that is not cached can be retransmitted only by the sender.
        if self.holds_missing() && self.cache[0].retransmissions < MAX_RETRANSMISSIONS {
            self.retransmit(now, actions);
        }
    }
}

/// Mean and mean deviation of the round-trip time between this node and the receiver.
#[derive(Debug, Default)]
struct LocalRoundTrip {
    mean: Option<(Span, Span)>,
}

impl LocalRoundTrip {
    /// Updates mean and deviation. The mean keeps 1/8 of its old value, since most of the local round trip is
    /// queueing at this node, which a sample measures directly; the deviation, from the new mean, gets 1/8 of
    /// the sample's.
    fn sample(&mut self, r: Span) {
        self.mean = Some(match self.mean {
            None => (r, r / 2),
            Some((mean, deviation)) => {
                let mean = (mean + r * 7) / 8;
                let error = mean.max(r) - mean.min(r);
                (mean, (deviation * 7 + error) / 8)
            }
        });
    }

    fn timeout(&self) -> Span {
        self.mean.map_or(MIN_TIMEOUT, |(mean, deviation)| (mean + deviation * 4).max(MIN_TIMEOUT))
    }
}

#[cfg(test)]
#[path = "snoop_tests.rs"]
mod tests;
