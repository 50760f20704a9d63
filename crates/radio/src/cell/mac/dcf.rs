//! The distributed coordination function of one station (IEEE 802.11-2016 §10.3), without any I/O: its inputs are changes of the medium
//! around it between busy and idle and receptions, its output is the time of its next call.
//!
//! Where the standard leaves room, or simulators differ:
//! * After a collision, a station that listened waits EIFS. The senders, who could not hear it, wait for their timeout: SIFS, slot and
//!   aRxPHYStartDelay, during which DIFS elapses ([`AckTimeout::Ieee`]), or SIFS, answer and slot, and a DIFS ([`AckTimeout::Ns2`]). In
//!   802.11b that is 364 µs after the frame for the one, for the others 222; with ns-2's 282, and 384 with ACKs at 1 Mbit/s.
//! * Energy that a station could not follow, because it was sending or followed another signal, changes nothing once
//!   it is gone: EIFS follows a PHY-RXEND with an error (§10.3.2.3.7), and such a signal had no PHY-RXSTART. ns-2 waits EIFS after it;
//!   over chains of 1 to 8 hops that is 1.5 % of goodput at most.
//! * A signal beyond the receive range that was followed is an error to the PHY, and EIFS follows it: the header of a frame goes out
//!   at the lowest rate and is read where the rest is not. In ns-3 it depends on the preamble detection model.
//! * A packet to forward comes with the frame that its station has yet to acknowledge. Neither carrier sense is busy then, and a busy
//!   medium "when a STA desires to initiate" asks for a backoff (§10.3.4.2; explicitly for EDCA in §10.22.2.2 a): it goes out
//!   a DIFS after the own ACK, as in ns-3. A frame of somebody else in that DIFS makes it draw one.
//! * A post-backoff is drawn after every packet, also after one that was given up; ns-2 draws that when the next one comes.
//! * A reservation by an RTS that is not followed by a CTS stands: the standard allows, but does not ask, to cancel it.
use super::fragments::Next;
use super::service::Service;
use crate::cell::frames::FrameKind;
use crate::cell::plan::AckTimeout;
use airhop_base::{Packet, Span, Time};
use airhop_engine::{Id, Stream};

/// Maximum number of failed RTS frames in a row, after which a packet is discarded: dot11ShortRetryLimit (IEEE 802.11-2016 §10.3.4.4).
const SHORT_RETRY_LIMIT: u32 = 7;

