//! Frame exchanges with Block Ack: A-MPDU and BlockAck, single MPDU and Ack, BlockAckReq and BlockAck.
use super::exchange::Exchange;
use super::mac::aggregator::{Aggregator, Next};
use super::mac::block_ack::Bitmap;
use super::mac::mpdu::{Mpdu, Msdu};
use super::mac_queue::{MacQueue, end_fade_of_others};
use super::medium::{Member, NO_PACKET, Transmission};
use super::rx_state::Slot;
use crate::address::Station;
use crate::layer::{FrameKind, LinkEffect, LostFrame, Reception, SentMpdu};
use crate::phy::{ACK_BYTES, BLOCK_ACK_REQ_BYTES};
use crate::tag::Tag;
use airhop_base::{Drop, FlowId, Time};

impl Exchange {
    /// True if stations send A-MPDUs.
    pub fn aggregates(&self) -> bool {
        self.stations.first().is_some_and(|station| station.queue.aggregator.is_some())
    }

    /// Returns the number of packets in the MACs of all stations. Delivered and discarded packets do not
    /// count.
    pub fn holds(&self) -> usize {
        self.stations.iter().flat_map(Member::queues).map(MacQueue::holds).sum()
    }

    /// Builds the frame for the exchange that the aggregator of station `from` has started.
    pub(super) fn burst(&self, from: Station, aggregator: &Aggregator, start: Time) -> Transmission {
        let timing = &self.timing;
        let (to, next) = aggregator.next();
        let (kind, bytes, airtime, answer) = match next {
            Next::Request { .. } => {
                (FrameKind::BlockAckReq, BLOCK_ACK_REQ_BYTES, timing.block_ack_req, timing.block_ack)
            }
            Next::Data { bytes } => match aggregator.burst() {
                [alone] => (FrameKind::Data, alone.bytes, timing.frame(alone.bytes), timing.ack),
                _ => (FrameKind::Ampdu, bytes, timing.psdu(bytes), timing.block_ack),
            },
        };
        let (tag, number, attempt, header) = match (next, aggregator.burst()) {
            (Next::Data { .. }, [first, ..]) => (first.tag, first.number, first.attempt, first.header),
            (Next::Data { .. }, []) => unreachable!("an A-MPDU contains MPDUs"),
            (Next::Request { start }, _) => {
                (Tag { flow: FlowId::NONE, len: 0, seq: start }, NO_PACKET, 1, bytes)
            }
        };
        Transmission {
            from,
            to,
            kind,
            bytes,
            header: if kind == FrameKind::Data { header } else { bytes },
            attempt,
            start,
            end: start + airtime,
            duration: self.phy.sifs + answer,
            tag,
            number,
        }
    }

    /// Reports each packet in the MPDUs of the transmission in `slot`. The transmission has just ended with
    /// the outcome `reception`.
    pub(super) fn report_mpdus(&self, slot: Slot, reception: Reception, effects: &mut Vec<LinkEffect>) {
        let &Transmission { from, kind, .. } = self.medium.get(slot);
        let Some(aggregator) = &self.stations[usize::from(from)].queue.aggregator else { return };
        if !matches!(kind, FrameKind::Data | FrameKind::Ampdu) {
            return;
        }
        let has_arrived = kind == FrameKind::Ampdu && reception >= Reception::Captured;
        for (place, (mpdu, others)) in (0..).zip(aggregator.mpdus()) {
            // An MPDU missing from an A-MPDU that was received has bit errors.
            let is_damaged = has_arrived && !self.medium.received().has(place);
            let reception = if is_damaged { Reception::Channel } else { reception };
            let &Mpdu { seq: sequence, number, tag, bytes, attempt, .. } = mpdu;
            let packets = std::iter::once(Msdu { number, tag }).chain(others.iter().copied());
            effects.extend((0..).zip(packets).map(|(msdu, Msdu { number, tag })| {
                let of_packet =
                    SentMpdu { from, place, msdu, sequence, tag, number, bytes, attempt, reception };
                LinkEffect::Mpdu(of_packet)
            }));
        }
    }

    /// Registers the MPDUs of an A-MPDU with the medium, in its `slot`.
    #[inline(always)]
    pub(super) fn set_aggregate(&mut self, slot: Slot) {
        let &Transmission { from, kind, .. } = self.medium.get(slot);
        if kind == FrameKind::Ampdu
            && let Some(aggregator) = &self.stations[usize::from(from)].queue.aggregator
        {
            self.medium.set_aggregate(slot, aggregator.burst());
        }
    }

    /// Handles the reception of some or all MPDUs of an A-MPDU. The BlockAck in response is the next
    /// transmission in the same slot of the medium.
    pub(super) fn receive_aggregate(&mut self, now: Time, slot: Slot, effects: &mut Vec<LinkEffect>) {
        let received = *self.medium.received();
        self.lose_mpdus(slot, &received, Drop::Channel, false, effects);
        let from = self.medium.get(slot).from;
        let aggregator = self.aggregator(from);
        aggregator.on_mpdus(now, from, &received, effects);
        self.note_release(now, from);
        self.answer_with_block_ack(now, slot);
    }

