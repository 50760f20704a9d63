//! Events that a radio link schedules.

use crate::address::LinkEnd;

/// Event of a radio link in the world's event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadioEvent {
    /// Index of the link: [`RadioPlan::index`](super::RadioPlan::index).
    pub link: u16,
    /// Event within the link.
    pub kind: RadioEventKind,
}

/// Events within a radio link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RadioEventKind {
    /// End of a frame's transmission at this end.
    Sent(LinkEnd),
    /// Arrival of the oldest frame in flight from this end.
    Arrived(LinkEnd),
    /// Timeout of the ARQ sender at this end: a link ACK is overdue.
    Due(LinkEnd),
    /// Timeout of the ARQ receiver at this end: a requested retransmission is overdue.
    Ask(LinkEnd),
}
