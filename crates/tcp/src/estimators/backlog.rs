use super::min_with_sample;
use crate::seams::Ack;
use airhop_base::Span;

/// Backlog: number of a sender's own segments queued on the path (Brakmo and Peterson 1994). With window W,
/// the backlog is (W/BaseRTT - W/RTT) · BaseRTT = W (1 - BaseRTT/RTT).
#[derive(Debug, Default)]
pub struct Backlog {
    least: Option<Span>,
    latest: Option<Span>,
}

impl Backlog {
    /// Processes the RTT sample of an ACK. An ACK without a sample has no effect.
    pub fn on_ack(&mut self, a: &Ack) {
        if let Some(sample) = a.newest_rtt {
            self.latest = Some(sample);
            self.least = min_with_sample(self.least, sample);
        }
    }

    /// Returns the minimum RTT so far, an estimate of the RTT without queues; `None` before the first sample.
    pub fn base_rtt(&self) -> Option<Span> {
        self.least
    }

    /// Returns the number of own segments queued at the last sample, for a window of `window` segments;
    /// `None` before the first sample.
    pub fn queued_segments(&self, window: f64) -> Option<f64> {
        Some(queued_segments(window, self.least?, self.latest?))
    }
}

/// Returns the number of queued segments for a window of `window` segments, an RTT of `rtt`, and an RTT of
/// `base` without queues.
pub fn queued_segments(window: f64, base: Span, rtt: Span) -> f64 {
    window * (1.0 - base.secs_f64() / rtt.secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;

    // Koo et al. 2007, equation 2: with 20 segments, an RTT of 100 ms, and 60 ms without queues, 20 (1 - 0.6)
    // = 8 segments are queued.
    #[test]
    fn queued_segments_exceed_the_pipe() {
        let ack =
            |ms| Ack { newest_rtt: Some(Span::from_millis(ms)), ..Ack::with_acked_bytes(Time::ZERO, 1000) };
        let mut b = Backlog::default();
        assert_eq!(b.queued_segments(20.0), None);
        b.on_ack(&ack(60));
        assert_eq!(b.queued_segments(20.0), Some(0.0), "the path is assumed to be empty at first");
        b.on_ack(&ack(100));
        assert!((b.queued_segments(20.0).expect("samples") - 8.0).abs() < 1e-12);
        assert_eq!(b.base_rtt(), Some(Span::from_millis(60)));
    }
}
