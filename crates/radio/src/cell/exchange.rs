//! Frame exchange sequences between the stations of a cell: RTS, CTS, data and ACK.
//!
//! The end of a frame is the most frequent step. Rare and long steps are not inlined into this step, so that
//! its values stay in registers.
use super::events::AirEvent;
use super::mac::access_rules::{Countdown, Parameters, Rules};
use super::mac::aggregator::Aggregator;
use super::mac::block_ack::Bitmap;
use super::mac::channel_access::{ChannelAccess, Due};
use super::mac::deadlines::Deadlines;
use super::mac::stop_and_wait::{Acknowledged, StopAndWait};
use super::mac_queue::{MacQueue, fade_of_others, fail};
use super::medium::{Heard, Medium, Member, Transmission};
use super::plan::{Access, AckTimeout, CellPlan, Nav};
use super::rx_state::{RxState, Slot};
use super::timing::Timing;
use super::txop_rest::Rest;
use crate::address::{BROADCAST, Station};
use crate::layer::{FrameKind, LinkEffect, LostFrame, Outgoing, Reception};
use crate::phy::{ACK_BYTES, CTS_BYTES, Phy, RTS_BYTES};
use airhop_base::{AccessCategory, Drop, MacHeader, Span, Time};
use airhop_engine::Streams;

/// Stations of a cell and the medium between them. Methods schedule events through their parameter
/// `schedule`, so this module does not depend on the world's event type.
#[derive(Debug)]
pub(crate) struct Exchange {
    pub(super) phy: Phy,
    pub(super) timing: Timing,
    pub(super) rules: Rules,
    /// Maximum number of transmissions of a data frame.
    pub(super) attempts: u32,
    pub(super) access: Access,
    pub(super) nav: Nav,
    pub(super) overhead: u32,
    /// dot11FragmentationThreshold.
    pub(super) threshold: u32,
    pub(super) medium: Medium,
    pub(super) stations: Vec<Member>,
    deadlines: Deadlines,
    /// Expiry times of recipients' reorder timers, by the sending station.
    pub(super) releases: Deadlines,
    /// Earliest expiry time of a reorder timer.
    pub(super) next_release: Time,
    /// MAC header of the last reported transmission.
    pub(super) header: MacHeader,
}

impl Exchange {
    pub fn new(plan: &CellPlan, streams: &Streams) -> Self {
        let categories = plan.ht.map(|ht| ht.categories).unwrap_or_default();
        let function = |category: AccessCategory, name: &str| {
            let of = if category == AccessCategory::Be { "" } else { category.name() };
            let stream = streams.stream(&format!("{}.backoff{of}.{name}", plan.name));
            (Parameters::new(plan, category), stream)
        };
        let queue = || MacQueue {
            sender: StopAndWait::default(),
            aggregator: plan.ht.as_ref().and_then(|ht| Aggregator::new(ht, plan.overhead)),
        };
        let member = |name: &str| Member {
            receiver: RxState::default(),
            access: ChannelAccess::new(categories.iter().map(|category| function(category, name))),
            queue: queue(),
            others: categories.iter().skip(1).map(|_| queue()).collect(),
            airtime: Span::ZERO,
            last_frame: (0, Span::ZERO),
        };
        Exchange {
            phy: plan.phy,
            timing: Timing::new(plan),
            rules: Rules::new(plan),
            attempts: plan.attempts,
            access: plan.access,
            nav: plan.ht.map(|ht| ht.nav).unwrap_or_default(),
            overhead: plan.overhead,
            threshold: plan.fragmentation.unwrap_or(u32::MAX),
            medium: Medium::new(plan, streams),
            stations: plan.stations.iter().map(|(name, _)| member(name)).collect(),
            deadlines: Deadlines::new(plan.stations.len()),
            releases: Deadlines::new(plan.stations.len()),
            next_release: Time::MAX,
            header: MacHeader::default(),
        }
    }

    /// Enables the report of every transmission as an effect.
    pub fn report_transmissions(&mut self) {
        self.medium.report_transmissions();
    }

    /// True if a station accepts a packet of an access category.
    #[inline]
    pub fn has_room(&self, station: Station, category: AccessCategory) -> bool {
        let member = &self.stations[usize::from(station)];
        match member.access.place_of(category).checked_sub(1) {
            None => member.queue.has_room(),
            Some(other) => member.others[other].has_room(),
        }
    }

