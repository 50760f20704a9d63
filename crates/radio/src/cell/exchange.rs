//! Frame exchange sequences between the stations of a cell: RTS, CTS, data and ACK.
//!
//! The end of a frame is the most frequent step. Rare and long steps are not inlined into this step, so that
//! its values stay in registers.
use super::events::AirEvent;
use super::mac::access_rules::{AccessRules, ContentionParameters, Countdown};
use super::mac::aggregator::Aggregator;
use super::mac::block_ack::Bitmap;
use super::mac::channel_access::{ChannelAccess, DeadlineAction};
use super::mac::deadlines::Deadlines;
use super::mac::stop_and_wait::{AckOutcome, StopAndWait};
use super::mac_queue::{MacQueue, fade_start_of_others, report_failure};
use super::medium::{Medium, SignalOutcome, StationState, Transmission};
use super::plan::{AccessMethod, AckTimeout, CellPlan, NavRule};
use super::rx_state::{AirSlot, RxState};
use super::timing::FrameTiming;
use crate::address::{BROADCAST, StationIndex};
use crate::layer::{FrameKind, LinkEffect, LostFrame, OutgoingPacket, Reception};
use crate::phy::{ACK_BYTES, CTS_BYTES, Phy};
use airhop_base::{AccessCategory, DropCause, MacHeader, Span, Time};
use airhop_engine::RandomStreams;

/// Stations of a cell and the medium between them. Methods schedule events through their parameter
/// `schedule`, so this module does not depend on the world's event type.
#[derive(Debug)]
pub(crate) struct CellMac {
    pub(super) phy: Phy,
    pub(super) timing: FrameTiming,
    pub(super) rules: AccessRules,
    /// Maximum number of transmissions of a data frame.
    pub(super) max_attempts: u32,
    pub(super) access_method: AccessMethod,
    pub(super) nav: NavRule,
    pub(super) overhead_bytes: u32,
    /// dot11FragmentationThreshold.
    pub(super) fragmentation_threshold: u32,
    pub(super) medium: Medium,
    pub(super) stations: Vec<StationState>,
    pub(super) deadlines: Deadlines,
    /// Expiry times of recipients' reorder timers, by the sending station.
    pub(super) reorder_deadlines: Deadlines,
    /// Earliest expiry time of a reorder timer.
    pub(super) next_reorder_deadline: Time,
    /// MAC header of the last reported transmission.
    pub(super) last_mac_header: MacHeader,
}

impl CellMac {
    pub fn new(plan: &CellPlan, streams: &RandomStreams) -> Self {
        let categories = plan.ht.map(|ht| ht.categories).unwrap_or_default();
        let function = |category: AccessCategory, name: &str| {
            let of = if category == AccessCategory::Be { "" } else { category.name() };
            let stream = streams.stream(&format!("{}.backoff{of}.{name}", plan.name));
            (ContentionParameters::new(plan, category), stream)
        };
        let queue = || MacQueue {
            sender: StopAndWait::default(),
            aggregator: plan.ht.as_ref().and_then(|ht| Aggregator::new(ht, plan.overhead_bytes)),
        };
        let member = |name: &str| StationState {
            receiver: RxState::default(),
            access: ChannelAccess::new(categories.iter().map(|category| function(category, name))),
            current_queue: queue(),
            other_queues: categories.iter().skip(1).map(|_| queue()).collect(),
            airtime: Span::ZERO,
            last_frame: (0, Span::ZERO),
        };
        CellMac {
            phy: plan.phy,
            timing: FrameTiming::new(plan),
            rules: AccessRules::new(plan),
            max_attempts: plan.max_attempts,
            access_method: plan.access_method,
            nav: plan.ht.map(|ht| ht.nav_rule).unwrap_or_default(),
            overhead_bytes: plan.overhead_bytes,
            fragmentation_threshold: plan.fragmentation_threshold.unwrap_or(u32::MAX),
            medium: Medium::new(plan, streams),
            stations: plan.stations.iter().map(|(name, _)| member(name)).collect(),
            deadlines: Deadlines::new(plan.stations.len()),
            reorder_deadlines: Deadlines::new(plan.stations.len()),
            next_reorder_deadline: Time::MAX,
            last_mac_header: MacHeader::default(),
        }
    }

