//! Aggregation by one DCF station or EDCA function: packets for each receiver, sent in A-MPDUs with Block
//! Ack.
//!
//! The station or function serves its receivers round-robin, one exchange each. For each receiver the MAC
//! stores the MPDUs of a window, but at most two A-MPDUs of maximum length: the A-MPDU on the air and the
//! next one. All other packets stay in the queue before the MAC, where the queue discipline manages them.
use super::block_ack::originator::{
    ExchangeLimits, MpduReport, Originator, OriginatorFrame, OriginatorRules,
};
use super::block_ack::recipient::Recipient;
use super::block_ack::{Bitmap, BlockAck};
use super::mpdu::{Mpdu, Msdu};
use super::msdus::PacketAssignment;
use crate::address::StationIndex;
use crate::buffer::PacketBuffer;
use crate::cell::plan::HtPlan;
use crate::layer::{LinkEffect, OutgoingPacket};
use crate::phy::MAX_PPDU_TIME;
use crate::phy::ampdu::{PsduLimits, subframe_bytes};
use crate::phy::amsdu::{MpduFraming, SUBFRAME_HEADER_BYTES};
use airhop_base::{AccessCategory, Span, Time};

/// Reorder timeout of a recipient. After this time a stored MPDU is delivered even if earlier MPDUs are
/// missing. The value is Linux' HT_RX_REORDER_BUF_TIMEOUT (net/mac80211/rx.c); the standard has no such
/// timer.
const REORDER_TIMEOUT: Span = Span::from_millis(100);

/// Maximum number of A-MPDUs of maximum length that the MAC stores for a receiver.
const MAX_HELD_AMPDUS: u64 = 2;

/// Next frame of a station that has gained the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextFrame {
    /// PSDU of `bytes` bytes with the MPDUs of [`Aggregator::burst`].
    Data { bytes: u32 },
    /// BlockAckReq with the starting sequence number `start`.
    Request { start: u64 },
}

/// Packet stored in the MAC.
#[derive(Clone, Copy, Debug)]
struct QueuedPacket {
    /// Number of the packet at the station.
    number: u64,
    /// Time at which the packet entered the MAC.
    at: Time,
    /// Bytes that the packet added to its MPDU.
    bytes: u32,
    /// Arrival time of the packet's MPDU at the recipient. Set only in the first packet of an MPDU in the
    /// reorder buffer.
    arrived: Time,
}

/// Block Ack agreement of a station with one receiver, with the state of both ends.
#[derive(Debug)]
struct BlockAckAgreement {
    to: StationIndex,
    originator: Originator,
    /// Packets that the originator may retransmit, or that the recipient stores.
    packets: PacketBuffer<QueuedPacket>,
    /// Assignment of the packets to MPDUs.
    msdus: PacketAssignment,
    /// Total length of the MPDUs that are neither acknowledged nor discarded, bytes, with delimiters and
    /// padding.
    held_bytes: u64,
    recipient: Recipient,
    /// Number after the highest discarded MPDU that the originator could not report; 0 if there is none.
    /// Reporting fails if the last BlockAckReq had no response.
    given_up: u64,
    /// Start of the present fade, the time of its first missing response; `None` outside fades.
    fading: Option<Time>,
}

/// Agreements of a DCF station or an EDCA function with all of its receivers.
#[derive(Debug)]
pub(crate) struct Aggregator {
    rules: OriginatorRules,
    limits: PsduLimits,
    /// Upper limit of [`BlockAckAgreement::held_bytes`] for each receiver in bytes.
    most_held: u64,
    framing: MpduFraming,
    agreements: Vec<BlockAckAgreement>,
    /// Index of the agreement of the last exchange.
    turn: usize,
    /// Start of the last exchange.
    begun: Time,
    /// True during an exchange. A broadcast that arrives during the exchange waits for its end.
    is_exchanging: bool,
    next: NextFrame,
    burst: Vec<Mpdu>,
    /// Packets of the MPDUs in `burst`, except the first packet of each MPDU.
    others: Vec<Msdu>,
    /// True if the aggregator has been without room since the last [`LinkEffect::Ready`].
    is_full: bool,
    /// Scratch space, empty between events; kept to avoid allocations.
    reports: Vec<MpduReport>,
    deliver: Vec<u64>,
}

