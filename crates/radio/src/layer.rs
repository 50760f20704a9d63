//! Contract of the link layers: the packet that a layer accepts, the frames that it sends, and the effects
//! that it reports to the world.
//!
//! A layer joins stations: those of a [`Cell`](crate::cell::Cell), or the two ends of a
//! [`RadioLink`](crate::link::RadioLink), which are stations 0 and 1. Each station numbers its accepted
//! packets from 0, and may store several packets.

pub use crate::address::{BROADCAST, Station};
use crate::tag::Tag;
use airhop_base::{Drop, Packet, Span, Time};
use airhop_engine::Id;

/// Packet passed to a station.
#[derive(Debug)]
pub struct Outgoing {
    /// Destination station, or [`BROADCAST`].
    pub to: Station,
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP datagram, bytes.
    pub bytes: u32,
    /// Header bytes at the start: IP and transport.
    pub header: u32,
    /// Tag of the packet: its flow and sequence number.
    pub tag: Tag,
    /// Fragment sizes that protect the packet's headers, in a cell; `None`: one frame, or fragments by
    /// [`CellPlan::fragmentation`](crate::cell::CellPlan::fragmentation).
    pub fragments: Option<Fragmentation>,
}

/// Fragment sizes of LHP (Gao, Diggavi and Muthukrishnan 2003; Yun 2009 §2.1). The sizes are Airhop's: the
/// papers state none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Bytes of the IP datagram in the first fragment; at least its headers.
    pub first: u32,
    /// Maximum number of bytes in each later fragment, unless this would require more than 16 fragments (IEEE
    /// 802.11-2016 §9.2.4.4.3).
    pub rest: u32,
}

impl Default for Fragmentation {
    fn default() -> Self {
        Fragmentation { first: 100, rest: 256 }
    }
}

/// Transmission of a frame that just ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitted {
    /// The sending station.
    pub from: Station,
    /// The station addressed.
    pub to: Station,
    /// Kind of the frame.
    pub frame: FrameKind,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// Tag of the packet in the frame. A control frame has the tag of the packet that it serves, an A-MPDU
    /// that of its first packet, and a BlockAckReq no flow and its starting sequence number.
    pub tag: Tag,
    /// Number of that packet at its station; `None` for a control frame of a radio link, and for a
    /// BlockAckReq and its response.
    pub number: Option<u64>,
    /// Attempt number at that packet, from 1.
    pub attempt: u32,
    /// Start of the transmission.
    pub start: Time,
    /// Reception at the station addressed.
    pub reception: Reception,
}

/// MPDU of a transmission that just ended, in a cell that aggregates; one for each packet of an A-MSDU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SentMpdu {
    /// The sending station.
    pub from: Station,
    /// Position in the A-MPDU, from 0; 0 for a single MPDU.
    pub place: u32,
    /// Place of the packet in the A-MSDU, from 0; 0 for a packet alone in its MPDU.
    pub msdu: u32,
    /// Sequence number under the Block Ack agreement, from 0; on the air modulo 4096.
    pub sequence: u64,
    /// Tag of the packet in the MPDU.
    pub tag: Tag,
    /// Number of that packet at its station.
    pub number: u64,
    /// Length of the MPDU, bytes, without delimiter and padding.
    pub bytes: u32,
    /// Attempt number of this transmission, from 1.
    pub attempt: u32,
    /// Reception at the station addressed.
    pub reception: Reception,
}

/// Frame that did not reach the addressed station.
#[derive(Debug)]
pub struct LostFrame {
    /// The station that sent the frame.
    pub from: Station,
    /// The station addressed.
    pub to: Station,
    /// Kind of the frame.
    pub frame: FrameKind,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// Tag of the packet in the frame; for a control frame, of the packet that it serves.
    pub tag: Tag,
    /// Number of that packet at its station; `None`: a control frame of a radio link.
    pub number: Option<u64>,
    /// Place of the packet in an A-MSDU, from 0. Each packet of a lost A-MSDU has an effect of its own.
    pub msdu: u32,
    /// Cause of the loss: `Channel` or `Collision`.
    pub cause: Drop,
    /// True if the bit errors of a data frame left its headers intact; always false for a collision.
    pub header_intact: bool,
    /// The packet itself if the loss of the frame is the loss of the packet, as on a radio link without
    /// recovery.
    pub packet: Option<Id<Packet>>,
}

