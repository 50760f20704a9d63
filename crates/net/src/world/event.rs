//! Events that a world schedules.

use airhop_base::FlowId;
use airhop_radio::cell::CellEvent;
use airhop_radio::link::RadioEvent;

/// Event of a world, small enough to be copied as one word. The tag of this enum also distinguishes the
/// events within links, so the event loop reads only one tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8, align(8))]
pub(crate) enum Event {
    /// End of a packet's transmission at the transmitter of a wired link.
    LinkFree(u16),
    /// Arrival of a packet at the far end of a wired link.
    LinkArrival(u16),
    /// Arrival of a packet that a wired link has delayed (reordering).
    LateArrival(u16),
    /// Event in a cell.
    Cell(CellEvent),
    /// Event on a radio link.
    Radio(RadioEvent),
    /// Expiry of the timer of an application; index into [`World::apps`].
    App(u16),
    /// Expiry of the timer of a TCP sender.
    Sender(FlowId),
    /// Expiry of the timer of a TCP receiver.
    Receiver(FlowId),
    /// Expiry of the timer of an agent.
    Agent(u16),
    /// Expiry of the timer of a router; cell and station.
    Router(u16, u16),
    /// End of a handoff in which the old base station does not forward packets; index into
    /// [`World::handoffs`].
    Handoff(u16),
    /// Wake-up of the receiver's host, at the end of a turnaround. The host then passes its packets to the
    /// receiver.
    HostWakes(FlowId),
    /// Entry of a datagram of a real host into the network.
    Outside,
    /// Wake-up of the emulator, which delivers all late packets to their hosts.
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
