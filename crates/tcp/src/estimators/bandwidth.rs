//! Westwood's estimators of a flow's arrival rate in bytes per second.

use airhop_base::{Span, Time};

/// Filter for rate samples in bytes per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RateFilter {
    /// estimate = keep · estimate + (1 - keep) · sample.
    Exponential {
        /// Weight of the previous estimate.
        keep: f64,
    },
    /// Tustin (bilinear) form of a first-order low-pass filter for equidistant samples: estimate = keep ·
    /// estimate + take · (sample + previous sample).
    Bilinear {
        /// Weight of the previous estimate.
        keep: f64,
        /// Weight of the sum of two samples.
        take: f64,
    },
    /// Tustin form for samples at any interval D: [(2τ - D) · estimate + D · (sample + previous sample)] /
    /// (2τ + D). Without ACKs, a zero sample is added every τ/2 (Casetti et al. 2001, §2.2).
    Tustin {
        /// Time constant τ of the filter. The cutoff frequency is 1/τ.
        tau: Span,
    },
}

/// Minimum interval of a rate sample. Time without ACKs is divided into intervals of τ/2. A shorter remainder
/// is added to the last interval.
const SHORTEST_REMAINDER: Span = Span::from_millis(10);

/// Westwood's estimator (Casetti et al. 2001). Each ACK yields one sample: the counted bytes divided by the
/// time since the previous ACK.
#[derive(Debug)]
pub struct WestwoodEstimator {
    smoothing: RateFilter,
    /// Time of the last sample; before the first sample, the start of the connection.
    last: Time,
    /// Bytes acknowledged at the time of the last sample, but after the sample. The next sample includes
    /// these bytes, because a rate needs a positive interval.
    left: f64,
    sample: f64,
    rate: f64,
}

impl WestwoodEstimator {
    /// Creates the estimator with a rate of zero at time zero, as UCLA's modules do.
    pub fn new(smoothing: RateFilter) -> Self {
        WestwoodEstimator { smoothing, last: Time::ZERO, left: 0.0, sample: 0.0, rate: 0.0 }
    }

    /// Processes an ACK that counts for `bytes` bytes.
    pub fn on_ack(&mut self, now: Time, bytes: f64) {
        if now == self.last {
            self.left += bytes;
            return;
        }
        let bytes = bytes + std::mem::take(&mut self.left);
        let mut gap = now - self.last;
        self.last = now;
        match self.smoothing {
            RateFilter::Exponential { keep } => {
                let sample = bytes / gap.secs_f64();
                self.rate = keep * self.rate + (1.0 - keep) * sample;
            }
            RateFilter::Bilinear { keep, take } => {
                let sample = bytes / gap.secs_f64();
                self.rate = keep * self.rate + take * (sample + self.sample);
                self.sample = sample;
            }
            RateFilter::Tustin { tau } => {
                let step = tau / 2;
                let mut silent = gap.whole_multiples(step);
                gap = gap - step * silent;
                if silent > 0 && gap < SHORTEST_REMAINDER {
                    (gap, silent) = (step, silent - 1);
                }
                (0..silent).for_each(|_| self.tustin(tau, step, 0.0));
                self.tustin(tau, gap, bytes / gap.secs_f64());
            }
        }
    }

    fn tustin(&mut self, tau: Span, gap: Span, sample: f64) {
        let (twice, gap) = (2.0 * tau.secs_f64(), gap.secs_f64());
        self.rate = ((twice - gap) * self.rate + gap * (sample + self.sample)) / (twice + gap);
        self.sample = sample;
    }

    /// Returns the estimate in bytes per second.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate
    }
}

/// Westwood+'s estimator (Grieco and Mascolo 2004): one sample per round trip, so bunched ACKs do not raise
/// the estimate.
#[derive(Debug)]
pub struct WestwoodPlusEstimator {
    stages: WestwoodPlusFilter,
    began: Option<Time>,
    bytes: f64,
    /// Previous sample, or the output of the first filter stage if there are two.
    first: f64,
    rate: Option<f64>,
}

/// Low-pass filters of the Westwood+ implementations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WestwoodPlusFilter {
    /// Linux: two exponential stages. The previous value has weight 7/8.
    Linux,
    /// Paper: one exponential stage. The previous value has weight 0.9.
    Paper,
    /// ns-3: one exponential stage over the mean of two samples, starting at zero. The previous value has
    /// weight 0.9.
    Ns3,
}

