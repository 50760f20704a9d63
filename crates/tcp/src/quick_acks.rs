use crate::Config;
use airhop_base::{Span, Time};

/// Linux' quick ACKs: so many in a row that are not delayed, when the sender may be in slow start and counts on them: for the first
/// data, after a pause that was longer than a timeout, and after a duplicate.
#[derive(Debug)]
pub(crate) struct QuickAcks {
    most: u32,
    /// A longer pause means that the sender starts anew: the least timeout, as a receiver that never sends measures none.
    pause: Span,
    left: u32,
    /// Time of the last arrival of data in order.
    last: Option<Time>,
}

impl QuickAcks {
    pub(crate) fn new(config: &Config) -> Self {
        QuickAcks { most: config.quick_acks, pause: config.rto.min, left: 0, last: None }
    }

    /// Data came, and brought something `new` in order or `duplicate` bytes. True if its ACK is not to be delayed.
    pub(crate) fn on_data(&mut self, now: Time, new: bool, duplicate: bool) -> bool {
        let pauses = self.last.is_none_or(|last| now.since(last) > self.pause);
        if duplicate || (new && pauses) {
            self.left = self.most;
        }
        if new {
            self.last = Some(now);
        }
        self.left > 0
    }

    /// An ACK goes out.
    pub(crate) fn on_ack(&mut self) {
        self.left = self.left.saturating_sub(1);
    }
}
