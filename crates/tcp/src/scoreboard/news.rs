use super::Sent;
use super::losses::Shortfall;
use airhop_base::{Span, Time};

/// Changes that the last ACK reported.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    /// Time of the ACK, and its cumulative acknowledgement.
    pub at: Time,
    pub una: u64,
    /// Segments that it acknowledged or SACKed and that were neither before, as they were then.
    pub arrived: Vec<Sent>,
    /// Bytes that arrived for the first time.
    pub delivered: u64,
    /// As `delivered`, but with each segment that arrived wholly counted as a full one where the window counts segments.
    pub counted: u64,
    /// Bytes that it SACKed and that were not.
    pub sacked: u64,
    /// True if the ACK acknowledged a segment that was sent more than once.
    pub acknowledges_again: bool,
    /// Latest sending time among the segments that arrived for the first time and were sent once.
    newest: Option<Time>,
}

impl News {
    /// Adds a segment that arrived and was not SACKed before.
    pub fn add(&mut self, e: &Sent, shortfall: &Shortfall) {
        self.arrived.push(*e);
        if !e.arrived {
            self.delivered += e.bytes();
            self.counted += e.bytes() + shortfall.of(e.bytes());
            self.newest = if e.again { self.newest } else { self.newest.max(Some(e.at)) };
        }
    }

    /// Returns the round trip of the newest segment.
    pub fn rtt(&self) -> Option<Span> {
        self.newest.map(|sent| self.at - sent)
    }

    /// Returns the round trip of the oldest segment that it acknowledged cumulatively, or else of the oldest that it SACKed.
    pub fn longest_rtt(&self) -> Option<Span> {
        let once = || self.arrived.iter().filter(|e| !e.again && !e.arrived);
        let acknowledged = once().filter(|e| e.end <= self.una && !self.acknowledges_again);
        let sacked = once().filter(|e| e.end > self.una);
        let oldest = acknowledged.map(|e| e.at).min().or_else(|| sacked.map(|e| e.at).min());
        oldest.map(|sent| self.at - sent)
    }

    /// Nothing is news.
    pub fn clear(&mut self) {
        self.arrived.clear();
        self.delivered = 0;
        self.counted = 0;
        self.sacked = 0;
        self.acknowledges_again = false;
        self.newest = None;
    }
}