impl Aggregator {
    /// Creates the aggregator of a station or function; `None` if the cell does not aggregate. `overhead`:
    /// bytes that MAC and LLC add to an IP packet.
    pub fn new(plan: &HtPlan, overhead: u32) -> Option<Box<Aggregator>> {
        let ampdu = plan.ampdu.as_ref()?;
        let limits =
            PsduLimits::new(&plan.mode, ampdu.max_ampdu_bytes, ampdu.block_ack_window, MAX_PPDU_TIME);
        let longest = plan.mode.max_psdu_bytes(MAX_PPDU_TIME).min(ampdu.max_ampdu_bytes);
        let rules = OriginatorRules {
            window: ampdu.block_ack_window,
            retries: ampdu.retry_limit,
            lost_block_ack: ampdu.lost_block_ack,
        };
        Some(Box::new(Aggregator {
            rules,
            limits,
            most_held: MAX_HELD_AMPDUS * u64::from(longest),
            framing: MpduFraming::new(&plan.mode, ampdu.max_amsdu_bytes, ampdu.max_ampdu_bytes, overhead),
            agreements: Vec::new(),
            turn: 0,
            begun: Time::ZERO,
            is_exchanging: false,
            next: NextFrame::Request { start: 0 },
            burst: Vec::with_capacity(ampdu.block_ack_window as usize),
            others: Vec::new(),
            is_full: false,
            reports: Vec::new(),
            deliver: Vec::new(),
        }))
    }

    /// True if the aggregator accepts a packet for any receiver.
    pub fn has_room(&self) -> bool {
        self.agreements.iter().all(|agreement| agreement.has_room(self.most_held))
    }

    /// Returns the number of packets that are neither delivered nor discarded.
    pub fn packet_count(&self) -> usize {
        self.agreements.iter().map(|agreement| agreement.packets.len()).sum()
    }

    /// True if an exchange can start: no exchange is in progress, and an MPDU or a BlockAckReq waits.
    pub fn has_work(&self) -> bool {
        self.agreements.iter().any(|agreement| agreement.originator.has_work())
    }

    /// Adds a packet. `number`: the packet's number at the station.
    #[inline(never)]
    pub fn push(&mut self, now: Time, number: u64, packet: OutgoingPacket) {
        self.agreement(packet.to).push(now, number, packet);
        self.is_full |= !self.has_room();
    }

    /// Starts an exchange with the next receiver in turn. [`Aggregator::next`] then returns the frame.
    /// Returns false if all packets have expired, or if no frame fits. `room` is a function that returns the
    /// room for an exchange with a receiver, within PSDU limits.
    pub fn begin_exchange(
        &mut self,
        now: Time,
        from: StationIndex,
        room: impl Fn(StationIndex, &PsduLimits) -> ExchangeLimits,
        effects: &mut Vec<LinkEffect>,
    ) -> bool {
        self.begun = now;
        for _ in 0..self.agreements.len() {
            self.turn = (self.turn + 1) % self.agreements.len();
            let agreement = &mut self.agreements[self.turn];
            if !agreement.originator.has_work() {
                continue;
            }
            let room = room(agreement.to, &self.limits);
            let exchange = agreement.originator.begin_exchange(now, &room, &mut self.reports);
            agreement.report(from, &mut self.reports, effects);
            match exchange {
                OriginatorFrame::None => {}
                OriginatorFrame::Request { start } => self.next = NextFrame::Request { start },
                OriginatorFrame::Data(psdu) => {
                    self.next = NextFrame::Data { bytes: psdu.bytes() };
                    self.fill_burst();
                }
            }
            self.is_exchanging = exchange != OriginatorFrame::None;
            if self.is_exchanging {
                self.is_full |= !self.has_room(); // the newest MPDU may have had room until now
                return true;
            }
        }
        false
    }

    /// True while an exchange is in progress.
    pub fn is_exchanging(&self) -> bool {
        self.is_exchanging
    }

    /// Returns the receiver and the frame of the exchange in progress.
    pub fn next_frame(&self) -> (StationIndex, NextFrame) {
        (self.agreements[self.turn].to, self.next)
    }

