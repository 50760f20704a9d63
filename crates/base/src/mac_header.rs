//! MAC header of an 802.11 frame, for captures.

use crate::Span;

/// Fields of an 802.11 frame that are recorded only for captures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MacHeader {
    /// Duration field: time after the end of the frame for which the medium is reserved.
    pub duration: Span,
    /// Number of packets in a PPDU under a Block Ack agreement; 0 for other frames.
    pub ppdu_packets: u32,
    /// Fragment in a data frame without a Block Ack agreement.
    pub fragment: Fragment,
    /// Full starting sequence number of a BlockAckReq or BlockAck. The frame carries the number modulo 4096.
    pub starting_sequence: u64,
    /// Bitmap of a BlockAck: bit i of word j is set if MPDU `start + 64 j + i` was received.
    pub bitmap: [u64; 4],
}

/// Fragment of an MSDU (LLC, SNAP and packet) in a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Fragment number.
    pub number: u8,
    /// True for the last fragment.
    pub is_last: bool,
    /// Offset of the fragment's first byte in the MSDU.
    pub offset: u32,
    /// Fragment length in bytes. The MSDU may end before the end of the last fragment.
    pub bytes: u32,
}

impl Default for Fragment {
    /// Returns a single fragment that covers the whole MSDU.
    fn default() -> Self {
        Fragment { number: 0, is_last: true, offset: 0, bytes: u32::MAX }
    }
}
