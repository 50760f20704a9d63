//! Retransmission timeout: from round-trip samples to a waiting time.
//!
//! The sender sees to Karn's rule (no sample of a segment that was sent twice) and to the one timer; here is only the
//! arithmetic. Four estimators: RFC 6298, ns-2's integer ticks, the single-gain form of Kounavis 1996, and Linux'.

mod exact;
mod linux;

use crate::config::{RtoConfig, RtoKind};
use airhop_base::{Span, Time};
use exact::Timeout;
use std::fmt::Debug;

/// Finds the retransmission timeout.
pub trait RtoPolicy: Debug + Send {
    /// A segment sent at `sent` was acknowledged at `now`, and nothing makes that ambiguous. Ends the backoff.
    fn on_rtt(&mut self, sent: Time, now: Time);

    /// The timer expired: the next timeout is twice as long (RFC 6298 §5.5).
    fn on_backoff(&mut self);

    /// The SYN had to be sent again, and data begins now (RFC 6298 §5.7).
    fn on_slow_handshake(&mut self) {}

    /// The timeout for a timer that is started now: with backoff, within the configured bounds.
    fn timeout(&self) -> Span;

    /// The same without backoff: a + 4v.
    fn timeout_without_backoff(&self) -> Span;

    /// The same for a round trip that may take `extra` longer: max(a + 4v, a + extra + G), with backoff, within the configured
    /// bounds. Before the first sample a is not known, and counts for nothing.
    fn timeout_expecting(&self, extra: Span) -> Span;

    /// Smoothed round-trip time, `None` before the first sample.
    fn srtt(&self) -> Option<Span>;

    /// Mean deviation of the round-trip time, `None` before the first sample.
    fn rttvar(&self) -> Option<Span>;

    /// A copy of the whole state, to be put back later: a sender that freezes keeps "all the TCP-related parameters"
    /// (Yun 2009 §4).
    fn snapshot(&self) -> Box<dyn RtoPolicy>;
}

/// The estimator that `c` names, before its first sample.
pub fn build(c: &RtoConfig) -> Box<dyn RtoPolicy> {
    match c.kind {
        RtoKind::Rfc6298 => Box::new(Rfc6298::new(*c)),
        RtoKind::Ns2 => Box::new(Ns2Ticks::new(*c)),
        RtoKind::SingleGain => Box::new(SingleGain::new(*c)),
        RtoKind::Linux => Box::new(linux::Linux::new(*c)),
    }
}

/// Ticks of a coarse clock between two instants. It counts ticks and so sees the phase of the sending time: a sample
/// is up to a tick too long or too short.
fn ticks_between(sent: Time, now: Time, tick: Span) -> u64 {
    let reading = |t: Time| t.since(Time::ZERO).whole(tick);
    reading(now) - reading(sent)
}

/// RFC 6298 on exact samples.
#[derive(Clone, Debug)]
struct Rfc6298 {
    /// Smoothed mean and mean deviation.
    mean: Option<(Span, Span)>,
    timeout: Timeout,
}

impl Rfc6298 {
    fn new(config: RtoConfig) -> Self {
        Rfc6298 { mean: None, timeout: Timeout::new(config) }
    }
}

impl RtoPolicy for Rfc6298 {
    fn on_rtt(&mut self, sent: Time, now: Time) {
        let r = now - sent;
        let (srtt, rttvar) = match self.mean {
            // RFC 6298 §2 (2.2)
            None => (r, r / 2),
            // RFC 6298 §2 (2.3): the deviation first, from the old mean.
            Some((srtt, rttvar)) => {
                let error = srtt.max(r) - srtt.min(r);
                ((srtt * 7 + r) / 8, (rttvar * 3 + error) / 4)
            }
        };
        self.mean = Some((srtt, rttvar));
        let config = self.timeout.config;
        self.timeout.set((srtt + config.tick.max(rttvar * 4)).max(config.min));
    }