/// Reception of a frame at the addressed station, from worst to best; for a broadcast, the best reception at
/// any station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reception {
    /// No reception: the station was outside the receive range.
    Unheard,
    /// Loss by bit errors.
    Channel,
    /// Loss by another signal, or because the station was transmitting.
    Collision,
    /// Reception although another signal overlapped the frame; under
    /// [`Receiving::Lock`](crate::cell::Receiving::Lock), a later signal.
    Captured,
    /// Reception without any other signal on the air.
    Received,
}

/// Kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Data frame.
    Data,
    /// Data frame addressed to all stations.
    Broadcast,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Link-layer acknowledgement; on a radio link, every frame without a packet.
    Ack,
    /// A-MPDU: several data frames to one station.
    Ampdu,
    /// Request for a BlockAck.
    BlockAckReq,
    /// Acknowledgement of the MPDUs of an A-MPDU.
    BlockAck,
}

impl FrameKind {
    /// True for frames that the addressed station answers.
    pub const fn is_answered(self) -> bool {
        matches!(self, FrameKind::Rts | FrameKind::Data | FrameKind::Ampdu | FrameKind::BlockAckReq)
    }

    /// True for frames that answer another frame, a SIFS later.
    pub const fn is_answer(self) -> bool {
        matches!(self, FrameKind::Cts | FrameKind::Ack | FrameKind::BlockAck)
    }

    /// True for frames that carry packets.
    pub const fn has_data(self) -> bool {
        matches!(self, FrameKind::Data | FrameKind::Broadcast | FrameKind::Ampdu)
    }
}

/// Effects that a layer reports to the world, in chronological order. `from` is always the station that sent
/// the packet, `to` the addressed station, `tag` the tag of the packet, and `number` its number at `from`.
#[derive(Debug)]
pub enum LinkEffect {
    /// First reception of a packet. Duplicates that follow lost link ACKs are filtered (IEEE 802.11-2016 §10.3.2.14); a radio link delivers
    /// in order.
    Deliver {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
        /// Contention time: from the packet's arrival in the MAC to the start of the exchange that delivered
        /// it. Zero on a radio link.
        contended: Span,
    },
    /// Reception of a broadcast: one effect for each receiving station, before [`LinkEffect::Broadcast`].
    Heard {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Number of the packet.
        number: u64,
    },
    /// End of a broadcast.
    Broadcast {
        /// The sending station.
        from: Station,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Failure of an attempt as known to the sender: no CTS or link ACK arrived in time, or the link ACKs
    /// report a loss.
    AttemptFailed {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: Tag,
        /// Number of the attempt that failed; the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// Link ACK: the sending station knows that a packet arrived.
    Acknowledged {
        /// The sending station.
        from: Station,
        /// The station that has the packet.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Discard of a packet by the sending station. `packet` is `None` if the packet had arrived and only its
    /// link ACKs were lost; the other end of a radio link may still store it behind a gap, and deliver it
    /// later.
    Discarded {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// Discard of a packet by the receiving station, which then delivers the packets behind it.
    GivenUp {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Notice of [`LinkEffect::GivenUp`] at the sending station.
    Aborted {
        /// The sending station.
        from: Station,
        /// The station that discarded the packet.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Discard by the sending station of a packet of which the receiving station has the first fragment but
    /// not all others: the receiver has the headers of the lost packet. Reported just before
    /// [`LinkEffect::Discarded`].
    HeaderOnly {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Number of the packet.
        number: u64,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Loss of a frame on the way to the station addressed.
    FrameLost(LostFrame),
    /// Begin of a fade, as detected by the sending end of a radio link from missing link ACKs. Reported
    /// before the failures of attempts.
    FadeStart {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
    },
    /// End of a fade: a link ACK arrived again.
    FadeEnd {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Duration without a link ACK, from [`LinkEffect::FadeStart`].
        lasted: Span,
    },
    /// End of a frame's transmission, reported only after a call of `report_transmissions`. Precedes the effects that
    /// follow from it.
    Transmitted(Transmitted),
    /// Packet in an MPDU of the transmission just reported by [`LinkEffect::Transmitted`], in the order of the
    /// MPDUs' positions and of the packets in them.
    Mpdu(SentMpdu),
    /// Readiness of a station that was full: it accepts packets again.
    Ready(Station),
}
