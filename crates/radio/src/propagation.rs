//! Propagation: received power as a function of distance, and the resulting ranges.
use crate::cell::Range;
use std::f64::consts::PI;

/// Speed of light in m/s.
const SPEED_OF_LIGHT: f64 = 299_792_458.0;
/// Reference distance in metres. Shorter distances count as the reference distance: the far field begins
/// here, and two stations may have the same position.
const NEAREST: f64 = 1.0;

/// Transmitter power, path loss, and receiver thresholds. Antennas have no gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    /// Transmitted power in dBm.
    pub power: f64,
    /// Receive threshold in dBm: minimum power of a decodable frame.
    pub receive: f64,
    /// Carrier-sense threshold in dBm: minimum power at which the medium is busy.
    pub sense: f64,
    /// Carrier frequency in Hz.
    pub frequency: f64,
    /// Height of all antennas above a ground that reflects the signal, in metres; `None` for free space.
    pub height: Option<f64>,
    /// Capture ratio, as a linear ratio of powers. The first of two overlapping frames is received if the
    /// later signal is weaker by at least this ratio; see [`Range::capture`].
    pub capture: f64,
}

/// Converts dB to a ratio of powers.
pub fn ratio(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

impl Propagation {
    /// Returns the ranges at which the received power falls to the receive and carrier-sense thresholds.
    pub fn range(&self) -> Range {
        let reach = |threshold| self.distance(self.power - threshold);
        let (receive, sense) = (reach(self.receive), reach(self.sense));
        Range { receive, sense, capture: self.capture, crossover: self.crossover() }
    }

    /// Returns the received power at the reference distance in dBm. This is the maximum received power.
    pub fn nearest(&self) -> f64 {
        self.power - 20.0 * libm::log10(4.0 * PI * NEAREST / self.wavelength())
    }

    fn wavelength(&self) -> f64 {
        SPEED_OF_LIGHT / self.frequency
    }

    /// Returns the crossover distance in metres. Beyond this distance, the reflection by the ground dominates
    /// (ns-2's two-ray ground model, after Rappaport, Wireless Communications, §4.6). Both laws yield the
    /// same power at this distance.
    fn crossover(&self) -> f64 {
        self.height.map_or(f64::INFINITY, |height| 4.0 * PI * height * height / self.wavelength())
    }

    /// Returns the distance in metres at which the path loss is `loss` dB. The received fraction of the power
    /// is (λ / 4πd)² in free space (Friis 1946) and (h² / d²)² beyond the crossover distance.
    fn distance(&self, loss: f64) -> f64 {
        let factor = libm::sqrt(ratio(loss));
        let free_space = factor * self.wavelength() / (4.0 * PI);
        match self.height {
            Some(height) if free_space > self.crossover() => height * libm::sqrt(factor),
            _ => free_space,
        }
    }
}

impl Range {
    /// Default capture ratio, 10 dB (ns-2's CPThresh_).
    pub const CAPTURE: f64 = 10.0;

    /// Creates the ranges of free space with the default capture ratio.
    pub fn free_space(receive: f64, sense: f64) -> Self {
        Range { receive, sense, capture: Self::CAPTURE, crossover: f64::INFINITY }
    }

    /// Returns the received power at a distance, on a scale common to all distances. `square` is the square
    /// of the distance in m².
    pub(crate) fn power(&self, square: f64) -> f64 {
        let square = square.max(NEAREST * NEAREST);
        (self.crossover * self.crossover / square).min(1.0) / square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters of Cheng & Lin 2008 in ns-2: 0.28183815 W, 2.4 GHz, antennas at 1.5 m.
    const CHENG: Propagation = Propagation {
        power: 24.5,
        receive: 0.0,
        sense: 0.0,
        frequency: 2.4e9,
        height: Some(1.5),
        capture: Range::CAPTURE,
    };

    /// Returns the received power in dBm by the Friis formula for free space. `two_ray` uses P h⁴ / d⁴ beyond
    /// the crossover distance.
    fn friis(d: f64) -> f64 {
        24.5 + 20.0 * (SPEED_OF_LIGHT / 2.4e9 / (4.0 * PI * d)).log10()
    }
    fn two_ray(d: f64) -> f64 {
        24.5 + 40.0 * (1.5 / d).log10()
    }

    #[test]
    fn the_received_power_at_the_range_is_the_threshold() {
        let range = |receive, sense, height| Propagation { receive, sense, height, ..CHENG }.range();
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a}, expected {b}");
        let free = range(friis(40.0), friis(500.0), None);
        near(free.receive, 40.0);
        near(free.sense, 500.0);
        assert_eq!(free.crossover, f64::INFINITY);
        // The crossover distance of these antennas is 226 m, and all distances between stations in the paper
        // are shorter.
        let ground = range(friis(40.0), two_ray(500.0), Some(1.5));
        near(ground.receive, 40.0);
        near(ground.sense, 500.0);
        assert_eq!(ground.crossover.round(), 226.0);
        near(friis(ground.crossover), two_ray(ground.crossover));
    }

    /// With 0.28183815 W at 914 MHz and antennas at 1.5 m, ns-2's default threshold 3.652e-10 W corresponds
    /// to 250 m, and 1.559e-11 W to 550 m.
    #[test]
    fn the_defaults_of_ns2_reach_250_and_550_metres() {
        let dbm = |watts: f64| 10.0 * (watts * 1e3).log10();
        let (power, receive, sense) = (dbm(0.281_838_15), dbm(3.652e-10), dbm(1.559e-11));
        let range = Propagation { power, receive, sense, frequency: 914e6, ..CHENG }.range();
        assert!((range.receive - 250.0).abs() < 0.1 && (range.sense - 550.0).abs() < 0.1, "{range:?}");
    }

    #[test]
    fn power_falls_by_the_second_then_the_fourth_power() {
        let range = Range { crossover: 200.0, ..Range::free_space(250.0, 550.0) };
        let ratio = |a: f64, b: f64| range.power(a * a) / range.power(b * b);
        assert_eq!(ratio(30.0, 60.0), 4.0);
        assert_eq!(ratio(100.0, 200.0), 4.0);
        assert_eq!(ratio(200.0, 400.0), 16.0);
        assert_eq!(ratio(100.0, 400.0), 64.0);
        assert_eq!(range.power(0.0), range.power(1.0));
        let free = Range::free_space(40.0, 85.0);
        assert_eq!(free.power(400.0 * 400.0), 1.0 / (400.0 * 400.0));
    }

    #[test]
    fn ten_decibels_are_ten_times_the_power() {
        assert_eq!([0.0, 10.0, 20.0].map(ratio), [1.0, Range::CAPTURE, 100.0]);
    }

    #[test]
    fn a_threshold_above_the_power_at_1_m_has_a_range_below_1_m() {
        assert!((CHENG.nearest() - friis(1.0)).abs() < 1e-9);
        let at = |receive| Propagation { receive, ..CHENG }.range().receive;
        assert!(at(CHENG.nearest() - 1e-9) > 1.0 && at(CHENG.nearest() + 1e-9) < 1.0);
    }
}
