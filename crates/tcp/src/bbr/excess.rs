use airhop_base::Time;

/// ACK aggregation: bytes acknowledged in excess of the estimated rate (draft-ietf-ccwg-bbr §5.5.9).
#[derive(Debug, Default)]
pub struct Excess {
    /// Start of the period in which at least the expected bytes arrived.
    since: Time,
    acked: f64,
}

impl Excess {
    /// Adds `fresh` delivered bytes; `bw`: estimated rate, bytes per second; `cwnd`: window, bytes. Returns
    /// the bytes in excess of the expected ones, at most a window.
    pub fn on_ack(&mut self, now: Time, fresh: f64, bw: f64, cwnd: f64) -> f64 {
        let mut expected = bw * now.since(self.since).secs_f64();
        if self.acked <= expected {
            (self.since, self.acked, expected) = (now, 0.0, 0.0);
        }
        self.acked += fresh;
        (self.acked - expected).min(cwnd)
    }

    /// Handles the end of an idle period, in which no bytes are expected.
    pub fn restart(&mut self, now: Time) {
        (self.since, self.acked) = (now, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    // At 1 MB/s, 10,000 bytes after 10 ms are the expected bytes and start a new period. 4000 bytes more at
    // the same time make an excess of all 14,000 bytes of the period, as no bytes were expected yet.
    #[test]
    fn extra_acked_is_the_excess_over_the_rate() {
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