    fn on_backoff(&mut self) {
        self.timeout.double();
    }

    fn on_slow_handshake(&mut self) {
        self.timeout.after_slow_handshake();
    }

    fn timeout(&self) -> Span {
        self.timeout.now()
    }

    fn timeout_without_backoff(&self) -> Span {
        self.timeout.base
    }

    fn timeout_expecting(&self, extra: Span) -> Span {
        self.timeout.expecting(self.srtt(), extra)
    }

    fn srtt(&self) -> Option<Span> {
        self.mean.map(|(srtt, _)| srtt)
    }

    fn rttvar(&self) -> Option<Span> {
        self.mean.map(|(_, rttvar)| rttvar)
    }

    fn snapshot(&self) -> Box<dyn RtoPolicy> {
        Box::new(self.clone())
    }
}

/// ns-2's estimator: Jacobson's integer arithmetic on ticks, as `tcp.cc` of ns-2.35 behaves with its default flags.
#[derive(Clone, Debug)]
struct Ns2Ticks {
    config: RtoConfig,
    /// Smoothed round-trip time in eighths of a tick; zero stands for "take the next sample as it is".
    srtt8: i64,
    /// Mean deviation in quarters of a tick.
    rttvar4: i64,
    /// Without backoff and without the lower bound.
    rto: Span,
    backoff: u64,
}

impl Ns2Ticks {
    fn new(config: RtoConfig) -> Self {
        Ns2Ticks { config, srtt8: 0, rttvar4: 0, rto: config.initial, backoff: 1 }
    }

    /// The lower bound applies before the backoff, the floor of two ticks after everything else.
    fn bounded(&self, rto: Span, backoff: u64) -> Span {
        (rto.max(self.config.min).min(self.config.max) * backoff)
            .min(self.config.max)
            .max(self.config.tick * 2)
    }
}

impl RtoPolicy for Ns2Ticks {
    fn on_rtt(&mut self, sent: Time, now: Time) {
        let m = ticks_between(sent, now, self.config.tick).max(1) as i64;
        if self.srtt8 == 0 {
            self.srtt8 = m << 3;
            self.rttvar4 = m << 1;
        } else {
            // The shifts drop fractions of a tick, as they do there. Neither mean may reach zero.
            let error = m - (self.srtt8 >> 3);
            self.srtt8 = (self.srtt8 + error).max(1);
            self.rttvar4 = (self.rttvar4 + error.abs() - (self.rttvar4 >> 2)).max(1);
        }
        // srtt + 4 rttvar in whole ticks.
        self.rto = self.config.tick * (self.rttvar4 + (self.srtt8 >> 3)) as u64;
        self.backoff = 1;
    }

