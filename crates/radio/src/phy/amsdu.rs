//! A-MSDU: MSDUs in one MPDU (IEEE 802.11-2020 §9.3.2.2.2).
use super::ampdu::{MPDU_LIMITS, QOS_MAC_BYTES};
use super::format::Format;

/// Header of a subframe, bytes: destination, source, length.
pub const SUBFRAME_HEADER_BYTES: u32 = 14;

/// Returns the maximum A-MSDU lengths that a receiver may announce, bytes, ascending. In VHT and HE they
/// follow from the maximum MPDU lengths, less MAC header and FCS (IEEE 802.11-2020 §9.4.2.55.2,
/// §9.4.2.157.2).
pub const fn limits(format: Format) -> &'static [u32] {
    const OF_VHT: &[u32] =
        &[MPDU_LIMITS[0] - QOS_MAC_BYTES, MPDU_LIMITS[1] - QOS_MAC_BYTES, MPDU_LIMITS[2] - QOS_MAC_BYTES];
    match format {
        Format::Ht => &[3839, 7935],
        Format::Vht | Format::He => OF_VHT,
    }
}

/// Body of a QoS Data frame that grows MSDU by MSDU: a single MSDU is sent as such, several as an A-MSDU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// Number of MSDUs.
    frames: u32,
    /// Length of the body, bytes.
    bytes: u32,
    /// Length of the body with the padding that a further subframe would require, bytes.
    padded: u32,
}

impl Body {
    /// Appends an MSDU of `msdu` bytes, LLC and SNAP included. False if the A-MSDU would exceed `limit`
    /// bytes; then the body is unchanged. The limit does not apply to a single MSDU.
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
    pub fn frames(&self) -> u32 {
        self.frames
    }

    /// Returns the length, bytes.
    pub fn bytes(&self) -> u32 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(limit: u32, lengths: impl IntoIterator<Item = u32>) -> (u32, u32) {
        let mut body = Body::default();
        let _ = lengths.into_iter().all(|msdu| body.push(msdu, limit));
        (body.frames(), body.bytes())
    }

    /// The subframe of an MSDU of 1508 bytes has 1522 bytes, and 2 bytes of padding.
    #[test]
    fn subframes_are_padded_but_the_last() {
        assert_eq!(body(7935, [1508]), (1, 1508), "one MSDU has no subframe");
        assert_eq!(body(7935, [1508, 1508]), (2, 1524 + 1522));
        assert_eq!(body(7935, [1508, 60, 1508]), (3, 1524 + 76 + 1522));
    }

    #[test]
    fn the_limit_is_to_the_byte() {
        assert_eq!([3045, 3046].map(|limit| body(limit, [1508; 9]).0), [1, 2]);
        let fits = |format| limits(format).iter().map(|limit| body(*limit, [1508; 9])).collect::<Vec<_>>();
        assert_eq!(fits(Format::Ht), [(2, 3046), (5, 7618)]);
        assert_eq!(fits(Format::Vht), [(2, 3046), (5, 7618), (7, 10_666)]);
        assert_eq!(body(100, [1508, 1508]), (1, 1508), "not of a single MSDU");
        assert_eq!(limits(Format::He).iter().map(|most| most + 30).collect::<Vec<_>>(), MPDU_LIMITS);
    }

    /// No value overflows at the extremes.
    #[test]
    fn an_absurd_msdu_does_not_fit() {
        assert_eq!(body(7935, [90, u32::MAX]), (1, 90));
        assert_eq!(body(7935, [u32::MAX, 90]).0, 1);
    }
}
