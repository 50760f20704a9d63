//! Events happen on a radio link, and effects are what it tells the world.
use crate::address::End;
use crate::errors::Damage;
use crate::tag::Tag;
use airhop_base::{Packet, Span, Time};
use airhop_engine::Id;

/// An event of a radio link, to be wrapped into the world's own event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// Which link: [`RadioPlan::index`](super::RadioPlan::index).
    pub link: u16,
    /// What happens.
    pub what: RadioWhat,
}

/// What can happen on a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioWhat {
    /// The frame that this end was sending has left it.
    Sent(End),
    /// The oldest frame under way from this end reaches the other.
    Arrived(End),
    /// A link ACK for this end is overdue.
    Due(End),
    /// What this end has asked for is overdue.
    Ask(End),
}

/// What a radio link tells the world, in the order in which it happened. `end` is always the end that sent the packet.
#[derive(Debug)]
pub enum RadioEffect {
    /// A packet goes to the layer above at the other end: in order, and once.
    Deliver {
        /// The sending end.
        end: End,
        /// The packet.
        packet: Id<Packet>,
    },
    /// A data frame was not acknowledged in time, or the link ACKs show that it was lost.
    AttemptFailed {
        /// The sending end.
        end: End,
        /// Which packet.
        tag: Tag,
        /// The attempt that failed, the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// The sending end learned that a packet arrived.
    Acknowledged {
        /// The sending end.
        end: End,
        /// Which packet.
        tag: Tag,
    },
    /// The sending end gave a packet up. `packet` is `None` if it had in fact arrived, and only its link ACKs were lost; the other
    /// end may still hold it back for one before it, and deliver it later.
    Discarded {
        /// The sending end.
        end: End,
        /// Which packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// The receiving end gave a packet up, and delivers those behind it.
    GivenUp {
        /// The sending end.
        end: End,
        /// The packet.
        packet: Id<Packet>,
    },
    /// The sending end learned that the other gave a packet up.
    Aborted {
        /// The sending end.
        end: End,
        /// Which packet.
        tag: Tag,
    },
    /// A frame was lost by bit errors.
    FrameLost {
        /// The end that sent the frame.
        end: End,
        /// The packet inside; of a control frame, the one it serves.
        tag: Tag,
        /// Length of the frame, bytes.
        bytes: u32,
        /// The number of a data frame, see [`RadioLink::packet`](super::RadioLink::packet); `None`: it was a control frame.
        number: Option<u64>,
        /// The bit errors of a data frame left its headers alone.
        header_intact: bool,
        /// The packet itself if it is lost by that, as on a link without recovery.
        packet: Option<Id<Packet>>,
    },
    /// Link ACKs fail to come, after some had come: as far as this end can tell, a fade begins. Comes before the failures that told.
    FadeStart {
        /// The sending end.
        end: End,
    },
    /// A link ACK came again.
    FadeEnd {
        /// The sending end.
        end: End,
        /// How long there was none, from [`RadioEffect::FadeStart`].
        lasted: Span,
    },
    /// A frame has left an end; only if [`RadioLink::tell_all`](super::RadioLink::tell_all) asked for it. Comes before what
    /// follows from it.
    Transmitted(Transmitted),
    /// An end takes packets again, see [`RadioLink::is_free`](super::RadioLink::is_free).
    Ready(End),
}

/// A frame that has just left an end of a radio link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitted {
    /// The end.
    pub end: End,
    /// The packet inside; of a control frame, the one it serves.
    pub tag: Tag,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// The number of a data frame, see [`RadioLink::packet`](super::RadioLink::packet); `None`: it is a control frame.
    pub number: Option<u64>,
    /// The attempt at that packet, the first is 1.
    pub attempt: u32,
    /// When it began.
    pub start: Time,
    /// What the channel leaves of it.
    pub damage: Damage,
}
