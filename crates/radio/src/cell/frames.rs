//! Number and lengths of a packet's fragments.

/// Maximum number of fragments of a packet, as the fragment number has four bits (IEEE 802.11-2016
/// §9.2.4.4.3).
pub(crate) const MOST_FRAGMENTS: u32 = 16;

/// Lengths of the frames that carry a packet, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Number of frames.
    pub count: u32,
    /// Length of each frame except the last.
    pub each: u32,
    /// Length of the last frame.
    pub last: u32,
    /// Overhead of each frame, included in its length.
    pub own: u32,
}

impl Lengths {
    /// Computes the lengths of a packet's fragments in bytes. `whole`: length of a single frame with the
    /// packet; `own`: overhead of each fragment. All fragments except the last have the largest even length
    /// that `threshold` permits (IEEE 802.11-2016 §10.5). The length is larger if the packet would otherwise
    /// need more than 16 fragments.
    pub fn new(whole: u32, own: u32, threshold: u32) -> Self {
        if whole <= threshold {
            return Lengths { count: 1, each: whole, last: whole, own };
        }
        let body = whole - own;
        let least = body.div_ceil(MOST_FRAGMENTS).next_multiple_of(2);
        let part = (threshold.saturating_sub(own) & !1).max(least);
        let count = body.div_ceil(part);
        Lengths { count, each: own + part, last: own + body - (count - 1) * part, own }
    }
}
