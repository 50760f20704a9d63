//! Curves of the packet error rate of simulated links in white Gaussian noise.
//!
//! A curve has two parameters. The number of error events in a frame falls exponentially with the SNR, as the
//! terms of a union bound do: PER(s) = 1 − 2^(−10^(k (1 − 10^((s − s50) / 10)))). Here s50 is the SNR in dB
//! at a PER of 50 %. Without a signal, error events are 10^k times as frequent as at s50. The parameters are
//! fitted to the table model of ns-3.44. The table has the PER of frames of 100 and 1538 octets in steps of
//! 0.5 dB. All fitted points with a PER from 0.01 to 0.9 are within 0.05 dB of the curves.
use std::f64::consts::LN_2;

/// Lengths of the fitted frames, octets.
const FITTED_OCTETS: [f64; 2] = [100.0, 1538.0];

/// Values of an MCS's two curves at one SNR.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CurvePoint {
    /// log10 of the number of error events per octet, for frames of the two fitted lengths.
    events: [f64; 2],
}

/// SNR at 50 % packet error rate (dB) and slope k of the error curve for one frame length.
type Curve = (f64, f64);

/// Curves of frames of 100 octets with BCC, by MCS. At equal error events per octet, the curves of short and
/// long frames differ by up to 0.2 dB. BCC has no curves above MCS 9, where 802.11ax requires LDPC.
const BCC_SHORT: [Curve; 10] = [
    (-0.75, 4.20),
    (2.26, 4.23),
    (4.74, 4.30),
    (7.64, 3.41),
    (10.85, 3.72),
    (14.83, 3.07),
    (16.16, 3.15),
    (17.61, 3.00),
    (21.22, 2.70),
    (22.81, 2.93),
];
/// Curves of frames of 1538 octets with BCC, by MCS.
const BCC_LONG: [Curve; 10] = [
    (0.31, 5.69),
    (3.31, 5.49),
    (5.78, 5.37),
    (8.94, 4.43),
    (12.03, 4.45),
    (16.23, 3.77),
    (17.56, 4.03),
    (18.82, 3.94),
    (22.78, 3.41),
    (24.27, 3.58),
];
/// Curves of frames of 1538 octets with LDPC, by MCS. Short frames have the same number of error events per
/// octet.
const LDPC: [Curve; 12] = [
    (-0.95, 11.95),
    (2.06, 12.06),
    (4.56, 13.84),
    (7.53, 9.09),
    (10.60, 11.82),
    (14.76, 9.92),
    (16.14, 10.14),
    (17.64, 9.52),
    (21.28, 9.33),
    (23.09, 8.28),
    (26.38, 8.12),
    (28.42, 7.41),
];

impl CurvePoint {
    /// Returns the values of the BCC curves at the SNR `snr` in dB; `None` above MCS 9.
    pub fn bcc(mcs: u8, snr: f64) -> Option<CurvePoint> {
        let mcs = usize::from(mcs);
        let (short, long) = (*BCC_SHORT.get(mcs)?, *BCC_LONG.get(mcs)?);
        Some(CurvePoint {
            events: [
                log_events_per_octet(short, FITTED_OCTETS[0], snr),
                log_events_per_octet(long, FITTED_OCTETS[1], snr),
            ],
        })
    }

    /// Returns the values of the LDPC curves at the SNR `snr` in dB.
    pub fn ldpc(mcs: u8, snr: f64) -> CurvePoint {
        CurvePoint { events: [log_events_per_octet(LDPC[usize::from(mcs)], FITTED_OCTETS[1], snr); 2] }
    }

    /// Returns the number of error events per octet in a frame of this length. Between the fitted lengths,
    /// the number is interpolated as a power of the length. For shorter and longer frames, the nearest fitted
    /// length applies (PER(L) = 1 − (1 − PER)^(L / L_ref), IEEE 802.11-14/0803r1).
    pub fn error_events_per_octet(&self, octets: f64) -> f64 {
        let [short, long] = self.events;
        let way = libm::log(octets / FITTED_OCTETS[0]) / libm::log(FITTED_OCTETS[1] / FITTED_OCTETS[0]);
        libm::pow(10.0, short + (long - short) * way.clamp(0.0, 1.0))
    }
}

fn log_events_per_octet((half, decades): Curve, octets: f64, snr: f64) -> f64 {
    let signal = libm::pow(10.0, (snr - half) / 10.0);
    libm::log10(LN_2 / octets) + decades * (1.0 - signal)
}