    /// Returns the MPDUs of the exchange in progress.
    pub fn exchange_mpdus(&self) -> &[Mpdu] {
        &self.burst
    }

    fn fill_burst(&mut self) {
        let BlockAckAgreement { originator, packets, msdus, .. } = &self.agreements[self.turn];
        let MpduFraming { mac_header_bytes: mac, llc_header_bytes: llc, .. } = self.framing;
        self.burst.clear();
        self.others.clear();
        self.burst.extend(originator.sent_mpdus().iter().map(|&(seq, attempt)| {
            let inside = msdus.packet_numbers(seq);
            let first = packets.get(inside.start).expect("an MPDU that is sent is not finished");
            let QueuedPacket { number, mut bytes, .. } = first.metadata;
            let mut header = first.header_bytes + mac + llc;
            let before = self.others.len();
            for other in (inside.start + 1..inside.end).filter_map(|place| packets.get(place)) {
                bytes += other.metadata.bytes;
                self.others.push(Msdu { packet_number: other.metadata.number, tag: other.tag });
            }
            let others = (self.others.len() - before) as u32;
            header += if others > 0 { SUBFRAME_HEADER_BYTES } else { 0 };
            Mpdu {
                seq,
                first_packet_number: number,
                tag: first.tag,
                bytes,
                header_bytes: header,
                attempt,
                additional_packets: others,
            }
        }));
    }

    /// Returns the MPDUs of the exchange in progress, each with its packets after the first.
    pub fn mpdus_with_msdus(&self) -> impl Iterator<Item = (&Mpdu, &[Msdu])> {
        self.burst.iter().scan(&self.others[..], |rest, mpdu| {
            let (others, behind) = rest.split_at(mpdu.additional_packets as usize);
            *rest = behind;
            Some((mpdu, others))
        })
    }

    /// Returns the number of packets in the MPDUs of the exchange in progress.
    pub fn exchange_packet_count(&self) -> u32 {
        (self.burst.len() + self.others.len()) as u32
    }

    /// Returns the BlockAck of the receiver for the exchange in progress.
    pub fn block_ack(&self) -> BlockAck {
        self.agreements[self.turn].recipient.block_ack()
    }

    /// Handles the Ack of a single MPDU.
    pub fn on_ack(&mut self, now: Time, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        self.is_exchanging = false;
        let agreement = &mut self.agreements[self.turn];
        agreement.originator.on_ack(&mut self.reports);
        agreement.on_response(now, from, effects);
        agreement.report(from, &mut self.reports, effects);
    }

    /// Handles the BlockAck of the exchange in progress.
    pub fn on_block_ack(&mut self, now: Time, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        self.is_exchanging = false;
        let agreement = &mut self.agreements[self.turn];
        let ack = agreement.recipient.block_ack();
        agreement.originator.on_block_ack(now, &ack, &mut self.reports);
        agreement.on_response(now, from, effects);
        agreement.report(from, &mut self.reports, effects);
    }

    /// Handles a missing response in the exchange in progress. `sent`: true if the data or BlockAckReq was
    /// transmitted, false if the CTS was missing.
    pub fn on_missing_response(
        &mut self,
        now: Time,
        from: StationIndex,
        sent: bool,
        effects: &mut Vec<LinkEffect>,
    ) {
        self.is_exchanging = false;
        let agreement = &mut self.agreements[self.turn];
        if !sent {
            agreement.originator.on_missing_cts(now, &mut self.reports);
        } else if let Some(given_up) = agreement.originator.on_missing_response(now, &mut self.reports) {
            agreement.given_up = given_up;
        }
        if agreement.fading.is_none() {
            agreement.fading = Some(now);
            effects.push(LinkEffect::FadeStart { from, to: agreement.to });
        }
        agreement.report(from, &mut self.reports, effects);
    }

    /// Handles the arrival of the MPDUs in `received` during the exchange in progress. The recipient delivers
    /// the MPDUs that have no missing MPDU before them.
    pub fn on_mpdus(
        &mut self,
        now: Time,
        from: StationIndex,
        received: &Bitmap,
        effects: &mut Vec<LinkEffect>,
    ) {
        let BlockAckAgreement { recipient, packets, msdus, .. } = &mut self.agreements[self.turn];
        for (place, mpdu) in (0..).zip(&self.burst) {
            let is_new = received.contains(place) && recipient.on_mpdu(mpdu.seq, &mut self.deliver);
            if is_new
                && recipient.is_waiting(mpdu.seq)
                && let Some(taken) = packets.metadata_mut(msdus.packet_numbers(mpdu.seq).start)
            {
                taken.arrived = now;
            }
        }
        self.report_delivered(self.turn, from, effects);
    }

