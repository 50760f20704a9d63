//! Real time, as a world sees it.

use airhop_base::Time;
use std::time::Instant;

/// Clock of the time since the emulation began. Never goes back.
pub trait Clock {
    /// Returns the time now.
    fn now(&self) -> Time;
}

/// The machine's monotonic clock. It is never set, so a correction by NTP does not count as a stall.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic {
    start: Instant,
}

impl Monotonic {
    /// Starts the clock of an emulation.
    pub fn start() -> Self {
        Monotonic { start: Instant::now() }
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Time {
        // 2⁶⁴ ns are 584 years.
        Time::from_nanos(self.start.elapsed().as_nanos() as u64)
    }
}
