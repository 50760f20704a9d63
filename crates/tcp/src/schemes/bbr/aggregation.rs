use crate::bbr::AckExcess;
use airhop_base::Time;

/// Half the length of the filter's window, in rounds.
const HALF_WINDOW_ROUNDS: u32 = 5;
/// Limit of the extra window, in seconds at the estimated rate.
const MAX_EXTRA_SECONDS: f64 = 0.1;

/// Extra window for ACK aggregation: the largest excess of acknowledged data over the estimated rate in the
/// last five to ten round trips (Linux; draft-cardwell-iccrg-bbr-congestion-control-02 §4.5.5).
#[derive(Debug, Default)]
pub struct AckAggregation {
    /// Largest excess in bytes, in the present and the previous half of the filter's window.
    most: [f64; 2],
    rounds: u32,
    excess: AckExcess,
}

impl AckAggregation {
    /// Adds `fresh` delivered bytes. `bw` is the estimated rate in bytes per second, and `cwnd` the window in
    /// bytes.
    pub fn on_ack(&mut self, now: Time, fresh: f64, bw: f64, cwnd: f64, round_starts: bool) {
        self.rounds += u32::from(round_starts);
        if self.rounds >= HALF_WINDOW_ROUNDS {
            self.rounds = 0;
            self.most = [0.0, self.most[0]];
        }
        self.most[0] = self.most[0].max(self.excess.on_ack(now, fresh, bw, cwnd));
    }

    /// Restarts the measurement after an idle period.
    pub fn restart(&mut self, now: Time) {
        self.excess.restart(now);
    }

    /// Returns the extra window in bytes.
    pub fn extra_cwnd_bytes(&self, bw: f64) -> f64 {
        self.most[0].max(self.most[1]).min(bw * MAX_EXTRA_SECONDS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    // The filter keeps the largest excess for five to ten round trips. The extra window is at most the data
    // of 100 ms at the estimated rate.
    #[test]
    fn the_maximum_excess_is_stored_for_five_to_ten_rounds() {
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        let mut a = AckAggregation::default();
        a.on_ack(ms(10), 10_000.0, 1e6, 1e9, false);
        a.on_ack(ms(10), 10_000.0, 1e6, 1e9, false);
        assert_eq!((a.extra_cwnd_bytes(1e6), a.extra_cwnd_bytes(1e5)), (20_000.0, 10_000.0));
        let room: Vec<f64> = (1..=10)
            .map(|round| {
                a.on_ack(ms(1000 * round), 0.0, 1e6, 1e9, true);
                a.extra_cwnd_bytes(1e6)
            })
            .collect();
        assert_eq!(room, [20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 0.0]);
    }
}
