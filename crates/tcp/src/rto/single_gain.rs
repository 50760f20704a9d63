use super::{RtoPolicy, ticks_between};
use crate::config::RtoConfig;
use airhop_base::{Span, Time};

/// Estimator of Kounavis 1996. Mean and deviation share one gain, and samples are integer ticks of a coarse
/// clock.
///
/// The paper prints the four lines of the update. The gain of 1/8, the first sample and the rounding are
/// Airhop's choice.
#[derive(Clone, Debug)]
pub(super) struct SingleGain {
    config: RtoConfig,
    /// Mean `a` and mean deviation `v` of the RTT in ticks; `None` before the first sample.
    mean: Option<(f64, f64)>,
    backoff: u64,
}

impl SingleGain {
    const GAIN: f64 = 1.0 / 8.0;

    pub(super) fn new(config: RtoConfig) -> Self {
        SingleGain { config, mean: None, backoff: 1 }
    }

    fn ticks_to_span(&self, ticks: f64) -> Span {
        Span::from_nanos((self.config.tick.nanos() as f64 * ticks + 0.5) as u64)
    }

    /// Returns a + 4v in integer ticks.
    fn base(&self) -> Span {
        match self.mean {
            None => self.config.initial,
            Some((a, v)) => self.config.tick * (a + 4.0 * v).ceil() as u64,
        }
    }

    /// Applies the bounds and the backoff. The shortest timeout of a coarse clock is two ticks.
    fn bounded(&self, rto: Span, backoff: u64) -> Span {
        let floor = self.config.min.max(self.config.tick * 2);
        (rto.max(floor).min(self.config.max) * backoff).min(self.config.max)
    }
}

impl RtoPolicy for SingleGain {
    fn on_rtt(&mut self, sent: Time, now: Time) {
        let m = ticks_between(sent, now, self.config.tick).max(1) as f64;
        self.mean = Some(match self.mean {
            None => (m, m / 2.0),
            // Kounavis 1996: Err = m - a; a = a + g Err; v = v + g (|Err| - v)
            Some((a, v)) => {
                let error = m - a;
                (a + Self::GAIN * error, v + Self::GAIN * (error.abs() - v))
            }
        });
        self.backoff = 1;
    }

    fn on_backoff(&mut self) {
        if self.timeout() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
    }

    fn timeout(&self) -> Span {
        self.bounded(self.base(), self.backoff)
    }

    fn timeout_without_backoff(&self) -> Span {
        self.bounded(self.base(), 1)
    }

    fn timeout_with_extra_delay(&self, extra: Span) -> Span {
        let ticks =
            self.mean.map_or(0.0, |(a, _)| a) + extra.nanos() as f64 / self.config.tick.nanos() as f64 + 1.0;
        let late = self.config.tick * ticks.ceil() as u64;
        self.bounded(self.base().max(late), self.backoff)
    }

    fn srtt(&self) -> Option<Span> {
        self.mean.map(|(a, _)| self.ticks_to_span(a))
    }

    fn rttvar(&self) -> Option<Span> {
        self.mean.map(|(_, v)| self.ticks_to_span(v))
    }

    fn snapshot(&self) -> Box<dyn RtoPolicy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{config, ms, sample};
    use crate::config::RtoKind;
    use crate::rto::build;

    // Kounavis 1996: the four printed lines of the update, computed by hand in ticks of 100 ms for samples of
    // 4 (the first), 12, 4 and 4.
    #[test]
    fn the_single_gain_rto_follows_the_lines_of_kounavis_1996() {
        let mut rto = build(&config(RtoKind::SingleGain, 0, 64_000, 3000, 100));
        sample(&mut *rto, 450); // a 4, v 2: RTO 12 ticks
        assert_eq!(ms(rto.timeout()), 1200.0);
        sample(&mut *rto, 1200); // Err 8: a 5, v 2 + (8 - 2)/8 = 2.75; 16 ticks
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (500.0, 275.0));
        assert_eq!(ms(rto.timeout()), 1600.0);
        sample(&mut *rto, 400); // Err -1: a 4.875, v 2.75 - 1.75/8 = 2.53125; 15 is exact, no rounding up
        assert_eq!(ms(rto.timeout()), 1500.0);
        sample(&mut *rto, 400); // Err -0.875: a 4.765625, v 2.53125 - 1.65625/8 = 2.32421875; 14.0625 is rounded up
        assert_eq!(ms(rto.timeout()), 1500.0);
        rto.on_backoff();
        assert_eq!(ms(rto.timeout()), 3000.0);
        for _ in 0..20 {
            rto.on_backoff();
        }
        assert_eq!(ms(rto.timeout()), 64_000.0);
    }

    // The shortest timeout of a coarse clock is two ticks.
    #[test]
    fn the_single_gain_rto_is_at_least_two_ticks() {
        let mut rto = build(&config(RtoKind::SingleGain, 0, 64_000, 3000, 100));
        // After these samples the deviation is negligible compared with a mean of one tick.
        for _ in 0..1000 {
            sample(&mut *rto, 10);
        }
        assert_eq!(ms(rto.timeout()), 200.0);
    }
}
