use crate::estimators::WindowedMin;
use airhop_base::{Span, Time};

/// BASE_HISTORY, in minutes (RFC 6817 §2.5).
const BASE_MINUTES: u64 = 10;
/// CURRENT_FILTER, in samples (RFC 6817 §2.5).
const CURRENT_SAMPLES: u64 = 4;
const MINUTE: Span = Span::from_secs(60);

/// Path delay and queueing delay of packets (RFC 6817 §2.4.2).
#[derive(Debug)]
pub struct DelayFilters {
    /// Minimum delay in each of the last ten minutes.
    base: WindowedMin<Span>,
    /// Minimum delay of the last four samples.
    current: WindowedMin<Span>,
    samples: u64,
}

impl DelayFilters {
    /// Creates the state before the first sample.
    pub fn new() -> Self {
        DelayFilters {
            base: WindowedMin::new(BASE_MINUTES - 1),
            current: WindowedMin::new(CURRENT_SAMPLES - 1),
            samples: 0,
        }
    }

    /// Implements update_base_delay() and update_current_delay().
    pub fn add_delay_sample(&mut self, now: Time, delay: Span) {
        self.base.update(now.since(Time::ZERO).whole_multiples(MINUTE), delay);
        self.current.update(self.samples, delay);
        self.samples += 1;
    }

    /// Returns MIN(base_delays), the estimated path delay without queues; `None` before the first sample.
    pub fn base_delay(&self) -> Option<Span> {
        self.base.extreme()
    }

    /// Returns FILTER(current_delays); `None` before the first sample.
    pub fn current_delay(&self) -> Option<Span> {
        self.current.extreme()
    }

    /// Returns the queueing delay; `None` before the first sample.
    pub fn queueing(&self) -> Option<Span> {
        Some(self.current_delay()?.saturating_sub(self.base_delay()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queueing(samples: impl IntoIterator<Item = (u64, u64)>) -> Span {
        let mut delays = DelayFilters::new();
        for (s, ms) in samples {
            delays.add_delay_sample(Time::ZERO + Span::from_secs(s), Span::from_millis(ms));
        }
        delays.queueing().expect("samples")
    }

    // RFC 6817 §2.4.2 and §2.5: FILTER is the minimum of the last four samples.
    #[test]
    fn a_single_late_delay_sample_is_no_queue() {
        let ms = Span::from_millis;
        assert_eq!(queueing([(1, 30), (1, 50), (1, 50), (1, 50)]), ms(0));
        assert_eq!(queueing([(1, 30), (1, 50), (1, 60), (1, 70), (1, 80)]), ms(20));
    }

    // If a route was shorter for one minute, its delay leaves base_delays ten minutes later.
    #[test]
    fn the_base_delay_is_the_minimum_of_ten_minutes() {
        let after = |seconds: u64| queueing((0..seconds).map(|s| (s, if s == 59 { 20 } else { 30 })));
        assert_eq!(after(600), Span::from_millis(10));
        assert_eq!(after(601), Span::ZERO);
    }
}
