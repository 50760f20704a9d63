//! Events that a world schedules.

use super::World;
use airhop_base::{FlowId, Time};
use airhop_radio::cell::CellEvent;
use airhop_radio::link::RadioEvent;

/// Event of a world, small enough to be copied as one word. The tag also distinguishes the events within
/// links, so the event loop reads only one tag.
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
    /// Expiry of the timer of the application with this index in [`World::apps`].
    App(u16),
    /// Expiry of the timer of a TCP sender.
    Sender(FlowId),
    /// Expiry of the timer of a TCP receiver.
    Receiver(FlowId),
    /// Expiry of the timer of an agent.
    Agent(u16),
    /// Expiry of the timer of a router; cell and station.
    Router(u16, u16),
    /// End of the handoff with this index in [`World::handoffs`]. The old base station then drops its queued
    /// packets.
    Handoff(u16),
    /// Wake-up of the receiver's host, at the end of a turnaround. The host then passes its packets to the
    /// receiver.
    HostWakes(FlowId),
    /// Entry of a datagram of a real host into the network.
    Outside,
    /// Wake-up of the emulator. All late packets are then delivered to their hosts.
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

impl World {
    /// Handles an event. The most frequent events of most worlds are handled within the event loop.
    #[inline(always)]
    pub(crate) fn handle_event(&mut self, now: Time, event: Event) {
        match event {
            Event::LinkArrival(i) => self.on_wire_arrival(now, i),
            Event::Cell(event) => self.on_cell_event(now, event),
            other => self.handle_infrequent_event(now, other),
        }
    }

    #[inline(never)]
    fn handle_infrequent_event(&mut self, now: Time, event: Event) {
        match event {
            Event::LinkArrival(_) | Event::Cell(_) => unreachable!("the caller handles them"),
            Event::LinkFree(i) => self.on_link_free(now, i),
            Event::LateArrival(i) => self.on_reordered_arrival(now, i),
            Event::Radio(e) => self.on_radio_event(now, e),
            Event::App(app) => self.on_app_timer(now, app),
            Event::Sender(flow) => self.on_sender_timer(now, flow),
            Event::Receiver(flow) => self.on_receiver_timer(now, flow),
            Event::Agent(i) => self.on_agent_timer(now, i),
            Event::Router(cell, station) => self.on_router_timer(now, cell, station),
            Event::Handoff(i) => self.on_handoff(now, i),
            Event::HostWakes(flow) => self.on_host_wakes(now, flow),
            Event::Outside => self.on_datagram_entry(now),
            Event::Late => self.on_emulator_wake_up(now),
        }
    }
}
