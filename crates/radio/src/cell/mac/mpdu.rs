//! MPDUs of an A-MPDU on the air.
use crate::tag::Tag;

/// MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Sequence number under the Block Ack agreement; on the air modulo 4096.
    pub seq: u64,
    /// Number of its first packet at the sending station.
    pub number: u64,
    pub tag: Tag,
    /// Length of the MPDU, bytes.
    pub bytes: u32,
    /// Length of the headers at the start, bytes.
    pub header: u32,
    /// Attempt number of this transmission, from 1.
    pub attempt: u32,
    /// Number of packets of its A-MSDU after the first.
    pub others: u32,
}

/// Packet of an A-MSDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Msdu {
    /// Number of the packet at the sending station.
    pub number: u64,
    pub tag: Tag,
}
