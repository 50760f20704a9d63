//! A-MPDU: several MPDUs in one PPDU (IEEE 802.11-2020 §9.7).
//!
//! The minimum MPDU start spacing is not simulated. A real sender inserts empty delimiters between short
//! MPDUs to keep this spacing (§10.12.3).
use super::format::PpduFormat;
use super::mode::TxMode;
use airhop_base::Span;

/// Length of the delimiter before each MPDU, in bytes.
pub const DELIMITER_BYTES: u32 = 4;
/// Length of the MAC header and FCS of a QoS Data frame, in bytes (IEEE 802.11-2020 §9.3.2.1).
pub const QOS_MAC_OVERHEAD_BYTES: u32 = 26 + 4;
/// Maximum length in bytes of an MPDU in an HT A-MPDU. The length field of the delimiter has 12 bits (IEEE
/// 802.11-2020 §9.7.1).
pub const MAX_HT_MPDU_BYTES: u32 = 4095;
/// Maximum MPDU lengths in bytes that a VHT or HE receiver may announce (IEEE 802.11-2020 §9.4.2.157.2).
pub const MAX_MPDU_BYTES: [u32; 3] = [3895, 7991, 11_454];

/// Returns the length in bytes of the A-MPDU subframe of an MPDU: delimiter, MPDU, and padding to a multiple
/// of four. The last subframe has no padding.
pub const fn subframe_bytes(mpdu: u32) -> u32 {
    (DELIMITER_BYTES + mpdu).next_multiple_of(4)
}

/// Limits of a PSDU with one or more MPDUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PsduLimits {
    /// Maximum length in bytes of a PSDU with a single MPDU.
    alone: u32,
    /// Maximum length in bytes of a PSDU with several MPDUs.
    together: u32,
    /// Maximum length in bytes of each MPDU in a PSDU with several MPDUs.
    mpdu: u32,
    /// Maximum number of MPDUs.
    frames: u32,
    /// Length in bytes of the delimiter before a single MPDU; 0 in HT.
    before_single: u32,
}

impl PsduLimits {
    /// Creates the limits of a PSDU. An A-MPDU has at most `bytes` bytes and `frames` MPDUs. The PPDU in
    /// `mode` lasts at most `time`: [`MAX_PPDU_TIME`](super::MAX_PPDU_TIME), or less at the end of a TXOP. If
    /// `bytes` is too small for two MPDUs, every PSDU has a single MPDU.
    pub fn new(mode: &TxMode, bytes: u32, frames: u32, time: Span) -> PsduLimits {
        let alone = mode.max_psdu_bytes(time);
        let (mpdu, before_single) = match mode.settings().format {
            PpduFormat::Ht => (MAX_HT_MPDU_BYTES, 0),
            PpduFormat::Vht | PpduFormat::He => (MAX_MPDU_BYTES[2], DELIMITER_BYTES), // S-MPDU
        };
        PsduLimits { alone, together: alone.min(bytes), mpdu, frames, before_single }
    }

    /// Returns the limits with the maximum length for several MPDUs taken from `other`. At the start of a
    /// TXOP, a single MPDU may exceed the TXOP limit, but several MPDUs may not.
    #[must_use]
    pub fn with_aggregate_limit(&self, other: &PsduLimits) -> PsduLimits {
        PsduLimits { together: other.together, ..*self }
    }

    /// Returns the limits for the rest of a TXOP. A PPDU in `mode` may last `alone` with a single MPDU and
    /// `together` with several MPDUs. The two times differ because a BlockAck is longer than an Ack.
    #[must_use]
    pub fn limited_to_txop(&self, mode: &TxMode, alone: Span, together: Span) -> PsduLimits {
        let [alone, together] = [alone, together].map(|time| mode.max_psdu_bytes(time));
        PsduLimits { alone: self.alone.min(alone), together: self.together.min(together), ..*self }
    }
}

/// PSDU under construction, to which MPDUs are appended.
///
/// In HT a PSDU with a single MPDU is not an A-MPDU. In VHT and HE every PSDU is an A-MPDU, so even a single
/// MPDU has a delimiter (S-MPDU). A single MPDU is answered by an Ack, several MPDUs by a BlockAck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Psdu {
    /// Number of MPDUs.
    frames: u32,
    /// Length of the PSDU in bytes.
    bytes: u32,
    /// Length in bytes if the last subframe is also padded. Padding is added when another subframe follows.
    padded: u32,
    /// True if the first MPDU is too long for an A-MPDU, so no MPDU may follow.
    is_closed: bool,
}

impl Psdu {
    /// Appends an MPDU of `mpdu` bytes if the limits permit. Returns false and leaves the PSDU unchanged
    /// otherwise.
    #[inline]
    pub fn push(&mut self, mpdu: u32, limits: &PsduLimits) -> bool {
        let bytes = match self.frames {
            0 => mpdu.saturating_add(limits.before_single),
            _ => mpdu.saturating_add(self.padded + DELIMITER_BYTES),
        };
        let fits = match self.frames {
            0 => bytes <= limits.alone,
            frames => {
                frames < limits.frames && bytes <= limits.together && mpdu <= limits.mpdu && !self.is_closed
            }
        };
        if fits {
            self.is_closed = mpdu > limits.mpdu;
            self.frames += 1;
            self.bytes = bytes;
            self.padded += subframe_bytes(mpdu);
        }
        fits
    }

    /// Returns the number of MPDUs.
    pub fn mpdu_count(&self) -> u32 {
        self.frames
    }

