//! A-MSDU: several MSDUs in one MPDU (IEEE 802.11-2020 §9.3.2.2.2).
use super::ampdu::{DELIMITER_BYTES, MAX_HT_MPDU_BYTES, MAX_MPDU_BYTES, QOS_MAC_OVERHEAD_BYTES};
use super::format::{MAX_PPDU_TIME, PpduFormat};
use super::mode::TxMode;

/// Length of a subframe header in bytes: destination, source, length.
pub const SUBFRAME_HEADER_BYTES: u32 = 14;

/// Returns the maximum length in bytes of an A-MSDU in an A-MPDU.
///
/// HT receivers announce 3839 or 7935 bytes, but an MPDU in an A-MPDU has at most 4095 bytes (IEEE
/// 802.11-2020 §9.4.2.55.2, §9.7.1). VHT and HE limit the MPDU with header and FCS to 11454 bytes
/// (§9.4.2.157.2).
pub const fn max_amsdu_bytes(format: PpduFormat) -> u32 {
    match format {
        PpduFormat::Ht => MAX_HT_MPDU_BYTES - QOS_MAC_OVERHEAD_BYTES,
        PpduFormat::Vht | PpduFormat::He => MAX_MPDU_BYTES[2] - QOS_MAC_OVERHEAD_BYTES,
    }
}

/// Lengths for packing one or more MSDUs into an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MpduFraming {
    /// Maximum length of an A-MSDU in bytes. With 0, every MPDU has a single MSDU.
    pub max_amsdu_bytes: u32,
    /// Length of the MAC header and FCS of an MPDU, in bytes.
    pub mac_header_bytes: u32,
    /// Length of LLC and SNAP before each packet, in bytes.
    pub llc_header_bytes: u32,
}

impl MpduFraming {
    /// Creates the framing for packets to which MAC and LLC add `overhead` bytes. An A-MSDU has at most
    /// `amsdu` bytes. The MPDU fits into an A-MPDU of `ampdu` bytes and into the longest PPDU of `mode`.
    pub fn new(mode: &TxMode, amsdu: u32, ampdu: u32, overhead: u32) -> MpduFraming {
        let mac = overhead.min(QOS_MAC_OVERHEAD_BYTES);
        let longest = mode.max_psdu_bytes(MAX_PPDU_TIME).min(ampdu);
        MpduFraming {
            max_amsdu_bytes: amsdu.min(longest.saturating_sub(DELIMITER_BYTES + mac)),
            mac_header_bytes: mac,
            llc_header_bytes: overhead - mac,
        }
    }

    /// Appends a packet of `bytes` bytes to the body of an MPDU. Returns false and leaves the body unchanged
    /// if the A-MSDU would be too long.
    pub fn append(&self, body: &mut MpduBody, bytes: u32) -> bool {
        body.push(bytes.saturating_add(self.llc_header_bytes), self.max_amsdu_bytes)
    }

    /// Returns the length of an MPDU with this body in bytes.
    pub fn mpdu_bytes(&self, body: &MpduBody) -> u32 {
        body.bytes().saturating_add(self.mac_header_bytes)
    }
}

/// Body of a QoS Data frame under construction, to which MSDUs are appended. The body is either a single MSDU
/// without a subframe header, or an A-MSDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MpduBody {
    /// Number of MSDUs.
    frames: u32,
    /// Length of the body in bytes.
    bytes: u32,
    /// Length in bytes if the last subframe is also padded. Padding is added when another subframe follows.
    padded: u32,
}

impl MpduBody {
    /// Appends an MSDU of `msdu` bytes, LLC and SNAP included, and returns true. Returns false and leaves the
    /// body unchanged if the A-MSDU would exceed `limit` bytes. The limit does not apply to a single MSDU.
    pub fn push(&mut self, msdu: u32, limit: u32) -> bool {
        let subframe = SUBFRAME_HEADER_BYTES.saturating_add(msdu);
        let bytes = self.padded.saturating_add(subframe);
        if self.frames > 0 && bytes > limit {
            return false;
        }
        self.bytes = if self.frames == 0 { msdu } else { bytes };
        self.frames += 1;
        self.padded = bytes.checked_next_multiple_of(4).unwrap_or(u32::MAX);
        true
    }

