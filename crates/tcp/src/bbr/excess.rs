use airhop_base::Time;

/// Aggregated ACKs: bytes acknowledged beyond those that the rate explains (draft-ietf-ccwg-bbr §5.5.9).
#[derive(Debug, Default)]
pub struct Excess {
    /// Since then no less came than the rate explains.
    since: Time,
    acked: f64,
}

impl Excess {
    /// Adds `fresh` delivered bytes, with a rate estimate of `bw` bytes a second and a window of `cwnd` bytes. Returns the bytes beyond the
    /// expected ones, the window at most.
    pub fn on_ack(&mut self, now: Time, fresh: f64, bw: f64, cwnd: f64) -> f64 {
        let mut expected = bw * now.since(self.since).secs_f64();
        if self.acked <= expected {
            (self.since, self.acked, expected) = (now, 0.0, 0.0);
        }
        self.acked += fresh;
        (self.acked - expected).min(cwnd)
    }

    /// Handles the end of a pause: the data expected during it is ignored.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    // At 1 MB/s, 10,000 bytes at once after 10 ms are what the rate explains and begin a new account; 4000 more at that time are too
    // many by all 14,000 of it, as nothing was expected yet.
    #[test]
    fn what_the_rate_does_not_explain() {
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        let mut excess = Excess::default();
        excess.on_ack(ms(10), 10_000.0, 1e6, 1e9);
        assert_eq!(excess.on_ack(ms(10), 4_000.0, 1e6, 1e9), 14_000.0);
        assert_eq!(excess.on_ack(ms(12), 1_000.0, 1e6, 1e9), 13_000.0); // 15,000 less 2000 expected
        assert_eq!(excess.on_ack(ms(12), 50_000.0, 1e6, 20_000.0), 20_000.0); // the window at most
        excess.restart(ms(500));
        assert_eq!(excess.on_ack(ms(501), 1_000.0, 1e6, 1e9), 1_000.0);
    }
}
