//! Link budget: received power and SNR by distance.

/// Density of thermal noise at 290 K, dBm/Hz.
const NOISE_DENSITY: f64 = -174.0;
/// Reference distance of the path loss in metres. A shorter distance counts as this distance, because
/// stations may have equal positions.
const REFERENCE_METRES: f64 = 1.0;

/// Transmitted power, log-distance path loss, and noise. Antennas have no gain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkBudget {
    /// Transmitted power of all spatial streams together, dBm.
    pub power_dbm: f64,
    /// Noise figure of the receiver, dB.
    pub noise_figure_db: f64,
    /// Path loss at 1 m, dB.
    pub reference_loss_db: f64,
    /// Path loss exponent. The loss grows by the exponent times 10 dB per decade of distance.
    pub exponent: f64,
    /// True if the spatial streams share the transmitted power; false if each stream has the whole power, as
    /// in ns-3.
    pub splits_power: bool,
    /// Minimum received power of a frame that the receiver detects, dBm; `None` without a limit.
    pub min_rssi_dbm: Option<f64>,
}

impl LinkBudget {
    /// Returns the received power of all streams together in dBm. The path loss is PL(d) = PL(1 m) + 10 γ
    /// log10(d / 1 m) (Rappaport, Wireless Communications, §4.9).
    pub fn rssi_dbm(&self, metres: f64) -> f64 {
        self.power_dbm
            - self.reference_loss_db
            - 10.0 * self.exponent * libm::log10(metres.max(REFERENCE_METRES))
    }

    /// Returns the SNR per spatial stream and subcarrier in dB.
    pub fn snr_db(&self, metres: f64, width_mhz: u32, streams: u8) -> f64 {
        let noise = NOISE_DENSITY + 10.0 * libm::log10(f64::from(width_mhz) * 1e6) + self.noise_figure_db;
        let split = if self.splits_power { 10.0 * libm::log10(f64::from(streams)) } else { 0.0 };
        self.rssi_dbm(metres) - noise - split
    }

    /// True if a receiver at this distance detects frames.
    pub fn detects(&self, metres: f64) -> bool {
        self.min_rssi_dbm.is_none_or(|least| self.rssi_dbm(metres) >= least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUDGET: LinkBudget = LinkBudget {
        power_dbm: 16.0206,
        noise_figure_db: 7.0,
        reference_loss_db: 46.6777,
        exponent: 3.0,
        splits_power: true,
        min_rssi_dbm: Some(-82.0),
    };

    /// Values computed by hand: the noise is -94.0 dBm at 20 MHz and -88.0 dBm at 80 MHz. The SNR at distance
    /// d is 57.3 - 30 log10(d) dB at 80 MHz, and 6 dB more at 20 MHz.
    #[test]
    fn snr_falls_by_thirty_db_per_decade_of_distance() {
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 0.05, "{got}, not {expected}");
        near(BUDGET.snr_db(1.0, 80, 1), 57.3);
        near(BUDGET.snr_db(10.0, 80, 1), 27.3);
        near(BUDGET.snr_db(30.0, 20, 1), 63.35 - 44.31);
        near(BUDGET.snr_db(30.0, 20, 4), 63.35 - 44.31 - 6.02);
        near(LinkBudget { splits_power: false, ..BUDGET }.snr_db(30.0, 20, 4), 63.35 - 44.31);
        assert_eq!(BUDGET.snr_db(0.0, 20, 1), BUDGET.snr_db(1.0, 20, 1));
    }

    /// ns-3 detects preambles down to -82 dBm. This is the received power at 51.4 m.
    #[test]
    fn a_minimum_power_ends_the_range() {
        assert!(BUDGET.detects(51.3) && !BUDGET.detects(51.5));
        assert!(LinkBudget { min_rssi_dbm: None, ..BUDGET }.detects(1e6));
    }
}