    /// Returns the earliest expiry time of a reorder timer. [`Aggregator::on_reorder_timeout`] must be called at this
    /// time.
    pub fn reorder_deadline(&self) -> Option<Time> {
        self.agreements.iter().filter_map(BlockAckAgreement::reorder_deadline).min()
    }

    /// Handles the expiry of reorder timers: each recipient stops waiting for the missing MPDUs, and delivers
    /// the MPDUs stored after them.
    pub fn on_reorder_timeout(&mut self, now: Time, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        for place in 0..self.agreements.len() {
            while let agreement = &mut self.agreements[place]
                && agreement.reorder_deadline().is_some_and(|at| at <= now)
                && let Some(lowest) = agreement.recipient.lowest_held()
            {
                agreement.recipient.on_request(lowest, &mut self.deliver);
                self.report_delivered(place, from, effects);
            }
        }
    }

    /// Handles the arrival of a BlockAckReq at the recipient. The recipient delivers the stored MPDUs below
    /// the originator's window start, and then the MPDUs without a gap before them.
    pub fn on_request(&mut self, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        let BlockAckAgreement { originator, recipient, .. } = &mut self.agreements[self.turn];
        recipient.on_request(originator.window_start(), &mut self.deliver);
        self.report_delivered(self.turn, from, effects);
    }

    /// Reports to the world the packets that the recipient of an agreement has just delivered.
    fn report_delivered(&mut self, place: usize, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        let BlockAckAgreement { to, packets, msdus, .. } = &mut self.agreements[place];
        let (to, begun) = (*to, self.begun);
        for seq in self.deliver.drain(..) {
            effects.extend(msdus.packet_numbers(seq).filter_map(|place| {
                let QueuedPacket { number, at, .. } = packets.get(place)?.metadata;
                let packet = packets.take(place)?;
                Some(LinkEffect::Deliver { from, to, number, packet, contended: begun.since(at) })
            }));
        }
        msdus.forget_below(packets.first_number());
    }

    /// Reports [`LinkEffect::Ready`] if the aggregator was without room and has room again.
    pub fn report_ready(
        &mut self,
        station: StationIndex,
        category: AccessCategory,
        effects: &mut Vec<LinkEffect>,
    ) {
        if self.is_full && self.has_room() {
            self.is_full = false;
            effects.push(LinkEffect::Ready(station, category));
        }
    }

    /// Returns the start of the present fade towards a receiver; `None` outside fades.
    pub fn fade_start(&self, to: StationIndex) -> Option<Time> {
        self.agreements.iter().find(|agreement| agreement.to == to)?.fading
    }

    /// Ends the fade towards a receiver, without reporting its end. Returns the fade's start; `None` outside
    /// fades.
    pub fn end_fade(&mut self, to: StationIndex) -> Option<Time> {
        self.agreements.iter_mut().find(|agreement| agreement.to == to)?.fading.take()
    }

    /// Continues a fade that another EDCA function of the station has reported. The fade concerns the
    /// receiver of the exchange in progress and began at `since`.
    pub fn adopt_fade(&mut self, since: Time) {
        self.agreements[self.turn].fading.get_or_insert(since);
    }

    /// Returns the agreement with a receiver. The first packet to a receiver creates the agreement.
    fn agreement(&mut self, to: StationIndex) -> &mut BlockAckAgreement {
        let known = self.agreements.iter().position(|agreement| agreement.to == to);
        let index = known.unwrap_or_else(|| {
            self.agreements.push(BlockAckAgreement {
                to,
                originator: Originator::new(self.rules),
                packets: PacketBuffer::new(true),
                msdus: PacketAssignment::new(self.framing),
                held_bytes: 0,
                recipient: Recipient::new(self.rules.window),
                given_up: 0,
                fading: None,
            });
            self.agreements.len() - 1
        });
        &mut self.agreements[index]
    }
}

