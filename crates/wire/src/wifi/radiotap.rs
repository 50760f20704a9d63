//! Radiotap header (radiotap.org, version 0): little-endian fields, each aligned to its size.

use airhop_base::{Rate, Span};

/// Bit numbers of the fields in the `present` word, in the order of the fields.
const TSFT: u32 = 0;
const FLAGS: u32 = 1;
const RATE: u32 = 2;
const CHANNEL: u32 = 3;
const MCS: u32 = 19;
const AMPDU_STATUS: u32 = 20;
const VHT: u32 = 21;
const HE: u32 = 23;

/// Bits of the field Flags: the frame includes the FCS; the FCS check failed.
const HAS_FCS: u8 = 0x10;
const BAD_FCS: u8 = 0x40;

/// Flags of the field A-MPDU status: last subframe known; this is the last subframe; value of EOF; EOF known.
const LAST_KNOWN: u16 = 0x04;
const IS_LAST: u16 = 0x08;
const EOF: u16 = 0x40;
const EOF_KNOWN: u16 = 0x80;

/// Radiotap header of a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radiotap {
    /// TSFT: time of the first bit of the PSDU in µs. All MPDUs of an A-MPDU have the same TSFT.
    pub tsft_us: u64,
    /// True if the receiver lost the frame. The FCS is then wrong.
    pub is_damaged: bool,
    /// Channel.
    pub channel: RadiotapChannel,
    /// Format of the PPDU.
    pub ppdu: RadiotapPpdu,
    /// Place in the A-MPDU; `None` for a PPDU without A-MPDU.
    pub subframe: Option<AmpduPosition>,
}

/// Place of an MPDU in an A-MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduPosition {
    /// Number of the PPDU in the capture.
    pub reference_number: u32,
    /// True for the last MPDU.
    pub is_last: bool,
    /// EOF bit of the delimiter, true for an S-MPDU. `None` in HT, because HT has no EOF bit.
    pub eof: Option<bool>,
}

/// Channel and its modulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiotapChannel {
    /// 2.4 GHz with frequency hopping (802.11).
    Fhss,
    /// 2.4 GHz with DSSS and CCK (802.11b).
    Dsss,
    /// 2.4 GHz with OFDM.
    Ofdm2_4,
    /// 5 GHz with OFDM.
    Ofdm5,
}

/// Format of a PPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadiotapPpdu {
    /// PPDU of 802.11, 802.11b or 802.11g, or a non-HT PPDU.
    Legacy(Rate),
    /// 802.11n, mixed format.
    Ht(PpduMode),
    /// 802.11ac.
    Vht(PpduMode),
    /// 802.11ax, for one user.
    He(PpduMode),
}

/// Transmission mode of a PPDU of 802.11n, ac or ax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PpduMode {
    /// MCS of each spatial stream.
    pub mcs: u8,
    /// Number of spatial streams.
    pub streams: u8,
    /// Channel width in MHz: 20, 40, 80 or 160.
    pub width_mhz: u32,
    /// Guard interval.
    pub guard: Span,
    /// True for LDPC, false for BCC.
    pub is_ldpc: bool,
}

impl RadiotapChannel {
    /// Returns the frequency in MHz and the channel flags.
    const fn frequency_and_flags(self) -> [u16; 2] {
        const CCK: u16 = 0x20;
        const OFDM: u16 = 0x40;
        const GHZ_2: u16 = 0x80;
        const GHZ_5: u16 = 0x100;
        const GFSK: u16 = 0x800;
        match self {
            RadiotapChannel::Fhss => [2412, GHZ_2 | GFSK],
            RadiotapChannel::Dsss => [2412, GHZ_2 | CCK],
            RadiotapChannel::Ofdm2_4 => [2412, GHZ_2 | OFDM],
            RadiotapChannel::Ofdm5 => [5180, GHZ_5 | OFDM],
        }
    }
}

impl Radiotap {
    /// Replaces the contents of `out` by the header.
    pub fn write(&self, out: &mut Vec<u8>) {
        let format = match self.ppdu {
            RadiotapPpdu::Legacy(_) => RATE,
            RadiotapPpdu::Ht(_) => MCS,
            RadiotapPpdu::Vht(_) => VHT,
            RadiotapPpdu::He(_) => HE,
        };
        let present = 1 << TSFT | 1 << FLAGS | 1 << CHANNEL | 1 << format;
        let ampdu = if self.subframe.is_some() { 1 << AMPDU_STATUS } else { 0 };
        out.clear();
        out.extend_from_slice(&[0; 4]); // the length is known at the end
        out.extend_from_slice(&u32::to_le_bytes(present | ampdu));
        out.extend_from_slice(&self.tsft_us.to_le_bytes());
        out.push(HAS_FCS | if self.is_damaged { BAD_FCS } else { 0 });
        if let RadiotapPpdu::Legacy(rate) = self.ppdu {
            out.push((rate.bps() / 500_000).min(u8::MAX.into()) as u8);
        }
        append_words(&self.channel.frequency_and_flags(), out);
        if let RadiotapPpdu::Ht(mode) = &self.ppdu {
            out.extend_from_slice(&mode.mcs_field());
        }
        if let Some(subframe) = self.subframe {
            subframe.write(out);
        }
        match &self.ppdu {
            RadiotapPpdu::Vht(mode) => mode.write_vht(out),
            RadiotapPpdu::He(mode) => append_words(&mode.he_fields(), out),
            RadiotapPpdu::Legacy(_) | RadiotapPpdu::Ht(_) => {}
        }
        let length = out.len() as u16;
        out[2..4].copy_from_slice(&length.to_le_bytes());
    }
}

