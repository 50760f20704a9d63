//! PPDU formats of 802.11n, ac and ax, with their limits and timing.
use super::legacy::{Coding, OFDM_RATES, Phy};
use airhop_base::{Rate, Span};

/// aPPDUMaxTime, equal for the three formats (IEEE 802.11-2020 §19.4.4, §21.4.4; 802.11ax-2021 §27.4.4).
pub const MAX_PPDU_TIME: Span = Span::from_micros(5484);
/// Basic rates for control responses, in ascending order. These are the mandatory rates of OFDM (IEEE
/// 802.11-2020 clause 17).
pub const BASIC_RATES: [Rate; 3] =
    [Rate::from_bps(6_000_000), Rate::from_bps(12_000_000), Rate::from_bps(24_000_000)];
/// Length of a compressed BlockAckReq frame in bytes (IEEE 802.11-2020 §9.3.1.7).
pub const BLOCK_ACK_REQ_BYTES: u32 = 24;
/// Length of a CF-End frame in bytes (IEEE 802.11-2020 §9.3.1.6).
pub const CF_END_BYTES: u32 = 20;

/// Returns the length in bytes of a compressed BlockAck frame for a window of `window` MPDUs. The bitmap has
/// 64 or 256 bits (IEEE 802.11-2020 §9.3.1.8; 802.11ax-2021).
pub const fn block_ack_bytes(window: u32) -> u32 {
    const BYTES_WITHOUT_BITMAP: u32 = 24;
    BYTES_WITHOUT_BITMAP + if window <= 64 { 64 / 8 } else { 256 / 8 }
}

/// Frequency band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Band {
    /// 2.4 GHz band. Every OFDM PPDU has a signal extension.
    Ghz2_4,
    /// 5 GHz band.
    Ghz5,
}

impl Band {
    /// Returns the signal extension after an OFDM PPDU: 6 µs at 2.4 GHz (aSignalExtension, IEEE 802.11-2016
    /// §18.3.2.4), else 0.
    pub const fn signal_extension(self) -> Span {
        match self {
            Band::Ghz2_4 => Span::from_micros(6),
            Band::Ghz5 => Span::ZERO,
        }
    }

    /// Returns "2.4 GHz" or "5 GHz".
    pub const fn name(self) -> &'static str {
        match self {
            Band::Ghz2_4 => "2.4 GHz",
            Band::Ghz5 => "5 GHz",
        }
    }
}

/// Format of a PPDU. Each of 802.11n, ac and ax introduced one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PpduFormat {
    /// High throughput, 802.11n: the mixed format (IEEE 802.11-2020 clause 19).
    Ht,
    /// Very high throughput, 802.11ac (IEEE 802.11-2020 clause 21).
    Vht,
    /// High efficiency, 802.11ax: PPDUs for one user (802.11ax-2021 clause 27).
    He,
}

impl PpduFormat {
    /// All formats, the oldest first.
    pub const ALL: [PpduFormat; 3] = [PpduFormat::Ht, PpduFormat::Vht, PpduFormat::He];

