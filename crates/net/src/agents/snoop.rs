//! Snoop: the base station repairs losses on the wireless link before the TCP sender notices them
//! (Balakrishnan et al. 1995).
//!
//! The agent caches every segment towards the receiver until the segment is acknowledged. After duplicate
//! ACKs for a cached segment, or when the local timer expires, the agent retransmits the segment. The
//! duplicate ACKs are dropped. At a sending station, the agent lies between TCP and MAC (Yun 2009 §5.2,
//! "symmetric operation"). ACKs then arrive a full round trip later, and the agent cannot determine where a
//! segment was lost.
//!
//! Rules that Balakrishnan et al. do not specify are those of ns-2.35's agent, which the papers used. The
//! second duplicate ACK causes the retransmission, and duplicate ACKs retransmit a segment only once. Gains
//! and minimum of the local timer are ns-2's. Three peculiarities of ns-2's agent are omitted: all flows
//! between two hosts share a cache, all flows share the count of first duplicate ACKs, and the number of
//! expected duplicate ACKs is one too large.

use super::{Agent, AgentActions, PacketAction};
use airhop_base::{NodeId, Packet, Segment, Span, Time};
use std::collections::VecDeque;

/// Capacity of the cache in segments.
const CAPACITY: usize = 100;

/// Maximum number of local retransmissions of one segment.
const MAX_RETRANSMISSIONS: u32 = 10;

/// Minimum of the local timeout.
const MIN_TIMEOUT: Span = Span::from_millis(100);

/// Occupancy from which a queue counts as "nearly full". A segment that meets a nearly full queue is not
/// cached. The sender must react to a queue overflow, and a local retransmission would hide the overflow.
/// ns-2's agent applies this rule if only one more packet fits into a queue of 50 packets.
const NEARLY_FULL: f64 = 0.97;

/// Snoop agent for one flow.
#[derive(Debug, Default)]
pub struct SnoopAgent {
    /// Cached unacknowledged segments, in sequence order.
    cache: VecDeque<CachedSegment>,
    /// Node of the data's sender. Only ACKs towards this node can be duplicate ACKs. `None` before the first
    /// segment.
    sender: Option<NodeId>,
    /// Byte after the highest byte that the agent has forwarded.
    last_seen: u64,
    /// Highest cumulative ACK; before the first ACK, the first byte of the flow's data.
    last_ack: u64,
    /// True if the agent has forwarded a first duplicate ACK. The next duplicate ACK causes a retransmission.
    warned: bool,
    /// Number of further duplicate ACKs to expect, from segments sent before the local retransmission.
    expected_duplicates: usize,
    round_trip: LocalRoundTrip,
    /// Time at which the local timer retransmits the oldest segment; `None` if the timer is stopped.
    deadline: Option<Time>,
}

/// Segment in the cache.
#[derive(Debug)]
struct CachedSegment {
    packet: Packet,
    seq: u64,
    end: u64,
    /// Time of the segment's last transmission.
    sent: Time,
    /// Number of local retransmissions.
    retransmissions: u32,
    /// True if the sender itself has retransmitted the segment. The sender then knows of the loss, and the
    /// agent forwards the duplicate ACKs.
    by_sender: bool,
}

impl SnoopAgent {
    /// Creates an agent that has seen no packet.
    pub fn new() -> Self {
        SnoopAgent::default()
    }

    /// Handles a segment towards the receiver. The segment is always forwarded.
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
            let cached = CachedSegment {
                packet: packet.clone(),
                seq: s.seq,
                end: s.end(),
                sent: now,
                retransmissions: 0,
                // A segment below the highest forwarded byte is a retransmission by the sender, of a segment
                // that was lost before this node or was not cached.
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
        } else if ack == self.last_ack && self.has_missing_segment() {
            self.on_duplicate(now, actions)
        } else {
            // Old ACKs are forwarded. Duplicate ACKs are forwarded if their segment is not cached, i.e. was
            // lost before this node.
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
            self.round_trip.add_sample(now - c.sent);
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
        // The first duplicate ACK may be caused by reordering. It is forwarded, so that the sender may send
        // new data (RFC 3042).
        if !self.warned {
            self.warned = true;
            return PacketAction::Forward;
        }
        self.warned = false;
        let oldest = &self.cache[0];
        if oldest.by_sender {
            return PacketAction::Forward;
        }
        // Each segment sent after the lost segment causes a duplicate ACK. Two of these have already arrived.
        self.expected_duplicates = (self.cache.len() - 1).saturating_sub(2);
        if oldest.retransmissions > 0 {
            // The local retransmission was also lost, and duplicate ACKs cause only one retransmission.
            // Further duplicate ACKs reach the sender, which retransmits at the third (RFC 5681 §3.2). The
            // local timer may expire earlier.
            return PacketAction::Forward;
        }
        self.retransmit(now, actions);
        PacketAction::Consume
    }

    /// True if the oldest cached segment is the next segment that the receiver expects.
    fn has_missing_segment(&self) -> bool {
        self.cache.front().is_some_and(|c| c.seq <= self.last_ack)
    }

    /// Retransmits the oldest cached segment and restarts the local timer.
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

impl Agent for SnoopAgent {
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
            // ACKs of a handshake do not reach this line: they go in the other direction, or precede all
            // data.
            Some(s) if !s.flags.syn && self.sender == Some(packet.dst) => self.on_ack(now, s.ack, actions),
            _ => PacketAction::Forward,
        }
    }

    fn on_piggybacked_ack(&mut self, now: Time, ack: u64) {
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
        // A missing segment that is not cached is left to the sender.
        if self.has_missing_segment() && self.cache[0].retransmissions < MAX_RETRANSMISSIONS {
            self.retransmit(now, actions);
        }
    }
}

/// Mean and mean deviation of the RTT between this node and the receiver.
#[derive(Debug, Default)]
struct LocalRoundTrip {
    mean: Option<(Span, Span)>,
}

impl LocalRoundTrip {
    /// Updates the mean and the mean deviation with an RTT sample. The old mean has a weight of only 1/8:
    /// most of the local RTT is queueing at this node, and each sample measures the queueing directly. The
    /// old deviation has a weight of 7/8, and the sample's deviation from the new mean 1/8.
    fn add_sample(&mut self, r: Span) {
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
