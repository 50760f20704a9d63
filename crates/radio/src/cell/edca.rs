//! Internal collisions between the EDCA functions of a station.
use super::exchange::Exchange;
use super::mac_queue::fail;
use super::medium::Member;
use super::plan::Access;
use crate::address::{BROADCAST, Station};
use crate::layer::LinkEffect;
use airhop_base::Time;

impl Exchange {
    /// Handles internal collisions of `station`. An EDCA function collides if its slot starts together with
    /// the exchange of the current function. The collision counts as a failed attempt of that function's
    /// frame (IEEE 802.11-2020 §10.23.2.12.1). Exceptions are broadcasts, which are not retransmitted, and
    /// MPDUs under Block Ack.
    #[cold]
    pub(super) fn collide_internally(&mut self, now: Time, station: Station, effects: &mut Vec<LinkEffect>) {
        let is_rts = self.access == Access::RtsCts;
        let Member { access, others, .. } = &mut self.stations[usize::from(station)];
        for (place, queue) in (1..).zip(others) {
            if !access.collides(place, now, &self.rules) {
                continue;
            }
            let is_counted = !queue.sender.is_free() && queue.sender.service().to != BROADCAST;
            let gave_up = is_counted
                .then(|| fail(&mut queue.sender, station, is_rts, self.attempts, effects))
                .flatten();
            access.lose(place, gave_up.is_some(), queue.has_work());
            if let Some(service) = gave_up {
                service.discard(station, access.category_at(place), effects);
            }
        }
    }
}
