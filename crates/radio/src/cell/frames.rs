//! Number and lengths of a packet's fragments.

/// Maximum number of fragments of a packet, as the fragment number has four bits (IEEE 802.11-2016
/// §9.2.4.4.3).
pub(crate) const MAX_FRAGMENTS: u32 = 16;

/// Lengths of the frames that carry a packet, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameLengths {
    /// Number of frames.
    pub count: u32,
    /// Length of each frame except the last.
    pub frame_bytes: u32,
    /// Length of the last frame.
    pub last_frame_bytes: u32,
    /// Overhead of each frame, included in its length.
    pub overhead_bytes: u32,
}

impl FrameLengths {
    /// Computes the lengths of a packet's fragments in bytes. `whole`: length of a single frame with the
    /// packet; `own`: overhead of each fragment. All fragments except the last have the largest even length
    /// that `threshold` permits (IEEE 802.11-2016 §10.5). The length is larger if the packet would otherwise
    /// need more than 16 fragments.
    pub fn new(whole: u32, own: u32, threshold: u32) -> Self {
        if whole <= threshold {
            return FrameLengths {
                count: 1,
                frame_bytes: whole,
                last_frame_bytes: whole,
                overhead_bytes: own,
            };
        }
        let body = whole - own;
        let least = body.div_ceil(MAX_FRAGMENTS).next_multiple_of(2);
        let part = (threshold.saturating_sub(own) & !1).max(least);
        let count = body.div_ceil(part);
        FrameLengths {
            count,
            frame_bytes: own + part,
            last_frame_bytes: own + body - (count - 1) * part,
            overhead_bytes: own,
        }
    }
}
