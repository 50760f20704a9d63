use super::OutstandingSegment;
use super::losses::Shortfall;
use airhop_base::{Span, Time};

/// Changes that the last ACK made to the scoreboard.
#[derive(Clone, Debug, Default)]
pub(super) struct AckChanges {
    /// Time and acknowledgement number of the ACK.
    pub at: Time,
    pub una: u64,
    /// Segments newly acknowledged or SACKed, in their state before the ACK.
    pub arrived: Vec<OutstandingSegment>,
    /// Bytes newly reported as arrived.
    pub delivered_bytes: u64,
    /// Delivered bytes that count for window growth. If the window counts segments, each segment counts as a
    /// full segment.
    pub growth_bytes: u64,
    /// Bytes newly SACKed.
    pub sacked_bytes: u64,
    /// True if the ACK acknowledged a segment that was sent more than once.
    pub acknowledges_retransmitted: bool,
    /// Latest transmission time among the newly arrived segments that were sent once.
    newest: Option<Time>,
}

impl AckChanges {
    /// Adds a segment that arrived and was not SACKed before this ACK.
    pub fn add_arrival(&mut self, e: &OutstandingSegment, shortfall: &Shortfall) {
        self.arrived.push(*e);
        if !e.arrived {
            self.delivered_bytes += e.bytes();
            self.growth_bytes += e.bytes() + shortfall.segment_shortfall(e.bytes());
            self.newest = if e.ever_retransmitted { self.newest } else { self.newest.max(Some(e.sent_at)) };
        }
    }

    /// Returns the RTT of the newest arrived segment.
    pub fn newest_rtt(&self) -> Option<Span> {
        self.newest.map(|sent| self.at - sent)
    }

    /// Returns the RTT of the oldest cumulatively acknowledged segment. Without such a segment, uses the
    /// oldest SACKed segment.
    pub fn longest_rtt(&self) -> Option<Span> {
        let once = || self.arrived.iter().filter(|e| !e.ever_retransmitted && !e.arrived);
        let acknowledged = once().filter(|e| e.end <= self.una && !self.acknowledges_retransmitted);
        let sacked = once().filter(|e| e.end > self.una);
        let oldest = acknowledged.map(|e| e.sent_at).min().or_else(|| sacked.map(|e| e.sent_at).min());
        oldest.map(|sent| self.at - sent)
    }

    /// Clears the record.
    pub fn clear(&mut self) {
        self.arrived.clear();
        self.delivered_bytes = 0;
        self.growth_bytes = 0;
        self.sacked_bytes = 0;
        self.acknowledges_retransmitted = false;
        self.newest = None;
    }
}
