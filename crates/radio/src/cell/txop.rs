//! TXOP: several exchanges of a station after one channel access (IEEE 802.11-2020 §10.23.2.9).
//!
//! The limit bounds the time from the first bit of the first exchange to the end of the last response. The
//! first exchange exceeds it if a single MPDU does not fit. Exchanges follow each other by a SIFS; a broadcast,
//! or an exchange without a response, ends the TXOP. The Duration field of a frame reserves the medium until
//! the end of the response, not until the end of the TXOP.
use super::events::AirEvent;
use super::exchange::Exchange;
use super::mac_queue::MacQueue;
use super::medium::Member;
use super::txop_rest::Rest;
use crate::address::Station;
use crate::layer::LinkEffect;
use crate::phy::ampdu::Limits;
use airhop_base::Time;

impl Exchange {
    /// Sets the deadline of a station that holds a TXOP after an exchange.
    #[inline]
    pub(super) fn note_txop(&mut self, station: Station) {
        if self.stations[usize::from(station)].access.txop_end().is_some() {
            self.note_deadline(station);
        }
    }

    /// Starts the next exchange of a TXOP if one fits into the rest of the TXOP. Otherwise ends the TXOP.
    #[inline(never)]
    pub(super) fn continue_txop(
        &mut self,
        now: Time,
        station: Station,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let Member { receiver, access, queue, .. } = &mut self.stations[usize::from(station)];
        let rest = Rest::new(access, self.access, &self.timing, self.phy.sifs, true);
        let MacQueue { sender, aggregator } = queue;
        let begins = match aggregator {
            Some(aggregator) if sender.is_free() => {
                let room = |to, limits: &Limits| rest.within(now, to, limits);
                let begins = aggregator.begin(now, station, room, effects);
                aggregator.report_ready(station, access.category(), effects);
                begins
            }
            _ => {
                let fits = !sender.is_free()
                    && rest.fits(now, sender.service().to, sender.service().frame().airtime);
                fits && sender.begin(now).is_none()
            }
        };
        if begins {
            return self.start_exchange(now, station, schedule);
        }
        access.end_txop(queue.has_work(), receiver.is_idle());
        self.note_deadline(station);
    }
}
