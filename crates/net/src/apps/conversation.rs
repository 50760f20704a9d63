//! Datagrams at constant intervals in both directions between two nodes. Each datagram has a deadline at its
//! receiver.

use super::{App, AppContext, AppFlow, AppSetup, Direction, Punctuality, Quality};
use airhop_base::{Span, Time};
use std::collections::VecDeque;
use std::fmt::Debug;

/// Suffix of the reverse flow's name. The reverse flow goes from the receiver of the plan's flow to the
/// sender.
const REVERSE_SUFFIX: &str = "reverse";
/// Flow in the reverse direction, the first flow that the application opens.
const REVERSE_FLOW: AppFlow = AppFlow(1);

/// Deadline of an application's datagrams, and quality computed from the arrivals.
pub(super) trait QualityModel: Debug + Send {
    /// Returns the deadline of a datagram.
    fn deadline(&self) -> Deadline;
    /// Returns the quality of one direction. `bound` is the greatest one-way delay of a datagram that arrives
    /// by the deadline; `None` if unknown before the first arrival.
    fn quality(&self, packets: Punctuality, bound: Option<Span>) -> Quality;
}

/// Deadline of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deadline {
    /// Time after the transmission of the datagram.
    AfterSending(Span),
    /// Deadlines at the constant intervals of the transmissions, as in a playout buffer. For the datagram
    /// that arrives first, the deadline is this time after the arrival.
    AfterFirstArrival(Span),
}

/// Both ends of a conversation. The ends send at equal intervals, but start at different times.
#[derive(Debug)]
pub(super) struct Conversation<J> {
    judge: J,
    /// Time from the start of the application to the first datagram of the reverse direction, less than an
    /// interval.
    offset: Span,
    forward: ConversationDirection,
    reverse: ConversationDirection,
}

impl<J: QualityModel> Conversation<J> {
    /// Creates the conversation of a flow. The first datagram of the reverse direction is sent at a random
    /// time within the first interval, because no clock synchronises the two ends.
    pub fn new(judge: J, interval: Span, opening: &AppSetup) -> Self {
        let mut stream = opening.streams.stream(&format!("{}.app", opening.name));
        let offset = Span::from_secs_f64(interval.secs_f64() * stream.uniform());
        let way = ConversationDirection::new(interval, judge.deadline());
        Conversation { offset, forward: way.clone(), reverse: way, judge }
    }

    /// Sends the datagrams that are due.
    fn send_due(&mut self, now: Time, io: &mut AppContext) {
        for (way, flow) in [(&mut self.forward, AppFlow::PLANNED), (&mut self.reverse, REVERSE_FLOW)] {
            if way.next_transmission() == now {
                way.sent += 1;
                io.send_datagram(flow);
            }
        }
    }

    fn quality_of(&self, way: &ConversationDirection, now: Time) -> Quality {
        let mut way = way.clone();
        way.count_expired(now);
        self.judge.quality(way.packets, way.bound)
    }
}

impl<J: QualityModel> App for Conversation<J> {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        io.open_flow(Direction::Backward, REVERSE_SUFFIX);
        (self.forward.start, self.reverse.start) = (now, now + self.offset);
        self.send_due(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        self.send_due(now, io);
    }

    fn on_datagram(&mut self, now: Time, flow: AppFlow, number: u64, sent: Time) {
        let way = if flow == AppFlow::PLANNED { &mut self.forward } else { &mut self.reverse };
        way.on_arrival(now, number, sent);
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.forward.next_transmission().min(self.reverse.next_transmission()))
    }

    fn end_warm_up(&mut self, now: Time) {
        self.forward.end_warm_up(now);
        self.reverse.end_warm_up(now);
    }

    fn quality(&self, now: Time) -> Option<Quality> {
        Some(self.quality_of(&self.forward, now))
    }

    fn reverse_quality(&self, now: Time) -> Option<Quality> {
        Some(self.quality_of(&self.reverse, now))
    }
}

