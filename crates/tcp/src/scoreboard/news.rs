use super::Sent;
use super::losses::Shortfall;
use airhop_base::{Span, Time};

/// What the last ACK told.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    /// When it came, and what it acknowledged cumulatively.
    pub at: Time,
    pub una: u64,
    /// Segments that it acknowledged or SACKed and that were neither before, as they were then.
    pub arrived: Vec<Sent>,
    /// Bytes that arrived for the first time.
    pub delivered: u64,
    /// The same, each segment that arrived wholly as a full one where the window counts segments.
    pub counted: u64,
    /// Bytes that it SACKed and that were not.
    pub sacked: u64,
    /// It acknowledged a segment that was sent more than once.
    pub acknowledges_again: bool,
    /// When the newest was sent of what arrived for the first time and was sent once.
    newest: Option<Time>,
}

impl News {
    /// It tells that this segment arrived, which was not SACKed.
    pub fn add(&mut self, e: &Sent, shortfall: &Shortfall) {
        self.arrived.push(*e);
        if !e.arrived {
            self.delivered += e.bytes();
            self.counted += e.bytes() + shortfall.of(e.bytes());
            self.newest = if e.again { self.newest } else { self.newest.max(Some(e.at)) };
        }
    }

    /// The round trip of the newest segment.
    pub fn rtt(&self) -> Option<Span> {
        self.newest.map(|sent| self.at - sent)
    }

    /// The round trip of the oldest segment that it acknowledged cumulatively, or else of the oldest that it SACKed.
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
