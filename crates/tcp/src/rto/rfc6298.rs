use super::exact::RttEstimate;
use crate::config::RtoConfig;
use airhop_base::{Span, Time};

/// Mean and deviation of RFC 6298.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rfc6298 {
    srtt: Span,
    rttvar: Span,
}

impl RttEstimate for Rfc6298 {
    /// Implements RFC 6298 §2 (2.2).
    fn from_first_sample(sent: Time, now: Time, _: &RtoConfig) -> Self {
        let r = now - sent;
        Rfc6298 { srtt: r, rttvar: r / 2 }
    }

    /// Implements RFC 6298 §2 (2.3). The deviation is computed from the old mean.
    fn with_sample(self, sent: Time, now: Time, _: &RtoConfig) -> Self {
        let r = now - sent;
        let error = self.srtt.max(r) - self.srtt.min(r);
        Rfc6298 { srtt: (self.srtt * 7 + r) / 8, rttvar: (self.rttvar * 3 + error) / 4 }
    }

    /// Implements the timeout of RFC 6298 §2 (2.3), (2.4).
    fn timeout(&self, config: &RtoConfig) -> Span {
        (self.srtt + config.tick.max(self.rttvar * 4)).max(config.min)
    }

    fn srtt(&self) -> Span {
        self.srtt
    }

    fn rttvar(&self) -> Span {
        self.rttvar
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{config, ms, sample};
    use crate::config::RtoKind;
    use crate::rto::build;

    // RFC 6298 §2, computed by hand for samples of 400, 480 and 400 ms.
    #[test]
    fn rfc6298_rto_follows_srtt_rttvar_and_its_bounds() {
        let mut rto = build(&config(RtoKind::Rfc6298, 1000, 60_000, 1000, 1));
        assert_eq!((ms(rto.timeout()), rto.srtt(), rto.rttvar()), (1000.0, None, None)); // (2.1)
        sample(&mut *rto, 400); // (2.2): srtt 400, rttvar 200, 400 + 800
        assert_eq!(ms(rto.timeout()), 1200.0);
        sample(&mut *rto, 480); // (2.3): rttvar (600 + 80)/4 = 170, srtt (2800 + 480)/8 = 410, 410 + 680
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (410.0, 170.0));
        assert_eq!(ms(rto.timeout()), 1090.0);
        // rttvar (510 + 10)/4 = 130, srtt (2870 + 400)/8 = 408.75; 928.75 is below the bound
        sample(&mut *rto, 400);
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (408.75, 130.0));
        assert_eq!(ms(rto.timeout()), 1000.0); // (2.4)
    }

    // RFC 6298 §2.3: the deviation term is at least the clock granularity.
    #[test]
    fn rfc6298_rto_margin_is_at_least_the_granularity() {
        let mut rto = build(&config(RtoKind::Rfc6298, 0, 60_000, 1000, 10));
        for _ in 0..100 {
            sample(&mut *rto, 50);
        }
        assert_eq!(ms(rto.timeout()), 60.0);
    }

    // RFC 6298: each timeout doubles the RTO (§5.5), up to the upper bound (§2.5). After a retransmitted SYN
    // the RTO is 3 s (§5.7), and a sample ends the backoff.
    #[test]
    fn rfc6298_rto_doubles_at_timeouts_until_a_sample() {
        let mut rto = build(&config(RtoKind::Rfc6298, 1000, 60_000, 1000, 1));
        let waits: Vec<f64> = (0..8)
            .map(|_| {
                let wait = ms(rto.timeout());
                rto.on_backoff();
                wait
            })
            .collect();
        assert_eq!(waits, [1000.0, 2000.0, 4000.0, 8000.0, 16_000.0, 32_000.0, 60_000.0, 60_000.0]);
        rto.on_slow_handshake();
        assert_eq!(ms(rto.timeout()), 3000.0);
        rto.on_backoff();
        sample(&mut *rto, 500);
        assert_eq!(ms(rto.timeout()), 1500.0);
    }
}
