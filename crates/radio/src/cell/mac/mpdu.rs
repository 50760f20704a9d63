//! MPDUs of an A-MPDU on the air.
use crate::tag::Tag;

/// MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Sequence number under the Block Ack agreement; on the air modulo 4096.
    pub seq: u64,
    /// Number of the MPDU's packet at the sending station.
    pub number: u64,
    pub tag: Tag,
    /// Length of the MPDU, bytes.
    pub bytes: u32,
    /// Length of the headers at the start, bytes.
    pub header: u32,
    /// Attempt number of this transmission, from 1.
    pub attempt: u32,
}
