//! Distributions of the time in a state.

/// Distribution of the time in a state, with mean m. Each variate is computed from one uniform number by
/// inversion of the distribution function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sojourn {
    /// Exponential (Bakshi et al. 1997).
    #[default]
    Exponential,
    /// Uniform from 0 to 2m: the "uniformal distributions" of Kounavis 1996, which states no bounds.
    Uniform,
    /// Uniform from m/2 to 3m/2.
    UniformHalf,
    /// Constant, m.
    Constant,
}

impl Sojourn {
    /// Distributions, with their names.
    pub const ALL: [(&str, Sojourn); 4] = [
        ("exponential", Sojourn::Exponential),
        ("uniform", Sojourn::Uniform),
        ("uniform-half", Sojourn::UniformHalf),
        ("constant", Sojourn::Constant),
    ];

    /// Returns h of a distribution that is uniform from (1 - h) m to (1 + h) m; `None` for other
    /// distributions.
    fn half_width(self) -> Option<f64> {
        match self {
            Sojourn::Exponential => None,
            Sojourn::Uniform => Some(1.0),
            Sojourn::UniformHalf => Some(0.5),
            Sojourn::Constant => Some(0.0),
        }
    }

    /// Returns the duration of a full stay in a state, drawn by the uniform number `u` in [0, 1). The unit is
    /// that of `mean`.
    pub(super) fn duration(self, mean: f64, u: f64) -> f64 {
        match self.half_width() {
            None => -mean * libm::log1p(-u),
            Some(h) => mean * (1.0 - h + 2.0 * h * u),
        }
    }

