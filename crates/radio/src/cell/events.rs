//! Events happen in a cell, and effects are what it tells the world.

use super::frames::{FrameKind, Transmitted};
use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Drop, Packet, Span};
use airhop_engine::Id;

/// An event of a cell, to be wrapped into the world's own event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Which cell: [`CellPlan::index`](super::CellPlan::index).
    pub cell: u16,
    /// What happens.
    pub what: AirEvent,
}

/// What can happen in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// The earliest deadline among the stations: the end of a backoff, or an answer that did not come.
    Due,
    /// The start of an answer a SIFS after what it answers, by its slot in the medium.
    Start(u16),
    /// The end of a transmission, by its slot in the medium.
    End(u16),
}

/// What a cell tells the world, in the order in which it happened.
///
/// With [`Effect::Acknowledged`], [`Effect::Discarded`] and [`Effect::Broadcast`] the MAC of the sending station is free: the next packet
/// of its queue may follow.
#[derive(Debug)]
pub enum Effect {
    /// A packet reached `to` for the first time (duplicates by lost link ACKs are filtered, 802.11 §10.3.2.14).
    Deliver {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// The packet.
        packet: Id<Packet>,
        /// How long it contended for the medium: from when the MAC took it until the exchange began that delivered it.
        contended: Span,
    },
    /// A broadcast reached `to`. Comes for each station that received it, and before [`Effect::Broadcast`].
    Heard {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
    },
    /// A broadcast is over.
    Broadcast {
        /// The sending station.
        from: Station,
        /// The packet.
        packet: Id<Packet>,
    },
    /// An attempt failed as the sender sees it: no CTS or no ACK came.
    AttemptFailed {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which packet.
        tag: Tag,
        /// The attempt that failed, the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// The sender's link layer gave a packet up. `packet` is `None` if it had in fact arrived and only its ACKs were lost.
    Discarded {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// The sender's link layer gave up a packet of which the receiving station has the first fragment, and not all others: it
    /// knows what it lost. Comes just before [`Effect::Discarded`].
    HeaderOnly {
        /// The sending station.
        from: Station,
        /// The receiving station.
        to: Station,
        /// Which packet.
        tag: Tag,
    },
    /// The sender's link layer learned that a packet arrived.
    Acknowledged {
        /// The sending station.
        from: Station,
        /// The station that has it.
        to: Station,
        /// Which packet.
        tag: Tag,
    },
    /// A frame was not received by the station it was for. `cause` is `Channel` or `Collision`.
    FrameLost {
        /// The sending station.
        from: Station,
        /// The station it was for.
        to: Station,
        /// Which kind of frame.
        frame: FrameKind,
        /// Length of the MAC frame, bytes.
        bytes: u32,
        /// The packet inside (or, for a control frame, the one it serves).
        tag: Tag,
        /// Why.
        cause: Drop,
        /// The bit errors of a data frame left its headers alone. Never so in a collision.
        header_intact: bool,
    },
    /// A transmission is over; only if [`Cell::tell_all`](super::Cell::tell_all) asked for it. Comes before what
    /// follows from it.
    Transmitted(Transmitted),
}