    /// Returns the length of the PSDU in bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

/// Returns the PSDU with as many MPDUs as fit, taken from the start of `lengths`. The PSDU is empty if even
/// the first MPDU does not fit.
pub fn fill_psdu(limits: &PsduLimits, lengths: impl IntoIterator<Item = u32>) -> Psdu {
    let mut psdu = Psdu::default();
    for mpdu in lengths {
        if !psdu.push(mpdu, limits) {
            break;
        }
    }
    psdu
}

#[cfg(test)]
mod tests {
    use super::super::{Band, MAX_PPDU_TIME, TxSettings};
    use super::*;

    fn mode(format: PpduFormat, mcs: u8, streams: u8, width_mhz: u32) -> TxMode {
        let (band, guard) = (Band::Ghz5, Span::from_nanos(800));
        TxMode::new(TxSettings { format, band, mcs, streams, width_mhz, guard_interval: guard }).unwrap()
    }

    fn psdu(limits: &PsduLimits, lengths: &[u32]) -> (u32, u32) {
        let psdu = fill_psdu(limits, lengths.iter().copied());
        (psdu.mpdu_count(), psdu.bytes())
    }

    const MOST: u32 = u32::MAX;

    /// IEEE 802.11-2020 §9.7.1: all subframes except the last are padded to multiples of 4.
    #[test]
    fn all_ampdu_subframes_but_the_last_are_padded() {
        assert_eq!([1534, 1535, 1536, 1537, 1538].map(subframe_bytes), [1540, 1540, 1540, 1544, 1544]);
        let limits = PsduLimits::new(&mode(PpduFormat::Vht, 9, 1, 80), MOST, 64, MAX_PPDU_TIME);
        assert_eq!(psdu(&limits, &[1538; 3]), (3, 1544 + 1544 + 1542));
        assert_eq!(psdu(&limits, &[90, 1538, 33]), (3, 96 + 1544 + 37));
        assert_eq!(psdu(&limits, &[1538; 100]), (64, 63 * 1544 + 1542));
        assert_eq!(psdu(&limits, &[]), (0, 0));
    }

    #[test]
    fn only_vht_and_he_put_a_delimiter_before_a_single_mpdu() {
        let alone =
            |format| psdu(&PsduLimits::new(&mode(format, 7, 1, 20), 0, 64, MAX_PPDU_TIME), &[1538, 1538]);
        assert_eq!(PpduFormat::ALL.map(alone), [(1, 1538), (1, 1542), (1, 1542)]);
    }

    /// The maximum length of an A-MPDU is exact to the byte. It does not apply to a PSDU with a single MPDU.
    #[test]
    fn ampdu_bytes_frames_and_mpdu_lengths_are_limited() {
        let ht = mode(PpduFormat::Ht, 7, 1, 20);
        let fits = |bytes, frames, lengths: &[u32]| {
            psdu(&PsduLimits::new(&ht, bytes, frames, MAX_PPDU_TIME), lengths).0
        };
        assert_eq!([3085, 3086].map(|bytes| fits(bytes, 64, &[1538; 9])), [1, 2]);
        assert_eq!([1, 2, 3].map(|frames| fits(MOST, frames, &[1538; 9])), [1, 2, 3]);
        // The length field of the HT delimiter has 12 bits.
        assert_eq!(fits(MOST, 64, &[4095, 4095, 4095]), 3);
        assert_eq!(fits(MOST, 64, &[4095, 4096, 4095]), 1);
        assert_eq!(fits(MOST, 64, &[4096, 90, 90]), 1);
        let vht = PsduLimits::new(&mode(PpduFormat::Vht, 7, 1, 20), MOST, 64, MAX_PPDU_TIME);
        assert_eq!(psdu(&vht, &[4096, 11_454, 11_455]).0, 2);
    }

    /// For every PSDU length, the largest PSDU within a time limit agrees with the airtime.
    #[test]
    fn an_ampdu_ends_with_the_last_mpdu_within_the_ppdu_time() {
        let modes = [
            mode(PpduFormat::Ht, 7, 1, 20),
            mode(PpduFormat::Vht, 0, 2, 20),
            mode(PpduFormat::He, 11, 1, 20),
        ];
        for (mode, time_us) in modes.iter().flat_map(|mode| [300, 2080, 5484].map(|us| (mode, us))) {
            let time = Span::from_micros(time_us);
            let limits = PsduLimits::new(mode, MOST, 2000, time);
            for mpdu in 60..1600 {
                let most = fill_psdu(&limits, std::iter::repeat_n(mpdu, 2000));
                let (frames, bytes) = (most.mpdu_count(), most.bytes());
                assert!(frames == 0 || mode.airtime(bytes) <= time, "{mode:?} {mpdu}");
                let more = if frames == 0 { limits.before_single + mpdu } else { most.padded + 4 + mpdu };
                let is_too_long = more > mode.settings().format.max_psdu_bytes();
                assert!(is_too_long || mode.airtime(more) > time, "{mode:?} {mpdu}");
            }
        }
    }

    /// Extreme values do not overflow.
    #[test]
    fn an_mpdu_of_extreme_length_does_not_fit() {
        let limits = PsduLimits::new(&mode(PpduFormat::He, 11, 8, 160), MOST, MOST, Span::from_secs(1000));
        assert_eq!(psdu(&limits, &[u32::MAX]), (0, 0));
        assert_eq!(psdu(&limits, &[90, u32::MAX]), (1, 94));
    }
}
