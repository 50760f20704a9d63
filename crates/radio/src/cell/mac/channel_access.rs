//! Channel access of one station (the DCF of IEEE 802.11-2016 §10.3, the EDCA of IEEE 802.11-2020
//! §10.23.2), a state machine without I/O and without packets. Its inputs are receptions, and changes of
//! the medium at the station between busy and idle. Its output is the station's next deadline.
//!
//! Choices where the standard is ambiguous or simulators differ:
//! * After a collision, a receiving station waits EIFS. The senders, which could not receive the collision,
//!   wait for their timeout. The timeout is SIFS, slot and aRxPHYStartDelay, during which DIFS elapses
//!   ([`AckTimeout::Ieee`]), or SIFS, response and slot, and then a DIFS ([`AckTimeout::Ns2`]). In 802.11b a
//!   receiving station waits 364 µs after the frame. The senders wait 222 µs with the first rule, 282 µs with
//!   ns-2's, and 384 µs with ns-2's and ACKs at 1 Mbit/s.
//! * A signal that a station could not receive, because it was sending or receiving another signal, has no
//!   effect after its end. EIFS follows a PHY-RXEND with an error (§10.3.2.3.7), but such a signal had no
//!   PHY-RXSTART. ns-2 waits EIFS after such a signal; over chains of 1 to 8 hops the difference is at most
//!   1.5 % of goodput.
//! * If the receiver locked on a signal from beyond the receive range, the PHY has a reception error, and
//!   EIFS follows. The frame's PHY header is sent at the lowest rate, and is therefore decoded at a longer
//!   distance than its payload. In ns-3 EIFS depends on the preamble detection model.
//! * A packet to forward arrives with a frame that the station has yet to acknowledge. Both carrier senses
//!   are idle at that time, and only a medium that is busy "when a STA desires to initiate" requires a
//!   backoff (§10.3.4.2; explicitly for EDCA in §10.22.2.2 a). As in ns-3, the packet is sent a DIFS after
//!   the station's own ACK. Another station's frame within this DIFS causes a backoff.
//! * A post-backoff is drawn after every packet, delivered or discarded. After a discarded packet ns-2 draws
//!   the backoff only when the next packet arrives.
//! * The reservation by an RTS remains valid without a CTS: the standard permits, but does not require, a NAV
//!   reset.
use super::access_rules::{AccessRules, ContentionParameters};
use super::carrier_sense::CarrierSense;
use super::contention::Contention;
use crate::address::StationIndex;
use crate::cell::plan::NavRule;
use crate::layer::FrameKind;
use airhop_base::{AccessCategory, Span, Time};
use airhop_engine::RandomStream;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// The station contends for the medium, or is idle without a packet.
    Contend,
    /// The station is in an exchange. An exchange lasts from the first bit of the station's own RTS or data
    /// frame until success or timeout.
    Exchange {
        /// Kind of the station's last own frame: Rts, Data or Broadcast.
        sent: FrameKind,
        /// True after the end of the station's own frame. The next reception is then the response, or means
        /// that the response is missing.
        over: bool,
        /// Timeout of the response; `Time::MAX` while a response may still arrive.
        timeout: Time,
    },
    /// The station holds a TXOP between two exchanges. The next exchange starts at this time, one SIFS
    /// after a response.
    Txop(Time),
}

/// Action of a station at its deadline.
pub(crate) enum DeadlineAction {
    /// Access to the medium: the station sends an RTS or a data frame.
    Access,
    /// CTS or ACK timeout.
    Timeout,
    /// Start of the next exchange of a TXOP.
    Continuation,
}

/// Channel access of a station.
///
/// A DCF station has one function. An EDCA station has a function for each access category in use. Place 0 is
/// the current function: it is in an exchange, or was the last in an exchange. A function that gains the
/// medium exchanges its place with the current function.
#[derive(Debug)]
pub(crate) struct ChannelAccess {
    phase: Phase,
    sense: CarrierSense,
    /// Contention of the current function.
    contention: Contention,
    /// Contention of the other functions, from place 1 on.
    others: Box<[Contention]>,
    /// Start of the station's last or next CTS or ACK.
    answer: Time,
    /// End of the station's TXOP by the TXOP limit; `Time::ZERO` outside TXOPs of several exchanges.
    txop_end: Time,
    /// Receivers for which the station has exchanged RTS and CTS in the present TXOP.
    protected: Vec<StationIndex>,
}

