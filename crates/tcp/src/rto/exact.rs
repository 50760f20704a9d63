//! Estimators from exact times. All share the backoff and bounds of RFC 6298, and differ in mean and
//! deviation.

use super::RtoPolicy;
use crate::config::RtoConfig;
use airhop_base::{Span, Time};
use std::fmt::Debug;

/// Mean and deviation of the RTT. A sample is the RTT of a segment sent at `sent` and acknowledged at `now`.
pub(super) trait RttEstimate: Copy + Debug + Send + 'static {
    /// Returns mean and deviation after the first sample.
    fn from_first_sample(sent: Time, now: Time, config: &RtoConfig) -> Self;

    /// Returns mean and deviation after a further sample.
    fn with_sample(self, sent: Time, now: Time, config: &RtoConfig) -> Self;

    /// Returns the timeout before backoff and before the upper bound.
    fn timeout(&self, config: &RtoConfig) -> Span;

    /// Returns the smoothed RTT.
    fn srtt(&self) -> Span;

    /// Returns the mean deviation of the RTT.
    fn rttvar(&self) -> Span;
}

/// Estimator whose mean and deviation are computed by `E`.
#[derive(Clone, Debug)]
pub(super) struct ExactRto<E> {
    /// Mean and deviation of the RTT; `None` before the first sample.
    estimate: Option<E>,
    timeout: BackedOffTimeout,
}

impl<E> ExactRto<E> {
    pub fn new(config: RtoConfig) -> Self {
        ExactRto { estimate: None, timeout: BackedOffTimeout::new(config) }
    }
}

impl<E: RttEstimate> RtoPolicy for ExactRto<E> {
    fn on_rtt(&mut self, sent: Time, now: Time) {
        let config = &self.timeout.config;
        let estimate = match self.estimate {
            None => E::from_first_sample(sent, now, config),
            Some(estimate) => estimate.with_sample(sent, now, config),
        };
        let timeout = estimate.timeout(config);
        self.estimate = Some(estimate);
        self.timeout.set(timeout);
    }

    fn on_backoff(&mut self) {
        self.timeout.double();
    }

    fn on_slow_handshake(&mut self) {
        self.timeout.reset_after_slow_handshake();
    }

    fn timeout(&self) -> Span {
        self.timeout.current_timeout()
    }

    fn timeout_without_backoff(&self) -> Span {
        self.timeout.base
    }

    fn timeout_with_extra_delay(&self, extra: Span) -> Span {
        self.timeout.timeout_with_extra_delay(self.srtt(), extra)
    }

    fn srtt(&self) -> Option<Span> {
        self.estimate.map(|estimate| estimate.srtt())
    }

    fn rttvar(&self) -> Option<Span> {
        self.estimate.map(|estimate| estimate.rttvar())
    }

    fn snapshot(&self) -> Box<dyn RtoPolicy> {
        Box::new(self.clone())
    }
}

/// Timeout, and the number of times it was doubled.
#[derive(Clone, Copy, Debug)]
struct BackedOffTimeout {
    config: RtoConfig,
    /// Timeout without backoff.
    base: Span,
    backoff: u64,
}

impl BackedOffTimeout {
    /// Creates the initial timeout of RFC 6298 §2 (2.1), for use before the first sample.
    fn new(config: RtoConfig) -> Self {
        BackedOffTimeout { config, base: config.initial, backoff: 1 }
    }

    /// Sets the timeout after a sample, limited to the upper bound (RFC 6298 §2 (2.5)), and ends the backoff.
    fn set(&mut self, base: Span) {
        self.base = base.min(self.config.max);
        self.backoff = 1;
    }

    /// Doubles the timeout (RFC 6298 §5.5).
    fn double(&mut self) {
        if self.current_timeout() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
    }

    /// Resets the timeout at the first data after a retransmitted SYN. RFC 6298 §5.7: "the RTO MUST be
    /// re-initialized to 3 seconds when data transmission begins".
    fn reset_after_slow_handshake(&mut self) {
        self.set(self.base.max(Span::from_secs(3)));
    }

    /// Returns the timeout with backoff.
    fn current_timeout(&self) -> Span {
        self.backed_off(self.base)
    }

    /// Returns the timeout, with backoff, for a round trip that may exceed `srtt` by `extra`.
    fn timeout_with_extra_delay(&self, srtt: Option<Span>, extra: Span) -> Span {
        let late = srtt.unwrap_or(Span::ZERO) + extra + self.config.tick;
        self.backed_off(self.base.max(late))
    }

    fn backed_off(&self, base: Span) -> Span {
        (base.min(self.config.max) * self.backoff).min(self.config.max)
    }
}
