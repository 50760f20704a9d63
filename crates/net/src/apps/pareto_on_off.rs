//! Constant bit rate in bursts.

use super::{App, AppFlow, AppPlan, Carrier, Io, Opening};
use airhop_base::{Rate, Span, Time};
use airhop_engine::Stream;

/// Constant bit rate during on periods; on and off periods have Pareto distributions (UDP only).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParetoOnOff {
    /// Payload rate during on periods.
    pub peak: Rate,
    /// Mean of the on periods.
    pub on: Span,
    /// Mean of the off periods.
    pub off: Span,
    /// Tail exponent of both distributions, greater than 1.
    pub shape: f64,
}

impl AppPlan for ParetoOnOff {
    fn carrier(&self) -> Carrier {
        Carrier::Udp
    }

    fn open(&self, opening: &Opening) -> Box<dyn App> {
        let stream = opening.streams.stream(&format!("{}.app", opening.name));
        Box::new(OnOff::new(self, opening.datagram, stream))
    }

    fn mean_rate(&self) -> f64 {
        self.peak.bps() as f64 * self.on.secs_f64() / (self.on + self.off).secs_f64()
    }
}

/// Constant bit rate in on periods, no datagrams in off periods; both have a Pareto distribution, so that the
/// aggregate of many sources is self-similar (Willinger et al. 1997).
///
/// As in ns-2, except the end of a burst: ns-2 rounds bursts to integer numbers of packets, at least one.
/// Here the remainder of the last interval is carried over to the next burst, so that the mean rate is `peak
/// * on / (on + off)` for all periods.
#[derive(Debug)]
struct OnOff {
    /// Time between datagrams in on periods.
    interval: Span,
    on: Pareto,
    off: Pareto,
    /// Rest of the current burst.
    left: Span,
    stream: Stream,
    /// Time of the next datagram.
    due: Time,
}

impl OnOff {
    fn new(plan: &ParetoOnOff, bytes: u32, mut stream: Stream) -> Self {
        let (on, off) = (Pareto::new(plan.on, plan.shape), Pareto::new(plan.off, plan.shape));
        let left = on.draw(&mut stream);
        OnOff { interval: plan.peak.time_for(bytes), on, off, left, stream, due: Time::ZERO }
    }

    /// Returns the time until the next datagram.
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

impl App for OnOff {
    fn on_start(&mut self, now: Time, io: &mut Io) {
        self.on_due(now, io);
    }

    fn on_due(&mut self, now: Time, io: &mut Io) {
        io.send(AppFlow::PLANNED);
        self.due = now + self.gap();
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
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
        let (peak, on) = (Rate::from_bps(8_000_000), Span::from_millis(10));
        let plan = ParetoOnOff { peak, on, off: Span::ZERO, shape: 1.5 };
        let mut source = OnOff::new(&plan, 1000, Streams::new(1, 0).stream("f.app"));
        assert!((0..1000).all(|_| source.gap() == Span::from_millis(1)));
    }
}
