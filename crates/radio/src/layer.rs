//! Contract of the link layers: accepted packets, sent frames, and effects that are reported to the world.
//!
//! A layer connects stations: those of a [`Cell`](crate::cell::Cell), or the two ends of a
//! [`RadioLink`](crate::link::RadioLink) as stations 0 and 1. Each station numbers its accepted packets from
//! 0, and may store several packets.

pub use crate::address::{BROADCAST, StationIndex};
use crate::tag::PacketTag;
use airhop_base::{AccessCategory, DropCause, Packet, Span, Time};
use airhop_engine::Id;

/// Packet that the world passes to a station for transmission.
#[derive(Debug)]
pub struct OutgoingPacket {
    /// Destination station, or [`BROADCAST`].
    pub to: StationIndex,
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP packet, bytes.
    pub bytes: u32,
    /// Length of the headers at the start, IP and transport, bytes.
    pub header_bytes: u32,
    /// Tag of the packet: its flow and sequence number.
    pub tag: PacketTag,
    /// Access category of the packet, in a cell with EDCA.
    pub category: AccessCategory,
    /// Fragment sizes that protect the packet's headers (LHP), in a cell. `None`: a single frame, or
    /// fragments by [`CellPlan::fragmentation_threshold`](crate::cell::CellPlan::fragmentation_threshold).
    pub fragmentation: Option<Fragmentation>,
}

/// Fragment sizes of LHP (Gao, Diggavi and Muthukrishnan 2003; Yun 2009 §2.1). The sizes are Airhop's choice,
/// because the papers state none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Bytes of the IP packet in the first fragment, at least its headers.
    pub first_bytes: u32,
    /// Maximum number of bytes in each later fragment. Later fragments are longer if the packet would
    /// otherwise need more than 16 fragments (IEEE 802.11-2016 §9.2.4.4.3).
    pub max_later_bytes: u32,
}

impl Default for Fragmentation {
    fn default() -> Self {
        Fragmentation { first_bytes: 100, max_later_bytes: 256 }
    }
}

/// Transmission of a frame that has just ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentFrame {
    /// The sending station.
    pub from: StationIndex,
    /// The addressed station.
    pub to: StationIndex,
    /// Kind of the frame.
    pub kind: FrameKind,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// Tag of the frame's packet. An A-MPDU has the tag of its first packet, and a control frame the tag of
    /// the packet to which it belongs. The tag of a BlockAckReq has no flow. Its sequence number is the
    /// starting sequence number.
    pub tag: PacketTag,
    /// Number of the tagged packet at its station. `None` for a control frame of a radio link, and in a cell
    /// for a BlockAckReq, the BlockAck in response, and a CF-End.
    pub packet_number: Option<u64>,
    /// Number of the transmission attempt of the tagged packet, from 1.
    pub attempt: u32,
    /// Start of the transmission.
    pub start: Time,
    /// Access category of the exchange; `None` without EDCA.
    pub category: Option<AccessCategory>,
    /// Reception of the frame at the addressed station.
    pub reception: Reception,
}

/// Packet in an MPDU of a transmission that has just ended, in a cell that aggregates. An MPDU with an A-MSDU
/// has one `SentMpdu` for each of its packets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentMpdu {
    /// The sending station.
    pub from: StationIndex,
    /// Position of the MPDU in the A-MPDU, from 0; 0 for a single MPDU.
    pub mpdu_index: u32,
    /// Position of the packet in the A-MSDU, from 0; 0 for the only packet of its MPDU.
    pub msdu_index: u32,
    /// Sequence number in the Block Ack agreement, from 0; on the air it is modulo 4096.
    pub sequence: u64,
    /// Tag of the packet.
    pub tag: PacketTag,
    /// Number of the packet at its station.
    pub packet_number: u64,
    /// Length of the MPDU, bytes, without delimiter and padding.
    pub bytes: u32,
    /// Number of this attempt, from 1.
    pub attempt: u32,
    /// Reception at the addressed station.
    pub reception: Reception,
}

/// Frame that did not reach the addressed station.
#[derive(Debug)]
pub struct LostFrame {
    /// The sending station.
    pub from: StationIndex,
    /// The addressed station.
    pub to: StationIndex,
    /// Kind of the frame.
    pub kind: FrameKind,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// Tag of the frame's packet; a control frame has the tag of the packet to which it belongs.
    pub tag: PacketTag,
    /// Number of the tagged packet at its station; `None` for a control frame of a radio link.
    pub packet_number: Option<u64>,
    /// Position of the packet in its A-MSDU, from 0. If an A-MSDU is lost, each of its packets is reported.
    pub msdu_index: u32,
    /// Cause of the loss: `Channel` or `Collision`.
    pub cause: DropCause,
    /// True if the bit errors of a data frame are all after its headers; always false for a collision.
    pub is_header_intact: bool,
    /// The packet, if it is lost together with the frame, as on a radio link without recovery; else `None`.
    pub packet: Option<Id<Packet>>,
}

/// Reception of a frame at the addressed station, from worst to best. For a broadcast, the best reception of
/// all stations counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reception {
    /// Not sensed as a frame: the station was outside the receive range.
    Unheard,
    /// Lost by bit errors.
    Channel,
    /// Lost by another signal, or because the station was transmitting.
    Collision,
    /// Received although another signal overlapped the frame. With
    /// [`InterferenceRule::Lock`](crate::cell::InterferenceRule::Lock) only signals that began later count.
    Captured,
    /// Received without an overlapping signal.
    Received,
}