/// Minimum interval of a rate sample (Linux).
const MIN_ROUND_INTERVAL: Span = Span::from_millis(50);

impl WestwoodPlusEstimator {
    /// Creates the estimator. The first interval starts with the first ACK.
    pub fn new(stages: WestwoodPlusFilter) -> Self {
        WestwoodPlusEstimator { stages, began: None, bytes: 0.0, first: 0.0, rate: None }
    }

    /// Processes an ACK that counts for `bytes` bytes. `rtt` is the current RTT.
    pub fn on_ack(&mut self, now: Time, bytes: f64, rtt: Span) {
        let began = *self.began.get_or_insert(now);
        if now - began > rtt.max(MIN_ROUND_INTERVAL) {
            let sample = std::mem::take(&mut self.bytes) / (now - began).secs_f64();
            self.add(sample);
            self.began = Some(now);
        }
        self.bytes += bytes;
    }

    fn add(&mut self, sample: f64) {
        let beginning = (self.stages == WestwoodPlusFilter::Ns3).then_some(0.0);
        let Some(rate) = self.rate.or(beginning) else {
            (self.first, self.rate) = (sample, Some(sample));
            return;
        };
        let mix = |keep: f64, old: f64, new: f64| keep * old + (1.0 - keep) * new;
        self.rate = Some(match self.stages {
            WestwoodPlusFilter::Linux => {
                self.first = mix(7.0 / 8.0, self.first, sample);
                mix(7.0 / 8.0, rate, self.first)
            }
            WestwoodPlusFilter::Paper => mix(0.9, rate, sample),
            WestwoodPlusFilter::Ns3 => {
                let former = std::mem::replace(&mut self.first, sample);
                mix(0.9, rate, (sample + former) / 2.0)
            }
        });
    }

    /// Returns the estimate in bytes per second; zero before the first sample.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate.unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAU: Span = Span::from_secs(1);
    const FILTERS: [RateFilter; 4] = [
        RateFilter::Tustin { tau: TAU },
        RateFilter::Exponential { keep: 0.9 },
        RateFilter::Bilinear { keep: 0.9047, take: 0.04765 },
        RateFilter::Bilinear { keep: 0.93548, take: 0.03226 },
    ];

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Acknowledges 1000 bytes every 10 ms from `from` to `to`, exclusive.
    fn feed(e: &mut WestwoodEstimator, from: u64, to: u64) {
        (from..to).step_by(10).for_each(|ms| e.on_ack(at(ms), 1000.0));
    }

    // The filter has a gain of one: ACKs at a constant rate yield that rate, 100 kB/s.
    #[test]
    fn a_constant_ack_rate_is_the_bandwidth_estimate() {
        for smoothing in FILTERS {
            let mut e = WestwoodEstimator::new(smoothing);
            feed(&mut e, 10, 20_000);
            assert!(
                (e.bytes_per_second() / 1e5 - 1.0).abs() < 1e-3,
                "{smoothing:?}: {}",
                e.bytes_per_second()
            );
        }
        for stages in [WestwoodPlusFilter::Linux, WestwoodPlusFilter::Paper, WestwoodPlusFilter::Ns3] {
            let mut e = WestwoodPlusEstimator::new(stages);
            (0..20_000).step_by(10).for_each(|ms| e.on_ack(at(ms), 1000.0, Span::from_millis(100)));
            assert!((e.bytes_per_second() / 1e5 - 1.0).abs() < 1e-3, "{stages:?}: {}", e.bytes_per_second());
        }
    }

    // The Tustin form with D = 10 ms and τ = 1 s has the pole p = (2τ - D)/(2τ + D) = 199/201. The first
    // sample follows a sample of zero, and adds D/(2τ + D) = (1 - p)/2 of the step. Each further sample
    // multiplies the error by p. After k samples the error is p^(k-1) (1 + p)/2: after τ it is 1/e, up to two
    // samples.
    #[test]
    fn the_tustin_filter_has_its_step_response() {
        let mut e = WestwoodEstimator::new(RateFilter::Tustin { tau: TAU });
        feed(&mut e, 10, 1010);
        let p: f64 = 199.0 / 201.0;
        let expected = 1.0 - p.powi(99) * f64::midpoint(1.0, p);
        assert!((e.bytes_per_second() / 1e5 - expected).abs() < 1e-9, "{} {expected}", e.bytes_per_second());
        assert!((expected - (1.0 - (-1.0f64).exp())).abs() < 0.005);
    }