    /// Enables the report of every transmission as an effect.
    pub fn enable_transmission_reports(&mut self) {
        self.medium.enable_transmission_reports();
    }

    /// True if a station accepts a packet of an access category.
    #[inline]
    pub fn has_room(&self, station: StationIndex, category: AccessCategory) -> bool {
        let member = &self.stations[usize::from(station)];
        match member.access.place_of(category).checked_sub(1) {
            None => member.current_queue.has_room(),
            Some(other) => member.other_queues[other].has_room(),
        }
    }

    /// Returns the earliest deadline of all stations.
    pub fn earliest_deadline(&mut self) -> Time {
        self.deadlines.earliest().0.min(self.next_reorder_deadline)
    }

    #[cfg(test)]
    pub fn transmission(&self, slot: AirSlot) -> Transmission {
        *self.medium.transmission(slot)
    }

    /// Passes a packet to the MAC of `station`. `number`: number of the packet at the station.
    pub fn enqueue(&mut self, now: Time, station: StationIndex, number: u64, packet: OutgoingPacket) {
        let member = &mut self.stations[usize::from(station)];
        let place = member.access.place_of(packet.category);
        match &mut member.queue_at(place).aggregator {
            Some(aggregator) if packet.to != BROADCAST => aggregator.push(now, number, packet),
            _ => self.start_service(now, station, place, number, packet),
        }
        let StationState { receiver, access, .. } = &mut self.stations[usize::from(station)];
        if !access.has_packet(place) {
            // In a shared medium, a scheduled response marks the medium busy one SIFS before its first bit.
            let is_clear =
                receiver.is_idle() || (receiver.has_no_other_signal() && access.has_response_after(now));
            access.start_contention(now, place, receiver.is_idle(), is_clear, &self.rules);
            self.update_deadline(station);
        }
    }

    /// Handles every deadline that is due now. If the backoffs of several stations end at the same time, all
    /// of them transmit, and their frames collide.
    #[inline(never)]
    pub fn on_deadline(
        &mut self,
        now: Time,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        while self.next_reorder_deadline == now {
            self.on_reorder_timeout(now, effects);
        }
        while let (at, station) = self.deadlines.earliest()
            && at == now
        {
            let station = station as StationIndex;
            match self.stations[usize::from(station)].access.deadline_action() {
                DeadlineAction::Access => self.on_medium_gained(now, station, effects, schedule),
                DeadlineAction::Timeout => self.on_response_timeout(now, station, effects),
                DeadlineAction::Continuation => self.continue_txop(now, station, effects, schedule),
            }
        }
    }

    /// Starts a response.
    pub fn on_response_start(&mut self, now: Time, slot: AirSlot, schedule: &mut impl FnMut(Time, AirEvent)) {
        self.begin_transmission(now, slot, schedule);
    }

