//! Events that a radio link schedules.

use crate::address::End;

/// Event of a radio link, to be wrapped into the world's event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// Index of the link: [`RadioPlan::index`](super::RadioPlan::index).
    pub link: u16,
    /// Event within the link.
    pub what: RadioEventKind,
}

/// Kinds of event on a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioEventKind {
    /// End of a frame's transmission at this end.
    Sent(End),
    /// Arrival of the oldest frame in flight from this end.
    Arrived(End),
    /// Timeout of a link ACK for this end.
    Due(End),
    /// Timeout of a NAK of this end.
    Ask(End),
}
