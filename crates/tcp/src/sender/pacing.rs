//! Segments leave at the rate that the scheme gives, not as ACKs come in.

use airhop_base::{Rate, Span, Time};

/// Segments at the beginning of a connection that are not paced, as in Linux: the initial window leaves at once.
const UNPACED: u64 = 10;

/// Releases segments at a rate: so many at once, then nothing until their time is over. What Linux does inside TCP where no queueing
/// discipline paces (`tcp_wstamp_ns`).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacer {
    /// When the next segments may leave.
    release: Time,
    burst: Option<Burst>,
    /// Segments sent, up to [`UNPACED`].
    sent: u64,
    /// The release that something waits for, or may.
    awaited: Option<Time>,
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

/// Segments that leave together: what the rate makes in 1/1024 s, 64 KiB at most and two at least, or one below 1.2 Mbit/s. Linux' TSO
/// autosizing with BBR's minimum; draft-ietf-ccwg-bbr §5.6.3 is the same with a millisecond.
pub(crate) fn send_quantum(rate: Rate, mss: u64) -> u64 {
    let least = if rate.bps() < 1_200_000 { 1 } else { 2 };
    ((rate.bps() / 8 / 1024).min(65_535) / mss).max(least)
}

impl Pacer {
    /// True if a segment may leave now. If not, [`Pacer::due`] says when.
    pub fn is_open(&mut self, now: Time) -> bool {
        let is_open = now >= self.release || self.burst.is_some_and(|b| b.at == now && b.left > 0);
        self.awaited = (!is_open).then_some(self.release);
        is_open
    }

    /// A segment of `bytes` leaves, at a rate at which `quantum` segments leave together.
    pub fn on_sent(&mut self, now: Time, bytes: u64, rate: Rate, quantum: u64) {
        let late = now.since(self.release);
        let burst = match &mut self.burst {
            Some(burst) if burst.at == now && burst.left > 0 => burst,
            burst => burst.insert(Burst { at: now, left: quantum, late }),
        };
        burst.left -= 1;
        self.release = self.release.max(now);
        if self.sent < UNPACED {
            self.sent += 1;
            return;
        }
        // Half of the wait is made up for at most, so that a segment that leaves late does not slow the flow.
        let wait = rate.time_for_bits(bytes * 8);
        let made_up = burst.late.min(wait / 2);
        burst.late = burst.late - made_up;
        self.release += wait - made_up;
    }

    /// When something that could not leave may.
    pub fn due(&self) -> Option<Time> {
        self.awaited
    }

    /// How long from `now` until the next segment may leave.
    pub fn wait(&self, now: Time) -> Span {
        self.release.max(now) - now
    }
}
