//! Limit of busy-waiting.
//!
//! Linux suspends real-time threads that use more than 95 % of a processor (`sched_rt_runtime_us`, sched(7)).
//! The emulator would then stop for 50 ms in every second. A busy-waiting loop therefore sleeps for at least
//! a tenth of the time, whatever its settings.

use airhop_base::{Span, Time};

/// Interval over which the share of sleep is measured. Linux measures over one second.
const MEASUREMENT_INTERVAL: Span = Span::from_millis(20);
/// Inverse of the minimum fraction of time asleep.
const MIN_SLEEP_DIVISOR: u64 = 10;

/// Time asleep since the start of the current interval.
#[derive(Debug, Default)]
pub(super) struct SleepMonitor {
    since: Time,
    asleep: Span,
}

impl SleepMonitor {
    /// Records a sleep of the loop.
    pub fn record_sleep(&mut self, from: Time, to: Time) {
        self.asleep = self.asleep + to.since(from);
    }

    /// True if the loop may busy-wait now. The loop must have slept for a tenth of the current interval.
    pub fn may_busy_wait(&mut self, now: Time) -> bool {
        let length = now.since(self.since);
        let has_slept = self.asleep.nanos().saturating_mul(MIN_SLEEP_DIVISOR) >= length.nanos();
        if length > MEASUREMENT_INTERVAL && has_slept {
            *self = SleepMonitor { since: now, asleep: Span::ZERO };
        }
        has_slept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sched(7): the loop is awake for less than 95 % of any second, however much the loop could busy-wait.
    #[test]
    fn the_emulation_loop_sleeps_a_share_of_every_second() {
        let (mut vigil, mut now, mut asleep) = (SleepMonitor::default(), Time::ZERO, Span::ZERO);
        let (step, nap) = (Span::from_micros(50), Span::from_micros(40));
        while now < Time::from_nanos(1_000_000_000) {
            if vigil.may_busy_wait(now) {
                now += step;
            } else {
                vigil.record_sleep(now, now + nap);
                (now, asleep) = (now + nap, asleep + nap);
            }
        }
        let share = asleep.nanos() as f64 / now.nanos() as f64;
        assert!((0.09..0.11).contains(&share), "{share}");
    }
}
