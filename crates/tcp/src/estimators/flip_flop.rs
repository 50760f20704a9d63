use airhop_base::Span;

/// Weight of a sample in the agile mean. In the stable mean and the moving range, weight of the previous
/// value (Kim and Noble 2001).
const AGILE_MEAN_WEIGHT: f64 = 0.9;
/// Constant d2 of control charts: expected range of two samples of a normal distribution, in standard
/// deviations.
const D2: f64 = 1.128;

/// Flip-flop filter with an agile and a stable mean of RTT samples (Kim and Noble 2001). The estimate is the
/// agile mean while samples are within three standard deviations of the stable mean, as on a control chart.
/// Otherwise, the estimate is the stable mean.
#[derive(Debug, Default)]
pub struct FlipFlop {
    means: Option<Means>,
    /// Number of samples. `outliers` has one bit for each of the last 64 samples, with the newest in bit 0.
    /// The bit is set if the sample was outside the limits.
    samples: u32,
    outliers: u64,
}

/// Agile and stable mean of the RTT in seconds.
#[derive(Clone, Copy, Debug)]
struct Means {
    agile: f64,
    stable: f64,
    /// Moving range in seconds: mean absolute difference of successive samples.
    range: f64,
    previous: f64,
}

impl FlipFlop {
    /// Adds an RTT sample.
    pub fn on_sample(&mut self, rtt: Span) {
        let x = rtt.secs_f64();
        let m = match self.means {
            None => Means { agile: x, stable: x, range: 0.0, previous: x },
            Some(m) => {
                let step = (x - m.previous).abs();
                // The range is unknown before the second sample.
                let range = if self.samples == 1 {
                    step
                } else {
                    AGILE_MEAN_WEIGHT * m.range + (1.0 - AGILE_MEAN_WEIGHT) * step
                };
                // This form of the formula keeps the means exact while all samples are equal. The limits are
                // then zero, so a rounding error would count as an outlier.
                let agile = m.agile + AGILE_MEAN_WEIGHT * (x - m.agile);
                let stable = m.stable + (1.0 - AGILE_MEAN_WEIGHT) * (x - m.stable);
                Means { agile, stable, range, previous: x }
            }
        };
        let is_outlier = (x - m.stable).abs() > 3.0 * m.range / D2;
        self.means = Some(m);
        self.samples = self.samples.saturating_add(1);
        self.outliers = self.outliers << 1 | u64::from(is_outlier);
    }

    /// Returns the RTT estimate in seconds; `None` before the first sample. The estimate is the agile mean if
    /// the last sample is within the limits, otherwise the stable mean.
    pub fn rtt_secs(&self) -> Option<f64> {
        self.means.map(|m| if self.outliers & 1 == 0 { m.agile } else { m.stable })
    }

    /// Returns the number of outliers among the last `l` samples (at most 64); `None` if there are fewer
    /// samples.
    pub fn outliers(&self, l: u32) -> Option<u32> {
        (self.samples >= l).then(|| (self.outliers << 64u32.saturating_sub(l).min(63)).count_ones())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(samples: &[u64]) -> FlipFlop {
        let mut filter = FlipFlop::default();
        samples.iter().for_each(|&ms| filter.on_sample(Span::from_millis(ms)));
        filter
    }

    // Samples that alternate between 100 and 102 ms have a range of 2 ms, so the limits are 5.3 ms around the
    // stable mean. No sample is outside the limits, and the estimate is the agile mean: nearly 0.1 · 100 +
    // 0.9 · 102.
    #[test]
    fn within_the_limits_the_estimate_is_the_agile_mean() {
        let filter = fed(&[100, 102].repeat(20));
        assert_eq!(filter.outliers(40), Some(0));
        // x = 0.1 y + 0.9 · 102 with y = 0.1 x + 0.9 · 100: x = 101.8182.
        assert!((filter.rtt_secs().unwrap() - 0.101_818_18).abs() < 1e-7, "{filter:?}");
    }

    // The RTT increases by d. After n samples the stable mean is below the RTT by 0.9^n d, and the range is
    // 0.1 · 0.9^(n-1) d. The difference is 9 ranges and the limit 2.66 ranges, so every sample is an outlier
    // while the RTT stays at the new value.
    #[test]
    fn an_rtt_step_is_an_outlier_while_it_lasts() {
        let mut samples = vec![100; 20];
        samples.extend([150; 20]);
        let filter = fed(&samples);
        assert_eq!((filter.outliers(20), filter.outliers(40)), (Some(20), Some(20)));
        let stable = 0.150 - 0.050 * 0.9f64.powi(20);
        assert!((filter.rtt_secs().unwrap() - stable).abs() < 1e-9, "{filter:?}");
    }

    // A single increase by d is an outlier (0.9 d against 0.266 d). At the next sample the stable mean
    // exceeds the old RTT by 0.09 d. The range includes the second change and is 0.19 d, so the sample is
    // within the limits.
    #[test]
    fn an_rtt_spike_is_one_outlier() {
        let mut samples = vec![100; 20];
        samples.extend([150, 100, 100]);
        let filter = fed(&samples);
        assert_eq!((filter.outliers(23), filter.outliers(2)), (Some(1), Some(0)));
        assert_eq!(filter.outliers(24), None, "only 23 samples");
    }
}