/// One direction of a conversation: transmissions and arrivals.
#[derive(Clone, Debug)]
struct ConversationDirection {
    interval: Span,
    /// Time from the first arrival of a datagram to its deadline; used with [`Deadline::AfterFirstArrival`].
    margin: Span,
    /// Greatest one-way delay of a datagram that arrives by its deadline. `None` before the first arrival if
    /// the deadline is [`Deadline::AfterFirstArrival`].
    bound: Option<Span>,
    /// Time of the first transmission.
    start: Time,
    /// Number of datagrams sent.
    sent: u64,
    /// Number of the first datagram with a deadline that has not passed.
    next: u64,
    /// Arrivals of the datagrams from `next` on: true if the datagram has arrived. Datagrams beyond the end
    /// of the list have not arrived.
    waiting: VecDeque<bool>,
    /// End of the warm-up: earlier deadlines do not count.
    since: Time,
    /// True if the last counted datagram missed its deadline.
    is_in_burst: bool,
    packets: Punctuality,
}

impl ConversationDirection {
    fn new(interval: Span, deadline: Deadline) -> Self {
        let (bound, margin) = match deadline {
            Deadline::AfterSending(bound) => (Some(bound), Span::ZERO),
            Deadline::AfterFirstArrival(margin) => (None, margin),
        };
        ConversationDirection {
            interval,
            margin,
            bound,
            start: Time::ZERO,
            sent: 0,
            next: 0,
            waiting: VecDeque::new(),
            since: Time::ZERO,
            is_in_burst: false,
            packets: Punctuality::default(),
        }
    }

    /// Returns the time of the next transmission.
    fn next_transmission(&self) -> Time {
        self.start + self.interval * self.sent
    }

    fn on_arrival(&mut self, now: Time, number: u64, sent: Time) {
        let bound = *self.bound.get_or_insert(now - sent + self.margin);
        self.count_expired(now);
        match number.checked_sub(self.next) {
            Some(place) => {
                let place = place as usize;
                if self.waiting.len() <= place {
                    self.waiting.resize(place + 1, false);
                }
                self.waiting[place] = true;
            }
            None if sent + bound >= self.since => {
                self.packets.lost -= 1;
                self.packets.late += 1;
            }
            None => {} // the deadline was before the end of the warm-up
        }
    }

    /// Counts the datagrams with a deadline before `now`. A missing datagram counts as lost. After a later
    /// arrival, the datagram counts as late instead.
    fn count_expired(&mut self, now: Time) {
        let Some(bound) = self.bound else { return };
        while self.next < self.sent {
            let deadline = self.start + self.interval * self.next + bound;
            if deadline >= now {
                return;
            }
            let is_in_time = self.waiting.pop_front() == Some(true);
            self.next += 1;
            if deadline >= self.since {
                self.count(is_in_time);
            }
        }
    }

    fn count(&mut self, is_in_time: bool) {
        if is_in_time {
            self.packets.in_time += 1;
        } else {
            self.packets.lost += 1;
            self.packets.miss_bursts += u64::from(!self.is_in_burst);
        }
        self.is_in_burst = !is_in_time;
    }

