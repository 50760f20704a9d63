//! MAC header of an 802.11 frame, for captures.

use crate::Span;

/// Fields of an 802.11 frame that are recorded only for captures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MacHeader {
    /// Duration field: time for which the medium is reserved after the end of the frame.
    pub duration: Span,
    /// Number of packets in a PPDU whose MPDUs belong to a Block Ack agreement; 0 for other frames.
    pub packets: u32,
    /// Part of the packet in a data frame outside Block Ack agreements.
    pub fragment: Fragment,
    /// Starting sequence number of a BlockAckReq or BlockAck; on the air it is modulo 4096.
    pub start: u64,
    /// Bitmap of a BlockAck: bit i of word j is set if MPDU `start + 64 j + i` was received.
    pub bitmap: [u64; 4],
}

/// Part of an MSDU (LLC, SNAP and packet) in a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Fragment number.
    pub number: u8,
    /// True if no later fragment exists.
    pub is_last: bool,
    /// First byte of the part.
    pub start: u32,
    /// Length of the part, bytes. The MSDU may end before the end of its last part.
    pub bytes: u32,
}

impl Default for Fragment {
    /// Returns the part that is the whole MSDU.
    fn default() -> Self {
        Fragment { number: 0, is_last: true, start: 0, bytes: u32::MAX }
    }
}
