//! Frame exchanges with Block Ack: A-MPDU and BlockAck, single MPDU and Ack, BlockAckReq and BlockAck.
use super::exchange::CellMac;
use super::mac::aggregator::{Aggregator, NextFrame};
use super::mac::block_ack::Bitmap;
use super::mac::mpdu::{Mpdu, Msdu};
use super::mac_queue::{MacQueue, end_fade_of_others};
use super::medium::{NO_PACKET, StationState, Transmission};
use super::rx_state::AirSlot;
use crate::address::StationIndex;
use crate::layer::{FrameKind, LinkEffect, LostFrame, Reception, SentMpdu};
use crate::phy::{ACK_BYTES, BLOCK_ACK_REQ_BYTES};
use crate::tag::PacketTag;
use airhop_base::{DropCause, FlowId, Time};

impl CellMac {
    /// True if stations send A-MPDUs.
    pub fn has_ampdu(&self) -> bool {
        self.stations.first().is_some_and(|station| station.current_queue.aggregator.is_some())
    }

    /// Returns the number of packets in the MACs of all stations. Delivered and discarded packets do not
    /// count.
    pub fn packet_count(&self) -> usize {
        self.stations.iter().flat_map(StationState::queues).map(MacQueue::packet_count).sum()
    }

    /// Builds the frame for the exchange that the aggregator of station `from` has started.
    pub(super) fn build_exchange_frame(
        &self,
        from: StationIndex,
        aggregator: &Aggregator,
        start: Time,
    ) -> Transmission {
        let timing = &self.timing;
        let (to, next) = aggregator.next_frame();
        let (kind, bytes, airtime, answer) = match next {
            NextFrame::Request { .. } => {
                (FrameKind::BlockAckReq, BLOCK_ACK_REQ_BYTES, timing.block_ack_req, timing.block_ack)
            }
            NextFrame::Data { bytes } => match aggregator.exchange_mpdus() {
                [alone] => (FrameKind::Data, alone.bytes, timing.frame_airtime(alone.bytes), timing.ack),
                _ => (FrameKind::Ampdu, bytes, timing.psdu_airtime(bytes), timing.block_ack),
            },
        };
        let (tag, number, attempt, header) = match (next, aggregator.exchange_mpdus()) {
            (NextFrame::Data { .. }, [first, ..]) => {
                (first.tag, first.first_packet_number, first.attempt, first.header_bytes)
            }
            (NextFrame::Data { .. }, []) => unreachable!("an A-MPDU contains MPDUs"),
            (NextFrame::Request { start }, _) => {
                (PacketTag { flow: FlowId::NONE, payload_bytes: 0, seq: start }, NO_PACKET, 1, bytes)
            }
        };
        Transmission {
            from,
            to,
            kind,
            bytes,
            header_bytes: if kind == FrameKind::Data { header } else { bytes },
            attempt,
            start,
            end: start + airtime,
            duration: self.phy.sifs + answer,
            tag,
            packet_number: number,
        }
    }

    /// Reports each packet in the MPDUs of the transmission in `slot`. The transmission has just ended with
    /// the outcome `reception`.
    pub(super) fn report_mpdus(&self, slot: AirSlot, reception: Reception, effects: &mut Vec<LinkEffect>) {
        let &Transmission { from, kind, .. } = self.medium.transmission(slot);
        let Some(aggregator) = &self.stations[usize::from(from)].current_queue.aggregator else { return };
        if !matches!(kind, FrameKind::Data | FrameKind::Ampdu) {
            return;
        }
        let has_arrived = kind == FrameKind::Ampdu && reception >= Reception::Captured;
        for (place, (mpdu, others)) in (0..).zip(aggregator.mpdus_with_msdus()) {
            // An MPDU missing from an A-MPDU that was received has bit errors.
            let is_damaged = has_arrived && !self.medium.received_mpdus().contains(place);
            let reception = if is_damaged { Reception::Channel } else { reception };
            let &Mpdu { seq: sequence, first_packet_number: number, tag, bytes, attempt, .. } = mpdu;
            let packets = std::iter::once(Msdu { packet_number: number, tag }).chain(others.iter().copied());
            effects.extend((0..).zip(packets).map(|(msdu, Msdu { packet_number: number, tag })| {
                let of_packet = SentMpdu {
                    from,
                    mpdu_index: place,
                    msdu_index: msdu,
                    sequence,
                    tag,
                    packet_number: number,
                    bytes,
                    attempt,
                    reception,
                };
                LinkEffect::Mpdu(of_packet)
            }));
        }
    }

    /// Registers the MPDUs of an A-MPDU with the medium, in its `slot`.
    #[inline(always)]
    pub(super) fn register_mpdus(&mut self, slot: AirSlot) {
        let &Transmission { from, kind, .. } = self.medium.transmission(slot);
        if kind == FrameKind::Ampdu
            && let Some(aggregator) = &self.stations[usize::from(from)].current_queue.aggregator
        {
            self.medium.set_aggregate(slot, aggregator.exchange_mpdus());
        }
    }

    /// Handles the reception of some or all MPDUs of an A-MPDU. The BlockAck in response is the next
    /// transmission in the same slot of the medium.
    pub(super) fn receive_aggregate(&mut self, now: Time, slot: AirSlot, effects: &mut Vec<LinkEffect>) {
        let received = *self.medium.received_mpdus();
        self.report_lost_mpdus(slot, &received, DropCause::Channel, false, effects);
        let from = self.medium.transmission(slot).from;
        let aggregator = self.aggregator(from);
        aggregator.on_mpdus(now, from, &received, effects);
        self.update_reorder_deadline(now, from);
        self.answer_with_block_ack(now, slot);
    }

