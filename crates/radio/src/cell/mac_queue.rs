//! Packets in the MAC of a station, by function: head-of-line packet, Block Ack agreements, and fades.
use super::mac::aggregator::Aggregator;
use super::mac::service::HeadOfLineMsdu;
use super::mac::stop_and_wait::{FailedAttempt, StopAndWait};
use crate::address::StationIndex;
use crate::layer::LinkEffect;
use airhop_base::Time;

/// Packets that a function of a station has accepted.
#[derive(Debug)]
pub(crate) struct MacQueue {
    pub sender: StopAndWait,
    /// Aggregator with the Block Ack agreements of the function; `None` if the cell does not aggregate.
    pub aggregator: Option<Box<Aggregator>>,
}

impl MacQueue {
    /// True if a packet waits.
    pub fn has_work(&self) -> bool {
        !self.sender.is_free() || self.aggregator.as_ref().is_some_and(|aggregator| aggregator.has_work())
    }

    /// True if the function can accept another packet.
    pub fn has_room(&self) -> bool {
        self.sender.is_free() && self.aggregator.as_ref().is_none_or(|aggregator| aggregator.has_room())
    }

    /// Returns the number of packets that are neither delivered nor discarded.
    pub fn packet_count(&self) -> usize {
        let aggregated = self.aggregator.as_ref().map_or(0, |aggregator| aggregator.packet_count());
        usize::from(self.sender.holds_packet()) + aggregated
    }
}

/// Counts and reports a failed attempt of the packet in service at `station`. Returns the packet's service
/// after the last attempt; `None` if another attempt follows.
#[inline]
pub(crate) fn report_failure(
    sender: &mut StopAndWait,
    station: StationIndex,
    is_rts: bool,
    attempts: u32,
    effects: &mut Vec<LinkEffect>,
) -> Option<HeadOfLineMsdu> {
    let (from, &HeadOfLineMsdu { to, packet_number: number, tag, .. }) = (station, sender.head_of_line());
    let FailedAttempt { attempt, discarded: gave_up } = sender.on_failure(is_rts, attempts);
    effects.push(LinkEffect::AttemptFailed { from, to, number, tag, attempt, retry: gave_up.is_none() });
    gave_up
}

/// Returns the start of the fade towards `to` that other functions of a station have observed; `None` outside
/// fades. All functions share the fades of a link between two stations. A fade begins with the first missing
/// response to any function, and ends with the next response to any function.
pub(crate) fn fade_start_of_others(others: &[MacQueue], to: StationIndex) -> Option<Time> {
    others.iter().filter_map(|queue| queue.aggregator.as_ref()?.fade_start(to)).min()
}

/// Ends the fade towards `to` at the other functions of a station. Returns the start of the fade; `None`
/// outside fades.
pub(crate) fn end_fade_of_others(others: &mut [MacQueue], to: StationIndex) -> Option<Time> {
    others.iter_mut().filter_map(|queue| queue.aggregator.as_mut()?.end_fade(to)).min()
}