    /// Returns the number of MSDUs.
    pub fn msdu_count(&self) -> u32 {
        self.frames
    }

    /// Returns the length of the body in bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Band, TxSettings};
    use super::*;
    use airhop_base::Span;

    fn body(limit: u32, lengths: impl IntoIterator<Item = u32>) -> (u32, u32) {
        let mut body = MpduBody::default();
        let _ = lengths.into_iter().all(|msdu| body.push(msdu, limit));
        (body.msdu_count(), body.bytes())
    }

    /// The subframe of an MSDU of 1508 bytes has 1522 bytes and 2 bytes of padding.
    #[test]
    fn all_amsdu_subframes_but_the_last_are_padded() {
        assert_eq!(body(7935, [1508]), (1, 1508), "a single MSDU has no subframe");
        assert_eq!(body(7935, [1508, 1508]), (2, 1524 + 1522));
        assert_eq!(body(7935, [1508, 60, 1508]), (3, 1524 + 76 + 1522));
    }

    #[test]
    fn the_amsdu_limit_is_exact_to_the_byte() {
        assert_eq!([3045, 3046].map(|limit| body(limit, [1508; 9]).0), [1, 2]);
        assert_eq!([3839, 7935].map(|limit| body(limit, [1508; 9])), [(2, 3046), (5, 7618)]);
        assert_eq!(body(100, [1508, 1508]), (1, 1508), "not for a single MSDU");
        assert_eq!(PpduFormat::ALL.map(max_amsdu_bytes), [4065, 11_424, 11_424]);
        assert_eq!(PpduFormat::ALL.map(|format| body(max_amsdu_bytes(format), [1508; 9]).0), [2, 7, 7]);
    }

    /// The A-MSDU fits into the A-MPDU and into the longest PPDU: at 6.5 Mbit/s, 5.484 ms carry 4425 bytes.
    #[test]
    fn an_amsdu_fits_into_its_ampdu_and_ppdu_time() {
        let mode = |mcs| {
            let (format, band, guard) = (PpduFormat::Vht, Band::Ghz5, Span::from_nanos(800));
            TxMode::new(TxSettings { format, band, mcs, streams: 1, width_mhz: 20, guard_interval: guard })
                .unwrap()
        };
        let limit = |mcs, amsdu, ampdu| MpduFraming::new(&mode(mcs), amsdu, ampdu, 38).max_amsdu_bytes;
        assert_eq!(limit(8, 11_424, u32::MAX), 11_424);
        assert_eq!(limit(8, 11_424, 8191), 8191 - 34);
        assert_eq!(limit(0, 11_424, u32::MAX), mode(0).max_psdu_bytes(MAX_PPDU_TIME) - 34);
        assert_eq!(limit(0, 0, u32::MAX), 0);
        assert_eq!(
            MpduFraming::new(&mode(8), 7935, u32::MAX, 38),
            MpduFraming { max_amsdu_bytes: 7935, mac_header_bytes: 30, llc_header_bytes: 8 }
        );
        assert_eq!(
            MpduFraming::new(&mode(8), 7935, 20, 20),
            MpduFraming { max_amsdu_bytes: 0, mac_header_bytes: 20, llc_header_bytes: 0 }
        );
    }

    /// Extreme values do not overflow.
    #[test]
    fn an_msdu_of_extreme_length_does_not_fit() {
        assert_eq!(body(7935, [90, u32::MAX]), (1, 90));
        assert_eq!(body(7935, [u32::MAX, 90]).0, 1);
    }
}
