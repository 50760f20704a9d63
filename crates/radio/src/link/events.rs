//! Events that a radio link schedules.

use crate::address::End;

/// Event of a radio link in the world's event queue.
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
    /// Timeout of the ARQ sender at this end: a link ACK is overdue.
    Due(End),
    /// Timeout of the ARQ receiver at this end: a requested retransmission is overdue.
    Ask(End),
}