    /// Returns the earliest deadline of all stations.
    pub fn earliest(&mut self) -> Time {
        self.deadlines.earliest().0.min(self.next_release)
    }

    #[cfg(test)]
    pub fn transmission(&self, slot: Slot) -> Transmission {
        *self.medium.get(slot)
    }

    /// Passes a packet to the MAC of `station`. `number`: number of the packet at the station.
    pub fn enqueue(&mut self, now: Time, station: Station, number: u64, packet: Outgoing) {
        let member = &mut self.stations[usize::from(station)];
        let place = member.access.place_of(packet.category);
        match &mut member.queue_at(place).aggregator {
            Some(aggregator) if packet.to != BROADCAST => aggregator.push(now, number, packet),
            _ => self.serve(now, station, place, number, packet),
        }
        let Member { receiver, access, .. } = &mut self.stations[usize::from(station)];
        if !access.waits(place) {
            // In a shared medium, a scheduled response marks the medium busy one SIFS before its first bit.
            let is_clear =
                receiver.is_idle() || (receiver.has_no_other_signal() && access.answers_after(now));
            access.enqueue(now, place, receiver.is_idle(), is_clear, &self.rules);
            self.note_deadline(station);
        }
    }

    /// Handles every deadline that is due now. If the backoffs of several stations end at the same time, all
    /// of them transmit, and their frames collide.
    #[inline(never)]
    pub fn on_due(
        &mut self,
        now: Time,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        while self.next_release == now {
            self.release(now, effects);
        }
        while let (at, station) = self.deadlines.earliest()
            && at == now
        {
            let station = station as Station;
            match self.stations[usize::from(station)].access.due() {
                Due::Access => self.access(now, station, effects, schedule),
                Due::Timeout => self.time_out(now, station, effects),
                Due::Continuation => self.continue_txop(now, station, effects, schedule),
            }
        }
    }

    /// Starts a response.
    pub fn on_start(&mut self, now: Time, slot: Slot, schedule: &mut impl FnMut(Time, AirEvent)) {
        self.begin(now, slot, schedule);
    }

    /// Ends a transmission: notifies every station within sense range; the addressed station may respond, and
    /// the medium may become idle.
    pub fn on_end(
        &mut self,
        now: Time,
        slot: Slot,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let &Transmission { from, to, kind, number, duration, start, .. } = self.medium.get(slot);
        let is_answer = kind.is_answer();
        let holder = if is_answer { to } else { from };
        let member = &mut self.stations[usize::from(holder)];
        member.airtime = member.airtime + (now - start);
        if kind.expects_response() {
            member.access.sent();
        }
        let ends_waiting = self.rules.ack_timeout == AckTimeout::Ieee;
        let ended = self.medium.end(slot, &mut self.stations, |station, access, heard| {
            match heard {
                Heard::Frame if station == to => access.received(None),
                Heard::Frame if kind == FrameKind::CfEnd => access.received_cf_end(),
                Heard::Frame if to == BROADCAST => {
                    access.received(None);
                    effects.push(LinkEffect::Heard { from, to: station, number });
                }
                Heard::Frame => access.received(Some((now + duration, holder))),
                Heard::Damaged | Heard::Garbled(_) => access.on_undecodable_frame(),
                Heard::Noise => return,
            }
            // IEEE 802.11-2016 §10.3.2.9: if any other frame is received, the expected response is missing.
            let answered = heard == Heard::Frame && station == to && is_answer;
            if ends_waiting && !answered && access.unanswered(now) {
                self.deadlines.set(usize::from(station), now);
            }
        });
        if let Some(reception) = ended.reception {
            self.report(slot, reception, effects);
        }
        let answers = if to == BROADCAST {
            kind != FrameKind::CfEnd && self.broadcast(from, number, effects)
        } else if ended.outcome == Heard::Frame {
            self.receive(now, slot, effects)
        } else {
            self.lost(slot, ended.outcome, effects)
        };
        if !answers {
            self.unanswered(now, slot, ended.outcome);
            self.medium.free(slot);
        } else if self.medium.is_shared() {
            // No station can start within a SIFS, because each station waits for at least a DIFS. The
            // response therefore occupies the medium from now on, which saves an event and an idle period.
            return self.begin(now, slot, schedule);
        } else {
            schedule(self.medium.get(slot).start, AirEvent::Start(slot));
        }
        self.medium.for_idle_around(from, &mut self.stations, |station, access| {
            if let Some(deadline) = access.idle(now, &self.rules) {
                self.deadlines.set(usize::from(station), deadline);
            }
        });
    }

