//! Propagation: received power as a function of distance, and the resulting ranges.
use crate::cell::RadioRange;
use std::f64::consts::PI;

/// Speed of light in m/s.
const SPEED_OF_LIGHT: f64 = 299_792_458.0;
/// Reference distance in metres. Shorter distances count as the reference distance: the far field begins
/// here, and two stations may have the same position.
const REFERENCE_METRES: f64 = 1.0;

/// Transmitter power, path loss, and receiver thresholds. Antennas have no gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathLossModel {
    /// Transmitted power in dBm.
    pub power_dbm: f64,
    /// Receive threshold in dBm: minimum power of a decodable frame.
    pub receive_threshold_dbm: f64,
    /// Carrier-sense threshold in dBm: minimum power at which the medium is busy.
    pub sense_threshold_dbm: f64,
    /// Carrier frequency in Hz.
    pub frequency_hz: f64,
    /// Height of all antennas above a ground that reflects the signal, in metres; `None` for free space.
    pub height_metres: Option<f64>,
    /// Capture ratio, as a linear ratio of powers. The first of two overlapping frames is received if the
    /// later signal is weaker by at least this ratio; see [`RadioRange::capture_ratio`].
    pub capture_ratio: f64,
}

/// Converts dB to a ratio of powers.
pub fn ratio_from_db(db: f64) -> f64 {
    libm::pow(10.0, db / 10.0)
}

impl PathLossModel {
    /// Returns the ranges at which the received power falls to the receive and carrier-sense thresholds.
    pub fn range(&self) -> RadioRange {
        let reach = |threshold| self.distance_at_loss(self.power_dbm - threshold);
        let (receive, sense) = (reach(self.receive_threshold_dbm), reach(self.sense_threshold_dbm));
        RadioRange {
            receive_metres: receive,
            sense_metres: sense,
            capture_ratio: self.capture_ratio,
            crossover_metres: self.crossover(),
        }
    }

    /// Returns the received power at the reference distance in dBm. This is the maximum received power.
    pub fn max_received_dbm(&self) -> f64 {
        self.power_dbm - 20.0 * libm::log10(4.0 * PI * REFERENCE_METRES / self.wavelength())
    }

    fn wavelength(&self) -> f64 {
        SPEED_OF_LIGHT / self.frequency_hz
    }

    /// Returns the crossover distance in metres. Beyond this distance, the reflection by the ground dominates
    /// (ns-2's two-ray ground model, after Rappaport, Wireless Communications, §4.6). Both laws yield the
    /// same power at this distance.
    fn crossover(&self) -> f64 {
        self.height_metres.map_or(f64::INFINITY, |height| 4.0 * PI * height * height / self.wavelength())
    }

    /// Returns the distance in metres at which the path loss is `loss` dB. The received fraction of the power
    /// is (λ / 4πd)² in free space (Friis 1946) and (h² / d²)² beyond the crossover distance.
    fn distance_at_loss(&self, loss: f64) -> f64 {
        let factor = libm::sqrt(ratio_from_db(loss));
        let free_space = factor * self.wavelength() / (4.0 * PI);
        match self.height_metres {
            Some(height) if free_space > self.crossover() => height * libm::sqrt(factor),
            _ => free_space,
        }
    }
}

impl RadioRange {
    /// Default capture ratio, 10 dB (ns-2's CPThresh_).
    pub const DEFAULT_CAPTURE_RATIO: f64 = 10.0;

    /// Creates the ranges of free space with the default capture ratio.
    pub fn free_space(receive: f64, sense: f64) -> Self {
        RadioRange {
            receive_metres: receive,
            sense_metres: sense,
            capture_ratio: Self::DEFAULT_CAPTURE_RATIO,
            crossover_metres: f64::INFINITY,
        }
    }

