//! Selective repeat (Kounavis 1996 §5C).
use super::{
    ArqReceiver, ArqReport, ArqRules, ArqSender, LinkAck, LinkFrame, MAX_SELECTIVE_REPEAT_WINDOW,
    ReceiverOutput,
};
use airhop_base::Time;
use std::collections::VecDeque;

/// Sender of selective repeat. A frame is retransmitted only after its timeout, or after a link ACK that
/// shows the frame missing.
#[derive(Debug)]
pub(super) struct Sender {
    srej: bool,
    rules: ArqRules,
    /// Number of the oldest frame in the sender; all lower frames are acknowledged or discarded.
    base: u64,
    frames: VecDeque<Frame>,
    /// Highest `expected` of all received link ACKs: lowest number for which the receiver waits.
    expected: u64,
    /// Transmission time of the last empty frame that announced `base` as floor.
    floor_reported_at: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Number of transmissions so far.
    attempt: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// The frame waits for transmission.
    Waiting,
    /// The frame was transmitted; the time is the start of its last transmission.
    Sent(Time),
    /// The frame is acknowledged or discarded.
    Done,
}

impl Sender {
    /// Creates the sender.
    ///
    /// # Panics
    /// If the window exceeds [`MAX_SELECTIVE_REPEAT_WINDOW`], the number of bits in a link ACK.
    pub fn new(srej: bool, rules: ArqRules) -> Self {
        assert!(rules.window <= MAX_SELECTIVE_REPEAT_WINDOW, "a window of {} frames", rules.window);
        Sender { srej, rules, base: 0, frames: VecDeque::new(), expected: 0, floor_reported_at: None }
    }

    /// Records the failure of the last transmission of the frame at `index`.
    fn fail(&mut self, index: usize, reports: &mut Vec<ArqReport>) {
        let number = self.base + index as u64;
        let attempt = self.frames[index].attempt;
        let retry = self.rules.may_retry(attempt);
        reports.push(ArqReport::Failed { number, attempt, retry });
        self.frames[index].state = if retry { State::Waiting } else { State::Done };
        if !retry {
            reports.push(ArqReport::Discarded(number));
        }
    }

    /// Removes acknowledged and discarded frames from the front.
    fn advance(&mut self) {
        while self.frames.front().is_some_and(|f| f.state == State::Done) {
            self.frames.pop_front();
            self.base += 1;
        }
    }

    /// True if the receiver may wait for a discarded frame, and no later frame of the sender can announce the
    /// new floor ([`LinkFrame::lowest_pending`]).
    fn must_report_lowest_pending(&self) -> bool {
        self.frames.is_empty() && self.expected < self.base
    }
}

impl ArqSender for Sender {
    fn has_room(&self) -> bool {
        self.frames.len() < self.rules.window as usize
    }

    fn push(&mut self) -> u64 {
        self.frames.push_back(Frame { attempt: 0, state: State::Waiting });
        self.floor_reported_at = None;
        self.base + self.frames.len() as u64 - 1
    }

    /// Returns the waiting frame with the lowest number, so retransmissions precede new frames.
    fn next_frame(&mut self, now: Time) -> Option<LinkFrame> {
        if let Some(index) = self.frames.iter().position(|f| f.state == State::Waiting) {
            let frame = &mut self.frames[index];
            *frame = Frame { attempt: frame.attempt + 1, state: State::Sent(now) };
            return Some(LinkFrame {
                number: self.base + index as u64,
                attempt: frame.attempt,
                lowest_pending: self.base,
            });
        }
        if !self.must_report_lowest_pending() || self.floor_reported_at.is_some() {
            return None;
        }
        self.floor_reported_at = Some(now);
        Some(LinkFrame { number: self.base - 1, attempt: 1, lowest_pending: self.base })
    }

    fn on_ack(&mut self, ack: LinkAck, reports: &mut Vec<ArqReport>) {
        let LinkAck { expected, received_bitmap: beyond } = ack;
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
                reports.push(ArqReport::Acknowledged(number));
            } else if !there && self.srej && attempt == 1 && matches!(state, State::Sent(_)) {
                // The link ACK shows that a later frame has arrived. A link keeps the order of frames, so the
                // first copy of this frame is lost. A frame sent more than once is left to its timeout,
                // because its last copy may still arrive.
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
        let floor_reported_at = self.floor_reported_at.filter(|_| self.must_report_lowest_pending());
        sent.chain(floor_reported_at).min().map(|start| start + self.rules.timeout)
    }

    fn on_timeout(&mut self, now: Time, reports: &mut Vec<ArqReport>) {
        let timeout = self.rules.timeout;
        let is_over = |start: Time| start + timeout <= now;
        for index in 0..self.frames.len() {
            if matches!(self.frames[index].state, State::Sent(start) if is_over(start)) {
                self.fail(index, reports);
            }
        }
        self.floor_reported_at = self.floor_reported_at.filter(|start| !is_over(*start));
        self.advance();
    }
}

/// Receiver of selective repeat. A frame that arrives out of order is stored until all earlier frames have
/// arrived or are discarded.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    expected: u64,
    /// Bitmap of arrived frames: bit i represents frame `expected + i`.
    beyond: u64,
}

impl Receiver {
    /// Advances past the expected number, after its frame has arrived or was discarded by the sender.
    fn step(&mut self, deliver: &mut Vec<u64>) {
        if self.beyond & 1 == 1 {
            deliver.push(self.expected);
        }
        self.beyond >>= 1;
        self.expected += 1;
    }
}

impl ArqReceiver for Receiver {
    fn on_frame(&mut self, _: Time, frame: LinkFrame, up: &mut ReceiverOutput) -> Option<LinkAck> {
        while self.expected < frame.lowest_pending {
            self.step(&mut up.deliver);
        }
        if frame.number >= self.expected {
            self.beyond |= 1 << (frame.number - self.expected);
        }
        while self.beyond & 1 == 1 {
            self.step(&mut up.deliver);
        }
        Some(LinkAck { expected: self.expected, received_bitmap: self.beyond })
    }

    fn holds(&self, number: u64) -> bool {
        number
            .checked_sub(self.expected)
            .is_some_and(|i| i < u64::from(u64::BITS) && self.beyond >> i & 1 == 1)
    }
}
