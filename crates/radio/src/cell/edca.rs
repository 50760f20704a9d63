//! Internal collisions between the EDCA functions of a station.
use super::exchange::CellMac;
use super::mac_queue::report_failure;
use super::medium::StationState;
use super::plan::AccessMethod;
use crate::address::{BROADCAST, StationIndex};
use crate::layer::LinkEffect;
use airhop_base::Time;

impl CellMac {
    /// Handles internal collisions of `station`. An EDCA function collides if its slot starts together with
    /// the exchange of the current function. The collision counts as a failed attempt of that function's
    /// frame (IEEE 802.11-2020 §10.23.2.12.1). Exceptions are broadcasts, which are not retransmitted, and
    /// MPDUs under Block Ack.
    #[cold]
    pub(super) fn collide_internally(
        &mut self,
        now: Time,
        station: StationIndex,
        effects: &mut Vec<LinkEffect>,
    ) {
        let is_rts = self.access_method == AccessMethod::RtsCts;
        let StationState { access, other_queues: others, .. } = &mut self.stations[usize::from(station)];
        for (place, queue) in (1..).zip(others) {
            if !access.has_internal_collision(place, now, &self.rules) {
                continue;
            }
            let is_counted = !queue.sender.is_free() && queue.sender.head_of_line().to != BROADCAST;
            let gave_up = is_counted
                .then(|| report_failure(&mut queue.sender, station, is_rts, self.max_attempts, effects))
                .flatten();
            access.on_internal_collision(place, gave_up.is_some(), queue.has_work());
            if let Some(service) = gave_up {
                service.report_discard(station, access.category_at(place), effects);
            }
        }
    }
}
