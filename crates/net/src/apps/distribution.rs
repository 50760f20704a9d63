//! Distributions of sizes and times. Each variate is computed from one uniform number by inversion.

use airhop_base::Span;
use airhop_engine::RandomStream;
use std::sync::Arc;

/// Distribution of a size in bytes or of a time in seconds.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Constant value.
    Constant(f64),
    /// Exponential distribution.
    Exponential {
        /// Mean in bytes or seconds.
        mean: f64,
    },
    /// Lognormal distribution: the natural logarithm of the variate is normal.
    Lognormal {
        /// Median in bytes or seconds.
        median: f64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Pareto distribution: `P(X > x) = (scale / x)^shape` for `x >= scale = mean (shape - 1) / shape`.
    Pareto {
        /// Mean in bytes or seconds.
        mean: f64,
        /// Tail exponent. The mean is finite only above 1.
        shape: f64,
    },
    /// Distribution that interpolates measured points.
    Empirical(Arc<Cdf>),
}

/// Cumulative distribution function, linear between its points (value, P(X <= value)).
#[derive(Clone, Debug, PartialEq)]
pub struct Cdf(Vec<(f64, f64)>);

impl Cdf {
    /// Creates the function through these points. The probability of the first point is the probability of
    /// exactly that value. The probability of the last point is 1.
    ///
    /// # Errors
    /// Returns the index of an invalid point and the expected value. A point is invalid if its value or
    /// probability is out of range, or below that of the previous point.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Cdf, (usize, &'static str)> {
        let Some(last) = points.len().checked_sub(1) else { return Err((0, "at least one point")) };
        let mut before = (0.0, 0.0);
        for (place, &(value, probability)) in points.iter().enumerate() {
            if !(before.0..f64::INFINITY).contains(&value) {
                return Err((place, "a value of at least 0, and of at least the one before"));
            }
            if !(before.1..=1.0).contains(&probability) {
                return Err((place, "a probability of at most 1, and of at least the one before"));
            }
            before = (value, probability);
        }
        match before.1 {
            1.0 => Ok(Cdf(points)),
            _ => Err((last, "the probability 1 of the last point")),
        }
    }

    /// Returns the quantile of the probability `u`, in [0, 1).
    fn quantile(&self, u: f64) -> f64 {
        let above = self.0.partition_point(|&(_, probability)| probability <= u).min(self.0.len() - 1);
        let (value, probability) = self.0[above];
        match above.checked_sub(1).map(|below| self.0[below]) {
            Some((from, least)) if probability > u => {
                from + (value - from) * (u - least) / (probability - least)
            }
            _ => value,
        }
    }
}

/// Maximum size in bytes.
const MAX_SIZE_BYTES: f64 = u32::MAX as f64;
/// Maximum time in seconds, longer than any run.
const MAX_TIME_S: f64 = 1e6;

impl Distribution {
    /// Draws a size in bytes, at least one byte and at most [`MAX_SIZE_BYTES`].
    pub(super) fn draw_size(&self, stream: &mut RandomStream) -> u64 {
        libm::round(self.draw(MAX_SIZE_BYTES, stream)).max(1.0) as u64
    }

    /// Draws a time. Parameters and the limit [`MAX_TIME_S`] are in seconds.
    pub(super) fn draw_time(&self, stream: &mut RandomStream) -> Span {
        Span::from_secs_f64(self.draw(MAX_TIME_S, stream))
    }

    /// Draws a variate, limited to `most`.
    pub fn draw(&self, most: f64, stream: &mut RandomStream) -> f64 {
        self.quantile(stream.uniform()).min(most)
    }

    /// Returns the quantile of the probability `u`, in [0, 1). A constant ignores `u`, but the caller draws a
    /// random number all the same.
    fn quantile(&self, u: f64) -> f64 {
        match *self {
            Distribution::Empirical(ref cdf) => cdf.quantile(u),
            Distribution::Constant(value) => value,
            Distribution::Exponential { mean } => -mean * libm::log(1.0 - u),
            Distribution::Lognormal { median, sigma } => median * libm::exp(sigma * normal_quantile(u)),
            Distribution::Pareto { mean, shape } => {
                mean * (shape - 1.0) / shape * libm::pow(1.0 - u, -1.0 / shape)
            }
        }
    }
}