    /// Reports the transmission in `slot`. The transmission has just ended with the outcome `reception`.
    #[cold]
    fn report(&mut self, slot: Slot, reception: Reception, effects: &mut Vec<LinkEffect>) {
        self.header = self.mac_header(slot);
        let tx = self.medium.get(slot);
        let holder = if tx.kind.is_answer() { tx.to } else { tx.from };
        let is_edca = self.rules.countdown == Countdown::Boundaries;
        let category = is_edca.then(|| self.stations[usize::from(holder)].access.category());
        effects.push(LinkEffect::Transmitted(tx.transmitted(category, reception)));
        self.report_mpdus(slot, reception, effects);
    }

    /// Completes a broadcast, which no station acknowledges.
    #[inline(never)]
    fn broadcast(&mut self, from: Station, number: u64, effects: &mut Vec<LinkEffect>) -> bool {
        let Member { access, queue, .. } = &mut self.stations[usize::from(from)];
        let packet = queue.sender.broadcast();
        access.finish(queue.has_work());
        effects.push(LinkEffect::Broadcast { from, number, packet });
        effects.push(LinkEffect::Ready(from, access.category()));
        false
    }

    /// Reports that a frame did not reach the addressed station. Returns false, because this station does not
    /// respond.
    fn lost(&self, slot: Slot, outcome: Heard, effects: &mut Vec<LinkEffect>) -> bool {
        let &Transmission { from, to, kind: frame, bytes, tag, number, .. } = self.medium.get(slot);
        let header_intact = outcome == Heard::Damaged;
        let cause = match outcome {
            Heard::Damaged => Drop::Channel,
            Heard::Garbled(cause) => cause,
            Heard::Frame | Heard::Noise => Drop::Collision,
        };
        let has_mpdus = self.stations[usize::from(from)].queue.aggregator.is_some();
        if has_mpdus && matches!(frame, FrameKind::Ampdu | FrameKind::Data) {
            self.lose_mpdus(slot, &Bitmap::default(), cause, header_intact, effects);
            return false;
        }
        let (number, msdu, packet) = (Some(number), 0, None);
        let lost = LostFrame { from, to, frame, bytes, tag, number, msdu, cause, header_intact, packet };
        effects.push(LinkEffect::FrameLost(lost));
        false
    }

    /// Handles the reception of a frame by the addressed station. Returns true if the station responds one
    /// SIFS later; the response uses the slot of the frame.
    fn receive(&mut self, now: Time, slot: Slot, effects: &mut Vec<LinkEffect>) -> bool {
        let start = now + self.phy.sifs;
        let &Transmission { from, to, kind, tag, number, .. } = self.medium.get(slot);
        let (sender, receiver) = (usize::from(from), usize::from(to));
        match kind {
            _ if kind.is_answer() && !self.stations[receiver].access.awaits(kind) => return false,
            FrameKind::Rts if !self.stations[receiver].access.may_answer_rts(now, from, self.nav) => {
                return false;
            }
            FrameKind::Rts => {
                self.stations[receiver].access.answers(start);
                self.medium.get_mut(slot).turn(FrameKind::Cts, CTS_BYTES, start, self.timing.cts);
            }
            FrameKind::Cts => {
                self.stations[receiver].queue.sender.on_cts();
                self.stations[receiver].access.protect(from);
                self.send_data(slot, to, start);
            }
            FrameKind::Broadcast | FrameKind::CfEnd => unreachable!("the frame is not for a single station"),
            FrameKind::Data if self.stations[sender].queue.aggregator.is_some() => {
                self.receive_single(now, slot, effects);
            }
            FrameKind::Data => {
                if let Some((packet, [taken, begun])) = self.stations[sender].queue.sender.arrives() {
                    let contended = begun - taken;
                    effects.push(LinkEffect::Deliver { from, to, number, packet, contended });
                }
                self.stations[receiver].access.answers(start);
                self.medium.get_mut(slot).turn(FrameKind::Ack, ACK_BYTES, start, self.timing.ack);
            }
            FrameKind::Ack if self.stations[receiver].queue.aggregator.is_some() => {
                return self.on_answer(now, to, kind, effects);
            }
            FrameKind::BlockAck => return self.on_answer(now, to, kind, effects),
            FrameKind::BlockAckReq => self.receive_request(now, slot, effects),
            FrameKind::Ampdu => self.receive_aggregate(now, slot, effects),
            FrameKind::Ack => {
                let Member { access, queue, .. } = &mut self.stations[receiver];
                match queue.sender.on_ack(start) {
                    Acknowledged::Fragment => {
                        access.goes_on();
                        *self.medium.get_mut(slot) = self.data(to, start);
                        return true;
                    }
                    Acknowledged::Packet => {
                        effects.push(LinkEffect::Acknowledged { from: to, to: from, number, tag });
                        effects.push(LinkEffect::Ready(to, access.category()));
                        access.succeed(start, false);
                        self.note_txop(to);
                    }
                    Acknowledged::GaveUp(service) => {
                        service.discard(to, access.category(), effects);
                        access.finish(false);
                    }
                }
                return false;
            }
        }
        true
    }

