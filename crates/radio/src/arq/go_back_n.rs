//! Go-back-n (Kounavis 1996 §5C). With n = 1 it is stop-and-wait.
use super::{
    ArqReceiver, ArqReport, ArqRules, ArqSender, LinkAck, LinkFrame, ReceiverOutput, RetransmissionGroup,
};
use airhop_base::Time;
use std::collections::VecDeque;

/// Sender of go-back-n. It sends frames in order. After a timeout, the oldest unacknowledged frame and all
/// later frames are retransmitted.
#[derive(Debug)]
pub(super) struct Sender {
    group: RetransmissionGroup,
    rules: ArqRules,
    /// Number of the oldest frame in the sender.
    base: u64,
    /// Number of the next frame to be sent.
    next: u64,
    /// Number after the highest frame that was sent.
    sent: u64,
    /// Frames from `base` on.
    frames: VecDeque<Transmission>,
    /// Blocks only: true if the current block is complete and accepts no further frame.
    closed: bool,
}

/// Last transmission of a frame.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    /// Number of the attempt; 0 before the first.
    attempt: u32,
    start: Time,
}

impl Sender {
    pub fn new(group: RetransmissionGroup, rules: ArqRules) -> Self {
        Sender { group, rules, base: 0, next: 0, sent: 0, frames: VecDeque::new(), closed: false }
    }

    /// Removes the oldest frame.
    fn pop(&mut self) -> u64 {
        self.frames.pop_front();
        self.base += 1;
        self.base - 1
    }

    /// Returns the number after the last frame that the window permits now.
    fn end(&self) -> u64 {
        if self.closed { self.sent } else { self.base + self.frames.len() as u64 }
    }
}

impl ArqSender for Sender {
    fn has_room(&self) -> bool {
        self.frames.len() < self.rules.window as usize
    }

    fn push(&mut self) -> u64 {
        self.frames.push_back(Transmission { attempt: 0, start: Time::ZERO });
        self.base + self.frames.len() as u64 - 1
    }

    fn next_frame(&mut self, now: Time) -> Option<LinkFrame> {
        if self.next >= self.end() {
            // A block contains all frames that can be sent without a gap. A later frame would delay the
            // block's ACK beyond the timeout of the block's first frame.
            self.closed = self.group == RetransmissionGroup::Blocks && self.sent > self.base;
            return None;
        }
        let number = self.next;
        let frame = &mut self.frames[(number - self.base) as usize];
        *frame = Transmission { attempt: frame.attempt + 1, start: now };
        self.next += 1;
        self.sent = self.sent.max(self.next);
        Some(LinkFrame { number, attempt: frame.attempt, lowest_pending: self.base })
    }

    fn on_ack(&mut self, ack: LinkAck, reports: &mut Vec<ArqReport>) {
        if self.group == RetransmissionGroup::Blocks && ack.expected < self.sent {
            return;
        }
        while self.base < ack.expected {
            reports.push(ArqReport::Acknowledged(self.pop()));
        }
        self.next = self.next.max(self.base);
        self.closed &= self.base < self.sent;
    }

    /// Returns the timeout of the oldest frame, counted from the start of its last transmission. `None` if no
    /// frame is outstanding, or if the oldest frame awaits retransmission.
    fn deadline(&self) -> Option<Time> {
        (self.base < self.next).then(|| self.frames[0].start + self.rules.timeout)
    }

    /// Counts a failure of every frame sent since the last retransmission began. The oldest frame has had the
    /// most attempts, so only the oldest frames can reach the attempt limit.
    fn on_timeout(&mut self, _: Time, reports: &mut Vec<ArqReport>) {
        for number in self.base..self.next {
            let attempt = self.frames[(number - self.base) as usize].attempt;
            let retry = self.rules.may_retry(attempt);
            reports.push(ArqReport::Failed { number, attempt, retry });
            if !retry {
                debug_assert_eq!(number, self.base, "an older frame was sent less often");
                reports.push(ArqReport::Discarded(self.pop()));
            }
        }
        self.next = self.base;
        self.closed = self.group == RetransmissionGroup::Blocks && self.sent > self.base;
    }
}

/// Receiver of go-back-n. It accepts frames only in order. Each frame is answered with a link ACK that names
/// the next expected frame.
#[derive(Debug, Default)]
pub(super) struct Receiver {
    expected: u64,
}

impl ArqReceiver for Receiver {
    fn on_frame(&mut self, _: Time, frame: LinkFrame, up: &mut ReceiverOutput) -> Option<LinkAck> {
        self.expected = self.expected.max(frame.lowest_pending);
        if frame.number == self.expected {
            up.deliver.push(frame.number);
            self.expected += 1;
        }
        Some(LinkAck { expected: self.expected, received_bitmap: 0 })
    }
}