impl AmpduPosition {
    /// Appends the field A-MPDU status: reference number, flags, CRC of the delimiter (unknown), reserved.
    fn write(self, out: &mut Vec<u8>) {
        out.resize(out.len().next_multiple_of(4), 0);
        out.extend_from_slice(&self.reference_number.to_le_bytes());
        let last = LAST_KNOWN | if self.is_last { IS_LAST } else { 0 };
        let eof = self.eof.map_or(0, |eof| EOF_KNOWN | if eof { EOF } else { 0 });
        append_words(&[last | eof, 0], out);
    }
}

impl PpduMode {
    /// Returns the field MCS: known fields, flags, index.
    fn mcs_field(&self) -> [u8; 3] {
        const BANDWIDTH_KNOWN: u8 = 0x01;
        const MCS_KNOWN: u8 = 0x02;
        const GUARD_KNOWN: u8 = 0x04;
        const FORMAT_KNOWN: u8 = 0x08;
        const FEC_KNOWN: u8 = 0x10;
        const STBC_KNOWN: u8 = 0x20;
        const MHZ_40: u8 = 0x01;
        const SHORT_GUARD: u8 = 0x04;
        const LDPC: u8 = 0x10;
        let known = BANDWIDTH_KNOWN | MCS_KNOWN | GUARD_KNOWN | FORMAT_KNOWN | FEC_KNOWN | STBC_KNOWN;
        let bandwidth = if self.width_mhz > 20 { MHZ_40 } else { 0 };
        let guard = if self.has_short_guard() { SHORT_GUARD } else { 0 };
        let fec = if self.is_ldpc { LDPC } else { 0 };
        [known, bandwidth | guard | fec, 8 * (self.streams - 1) + self.mcs]
    }

    /// Appends the field VHT, for one user.
    fn write_vht(&self, out: &mut Vec<u8>) {
        const STBC_KNOWN: u16 = 0x01;
        const GUARD_KNOWN: u16 = 0x04;
        const BANDWIDTH_KNOWN: u16 = 0x40;
        const SHORT_GUARD: u8 = 0x04;
        append_words(&[STBC_KNOWN | GUARD_KNOWN | BANDWIDTH_KNOWN], out);
        let bandwidth = match self.width_mhz {
            20 => 0,
            40 => 1,
            80 => 4,
            _ => 11,
        };
        let guard = if self.has_short_guard() { SHORT_GUARD } else { 0 };
        out.extend_from_slice(&[guard, bandwidth]);
        out.extend_from_slice(&[self.mcs << 4 | self.streams, 0, 0, 0]);
        out.extend_from_slice(&[self.is_ldpc.into(), 0, 0, 0]); // coding, group, partial AID
    }

    /// Returns the words of the field HE, for the format HE_SU.
    fn he_fields(&self) -> [u16; 6] {
        const MCS_KNOWN: u16 = 0x20;
        const DCM_KNOWN: u16 = 0x40;
        const CODING_KNOWN: u16 = 0x80;
        const STBC_KNOWN: u16 = 0x200;
        const BANDWIDTH_KNOWN: u16 = 0x4000;
        const GUARD_KNOWN: u16 = 0x02;
        const LTFS_KNOWN: u16 = 0x04;
        const LTF_2X: u16 = 2;
        const LTF_4X: u16 = 3;
        let bandwidth = match self.width_mhz {
            20 => 0,
            40 => 1,
            80 => 2,
            _ => 3,
        };
        let (guard, ltf) = match self.guard.nanos() {
            800 => (0, LTF_2X),
            1600 => (1, LTF_2X),
            _ => (2, LTF_4X),
        };
        // Number of LTF symbols: 1, 2, 4, 6 or 8.
        let ltfs = if self.streams == 1 { 0 } else { u16::from(self.streams).div_ceil(2) };
        [
            MCS_KNOWN | DCM_KNOWN | CODING_KNOWN | STBC_KNOWN | BANDWIDTH_KNOWN,
            GUARD_KNOWN | LTFS_KNOWN,
            u16::from(self.mcs) << 8 | u16::from(self.is_ldpc) << 13,
            0,
            bandwidth | guard << 4 | ltf << 6 | ltfs << 8,
            self.streams.into(),
        ]
    }

    fn has_short_guard(&self) -> bool {
        self.guard == Span::from_nanos(400)
    }
}

/// Appends words of 16 bits, aligned to two bytes.
fn append_words(words: &[u16], out: &mut Vec<u8>) {
    out.resize(out.len().next_multiple_of(2), 0);
    words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
}