    /// Handles the reception of a single MPDU. The Ack in response is the next transmission in the same slot
    /// of the medium.
    pub(super) fn receive_single(&mut self, now: Time, slot: Slot, effects: &mut Vec<LinkEffect>) {
        let &Transmission { from, to, .. } = self.medium.get(slot);
        let aggregator = self.aggregator(from);
        aggregator.on_mpdus(now, from, &Bitmap::of_first(1), effects);
        self.note_release(now, from);
        let start = now + self.phy.sifs;
        self.stations[usize::from(to)].access.answers(start);
        self.medium.get_mut(slot).turn(FrameKind::Ack, ACK_BYTES, start, self.timing.ack);
    }

    /// Handles the reception of a BlockAckReq. The BlockAck in response is the next transmission in the same
    /// slot.
    pub(super) fn receive_request(&mut self, now: Time, slot: Slot, effects: &mut Vec<LinkEffect>) {
        let from = self.medium.get(slot).from;
        self.aggregator(from).on_request(from, effects);
        self.answer_with_block_ack(now, slot);
    }

    /// Handles the Ack or BlockAck that ends an exchange of `station`. Returns false, because an Ack or
    /// BlockAck has no response.
    pub(super) fn on_answer(
        &mut self,
        now: Time,
        station: Station,
        kind: FrameKind,
        effects: &mut Vec<LinkEffect>,
    ) -> bool {
        let Member { access, queue, others, .. } = &mut self.stations[usize::from(station)];
        let aggregator = queue.aggregator.as_mut().expect(AGGREGATES);
        if let Some(since) = end_fade_of_others(others, aggregator.next().0) {
            aggregator.adopt_fade(since);
        }
        match kind {
            FrameKind::Ack => aggregator.on_ack(now, station, effects),
            _ => aggregator.on_block_ack(now, station, effects),
        }
        aggregator.report_ready(station, access.category(), effects);
        access.succeed(now + self.phy.sifs, queue.has_work());
        self.note_txop(station);
        false
    }

    /// Reports the loss of each packet in the MPDUs of a transmission, except the MPDUs in `received`.
    /// `header_intact`: true if the headers of the first packet of each MPDU arrived.
    pub(super) fn lose_mpdus(
        &self,
        slot: Slot,
        received: &Bitmap,
        cause: Drop,
        header_intact: bool,
        effects: &mut Vec<LinkEffect>,
    ) {
        let &Transmission { from, to, .. } = self.medium.get(slot);
        let Some(aggregator) = &self.stations[usize::from(from)].queue.aggregator else { return };
        for (_, (mpdu, others)) in (0..).zip(aggregator.mpdus()).filter(|(place, _)| !received.has(*place)) {
            let lost = |msdu: u32, Msdu { number, tag }: Msdu| {
                LinkEffect::FrameLost(LostFrame {
                    from,
                    to,
                    frame: FrameKind::Data,
                    bytes: mpdu.bytes,
                    tag,
                    number: Some(number),
                    msdu,
                    cause,
                    header_intact: header_intact && msdu == 0,
                    packet: None,
                })
            };
            let &Mpdu { number, tag, .. } = mpdu;
            effects.push(lost(0, Msdu { number, tag }));
            effects.extend((1..).zip(others).map(|(msdu, other)| lost(msdu, *other)));
        }
    }

    /// Handles the earliest expiry of a reorder timer: the recipient delivers the MPDUs that it has stored.
    #[cold]
    pub(super) fn release(&mut self, now: Time, effects: &mut Vec<LinkEffect>) {
        let station = self.releases.earliest().1 as Station;
        let Member { queue, others, .. } = &mut self.stations[usize::from(station)];
        for queue in std::iter::once(queue).chain(others) {
            queue.aggregator.as_mut().expect(AGGREGATES).release(now, station, effects);
        }
        self.note_release(now, station);
    }

    /// Updates the expiry time of the reorder timers for MPDUs that `station` sent.
    #[inline]
    pub(super) fn note_release(&mut self, now: Time, station: Station) {
        let releases_at = |queue: &MacQueue| queue.aggregator.as_ref()?.releases_at();
        let at = self.stations[usize::from(station)].queues().filter_map(releases_at).min();
        if at.is_some() || self.next_release < Time::MAX {
            self.releases.set(usize::from(station), at.map_or(Time::MAX, |at| at.max(now)));
            self.next_release = self.releases.earliest().0;
        }
    }

    fn answer_with_block_ack(&mut self, now: Time, slot: Slot) {
        let start = now + self.phy.sifs;
        let to = self.medium.get(slot).to;
        self.stations[usize::from(to)].access.answers(start);
        let (bytes, airtime) = (self.timing.block_ack_bytes, self.timing.block_ack);
        self.medium.get_mut(slot).turn(FrameKind::BlockAck, bytes, start, airtime);
    }

    fn aggregator(&mut self, station: Station) -> &mut Aggregator {
        self.stations[usize::from(station)].queue.aggregator.as_mut().expect(AGGREGATES)
    }
}

const AGGREGATES: &str = "either all stations of a cell aggregate, or none";
