//! Start of frame exchanges: a station that has gained the medium sends an RTS, or its data.
use super::events::AirEvent;
use super::exchange::CellMac;
use super::mac_queue::MacQueue;
use super::medium::StationState;
use super::plan::AccessMethod;
use super::rx_state::AirSlot;
use super::timing::FrameTiming;
use super::txop_rest::TxopRemainder;
use crate::address::{BROADCAST, StationIndex};
use crate::layer::{FrameKind, LinkEffect};
use crate::phy::RTS_BYTES;
use airhop_base::Time;

impl CellMac {
    /// Starts the frame exchange of a station that has gained the medium.
    pub(super) fn on_medium_gained(
        &mut self,
        now: Time,
        station: StationIndex,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let member = &mut self.stations[usize::from(station)];
        let has_others = member.access.has_several_functions();
        if has_others {
            member.select_winner(now, &self.rules);
        }
        member.access.obtain_txop(now);
        if !self.begin_exchange(now, station, effects) {
            return self.update_deadline(station);
        }
        if has_others {
            self.collide_internally(now, station, effects);
        }
        self.start_exchange(now, station, schedule);
    }

    /// Starts the frame exchange that a station has begun: with an RTS, or with its data.
    pub(super) fn start_exchange(
        &mut self,
        now: Time,
        station: StationIndex,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let mut tx = self.build_data_frame(station, now);
        let access = &self.stations[usize::from(station)].access;
        let may_rts =
            self.access_method == AccessMethod::RtsCts && tx.kind.carries_packets() && tx.to != BROADCAST;
        if may_rts && access.needs_rts(tx.to) {
            let (phy, FrameTiming { rts, cts, .. }) = (&self.phy, &self.timing);
            let answer = self.timing.response_airtime(tx.kind);
            tx.kind = FrameKind::Rts;
            (tx.bytes, tx.header_bytes) = (RTS_BYTES, RTS_BYTES);
            tx.duration = phy.sifs * 3 + *cts + tx.end.since(tx.start) + answer;
            tx.end = now + *rts;
        }
        self.reserve_txop(&mut tx);
        self.stations[usize::from(station)].access.begin_sending(tx.kind);
        self.deadlines.clear(usize::from(station));
        let slot = self.medium.assign_slot(tx);
        self.register_mpdus(slot);
        self.begin_transmission(now, slot, schedule);
    }

    /// Starts an exchange for the packet in service, or for packets of the aggregator. Returns false if all
    /// these packets have expired.
    fn begin_exchange(&mut self, now: Time, station: StationIndex, effects: &mut Vec<LinkEffect>) -> bool {
        let StationState { receiver, access, current_queue: queue, .. } =
            &mut self.stations[usize::from(station)];
        let MacQueue { sender, aggregator } = queue;
        match aggregator {
            Some(aggregator) if sender.is_free() => {
                let room = TxopRemainder::new(access, self.access_method, &self.timing, self.phy.sifs, false);
                let begins = aggregator.begin_exchange(
                    now,
                    station,
                    |to, limits| room.exchange_limits(now, to, limits),
                    effects,
                );
                if !begins {
                    access.on_packet_expired(now, receiver.is_idle());
                }
                aggregator.report_ready(station, access.category(), effects);
                begins
            }
            _ => match sender.begin_exchange(now) {
                None => true,
                Some(service) => {
                    access.on_packet_expired(now, receiver.is_idle());
                    service.report_discard(station, access.category(), effects);
                    false
                }
            },
        }
    }

    /// Puts the data frame or A-MPDU of `station` into `slot`, in place of the CTS that permits it.
    pub(super) fn send_data(&mut self, slot: AirSlot, station: StationIndex, start: Time) {
        let mut tx = self.build_data_frame(station, start);
        self.reserve_txop(&mut tx);
        self.stations[usize::from(station)].access.begin_sending(tx.kind);
        *self.medium.transmission_mut(slot) = tx;
        self.register_mpdus(slot);
    }
}