/// Constants of a cell's DCF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub slot: Span,
    pub difs: Span,
    pub eifs: Span,
    pub cw_min: u32,
    pub cw_max: u32,
    /// Maximum number of transmissions of a data frame.
    pub attempts: u32,
    /// Pause of the link layer before it retransmits a data frame.
    pub retry_delay: Span,
    /// True if a packet that finds the medium idle goes out without a backoff.
    pub immediate_access: bool,
    pub ack_timeout: AckTimeout,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Backoff {
    /// None pending.
    None,
    /// Direct access: the medium was idle when the packet came, which may go out after the interframe space unless the medium becomes busy
    /// before.
    Direct,
    /// Number of idle slots left to count.
    Slots(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Contention for the medium, or no packet.
    Contend,
    /// Exchange: from the first bit of an own RTS or data frame until its exchange succeeded or timed out.
    Exchange {
        /// The own frame last sent: Rts, Data or Broadcast.
        sent: FrameKind,
        /// True if the own frame is over: the next reception is its answer, or takes the answer's place.
        over: bool,
        /// Timeout of the answer; `Time::MAX` while an answer may still come.
        timeout: Time,
    },
}

/// Action of a station at its deadline.
pub(crate) enum Due {
    /// Access to the medium: send the RTS, or the data frame.
    Access,
    /// CTS or ACK timeout.
    Timeout,
}

/// Outcome of a link ACK for the packet in service.
pub(crate) enum Acknowledged {
    /// Delivery of the packet.
    Packet,
    /// Delivery of a fragment; the next fragment goes out a SIFS later.
    Fragment,
    /// Delivery of a fragment, while no other may be sent any more.
    GaveUp(Service),
}

/// Outcome of a failed attempt.
pub(crate) struct Failure {
    /// Number of the attempt that failed, from 1.
    pub attempt: u32,
    /// The discarded packet, if that was the last attempt.
    pub gave_up: Option<Service>,
}

/// Channel access of a station.
#[derive(Debug)]
pub(crate) struct Dcf {
    pub service: Option<Service>,
    phase: Phase,
    backoff: Backoff,
    /// Start of the count of slots, past or future. `None` while the medium is busy or an exchange is under way.
    counting: Option<Time>,
    cw: u32,
    /// Start of the current or last idle period of the medium around the station.
    idle_since: Time,
    /// True if the last signal that ended could not be decoded: EIFS replaces DIFS.
    unreadable: bool,
    /// Network allocation vector: end of the reservation by duration fields (virtual carrier sense).
    nav: Time,
    /// Earliest time of the next retransmission.
    repeat_from: Time,
    /// Start of the station's last CTS or ACK, past or future.
    answer: Time,
    stream: Stream,
}

impl Dcf {
    pub fn new(rules: &Rules, stream: Stream) -> Self {
        Dcf {
            service: None,
            phase: Phase::Contend,
            backoff: Backoff::None,
            counting: Some(Time::ZERO + rules.difs),
            cw: rules.cw_min,
            idle_since: Time::ZERO,
            unreadable: false,
            nav: Time::ZERO,
            repeat_from: Time::ZERO,
            answer: Time::ZERO,
            stream,
        }
    }

    /// Returns the time of the next call of [`Dcf::due`]; `Time::MAX` if the station waits for others.
    pub fn deadline(&self, rules: &Rules) -> Time {
        match (self.phase, self.counting) {
            (Phase::Exchange { timeout, .. }, _) => timeout,
            (Phase::Contend, Some(from)) if self.service.is_some() => from + self.slots_left(rules),
            _ => Time::MAX, // frozen, or a post-backoff without a packet, which needs no event
        }
    }

    /// Starts contention for a packet. `idle`: the medium around the station is idle; `clear`: it is, or only a pending answer of this
    /// station reserves it.
    pub fn enqueue(&mut self, now: Time, mut service: Service, idle: bool, clear: bool, rules: &Rules) {
        debug_assert!(self.service.is_none(), "the MAC is not free");
        self.end_post_backoff(now, rules);
        service.taken = now;
        self.service = Some(service);
        if self.backoff != Backoff::None {
            return; // IEEE 802.11-2016 §10.3.4.2: a pending post-backoff comes first
        }
        let mut from = self.access_start(rules);
        if !rules.immediate_access {
            self.draw();
            from = from.max(now + rules.difs); // ns-2 starts DIFS and backoff when the packet comes
        } else if clear && self.nav <= now {
            self.backoff = Backoff::Direct;
        } else {
            self.draw();
        }
        self.counting = idle.then_some(from.max(now));
    }

    /// Marks the medium around the station busy; `own`: with a frame of its own. True if that cancels the deadline of the station.
    #[inline]
    pub fn busy(&mut self, now: Time, own: bool, rules: &Rules) -> bool {
        self.counting.is_some_and(|from| self.freeze(now, from, own, rules))
    }

    /// Freezes the count of slots that began at `from`. True if that cancels a deadline.
    fn freeze(&mut self, now: Time, from: Time, own: bool, rules: &Rules) -> bool {
        let waits = self.service.is_some();
        if waits && from + self.slots_left(rules) == now {
            return false; // its own slot begins at this very instant: the station transmits too, and the frames collide
        }
        self.end_post_backoff(now, rules);
        self.counting = None;
        match self.backoff {
            Backoff::None => {}
            Backoff::Direct if own => {} // the station's own answer
            Backoff::Direct => self.draw(),
            // Whole slots only: an interrupted one is counted again.
            Backoff::Slots(n) => {
                self.backoff = Backoff::Slots(n - now.since(from).whole(rules.slot).min(n.into()) as u32)
            }
        }
        waits
    }

    /// Marks the medium around the station idle. Returns the new deadline, if there is one.
    pub fn idle(&mut self, now: Time, rules: &Rules) -> Option<Time> {
        self.idle_since = now;
        if self.phase != Phase::Contend {
            return None;
        }
        let from = self.access_start(rules);
        self.counting = Some(from);
        self.service.is_some().then(|| from + self.slots_left(rules))
    }

    /// Records the reception of a frame; `reserve` is the end of the reservation by its duration field, if the frame was for another
    /// station.
    pub fn received(&mut self, reserve: Option<Time>) {
        self.unreadable = false; // ends EIFS, IEEE 802.11-2016 §10.3.7
        if let Some(until) = reserve {
            self.nav = self.nav.max(until);
        }
    }

    /// Records a frame that began but could not be decoded.
    pub fn garbled(&mut self) {
        self.unreadable = true;
    }

    /// True if no duration field forbids a CTS (IEEE 802.11-2016 §10.3.2.7).
    pub fn may_answer_rts(&self, now: Time) -> bool {
        self.nav <= now
    }

    /// Returns the action at the deadline.
    pub fn due(&self) -> Due {
        match self.phase {
            Phase::Contend => Due::Access,
            Phase::Exchange { .. } => Due::Timeout,
        }
    }

    /// Starts an RTS or a data frame of the station's own.
    pub fn sends(&mut self, sent: FrameKind) {
        // EIFS follows a failed reception (IEEE 802.11-2016 §10.3.2.3.7), and a transmission is none.
        self.unreadable = false;
        self.phase = Phase::Exchange { sent, over: false, timeout: Time::MAX };
        self.backoff = Backoff::None;
        self.counting = None;
    }

    /// Ends the station's own frame.
    pub fn sent(&mut self) {
        if let Phase::Exchange { over, .. } = &mut self.phase {
            *over = true;
        }
    }

    /// Sets the timeout of an answer that will not come. False if the station waits for none.
    pub fn unanswered(&mut self, timeout: Time) -> bool {
        match &mut self.phase {
            Phase::Exchange { timeout: t, over: true, .. } => {
                *t = timeout;
                true
            }
            _ => false,
        }
    }

    /// Schedules a CTS or an ACK of the station at `start`.
    pub fn answers(&mut self, start: Time) {
        self.answer = start;
    }

    /// True if the station has an answer to send that begins after `now`.
    pub fn answers_after(&self, now: Time) -> bool {
        now < self.answer
    }

    /// Records the CTS.
    pub fn cleared(&mut self) {
        if let Some(service) = &mut self.service {
            service.rts_failures = 0;
        }
    }

    /// Records the ACK of a frame; another fragment could begin at `then`. After the last frame of the packet, a post-backoff counts from
    /// the next time that the medium becomes idle, at the end of this ACK.
    pub fn acknowledged(&mut self, then: Time, rules: &Rules) -> Acknowledged {
        let fragments = self.service.as_mut().and_then(|service| service.fragments.as_deref_mut());
        let next = fragments.map_or(Next::Done, |fragments| fragments.acknowledged(then));
        match next {
            Next::Fragment => {
                self.cw = rules.cw_min; // any ACK resets it, IEEE 802.11-2016 §10.3.3
                self.sends(FrameKind::Data);
                return Acknowledged::Fragment;
            }
            Next::Done => self.service = None,
            Next::GiveUp => {}
        }
        self.finish(rules);
        self.service.take().map_or(Acknowledged::Packet, Acknowledged::GaveUp)
    }

    /// Discards the packet in service, whose lifetime is over although the medium is won, and returns it. `idle`: the medium around the
    /// station is idle.
    ///
    /// # Panics
    /// If there is no packet in service.
    #[cold]
    pub fn expired(&mut self, now: Time, idle: bool, rules: &Rules) -> Service {
        self.finish(rules);
        self.counting = idle.then_some(now);
        self.service.take().expect("a lifetime is that of a packet")
    }

    /// Completes the station's own broadcast, which no answer follows, and returns the packet.
    ///
    /// # Panics
    /// If no broadcast was under way.
    pub fn broadcast(&mut self, rules: &Rules) -> Id<Packet> {
        self.finish(rules);
        let packet = self.service.take().and_then(|service| service.packet);
        packet.expect("a broadcast is of a packet")
    }

    /// Handles a CTS or ACK timeout. `idle`: the medium around the station is idle.
    pub fn failed(&mut self, now: Time, idle: bool, rules: &Rules) -> Failure {
        let service = self.service.as_mut().expect("a timeout belongs to a frame");
        let attempt = service.attempt();
        service.failures += 1;
        let is_rts = matches!(self.phase, Phase::Exchange { sent: FrameKind::Rts, .. });
        let last = if is_rts {
            service.rts_failures += 1;
            service.rts_failures >= SHORT_RETRY_LIMIT
        } else {
            service.data_failures += 1;
            match &mut service.fragments {
                None => service.data_failures >= rules.attempts,
                Some(fragments) => fragments.failed() == Next::GiveUp,
            }
        };
        let gave_up = if last {
            let service = self.service.take();
            self.finish(rules);
            service
        } else {
            self.phase = Phase::Contend;
            self.cw = ((self.cw + 1) * 2 - 1).min(rules.cw_max);
            if !is_rts {
                self.repeat_from = now + rules.retry_delay;
            }
            self.draw();
            None
        };
        // The backoff does not run during the timeout. In ns-2 it begins with an interframe space of its own.
        let from = match rules.ack_timeout {
            AckTimeout::Ieee => now,
            AckTimeout::Ns2 => now + rules.difs,
        };
        self.counting = idle.then(|| self.access_start(rules).max(from));
        Failure { attempt, gave_up }
    }

    /// Resets the window after the last frame of a packet, and draws a post-backoff whether or not there is more to send (IEEE 802.11-2016
    /// §10.3.4.3).
    fn finish(&mut self, rules: &Rules) {
        self.phase = Phase::Contend;
        self.cw = rules.cw_min;
        self.draw();
    }

    /// Draws a backoff, uniform in {0, …, CW} slots.
    fn draw(&mut self) {
        self.backoff = Backoff::Slots(self.stream.below(self.cw + 1));
    }

    fn slots_left(&self, rules: &Rules) -> Span {
        match self.backoff {
            Backoff::Slots(n) => rules.slot * u64::from(n),
            Backoff::None | Backoff::Direct => Span::ZERO,
        }
    }

    /// Returns the start of the count of slots, if the medium stays idle: an interframe space after both carrier senses, the physical and
    /// the virtual, became idle.
    fn access_start(&self, rules: &Rules) -> Time {
        let ifs = if self.unreadable { rules.eifs } else { rules.difs };
        (self.idle_since + ifs).max(self.nav + rules.difs).max(self.repeat_from)
    }

    /// Ends a post-backoff that ran out with no packet waiting.
    fn end_post_backoff(&mut self, now: Time, rules: &Rules) {
        if self.service.is_none() && self.counting.is_some_and(|from| from + self.slots_left(rules) <= now) {
            self.backoff = Backoff::None;
        }
    }
}

#[cfg(test)]
#[path = "dcf_tests.rs"]
mod tests;