    /// Ends a transmission: notifies every station within sense range; the addressed station may respond, and
    /// the medium may become idle.
    pub fn on_transmission_end(
        &mut self,
        now: Time,
        slot: AirSlot,
        effects: &mut Vec<LinkEffect>,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let &Transmission { from, to, kind, packet_number: number, duration, start, .. } =
            self.medium.transmission(slot);
        let is_answer = kind.is_response();
        let holder = if is_answer { to } else { from };
        let member = &mut self.stations[usize::from(holder)];
        member.airtime = member.airtime + (now - start);
        if kind.expects_response() {
            member.access.end_sending();
        }
        let ends_waiting = self.rules.ack_timeout == AckTimeout::Ieee;
        let ended = self.medium.end_transmission(slot, &mut self.stations, |station, access, heard| {
            match heard {
                SignalOutcome::Frame if station == to => access.on_reception(None),
                SignalOutcome::Frame if kind == FrameKind::CfEnd => access.on_cf_end(),
                SignalOutcome::Frame if to == BROADCAST => {
                    access.on_reception(None);
                    effects.push(LinkEffect::Heard { from, to: station, number });
                }
                SignalOutcome::Frame => access.on_reception(Some((now + duration, holder))),
                SignalOutcome::Damaged | SignalOutcome::Garbled(_) => access.on_undecodable_frame(),
                SignalOutcome::Noise => return,
            }
            // IEEE 802.11-2016 §10.3.2.9: if any other frame is received, the expected response is missing.
            let answered = heard == SignalOutcome::Frame && station == to && is_answer;
            if ends_waiting && !answered && access.set_response_timeout(now) {
                self.deadlines.set(usize::from(station), now);
            }
        });
        if let Some(reception) = ended.reception {
            self.report(slot, reception, effects);
        }
        let answers = if to == BROADCAST {
            kind != FrameKind::CfEnd && self.complete_broadcast(from, number, effects)
        } else if ended.outcome == SignalOutcome::Frame {
            self.receive(now, slot, effects)
        } else {
            self.report_lost_frame(slot, ended.outcome, effects)
        };
        if !answers {
            self.set_response_timeout(now, slot, ended.outcome);
            self.medium.free_slot(slot);
        } else if self.medium.is_shared() {
            // No station can start within a SIFS, because each station waits for at least a DIFS. The
            // response therefore occupies the medium from now on, which saves an event and an idle period.
            return self.begin_transmission(now, slot, schedule);
        } else {
            schedule(self.medium.transmission(slot).start, AirEvent::Start(slot));
        }
        self.medium.for_each_idle_station(from, &mut self.stations, |station, access| {
            if let Some(deadline) = access.on_idle(now, &self.rules) {
                self.deadlines.set(usize::from(station), deadline);
            }
        });
    }

    /// Reports the transmission in `slot`. The transmission has just ended with the outcome `reception`.
    #[cold]
    fn report(&mut self, slot: AirSlot, reception: Reception, effects: &mut Vec<LinkEffect>) {
        self.last_mac_header = self.mac_header(slot);
        let tx = self.medium.transmission(slot);
        let holder = if tx.kind.is_response() { tx.to } else { tx.from };
        let is_edca = self.rules.countdown == Countdown::Boundaries;
        let category = is_edca.then(|| self.stations[usize::from(holder)].access.category());
        effects.push(LinkEffect::Transmitted(tx.sent_frame(category, reception)));
        self.report_mpdus(slot, reception, effects);
    }

    /// Completes a broadcast, which no station acknowledges.
    #[inline(never)]
    fn complete_broadcast(&mut self, from: StationIndex, number: u64, effects: &mut Vec<LinkEffect>) -> bool {
        let StationState { access, current_queue: queue, .. } = &mut self.stations[usize::from(from)];
        let packet = queue.sender.complete_broadcast();
        access.end_exchange(queue.has_work());
        effects.push(LinkEffect::Broadcast { from, number, packet });
        effects.push(LinkEffect::Ready(from, access.category()));
        false
    }

    /// Reports that a frame did not reach the addressed station. Returns false, because this station does not
    /// respond.
    fn report_lost_frame(
        &self,
        slot: AirSlot,
        outcome: SignalOutcome,
        effects: &mut Vec<LinkEffect>,
    ) -> bool {
        let &Transmission { from, to, kind: frame, bytes, tag, packet_number: number, .. } =
            self.medium.transmission(slot);
        let header_intact = outcome == SignalOutcome::Damaged;
        let cause = match outcome {
            SignalOutcome::Damaged => DropCause::Channel,
            SignalOutcome::Garbled(cause) => cause,
            SignalOutcome::Frame | SignalOutcome::Noise => DropCause::Collision,
        };
        let has_mpdus = self.stations[usize::from(from)].current_queue.aggregator.is_some();
        if has_mpdus && matches!(frame, FrameKind::Ampdu | FrameKind::Data) {
            self.report_lost_mpdus(slot, &Bitmap::default(), cause, header_intact, effects);
            return false;
        }
        let (number, msdu, packet) = (Some(number), 0, None);
        let lost = LostFrame {
            from,
            to,
            kind: frame,
            bytes,
            tag,
            packet_number: number,
            msdu_index: msdu,
            cause,
            is_header_intact: header_intact,
            packet,
        };
        effects.push(LinkEffect::FrameLost(lost));
        false
    }

