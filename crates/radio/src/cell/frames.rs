//! Frames of 802.11, the packets inside, and their reception.

use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Packet, Time};
use airhop_engine::Id;

/// A packet on its way into a station's MAC.
#[derive(Debug)]
pub struct Outgoing {
    /// Destination station, or [`BROADCAST`](super::BROADCAST).
    pub to: Station,
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP datagram, bytes.
    pub bytes: u32,
    /// Header bytes at the start: IP and transport.
    pub header: u32,
    /// Tag of the packet: its flow and number.
    pub tag: Tag,
    /// Fragment sizes that protect the packet's headers; `None`: one frame, or fragments by
    /// [`CellPlan::fragmentation`](super::CellPlan::fragmentation).
    pub fragments: Option<Fragmentation>,
}

/// Fragment sizes of LHP (Gao, Diggavi and Muthukrishnan 2003; Yun 2009 §2.1). The sizes are Airhop's: the seed papers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Bytes of the IP datagram in the first fragment; never less than its headers.
    pub first: u32,
    /// Upper bound of the bytes in each other fragment, unless that would make more than 16 fragments (IEEE 802.11-2016 §9.2.4.4.3).
    pub rest: u32,
}

/// Maximum number of fragments of a packet: the fragment number has four bits (IEEE 802.11-2016 §9.2.4.4.3).
pub(crate) const MOST_FRAGMENTS: u32 = 16;

/// Lengths of the frames that carry a packet, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Number of frames.
    pub count: u32,
    /// Length of each frame but the last.
    pub each: u32,
    /// Length of the last frame.
    pub last: u32,
}

impl Lengths {
    /// Computes the lengths for a packet that a single frame of `whole` bytes would carry, with `own` bytes of overhead in each fragment.
    /// All but the last are equally long and have an even number of bytes (IEEE 802.11-2016 §10.5), as many as `threshold` allows, unless
    /// that would make too many fragments.
    pub fn new(whole: u32, own: u32, threshold: u32) -> Self {
        if whole <= threshold {
            return Lengths { count: 1, each: whole, last: whole };
        }
        let body = whole - own;
        let least = body.div_ceil(MOST_FRAGMENTS).next_multiple_of(2);
        let part = (threshold.saturating_sub(own) & !1).max(least);
        let count = body.div_ceil(part);
        Lengths { count, each: own + part, last: own + body - (count - 1) * part }
    }
}

impl Default for Fragmentation {
    fn default() -> Self {
        Fragmentation { first: 100, rest: 256 }
    }
}

/// A transmission that just ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitted {
    /// The sending station.
    pub from: Station,
    /// The station addressed.
    pub to: Station,
    /// Kind of the frame.
    pub frame: FrameKind,
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Tag of the packet inside; of a control frame, of the packet that the exchange carries.
    pub tag: Tag,
    /// Number of the attempt at that packet; the first is 1.
    pub attempt: u32,
    /// Start of the transmission.
    pub start: Time,
    /// Reception at the station addressed.
    pub reception: Reception,
}

/// Reception of a frame at the station addressed, from worst to best; of a broadcast, the best reception at any station.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reception {
    /// Nothing: the station was outside the receive range.
    Unheard,
    /// Lost by bit errors.
    Channel,
    /// Lost by another signal, or because the station was transmitting.
    Collision,
    /// Received although another signal overlapped the frame; under [`Receiving::Lock`](super::Receiving::Lock), a later signal.
    Captured,
    /// Received without any other signal on the air.
    Received,
}

/// The kinds of 802.11 frames in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A data frame.
    Data,
    /// A data frame addressed to all stations.
    Broadcast,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Link-layer acknowledgement.
    Ack,
}
