//! Transmission mode of a PPDU of 802.11n, ac or ax, and its airtime.
use super::format::{BASIC_RATES, PpduFormat};
use super::settings::{ModeError, TxSettings};
use super::symbol::{SymbolBits, data_subcarriers};
use airhop_base::{Rate, Span};

/// Transmission mode of a PPDU, with all values that do not depend on the PSDU.
///
/// The guard interval determines HE's LTFs: 2x LTF with 0.8 and 1.6 µs, 4x LTF with 3.2 µs. HE's packet
/// extension is 0. A PPDU with LDPC has no tail bits. The extra OFDM symbol segment that LDPC may add is not
/// simulated. It is shorter than one symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TxMode {
    settings: TxSettings,
    symbol: SymbolBits,
    /// Number of bits in the data field that are not PSDU: 16 service bits and the tail bits of each encoder.
    overhead_bits: u64,
    /// T_SYM in ns.
    symbol_ns: u64,
    /// Duration of the PPDU without the symbols of the data field: preamble and signal extension.
    around: Span,
}

/// Duration of a symbol with the long guard interval, in ns. The data field of HT and VHT is padded to a
/// multiple of this duration.
const OFDM_SYMBOL_NS: u64 = 4000;
/// Duration of a symbol with the short guard interval, in ns.
const SHORT_SYMBOL_NS: u64 = 3600;

impl TxMode {
    /// Creates the mode.
    ///
    /// # Errors
    ///
    /// Returns an error if a setting is out of the format's range, or if the standard excludes the
    /// combination.
    pub fn new(settings: TxSettings) -> Result<TxMode, ModeError> {
        settings.check()?;
        let TxSettings { format, band, mcs, streams, width_mhz, guard_interval: guard } = settings;
        let symbol = SymbolBits::from_settings(&settings).ok_or(ModeError::LeftOut {
            format,
            mcs,
            streams,
            width_mhz,
        })?;
        let useful_ns = if format == PpduFormat::He { 12_800 } else { 3_200 };
        Ok(TxMode {
            settings,
            symbol,
            overhead_bits: 16 + 6 * u64::from(symbol.encoder_count),
            symbol_ns: useful_ns + guard.nanos(),
            around: preamble(&settings) + band.signal_extension(),
        })
    }

    /// Returns the settings.
    pub fn settings(&self) -> &TxSettings {
        &self.settings
    }

    /// Returns N_DBPS, the number of data bits per symbol.
    pub fn data_bits_per_symbol(&self) -> u32 {
        self.symbol.data_bits
    }

    /// Returns N_ES, the number of convolutional encoders; 0 with LDPC.
    pub fn encoder_count(&self) -> u32 {
        self.symbol.encoder_count
    }

    /// Returns the data rate in the standard's tables, rounded down to 1 bit/s. The rate is the number of
    /// data bits per symbol divided by the symbol duration. HE uses the number of data bits before rounding
    /// to N_DBPS.
    pub fn data_rate(&self) -> Rate {
        let [bits, of] = self.symbol.exact_bits.map(u64::from);
        Rate::from_bps(bits * 1_000_000_000 / (of * self.symbol_ns))
    }

    /// Returns the ratio of a data subcarrier's Es/N0 to the SNR: channel width × symbol duration / number of
    /// data subcarriers. The energy of a symbol includes guard interval, pilots and guard band.
    pub fn symbol_gain(&self) -> f64 {
        let TxSettings { format, width_mhz, .. } = self.settings;
        let product = f64::from(width_mhz) * self.symbol_ns as f64 / 1e3;
        product / f64::from(data_subcarriers(format, width_mhz))
    }

    /// Returns the duration of the preamble, from the legacy training fields to the last field before the
    /// data field.
    pub fn preamble(&self) -> Span {
        preamble(&self.settings)
    }

