//! Retransmission timeout, computed from RTT samples.
//!
//! The sender implements the timer and Karn's rule (no sample from a segment that was sent twice). There are
//! four estimators: RFC 6298, ns-2's integer ticks, the single-gain estimator of Kounavis 1996, and Linux'.

mod exact;
mod linux;
mod ns2;
mod rfc6298;
mod single_gain;

use crate::config::{RtoConfig, RtoKind};
use airhop_base::{Span, Time};
use exact::ExactRto;
use linux::LinuxRto;
use ns2::Ns2Rto;
use rfc6298::Rfc6298;
use single_gain::SingleGain;
use std::fmt::Debug;

/// Estimator of the retransmission timeout.
pub trait RtoPolicy: Debug + Send {
    /// Adds the unambiguous RTT sample of a segment sent at `sent` and acknowledged at `now`. Ends the
    /// backoff.
    fn on_rtt(&mut self, sent: Time, now: Time);

    /// Adds an RTT sample in ns-2's Agent/TCP/Linux, where every ACK yields a sample from an echoed
    /// timestamp. `ends_backoff` is true if the ACK covers a segment first sent after the timer expired.
    fn on_rtt_of_each_ack(&mut self, sent: Time, now: Time, ends_backoff: bool) {
        let _ = ends_backoff;
        self.on_rtt(sent, now);
    }

    /// Doubles the timeout when the timer expires (RFC 6298 §5.5).
    fn on_backoff(&mut self);

    /// Resets the timeout at the first data after a retransmitted SYN (RFC 6298 §5.7).
    fn on_slow_handshake(&mut self) {}

    /// Returns the timeout of a timer that starts now. Includes backoff and the configured bounds.
    fn timeout(&self) -> Span;

    /// Returns the timeout without backoff: a + 4v for mean a and deviation v.
    fn timeout_without_backoff(&self) -> Span;

    /// Returns the timeout for a round trip that may take `extra` longer: max(a + 4v, a + extra + G) for mean
    /// a, deviation v and clock granularity G. Includes backoff and the configured bounds. The mean counts as
    /// 0 before the first sample.
    fn timeout_with_extra_delay(&self, extra: Span) -> Span;

    /// Returns the smoothed RTT; `None` before the first sample.
    fn srtt(&self) -> Option<Span>;

    /// Returns the mean deviation of the RTT; `None` before the first sample.
    fn rttvar(&self) -> Option<Span>;

    /// Returns a copy of the whole state. A frozen sender keeps "all the TCP-related parameters" (Yun 2009
    /// §4) and restores this copy later.
    fn snapshot(&self) -> Box<dyn RtoPolicy>;
}

/// Creates the estimator that `c` selects.
pub fn build(c: &RtoConfig) -> Box<dyn RtoPolicy> {
    match c.kind {
        RtoKind::Rfc6298 => Box::new(ExactRto::<Rfc6298>::new(*c)),
        RtoKind::Ns2 => Box::new(Ns2Rto::new(*c)),
        RtoKind::SingleGain => Box::new(SingleGain::new(*c)),
        RtoKind::Linux => Box::new(ExactRto::<LinuxRto>::new(*c)),
    }
}

/// Returns the number of clock ticks between two times. The phase of `sent` within a tick makes an RTT sample
/// up to one tick too long or too short.
fn ticks_between(sent: Time, now: Time, tick: Span) -> u64 {
    let reading = |t: Time| t.since(Time::ZERO).whole_multiples(tick);
    reading(now) - reading(sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn config(kind: RtoKind, min: u64, max: u64, initial: u64, tick: u64) -> RtoConfig {
        let ms = Span::from_millis;
        RtoConfig { kind, min: ms(min), max: ms(max), initial: ms(initial), tick: ms(tick) }
    }

    pub fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// Adds a sample of `ms` milliseconds for a segment sent at time zero.
    pub fn sample(rto: &mut dyn RtoPolicy, ms: u64) {
        rto.on_rtt(at(0), at(ms * 1000));
    }

    pub fn ms(t: Span) -> f64 {
        t.millis_f64()
    }

    // Yun 2009 §4: the estimator of a frozen sender is restored completely, including the backoff.
    #[test]
    fn an_rto_snapshot_is_independent_of_its_original() {
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
