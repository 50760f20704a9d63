use airhop_base::Time;

/// Weight of the previous mean in the exponential means of packet lengths and gaps.
const ALPHA: f64 = 0.99;

/// Departure rate through TIBET's filters (Capone, Fratta and Martignon 2004). Packet lengths and gaps are
/// averaged separately, so that bursts do not bias the ratio. The ratio is then smoothed over time as in
/// core-stateless fair queueing (Stoica, Shenker and Zhang 1998).
#[derive(Debug)]
pub struct DepartureRate {
    /// Time constant of the second filter in seconds.
    t0: f64,
    last: Option<Time>,
    gaps: f64,
    /// Mean packet length in bytes.
    mean_length: f64,
    /// Mean gap between departures in seconds.
    mean_gap: f64,
    /// Departure rate in bytes per second; `None` before the first gap.
    rate: Option<f64>,
}

impl DepartureRate {
    /// Creates the estimator with a time constant of `t0` seconds.
    pub fn new(t0: f64) -> Self {
        DepartureRate { t0, last: None, gaps: 0.0, mean_length: 0.0, mean_gap: 0.0, rate: None }
    }

    /// Processes the departure of a packet of `bytes` bytes at `now`.
    pub fn on_departure(&mut self, now: Time, bytes: u64) {
        let Some(last) = self.last.replace(now) else { return };
        self.gaps += 1.0;
        // The means are arithmetic until the weight of the previous mean reaches ALPHA.
        let alpha = ALPHA.min(1.0 - 1.0 / self.gaps);
        self.mean_length = alpha * self.mean_length + (1.0 - alpha) * bytes as f64;
        self.mean_gap = alpha * self.mean_gap + (1.0 - alpha) * now.since(last).secs_f64();
        if self.mean_gap > 0.0 {
            let sample = self.mean_length / self.mean_gap;
            let kept = libm::exp(-self.mean_gap / self.t0);
            self.rate = Some(self.rate.map_or(sample, |rate| kept * rate + (1.0 - kept) * sample));
        }
    }

    /// Returns the rate in bytes per second; `None` before two departures at different times.
    pub fn bytes_per_second(&self) -> Option<f64> {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // Departures at constant intervals are a fixed point of both filters from the first gap on.
    #[test]
    fn constant_departures_yield_their_rate() {
        let mut departures = DepartureRate::new(1.0);
        for k in 0..50 {
            departures.on_departure(at(10 * k), 1000);
            let expected = (k > 0).then_some(100_000.0);
            assert!(departures.bytes_per_second().zip(expected).is_none_or(|(r, e)| (r - e).abs() < 1e-6));
            assert_eq!(departures.bytes_per_second().is_some(), k > 0);
        }
    }

    // Two simultaneous packets every 20 ms are also 100 000 bytes per second. A filter of the ratios of
    // length and gap would divide by zero.
    #[test]
    fn bursts_do_not_bias_the_departure_rate() {
        let mut departures = DepartureRate::new(1.0);
        for k in 0..2000 {
            departures.on_departure(at(20 * k), 1000);
            departures.on_departure(at(20 * k), 1000);
        }
        // The mean gap differs from 10 ms by less than 1 %.
        assert!((departures.bytes_per_second().unwrap() / 100_000.0 - 1.0).abs() < 0.02, "{departures:?}");
    }

    // The gap changes from 10 to 20 ms. After n more departures the mean gap is 20 - 10 · 0.99^n, and the
    // rate follows by e^(-gap / T0).
    #[test]
    fn a_gap_change_passes_both_smoothing_filters() {
        let mut departures = DepartureRate::new(0.5);
        (0..=200).for_each(|k| departures.on_departure(at(10 * k), 1000));
        let mut rate = 100_000.0;
        for n in 1..=100 {
            departures.on_departure(at(2000 + 20 * n), 1000);
            let gap = 0.020 - 0.010 * 0.99f64.powi(n as i32);
            let kept = (-gap / 0.5).exp();
            rate = kept * rate + (1.0 - kept) * 1000.0 / gap;
        }
        assert!((departures.bytes_per_second().unwrap() - rate).abs() < 1e-3, "{departures:?}, {rate}");
    }
}
