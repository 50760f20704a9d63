//! The distributed coordination function of one station (IEEE 802.11-2016 §10.3), without any I/O: it is told when the medium
//! around it becomes busy or idle and what was heard, and says when it wants to be woken.
//!
//! Where the standard leaves room, or simulators differ:
//! * After a collision, a station that listened waits EIFS. The senders, who could not hear it, wait for their timeout (SIFS,
//!   answer, slot) and a DIFS. In 802.11b with ACKs at 11 Mbit/s that is 364 and 282 µs after the frame; at 1 Mbit/s, which
//!   EIFS assumes, 364 and 384.
//! * Energy that a station could not follow, because it was sending or followed another signal, changes nothing once
//!   it is gone: EIFS follows a PHY-RXEND with an error (§10.3.2.3.7), and such a signal had no PHY-RXSTART. ns-2 waits EIFS after it;
//!   over chains of 1 to 8 hops that is 1.5 % of goodput at most.
//! * A signal beyond the receive range that was followed is an error to the PHY, and EIFS follows it: the header of a frame goes out
//!   at the lowest rate and is read where the rest is not. In ns-3 it depends on the preamble detection model.
//! * A packet to forward comes with the frame that its station has yet to acknowledge, and the ACK makes the medium busy within a
//!   DIFS: it draws a backoff also where immediate access is allowed. ns-3 forwards it without one, a DIFS after the ACK.
//! * A post-backoff is drawn after every packet, also after one that was given up; ns-2 draws that when the next one comes.
//! * A reservation by an RTS that is not followed by a CTS stands: the standard allows, but does not ask, to cancel it.
use crate::cell::FrameKind;
use crate::mac::lhp::{Fragments, Next};
use crate::mac::service::Service;
use airhop_base::{Packet, Span, Time};
use airhop_engine::{Id, Stream};

/// Failed RTS frames in a row before a packet is given up: dot11ShortRetryLimit (IEEE 802.11-2016 §10.3.4.4).
const SHORT_RETRY_LIMIT: u32 = 7;

