use airhop_base::{Span, Time};

/// Jersey's available bandwidth estimator, ABE (Xu, Tian and Ansari 2004): a filtered arrival rate with the
/// round-trip time as the only parameter:
///
/// ```text
/// R_n = (RTT R_{n-1} + L_n) / (t_n - t_{n-1} + RTT)
/// ```
///
/// where L_n bytes arrived at t_n. If L bytes arrive every T seconds, the fixed point is L / T for any RTT.
/// Bunched arrivals bias the filter: see [`AvailableRateEstimator::merge`].
#[derive(Debug, Default)]
pub struct AvailableRateEstimator {
    /// R_n in bytes per second.
    rate: f64,
    last: Option<LastUpdate>,
}

/// Operands of the last update.
#[derive(Clone, Copy, Debug)]
struct LastUpdate {
    at: Time,
    /// R_{n-1} in bytes per second.
    before: f64,
    /// L_n in bytes.
    bytes: u64,
    /// t_n - t_{n-1} in seconds; `None` for the first arrival.
    gap: Option<f64>,
}

impl AvailableRateEstimator {
    /// Adds the arrival of `bytes` bytes at `at`.
    pub fn update(&mut self, at: Time, bytes: u64, rtt: Span) {
        let gap = self.last.map(|last| at.since(last.at).secs_f64());
        self.last = Some(LastUpdate { at, before: self.rate, bytes, gap });
        self.refresh(rtt);
    }

    /// Adds `bytes` bytes to the last arrival (TABE merges ACKs with equal timestamps). Without merging, ABE
    /// overestimates the rate by a factor of (2n - 1) / n if n compressed ACKs arrive at the end of every
    /// round trip.
    pub fn merge(&mut self, bytes: u64, rtt: Span) {
        if let Some(last) = &mut self.last {
            last.bytes += bytes;
            self.refresh(rtt);
        }
    }

    fn refresh(&mut self, rtt: Span) {
        let rtt = rtt.secs_f64();
        if let Some(LastUpdate { before, bytes, gap: Some(gap), .. }) = self.last
            && gap + rtt > 0.0
        {
            self.rate = (rtt * before + bytes as f64) / (gap + rtt);
        }
    }

    /// Returns the time of the last arrival; `None` before the first.
    pub fn last_arrival(&self) -> Option<Time> {
        self.last.map(|last| last.at)
    }

    /// Returns the rate in bytes per second; zero before the second arrival.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // R = (RTT R + L) / (T + RTT) has the solution R = L / T: 1000 bytes every 8 ms are 125 000 bytes per
    // second. Each arrival multiplies the error by RTT / (T + RTT), and 200 arrivals by e^-15.
    #[test]
    fn the_jersey_estimate_converges_to_the_arrival_rate() {
        for rtt in [Span::from_millis(20), RTT] {
            let mut abe = AvailableRateEstimator::default();
            (0..=200).for_each(|k| abe.update(at(8 * k), 1000, rtt));
            assert!(
                (abe.bytes_per_second() / 125_000.0 - 1.0).abs() < 1e-6,
                "{rtt}: {}",
                abe.bytes_per_second()
            );
        }
    }

    // Two ACKs at the same time define no rate.
    #[test]
    fn simultaneous_arrivals_yield_no_rate_estimate() {
        let mut abe = AvailableRateEstimator::default();
        (0..2).for_each(|_| abe.update(at(8), 1000, Span::ZERO));
        assert_eq!(abe.bytes_per_second(), 0.0);
        abe.update(at(16), 1000, Span::ZERO);
        assert_eq!(abe.bytes_per_second(), 125_000.0);
    }

    // Starting at zero, the estimate after n arrivals is 1 - (RTT / (T + RTT))^n of the rate.
    #[test]
    fn the_estimate_converges_with_the_time_constant_of_the_rtt() {
        let mut abe = AvailableRateEstimator::default();
        (0..=10).for_each(|k| abe.update(at(25 * k), 1000, RTT));
        assert!((abe.bytes_per_second() - 40_000.0 * (1.0 - 0.8f64.powi(10))).abs() < 1e-6);
    }

    // Eight segments arrive at the end of every round trip. Merged: R = (RTT R + 8 L) / (2 RTT), so R
    // converges to the true rate 8 L / RTT. Separate: the first arrival yields (R + L / RTT) / 2, and each
    // later arrival adds L / RTT. R = 15 L / RTT is nearly twice the true rate.
    #[test]
    fn bunched_arrivals_double_the_estimate_unless_merged() {
        let (mut apart, mut merged) = (AvailableRateEstimator::default(), AvailableRateEstimator::default());
        for round in 0..60 {
            apart.update(at(100 * round), 1000, RTT);
            merged.update(at(100 * round), 1000, RTT);
            for _ in 1..8 {
                apart.update(at(100 * round), 1000, RTT);
                merged.merge(1000, RTT);
            }
        }
        assert!((merged.bytes_per_second() - 80_000.0).abs() < 1e-6, "{}", merged.bytes_per_second());
        assert!((apart.bytes_per_second() - 150_000.0).abs() < 1e-6, "{}", apart.bytes_per_second());
    }
}
