//! MPDUs of an A-MPDU on the air.
use crate::tag::PacketTag;

/// MPDU of an A-MPDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Sequence number in the Block Ack agreement; on the air it is modulo 4096.
    pub seq: u64,
    /// Number of the MPDU's first packet at the sending station.
    pub first_packet_number: u64,
    pub tag: PacketTag,
    /// Length of the MPDU, bytes.
    pub bytes: u32,
    /// Length of the headers at the start of the MPDU, bytes.
    pub header_bytes: u32,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// Number of further packets in the MPDU, after the first; 0 without A-MSDU.
    pub additional_packets: u32,
}

/// Packet of an A-MSDU.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Msdu {
    /// Number of the packet at the sending station.
    pub packet_number: u64,
    pub tag: PacketTag,
}