/// The constants of a cell's DCF.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub slot: Span,
    pub difs: Span,
    pub eifs: Span,
    pub cw_min: u32,
    pub cw_max: u32,
    /// Transmissions of a data frame at most.
    pub attempts: u32,
    /// So long the link layer waits before it repeats a data frame.
    pub retry_delay: Span,
    /// A packet that finds the medium idle goes out without a backoff.
    pub immediate_access: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Backoff {
    /// None pending.
    None,
    /// The medium was idle when the packet came: it may go out after the interframe space, unless the medium becomes busy before.
    Direct,
    /// Idle slots left to count.
    Slots(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Waiting for the medium, or for a packet.
    Contend,
    /// From the first bit of an own RTS or data frame until its exchange succeeded or timed out.
    Exchange {
        /// The own frame last sent: Rts, Data or Broadcast.
        sent: FrameKind,
        /// When its answer is given up; `Time::MAX` while an answer may still come.
        timeout: Time,
    },
}

/// What a station does when its deadline has come.
pub(crate) enum Due {
    /// It has the medium: send the RTS, or the data frame.
    Access,
    /// No CTS or no ACK came.
    Timeout,
}

/// What an ACK means for the packet.
pub(crate) enum Acknowledged {
    /// It arrived.
    Packet,
    /// A part of it did; the next fragment goes out a SIFS later.
    Fragment,
    /// A part of it did, and with that its slots are used up.
    GaveUp(Service),
}

/// What a failed attempt leads to.
pub(crate) struct Failure {
    /// Which attempt failed, from 1.
    pub attempt: u32,
    /// The packet, if that was the last attempt.
    pub gave_up: Option<Service>,
}

/// A station's channel access.
#[derive(Debug)]
pub(crate) struct Dcf {
    pub service: Option<Service>,
    phase: Phase,
    backoff: Backoff,
    /// When slots began, or will begin, to count. `None` while the medium is busy or an exchange is under way.
    counting: Option<Time>,
    cw: u32,
    /// When the medium around the station last became idle.
    idle_since: Time,
    /// The last signal that ended could not be read: EIFS takes the place of DIFS.
    unreadable: bool,
    /// Until when a duration field has reserved the medium (virtual carrier sense).
    nav: Time,
    /// When a frame that failed may be repeated.
    repeat_from: Time,
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
            stream,
        }
    }

    /// When the station is to be woken with [`Dcf::due`]; `Time::MAX` if it waits for others.
    pub fn deadline(&self, rules: &Rules) -> Time {
        match (self.phase, self.counting) {
            (Phase::Exchange { timeout, .. }, _) => timeout,
            (Phase::Contend, Some(from)) if self.service.is_some() => from + self.slots_left(rules),
            _ => Time::MAX, // frozen, or a post-backoff with nothing behind it: that needs no event
        }
    }

    /// Takes a packet. `idle`: the medium around the station is idle.
    pub fn enqueue(&mut self, now: Time, mut service: Service, idle: bool, rules: &Rules) {
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
        } else if idle && self.nav <= now {
            self.backoff = Backoff::Direct;
        } else {
            self.draw();
        }
        self.counting = idle.then_some(from.max(now));
    }

    /// The medium around the station becomes busy. True if that takes its deadline away.
    pub fn busy(&mut self, now: Time, rules: &Rules) -> bool {
        let Some(from) = self.counting else { return false };
        if self.service.is_some() && from + self.slots_left(rules) == now {
            return false; // its own slot begins at this very instant: it sends too, and the frames collide
        }
        self.end_post_backoff(now, rules);
        self.counting = None;
        match self.backoff {
            Backoff::None => {}
            Backoff::Direct => self.draw(),
            // Whole slots only: an interrupted one is counted again.
            Backoff::Slots(n) => {
                self.backoff = Backoff::Slots(n - now.since(from).whole(rules.slot).min(n.into()) as u32)
            }
        }
        true
    }

    /// The medium around the station becomes idle.
    pub fn idle(&mut self, now: Time, rules: &Rules) {
        self.idle_since = now;
        if self.phase == Phase::Contend {
            self.counting = Some(self.access_start(rules));
        }
    }

    /// A frame was received; `reserve` is the end of the time that its duration field claims, if it was for somebody else.
    pub fn received(&mut self, reserve: Option<Time>) {
        self.unreadable = false; // ends EIFS, IEEE 802.11-2016 §10.3.7
        if let Some(until) = reserve {
            self.nav = self.nav.max(until);
        }
    }

    /// A frame began that could not be read to its end.
    pub fn garbled(&mut self) {
        self.unreadable = true;
    }

    /// True if no duration field forbids a CTS (IEEE 802.11-2016 §10.3.2.7).
    pub fn may_answer_rts(&self, now: Time) -> bool {
        self.nav <= now
    }

    /// The deadline has come.
    pub fn due(&self) -> Due {
        match self.phase {
            Phase::Contend => Due::Access,
            Phase::Exchange { .. } => Due::Timeout,
        }
    }

    /// The station sends an RTS or a data frame of its own.
    pub fn sends(&mut self, sent: FrameKind) {
        self.phase = Phase::Exchange { sent, timeout: Time::MAX };
        self.backoff = Backoff::None;
        self.counting = None;
    }

    /// No answer to the own frame will come: it is given up at `timeout`.
    pub fn unanswered(&mut self, timeout: Time) {
        if let Phase::Exchange { timeout: t, .. } = &mut self.phase {
            *t = timeout;
        }
    }

    /// The CTS came.
    pub fn cleared(&mut self) {
        if let Some(service) = &mut self.service {
            service.rts_failures = 0;
        }
    }

    /// The ACK came. After the last frame of the packet, a post-backoff counts from the next time that the medium becomes idle, at
    /// the end of this ACK.
    pub fn acknowledged(&mut self, rules: &Rules) -> Acknowledged {
        let fragments = self.service.as_mut().and_then(|service| service.fragments.as_mut());
        let next = fragments.map_or(Next::Done, Fragments::acknowledged);
        if next == Next::Fragment {
            self.cw = rules.cw_min; // any ACK resets it, IEEE 802.11-2016 §10.3.3
            return Acknowledged::Fragment;
        }
        self.finish(rules);
        match self.service.take() {
            Some(service) if next == Next::OutOfSlots => Acknowledged::GaveUp(service),
            _ => Acknowledged::Packet,
        }
    }

    /// The own broadcast is over: there is nothing to wait for. Returns the packet.
    ///
    /// # Panics
    /// If none was under way.
    pub fn broadcast(&mut self, rules: &Rules) -> Id<Packet> {
        self.finish(rules);
        let packet = self.service.take().and_then(|service| service.packet);
        packet.expect("a broadcast is of a packet")
    }

    /// The timeout came. `idle`: the medium around the station is idle.
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
                Some(fragments) => fragments.failed() == Next::OutOfSlots,
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
        // The backoff does not run during the timeout; it begins with an interframe space of its own.
        self.counting = idle.then(|| self.access_start(rules).max(now + rules.difs));
        Failure { attempt, gave_up }
    }

    /// After the last frame of a packet: the window is reset, and a post-backoff is drawn whether or not there is more to send
    /// (IEEE 802.11-2016 §10.3.4.3).
    fn finish(&mut self, rules: &Rules) {
        self.phase = Phase::Contend;
        self.cw = rules.cw_min;
        self.draw();
    }

    /// Uniform in {0, …, CW}.
    fn draw(&mut self) {
        self.backoff = Backoff::Slots(self.stream.below(self.cw + 1));
    }

    fn slots_left(&self, rules: &Rules) -> Span {
        match self.backoff {
            Backoff::Slots(n) => rules.slot * u64::from(n),
            Backoff::None | Backoff::Direct => Span::ZERO,
        }
    }

    /// When slots count from, if the medium stays idle: an interframe space after both carrier senses, the physical and the
    /// virtual, became idle.
    fn access_start(&self, rules: &Rules) -> Time {
        let ifs = if self.unreadable { rules.eifs } else { rules.difs };
        (self.idle_since + ifs).max(self.nav + rules.difs).max(self.repeat_from)
    }

    /// A post-backoff that ran out with no packet waiting is over.
    fn end_post_backoff(&mut self, now: Time, rules: &Rules) {
        if self.service.is_none() && self.counting.is_some_and(|from| from + self.slots_left(rules) <= now) {
            self.backoff = Backoff::None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Tag;
    use crate::mac::service::DataFrame;
    use airhop_base::{FlowId, Packet};
    use airhop_engine::{Arena, Streams};

    /// 802.11b, no immediate access.
    const RULES: Rules = Rules {
        slot: Span::from_micros(20),
        difs: Span::from_micros(50),
        eifs: Span::from_micros(364),
        cw_min: 31,
        cw_max: 1023,
        attempts: 7,
        retry_delay: Span::ZERO,
        immediate_access: false,
    };

    fn us(t: u64) -> Time {
        Time::from_nanos(t * 1000)
    }

    fn packet() -> Service {
        let tag = Tag { flow: FlowId(0), seq: 0, end: 0 };
        let frame = DataFrame { bytes: 1076, header: 76, airtime: Span::from_micros(975) };
        Service::new(1, Arena::new().insert(any_packet()), tag, frame, None)
    }

    fn any_packet() -> Packet {
        use airhop_base::{Body, Datagram, NodeId};
        let body = Body::Udp(Datagram { number: 0, len: 12, sent: Time::ZERO });
        Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body)
    }

    /// A station that got a packet at 1000 µs on an idle medium, and how many slots it drew.
    fn contending(at_least: u64) -> (Dcf, u64) {
        (0..)
            .map(|seed| {
                let mut dcf = Dcf::new(&RULES, Streams::new(seed, 0).stream("backoff"));
                dcf.enqueue(us(1000), packet(), true, &RULES);
                let slots = (dcf.deadline(&RULES) - us(1050)).whole(RULES.slot);
                (dcf, slots)
            })
            .find(|(_, slots)| *slots >= at_least)
            .expect("one of the seeds draws enough")
    }

    #[test]
    fn a_frozen_backoff_keeps_the_whole_slots_that_passed() {
        // A DIFS from 1000, then 3 slots and 15 µs; a whole number of slots; less than a DIFS.
        for (busy, counted) in [(1125, 3), (1110, 3), (1130, 4), (1060, 0), (1040, 0)] {
            let (mut dcf, slots) = contending(6);
            dcf.busy(us(busy), &RULES);
            assert_eq!(dcf.deadline(&RULES), Time::MAX);
            dcf.idle(us(3000), &RULES);
            assert_eq!(dcf.deadline(&RULES), us(3050 + 20 * (slots - counted)), "busy at {busy} µs");
        }
    }

    #[test]
    fn a_backoff_that_ends_as_the_medium_becomes_busy_is_not_frozen() {
        let (mut dcf, slots) = contending(6);
        let end = us(1050 + 20 * slots);
        dcf.busy(end, &RULES);
        assert_eq!(dcf.deadline(&RULES), end);
    }

    #[test]
    fn virtual_carrier_sense_outlasts_the_physical_one() {
        let (mut dcf, slots) = contending(6);
        dcf.busy(us(1040), &RULES);
        dcf.received(Some(us(5000)));
        dcf.idle(us(3000), &RULES);
        assert!(!dcf.may_answer_rts(us(4999)) && dcf.may_answer_rts(us(5000)));
        assert_eq!(dcf.deadline(&RULES), us(5050 + 20 * slots));
        dcf.busy(us(4000), &RULES); // and no slot of the reserved time counts
        dcf.received(Some(us(4500))); // an earlier reservation does not shorten it
        dcf.idle(us(4100), &RULES);
        assert_eq!(dcf.deadline(&RULES), us(5050 + 20 * slots));
    }

    #[test]
    fn eifs_counts_from_the_end_of_the_unreadable_signal_and_ends_with_a_frame() {
        let (mut dcf, slots) = contending(6);
        dcf.busy(us(1040), &RULES);
        dcf.garbled();
        dcf.idle(us(3000), &RULES);
        assert_eq!(dcf.deadline(&RULES), us(3364 + 20 * slots));
        dcf.busy(us(3100), &RULES);
        dcf.received(None);
        dcf.idle(us(3200), &RULES);
        assert_eq!(dcf.deadline(&RULES), us(3250 + 20 * slots));
    }

    /// A link layer with slow loss awareness (Yun 2009 §2.2): the backoff before a repetition begins after the pause, also if the
    /// medium becomes busy in between; what comes after the packet waits no longer.
    #[test]
    fn a_slow_link_layer_pauses_before_it_repeats() {
        let rules = Rules { attempts: 2, retry_delay: Span::from_micros(90_000), ..RULES };
        let (mut dcf, slots) = contending(0);
        dcf.busy(us(1050 + 20 * slots), &rules);
        dcf.sends(FrameKind::Data);
        assert!(dcf.failed(us(3000), true, &rules).gave_up.is_none());
        let Backoff::Slots(drawn) = dcf.backoff else { panic!("a backoff is drawn") };
        let repetition = us(93_000 + 20 * u64::from(drawn));
        assert_eq!(dcf.deadline(&rules), repetition);
        dcf.busy(us(4000), &rules);
        dcf.idle(us(5000), &rules);
        assert_eq!(dcf.deadline(&rules), repetition);
        dcf.busy(repetition, &rules);
        dcf.sends(FrameKind::Data);
        assert!(dcf.failed(us(99_000), true, &rules).gave_up.is_some());
        dcf.enqueue(us(99_000), packet(), true, &rules);
        assert!(dcf.deadline(&rules) <= us(99_050 + 20 * 31));
    }

    /// IEEE 802.11-2016 §10.3.4.3: the backoff after a packet is drawn when it ends, not when the next one comes.
    #[test]
    fn a_post_backoff_runs_without_a_packet() {
        let after_success = |next: u64| {
            let (mut dcf, slots) = contending(0);
            let start = us(1050 + 20 * slots);
            dcf.busy(start, &RULES);
            dcf.sends(FrameKind::Data);
            assert!(matches!(dcf.acknowledged(&RULES), Acknowledged::Packet));
            dcf.idle(us(4000), &RULES);
            assert_eq!(dcf.deadline(&RULES), Time::MAX, "nothing to wake up for");
            let Backoff::Slots(drawn) = dcf.backoff else { panic!("a post-backoff is always drawn") };
            dcf.enqueue(us(next), packet(), true, &RULES);
            (dcf.deadline(&RULES), u64::from(drawn))
        };
        let (deadline, drawn) = after_success(4030);
        assert_eq!(deadline, us(4050 + 20 * drawn), "a packet within the post-backoff waits for its end");
        let (deadline, _) = after_success(9000);
        assert!(deadline >= us(9050), "later, it draws one of its own");
    }

    /// IEEE 802.11-2016 §10.3.4.2: only a medium that stays idle for the whole DIFS spares a packet its backoff.
    #[test]
    fn direct_access_that_is_interrupted_becomes_a_backoff() {
        let rules = Rules { immediate_access: true, ..RULES };
        let deadlines = (0..20).map(|seed| {
            let mut dcf = Dcf::new(&rules, Streams::new(seed, 0).stream("backoff"));
            dcf.idle(us(1000), &rules);
            dcf.enqueue(us(1010), packet(), true, &rules);
            assert_eq!(dcf.deadline(&rules), us(1050));
            dcf.busy(us(1030), &rules);
            dcf.idle(us(3000), &rules);
            dcf.deadline(&rules)
        });
        assert!(deadlines.max().unwrap() > us(3050 + 20 * 20)); // 20 draws from 0 … 31, none above 20: 1e-4
    }

    /// IEEE 802.11-2016 §10.3.4.2: a packet is spared its backoff only where both carrier senses find the medium idle.
    #[test]
    fn a_medium_that_is_reserved_or_busy_gives_no_direct_access() {
        let rules = Rules { immediate_access: true, ..RULES };
        for (idle, reserved) in [(true, us(3000)), (false, us(0))] {
            let deadlines = (0..20).map(|seed| {
                let mut dcf = Dcf::new(&rules, Streams::new(seed, 0).stream("backoff"));
                dcf.received(Some(reserved));
                dcf.enqueue(us(1000), packet(), idle, &rules);
                if !idle {
                    dcf.idle(us(3000), &rules);
                }
                dcf.deadline(&rules)
            });
            assert!(deadlines.max().unwrap() > us(3050 + 20 * 20)); // as above
        }
    }

    #[test]
    fn the_window_doubles_up_to_its_limit_and_is_reset_by_the_last_failure() {
        let (mut dcf, _) = contending(0);
        let mut windows = vec![];
        for attempt in 1..=7 {
            windows.push(dcf.cw);
            dcf.sends(FrameKind::Data);
            dcf.unanswered(us(20_000 * attempt));
            let failure = dcf.failed(us(20_000 * attempt), true, &RULES);
            assert_eq!((u64::from(failure.attempt), failure.gave_up.is_some()), (attempt, attempt == 7));
        }
        assert_eq!(windows, [31, 63, 127, 255, 511, 1023, 1023]);
        assert_eq!(dcf.cw, 31);
    }
}