    /// Handles the reception of a frame by the addressed station. Returns true if the station responds one
    /// SIFS later; the response uses the slot of the frame.
    fn receive(&mut self, now: Time, slot: AirSlot, effects: &mut Vec<LinkEffect>) -> bool {
        let start = now + self.phy.sifs;
        let &Transmission { from, to, kind, tag, packet_number: number, .. } = self.medium.transmission(slot);
        let (sender, receiver) = (usize::from(from), usize::from(to));
        match kind {
            _ if kind.is_response() && !self.stations[receiver].access.is_awaiting(kind) => return false,
            FrameKind::Rts if !self.stations[receiver].access.may_respond_to_rts(now, from, self.nav) => {
                return false;
            }
            FrameKind::Rts => {
                self.stations[receiver].access.schedule_response(start);
                self.medium.transmission_mut(slot).turn_into_response(
                    FrameKind::Cts,
                    CTS_BYTES,
                    start,
                    self.timing.cts,
                );
            }
            FrameKind::Cts => {
                self.stations[receiver].current_queue.sender.on_cts();
                self.stations[receiver].access.record_cts(from);
                self.send_data(slot, to, start);
            }
            FrameKind::Broadcast | FrameKind::CfEnd => unreachable!("the frame is not for a single station"),
            FrameKind::Data if self.stations[sender].current_queue.aggregator.is_some() => {
                self.receive_single(now, slot, effects);
            }
            FrameKind::Data => {
                if let Some((packet, [taken, begun])) =
                    self.stations[sender].current_queue.sender.mark_received()
                {
                    let contended = begun - taken;
                    effects.push(LinkEffect::Deliver { from, to, number, packet, contended });
                }
                self.stations[receiver].access.schedule_response(start);
                self.medium.transmission_mut(slot).turn_into_response(
                    FrameKind::Ack,
                    ACK_BYTES,
                    start,
                    self.timing.ack,
                );
            }
            FrameKind::Ack if self.stations[receiver].current_queue.aggregator.is_some() => {
                return self.on_response(now, to, kind, effects);
            }
            FrameKind::BlockAck => return self.on_response(now, to, kind, effects),
            FrameKind::BlockAckReq => self.receive_request(now, slot, effects),
            FrameKind::Ampdu => self.receive_aggregate(now, slot, effects),
            FrameKind::Ack => {
                let StationState { access, current_queue: queue, .. } = &mut self.stations[receiver];
                match queue.sender.on_ack(start) {
                    AckOutcome::Fragment => {
                        access.continue_burst();
                        *self.medium.transmission_mut(slot) = self.build_data_frame(to, start);
                        return true;
                    }
                    AckOutcome::Packet => {
                        effects.push(LinkEffect::Acknowledged { from: to, to: from, number, tag });
                        effects.push(LinkEffect::Ready(to, access.category()));
                        access.on_success(start, false);
                        self.update_txop_deadline(to);
                    }
                    AckOutcome::GaveUp(service) => {
                        service.report_discard(to, access.category(), effects);
                        access.end_exchange(false);
                    }
                }
                return false;
            }
        }
        true
    }

