//! Events that a radio link schedules, and effects that it reports to the world.
use crate::address::End;
use crate::errors::Damage;
use crate::tag::Tag;
use airhop_base::{Packet, Span, Time};
use airhop_engine::Id;

/// Event of a radio link, to be wrapped into the world's own event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// Index of the link: [`RadioPlan::index`](super::RadioPlan::index).
    pub link: u16,
    /// Event within the link.
    pub what: RadioWhat,
}

/// Kinds of event on a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioWhat {
    /// End of a frame's transmission at this end.
    Sent(End),
    /// Arrival of the oldest frame under way from this end.
    Arrived(End),
    /// Timeout of a link ACK for this end.
    Due(End),
    /// Timeout of a NAK of this end.
    Ask(End),
}

/// Effects that a radio link reports to the world, in the order in which they happened. `end` is always the end that sent the packet.
#[derive(Debug)]
pub enum RadioEffect {
    /// Delivery of a packet to the layer above at the other end: in order, and once.
    Deliver {
        /// The sending end.
        end: End,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Failure of an attempt: a data frame was not acknowledged in time, or the link ACKs show that it was lost.
    AttemptFailed {
        /// The sending end.
        end: End,
        /// Tag of the packet.
        tag: Tag,
        /// Number of the attempt that failed; the first is 1.
        attempt: u32,
        /// True if another attempt follows.
        retry: bool,
    },
    /// Link ACK: the sending end learned that a packet arrived.
    Acknowledged {
        /// The sending end.
        end: End,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Discard of a packet by the sending end. `packet` is `None` if the packet had in fact arrived, and only its link ACKs were lost; the
    /// other end may still hold it back for an earlier one, and deliver it later.
    Discarded {
        /// The sending end.
        end: End,
        /// Tag of the packet.
        tag: Tag,
        /// The packet itself.
        packet: Option<Id<Packet>>,
    },
    /// Discard of a packet by the receiving end, which delivers those behind it.
    GivenUp {
        /// The sending end.
        end: End,
        /// The packet.
        packet: Id<Packet>,
    },
    /// Notice of that discard at the sending end.
    Aborted {
        /// The sending end.
        end: End,
        /// Tag of the packet.
        tag: Tag,
    },
    /// Loss of a frame by bit errors.
    FrameLost {
        /// The end that sent the frame.
        end: End,
        /// Tag of the packet inside; of a control frame, of the packet that it serves.
        tag: Tag,
        /// Length of the frame, bytes.
        bytes: u32,
        /// Number of a data frame, see [`RadioLink::packet`](super::RadioLink::packet); `None`: a control frame.
        number: Option<u64>,
        /// True if the bit errors of a data frame left its headers intact.
        header_intact: bool,
        /// The packet itself if this loss ends it, as on a link without recovery.
        packet: Option<Id<Packet>>,
    },
    /// Begin of a fade, as far as this end can tell: link ACKs fail to come, after some had come. Precedes the failures that show it.
    FadeStart {
        /// The sending end.
        end: End,
    },
    /// End of a fade: a link ACK came again.
    FadeEnd {
        /// The sending end.
        end: End,
        /// Duration without a link ACK, from [`RadioEffect::FadeStart`].
        lasted: Span,
    },
    /// End of a frame's transmission; only if [`RadioLink::tell_all`](super::RadioLink::tell_all) asked for it. Precedes the effects that
    /// follow from it.
    Transmitted(Transmitted),
    /// Readiness of an end for packets, see [`RadioLink::is_free`](super::RadioLink::is_free).
    Ready(End),
}

/// Frame that has just left an end of a radio link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transmitted {
    /// The sending end.
    pub end: End,
    /// Tag of the packet inside; of a control frame, of the packet that it serves.
    pub tag: Tag,
    /// Length of the frame, bytes.
    pub bytes: u32,
    /// Number of a data frame, see [`RadioLink::packet`](super::RadioLink::packet); `None`: a control frame.
    pub number: Option<u64>,
    /// Number of the attempt at that packet; the first is 1.
    pub attempt: u32,
    /// Start of the transmission.
    pub start: Time,
    /// Damage by the channel.
    pub damage: Damage,
}