impl ChannelAccess {
    /// Creates the channel access of a station with these functions, each with its random stream.
    ///
    /// # Panics
    /// Without functions.
    pub fn new(functions: impl IntoIterator<Item = (ContentionParameters, RandomStream)>) -> Self {
        let mut all = functions.into_iter().map(|(parameters, stream)| Contention::new(parameters, stream));
        ChannelAccess {
            phase: Phase::Contend,
            sense: CarrierSense::IDLE,
            contention: all.next().expect("a station has a function"),
            others: all.collect(),
            answer: Time::ZERO,
            txop_end: Time::ZERO,
            protected: Vec::new(),
        }
    }

    /// True if the station has several EDCA functions.
    #[inline]
    pub fn has_several_functions(&self) -> bool {
        !self.others.is_empty()
    }

    /// Returns the access category of the current function.
    pub fn category(&self) -> AccessCategory {
        self.contention.category()
    }

    /// Returns the access category of the function at `place`.
    pub fn category_at(&self, place: usize) -> AccessCategory {
        self.function(place).category()
    }

    /// Returns the place of the function of an access category. A station with one function uses it for all
    /// packets.
    #[inline]
    pub fn place_of(&self, category: AccessCategory) -> usize {
        if self.has_several_functions() { self.find(category) } else { 0 }
    }

    fn find(&self, category: AccessCategory) -> usize {
        let place = self.functions().position(|contention| contention.category() == category);
        place.expect("a station has a function for each category of the cell")
    }

    /// Returns the place of the function that transmits now. If the slots of several functions start now, the
    /// highest category transmits (IEEE 802.11-2020 §10.23.2.4).
    pub fn winner(&self, now: Time, rules: &AccessRules) -> usize {
        let due = (0..).zip(self.functions()).filter(|(_, contention)| contention.deadline(rules) == now);
        due.max_by_key(|(_, contention)| contention.category()).map_or(0, |(place, _)| place)
    }

    /// Exchanges the places of the current function and the function at `place`.
    pub fn swap_with_current(&mut self, place: usize) {
        if let Some(other) = place.checked_sub(1) {
            std::mem::swap(&mut self.contention, &mut self.others[other]);
        }
    }

    /// True if the function at `place` loses an internal collision: its slot starts now, and the current
    /// function transmits.
    pub fn has_internal_collision(&self, place: usize, now: Time, rules: &AccessRules) -> bool {
        self.function(place).deadline(rules) == now
    }

    /// Handles an internal collision of the function at `place`, as [`Contention::on_internal_collision`] does.
    pub fn on_internal_collision(&mut self, place: usize, gave_up: bool, waits: bool) {
        self.function_mut(place).on_internal_collision(gave_up, waits);
    }

    fn functions(&self) -> impl Iterator<Item = &Contention> {
        std::iter::once(&self.contention).chain(&self.others)
    }

    fn function(&self, place: usize) -> &Contention {
        place.checked_sub(1).map_or(&self.contention, |other| &self.others[other])
    }

    fn function_mut(&mut self, place: usize) -> &mut Contention {
        place.checked_sub(1).map_or(&mut self.contention, |other| &mut self.others[other])
    }

    /// Returns the time of the next call of [`ChannelAccess::deadline_action`]; `Time::MAX` if the station has no
    /// deadline.
    pub fn deadline(&self, rules: &AccessRules) -> Time {
        match self.phase {
            Phase::Exchange { timeout, .. } => timeout,
            Phase::Txop(next) => next,
            Phase::Contend if self.has_several_functions() => self.earliest_deadline(rules),
            Phase::Contend => self.contention.deadline(rules),
        }
    }

    fn earliest_deadline(&self, rules: &AccessRules) -> Time {
        self.functions().map(|contention| contention.deadline(rules)).min().unwrap_or(Time::MAX)
    }

    /// True if a packet of the function at `place` waits for the medium, or is in an exchange.
    pub fn has_packet(&self, place: usize) -> bool {
        self.function(place).has_packet
    }

    /// Starts contention of the channel access function (EDCAF) at `place` for an arriving packet. No other
    /// packet of this function may be waiting. `idle`: the medium at the station is idle; `clear`: the medium
    /// is idle, or reserved only by a pending response of this station.
    pub fn start_contention(
        &mut self,
        now: Time,
        place: usize,
        idle: bool,
        clear: bool,
        rules: &AccessRules,
    ) {
        if matches!(self.phase, Phase::Txop(_)) && place == 0 {
            self.contention.has_packet = true; // the packet may be sent in the present TXOP
            return;
        }
        // During an exchange of another function the medium is busy (IEEE 802.11-2020 §10.23.2.2 a, TXNAV).
        let is_free = self.phase == Phase::Contend;
        let sense = self.sense;
        self.function_mut(place).start_contention(now, &sense, idle && is_free, clear && is_free, rules);
    }

