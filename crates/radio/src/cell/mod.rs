//! 802.11 channel: stations and the medium between them.
//!
//! `medium` determines the stations within sense range and the outcome of overlapping signals.
//! `mac::channel_access` is the channel access of one station, and `exchange` runs the frame sequences
//! between stations. The common types (frames, events, the plan, [`layer`](crate::layer)) do not depend on
//! these modules.

mod aggregate;
mod edca;
mod events;
mod exchange;
mod exchange_start;
mod frames;
mod head_of_line;
mod mac;
mod mac_header;
mod mac_queue;
mod medium;
mod plan;
mod rx_state;
mod timing;
mod txop;
mod txop_rest;

pub use crate::address::{BROADCAST, StationIndex};
pub use events::{AirEvent, CellEvent};
pub use plan::{
    AccessCategorySet, AccessMethod, AckTimeout, AmpduPlan, CellPlan, CellRules, HtPlan, InterferenceRule,
    LinkErrors, LostBlockAck, NavRule, RadioRange, RetryLimit,
};

use crate::layer::{LinkEffect, OutgoingPacket};
use airhop_base::{AccessCategory, MacHeader, Span, Time};
use airhop_engine::{EventQueue, RandomStreams, Timer};
use exchange::CellMac;
#[cfg(test)]
pub(crate) use medium::Transmission;

/// Running cell.
///
/// The event queue contains one event for the earliest deadline of all stations, and one for every
/// transmission on the air. A data frame and its ACK need three events: the end of the backoff and the ends
/// of the two frames.
#[derive(Debug)]
pub struct Cell {
    index: u16,
    exchange: CellMac,
    /// Number of packets that each station has accepted.
    taken: Vec<u64>,
    /// Timer of the earliest deadline of all stations.
    due: Timer,
}

impl Cell {
    /// Builds the cell. The name of the cell selects its random streams.
    pub fn new(plan: &CellPlan, streams: &RandomStreams) -> Self {
        let (exchange, taken) = (CellMac::new(plan, streams), vec![0; plan.stations.len()]);
        Cell { index: plan.index, exchange, taken, due: Timer::new() }
    }

    /// Enables [`LinkEffect::Transmitted`] for every transmission. Traces need this effect. The effect slows
    /// the simulation of the cell.
    pub fn enable_transmission_reports(&mut self) {
        self.exchange.enable_transmission_reports();
    }

    /// Returns the MAC header of the transmission in the last [`LinkEffect::Transmitted`].
    pub fn last_mac_header(&self) -> &MacHeader {
        self.exchange.last_mac_header()
    }

    /// True if stations send A-MPDUs with Block Ack.
    pub fn has_ampdu(&self) -> bool {
        self.exchange.has_ampdu()
    }

    /// True if the MAC of `station` accepts a packet of an access category. The MAC may accept several packets
    /// in succession; [`LinkEffect::Ready`] reports that a full MAC accepts packets again.
    #[inline(always)]
    pub fn has_room(&self, station: StationIndex, category: AccessCategory) -> bool {
        self.exchange.has_room(station, category)
    }

    /// Returns the number of packets in the cell that have not been delivered.
    pub fn packet_count(&self) -> usize {
        self.exchange.packet_count()
    }

    /// Returns the total airtime of each station's exchanges, including responses of other stations. Only
    /// frames that have ended count.
    pub fn airtimes(&self) -> impl Iterator<Item = Span> {
        self.exchange.stations.iter().map(|member| member.airtime)
    }

    /// Passes a packet to the MAC of `station`, and returns the packet's number at the station. The MAC must
    /// have room.
    pub fn send<E: Copy + From<CellEvent>>(
        &mut self,
        now: Time,
        station: StationIndex,
        packet: OutgoingPacket,
        queue: &mut EventQueue<E>,
    ) -> u64 {
        let taken = &mut self.taken[usize::from(station)];
        let number = *taken;
        *taken += 1;
        self.exchange.enqueue(now, station, number, packet);
        self.schedule_deadline(queue);
        number
    }

    /// Handles an event that the cell scheduled.
    pub fn on_event<E: Copy + From<CellEvent>>(
        &mut self,
        now: Time,
        event: AirEvent,
        queue: &mut EventQueue<E>,
        effects: &mut Vec<LinkEffect>,
    ) {
        let index = self.index;
        let begins = !matches!(event, AirEvent::End(_));
        let end_is_due = begins
            && !self.exchange.medium.is_shared()
            && queue.has_event_now()
            && self.exchange.medium.has_ended_signal(now);
        if end_is_due {
            // A signal that begins at the end of another signal does not overlap it: the event of that end is
            // already in the queue and must be handled first.
            return scheduler(index, queue)(now, event);
        }
        if let AirEvent::Due = event {
            let due = CellEvent { cell: index, kind: AirEvent::Due }.into();
            if !self.due.expire_if_due(due, queue) {
                return;
            }
        }
        let mut schedule = scheduler(index, queue);
        match event {
            AirEvent::Start(slot) => self.exchange.on_response_start(now, slot, &mut schedule),
            AirEvent::End(slot) => self.exchange.on_transmission_end(now, slot, effects, &mut schedule),
            AirEvent::Due => self.exchange.on_deadline(now, effects, &mut schedule),
        }
        drop(schedule);
        self.schedule_deadline(queue);
    }

    /// Returns the transmission in a slot of the medium.
    #[cfg(test)]
    pub(crate) fn transmission(&self, slot: u16) -> Transmission {
        self.exchange.transmission(slot)
    }

    /// Schedules an event for the earliest deadline.
    fn schedule_deadline<E: Copy + From<CellEvent>>(&mut self, queue: &mut EventQueue<E>) {
        let event = CellEvent { cell: self.index, kind: AirEvent::Due }.into();
        self.due.set_deadline(self.exchange.earliest_deadline(), event, queue);
    }
}

/// Returns a function that schedules events of a cell. All callers share the type of this closure, so that the code that begins a
/// transmission exists once in the instruction cache.
fn scheduler<E: Copy + From<CellEvent>>(cell: u16, queue: &mut EventQueue<E>) -> impl FnMut(Time, AirEvent) {
    move |at, kind| queue.push(at, CellEvent { cell, kind }.into())
}
