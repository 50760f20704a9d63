//! MPDUs of an A-MPDU on the air.
use crate::tag::Tag;

/// MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Sequence number under the Block Ack agreement; the air has it modulo 4096.
    pub seq: u64,
    /// Number of its packet at the sending station.
    pub number: u64,
    pub tag: Tag,
    /// Length of the MPDU, bytes.
    pub bytes: u32,
    /// Header bytes at the start.
    pub header: u32,
    /// Number of this transmission of it, from 1.
    pub attempt: u32,
}