    // UCLA's module: without ACKs, a zero sample every τ/2 multiplies the estimate by 3/5, and the first zero
    // sample also adds 1/5 of the previous sample. An ACK that arrives less than 10 ms after a zero sample
    // replaces that sample. At 1505 ms there are three samples, the third of 1000 B in 500 ms.
    #[test]
    fn zero_samples_decay_the_estimate_without_acks() {
        let mut e = WestwoodEstimator::new(RateFilter::Tustin { tau: TAU });
        feed(&mut e, 10, 10_000);
        let before = e.bytes_per_second();
        e.on_ack(at(9_990 + 1505), 1000.0);
        let silent = (0.6 * before + 0.2 * 1e5) * 0.6;
        assert!(
            (e.bytes_per_second() - (0.6 * silent + 0.2 * 2000.0)).abs() < 1e-6,
            "{}",
            e.bytes_per_second()
        );
        // After three zero samples, 1000 B arrive in a remainder of 100 ms, or of just 10 ms.
        let silent = silent * 0.6;
        for remainder in [100, 10] {
            let mut e = WestwoodEstimator::new(RateFilter::Tustin { tau: TAU });
            feed(&mut e, 10, 10_000);
            e.on_ack(at(9_990 + 1500 + remainder), 1000.0);
            let gap = remainder as f64 / 1e3;
            let expected = ((2.0 - gap) * silent + 1000.0) / (2.0 + gap);
            assert!((e.bytes_per_second() - expected).abs() < 1e-6, "{} {expected}", e.bytes_per_second());
        }
    }

    // ACKs that arrive at the same time form one sample, over the time since the previous ACK: 2000 B per 20
    // ms.
    #[test]
    fn simultaneous_acks_form_one_bandwidth_sample() {
        let mut e = WestwoodEstimator::new(RateFilter::Exponential { keep: 0.5 });
        for k in 1..=20 {
            e.on_ack(at(20 * k), 500.0);
            e.on_ack(at(20 * k), 1500.0);
        }
        assert!((e.bytes_per_second() / 1e5 - 1.0).abs() < 1e-5, "{}", e.bytes_per_second());
    }

    // Computed by hand: rounds of 100 ms with 10 and then 20 segments. The ACK that ends a round counts for
    // the next round. Linux after the second round: ns = 7/8 · 100 + 1/8 · 200 = 112.5 kB/s, estimate 7/8 ·
    // 100 + 1/8 · 112.5 = 101.5625.
    #[test]
    fn linux_westwood_takes_one_sample_per_round() {
        let after = |stages, bytes: [f64; 3]| {
            let mut e = WestwoodPlusEstimator::new(stages);
            let rtt = Span::from_millis(99);
            (0..3).for_each(|k| e.on_ack(at(100 * k), bytes[k as usize], rtt));
            e.on_ack(at(300), 0.0, rtt);
            e.bytes_per_second()
        };
        assert_eq!(
            after(WestwoodPlusFilter::Linux, [1e4, 2e4, 2e4]),
            7.0 / 8.0 * 101_562.5 + 1.0 / 8.0 * 123_437.5
        );
        assert!((after(WestwoodPlusFilter::Paper, [1e4, 1e4, 2e4]) - 110_000.0).abs() < 1e-6);
        // ns-3's filter starts at zero. Means of 50, 100 and 150 kB/s yield 5, 0.9 · 5 + 10 = 14.5, and 0.9 ·
        // 14.5 + 15 = 28.05.
        assert!((after(WestwoodPlusFilter::Ns3, [1e4, 1e4, 2e4]) - 28_050.0).abs() < 1e-6);
    }

    // Linux computes a sample once both 50 ms and a round trip have passed, from all data acknowledged until
    // then.
    #[test]
    fn rounds_below_50_ms_are_merged_into_one_sample() {
        let mut e = WestwoodPlusEstimator::new(WestwoodPlusFilter::Linux);
        (0..=5).for_each(|k| e.on_ack(at(10 * k), 1000.0, Span::from_millis(20)));
        assert_eq!(e.bytes_per_second(), 0.0);
        e.on_ack(at(60), 1000.0, Span::from_millis(20));
        assert_eq!(e.bytes_per_second(), 6000.0 / 0.06);
    }
}
