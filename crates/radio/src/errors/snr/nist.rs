//! NIST's model: union bound of a Viterbi decoder with hard decisions (Pei and Henderson, Validation of
//! OFDM error rate model in ns-3, 2010).
//!
//! The model treats bit errors as independent, and is therefore 3 to 5 dB more pessimistic than simulations
//! of a link.
use crate::phy::Modulation;

/// Weight spectrum of the convolutional code 133/171 with constraint length 7. The weight a_d for a distance
/// d is the number of information bits in error, summed over the error events of that distance.
struct WeightSpectrum {
    /// Numerator of the code rate: information bits per step of the trellis.
    inputs: f64,
    /// Free distance of the code.
    free: f64,
    /// Difference between successive distances of the weight spectrum.
    step: f64,
    weights: &'static [f64],
}

/// Code rate 1/2 (Frenger et al. 1999).
const RATE_1_2: WeightSpectrum = WeightSpectrum {
    inputs: 1.0,
    free: 10.0,
    step: 2.0,
    weights: &[36.0, 211.0, 1_404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0],
};
/// Code rate 2/3 (Frenger et al. 1999).
const RATE_2_3: WeightSpectrum = WeightSpectrum {
    inputs: 2.0,
    free: 6.0,
    step: 1.0,
    weights: &[3.0, 70.0, 285.0, 1_276.0, 6_160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
};
/// Code rate 3/4 (Frenger et al. 1999).
const RATE_3_4: WeightSpectrum = WeightSpectrum {
    inputs: 3.0,
    free: 5.0,
    step: 1.0,
    weights: &[
        42.0,
        201.0,
        1_492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};
/// Code rate 5/6 (Haccoun and Bégin 1989).
const RATE_5_6: WeightSpectrum = WeightSpectrum {
    inputs: 5.0,
    free: 4.0,
    step: 1.0,
    weights: &[
        92.0,
        528.0,
        8_694.0,
        79_453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

/// Returns the error probability per data bit. `snr` is a linear power ratio.
pub(super) fn bit_error_rate(
    Modulation { bits_per_subcarrier: bits, code_rate }: Modulation,
    snr: f64,
) -> f64 {
    let code = match code_rate {
        [1, 2] => RATE_1_2,
        [2, 3] => RATE_2_3,
        [3, 4] => RATE_3_4,
        _ => RATE_5_6,
    };
    let coded = coded_bit_error_rate(bits, snr);
    // Chernoff bound of a pairwise error: D^d with D = 2 √(p (1 − p)).
    let d = libm::sqrt(4.0 * coded * (1.0 - coded));
    let (mut power, step) = (libm::pow(d, code.free), libm::pow(d, code.step));
    let mut sum = 0.0;
    for weight in code.weights {
        sum += weight * power;
        power *= step;
    }
    (sum / (2.0 * code.inputs)).min(1.0)
}

/// Returns the error rate of coded bits before the decoder. `snr` is Es/N0 of a subcarrier as a linear ratio.
fn coded_bit_error_rate(bits: u32, snr: f64) -> f64 {
    let points = f64::from(1_u32 << bits);
    match bits {
        1 => 0.5 * libm::erfc(libm::sqrt(snr)),
        2 => 0.5 * libm::erfc(libm::sqrt(snr / 2.0)),
        _ => {
            let side = libm::sqrt(points);
            let share = (side - 1.0) / (side * libm::log2(side));
            share * libm::erfc(libm::sqrt(3.0 * snr / (2.0 * (points - 1.0))))
        }
    }
}
