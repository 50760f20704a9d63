use super::{RtoPolicy, ticks_between};
use crate::config::RtoConfig;
use airhop_base::{Span, Time};

/// ns-2's estimator: Jacobson's integer arithmetic in ticks. The results equal those of ns-2.35's `tcp.cc`
/// under its default flags.
#[derive(Clone, Debug)]
pub(super) struct Ns2Rto {
    config: RtoConfig,
    /// Smoothed RTT in eighths of a tick; zero before the sample that initialises the mean.
    srtt8: i64,
    /// Mean deviation in quarters of a tick.
    rttvar4: i64,
    /// Timeout before backoff and before the lower bound.
    rto: Span,
    backoff: u64,
}

impl Ns2Rto {
    pub(super) fn new(config: RtoConfig) -> Self {
        Ns2Rto { config, srtt8: 0, rttvar4: 0, rto: config.initial, backoff: 1 }
    }

    /// Applies the configured minimum before the backoff, and the minimum of two ticks afterwards. (The
    /// single-gain estimator applies both minima before the backoff.)
    fn bounded(&self, rto: Span, backoff: u64) -> Span {
        (rto.max(self.config.min).min(self.config.max) * backoff)
            .min(self.config.max)
            .max(self.config.tick * 2)
    }
}

impl Ns2Rto {
    /// Adds a sample of `m` ticks. `deviate` computes the new deviation in quarters of a tick, from an error
    /// in ticks and the old deviation.
    fn add_sample(&mut self, m: i64, deviate: impl Fn(i64, i64) -> i64) {
        if self.srtt8 == 0 {
            self.srtt8 = m << 3;
            self.rttvar4 = m << 1;
        } else {
            // The shifts drop fractions of a tick, as in ns-2. Mean and deviation must not reach zero.
            let error = m - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + deviate(error, self.rttvar4)).max(1);
        }
        // srtt + 4 rttvar in integer ticks.
        self.rto = self.config.tick * (self.rttvar4 + (self.srtt8 >> 3)) as u64;
    }

    fn ticks(&self, sent: Time, now: Time) -> i64 {
        ticks_between(sent, now, self.config.tick).max(1) as i64
    }
}

impl RtoPolicy for Ns2Rto {
    fn on_rtt(&mut self, sent: Time, now: Time) {
        self.add_sample(self.ticks(sent, now), |error, rttvar4| error.abs() - (rttvar4 >> 2));
        self.backoff = 1;
    }

    fn on_rtt_of_each_ack(&mut self, sent: Time, now: Time, ends_backoff: bool) {
        // A round trip below the mean increases the deviation by an eighth of the increase that a round trip
        // above the mean would cause (Linux 2.6, tcp_rtt_estimator()).
        self.add_sample(self.ticks(sent, now), |error, rttvar4| {
            let change = error.abs() - (rttvar4 >> 2);
            if error < 0 && change > 0 { change >> 3 } else { change }
        });
        if ends_backoff {
            self.backoff = 1;
        }
    }

    fn on_backoff(&mut self) {
        if self.backoff < 64 || self.timeout() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        // After the fourth consecutive timeout the mean is discarded, and the next sample initialises it.
        // Until that sample the timeout does not change. (ns-2 also adds srtt to rttvar, but the next sample
        // overwrites both before they are read.)
        if self.backoff > 8 {
            self.srtt8 = 0;
        }
    }

    fn timeout(&self) -> Span {
        self.bounded(self.rto, self.backoff)
    }

    fn timeout_without_backoff(&self) -> Span {
        self.bounded(self.rto, 1)
    }

    fn timeout_with_extra_delay(&self, extra: Span) -> Span {
        let late = self.srtt().unwrap_or(Span::ZERO) + extra + self.config.tick;
        self.bounded(self.rto.max(late), self.backoff)
    }

    fn srtt(&self) -> Option<Span> {
        (self.srtt8 > 0).then(|| self.config.tick * self.srtt8 as u64 / 8)
    }

    fn rttvar(&self) -> Option<Span> {
        (self.srtt8 > 0).then(|| self.config.tick * self.rttvar4 as u64 / 4)
    }

