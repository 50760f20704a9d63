use super::Sent;
use airhop_base::{Span, Time};

/// What the last ACK told.
#[derive(Clone, Debug, Default)]
pub(super) struct News {
    /// Segments that it acknowledged or SACKed and that were neither before, as they were then.
    pub arrived: Vec<Sent>,
    /// Bytes that arrived for the first time.
    pub delivered: u64,
    /// Bytes that it SACKed and that were not.
    pub sacked: u64,
    /// It acknowledged a segment that was sent more than once.
    pub acknowledges_again: bool,
    /// Of what was sent once: when the newest and the oldest was.
    newest: Option<Time>,
    oldest_acknowledged: Option<Time>,
    oldest_sacked: Option<Time>,
    /// The round trips of these.
    pub rtt: Option<Span>,
    pub longest_rtt: Option<Span>,
}

impl News {
    /// It acknowledges this segment, which was not SACKed.
    pub fn add_acknowledged(&mut self, e: &Sent) {
        self.add(e);
        if !e.again && !e.arrived {
            self.oldest_acknowledged = self.oldest_acknowledged.or(Some(e.at));
        }
    }

    /// It SACKs this segment, which was not.
    pub fn add_sacked(&mut self, e: &Sent) {
        self.add(e);
        self.sacked += e.bytes();
        if !e.again && !e.arrived {
            self.oldest_sacked = Some(self.oldest_sacked.map_or(e.at, |oldest| oldest.min(e.at)));
        }
    }

    fn add(&mut self, e: &Sent) {
        self.arrived.push(*e);
        if !e.arrived {
            self.delivered += e.bytes();
            self.newest = if e.again { self.newest } else { self.newest.max(Some(e.at)) };
        }
    }

    /// All of it was told, at `now`.
    pub fn close(&mut self, now: Time) {
        self.rtt = self.newest.map(|at| now - at);
        let oldest = self.oldest_acknowledged.filter(|_| !self.acknowledges_again).or(self.oldest_sacked);
        self.longest_rtt = oldest.map(|at| now - at);
    }

    /// Nothing is news.
    pub fn clear(&mut self) {
        let arrived = std::mem::take(&mut self.arrived);
        *self = News { arrived, ..News::default() };
        self.arrived.clear();
    }
}
