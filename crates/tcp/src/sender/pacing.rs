//! The spacing of segments, for controls that say how fast to send.

use airhop_base::{Rate, Span, Time};

/// When the next segments may go out: some together, then none until their time at that rate is over. What Linux does inside TCP where
/// no queueing discipline spaces packets.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
    next: Time,
    burst: Option<Burst>,
    /// The sender was asked for a segment before that time, and is to be asked again then.
    pub due: Option<Time>,
}

/// Segments that leave together.
#[derive(Clone, Copy, Debug)]
struct Burst {
    at: Time,
    /// Segments that may still leave with it.
    left: u64,
    /// By how much it left late, as far as that is not made up for.
    late: Span,
}

impl Pacing {
    /// True if it is too early for a segment.
    pub fn holds(&mut self, now: Time) -> bool {
        let is_open = now >= self.next || self.burst.is_some_and(|b| b.at == now && b.left > 0);
        self.due = (!is_open).then_some(self.next);
        !is_open
    }

    /// A segment with so many bytes of payload goes out: the next one follows when they would have left a link of this rate, but for
    /// the first `quantum` segments, which go together.
    pub fn on_sent(&mut self, now: Time, bytes: u64, rate: Rate, quantum: u64) {
        let late = now.since(self.next);
        let burst = match &mut self.burst {
            Some(burst) if burst.at == now && burst.left > 0 => burst,
            burst => burst.insert(Burst { at: now, left: quantum.max(1), late }),
        };
        burst.left -= 1;
        // Half of the wait is made up for at most, so that one who comes late does not slow the flow for good.
        let wait = rate.time_for_bits(bytes * 8);
        let made_up = burst.late.min(wait / 2);
        burst.late = burst.late - made_up;
        self.next = self.next.max(now) + (wait - made_up);
    }

    /// How long from `now` until the next segment may go out.
    pub fn wait(&self, now: Time) -> Span {
        self.next.since(now)
    }
}