    /// Sets the time at which a missing response counts as a failure.
    fn unanswered(&mut self, now: Time, slot: Slot, outcome: Heard) {
        let (phy, Timing { cts, ack, .. }) = (&self.phy, &self.timing);
        let &Transmission { from, to, kind, .. } = self.medium.get(slot);
        if kind.is_answer() && outcome == Heard::Frame {
            return;
        }
        let (station, rest) = match (kind, self.rules.ack_timeout) {
            (kind, AckTimeout::Ieee) if kind.expects_response() => (from, phy.sifs + phy.answer_timeout()),
            (FrameKind::Rts, AckTimeout::Ns2) => (from, phy.sifs + *cts + phy.slot),
            (FrameKind::Data, AckTimeout::Ns2) => (from, phy.sifs + *ack + phy.slot),
            (FrameKind::Cts | FrameKind::Ack, AckTimeout::Ns2) => (to, phy.slot),
            _ => return,
        };
        self.set_failure_time(station, now + rest);
    }

    /// Checks whether the addressee decodes the first symbols of a response. If not, the addressee waits for
    /// its full timeout. With ns-2's rules, the addressee waits until the end of the response.
    fn answer_begins(&mut self, now: Time, slot: Slot) {
        let &Transmission { to, start, .. } = self.medium.get(slot);
        let is_missed = !self.stations[usize::from(to)].receiver.follows(slot);
        if is_missed && self.rules.ack_timeout == AckTimeout::Ieee {
            debug_assert!(start == now, "if all stations receive each other, the addressee receives it");
            self.set_failure_time(to, start + self.phy.answer_timeout());
        }
    }

    /// Sets the time at which the frame of a station counts as failed, if the station waits for a response.
    fn set_failure_time(&mut self, station: Station, timeout: Time) {
        if self.stations[usize::from(station)].access.unanswered(timeout) {
            self.note_deadline(station);
        }
    }

