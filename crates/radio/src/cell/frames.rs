//! Frames of 802.11, the packets that go into them, and what becomes of them.

use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Packet, Time};
use airhop_engine::Id;

/// A packet on its way into a station's MAC.
#[derive(Debug)]
pub struct Outgoing {
    /// The station it is for, or [`BROADCAST`](super::BROADCAST).
    pub to: Station,
    /// The packet.
    pub packet: Id<Packet>,
    /// Length of the IP datagram, bytes.
    pub bytes: u32,
    /// Header bytes at the start: IP and transport.
    pub header: u32,
    /// What it is.
    pub tag: Tag,
    /// How the MAC cuts it into fragments that protect its headers; `None`: it goes in one frame, or as
    /// [`CellPlan::fragmentation`](super::CellPlan::fragmentation) says.
    pub fragments: Option<Fragmentation>,
}

/// The sizes of the fragments that LHP sends a packet in (Gao, Diggavi and Muthukrishnan 2003; Yun 2009 §2.1). The sizes are
/// Airhop's: the seed papers have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragmentation {
    /// Bytes of the IP datagram in the first fragment; never less than its headers.
    pub first: u32,
    /// In the others at most, unless that would make more than 16 fragments (IEEE 802.11-2016 §9.2.4.4.3).
    pub rest: u32,
}

/// Fragments of a packet at most: the fragment number has four bits (IEEE 802.11-2016 §9.2.4.4.3).
pub(crate) const MOST_FRAGMENTS: u32 = 16;

/// The lengths of the frames that a packet goes in, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// How many.
    pub count: u32,
    /// Of each but the last.
    pub each: u32,
    /// Of the last.
    pub last: u32,
}

impl Lengths {
    /// Those of a packet that a single frame of `whole` bytes would take, of which each fragment needs `own` for itself. All but the
    /// last are equally long and have an even number of bytes (IEEE 802.11-2016 §10.5), as many as `threshold` allows, unless that
    /// would make too many fragments.
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
    /// The station it was for.
    pub to: Station,
    /// Which kind of frame.
    pub frame: FrameKind,
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// The packet inside (or, for a control frame, the one it serves).
    pub tag: Tag,
    /// The attempt at that packet, the first is 1.
    pub attempt: u32,
    /// When it began.
    pub start: Time,
    /// What became of it.
    pub reception: Reception,
}

/// What became of a frame at the station it was for, from the worst to the best; of a broadcast, where it fared best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reception {
    /// The station was not in receive range.
    Unheard,
    /// It was lost by bit errors.
    Channel,
    /// It was lost by another signal, or because the station was sending.
    Collision,
    /// It was received though another signal overlapped it; under [`Receiving::Lock`](super::Receiving::Lock) a later
    /// one.
    Captured,
    /// It was received, and nothing else was on the air there.
    Received,
}

/// The kinds of 802.11 frames in this model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A data frame.
    Data,
    /// A data frame for all who hear it.
    Broadcast,
    /// Request to send.
    Rts,
    /// Clear to send.
    Cts,
    /// Link-layer acknowledgement.
    Ack,
}