    fn on_backoff(&mut self) {
        if self.backoff < 64 || self.timeout() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
        // After the fourth timeout in a row the old mean is no longer believed, and the next sample starts afresh. The timeout itself
        // stays until then. (There the mean goes into the deviation first, which nothing reads before that sample replaces it.)
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

    fn timeout_expecting(&self, extra: Span) -> Span {
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

/// The estimator of Kounavis 1996: one gain for mean and deviation, samples in whole ticks of a coarse clock.
///
/// The paper prints the four lines of the update. The gain of 1/8, the first sample and the rounding are our choice.
#[derive(Clone, Debug)]
struct SingleGain {
    config: RtoConfig,
    /// Mean `a` and mean deviation `v`, in ticks.
    mean: Option<(f64, f64)>,
    backoff: u64,
}

impl SingleGain {
    const GAIN: f64 = 1.0 / 8.0;

    fn new(config: RtoConfig) -> Self {
        SingleGain { config, mean: None, backoff: 1 }
    }

    fn in_time(&self, ticks: f64) -> Span {
        Span::from_nanos((self.config.tick.nanos() as f64 * ticks + 0.5) as u64)
    }

    /// a + 4v in whole ticks.
    fn base(&self) -> Span {
        match self.mean {
            None => self.config.initial,
            Some((a, v)) => self.config.tick * (a + 4.0 * v).ceil() as u64,
        }
    }

    /// A coarse clock cannot time less than two ticks.
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

    fn timeout_expecting(&self, extra: Span) -> Span {
        let ticks =
            self.mean.map_or(0.0, |(a, _)| a) + extra.nanos() as f64 / self.config.tick.nanos() as f64 + 1.0;
        let late = self.config.tick * ticks.ceil() as u64;
        self.bounded(self.base().max(late), self.backoff)
    }

    fn srtt(&self) -> Option<Span> {
        self.mean.map(|(a, _)| self.in_time(a))
    }

    fn rttvar(&self) -> Option<Span> {
        self.mean.map(|(_, v)| self.in_time(v))
    }

    fn snapshot(&self) -> Box<dyn RtoPolicy> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(kind: RtoKind, min: u64, max: u64, initial: u64, tick: u64) -> RtoConfig {
        let ms = Span::from_millis;
        RtoConfig { kind, min: ms(min), max: ms(max), initial: ms(initial), tick: ms(tick) }
    }

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// One sample of `ms`, sent at time zero of the clock.
    fn sample(rto: &mut dyn RtoPolicy, ms: u64) {
        rto.on_rtt(at(0), at(ms * 1000));
    }

    fn ms(t: Span) -> f64 {
        t.millis_f64()
    }

    // RFC 6298 §2, by hand: samples 400, 480, 400 ms.
    #[test]
    fn rfc6298_means_and_bounds() {
        let mut rto = build(&config(RtoKind::Rfc6298, 1000, 60_000, 1000, 1));
        assert_eq!((ms(rto.timeout()), rto.srtt(), rto.rttvar()), (1000.0, None, None)); // (2.1)
        sample(&mut *rto, 400); // (2.2): srtt 400, rttvar 200, 400 + 800
        assert_eq!(ms(rto.timeout()), 1200.0);
        sample(&mut *rto, 480); // (2.3): rttvar (600 + 80)/4 = 170, srtt (2800 + 480)/8 = 410, 410 + 680
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (410.0, 170.0));
        assert_eq!(ms(rto.timeout()), 1090.0);
        sample(&mut *rto, 400); // rttvar (510 + 10)/4 = 130, srtt (2870 + 400)/8 = 408.75; 928.75 is under the bound
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (408.75, 130.0));
        assert_eq!(ms(rto.timeout()), 1000.0); // (2.4)
    }

    // RFC 6298 §2.3: the variance term is at least the clock granularity.
    #[test]
    fn rfc6298_steady_round_trips_keep_the_granularity() {
        let mut rto = build(&config(RtoKind::Rfc6298, 0, 60_000, 1000, 10));
        for _ in 0..100 {
            sample(&mut *rto, 50);
        }
        assert_eq!(ms(rto.timeout()), 60.0);
    }

    // RFC 6298 §5.5, §2.5 and §5.7.
    #[test]
    fn rfc6298_backoff() {
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

    // ns-2.35: integers in ticks of 10 ms. Samples 65, 85, 25 ms, all sent on a tick.
    #[test]
    fn ns2_integer_arithmetic() {
        let mut rto = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        assert_eq!(ms(rto.timeout()), 3000.0);
        sample(&mut *rto, 65); // 6 ticks: srtt8 48, rttvar4 12; 12 + 6 = 18 ticks
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (60.0, 30.0));
        assert_eq!(ms(rto.timeout()), 180.0);
        sample(&mut *rto, 85); // 8: error 2, srtt8 50, rttvar4 12 + 2 - 3 = 11; 11 + 50/8 = 17
        assert_eq!((ms(rto.srtt().unwrap()), ms(rto.rttvar().unwrap())), (62.5, 27.5));
        assert_eq!(ms(rto.timeout()), 170.0);
        sample(&mut *rto, 25); // 2: error -4, srtt8 46, rttvar4 11 + 4 - 2 = 13; 13 + 46/8 = 18
        assert_eq!(ms(rto.timeout()), 180.0);
    }

    // ns-2.35 measures from the tick before the sending time; a sample counts one tick at least.
    #[test]
    fn ns2_sees_the_phase_of_the_clock() {
        let mut early = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        early.on_rtt(at(100_000), at(169_000)); // 69 ms in phase 0: 6 ticks
        assert_eq!(ms(early.srtt().unwrap()), 60.0);
        let mut late = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        late.on_rtt(at(108_000), at(177_000)); // 69 ms in phase 8: (69 + 8)/10 = 7 ticks
        assert_eq!(ms(late.srtt().unwrap()), 70.0);
        let mut short = build(&config(RtoKind::Ns2, 0, 60_000, 3000, 10));
        short.on_rtt(at(101_000), at(102_000));
        assert_eq!(ms(short.srtt().unwrap()), 10.0);
        assert_eq!(ms(short.timeout()), 30.0); // 2 quarters of deviation, 4 of them: 2 + 1 ticks
    }

    // ns-2.35: the lower bound is doubled too; a backoff beyond 8 forgets the mean.
    #[test]
    fn ns2_backoff_and_its_quirk() {
        let mut rto = build(&config(RtoKind::Ns2, 200, 60_000, 3000, 10));
        sample(&mut *rto, 65); // 18 ticks, under the bound
        let mut waits = vec![ms(rto.timeout())];
        for _ in 0..3 {
            rto.on_backoff();
            waits.push(ms(rto.timeout()));
        }
        assert_eq!(waits, [200.0, 400.0, 800.0, 1600.0]);
        assert!(rto.srtt().is_some());
        rto.on_backoff(); // backoff 16: the mean is forgotten, the timeout is not
        assert_eq!((ms(rto.timeout()), rto.srtt()), (3200.0, None));
        for _ in 0..10 {
            rto.on_backoff();
        }
        assert_eq!(ms(rto.timeout()), 60_000.0);
        sample(&mut *rto, 105); // a first sample again: 10 + 20 ticks
        assert_eq!(ms(rto.timeout()), 300.0);
    }

    // tcp.cc, rtt_backoff(): the backoff is doubled up to 64, also where the timeout itself has long reached its bound: here 15 s, 30, 60,
    // and 60 from then on. So the mean is forgotten after the fourth timeout in a row, whatever the round trip.
    #[test]
    fn ns2_backs_off_beyond_the_bound() {
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

    // Kounavis 1996, the four printed lines, by hand in ticks of 100 ms: samples 4, 12, 4.
    #[test]
    fn single_gain_lines() {
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

    // A coarse clock cannot time less than two ticks.
    #[test]
    fn single_gain_floor() {
        let mut rto = build(&config(RtoKind::SingleGain, 0, 64_000, 3000, 100));
        // So many that the deviation vanishes beside a mean of one tick.
        for _ in 0..1000 {
            sample(&mut *rto, 10);
        }
        assert_eq!(ms(rto.timeout()), 200.0);
    }

    // Yun 2009 §4: what was frozen comes back whole, backoff and all.
    #[test]
    fn a_snapshot_is_independent() {
        for kind in [RtoKind::Rfc6298, RtoKind::Ns2, RtoKind::SingleGain, RtoKind::Linux] {
            let mut rto = build(&config(kind, 200, 60_000, 1000, 10));
            sample(&mut *rto, 300);
            rto.on_backoff();
            let frozen = rto.snapshot();
            let before = (rto.timeout(), rto.srtt(), rto.rttvar());
            sample(&mut *rto, 2000);
            rto.on_backoff();
            assert_ne!(rto.timeout(), before.0);
            assert_eq!((frozen.timeout(), frozen.srtt(), frozen.rttvar()), before);
        }
    }
}