    /// Marks the medium at the station as busy. `own`: true if the station's own response occupies the
    /// medium. Returns true if the station's deadline is cancelled.
    #[inline]
    pub fn on_busy(&mut self, now: Time, own: bool, rules: &AccessRules) -> bool {
        let cancels = self.contention.on_busy(now, own, rules);
        if self.has_several_functions() { self.on_others_busy(now, own, cancels, rules) } else { cancels }
    }

    #[inline(never)]
    fn on_others_busy(&mut self, now: Time, own: bool, mut cancels: bool, rules: &AccessRules) -> bool {
        for other in &mut self.others {
            cancels |= other.on_busy(now, own, rules);
        }
        cancels && self.earliest_deadline(rules) != now
    }

    /// Marks the medium at the station as idle. Returns the new deadline; `None` if the station has none.
    pub fn on_idle(&mut self, now: Time, rules: &AccessRules) -> Option<Time> {
        self.sense.on_idle(now);
        if self.phase != Phase::Contend {
            return None;
        }
        self.contention.on_idle(&self.sense);
        if self.has_several_functions() {
            return Some(self.on_others_idle(rules));
        }
        if self.contention.has_packet { self.contention.access_time(rules) } else { None }
    }

    #[inline(never)]
    fn on_others_idle(&mut self, rules: &AccessRules) -> Time {
        self.others.iter_mut().for_each(|other| other.on_idle(&self.sense));
        self.earliest_deadline(rules)
    }

    /// Records the reception of a frame. `reserve`: end and holder of the reservation by the duration field;
    /// `None` if the frame was for this station.
    pub fn on_reception(&mut self, reserve: Option<(Time, StationIndex)>) {
        self.sense.on_reception(reserve);
    }

    /// Records the reception of a CF-End, which resets the NAV.
    pub fn on_cf_end(&mut self) {
        self.sense.on_cf_end();
    }

    /// Records a frame that the station began to receive but could not decode.
    pub fn on_undecodable_frame(&mut self) {
        self.sense.on_undecodable_frame();
    }

    /// True if no duration field forbids a CTS to `from` (IEEE 802.11-2016 §10.3.2.7). If frames reserve the
    /// whole TXOP, the TXOP holder's reservation does not forbid a CTS to the holder (IEEE 802.11-2020
    /// §10.23.2.4).
    pub fn may_respond_to_rts(&self, now: Time, from: StationIndex, nav: NavRule) -> bool {
        !self.sense.is_reserved(now) || nav == NavRule::Limit && self.sense.nav_holder() == from
    }

    /// Returns the action at the deadline.
    pub fn deadline_action(&self) -> DeadlineAction {
        match self.phase {
            Phase::Contend => DeadlineAction::Access,
            Phase::Exchange { .. } => DeadlineAction::Timeout,
            Phase::Txop(_) => DeadlineAction::Continuation,
        }
    }

    /// Starts a TXOP of the current function.
    pub fn obtain_txop(&mut self, now: Time) {
        let limit = self.contention.txop_limit();
        self.txop_end = if limit > Span::ZERO { now + limit } else { Time::ZERO };
        self.protected.clear();
    }

    /// Starts a CF-End of the station.
    pub fn begin_cf_end(&mut self) {
        self.sense.on_transmission();
    }

    /// Returns the end of the TXOP by its limit; `None` if the TXOP has a single exchange.
    pub fn txop_end(&self) -> Option<Time> {
        (self.txop_end > Time::ZERO).then_some(self.txop_end)
    }

    /// True if RTS and CTS precede an exchange with this receiver: once in a TXOP.
    pub fn needs_rts(&self, to: StationIndex) -> bool {
        !self.protected.contains(&to)
    }

    /// Records a CTS of this receiver.
    pub fn record_cts(&mut self, to: StationIndex) {
        if self.txop_end > Time::ZERO {
            self.protected.push(to);
        }
    }

    /// Starts an RTS or data frame of the station.
    pub fn begin_sending(&mut self, sent: FrameKind) {
        self.sense.on_transmission();
        self.phase = Phase::Exchange { sent, over: false, timeout: Time::MAX };
        self.contention.on_medium_won();
    }

