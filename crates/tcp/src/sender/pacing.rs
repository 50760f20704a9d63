//! The spacing of segments, for controls that say how fast to send.

use airhop_base::{Rate, Time};

/// When the next segment may go out.
#[derive(Debug, Default)]
pub(super) struct Pacing {
    next: Time,
    /// The sender was asked for a segment before that time, and is to be asked again then.
    pub due: Option<Time>,
}

impl Pacing {
    /// True if it is too early for a segment.
    pub fn holds(&mut self, now: Time) -> bool {
        self.due = (now < self.next).then_some(self.next);
        self.due.is_some()
    }

    /// A datagram of so many bytes went out: the next one follows when it would have left a link of this rate.
    pub fn on_sent(&mut self, now: Time, bytes: u32, rate: Rate) {
        self.next = self.next.max(now) + rate.time_for(bytes);
    }
}
