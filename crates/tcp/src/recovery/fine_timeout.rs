//! Fine-grained retransmission timeout of Vegas.

use airhop_base::Span;

/// Jacobson's mean and deviation of exact RTT samples. The timeout is (mean + 2 deviations) · 17/16, as in
/// the Arizona code.
#[derive(Debug, Default)]
pub(super) struct FineTimeout {
    /// Mean and mean deviation of the RTT in seconds; `None` before the first sample.
    mean: Option<(f64, f64)>,
    /// Timeout in seconds; `None` before the first RTT sample.
    pub timeout_secs: Option<f64>,
}

impl FineTimeout {
    pub fn on_rtt(&mut self, rtt: Span) {
        let rtt = rtt.secs_f64();
        let (mean, deviation) = match self.mean {
            None => (rtt, rtt / 4.0),
            Some((mean, deviation)) => {
                (mean + (rtt - mean) / 8.0, deviation + ((rtt - mean).abs() - deviation) / 4.0)
            }
        };
        self.mean = Some((mean, deviation));
        self.timeout_secs = Some((mean + 2.0 * deviation) * 17.0 / 16.0);
    }

    /// Records a retransmission. The timeout grows by one eighth until the next sample. If the segment was
    /// already retransmitted (`again`), the timeout doubles.
    pub fn back_off(&mut self, again: bool) {
        self.timeout_secs = self.timeout_secs.map(|t| t * if again { 2.0 } else { 9.0 / 8.0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Computed by hand. Samples of 80 and 160 ms: mean 80, deviation 20, timeout 120 * 17/16 = 127.5 ms; then
    // mean 80 + 80/8 = 90, deviation 20 + (80 - 20)/4 = 35, timeout 160 * 17/16 = 170 ms. A retransmission
    // multiplies the timeout by 9/8, and a second retransmission of the same segment doubles it. The next
    // sample equals the mean and ends the backoff: 90 + 2 * (35 - 35/4) = 142.5.
    #[test]
    fn the_fine_grained_timeout_follows_mean_and_deviation() {
        let mut timeout = FineTimeout::default();
        let mut after = |step: &dyn Fn(&mut FineTimeout)| {
            step(&mut timeout);
            timeout.timeout_secs.map(|t| (t * 1e6).round())
        };
        assert_eq!(after(&|t| t.back_off(true)), None, "no sample yet");
        assert_eq!(after(&|t| t.on_rtt(Span::from_millis(80))), Some(127_500.0));
        assert_eq!(after(&|t| t.on_rtt(Span::from_millis(160))), Some(170_000.0));
        assert_eq!(after(&|t| t.back_off(false)), Some(191_250.0));
        assert_eq!(after(&|t| t.back_off(true)), Some(382_500.0));
        assert_eq!(
            after(&|t| t.on_rtt(Span::from_millis(90))),
            Some((142.5 * 17.0 / 16.0 * 1e3_f64).round())
        );
    }
}