    /// Ends the station's own frame.
    pub fn end_sending(&mut self) {
        if let Phase::Exchange { over, .. } = &mut self.phase {
            *over = true;
        }
    }

    /// Sets the timeout of a missing response. Returns false if the station does not wait for a response.
    pub fn set_response_timeout(&mut self, timeout: Time) -> bool {
        match &mut self.phase {
            Phase::Exchange { timeout: t, over: true, .. } => {
                *t = timeout;
                true
            }
            _ => false,
        }
    }

    /// True if the station waits for this response: a CTS to its RTS, an ACK or a BlockAck to another frame. A
    /// station ignores a response after its timeout.
    pub fn is_awaiting(&self, answer: FrameKind) -> bool {
        match self.phase {
            Phase::Exchange { sent, over, .. } => {
                over && (sent == FrameKind::Rts) == (answer == FrameKind::Cts)
            }
            Phase::Contend | Phase::Txop(_) => false,
        }
    }

    /// True if the station's last own frame is an RTS.
    pub fn sent_rts(&self) -> bool {
        matches!(self.phase, Phase::Exchange { sent: FrameKind::Rts, .. })
    }

    /// Schedules a CTS or ACK of the station at `start`.
    pub fn schedule_response(&mut self, start: Time) {
        self.answer = start;
    }

    /// True if the station will start a response after `now`.
    pub fn has_response_after(&self, now: Time) -> bool {
        now < self.answer
    }

    /// Continues a burst with the next data frame, one SIFS after an ACK. The ACK resets the contention
    /// window (IEEE 802.11-2016 §10.3.3).
    pub fn continue_burst(&mut self) {
        self.contention.reset_window();
        self.begin_sending(FrameKind::Data);
    }

    /// Ends an exchange that succeeded, and resets the contention window. Within a TXOP the next exchange may
    /// start at `next`, one SIFS later. `waits`: a further packet waits.
    pub fn on_success(&mut self, next: Time, waits: bool) {
        if next < self.txop_end {
            self.contention.reset_window();
            self.phase = Phase::Txop(next);
            self.contention.has_packet = waits;
        } else {
            self.end_exchange(waits);
        }
    }

    /// Ends a TXOP in which no further exchange fits. `waits`: a packet waits; `idle`: the medium at the
    /// station is idle. The backoffs count from the end of the last response.
    pub fn end_txop(&mut self, waits: bool, idle: bool) {
        self.end_exchange(waits);
        if idle {
            self.contention.on_idle(&self.sense);
            self.others.iter_mut().for_each(|other| other.on_idle(&self.sense));
        }
    }

    /// Ends an exchange that succeeded, or a packet's last attempt. Resets the contention window, and draws a
    /// post-backoff even if no further packet waits (IEEE 802.11-2016 §10.3.4.3). The post-backoff starts to
    /// count when the medium next becomes idle. `waits`: a further packet waits.
    pub fn end_exchange(&mut self, waits: bool) {
        self.phase = Phase::Contend;
        self.txop_end = Time::ZERO;
        self.contention.has_packet = waits;
        self.contention.reset_window();
        self.contention.draw_backoff();
    }

    /// Ends the contention for a packet that has expired at the time of access. `idle`: the medium at the
    /// station is idle.
    #[cold]
    pub fn on_packet_expired(&mut self, now: Time, idle: bool) {
        self.end_exchange(false);
        self.contention.start_countdown_now(now, idle);
    }

    /// Handles a CTS or ACK timeout. `last`: this was the packet's last attempt; `idle`: the medium at the
    /// station is idle. The backoffs of all functions wait for the timeout (IEEE 802.11-2020 §10.23.2.4 c).
    pub fn on_failure(&mut self, now: Time, last: bool, idle: bool, rules: &AccessRules) {
        if last {
            self.end_exchange(false);
        } else {
            let pauses = !self.sent_rts();
            self.phase = Phase::Contend;
            self.txop_end = Time::ZERO;
            self.contention.double_window(pauses.then(|| now + rules.retry_delay));
            self.contention.draw_backoff();
        }
        self.contention.start_countdown_at_timeout(now, &self.sense, idle, rules);
        for other in &mut self.others {
            other.start_countdown_at_timeout(now, &self.sense, idle, rules);
        }
    }
}

#[cfg(test)]
#[path = "channel_access_tests.rs"]
mod tests;