/// Smallest tail probability of a variate: half of the spacing of the uniform numbers.
const MIN_TAIL_PROBABILITY: f64 = f64::EPSILON / 4.0;

/// Returns the quantile of the standard normal distribution (Abramowitz and Stegun 1964, equation 26.2.23),
/// refined with Newton's method.
fn normal_quantile(u: f64) -> f64 {
    let tail = u.min(1.0 - u).max(MIN_TAIL_PROBABILITY);
    let t = libm::sqrt(-2.0 * libm::log(tail));
    let above = 2.515517 + t * (0.802853 + t * 0.010328);
    let below = 1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308));
    let mut x = t - above / below;
    for _ in 0..3 {
        let density = libm::exp(-0.5 * x * x) / libm::sqrt(2.0 * std::f64::consts::PI);
        x += (0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2) - tail) / density;
    }
    if u < 0.5 { -x } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::RandomStreams;

    fn draws(of: Distribution, n: usize) -> Vec<f64> {
        let mut stream = RandomStreams::new(1, 0).stream("f.app");
        (0..n).map(|_| of.draw(f64::INFINITY, &mut stream)).collect()
    }

    // P(X > x) = (scale / x)^shape, at 2, 8 and 64 times the scale. The count is binomial; the tolerance is
    // five standard deviations.
    #[test]
    fn pareto_draws_have_the_tail_of_the_distribution() {
        for shape in [1.2, 1.5, 2.0] {
            let draws = draws(Distribution::Pareto { mean: 0.4, shape }, 200_000);
            let scale = 0.4 * (shape - 1.0) / shape;
            assert!(draws.iter().all(|&x| x >= scale - 1e-9));
            for times in [2.0_f64, 8.0, 64.0] {
                let p = times.powf(-shape);
                let beyond = draws.iter().filter(|&&x| x > times * scale).count() as f64 / 200_000.0;
                assert!(
                    (beyond - p).abs() < 5.0 * (p / 200_000.0).sqrt(),
                    "{shape}: {beyond} beyond {times}"
                );
            }
        }
    }

    // Hill 1975: the k largest of n variates yield an estimate of the tail exponent, with a standard
    // deviation of shape / sqrt(k).
    #[test]
    fn hills_estimator_returns_the_pareto_exponent() {
        for shape in [1.2, 1.5, 2.0] {
            let mut draws = draws(Distribution::Pareto { mean: 0.4, shape }, 100_000);
            draws.sort_by(f64::total_cmp);
            let (k, threshold) = (2_000, draws[draws.len() - 2_001]);
            let mean = draws[draws.len() - k..].iter().map(|x| (x / threshold).ln()).sum::<f64>() / k as f64;
            let hill = 1.0 / mean;
            assert!((hill - shape).abs() < 5.0 * shape / (k as f64).sqrt(), "{hill}, expected {shape}");
        }
    }

    // The mean of the variates is the parameter, within five standard errors. Variances: Pareto with shape 3,
    // mean² / (shape (shape - 2)); exponential, mean²; lognormal, mean² (exp(sigma²) - 1) for a mean of
    // median exp(sigma² / 2).
    #[test]
    fn draws_have_the_configured_mean() {
        let median = 0.4 / (0.5 * 0.36_f64).exp();
        for (of, variance) in [
            (Distribution::Pareto { mean: 0.4, shape: 3.0 }, 1.0 / 3.0),
            (Distribution::Exponential { mean: 0.4 }, 1.0),
            (Distribution::Lognormal { median, sigma: 0.6 }, 0.36_f64.exp() - 1.0),
            (Distribution::Constant(0.4), 0.0),
        ] {
            let mean = draws(of.clone(), 100_000).iter().sum::<f64>() / 100_000.0;
            let error = 0.4 * (variance / 100_000.0_f64).sqrt();
            assert!((mean - 0.4).abs() <= 5.0 * error + 1e-12, "{of:?}: {mean}");
        }
    }

    // Quantiles of the normal distribution agree with printed tables, and are symmetric.
    #[test]
    fn normal_quantiles_equal_printed_tables() {
        for (u, x) in [
            (0.5, 0.0),
            (0.9, 1.2815515655446004),
            (0.975, 1.959963984540054),
            (0.99, 2.3263478740408408),
            (0.9999, 3.719016485455709),
            (1e-9, -5.997807015007687),
        ] {
            assert!((normal_quantile(u) - x).abs() < 1e-9, "{u}: {}", normal_quantile(u));
            assert!((normal_quantile(1.0 - u) + x).abs() < 1e-7, "{u}");
        }
        assert!(normal_quantile(0.0) < -8.0 && normal_quantile(0.0).is_finite());
    }

    // A function with the probability 0.2 at 10, uniform up to 20 and from there to 100. Quantiles are
    // computed by hand. The mean is 0.2 * 10 + 0.3 * 15 + 0.5 * 60, within five standard errors.
    #[test]
    fn an_empirical_distribution_passes_through_its_points() {
        let cdf = Cdf::new(vec![(10.0, 0.2), (20.0, 0.5), (100.0, 1.0)]).unwrap();
        for (u, x) in [(0.0, 10.0), (0.19, 10.0), (0.2, 10.0), (0.35, 15.0), (0.5, 20.0), (0.75, 60.0)] {
            assert!((cdf.quantile(u) - x).abs() < 1e-9, "{u}: {}", cdf.quantile(u));
        }
        assert!(cdf.quantile(1.0 - f64::EPSILON) <= 100.0);
        let mean = draws(Distribution::Empirical(Arc::new(cdf)), 100_000).iter().sum::<f64>() / 1e5;
        assert!((mean - 36.5).abs() < 5.0 * 30.0 / 1e5_f64.sqrt(), "{mean}");
        // A function with a step at one value, and a function with a single point.
        let step = Cdf::new(vec![(0.0, 0.0), (5.0, 0.0), (5.0, 0.5), (9.0, 1.0)]).unwrap();
        assert_eq!((step.quantile(0.0), step.quantile(0.25), step.quantile(0.75)), (5.0, 5.0, 7.0));
        assert_eq!(Cdf::new(vec![(3.0, 1.0)]).unwrap().quantile(0.5), 3.0);
    }

    #[test]
    fn points_that_define_no_distribution_are_refused() {
        let place = |points: &[(f64, f64)]| Cdf::new(points.into()).err().map(|(place, _)| place);
        assert_eq!(place(&[]), Some(0));
        assert_eq!(place(&[(1.0, 0.5), (0.5, 1.0)]), Some(1), "a value falls");
        assert_eq!(place(&[(1.0, 0.5), (2.0, 0.4), (3.0, 1.0)]), Some(1), "a probability falls");
        assert_eq!(place(&[(1.0, 0.5), (2.0, 1.1)]), Some(1));
        assert_eq!(place(&[(1.0, 0.5), (2.0, 0.9)]), Some(1), "the last is not 1");
        assert_eq!(place(&[(f64::NAN, 1.0)]), Some(0));
        assert_eq!(place(&[(1.0, f64::NAN)]), Some(0));
        assert_eq!(place(&[(f64::INFINITY, 1.0)]), Some(0));
    }

    #[test]
    fn a_variate_is_truncated_at_its_limit() {
        let mut stream = RandomStreams::new(1, 0).stream("f.app");
        let of = Distribution::Exponential { mean: 1.0 };
        let draws: Vec<f64> = (0..1000).map(|_| of.draw(0.5, &mut stream)).collect();
        assert!(draws.iter().all(|&x| x <= 0.5) && draws.contains(&0.5));
    }
}