    /// Handles the reception of a single MPDU. The Ack in response is the next transmission in the same slot
    /// of the medium.
    pub(super) fn receive_single(&mut self, now: Time, slot: AirSlot, effects: &mut Vec<LinkEffect>) {
        let &Transmission { from, to, .. } = self.medium.transmission(slot);
        let aggregator = self.aggregator(from);
        aggregator.on_mpdus(now, from, &Bitmap::with_first_bits(1), effects);
        self.update_reorder_deadline(now, from);
        let start = now + self.phy.sifs;
        self.stations[usize::from(to)].access.schedule_response(start);
        self.medium.transmission_mut(slot).turn_into_response(
            FrameKind::Ack,
            ACK_BYTES,
            start,
            self.timing.ack,
        );
    }

    /// Handles the reception of a BlockAckReq. The BlockAck in response is the next transmission in the same
    /// slot.
    pub(super) fn receive_request(&mut self, now: Time, slot: AirSlot, effects: &mut Vec<LinkEffect>) {
        let from = self.medium.transmission(slot).from;
        self.aggregator(from).on_request(from, effects);
        self.answer_with_block_ack(now, slot);
    }

    /// Handles the Ack or BlockAck that ends an exchange of `station`. Returns false, because an Ack or
    /// BlockAck has no response.
    pub(super) fn on_response(
        &mut self,
        now: Time,
        station: StationIndex,
        kind: FrameKind,
        effects: &mut Vec<LinkEffect>,
    ) -> bool {
        let StationState { access, current_queue: queue, other_queues: others, .. } =
            &mut self.stations[usize::from(station)];
        let aggregator = queue.aggregator.as_mut().expect(AGGREGATES);
        if let Some(since) = end_fade_of_others(others, aggregator.next_frame().0) {
            aggregator.adopt_fade(since);
        }
        match kind {
            FrameKind::Ack => aggregator.on_ack(now, station, effects),
            _ => aggregator.on_block_ack(now, station, effects),
        }
        aggregator.report_ready(station, access.category(), effects);
        access.on_success(now + self.phy.sifs, queue.has_work());
        self.update_txop_deadline(station);
        false
    }

    /// Reports the loss of each packet in the MPDUs of a transmission, except the MPDUs in `received`.
    /// `header_intact`: true if the headers of the first packet of each MPDU arrived.
    pub(super) fn report_lost_mpdus(
        &self,
        slot: AirSlot,
        received: &Bitmap,
        cause: DropCause,
        header_intact: bool,
        effects: &mut Vec<LinkEffect>,
    ) {
        let &Transmission { from, to, .. } = self.medium.transmission(slot);
        let Some(aggregator) = &self.stations[usize::from(from)].current_queue.aggregator else { return };
        for (_, (mpdu, others)) in
            (0..).zip(aggregator.mpdus_with_msdus()).filter(|(place, _)| !received.contains(*place))
        {
            let lost = |msdu: u32, Msdu { packet_number: number, tag }: Msdu| {
                LinkEffect::FrameLost(LostFrame {
                    from,
                    to,
                    kind: FrameKind::Data,
                    bytes: mpdu.bytes,
                    tag,
                    packet_number: Some(number),
                    msdu_index: msdu,
                    cause,
                    is_header_intact: header_intact && msdu == 0,
                    packet: None,
                })
            };
            let &Mpdu { first_packet_number: number, tag, .. } = mpdu;
            effects.push(lost(0, Msdu { packet_number: number, tag }));
            effects.extend((1..).zip(others).map(|(msdu, other)| lost(msdu, *other)));
        }
    }

    /// Handles the earliest expiry of a reorder timer: the recipient delivers the MPDUs that it has stored.
    #[cold]
    pub(super) fn on_reorder_timeout(&mut self, now: Time, effects: &mut Vec<LinkEffect>) {
        let station = self.reorder_deadlines.earliest().1 as StationIndex;
        let StationState { current_queue: queue, other_queues: others, .. } =
            &mut self.stations[usize::from(station)];
        for queue in std::iter::once(queue).chain(others) {
            queue.aggregator.as_mut().expect(AGGREGATES).on_reorder_timeout(now, station, effects);
        }
        self.update_reorder_deadline(now, station);
    }

    /// Updates the expiry time of the reorder timers for MPDUs that `station` sent.
    #[inline]
    pub(super) fn update_reorder_deadline(&mut self, now: Time, station: StationIndex) {
        let releases_at = |queue: &MacQueue| queue.aggregator.as_ref()?.reorder_deadline();
        let at = self.stations[usize::from(station)].queues().filter_map(releases_at).min();
        if at.is_some() || self.next_reorder_deadline < Time::MAX {
            self.reorder_deadlines.set(usize::from(station), at.map_or(Time::MAX, |at| at.max(now)));
            self.next_reorder_deadline = self.reorder_deadlines.earliest().0;
        }
    }

    fn answer_with_block_ack(&mut self, now: Time, slot: AirSlot) {
        let start = now + self.phy.sifs;
        let to = self.medium.transmission(slot).to;
        self.stations[usize::from(to)].access.schedule_response(start);
        let (bytes, airtime) = (self.timing.block_ack_bytes, self.timing.block_ack);
        self.medium.transmission_mut(slot).turn_into_response(FrameKind::BlockAck, bytes, start, airtime);
    }

    fn aggregator(&mut self, station: StationIndex) -> &mut Aggregator {
        self.stations[usize::from(station)].current_queue.aggregator.as_mut().expect(AGGREGATES)
    }
}

const AGGREGATES: &str = "either all stations of a cell aggregate, or none";
