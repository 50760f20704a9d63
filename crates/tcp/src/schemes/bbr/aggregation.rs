use airhop_base::Time;

/// Rounds that a half of the window of the filter spans.
const HALF: u32 = 5;
/// At most so many seconds' worth.
const LONGEST: f64 = 0.1;

/// Room for aggregated ACKs: how much more was acknowledged at a time than the rate explains, the most of the last five to ten round
/// trips (Linux; draft-cardwell-iccrg-bbr-congestion-control-02 §4.5.5).
#[derive(Debug, Default)]
pub struct Aggregation {
    /// The most in this half of the window and in the one before, bytes.
    most: [f64; 2],
    rounds: u32,
    /// Since then no less came than the rate explains.
    since: Time,
    acked: f64,
}

impl Aggregation {
    /// So many bytes were delivered at a time when the rate is taken to be `bw` bytes a second and the window `cwnd` bytes.
    pub fn on_ack(&mut self, now: Time, fresh: f64, bw: f64, cwnd: f64, round_starts: bool) {
        self.rounds += u32::from(round_starts);
        if self.rounds >= HALF {
            self.rounds = 0;
            self.most = [0.0, self.most[0]];
        }
        let mut expected = bw * now.since(self.since).secs_f64();
        if self.acked <= expected {
            (self.since, self.acked, expected) = (now, 0.0, 0.0);
        }
        self.acked += fresh;
        self.most[0] = self.most[0].max((self.acked - expected).min(cwnd));
    }

    /// A pause ends: what was expected meanwhile counts for nothing.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0.0);
    }

    /// Bytes to allow for.
    pub fn room(&self, bw: f64) -> f64 {
        self.most[0].max(self.most[1]).min(bw * LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    // At 1 MB/s, 10,000 bytes at once after 10 ms are what the rate explains and begin a new account; 4000 more at that time are too
    // many by all 14,000 of it, as nothing was expected yet. A maximum lasts five to ten round trips.
    #[test]
    fn what_the_rate_does_not_explain() {
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        let mut a = Aggregation::default();
        a.on_ack(ms(10), 10_000.0, 1e6, 1e9, false);
        a.on_ack(ms(10), 4_000.0, 1e6, 1e9, false);
        assert_eq!(a.room(1e6), 14_000.0);
        a.on_ack(ms(12), 1_000.0, 1e6, 1e9, false); // 15,000 less 2000 expected
        assert_eq!((a.room(1e6), a.room(1e5)), (14_000.0, 10_000.0)); // 100 ms' worth at most
        a.on_ack(ms(12), 50_000.0, 1e6, 20_000.0, false); // the window at most
        assert_eq!(a.room(1e6), 20_000.0);
        let room: Vec<f64> = (1..=10)
            .map(|round| {
                a.on_ack(ms(1000 * round), 0.0, 1e6, 1e9, true);
                a.room(1e6)
            })
            .collect();
        assert_eq!(room, [20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 20e3, 0.0]);
    }
}