    /// Sets the time at which a missing response counts as a failure.
    fn set_response_timeout(&mut self, now: Time, slot: AirSlot, outcome: SignalOutcome) {
        let (phy, FrameTiming { cts, ack, .. }) = (&self.phy, &self.timing);
        let &Transmission { from, to, kind, .. } = self.medium.transmission(slot);
        if kind.is_response() && outcome == SignalOutcome::Frame {
            return; // no station waits any longer
        }
        let (station, rest) = match (kind, self.rules.ack_timeout) {
            (kind, AckTimeout::Ieee) if kind.expects_response() => (from, phy.sifs + phy.response_timeout()),
            (FrameKind::Rts, AckTimeout::Ns2) => (from, phy.sifs + *cts + phy.slot),
            (FrameKind::Data, AckTimeout::Ns2) => (from, phy.sifs + *ack + phy.slot),
            (FrameKind::Cts | FrameKind::Ack, AckTimeout::Ns2) => (to, phy.slot),
            _ => return,
        };
        self.set_failure_time(station, now + rest);
    }

    /// Checks whether the addressee decodes the first symbols of a response. If not, the addressee waits for
    /// its full timeout. With ns-2's rules, the addressee waits until the end of the response.
    fn check_response_start(&mut self, now: Time, slot: AirSlot) {
        let &Transmission { to, start, .. } = self.medium.transmission(slot);
        let is_missed = !self.stations[usize::from(to)].receiver.is_locked_on(slot);
        if is_missed && self.rules.ack_timeout == AckTimeout::Ieee {
            debug_assert!(start == now, "if all stations receive each other, the addressee receives it");
            self.set_failure_time(to, start + self.phy.response_timeout());
        }
    }

    /// Sets the time at which the frame of a station counts as failed, if the station waits for a response.
    fn set_failure_time(&mut self, station: StationIndex, timeout: Time) {
        if self.stations[usize::from(station)].access.set_response_timeout(timeout) {
            self.update_deadline(station);
        }
    }

    /// Handles a CTS or ACK timeout.
    #[inline(never)]
    fn on_response_timeout(&mut self, now: Time, from: StationIndex, effects: &mut Vec<LinkEffect>) {
        let StationState { receiver, access, current_queue: queue, other_queues: others, .. } =
            &mut self.stations[usize::from(from)];
        let MacQueue { sender, aggregator } = queue;
        // IEEE 802.11-2016 §10.3.2.9: if a PHY-RXSTART occurred within the timeout, the outcome is determined
        // at the end of that reception.
        if self.rules.ack_timeout == AckTimeout::Ieee && receiver.has_rx_started(now, self.phy.plcp_duration)
        {
            access.set_response_timeout(Time::MAX);
            return self.deadlines.clear(usize::from(from));
        }
        if let Some(aggregator) = aggregator
            && aggregator.is_exchanging()
        {
            if let Some(since) = fade_start_of_others(others, aggregator.next_frame().0) {
                aggregator.adopt_fade(since);
            }
            aggregator.on_missing_response(now, from, !access.sent_rts(), effects);
            let is_last = sender.is_free() && !aggregator.has_work();
            access.on_failure(now, is_last, receiver.is_idle(), &self.rules);
            aggregator.report_ready(from, access.category(), effects);
            self.update_reorder_deadline(now, from);
            return self.update_deadline(from);
        }
        let gave_up = report_failure(sender, from, access.sent_rts(), self.max_attempts, effects);
        access.on_failure(now, gave_up.is_some(), receiver.is_idle(), &self.rules);
        if let Some(service) = gave_up {
            service.report_discard(from, access.category(), effects);
        }
        self.update_deadline(from);
    }

    pub(super) fn begin_transmission(
        &mut self,
        now: Time,
        slot: AirSlot,
        schedule: &mut impl FnMut(Time, AirEvent),
    ) {
        let &Transmission { from, end, kind, .. } = self.medium.transmission(slot);
        schedule(end, AirEvent::End(slot));
        let is_answer = kind.is_response();
        self.medium.begin_transmission(slot, &mut self.stations, |station, access| {
            if access.on_busy(now, station == from && is_answer, &self.rules) {
                self.deadlines.clear(usize::from(station));
            }
        });
        if is_answer {
            self.check_response_start(now, slot);
        }
    }

    pub(super) fn update_deadline(&mut self, station: StationIndex) {
        let deadline = self.stations[usize::from(station)].access.deadline(&self.rules);
        self.deadlines.set(usize::from(station), deadline);
    }
}