/// Kinds of frames. Kinds with a common property are adjacent, so that one comparison tests for the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Request to send.
    Rts,
    /// Request for a BlockAck.
    BlockAckReq,
    /// Data frame.
    Data,
    /// A-MPDU: several data frames to one station.
    Ampdu,
    /// Data frame addressed to all stations.
    Broadcast,
    /// CF-End, addressed to all stations: ends a TXOP, and cancels the rest of its reservation.
    CfEnd,
    /// Clear to send.
    Cts,
    /// Link-layer acknowledgement; on a radio link, every frame without a packet.
    Ack,
    /// Acknowledgement of the MPDUs of an A-MPDU.
    BlockAck,
}

impl FrameKind {
    /// True for frames to which the addressed station responds.
    pub const fn expects_response(self) -> bool {
        matches!(self, FrameKind::Rts | FrameKind::Data | FrameKind::Ampdu | FrameKind::BlockAckReq)
    }

    /// True for frames that are sent in response to another frame, one SIFS later.
    pub const fn is_response(self) -> bool {
        matches!(self, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
    }

    /// True for frames that carry packets.
    pub const fn carries_packets(self) -> bool {
        matches!(self, FrameKind::Data | FrameKind::Broadcast | FrameKind::Ampdu)
    }
}

/// Effects that a link layer reports to the world, in chronological order. `from`: station that sent the
/// packet; `to`: addressed station; `tag`: tag of the packet; `number`: number of the packet at `from`.
#[derive(Debug)]
pub enum LinkEffect {
    /// First reception of a packet. Duplicates after lost link ACKs are not reported (IEEE 802.11-2016
    /// §10.3.2.14). A radio link delivers in order.
    Deliver {
        /// The sending station.
        from: StationIndex,
        /// The receiving station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
        /// Contention time of the packet: from its arrival in the MAC to the start of the successful
        /// exchange. Zero on a radio link.
        contended: Span,
    },
    /// Reception of a broadcast by one station. The effects of all receiving stations precede
    /// [`LinkEffect::Broadcast`].
    Heard {
        /// The sending station.
        from: StationIndex,
        /// The receiving station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
    },
    /// End of a broadcast. The packet has left the station.
    Broadcast {
        /// The sending station.
        from: StationIndex,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Failure of an attempt, as the sender observes it: a CTS or link ACK has not arrived in time, or a link
    /// ACK or NAK reports the loss.
    AttemptFailed {
        /// The sending station.
        from: StationIndex,
        /// The addressed station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: PacketTag,
        /// Number of the failed attempt, from 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// Arrival of a link ACK: the sending station learns that the packet was received.
    Acknowledged {
        /// The sending station.
        from: StationIndex,
        /// The station that has received the packet.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: PacketTag,
    },
    /// Discard of a packet by the sending station. `packet` is `None` if only link ACKs were lost and the
    /// receiving station has the packet. On a radio link, the receiver may still wait for an earlier packet,
    /// and deliver this packet later.
    Discarded {
        /// The sending station.
        from: StationIndex,
        /// The addressed station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: PacketTag,
        /// The packet; `None` if it has arrived at the receiving station.
        packet: Option<Id<Packet>>,
    },
    /// Discard of a missing packet by the receiving station. The station then delivers the later packets.
    GivenUp {
        /// The sending station.
        from: StationIndex,
        /// The receiving station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Arrival of the receiver's report of a [`LinkEffect::GivenUp`] packet at the sending station.
    Aborted {
        /// The sending station.
        from: StationIndex,
        /// The station that discarded the packet.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: PacketTag,
    },
    /// Partial reception of a packet that is about to be discarded: the receiving station has the first
    /// fragment, and therefore the headers, but not all other fragments. Reported just before
    /// [`LinkEffect::Discarded`].
    HeaderOnly {
        /// The sending station.
        from: StationIndex,
        /// The receiving station.
        to: StationIndex,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: PacketTag,
    },
    /// Loss of a frame on its way to the addressed station.
    FrameLost(LostFrame),
    /// Start of a fade: the first missing response at the sending station. Reported before the failed
    /// attempts themselves.
    FadeStart {
        /// The sending station.
        from: StationIndex,
        /// The addressed station.
        to: StationIndex,
    },
    /// End of a fade: a link ACK has arrived at the sending station.
    FadeEnd {
        /// The sending station.
        from: StationIndex,
        /// The addressed station.
        to: StationIndex,
        /// Time without a link ACK, from [`LinkEffect::FadeStart`].
        lasted: Span,
    },
    /// End of a frame's transmission, before the effects that it causes. Reported only after a call of
    /// `enable_transmission_reports`.
    Transmitted(SentFrame),
    /// Packet in an MPDU of the last [`LinkEffect::Transmitted`]. Packets are reported in the order of the
    /// MPDUs, and in order within each MPDU.
    Mpdu(SentMpdu),
    /// Room for packets of this category at a station that was full. On a radio link, the room is for packets
    /// of any category.
    Ready(StationIndex, AccessCategory),
}