impl BlockAckAgreement {
    fn has_room(&self, most: u64) -> bool {
        let takes =
            self.originator.has_room() || self.msdus.may_aggregate() && self.originator.may_extend_newest();
        takes && self.held_bytes < most
    }

    /// Adds a packet to the newest MPDU if its A-MSDU has room, otherwise to a new MPDU.
    fn push(&mut self, now: Time, number: u64, packet: OutgoingPacket) {
        let grows = self.msdus.may_aggregate() && self.originator.may_extend_newest();
        let appended = if grows { self.msdus.append_packet(packet.bytes) } else { None };
        let bytes = if let Some((before, after)) = appended {
            self.originator.extend_newest(now, after);
            self.held_bytes += u64::from(subframe_bytes(after) - subframe_bytes(before));
            after - before
        } else {
            let mpdu = self.msdus.open_mpdu(packet.bytes);
            self.originator.push(now, mpdu);
            self.held_bytes += u64::from(subframe_bytes(mpdu));
            mpdu
        };
        self.packets.push(packet, QueuedPacket { number, at: now, bytes, arrived: Time::ZERO });
    }

    /// Returns the expiry time of the recipient's reorder timer: [`REORDER_TIMEOUT`] after the arrival of the
    /// lowest stored MPDU. `None` while the originator may still send a BlockAckReq or an earlier missing
    /// MPDU. A real recipient does not know the originator's discards, and may also skip an MPDU that is
    /// still retransmitted.
    fn reorder_deadline(&self) -> Option<Time> {
        if self.given_up == 0 {
            return None;
        }
        let lowest = self.recipient.lowest_held().filter(|lowest| *lowest <= self.given_up)?;
        let first = self.packets.get(self.msdus.packet_numbers(lowest).start)?;
        Some(first.metadata.arrived + REORDER_TIMEOUT)
    }

    /// Handles a response from the receiver: ends the fade, if there is one, and reports its end.
    fn on_response(&mut self, now: Time, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        if let Some(since) = self.fading.take() {
            effects.push(LinkEffect::FadeEnd { from, to: self.to, lasted: now - since });
        }
    }

    /// Reports the originator's results to the world, once for each packet of an MPDU.
    fn report(&mut self, from: StationIndex, reports: &mut Vec<MpduReport>, effects: &mut Vec<LinkEffect>) {
        for report in reports.drain(..) {
            let seq = report.number();
            let ends = !matches!(report, MpduReport::Failed { .. });
            // The recipient may store this discarded MPDU because an earlier MPDU is missing. The next
            // BlockAckReq then delivers it.
            let is_held = matches!(report, MpduReport::Discarded { .. }) && self.recipient.holds(seq);
            let mut mpdu = 0;
            for place in self.msdus.packet_numbers(seq) {
                mpdu += self.report_packet(from, report, place, is_held, effects);
                if ends {
                    self.packets.finish_sending(place);
                }
            }
            self.held_bytes -= if ends { u64::from(subframe_bytes(mpdu)) } else { 0 };
        }
        self.msdus.forget_below(self.packets.first_number());
    }

    /// Reports the outcome of the packet at `place`. `is_held`: true if the recipient stores the packet's
    /// MPDU. Returns the bytes that the packet occupies in its MPDU.
    #[inline(always)]
    fn report_packet(
        &mut self,
        from: StationIndex,
        report: MpduReport,
        place: u64,
        is_held: bool,
        effects: &mut Vec<LinkEffect>,
    ) -> u32 {
        let to = self.to;
        let held = self.packets.get(place).expect("the originator has not finished it");
        let (tag, QueuedPacket { number, bytes, .. }) = (held.tag, held.metadata);
        effects.push(match report {
            MpduReport::Failed { attempt, retry, .. } => {
                LinkEffect::AttemptFailed { from, to, number, tag, attempt, retry }
            }
            MpduReport::Discarded { .. } => {
                let packet = if is_held { None } else { self.packets.take(place) };
                LinkEffect::Discarded { from, to, number, tag, packet }
            }
            MpduReport::Acknowledged(_) => LinkEffect::Acknowledged { from, to, number, tag },
        });
        bytes
    }
}
