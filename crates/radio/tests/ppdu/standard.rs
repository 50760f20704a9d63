//! PPDUs of the standard, computed independently of the simulator from their fields, subcarriers and
//! constellations with integers, and from the standard's table of encoders.

use airhop_base::Span;
use airhop_radio::phy::{Band, PpduFormat, TxSettings};

/// Number of VHT encoders by width, number of spatial streams and MCS, in hexadecimal; "-" if the standard
/// does not have the mode (IEEE 802.11-2020 Tables 21-30 to 21-61).
const VHT_ENCODERS: [(u32, &str); 4] = [
    (20, "111111111- 111111111- 1111111111 111111111- 111111111- 1111111111 111111112- 111111112-"),
    (40, "1111111111 1111111111 1111111111 1111111122 1111112222 1111122222 1111222233 1111222233"),
    (80, "1111111111 1111111222 111112-223 1111222333 1112233344 111223344- 113234-666 1122344666"),
    (160, "1111111222 1111222333 111223344- 1122344666 1223455688 1223466889 12346779cc 12346889cc"),
];

/// Number of LTFs by number of spatial streams (IEEE 802.11-2020 Table 21-13).
const LTFS: [u64; 8] = [1, 2, 4, 4, 6, 6, 8, 8];

/// For each MCS, the number of points of the constellation, and the code rate as data bits and coded bits.
const MCS: [(u32, u64, u64); 12] = [
    (2, 1, 2),
    (4, 1, 2),
    (4, 3, 4),
    (16, 1, 2),
    (16, 3, 4),
    (64, 2, 3),
    (64, 3, 4),
    (64, 5, 6),
    (256, 3, 4),
    (256, 5, 6),
    (1024, 3, 4),
    (1024, 5, 6),
];

/// Returns all settings within the ranges of the formats, also those that the standard excludes.
pub fn settings() -> Vec<TxSettings> {
    let mut all = Vec::new();
    let bands = [Band::Ghz5, Band::Ghz2_4];
    let (vht, he) = ([20, 40, 80, 160], [20, 40, 80, 160]);
    for (format, band, widths, streams, mcs, guards) in [
        (PpduFormat::Ht, bands[0], &[20, 40][..], 4, 7, &[400, 800][..]),
        (PpduFormat::Ht, bands[1], &[20, 40], 4, 7, &[400, 800]),
        (PpduFormat::Vht, bands[0], &vht, 8, 9, &[400, 800]),
        (PpduFormat::He, bands[0], &he, 8, 11, &[800, 1600, 3200]),
        (PpduFormat::He, bands[1], &he[..2], 8, 11, &[800, 1600, 3200]),
    ] {
        for (width_mhz, streams) in widths.iter().flat_map(|width| (1..=streams).map(move |n| (*width, n))) {
            for (mcs, guard) in
                (0..=mcs).flat_map(|mcs| guards.iter().map(move |ns| (mcs, Span::from_nanos(*ns))))
            {
                all.push(TxSettings { format, band, mcs, streams, width_mhz, guard_interval: guard });
            }
        }
    }
    all
}

/// Returns the number of data bits per symbol (N_DBPS), rounded down.
pub fn data_bits(settings: &TxSettings) -> u64 {
    let (bits, of) = data_ratio(settings);
    bits / of
}

/// Returns the data rate, bit/s, rounded down.
pub fn data_rate(settings: &TxSettings) -> u64 {
    let (bits, of) = data_ratio(settings);
    bits * 1_000_000_000 / (of * symbol(settings))
}

/// Returns the number of data bits per symbol as a fraction; pilot subcarriers carry no data.
fn data_ratio(settings: &TxSettings) -> (u64, u64) {
    let (tones, pilots) = match (settings.format, settings.width_mhz) {
        (PpduFormat::He, 20) => (242, 8),
        (PpduFormat::He, 40) => (484, 16),
        (PpduFormat::He, 80) => (996, 16),
        (PpduFormat::He, _) => (2 * 996, 32),
        (_, 20) => (56, 4),
        (_, 40) => (114, 6),
        (_, 80) => (242, 8),
        (_, _) => (484, 16),
    };
    let (points, data, coded) = MCS[usize::from(settings.mcs)];
    ((tones - pilots) * u64::from(points.ilog2()) * u64::from(settings.streams) * data, coded)
}

/// Returns the number of encoders, each of which adds 6 tail bits: 0 with LDPC; `None` if the standard
/// excludes the mode.
pub fn encoders(settings: &TxSettings) -> Option<u64> {
    let &TxSettings { format, mcs, streams, width_mhz, .. } = settings;
    match format {
        // Above 300 Mbit/s, 1080 bits in 3.6 µs, HT has two encoders.
        PpduFormat::Ht => Some(if data_bits(settings) > 1080 { 2 } else { 1 }),
        PpduFormat::Vht => {
            let (_, rows) = VHT_ENCODERS.iter().find(|(width, _)| *width == width_mhz)?;
            let digit = rows.split(' ').nth(usize::from(streams) - 1)?.chars().nth(mcs.into())?;
            digit.to_digit(16).map(u64::from)
        }
        PpduFormat::He => Some(if width_mhz > 20 || streams > 4 || mcs > 9 { 0 } else { 1 }),
    }
}

/// Returns the duration of a symbol, ns.
fn symbol(settings: &TxSettings) -> u64 {
    match settings.format {
        PpduFormat::Ht | PpduFormat::Vht => 3200 + settings.guard_interval.nanos(),
        PpduFormat::He => 12_800 + settings.guard_interval.nanos(),
    }
}

/// Returns the duration of a PPDU with this number of data symbols, ns.
pub fn duration(settings: &TxSettings, symbols: u64) -> u64 {
    let us = |us: u64| us * 1000;
    let legacy = us(8) + us(8) + us(4); // L-STF, L-LTF, L-SIG
    let ltfs = LTFS[usize::from(settings.streams) - 1];
    let preamble = match settings.format {
        PpduFormat::Ht => us(8) + us(4) + ltfs * us(4), // HT-SIG, HT-STF, HT-LTF
        PpduFormat::Vht => us(8) + us(4) + ltfs * us(4) + us(4), // VHT-SIG-A, VHT-STF, VHT-LTF, VHT-SIG-B
        PpduFormat::He => {
            let ltf = match settings.guard_interval.nanos() {
                800 => 7200,
                1600 => 8000,
                _ => 16_000,
            };
            us(4) + us(8) + us(4) + ltfs * ltf // RL-SIG, HE-SIG-A, HE-STF, HE-LTF
        }
    };
    let mut data = symbols * symbol(settings);
    if settings.format != PpduFormat::He {
        data = data.next_multiple_of(us(4)); // the end of the PPDU is on the grid of the legacy symbols
    }
    let extension = if settings.band == Band::Ghz2_4 { us(6) } else { 0 };
    legacy + preamble + data + extension
}

/// Returns the number of data symbols for a PSDU: the smallest number that has room for its bits, 16 service
/// bits and the tail bits.
pub fn symbols(settings: &TxSettings, psdu: u64) -> Option<u64> {
    let (bits, each) = (16 + 8 * psdu + 6 * encoders(settings)?, data_bits(settings));
    let below = bits / each;
    Some(if below * each == bits { below } else { below + 1 })
}
