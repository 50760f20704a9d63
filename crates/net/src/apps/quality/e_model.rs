//! E-model of ITU-T G.107 (06/2015): rating of a call from its delay and its losses.
//!
//! R = R0 - Is - Id - Ie,eff + A. The parameters of telephones and rooms have their default values (G.107
//! §7.7), so R0 - Is = 93.2. The advantage factor A is 0. Echo is cancelled, so Id equals Idd, the impairment
//! of the absolute delay.

/// Value of R0 - Is with the default parameters (G.107 §7.7).
const DEFAULT_RATING: f64 = 93.2;
/// Minimum perceivable delay mT in ms. The default of G.107 (Table 1) for a delay sensitivity sT = 1.
const MIN_PERCEIVABLE_MS: f64 = 100.0;

/// Maximum impairment of a codec, at 100 % loss. Long loss bursts are outside the validity of G.107, and are
/// limited to this value.
const MAX_IMPAIRMENT: f64 = 95.0;

/// Parameters of a codec in the E-model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Codec {
    /// Equipment impairment factor Ie.
    pub ie: f64,
    /// Packet-loss robustness factor Bpl in percent.
    pub bpl: f64,
}

impl Codec {
    /// Returns the effective equipment impairment factor Ie,eff (G.107 §7.5). `ppl`: packet loss in percent;
    /// `burst_ratio`: BurstR, at least 1 in G.107.
    pub fn impairment(&self, ppl: f64, burst_ratio: f64) -> f64 {
        let impairment = self.ie + (MAX_IMPAIRMENT - self.ie) * ppl / (ppl / burst_ratio.max(1.0) + self.bpl);
        impairment.min(MAX_IMPAIRMENT)
    }
}

/// Returns the impairment Idd of a mouth-to-ear delay in ms (G.107 §7.4).
pub fn delay_impairment(mouth_to_ear_ms: f64) -> f64 {
    if mouth_to_ear_ms <= MIN_PERCEIVABLE_MS {
        return 0.0;
    }
    let x = libm::log2(mouth_to_ear_ms / MIN_PERCEIVABLE_MS);
    let root = |x: f64| libm::pow(1.0 + libm::pow(x, 6.0), 1.0 / 6.0);
    25.0 * (root(x) - 3.0 * root(x / 3.0) + 2.0)
}

/// Returns the transmission rating factor R, 0 to 100.
pub fn rating(delay_impairment: f64, loss_impairment: f64) -> f64 {
    (DEFAULT_RATING - delay_impairment - loss_impairment).clamp(0.0, 100.0)
}

/// Returns the estimated mean opinion score of a rating R from 0 to 100 (G.107 Annex B). The result is at
/// least 1, although the polynomial falls below 1 for R < 6.5.
pub fn mean_opinion_score(r: f64) -> f64 {
    (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: Codec = Codec { ie: 0.0, bpl: 4.3 };

    fn assert_near(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
    }

    // G.107 §7.7: with all default values R is 93.2. Annex B and its Table B.1 have the scores of 93.2 and of
    // the limits between the categories of user satisfaction.
    #[test]
    fn default_rating_and_scores_match_g107() {
        assert_eq!(rating(delay_impairment(0.0), G711.impairment(0.0, 1.0)), 93.2);
        for (r, mos) in [(93.2, 4.41), (90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            assert_near(mean_opinion_score(r), mos, 0.01);
        }
        assert_eq!([0.0, 3.0, 100.0].map(mean_opinion_score), [1.0, 1.0, 4.5]);
        assert_eq!((rating(60.0, 40.0), rating(-10.0, 0.0)), (0.0, 100.0));
    }

    // Values of the formula of G.107 §7.4, computed with 50 digits. A delay of up to 100 ms is not perceived,
    // and 150 ms hardly (G.114).
    #[test]
    fn delay_impairment_matches_g107() {
        assert_eq!([0.0, 20.0, 100.0].map(delay_impairment), [0.0; 3]);
        for (ms, idd) in [
            (150.0, 0.163531186587),
            (200.0, 3.044414223519),
            (300.0, 14.760694708940),
            (400.0, 24.070089219773),
            (500.0, 30.635924523771),
        ] {
            assert_near(delay_impairment(ms), idd, 1e-9);
        }
    }

    // Values computed by hand. If Bpl percent of the packets are lost, the impairment is half of its maximum,
    // 95. A burst ratio of 2 halves the loss in the denominator; a ratio below 1 counts as 1. No impairment
    // exceeds that of losing all packets. G.113 Appendix I: G.711 with concealment of losses has Bpl = 25.1;
    // G.729A has Ie = 11, Bpl = 19.
    #[test]
    fn loss_impairment_matches_g107() {
        assert_near(G711.impairment(4.3, 1.0), 47.5, 1e-12);
        assert_near(G711.impairment(6.45, 2.0), 95.0 * 6.45 / 7.525, 1e-12);
        assert_eq!(G711.impairment(4.3, 0.5), G711.impairment(4.3, 1.0));
        assert_eq!(G711.impairment(80.0, 6.0), 95.0);
        assert_near(Codec { ie: 0.0, bpl: 25.1 }.impairment(5.0, 1.0), 95.0 * 5.0 / 30.1, 1e-12);
        assert_near(Codec { ie: 11.0, bpl: 19.0 }.impairment(1.0, 1.0), 11.0 + 84.0 / 20.0, 1e-12);
        assert_near(Codec { ie: 11.0, bpl: 19.0 }.impairment(0.0, 1.0), 11.0, 0.0);
    }
}