    /// Returns the remaining duration of a stay at an arbitrary time, drawn by the uniform number `u` in [0,
    /// 1). The unit is that of `mean`.
    ///
    /// The equilibrium distribution of a renewal process (Cox 1962, Renewal Theory, chapter 5) has the
    /// density (1 - F(x)) / m. For the exponential distribution the residual is the same exponential. A
    /// uniform distribution extends from a = (1 - h) m to b = (1 + h) m. Its equilibrium distribution
    /// function is G(x) = x / m up to a, where G(a) = 1 - h. Beyond a, with 1 - F(x) = (b - x) / (b - a),
    ///
    /// 1 - G(x) = ∫ from x to b of (b - t) / ((b - a) m) dt = (b - x)² / (4 h m²),
    ///
    /// so that x = u m below 1 - h, and x = b - 2 m √(h (1 - u)) from there on.
    pub(super) fn residual(self, mean: f64, u: f64) -> f64 {
        match self.half_width() {
            None => self.duration(mean, u),
            Some(h) if u < 1.0 - h => u * mean,
            Some(h) => mean * (1.0 + h - 2.0 * (h * (1.0 - u)).sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::RandomStreams;

    const MEAN: f64 = 4.0;
    const N: usize = 40_000;

    /// Returns `N` variates in ascending order.
    fn sample(variate: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let mut stream = RandomStreams::new(1, 0).stream("sojourns");
        let mut all: Vec<f64> = (0..N).map(|_| variate(MEAN, stream.uniform())).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    /// Returns the distribution function F, computed from the definition of the distribution.
    fn whole(sojourn: Sojourn, x: f64) -> f64 {
        let between = |a: f64, b: f64| ((x - a) / (b - a)).clamp(0.0, 1.0);
        match sojourn {
            Sojourn::Exponential => 1.0 - (-x / MEAN).exp(),
            Sojourn::Uniform => between(0.0, 2.0 * MEAN),
            Sojourn::UniformHalf => between(0.5 * MEAN, 1.5 * MEAN),
            Sojourn::Constant => f64::from(u8::from(x >= MEAN)),
        }
    }

    /// Returns the equilibrium distribution: its density 1 - F, integrated by the midpoint rule in steps of m
    /// / 10000.
    fn equilibrium(sojourn: Sojourn) -> impl Fn(f64) -> f64 {
        let step = MEAN / 10_000.0;
        let mut below = vec![0.0];
        for i in 0..200_000 {
            let density = (1.0 - whole(sojourn, (f64::from(i) + 0.5) * step)) / MEAN;
            below.push(below[i as usize] + density * step);
        }
        move |x| below[((x / step) as usize).min(below.len() - 1)]
    }

    /// Kolmogorov-Smirnov test: the largest distance, times √n, exceeds 2.23 by chance once in 10 000 cases.
    fn follows(sorted: &[f64], law: impl Fn(f64) -> f64, what: &str) {
        let n = sorted.len() as f64;
        let distance = |(i, x): (usize, &f64)| {
            let p = law(*x);
            (p - i as f64 / n).abs().max((p - (i + 1) as f64 / n).abs())
        };
        let greatest = sorted.iter().enumerate().map(distance).fold(0.0, f64::max);
        assert!(greatest * n.sqrt() < 2.23, "{what}: {greatest}");
    }

    #[test]
    fn sojourn_times_have_their_distribution_and_mean() {
        // Variances of the distributions: m², (2m)²/12, m²/12 and 0, here divided by m².
        for ((name, sojourn), variance) in Sojourn::ALL.into_iter().zip([1.0, 1.0 / 3.0, 1.0 / 12.0, 0.0]) {
            let sorted = sample(|mean, u| sojourn.duration(mean, u));
            let mean = sorted.iter().sum::<f64>() / N as f64;
            let deviation = (variance * MEAN * MEAN).sqrt();
            // The tolerance of the mean is five standard deviations, at which a correct program fails once in
            // 1.7 million cases. The relative standard deviation of a variance is at most √(8/n), that of the
            // exponential distribution.
            assert!((mean - MEAN).abs() <= 5.0 * deviation / (N as f64).sqrt(), "{name}: {mean}");
            let measured = sorted.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / N as f64;
            assert!(
                (measured - deviation.powi(2)).abs() <= 5.0 * deviation.powi(2) * (8.0 / N as f64).sqrt(),
                "{name}: {measured}"
            );
            match sojourn {
                Sojourn::Constant => assert!(sorted.iter().all(|x| *x == MEAN)),
                _ => follows(&sorted, |x| whole(sojourn, x), name),
            }
        }
    }

    #[test]
    fn residual_sojourn_times_have_the_equilibrium_distribution() {
        for (name, sojourn) in Sojourn::ALL {
            let sorted = sample(|mean, u| sojourn.residual(mean, u));
            follows(&sorted, equilibrium(sojourn), name);
            // E(residual) = E(X²) / 2m (Cox 1962, chapter 5).
            let mean = sorted.iter().sum::<f64>() / N as f64;
            let expect = MEAN
                * match sojourn {
                    Sojourn::Exponential => 1.0,
                    Sojourn::Uniform => 2.0 / 3.0,
                    Sojourn::UniformHalf => 13.0 / 24.0,
                    Sojourn::Constant => 0.5,
                };
            // The standard deviation of a residual is at most m, that of the exponential distribution.
            assert!((mean - expect).abs() < 5.0 * MEAN / (N as f64).sqrt(), "{name}: {mean}");
        }
    }

    /// A residual is at most as long as the longest stay, and never negative.
    #[test]
    fn extreme_uniform_numbers_yield_valid_residual_times() {
        let last = 1.0 - f64::EPSILON / 2.0;
        for (name, sojourn) in Sojourn::ALL {
            for u in [0.0, 0.5, last] {
                let [whole, left] = [sojourn.duration(1.0, u), sojourn.residual(1.0, u)];
                assert!(whole >= 0.0 && left >= 0.0 && whole.is_finite() && left.is_finite(), "{name} {u}");
                assert!(left <= sojourn.duration(1.0, last), "{name} {u}");
            }
        }
    }
}
