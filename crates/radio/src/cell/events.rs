//! Events that a cell schedules, and effects that it reports to the world.

use super::frames::{FrameKind, Transmitted};
use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Drop, Packet, Span};
use airhop_engine::Id;

/// Event of a cell, to be wrapped into the world's own event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Index of the cell: [`CellPlan::index`](super::CellPlan::index).
    pub cell: u16,
    /// Event within the cell.
    pub what: AirEvent,
}

/// Kinds of event in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// Earliest deadline among the stations: the end of a backoff, or the timeout of an answer.
    Due,
    /// Start of an answer, a SIFS after the frame that it answers; by its slot in the medium.
    Start(u16),
    /// End of a transmission, by its slot in the medium.
    End(u16),
}

/// Effects that a cell reports to the world, in the order in which they happened.
///
/// After [`Effect::Acknowledged`], [`Effect::Discarded`] and [`Effect::Broadcast`] the MAC of the sending station is free: the next packet
/// of its queue may follow.
#[derive(Debug)]
pub enum Effect {
    /// First reception of a packet by `to`. Duplicates that follow lost link ACKs are filtered (802.11 §10.3.2.14).
    Deliver {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// The packet.
        packet: Id<Packet>,
        /// Time of contention: from when the MAC took the packet until the start of the exchange that delivered it.
        contended: Span,
    },
    /// Reception of a broadcast by `to`. One effect for each station that received it, before [`Effect::Broadcast`].
    Heard {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
    },
    /// End of a broadcast.
    Broadcast {
        /// The sending station.
        from: Station,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Failure of an attempt as the sender sees it: no CTS or no ACK came.
    AttemptFailed {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Tag of the packet.
        tag: Tag,
        /// Number of the attempt that failed; the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// Discard of a packet by the sender's link layer. `packet` is `None` if the packet had in fact arrived and only its ACKs were lost.
    Discarded {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Tag of the packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// Discard by the sender's link layer of a packet of which the receiving station has the first fragment but not all others: that
    /// station knows which packet it lost. Comes just before [`Effect::Discarded`].
    HeaderOnly {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Link ACK: the sender's link layer learned that a packet arrived.
    Acknowledged {
        /// The sending station.
        from: Station,
        /// The station that has the packet.
        to: Station,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Loss of a frame on the way to the station addressed. `cause` is `Channel` or `Collision`.
    FrameLost {
        /// The sending station.
        from: Station,
        /// The station addressed.
        to: Station,
        /// Kind of the frame.
        frame: FrameKind,
        /// Length of the MAC frame, bytes.
        bytes: u32,
        /// Tag of the packet inside; of a control frame, of the packet that the exchange carries.
        tag: Tag,
        /// Cause of the loss.
        cause: Drop,
        /// True if the bit errors of a data frame left its headers intact; always false in a collision.
        header_intact: bool,
    },
    /// End of a transmission; only if [`Cell::tell_all`](super::Cell::tell_all) asked for it. Comes before the effects that follow from it.
    Transmitted(Transmitted),
}
