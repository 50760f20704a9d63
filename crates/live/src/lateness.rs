//! Lateness of the emulator: time from the due departure of a datagram until the datagram is written to the
//! host.

use airhop_base::{EmpiricalDistribution, Span};
use hdrhistogram::Histogram;

/// Maximum recorded duration, 60 s. Longer durations count as 60 s.
const MAX_DURATION_NS: u64 = 60_000_000_000;
/// Number of significant digits of a duration.
const SIGNIFICANT_DIGITS: u8 = 3;

/// Distribution of durations from a nanosecond to a minute, with three significant digits.
#[derive(Clone, Debug)]
pub struct DurationHistogram {
    nanos: Histogram<u64>,
}

impl Default for DurationHistogram {
    fn default() -> Self {
        let nanos = Histogram::new_with_bounds(1, MAX_DURATION_NS, SIGNIFICANT_DIGITS)
            .expect("1 ≤ 60 s / 2 and three of five digits");
        DurationHistogram { nanos }
    }
}

impl DurationHistogram {
    /// Adds a duration.
    pub fn add(&mut self, length: Span) {
        self.nanos.saturating_record(length.nanos());
    }

    /// Returns the number of durations added.
    pub fn count(&self) -> u64 {
        self.nanos.len()
    }

    /// Returns the quantile of the probability `share` in µs, by nearest rank; 0 without durations.
    pub fn quantile_us(&self, share: f64) -> f64 {
        micros(self.nanos.value_at_quantile(share))
    }

    /// Returns the durations as a distribution for random draws.
    pub fn distribution(&self) -> EmpiricalDistribution {
        let counts = self.nanos.iter_recorded();
        EmpiricalDistribution::new(
            counts.map(|at| (Span::from_nanos(at.value_iterated_to()), at.count_at_value())),
        )
    }

    /// Returns the lateness summary of the durations.
    pub fn lateness(&self) -> LatenessSummary {
        LatenessSummary {
            p50_us: self.quantile_us(0.5),
            p99_us: self.quantile_us(0.99),
            max_us: micros(self.nanos.max()),
            count: self.count(),
        }
    }
}

fn micros(nanos: u64) -> f64 {
    nanos as f64 / 1e3
}

/// Summary of the lateness of written datagrams in µs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatenessSummary {
    /// Median.
    pub p50_us: f64,
    /// 99 % quantile.
    pub p99_us: f64,
    /// Maximum.
    pub max_us: f64,
    /// Number of datagrams written.
    pub count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles are nearest ranks: of 1 … 100 µs the median is the 50th value and the 99 % quantile the
    /// 99th, with an error of at most a thousandth.
    #[test]
    fn lateness_quantiles_are_nearest_ranks() {
        let mut lengths = DurationHistogram::default();
        assert_eq!(lengths.lateness(), LatenessSummary::default());
        (1..=100).for_each(|us| lengths.add(Span::from_micros(us)));
        let LatenessSummary { p50_us, p99_us, max_us, count } = lengths.lateness();
        for (is, expected) in [(p50_us, 50.0), (p99_us, 99.0), (max_us, 100.0)] {
            assert!((is - expected).abs() <= expected / 1000.0, "{is} µs, expected {expected} µs");
        }
        assert_eq!(count, 100);
    }

    /// The distribution contains rare durations that quantiles do not show: one stall of 40 ms among a
    /// thousand durations of 60 µs has a probability of one in a thousand.
    #[test]
    fn the_lateness_distribution_contains_a_single_stall() {
        let mut lengths = DurationHistogram::default();
        (0..999).for_each(|_| lengths.add(Span::from_micros(60)));
        lengths.add(Span::from_millis(40));
        let distribution = lengths.distribution();
        assert_eq!(distribution.count(), 1000);
        for (u, us) in [(0.0, 60.0), (0.998, 60.0), (0.9995, 40_000.0)] {
            let drawn = distribution.quantile(u).secs_f64() * 1e6;
            assert!((drawn - us).abs() <= us / 1000.0, "{drawn} µs at {u}, expected {us} µs");
        }
    }

    /// A machine that slept for an hour does not cause a panic.
    #[test]
    fn lateness_above_a_minute_counts_as_a_minute() {
        let mut lengths = DurationHistogram::default();
        lengths.add(Span::from_secs(3600));
        lengths.add(Span::ZERO);
        assert!((59.9e6..61e6).contains(&lengths.lateness().max_us));
    }
}
