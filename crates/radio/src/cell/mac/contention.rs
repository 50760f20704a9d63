//! Contention for the medium: backoff, contention window, and count of idle slots.
use super::access_rules::{AccessRules, ContentionParameters, Countdown};
use super::carrier_sense::CarrierSense;
use crate::cell::plan::AckTimeout;
use airhop_base::{AccessCategory, Span, Time};
use airhop_engine::RandomStream;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Backoff {
    /// No access waits.
    None,
    /// Direct access: the medium was idle when the packet arrived. The packet is sent after the interframe
    /// space, unless the medium becomes busy before its end.
    Direct,
    /// Backoff with this number of remaining slots.
    Slots(u32),
}

/// Contention of one queue of a station: the only queue with DCF, or the queue of one EDCA function.
#[derive(Debug)]
pub(super) struct Contention {
    parameters: ContentionParameters,
    /// True if a packet waits for the medium, or is in an exchange.
    pub has_packet: bool,
    backoff: Backoff,
    /// Start of the slot count, in the past or future; `None` while the medium is busy or an exchange is in
    /// progress.
    counting: Option<Time>,
    cw: u32,
    /// Earliest start of the backoff before the next retransmission.
    repeat_from: Time,
    stream: RandomStream,
}

impl Contention {
    pub fn new(parameters: ContentionParameters, stream: RandomStream) -> Self {
        Contention {
            parameters,
            has_packet: false,
            backoff: Backoff::None,
            counting: Some(Time::ZERO + parameters.ifs),
            cw: parameters.cw_min,
            repeat_from: Time::ZERO,
            stream,
        }
    }

    pub fn category(&self) -> AccessCategory {
        self.parameters.category
    }

    /// Returns the TXOP limit.
    pub fn txop_limit(&self) -> Span {
        self.parameters.txop_limit
    }

    /// Returns the time of access if the medium stays idle; `None` while the medium is busy.
    pub fn access_time(&self, rules: &AccessRules) -> Option<Time> {
        self.counting.map(|from| from + self.slots_left(rules))
    }

    /// Returns the time of access of a packet that waits; `Time::MAX` without a packet, and while the medium
    /// is busy. A post-backoff without a packet needs no event.
    pub fn deadline(&self, rules: &AccessRules) -> Time {
        if self.has_packet { self.access_time(rules).unwrap_or(Time::MAX) } else { Time::MAX }
    }

    /// Starts contention for an arriving packet. No other packet may be waiting. `idle`: the medium at the
    /// station is idle; `clear`: the medium is idle, or occupied only by a pending response of this station.
    pub fn start_contention(
        &mut self,
        now: Time,
        sense: &CarrierSense,
        idle: bool,
        clear: bool,
        rules: &AccessRules,
    ) {
        debug_assert!(!self.has_packet, "the MAC is not free");
        self.has_packet = true;
        self.end_post_backoff(now, rules);
        if self.backoff != Backoff::None {
            return; // IEEE 802.11-2016 §10.3.4.2: the packet waits for a pending post-backoff
        }
        // Slot boundaries are those of the present count, which after a timeout starts AIFS after the
        // timeout, not after the last frame (IEEE 802.11-2020 §10.23.2.4 c).
        let mut from = self.count_start(sense).max(self.counting.unwrap_or(Time::ZERO));
        if !rules.immediate_access {
            self.draw_backoff();
            from = from.max(now + self.parameters.ifs); // ns-2 starts DIFS and backoff at the arrival of the packet
        } else if clear && !sense.is_reserved(now) {
            self.backoff = Backoff::Direct;
        } else {
            self.draw_backoff();
        }
        self.counting = idle.then(|| earliest_access_time(now, from, rules));
    }

    /// Marks the medium as busy. `own`: true if the station's own response occupies the medium. Returns false
    /// if the change is too late to stop a waiting packet. The packet's slot starts at the same time, so the
    /// station transmits too, and the frames collide.
    #[inline]
    pub fn on_busy(&mut self, now: Time, own: bool, rules: &AccessRules) -> bool {
        self.counting.is_some_and(|from| self.freeze(now, from, own, rules))
    }

    /// Stops the count of slots that started at `from`.
    fn freeze(&mut self, now: Time, from: Time, own: bool, rules: &AccessRules) -> bool {
        let over = from + self.slots_left(rules);
        if self.has_packet && over == now {
            return false;
        }
        self.counting = None;
        match self.backoff {
            Backoff::None => {}
            _ if !self.has_packet && over <= now => self.backoff = Backoff::None, // the post-backoff has ended
            Backoff::Direct if own => {} // the station's own response
            Backoff::Direct => self.draw_backoff(),
            Backoff::Slots(n) => self.backoff = Backoff::Slots(n - counted_slots(now, from, rules).min(n)),
        }
        self.has_packet
    }

