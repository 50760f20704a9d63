//! Real time in the view of a world.

use airhop_base::Time;
use std::time::Instant;

/// Clock of the time since the start of the emulation; monotonic.
pub trait Clock {
    /// Returns the current time.
    fn now(&self) -> Time;
}

/// The monotonic clock of the machine. NTP corrections do not set this clock, so they do not count as stalls.
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
