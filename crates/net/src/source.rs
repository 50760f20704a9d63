//! Source of the datagrams of a UDP flow.

use crate::plan::AppPlan;
use airhop_base::{Rate, Span};
use airhop_engine::Stream;

/// Source of datagrams.
#[derive(Debug)]
pub(crate) enum Source {
    /// Constant: one datagram per interval.
    Constant(Span),
    /// Bursts.
    OnOff(OnOff),
}

impl Source {
    /// Creates the source of an application with datagrams of `bytes` payload bytes; `None` if the
    /// application is for TCP.
    pub fn new(app: &AppPlan, bytes: u32, stream: Stream) -> Option<Self> {
        match *app {
            AppPlan::Bulk | AppPlan::Transfer { .. } => None,
            AppPlan::Cbr { rate } => Some(Source::Constant(rate.time_for(bytes))),
            AppPlan::ParetoOnOff { peak, on, off, shape } => {
                Some(Source::OnOff(OnOff::new(peak, bytes, [on, off], shape, stream)))
            }
        }
    }

    /// Returns the time until the next datagram.
    pub fn gap(&mut self) -> Span {
        match self {
            Source::Constant(interval) => *interval,
            Source::OnOff(source) => source.gap(),
        }
    }
}

/// Constant bit rate in on periods, no datagrams in off periods; both have a Pareto distribution, so that the
/// aggregate of many sources is self-similar (Willinger et al. 1997).
///
/// As in ns-2, except the end of a burst: ns-2 rounds bursts to integer numbers of packets, at least one.
/// Here the remainder of the last interval is carried over to the next burst, so that the mean rate is `peak
/// * on / (on + off)` for all periods.
#[derive(Debug)]
pub(crate) struct OnOff {
    /// Time between datagrams in on periods.
    interval: Span,
    on: Pareto,
    off: Pareto,
    /// Rest of the current burst.
    left: Span,
    stream: Stream,
}

impl OnOff {
    fn new(peak: Rate, bytes: u32, [on, off]: [Span; 2], shape: f64, mut stream: Stream) -> Self {
        let (on, off) = (Pareto::new(on, shape), Pareto::new(off, shape));
        OnOff { interval: peak.time_for(bytes), on, off, left: on.draw(&mut stream), stream }
    }

    fn gap(&mut self) -> Span {
        let mut due = self.interval;
        let mut gap = Span::ZERO;
        while self.left < due {
            gap = gap + self.left + self.off.draw(&mut self.stream);
            due = due - self.left;
            self.left = self.on.draw(&mut self.stream);
        }
        self.left = self.left - due;
        gap + due
    }
}

/// Pareto distribution: `P(X > x) = (scale / x)^shape` for `x >= scale`.
#[derive(Clone, Copy, Debug)]
struct Pareto {
    /// Scale, seconds.
    scale: f64,
    shape: f64,
}

/// Longest period, beyond any run, which truncates the infinite tail of the distribution.
const LONGEST_S: f64 = 1e6;

impl Pareto {
    /// Creates the distribution with this mean; `shape` must exceed 1, as otherwise no mean exists.
    fn new(mean: Span, shape: f64) -> Self {
        Pareto { scale: mean.secs_f64() * (shape - 1.0) / shape, shape }
    }

    /// Draws a variate by inversion from one uniform number.
    fn draw(&self, stream: &mut Stream) -> Span {
        let x = self.scale * libm::pow(1.0 - stream.uniform(), -1.0 / self.shape);
        Span::from_secs_f64(x.min(LONGEST_S))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::Streams;

    fn draws(mean_ms: u64, shape: f64, n: usize) -> Vec<f64> {
        let pareto = Pareto::new(Span::from_millis(mean_ms), shape);
        let mut stream = Streams::new(1, 0).stream("f.app");
        (0..n).map(|_| pareto.draw(&mut stream).secs_f64()).collect()
    }

    // P(X > x) = (scale / x)^shape: at 2, 8 and 64 times the scale. Binomial, five standard deviations.
    #[test]
    fn the_tail_is_that_of_the_distribution() {
        for shape in [1.2, 1.5, 2.0] {
            let draws = draws(400, shape, 200_000);
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

    // Hill 1975: the exponent from the k largest of n; its standard deviation is shape / sqrt(k).
    #[test]
    fn hills_estimator_finds_the_exponent() {
        for shape in [1.2, 1.5, 2.0] {
            let mut draws = draws(400, shape, 100_000);
            draws.sort_by(f64::total_cmp);
            let (k, threshold) = (2_000, draws[draws.len() - 2_001]);
            let mean = draws[draws.len() - k..].iter().map(|x| (x / threshold).ln()).sum::<f64>() / k as f64;
            let hill = 1.0 / mean;
            assert!((hill - shape).abs() < 5.0 * shape / (k as f64).sqrt(), "{hill}, expected {shape}");
        }
    }

    // The mean is a parameter. With shape 3 the variance is mean² / (shape (shape - 2)) = mean² / 3; five standard errors.
    #[test]
    fn the_mean_is_the_one_asked_for() {
        let mean = draws(400, 3.0, 100_000).iter().sum::<f64>() / 100_000.0;
        assert!((mean - 0.4).abs() < 5.0 * 0.4 / 300_000_f64.sqrt(), "{mean}");
    }

    #[test]
    fn a_source_that_is_never_off_is_constant() {
        let (peak, always) = (Rate::from_bps(8_000_000), [Span::from_millis(10), Span::ZERO]);
        let mut source = OnOff::new(peak, 1000, always, 1.5, Streams::new(1, 0).stream("f.app"));
        assert!((0..1000).all(|_| source.gap() == Span::from_millis(1)));
    }
}