    fn snapshot(&self) -> Box<dyn RtoPolicy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, config, ms, sample};
    use crate::config::RtoKind;
    use crate::rto::build;

    // ns-2.35 computes with integer ticks of 10 ms. Samples of 65, 85 and 25 ms start at the beginning of a
    // tick.
    #[test]
    fn the_ns2_rto_uses_integer_ticks() {
        let mut rto = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        assert_eq!((ms(rto.timeout()), rto.srtt(), rto.rttvar()), (3000.0, None, None));
        sample(&mut *rto, 65); // 6 ticks: srtt8 48, rttvar4 12; 12 + 6 = 18 ticks
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (60.0, 30.0));
        assert_eq!(ms(rto.timeout()), 180.0);
        sample(&mut *rto, 85); // 8: error 2, srtt8 50, rttvar4 12 + 2 - 3 = 11; 11 + 50/8 = 17
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (62.5, 27.5));
        assert_eq!(ms(rto.timeout()), 170.0);
        sample(&mut *rto, 25); // 2: error -4, srtt8 46, rttvar4 11 + 4 - 2 = 13; 13 + 46/8 = 18
        assert_eq!(ms(rto.timeout()), 180.0);
    }

    // ns-2.35 measures from the start of the tick in which the segment was sent. A sample is at least one
    // tick.
    #[test]
    fn ns2_rtt_samples_start_at_a_clock_tick() {
        let mut early = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        early.on_rtt(at(100_000), at(169_000)); // 69 ms in phase 0: 6 ticks
        assert_eq!(ms(early.srtt().unwrap()), 60.0);
        let mut late = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        late.on_rtt(at(108_000), at(177_000)); // 69 ms in phase 8: (69 + 8)/10 = 7 ticks
        assert_eq!(ms(late.srtt().unwrap()), 70.0);
        let mut short = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        short.on_rtt(at(101_000), at(102_000));
        assert_eq!(ms(short.srtt().unwrap()), 10.0);
        assert_eq!(ms(short.timeout()), 30.0); // 2 quarters of a tick of deviation, 4 deviations: 2 + 1 ticks
        let least = build(&config(RtoKind::Ns2, 0, 60_000, 10, 10));
        assert_eq!(ms(least.timeout()), 20.0, "two ticks, for any configuration");
    }

    // ns-2.35: the backoff doubles the lower bound too; a backoff above 8 discards the mean.
    #[test]
    fn an_ns2_backoff_above_8_discards_the_mean_rtt() {
        let mut rto = build(&config(RtoKind::Ns2, 200, 60_000, 3000, 10));
        sample(&mut *rto, 65); // 18 ticks, below the bound
        let mut waits = vec![ms(rto.timeout())];
        for _ in 0..3 {
            rto.on_backoff();
            waits.push(ms(rto.timeout()));
        }
        assert_eq!(waits, [200.0, 400.0, 800.0, 1600.0]);
        assert!(rto.srtt().is_some());
        rto.on_backoff(); // backoff 16: the mean is discarded, the timeout is not
        assert_eq!((ms(rto.timeout()), rto.srtt()), (3200.0, None));
        for _ in 0..10 {
            rto.on_backoff();
        }
        assert_eq!(ms(rto.timeout()), 60_000.0);
        sample(&mut *rto, 105); // initialises the mean again: 10 + 20 ticks
        assert_eq!(ms(rto.timeout()), 300.0);
    }

    // tcp.cc, rtt_backoff(): the backoff doubles up to 64, even if the timeout has reached its bound: here 15
    // s, 30, 60, and then 60. So the fourth consecutive timeout discards the mean for any round-trip time.
    #[test]
    fn ns2_backs_off_beyond_the_maximum_rto() {
        let mut rto = build(&config(RtoKind::Ns2, 200, 60_000, 3000, 10));
        sample(&mut *rto, 5000);
        let mut after = vec![(ms(rto.timeout()), rto.srtt().is_some())];
        for _ in 0..4 {
            rto.on_backoff();
            after.push((ms(rto.timeout()), rto.srtt().is_some()));
        }
        let (third, longest) = (30_000.0, 60_000.0);
        assert_eq!(
            after,
            [(15_000.0, true), (third, true), (longest, true), (longest, true), (longest, false)]
        );
    }

    // Linux 2.6, tcp_rtt_estimator(): a sample below the mean raises the deviation by an eighth of the
    // amount. After a sample of 100 ticks (srtt8 800, rttvar4 200), a sample of 180 adds 80 - 50 = 30: 110 +
    // 230 ticks. A sample of 20 adds 30/8 = 3: 90 + 203; in ns-2's other agents it adds 30: 90 + 230. A
    // sample of 95 is within the deviation, and lowers it by the full 50 - 5: 99 + 155.
    #[test]
    fn a_much_shorter_rtt_adds_an_eighth_to_rttvar() {
        let after = |millis: u64, each: bool| {
            let mut rto = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
            sample(&mut *rto, 1000);
            match each {
                true => rto.on_rtt_of_each_ack(at(0), at(millis * 1000), true),
                false => sample(&mut *rto, millis),
            }
            ms(rto.timeout())
        };
        assert_eq!([after(1800, true), after(200, true), after(950, true)], [3400.0, 2930.0, 2540.0]);
        assert_eq!(after(200, false), 3200.0);
    }

    // The ACK of a segment first sent after the timer expired ends Karn's backoff. ACKs of retransmissions
    // are also samples: 10 ticks each, timeouts of 30, 25 and 22 ticks.
    #[test]
    fn the_ack_of_a_retransmission_does_not_end_the_backoff() {
        let mut rto = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        sample(&mut *rto, 100);
        rto.on_backoff();
        rto.on_rtt_of_each_ack(at(0), at(100_000), false);
        assert_eq!(ms(rto.timeout()), 500.0);
        rto.on_rtt_of_each_ack(at(0), at(100_000), true);
        assert_eq!(ms(rto.timeout()), 220.0);
    }
}
