//! Number of bits of an OFDM symbol, by modulation, subcarriers and spatial streams.
use super::format::PpduFormat;
use super::settings::TxSettings;

/// Coded bits per subcarrier, and code rate as a fraction, by MCS (IEEE 802.11-2020 §19.5, §21.5;
/// 802.11ax-2021 §27.5). Modulations are BPSK, QPSK and QAM with 16, 64, 256 and 1024 points.
const MODULATIONS: [(u32, [u32; 2]); 12] = [
    (1, [1, 2]),
    (2, [1, 2]),
    (2, [3, 4]),
    (4, [1, 2]),
    (4, [3, 4]),
    (6, [2, 3]),
    (6, [3, 4]),
    (6, [5, 6]),
    (8, [3, 4]),
    (8, [5, 6]),
    (10, [3, 4]),
    (10, [5, 6]),
];

/// Modulation and code rate of an MCS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Modulation {
    /// Coded bits per subcarrier and symbol: 1 for BPSK, 2 for QPSK, log2(M) for M-QAM.
    pub bits_per_subcarrier: u32,
    /// Code rate, as a fraction.
    pub code_rate: [u32; 2],
}

impl Modulation {
    /// Returns modulation and code rate of an MCS from 0 to 11.
    pub const fn from_mcs(mcs: u8) -> Modulation {
        let (bits, code_rate) = MODULATIONS[mcs as usize];
        Modulation { bits_per_subcarrier: bits, code_rate }
    }
}

/// Modes that the VHT tables exclude although the bits could be divided equally among encoders. Each entry
/// has the width in MHz, the number of spatial streams and the MCS (IEEE 802.11-2020 Tables 21-38 to 21-61).
const EXCLUDED_VHT_MODES: [(u32, u8, u8); 4] = [(80, 3, 6), (80, 6, 9), (80, 7, 6), (160, 3, 9)];

/// Numbers of bits of an OFDM symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SymbolBits {
    /// N_DBPS: data bits per symbol, rounded down to an integer.
    pub data_bits: u32,
    /// Data bits per symbol as a fraction, before rounding. HE's tables compute data rates from the fraction.
    pub exact_bits: [u32; 2],
    /// N_ES: number of convolutional encoders; 0 with LDPC. Each encoder adds 6 tail bits to the PSDU.
    pub encoder_count: u32,
}

impl SymbolBits {
    /// Returns the bits of a symbol; `None` if the standard excludes the combination. Each setting must be
    /// within the range of the format.
    pub fn from_settings(settings: &TxSettings) -> Option<SymbolBits> {
        let &TxSettings { format, mcs, streams, width_mhz, .. } = settings;
        let Modulation { bits_per_subcarrier: tone_bits, code_rate: [share, of] } = Modulation::from_mcs(mcs);
        let coded_bits = data_subcarriers(format, width_mhz) * tone_bits * u32::from(streams);
        let exact_bits = [coded_bits * share, of];
        let data_bits = exact_bits[0] / of;
        let is_whole = exact_bits[0].is_multiple_of(of);
        let encoders = match format {
            PpduFormat::Ht => encoder_count(coded_bits, data_bits, MAX_HT_ENCODER_BITS),
            PpduFormat::Vht if !is_whole || EXCLUDED_VHT_MODES.contains(&(width_mhz, streams, mcs)) => {
                return None;
            }
            PpduFormat::Vht => encoder_count(coded_bits, data_bits, MAX_VHT_ENCODER_BITS),
            // With LDPC there is no convolutional encoder. LDPC is mandatory above 20 MHz, 4 streams or MCS 9
            // (802.11ax-2021 §27.3.12.5).
            PpduFormat::He => u32::from(width_mhz == 20 && streams <= 4 && mcs <= 9),
        };
        Some(SymbolBits { data_bits, exact_bits, encoder_count: encoders })
    }
}

/// Maximum number of data bits per symbol that one HT encoder supports: 300 Mbit/s with the short guard
/// interval, 270 Mbit/s with the long guard interval.
const MAX_HT_ENCODER_BITS: u32 = 1080;
/// Maximum number of data bits per symbol that one VHT encoder supports: 600 Mbit/s with the short guard
/// interval, 540 Mbit/s with the long guard interval.
const MAX_VHT_ENCODER_BITS: u32 = 2160;

/// Returns N_ES, the smallest sufficient number of encoders that divides both data bits and coded bits. An
/// encoder supports at most `each` data bits per symbol. This rule reproduces the tables in IEEE 802.11-2020
/// §19.5 and §21.5.
fn encoder_count(coded_bits: u32, data_bits: u32, each: u32) -> u32 {
    let mut count = data_bits.div_ceil(each);
    while !(coded_bits.is_multiple_of(count) && data_bits.is_multiple_of(count)) {
        count += 1;
    }
    count
}

/// Returns N_SD, the number of data subcarriers of a channel. In HE these are the data subcarriers of the
/// resource unit that fills the channel (242, 484, 996 or twice 996 tones).
pub(super) fn data_subcarriers(format: PpduFormat, width_mhz: u32) -> u32 {
    match (format, width_mhz) {
        (PpduFormat::Ht | PpduFormat::Vht, 20) => 52,
        (PpduFormat::Ht | PpduFormat::Vht, 40) => 108,
        (PpduFormat::Ht | PpduFormat::Vht, 80) => 234,
        (PpduFormat::Ht | PpduFormat::Vht, _) => 468,
        (PpduFormat::He, 20) => 234,
        (PpduFormat::He, 40) => 468,
        (PpduFormat::He, 80) => 980,
        (PpduFormat::He, _) => 1960,
    }
}
