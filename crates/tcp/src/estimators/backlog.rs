use super::least;
use crate::seams::Ack;
use airhop_base::Span;

/// Number of a sender's own segments that are queued on the path (Brakmo and Peterson 1994): with window W, (W/BaseRTT - W/RTT) · BaseRTT = W (1
/// - BaseRTT/RTT).
#[derive(Debug, Default)]
pub struct Backlog {
    least: Option<Span>,
    latest: Option<Span>,
}

impl Backlog {
    /// Adds the round-trip sample of an ACK, if the ACK has one.
    pub fn on_ack(&mut self, a: &Ack) {
        if let Some(sample) = a.sample {
            self.latest = Some(sample);
            self.least = least(self.least, sample);
        }
    }

    /// Returns the smallest round trip so far: the time of the empty path.
    pub fn base(&self) -> Option<Span> {
        self.least
    }

    /// Segments queued at the last sample, with a window of `window` segments; nothing without a sample.
    pub fn segments(&self, window: f64) -> Option<f64> {
        Some(queued(window, self.least?, self.latest?))
    }
}

/// Segments of a window of `window` segments that wait in queues, if the empty path takes `base` and now it takes `rtt`.
pub fn queued(window: f64, base: Span, rtt: Span) -> f64 {
    window * (1.0 - base.secs_f64() / rtt.secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;

    // Koo et al. 2007, equation 2: 20 segments in 100 ms where the empty path takes 60: 20 (1 - 0.6) = 8 are queued.
    #[test]
    fn queued_segments_are_what_the_pipe_cannot_hold() {
        let ack = |ms| Ack { sample: Some(Span::from_millis(ms)), ..Ack::of(Time::ZERO, 1000) };
        let mut b = Backlog::default();
        assert_eq!(b.segments(20.0), None);
        b.on_ack(&ack(60));
        assert_eq!(b.segments(20.0), Some(0.0), "the path is taken to be empty at first");
        b.on_ack(&ack(100));
        assert!((b.segments(20.0).expect("samples") - 8.0).abs() < 1e-12);
        assert_eq!(b.base(), Some(Span::from_millis(60)));
    }
}
