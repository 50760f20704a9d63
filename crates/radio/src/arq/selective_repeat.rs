//! Selective repeat (Kounavis 1996 §5C).
use super::{ArqReceiver, ArqRules, ArqSender, LinkAck, LinkFrame, Report, SELECTIVE_WINDOW, Upward};
use airhop_base::Time;
use std::collections::VecDeque;

/// Sends again what is missing, and nothing else that it could know to be there.
#[derive(Debug)]
pub(super) struct Sender {
    srej: bool,
    rules: ArqRules,
    /// The number of the oldest frame inside: all below are acknowledged or given up.
    base: u64,
    frames: VecDeque<Frame>,
    /// The lowest number that the receiver waits for, as far as is known.
    expected: u64,
    /// When the receiver was last told, by an empty frame, that `base` is the lowest that may come.
    told: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Transmissions so far.
    attempt: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Is to be transmitted.
    Waiting,
    /// Was transmitted, last from this time on.
    Sent(Time),
    /// Is acknowledged or given up.
    Done,
}

impl Sender {
    /// # Panics
    /// If the window is larger than [`SELECTIVE_WINDOW`]: its link ACKs could not say what came.
    pub fn new(srej: bool, rules: ArqRules) -> Self {
        assert!(rules.window <= SELECTIVE_WINDOW, "a window of {} frames", rules.window);
        Sender { srej, rules, base: 0, frames: VecDeque::new(), expected: 0, told: None }
    }

    /// The transmission under way of the frame at `index` has failed.
    fn fail(&mut self, index: usize, reports: &mut Vec<Report>) {
        let number = self.base + index as u64;
        let attempt = self.frames[index].attempt;
        let retry = self.rules.retry(attempt);
        reports.push(Report::Failed { number, attempt, retry });
        self.frames[index].state = if retry { State::Waiting } else { State::Done };
        if !retry {
            reports.push(Report::Discarded(number));
        }
    }

    /// Lets go of what is done at the front.
    fn advance(&mut self) {
        while self.frames.front().is_some_and(|f| f.state == State::Done) {
            self.frames.pop_front();
            self.base += 1;
        }
    }

    /// True if the receiver waits for a frame that was given up, as far as is known, and no frame is left that would tell it.
    fn must_tell(&self) -> bool {
        self.frames.is_empty() && self.expected < self.base
    }
}

impl ArqSender for Sender {
    fn has_room(&self) -> bool {
        self.frames.len() < self.rules.window as usize
    }

    fn push(&mut self) -> u64 {
        self.frames.push_back(Frame { attempt: 0, state: State::Waiting });
        self.told = None;
        self.base + self.frames.len() as u64 - 1
    }

    /// The lowest number first: what is sent again goes before what is new.
    fn next_frame(&mut self, now: Time) -> Option<LinkFrame> {
        if let Some(index) = self.frames.iter().position(|f| f.state == State::Waiting) {
            let frame = &mut self.frames[index];
            *frame = Frame { attempt: frame.attempt + 1, state: State::Sent(now) };
            return Some(LinkFrame {
                number: self.base + index as u64,
                attempt: frame.attempt,
                floor: self.base,
            });
        }
        if !self.must_tell() || self.told.is_some() {
            return None;
        }
        self.told = Some(now);
        Some(LinkFrame { number: self.base - 1, attempt: 1, floor: self.base })
    }

    fn on_ack(&mut self, ack: LinkAck, reports: &mut Vec<Report>) {
        let LinkAck { expected, beyond } = ack;
        self.expected = self.expected.max(expected);
        let highest = expected + u64::from(u64::BITS - beyond.leading_zeros());
        for index in 0..self.frames.len() {
            let number = self.base + index as u64;
            if number >= highest.max(expected) {
                break;
            }
            let Frame { attempt, state } = self.frames[index];
            let there = number < expected || beyond >> (number - expected) & 1 == 1;
            if there && state != State::Done {
                self.frames[index].state = State::Done;
                reports.push(Report::Acknowledged(number));
            } else if !there && self.srej && attempt == 1 && matches!(state, State::Sent(_)) {
                // One that was sent after it came before it, which on a link means instead of it. Of later transmissions
                // nothing is known: the one that came may have been sent before them.
                self.fail(index, reports);
            }
        }
        self.advance();
    }

    fn deadline(&self) -> Option<Time> {
        let sent = self.frames.iter().filter_map(|f| match f.state {
            State::Sent(start) => Some(start),
            State::Waiting | State::Done => None,
        });
        let told = self.told.filter(|_| self.must_tell());
        sent.chain(told).min().map(|start| start + self.rules.timeout)
    }

    fn on_timeout(&mut self, now: Time, reports: &mut Vec<Report>) {
        let timeout = self.rules.timeout;
        let is_over = |start: Time| start + timeout <= now;
        for index in 0..self.frames.len() {
            if matches!(self.frames[index].state, State::Sent(start) if is_over(start)) {
                self.fail(index, reports);
            }
        }
        self.told = self.told.filter(|start| !is_over(*start));
        self.advance();
    }
}

/// Keeps what comes out of order until what is before it comes, or is given up.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    expected: u64,
    /// Bit i: the frame `expected + i` is here.
    beyond: u64,
}

impl Receiver {
    /// The frame that was waited for is here, or never comes.
    fn step(&mut self, deliver: &mut Vec<u64>) {
        if self.beyond & 1 == 1 {
            deliver.push(self.expected);
        }
        self.beyond >>= 1;
        self.expected += 1;
    }
}

impl ArqReceiver for Receiver {
    fn on_frame(&mut self, _: Time, frame: LinkFrame, up: &mut Upward) -> Option<LinkAck> {
        while self.expected < frame.floor {
            self.step(&mut up.deliver);
        }
        if frame.number >= self.expected {
            self.beyond |= 1 << (frame.number - self.expected);
        }
        while self.beyond & 1 == 1 {
            self.step(&mut up.deliver);
        }
        Some(LinkAck { expected: self.expected, beyond: self.beyond })
    }

    fn holds(&self, number: u64) -> bool {
        number
            .checked_sub(self.expected)
            .is_some_and(|i| i < u64::from(u64::BITS) && self.beyond >> i & 1 == 1)
    }
}
