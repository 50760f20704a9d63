use airhop_base::{Span, Time};

/// Jersey's available bandwidth estimator, ABE (Xu, Tian and Ansari 2004): the rate of arrivals through a filter
/// whose only parameter is the round-trip time,
///
/// ```text
/// R_n = (RTT R_{n-1} + L_n) / (t_n - t_{n-1} + RTT)
/// ```
///
/// where L_n bytes arrived at t_n. Arrivals of L bytes every T seconds have L / T as the fixed point, whatever the RTT.
/// Arrivals that bunch up have not: see [`AvailableRate::merge`].
#[derive(Debug, Default)]
pub struct AvailableRate {
    /// R_n, bytes per second.
    rate: f64,
    last: Option<Sample>,
}

/// Terms of the last sample.
#[derive(Clone, Copy, Debug)]
struct Sample {
    at: Time,
    /// R_{n-1}.
    before: f64,
    /// L_n.
    bytes: u64,
    /// t_n - t_{n-1}, seconds. None for the first arrival, which only starts the clock.
    gap: Option<f64>,
}

impl AvailableRate {
    /// `bytes` arrived at `at`.
    pub fn update(&mut self, at: Time, bytes: u64, rtt: Span) {
        let gap = self.last.map(|last| at.since(last.at).secs_f64());
        self.last = Some(Sample { at, before: self.rate, bytes, gap });
        self.refresh(rtt);
    }

    /// `bytes` more are part of the last arrival (TABE merges ACKs with equal timestamps). Counted apart, as ABE
    /// counts ACKs that were compressed on their way, n of them at the end of every round trip show (2n - 1) / n
    /// times the true rate.
    pub fn merge(&mut self, bytes: u64, rtt: Span) {
        if let Some(last) = &mut self.last {
            last.bytes += bytes;
            self.refresh(rtt);
        }
    }

    fn refresh(&mut self, rtt: Span) {
        let rtt = rtt.secs_f64();
        if let Some(Sample { before, bytes, gap: Some(gap), .. }) = self.last
            && gap + rtt > 0.0
        {
            self.rate = (rtt * before + bytes as f64) / (gap + rtt);
        }
    }

    /// Returns the time of the last arrival.
    pub fn last_arrival(&self) -> Option<Time> {
        self.last.map(|last| last.at)
    }

    /// Bytes per second; zero before the second arrival.
    pub fn rate(&self) -> f64 {
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

    // R = (RTT R + L) / (T + RTT) has R = L / T as its solution: 1000 bytes every 8 ms are 125 000 bytes a second.
    // The error shrinks by RTT / (T + RTT) an arrival: after 200 arrivals by e^-15.
    #[test]
    fn the_fixed_point_is_the_rate_of_arrivals() {
        for rtt in [Span::from_millis(20), RTT] {
            let mut abe = AvailableRate::default();
            (0..=200).for_each(|k| abe.update(at(8 * k), 1000, rtt));
            assert!((abe.rate() / 125_000.0 - 1.0).abs() < 1e-6, "{rtt}: {}", abe.rate());
        }
    }

    // Two ACKs at the time of sending: no time passes, so there is no rate.
    #[test]
    fn arrivals_at_one_instant_after_no_round_trip_say_nothing() {
        let mut abe = AvailableRate::default();
        (0..2).for_each(|_| abe.update(at(8), 1000, Span::ZERO));
        assert_eq!(abe.rate(), 0.0);
        abe.update(at(16), 1000, Span::ZERO);
        assert_eq!(abe.rate(), 125_000.0);
    }

    // From zero, n arrivals reach 1 - (RTT / (T + RTT))^n of the rate.
    #[test]
    fn it_forgets_with_the_round_trip_time() {
        let mut abe = AvailableRate::default();
        (0..=10).for_each(|k| abe.update(at(25 * k), 1000, RTT));
        assert!((abe.rate() - 40_000.0 * (1.0 - 0.8f64.powi(10))).abs() < 1e-6);
    }

    // Eight arrivals at the end of every round trip. Merged, R = (RTT R + 8 L) / (2 RTT): the true 8 L / RTT. Apart,
    // the first makes (R + L / RTT) / 2 and each of the others adds L / RTT: R = 15 L / RTT, nearly twice the true
    // rate.
    #[test]
    fn arrivals_that_bunch_up_are_overrated_unless_they_are_merged() {
        let (mut apart, mut merged) = (AvailableRate::default(), AvailableRate::default());
        for round in 0..60 {
            apart.update(at(100 * round), 1000, RTT);
            merged.update(at(100 * round), 1000, RTT);
            for _ in 1..8 {
                apart.update(at(100 * round), 1000, RTT);
                merged.merge(1000, RTT);
            }
        }
        assert!((merged.rate() - 80_000.0).abs() < 1e-6, "{}", merged.rate());
        assert!((apart.rate() - 150_000.0).abs() < 1e-6, "{}", apart.rate());
    }
}