    /// Starts the frame exchange of a station that has gained the medium.
    fn access(
        &mut self,
        now: Time,
        station: Station,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let member = &mut self.stations[usize::from(station)];
        let has_others = member.access.has_others();
        if has_others {
            member.select_winner(now, &self.rules);
        }
        member.access.obtain_txop(now);
        if !self.begin_exchange(now, station, effects) {
            return self.note_deadline(station);
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
        station: Station,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let mut tx = self.data(station, now);
        let access = &self.stations[usize::from(station)].access;
        let may_rts = self.access == Access::RtsCts && tx.kind.has_data() && tx.to != BROADCAST;
        if may_rts && access.needs_rts(tx.to) {
            let (phy, Timing { rts, cts, .. }) = (&self.phy, &self.timing);
            let answer = self.timing.answer(tx.kind);
            tx.kind = FrameKind::Rts;
            (tx.bytes, tx.header) = (RTS_BYTES, RTS_BYTES);
            tx.duration = phy.sifs * 3 + *cts + tx.end.since(tx.start) + answer;
            tx.end = now + *rts;
        }
        self.reserve_txop(&mut tx);
        self.stations[usize::from(station)].access.sends(tx.kind);
        self.deadlines.clear(usize::from(station));
        let slot = self.medium.place(tx);
        self.set_aggregate(slot);
        self.begin(now, slot, schedule);
    }

    /// Starts an exchange for the packet in service, or for packets of the aggregator. Returns false if all
    /// these packets have expired.
    fn begin_exchange(&mut self, now: Time, station: Station, effects: &mut Vec<LinkEffect>) -> bool {
        let Member { receiver, access, queue, .. } = &mut self.stations[usize::from(station)];
        let MacQueue { sender, aggregator } = queue;
        match aggregator {
            Some(aggregator) if sender.is_free() => {
                let room = Rest::new(access, self.access, &self.timing, self.phy.sifs, false);
                let begins =
                    aggregator.begin(now, station, |to, limits| room.within(now, to, limits), effects);
                if !begins {
                    access.expired(now, receiver.is_idle());
                }
                aggregator.report_ready(station, access.category(), effects);
                begins
            }
            _ => match sender.begin(now) {
                None => true,
                Some(service) => {
                    access.expired(now, receiver.is_idle());
                    service.discard(station, access.category(), effects);
                    false
                }
            },
        }
    }

    /// Puts the data frame or A-MPDU of `station` into `slot`, in place of the CTS that permits it.
    fn send_data(&mut self, slot: Slot, station: Station, start: Time) {
        let mut tx = self.data(station, start);
        self.reserve_txop(&mut tx);
        self.stations[usize::from(station)].access.sends(tx.kind);
        *self.medium.get_mut(slot) = tx;
        self.set_aggregate(slot);
    }

    /// Handles a CTS or ACK timeout.
    #[inline(never)]
    fn time_out(&mut self, now: Time, from: Station, effects: &mut Vec<LinkEffect>) {
        let Member { receiver, access, queue, others, .. } = &mut self.stations[usize::from(from)];
        let MacQueue { sender, aggregator } = queue;
        // IEEE 802.11-2016 §10.3.2.9: if a PHY-RXSTART occurred within the timeout, the outcome is determined
        // at the end of that reception.
        if self.rules.ack_timeout == AckTimeout::Ieee && receiver.has_begun(now, self.phy.plcp) {
            access.unanswered(Time::MAX);
            return self.deadlines.clear(usize::from(from));
        }
        if let Some(aggregator) = aggregator
            && aggregator.is_exchanging()
        {
            if let Some(since) = fade_of_others(others, aggregator.next().0) {
                aggregator.adopt_fade(since);
            }
            aggregator.on_missing(now, from, !access.sent_rts(), effects);
            let is_last = sender.is_free() && !aggregator.has_work();
            access.on_failure(now, is_last, receiver.is_idle(), &self.rules);
            aggregator.report_ready(from, access.category(), effects);
            self.note_release(now, from);
            return self.note_deadline(from);
        }
        let gave_up = fail(sender, from, access.sent_rts(), self.attempts, effects);
        access.on_failure(now, gave_up.is_some(), receiver.is_idle(), &self.rules);
        if let Some(service) = gave_up {
            service.discard(from, access.category(), effects);
        }
        self.note_deadline(from);
    }

    pub(super) fn begin(&mut self, now: Time, slot: Slot, schedule: &mut impl FnMut(Time, AirEvent)) {
        let &Transmission { from, end, kind, .. } = self.medium.get(slot);
        schedule(end, AirEvent::End(slot));
        let is_answer = kind.is_answer();
        self.medium.begin(slot, &mut self.stations, |station, access| {
            if access.busy(now, station == from && is_answer, &self.rules) {
                self.deadlines.clear(usize::from(station));
            }
        });
        if is_answer {
            self.answer_begins(now, slot);
        }
    }

    pub(super) fn note_deadline(&mut self, station: Station) {
        let deadline = self.stations[usize::from(station)].access.deadline(&self.rules);
        self.deadlines.set(usize::from(station), deadline);
    }
}
