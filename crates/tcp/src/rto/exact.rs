//! The timeout of estimators that measure exact times: its backoff and its bounds.

use crate::config::RtoConfig;
use airhop_base::Span;

/// A timeout, and how often it was doubled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeout {
    pub config: RtoConfig,
    /// Without backoff.
    pub base: Span,
    backoff: u64,
}

impl Timeout {
    /// RFC 6298 §2 (2.1): until there is a sample.
    pub fn new(config: RtoConfig) -> Self {
        Timeout { config, base: config.initial, backoff: 1 }
    }

    /// A sample gave this timeout, to be bounded above (RFC 6298 §2 (2.5)); it ends the backoff.
    pub fn set(&mut self, base: Span) {
        self.base = base.min(self.config.max);
        self.backoff = 1;
    }

    /// RFC 6298 §5.5.
    pub fn double(&mut self) {
        if self.now() < self.config.max {
            self.backoff = self.backoff.saturating_mul(2);
        }
    }

    /// RFC 6298 §5.7: "the RTO MUST be re-initialized to 3 seconds when data transmission begins".
    pub fn after_slow_handshake(&mut self) {
        self.set(self.base.max(Span::from_secs(3)));
    }

    /// With backoff.
    pub fn now(&self) -> Span {
        self.backed_off(self.base)
    }

    /// With backoff, for a round trip that may take `extra` longer than the mean of `srtt`.
    pub fn expecting(&self, srtt: Option<Span>, extra: Span) -> Span {
        let late = srtt.unwrap_or(Span::ZERO) + extra + self.config.tick;
        self.backed_off(self.base.max(late))
    }

    fn backed_off(&self, base: Span) -> Span {
        (base.min(self.config.max) * self.backoff).min(self.config.max)
    }
}