    /// Returns the name of the standard.
    pub const fn name(self) -> &'static str {
        match self {
            PpduFormat::Ht => "802.11n",
            PpduFormat::Vht => "802.11ac",
            PpduFormat::He => "802.11ax",
        }
    }

    /// Returns the format that the standard with this name introduced; `None` for other names.
    pub fn find(name: &str) -> Option<PpduFormat> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Returns the timing of stations in this band; `None` if the standard does not use the band, as 802.11ac
    /// at 2.4 GHz.
    pub const fn phy(self, band: Band) -> Option<Phy> {
        match (self, band) {
            (PpduFormat::Ht, Band::Ghz5) => Some(Phy::HT),
            (PpduFormat::Ht, Band::Ghz2_4) => Some(Phy::HT_2_4_GHZ),
            (PpduFormat::Vht, Band::Ghz5) => Some(Phy::VHT),
            (PpduFormat::Vht, Band::Ghz2_4) => None,
            (PpduFormat::He, Band::Ghz5) => Some(Phy::HE),
            (PpduFormat::He, Band::Ghz2_4) => Some(Phy::HE_2_4_GHZ),
        }
    }

    /// Returns the highest MCS per spatial stream. HT adds 8 (streams − 1) to this number in its own MCS
    /// index.
    pub const fn max_mcs(self) -> u8 {
        match self {
            PpduFormat::Ht => 7,
            PpduFormat::Vht => 9,
            PpduFormat::He => 11,
        }
    }

    /// Returns the maximum number of spatial streams.
    pub const fn max_streams(self) -> u8 {
        match self {
            PpduFormat::Ht => 4,
            PpduFormat::Vht | PpduFormat::He => 8,
        }
    }

    /// Returns the channel widths of the band in MHz, in ascending order; empty if the standard does not use
    /// the band.
    pub const fn widths_mhz(self, band: Band) -> &'static [u32] {
        match (self, band) {
            (PpduFormat::Vht, Band::Ghz2_4) => &[],
            (PpduFormat::Ht, _) | (PpduFormat::He, Band::Ghz2_4) => &[20, 40],
            (PpduFormat::Vht | PpduFormat::He, Band::Ghz5) => &[20, 40, 80, 160],
        }
    }

    /// Returns the guard intervals in ascending order.
    pub const fn guard_intervals(self) -> &'static [Span] {
        const HT_GUARD_INTERVALS: &[Span] = &[Span::from_nanos(400), Span::from_nanos(800)];
        const HE_GUARD_INTERVALS: &[Span] =
            &[Span::from_nanos(800), Span::from_nanos(1600), Span::from_nanos(3200)];
        match self {
            PpduFormat::Ht | PpduFormat::Vht => HT_GUARD_INTERVALS,
            PpduFormat::He => HE_GUARD_INTERVALS,
        }
    }

    /// Returns aPSDUMaxLength in bytes (IEEE 802.11-2020 §19.4.4, §21.4.4; 802.11ax-2021 §27.4.4).
    pub const fn max_psdu_bytes(self) -> u32 {
        match self {
            PpduFormat::Ht => 65_535,
            PpduFormat::Vht => 1_048_575,
            PpduFormat::He => 6_500_631,
        }
    }
}

/// Timing of 802.11n, ac and ax. Control frames are OFDM frames. On wide channels, each 20 MHz subchannel
/// carries a duplicate of the control frame, which does not change the airtime. The contention windows are
/// those of DCF and of best effort in EDCA.
impl Phy {
    /// 802.11n at 5 GHz (IEEE 802.11-2020 §19.4.4).
    pub const HT: Phy = ofdm_phy("802.11n", Band::Ghz5);
    /// 802.11n at 2.4 GHz, with short slots.
    pub const HT_2_4_GHZ: Phy = ofdm_phy("802.11n", Band::Ghz2_4);
    /// 802.11ac (IEEE 802.11-2020 §21.4.4).
    pub const VHT: Phy = ofdm_phy("802.11ac", Band::Ghz5);
    /// 802.11ax at 5 GHz (802.11ax-2021 §27.4.4).
    pub const HE: Phy = ofdm_phy("802.11ax", Band::Ghz5);
    /// 802.11ax at 2.4 GHz, with short slots.
    pub const HE_2_4_GHZ: Phy = ofdm_phy("802.11ax", Band::Ghz2_4);
}

/// Returns the timing of a standard with OFDM control frames (IEEE 802.11-2020 clause 17, and clause 18 at
/// 2.4 GHz).
const fn ofdm_phy(name: &'static str, band: Band) -> Phy {
    let sifs = match band {
        Band::Ghz2_4 => Span::from_micros(10),
        Band::Ghz5 => Span::from_micros(16),
    };
    Phy {
        name,
        slot: Span::from_micros(9),
        sifs,
        cw_min: 15,
        cw_max: 1023,
        plcp_duration: Span::from_micros(20),
        coding: Coding::Ofdm { signal_extension: band.signal_extension() },
        rates: &OFDM_RATES,
    }
}
