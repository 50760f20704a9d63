//! Events that a radio link schedules.

use crate::address::End;

/// Event of a radio link, which the world's event type contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// Index of the link: [`RadioPlan::index`](super::RadioPlan::index).
    pub link: u16,
    /// Event within the link.
    pub what: RadioEventKind,
}

/// Events within a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioEventKind {
    /// End of a frame's transmission at this end.
    Sent(End),
    /// Arrival of the oldest frame in flight from this end.
    Arrived(End),
    /// Timeout of a link ACK for data from this end.
    Due(End),
    /// Timeout of a NAK from this end.
    Ask(End),
}