    /// Returns TXTIME, the airtime of a PPDU with `psdu_bytes` bytes of PSDU: preamble, data symbols, and the
    /// signal extension at 2.4 GHz (IEEE 802.11-2020 §19.4.3, §21.4.3; 802.11ax-2021 §27.4.3).
    #[inline]
    pub fn airtime(&self, psdu_bytes: u32) -> Span {
        let bits = self.overhead_bits + 8 * u64::from(psdu_bytes);
        let symbols = bits.div_ceil(u64::from(self.symbol.data_bits));
        let nanos = if self.symbol_ns == SHORT_SYMBOL_NS {
            OFDM_SYMBOL_NS * (symbols * SHORT_SYMBOL_NS).div_ceil(OFDM_SYMBOL_NS)
        } else {
            self.symbol_ns * symbols
        };
        self.around + Span::from_nanos(nanos)
    }

    /// Returns the maximum length in bytes of a PSDU whose PPDU lasts at most `time`; 0 if even an empty PSDU
    /// lasts longer. The result is within the format's limit.
    pub fn max_psdu_bytes(&self, time: Span) -> u32 {
        let nanos = time.saturating_sub(self.around).nanos();
        let symbols = if self.symbol_ns == SHORT_SYMBOL_NS {
            nanos / OFDM_SYMBOL_NS * OFDM_SYMBOL_NS / SHORT_SYMBOL_NS
        } else {
            nanos / self.symbol_ns
        };
        let bits = symbols.saturating_mul(self.symbol.data_bits.into()).saturating_sub(self.overhead_bits);
        let most = self.settings.format.max_psdu_bytes();
        u32::try_from(bits / 8).map_or(most, |bytes| bytes.min(most))
    }

    /// Returns the non-HT reference rate: the OFDM rate with the modulation and code rate of this MCS. If
    /// OFDM has no such rate, the reference rate is 54 Mbit/s (IEEE 802.11-2020 §10.6.11).
    pub fn reference_rate(&self) -> Rate {
        const MBPS: [u64; 8] = [6, 12, 18, 24, 36, 48, 54, 54];
        let of_mcs = MBPS.get(usize::from(self.settings.mcs)).copied();
        Rate::from_bps(of_mcs.unwrap_or(54) * 1_000_000)
    }

    /// Returns the rate of the Ack or BlockAck in response to this PPDU: the highest basic rate not above the
    /// reference rate (IEEE 802.11-2020 §10.6.6.5).
    pub fn response_rate(&self) -> Rate {
        let reference = self.reference_rate();
        let rate = BASIC_RATES.into_iter().rev().find(|basic| *basic <= reference);
        rate.unwrap_or(BASIC_RATES[0])
    }
}

/// Returns the duration of the preamble, from the legacy training fields to the last field before the data
/// field (IEEE 802.11-2020 §19.3.2, §21.3.2; 802.11ax-2021 §27.3.4).
fn preamble(settings: &TxSettings) -> Span {
    const LEGACY_PREAMBLE: Span = Span::from_micros(20);
    const SIGNAL: Span = Span::from_micros(4);
    const STF: Span = Span::from_micros(4);
    let ltfs = ltf(settings) * ltf_count(settings.streams);
    match settings.format {
        PpduFormat::Ht => LEGACY_PREAMBLE + SIGNAL * 2 + STF + ltfs,
        PpduFormat::Vht => LEGACY_PREAMBLE + SIGNAL * 2 + STF + ltfs + SIGNAL, // VHT-SIG-A, VHT-SIG-B
        PpduFormat::He => LEGACY_PREAMBLE + SIGNAL + SIGNAL * 2 + STF + ltfs,  // RL-SIG, HE-SIG-A
    }
}

/// Returns the number of long training fields: 1 or an even number (IEEE 802.11-2020 Tables 19-13, 21-13).
fn ltf_count(streams: u8) -> u64 {
    u64::from(if streams == 1 { 1 } else { streams.next_multiple_of(2) })
}

/// Returns the duration of a long training field.
fn ltf(settings: &TxSettings) -> Span {
    const SHORTEST_LTF: Span = Span::from_nanos(3200);
    match settings.format {
        PpduFormat::Ht | PpduFormat::Vht => Span::from_micros(4),
        PpduFormat::He if settings.guard_interval == Span::from_nanos(3200) => {
            SHORTEST_LTF * 4 + settings.guard_interval
        }
        PpduFormat::He => SHORTEST_LTF * 2 + settings.guard_interval,
    }
}
