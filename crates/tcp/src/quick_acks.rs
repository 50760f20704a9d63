use crate::Config;
use airhop_base::{Span, Time};

/// Linux' quick ACKs: consecutive ACKs without delay while the sender may be in slow start: for the first
/// data, after an idle period longer than a timeout, and after a duplicate.
#[derive(Debug)]
pub(crate) struct QuickAcks {
    most: u32,
    /// Idle period after which the sender is assumed to restart: the minimum RTO, as a receiver without data
    /// of its own has no measured RTO.
    pause: Span,
    left: u32,
    /// Time of the last arrival of data in order.
    last: Option<Time>,
}

impl QuickAcks {
    pub(crate) fn new(config: &Config) -> Self {
        QuickAcks { most: config.quick_acks, pause: config.rto.min, left: 0, last: None }
    }

    /// Processes an arrival of data; `new`: the in-order data advanced; `duplicate`: the segment had
    /// duplicate bytes. True if the ACK must not be delayed.
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

    /// Records the transmission of an ACK.
    pub(crate) fn on_ack(&mut self) {
        self.left = self.left.saturating_sub(1);
    }
}
