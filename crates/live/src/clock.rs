//! Real time, as the clock of a simulated network.

use airhop_base::Time;
use std::time::Instant;

/// Monotonic clock that starts with the emulation.
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> Time;
}

/// Monotonic clock of the machine. NTP does not set this clock, so NTP corrections do not look like stalls.
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    start: Instant,
}

impl MonotonicClock {
    /// Starts the clock of an emulation.
    pub fn start() -> Self {
        MonotonicClock { start: Instant::now() }
    }
}

impl Clock for MonotonicClock {
    fn now(&self) -> Time {
        // The cast is safe: 2⁶⁴ ns are 584 years.
        Time::from_nanos(self.start.elapsed().as_nanos() as u64)
    }
}
