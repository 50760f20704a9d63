//! YANS's model: first terms of the union bound of a Viterbi decoder with hard decisions (Lacage and
//! Henderson, Yet another network simulator, 2006).
use crate::phy::Modulation;

/// Returns the error probability per data bit. `symbol_snr` is Es/N0 of a subcarrier's symbol as a linear
/// ratio.
pub(super) fn bit_error_rate(
    Modulation { bits_per_subcarrier: bits, code_rate }: Modulation,
    symbol_snr: f64,
) -> f64 {
    // Free distance of the code 133/171, and number of the paths at the free distance and at the next
    // distance (Haccoun and Bégin 1989).
    let (free, paths) = match code_rate {
        [1, 2] => (10, [11.0, 0.0]),
        [2, 3] => (6, [1.0, 16.0]),
        [3, 4] => (5, [8.0, 31.0]),
        _ => (4, [14.0, 69.0]),
    };
    let coded = coded_bit_error_rate(bits, symbol_snr / f64::from(bits));
    (paths[0] * pairwise_error_rate(coded, free) + paths[1] * pairwise_error_rate(coded, free + 1)).min(1.0)
}

/// Returns the error rate of coded bits before the decoder. `snr` is Eb/N0 of a coded bit as a linear ratio.
fn coded_bit_error_rate(bits: u32, snr: f64) -> f64 {
    if bits == 1 {
        return 0.5 * libm::erfc(libm::sqrt(snr));
    }
    let (bits, points) = (f64::from(bits), f64::from(1_u32 << bits));
    let side = (1.0 - 1.0 / libm::sqrt(points)) * libm::erfc(libm::sqrt(1.5 * bits / (points - 1.0) * snr));
    (1.0 - (1.0 - side) * (1.0 - side)) / bits
}

/// Returns the probability that the decoder prefers a wrong path at this distance. This happens if the wrong
/// path differs from the received bits in fewer places than the transmitted path. A tie counts half.
fn pairwise_error_rate(p: f64, distance: u32) -> f64 {
    let term = |ways: f64, errors: u32| {
        ways * libm::pow(p, errors.into()) * libm::pow(1.0 - p, (distance - errors).into())
    };
    let mut ways = 1.0; // binomial coefficient "distance choose errors"
    let mut sum = 0.0;
    for errors in 0..=distance {
        if 2 * errors > distance {
            sum += term(ways, errors);
        } else if 2 * errors == distance {
            sum += term(ways, errors) / 2.0;
        }
        ways = ways * f64::from(distance - errors) / f64::from(errors + 1);
    }
    sum
}
