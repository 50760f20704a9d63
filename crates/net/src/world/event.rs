//! The events of a world.

use airhop_base::FlowId;
use airhop_radio::cell::CellEvent;
use airhop_radio::link::RadioEvent;

/// Everything that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A link's serialiser is free.
    LinkFree(u16),
    /// A packet reaches the far end of a link.
    LinkArrival(u16),
    /// A packet that a link made late reaches its far end.
    LateArrival(u16),
    /// Something happens in a cell.
    Cell(CellEvent),
    /// Something happens on a radio link.
    Radio(RadioEvent),
    /// A flow starts, or a datagram is due.
    App(FlowId),
    /// A sender's timer.
    Sender(FlowId),
    /// A receiver's timer.
    Receiver(FlowId),
    /// An agent's timer.
    Agent(u16),
    /// A router's timer: its cell and station.
    Router(u16, u16),
    /// A handoff is over that a base station passes nothing on in: its place in [`World::handoffs`].
    Handoff(u16),
    /// The receiver's host hands a packet to the receiver.
    HandUp(FlowId),
    /// A datagram of a real host enters.
    Outside,
    /// A packet reaches its host late.
    Late,
}

impl From<CellEvent> for Event {
    fn from(e: CellEvent) -> Self {
        Event::Cell(e)
    }
}

impl From<RadioEvent> for Event {
    fn from(e: RadioEvent) -> Self {
        Event::Radio(e)
    }
}