    /// Returns the received power at a distance, on a scale common to all distances. `square` is the square
    /// of the distance in m².
    pub(crate) fn relative_received_power(&self, square: f64) -> f64 {
        let square = square.max(REFERENCE_METRES * REFERENCE_METRES);
        (self.crossover_metres * self.crossover_metres / square).min(1.0) / square
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parameters of Cheng & Lin 2008 in ns-2: 0.28183815 W, 2.4 GHz, antennas at 1.5 m.
    const CHENG: PathLossModel = PathLossModel {
        power_dbm: 24.5,
        receive_threshold_dbm: 0.0,
        sense_threshold_dbm: 0.0,
        frequency_hz: 2.4e9,
        height_metres: Some(1.5),
        capture_ratio: RadioRange::DEFAULT_CAPTURE_RATIO,
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
        let range = |receive, sense, height| {
            PathLossModel {
                receive_threshold_dbm: receive,
                sense_threshold_dbm: sense,
                height_metres: height,
                ..CHENG
            }
            .range()
        };
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-9, "{a}, expected {b}");
        let free = range(friis(40.0), friis(500.0), None);
        near(free.receive_metres, 40.0);
        near(free.sense_metres, 500.0);
        assert_eq!(free.crossover_metres, f64::INFINITY);
        // The crossover distance of these antennas is 226 m, and all distances between stations in the paper
        // are shorter.
        let ground = range(friis(40.0), two_ray(500.0), Some(1.5));
        near(ground.receive_metres, 40.0);
        near(ground.sense_metres, 500.0);
        assert_eq!(ground.crossover_metres.round(), 226.0);
        near(friis(ground.crossover_metres), two_ray(ground.crossover_metres));
    }

    /// With 0.28183815 W at 914 MHz and antennas at 1.5 m, ns-2's default threshold 3.652e-10 W corresponds
    /// to 250 m, and 1.559e-11 W to 550 m.
    #[test]
    fn the_defaults_of_ns2_reach_250_and_550_metres() {
        let dbm = |watts: f64| 10.0 * (watts * 1e3).log10();
        let (power, receive, sense) = (dbm(0.281_838_15), dbm(3.652e-10), dbm(1.559e-11));
        let range = PathLossModel {
            power_dbm: power,
            receive_threshold_dbm: receive,
            sense_threshold_dbm: sense,
            frequency_hz: 914e6,
            ..CHENG
        }
        .range();
        assert!(
            (range.receive_metres - 250.0).abs() < 0.1 && (range.sense_metres - 550.0).abs() < 0.1,
            "{range:?}"
        );
    }

    #[test]
    fn power_falls_by_the_second_then_the_fourth_power() {
        let range = RadioRange { crossover_metres: 200.0, ..RadioRange::free_space(250.0, 550.0) };
        let ratio =
            |a: f64, b: f64| range.relative_received_power(a * a) / range.relative_received_power(b * b);
        assert_eq!(ratio(30.0, 60.0), 4.0);
        assert_eq!(ratio(100.0, 200.0), 4.0);
        assert_eq!(ratio(200.0, 400.0), 16.0);
        assert_eq!(ratio(100.0, 400.0), 64.0);
        assert_eq!(range.relative_received_power(0.0), range.relative_received_power(1.0));
        let free = RadioRange::free_space(40.0, 85.0);
        assert_eq!(free.relative_received_power(400.0 * 400.0), 1.0 / (400.0 * 400.0));
    }

    #[test]
    fn ten_decibels_are_ten_times_the_power() {
        assert_eq!([0.0, 10.0, 20.0].map(ratio_from_db), [1.0, RadioRange::DEFAULT_CAPTURE_RATIO, 100.0]);
    }

    #[test]
    fn a_threshold_above_the_power_at_1_m_has_a_range_below_1_m() {
        assert!((CHENG.max_received_dbm() - friis(1.0)).abs() < 1e-9);
        let at = |receive| PathLossModel { receive_threshold_dbm: receive, ..CHENG }.range().receive_metres;
        assert!(at(CHENG.max_received_dbm() - 1e-9) > 1.0 && at(CHENG.max_received_dbm() + 1e-9) < 1.0);
    }
}