    /// Ends the warm-up: from now on only later deadlines count.
    fn end_warm_up(&mut self, now: Time) {
        self.count_expired(now);
        (self.since, self.is_in_burst, self.packets) = (now, false, Punctuality::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Returns a direction in which `sent` datagrams were sent, one every 20 ms from 100 ms on.
    fn way(sent: u64, deadline: Deadline) -> ConversationDirection {
        ConversationDirection {
            start: at(100),
            sent,
            ..ConversationDirection::new(Span::from_millis(20), deadline)
        }
    }

    /// Delivers datagrams, each with its number and its arrival time in ms.
    fn deliver(way: &mut ConversationDirection, packets: &[(u64, u64)]) {
        for &(number, ms) in packets {
            way.on_arrival(at(ms), number, at(100 + 20 * number));
        }
    }

    fn counts(way: &ConversationDirection, ms: u64) -> [u64; 4] {
        let mut way = way.clone();
        way.count_expired(at(ms));
        let Punctuality { in_time, late, lost, miss_bursts: bursts } = way.packets;
        [in_time, late, lost, bursts]
    }

    // Values computed by hand, with a playout delay of 60 ms. Datagram 1 arrives first, at 150 ms, and plays
    // at 210 ms; datagram n therefore plays at 190 + 20 n ms. Datagram 0 arrives after datagram 1, but in
    // time. Datagram 2 arrives exactly at its playout time, datagram 3 one millisecond after its playout
    // time, and datagram 4 never.
    #[test]
    fn packets_play_at_the_schedule_of_the_first_arrival() {
        let mut voice = way(7, Deadline::AfterFirstArrival(Span::from_millis(60)));
        assert_eq!(counts(&voice, 1000), [0; 4], "no schedule before the first arrival");
        deliver(&mut voice, &[(1, 150), (0, 170), (2, 230), (3, 251), (5, 252)]);
        assert_eq!(voice.bound, Some(Span::from_millis(90)));
        assert_eq!(counts(&voice, 270), [3, 1, 0, 1], "datagrams 4 and 5 play at 270 and 290 ms");
        assert_eq!(counts(&voice, 291), [4, 1, 1, 1]);
        assert_eq!(counts(&voice, 1000), [4, 1, 2, 2], "the last datagram was lost");
    }

    // Values computed by hand, with a deadline 50 ms after each transmission. A datagram is lost at its
    // deadline even if no datagram has arrived.
    #[test]
    fn deadlines_after_the_transmission_need_no_arrival() {
        let mut game = way(4, Deadline::AfterSending(Span::from_millis(50)));
        assert_eq!(counts(&game, 150), [0; 4]);
        assert_eq!(counts(&game, 151), [0, 0, 1, 1]);
        deliver(&mut game, &[(2, 180), (0, 185), (3, 211)]);
        assert_eq!(counts(&game, 1000), [1, 2, 1, 2]);
    }

    // Deadlines before the end of the warm-up do not count, even if the datagram arrives after it. A burst of
    // losses that continues beyond the end of the warm-up counts as a burst.
    #[test]
    fn deadlines_in_the_warm_up_do_not_count() {
        let mut game = way(6, Deadline::AfterSending(Span::from_millis(50)));
        deliver(&mut game, &[(0, 110)]);
        game.end_warm_up(at(185));
        assert_eq!(counts(&game, 185), [0; 4]);
        deliver(&mut game, &[(1, 186), (2, 195), (3, 220)]);
        assert_eq!(counts(&game, 1000), [0, 2, 2, 1]);
        // Datagram 5 arrives first and plays at 270 ms, so datagram 0 should have played at 170 ms.
        let mut voice = way(6, Deadline::AfterFirstArrival(Span::from_millis(60)));
        voice.end_warm_up(at(185));
        deliver(&mut voice, &[(5, 210), (0, 212)]);
        assert_eq!(counts(&voice, 1000), [1, 0, 4, 1]);
    }

    // Losses follow a two-state Markov process, in which p is the probability of a first loss and q that of
    // the end of a burst. G.107 then has BurstR = 1 / (p + q), and the fraction p / (p + q) is lost. With 10⁶
    // datagrams the burst ratio has a standard error below 0.3 % (variance of a geometric burst length over
    // 20 000 bursts); the tolerance is 1.5 %.
    #[test]
    fn burst_ratio_of_markov_losses_matches_g107() {
        let mut stream = airhop_engine::RandomStreams::new(1, 0).stream("losses");
        let (p, q) = (0.02, 0.25);
        let mut game = way(1_000_000, Deadline::AfterSending(Span::from_millis(50)));
        let mut is_lost = false;
        for number in 0..1_000_000 {
            is_lost = stream.uniform() < if is_lost { 1.0 - q } else { p };
            if !is_lost {
                game.on_arrival(at(101 + 20 * number), number, at(100 + 20 * number));
            }
        }
        game.count_expired(Time::MAX);
        let ratio = game.packets.burst_ratio().expect("losses") * (p + q);
        assert!((ratio - 1.0).abs() < 0.015, "{ratio}");
        let lost = game.packets.percent(game.packets.lost).expect("datagrams");
        assert!((lost / (100.0 * p / (p + q)) - 1.0).abs() < 0.03, "{lost}");
    }
}
