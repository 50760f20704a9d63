//! TXOP: several exchanges of a station after one channel access (IEEE 802.11-2020 §10.23.2.9).
//!
//! The limit bounds the time from the first bit of the first exchange to the end of the last response. Only a
//! first exchange with a single MPDU may exceed the limit. Exchanges follow each other after a SIFS; a
//! broadcast, or an exchange without a response, ends the TXOP. The Duration field of a frame reserves the
//! medium until the end of the response, or until the limit ([`NavRule`]). With [`NavRule::Limit`], the holder ends
//! its TXOP by a CF-End if the remaining time is longer than the CF-End. Otherwise the remaining time stays
//! reserved. Only the holder and the receivers of its frames can then use the medium, because they have no
//! NAV. An exchange without a response ends the TXOP without a CF-End.
use super::events::AirEvent;
use super::exchange::CellMac;
use super::mac_queue::MacQueue;
use super::medium::{NO_PACKET, StationState, Transmission};
use super::plan::NavRule;
use super::txop_rest::TxopRemainder;
use crate::address::{BROADCAST, StationIndex};
use crate::layer::{FrameKind, LinkEffect};
use crate::phy::CF_END_BYTES;
use crate::phy::ampdu::PsduLimits;
use crate::tag::PacketTag;
use airhop_base::{FlowId, Span, Time};

impl CellMac {
    /// Updates the deadline of a station after an exchange, if the station holds a TXOP.
    #[inline]
    pub(super) fn update_txop_deadline(&mut self, station: StationIndex) {
        if self.stations[usize::from(station)].access.txop_end().is_some() {
            self.update_deadline(station);
        }
    }

    /// Starts the next exchange of a TXOP if an exchange fits into its remaining time. Otherwise ends the
    /// TXOP.
    #[inline(never)]
    pub(super) fn continue_txop(
        &mut self,
        now: Time,
        station: StationIndex,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let StationState { receiver, access, current_queue: queue, .. } =
            &mut self.stations[usize::from(station)];
        let rest = TxopRemainder::new(access, self.access_method, &self.timing, self.phy.sifs, true);
        let MacQueue { sender, aggregator } = queue;
        let begins = match aggregator {
            Some(aggregator) if sender.is_free() => {
                let room = |to, limits: &PsduLimits| rest.exchange_limits(now, to, limits);
                let begins = aggregator.begin_exchange(now, station, room, effects);
                aggregator.report_ready(station, access.category(), effects);
                begins
            }
            _ => {
                let fits = !sender.is_free()
                    && rest.fits(now, sender.head_of_line().to, sender.head_of_line().frame().airtime);
                fits && sender.begin_exchange(now).is_none()
            }
        };
        if begins {
            return self.start_exchange(now, station, schedule);
        }
        let end = access.txop_end();
        access.end_txop(queue.has_work(), receiver.is_idle());
        self.update_deadline(station);
        if self.nav == NavRule::Limit && end.is_some_and(|end| end - now > self.timing.cf_end) {
            self.send_cf_end(now, station, schedule);
        }
    }

    /// Extends the reservation of a frame to the limit of the TXOP. Without [`NavRule::Limit`], has no effect.
    #[inline]
    pub(super) fn reserve_txop(&self, tx: &mut Transmission) {
        if self.nav == NavRule::Limit
            && tx.kind.expects_response()
            && let Some(end) = self.stations[usize::from(tx.from)].access.txop_end()
        {
            tx.duration = tx.duration.max(end.since(tx.end));
        }
    }

    /// Sends a CF-End, which cancels the reservations of the TXOP's frames (IEEE 802.11-2020 §10.23.2.10).
    fn send_cf_end(&mut self, now: Time, station: StationIndex, schedule: &mut impl FnMut(Time, AirEvent)) {
        self.stations[usize::from(station)].access.begin_cf_end();
        let slot = self.medium.assign_slot(Transmission {
            from: station,
            to: BROADCAST,
            kind: FrameKind::CfEnd,
            bytes: CF_END_BYTES,
            header_bytes: CF_END_BYTES,
            attempt: 1,
            start: now,
            end: now + self.timing.cf_end,
            duration: Span::ZERO,
            tag: PacketTag { flow: FlowId::NONE, payload_bytes: 0, seq: 0 },
            packet_number: NO_PACKET,
        });
        self.begin_transmission(now, slot, schedule);
    }
}
