use airhop_base::Time;

/// ACK aggregation: bytes acknowledged in excess of the bytes expected at the estimated rate
/// (draft-ietf-ccwg-bbr §5.5.9).
#[derive(Debug, Default)]
pub struct AckExcess {
    /// Start of the measurement interval. An ACK starts a new interval if no more than the expected bytes
    /// have arrived in the current interval.
    since: Time,
    acked: f64,
}

impl AckExcess {
    /// Adds `fresh` delivered bytes and returns the excess over the expected bytes, at most `cwnd`. `bw` is
    /// the estimated rate in bytes per second, and `cwnd` the window in bytes.
    pub fn on_ack(&mut self, now: Time, fresh: f64, bw: f64, cwnd: f64) -> f64 {
        let mut expected = bw * now.since(self.since).secs_f64();
        if self.acked <= expected {
            (self.since, self.acked, expected) = (now, 0.0, 0.0);
        }
        self.acked += fresh;
        (self.acked - expected).min(cwnd)
    }

    /// Handles the end of an idle period. No bytes were expected during this period.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    // At 1 MB/s, 10,000 bytes are expected within 10 ms, so 10,000 delivered bytes start a new interval. At
    // the same time 4000 more bytes arrive. The excess is then 14,000 bytes, because the new interval expects
    // no bytes yet.
    #[test]
    fn extra_acked_is_the_excess_over_the_rate() {
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        let mut excess = AckExcess::default();
        excess.on_ack(ms(10), 10_000.0, 1e6, 1e9);
        assert_eq!(excess.on_ack(ms(10), 4_000.0, 1e6, 1e9), 14_000.0);
        assert_eq!(excess.on_ack(ms(12), 1_000.0, 1e6, 1e9), 13_000.0); // 15,000 delivered less 2000 expected
        assert_eq!(excess.on_ack(ms(12), 50_000.0, 1e6, 20_000.0), 20_000.0); // at most the window
        excess.restart(ms(500));
        assert_eq!(excess.on_ack(ms(501), 1_000.0, 1e6, 1e9), 1_000.0);
    }
}