    /// Restarts the count of slots on an idle medium.
    pub fn on_idle(&mut self, sense: &CarrierSense) {
        self.counting = Some(self.count_start(sense));
    }

    /// Ends the contention at the start of the station's transmission.
    pub fn on_medium_won(&mut self) {
        self.backoff = Backoff::None;
        self.counting = None;
    }

    /// Handles a lost internal collision: a function of higher category starts in the same slot. The losing
    /// function acts as if its frame had collided (IEEE 802.11-2020 §10.23.2.4). `gave_up`: this was the
    /// packet's last attempt; `waits`: a packet waits.
    pub fn on_internal_collision(&mut self, gave_up: bool, waits: bool) {
        if gave_up {
            self.reset_window();
        } else {
            self.double_window(None);
        }
        self.has_packet = waits;
        self.draw_backoff();
        self.counting = None;
    }

    /// Resets the contention window after a success or a discard.
    pub fn reset_window(&mut self) {
        self.cw = self.parameters.cw_min;
    }

    /// Doubles the contention window after a failure. `repeat_from`: earliest time of the next attempt.
    pub fn double_window(&mut self, repeat_from: Option<Time>) {
        self.cw = ((self.cw + 1) * 2 - 1).min(self.parameters.cw_max);
        self.repeat_from = repeat_from.unwrap_or(self.repeat_from);
    }

    /// Draws a backoff, uniform in {0, …, CW} slots.
    pub fn draw_backoff(&mut self) {
        self.backoff = Backoff::Slots(self.stream.uniform_below(self.cw + 1));
    }

    /// Starts the count of slots at a timeout of the station. `idle`: the medium at the station is idle. The
    /// backoff does not count during the timeout. In ns-2, and in EDCA (IEEE 802.11-2020 §10.23.2.4 c),
    /// another interframe space precedes the backoff.
    pub fn start_countdown_at_timeout(
        &mut self,
        now: Time,
        sense: &CarrierSense,
        idle: bool,
        rules: &AccessRules,
    ) {
        let from = match (rules.ack_timeout, rules.countdown) {
            (AckTimeout::Ieee, Countdown::IdleSlots) => now,
            _ => now + self.parameters.ifs,
        };
        self.counting = idle.then(|| self.count_start(sense).max(from));
    }

    /// Starts the count of slots if the medium is idle. No interframe space is needed, because the station
    /// has just gained the medium.
    pub fn start_countdown_now(&mut self, now: Time, idle: bool) {
        self.counting = idle.then_some(now);
    }

    fn slots_left(&self, rules: &AccessRules) -> Span {
        match self.backoff {
            Backoff::Slots(n) => rules.slot * u64::from(n),
            Backoff::None | Backoff::Direct => Span::ZERO,
        }
    }

    /// Returns the start of the count of slots, if the medium stays idle.
    fn count_start(&self, sense: &CarrierSense) -> Time {
        sense.interframe_space_end(self.parameters.ifs, self.parameters.eifs).max(self.repeat_from)
    }

    /// Ends a post-backoff that reached zero while no packet waited.
    fn end_post_backoff(&mut self, now: Time, rules: &AccessRules) {
        if self.access_time(rules).is_some_and(|over| over <= now) {
            self.backoff = Backoff::None;
        }
    }
}

#[cfg(test)]
impl Contention {
    /// Returns the remaining slots of the backoff; `None` if no backoff waits.
    pub fn remaining_slots(&self) -> Option<u32> {
        match self.backoff {
            Backoff::Slots(n) => Some(n),
            Backoff::None | Backoff::Direct => None,
        }
    }

    /// Returns the contention window CW in slots.
    pub fn contention_window(&self) -> u32 {
        self.cw
    }
}

/// Returns the number of slots counted since `from` if the medium becomes busy at `now`.
fn counted_slots(now: Time, from: Time, rules: &AccessRules) -> u32 {
    if now < from {
        return 0; // the interframe space has not ended
    }
    let whole = now.since(from).whole_multiples(rules.slot).min(u64::from(u32::MAX) - 1) as u32;
    match rules.countdown {
        Countdown::IdleSlots => whole,
        Countdown::Boundaries => whole + 1,
    }
}

/// Returns the earliest access time for a packet that arrives at `now`. The slot count started at `from`.
/// EDCA accesses the medium only at slot boundaries.
fn earliest_access_time(now: Time, from: Time, rules: &AccessRules) -> Time {
    if rules.countdown == Countdown::IdleSlots || now <= from {
        return from.max(now);
    }
    let passed = (now - from).nanos().div_ceil(rules.slot.nanos());
    from + rules.slot * passed
}
