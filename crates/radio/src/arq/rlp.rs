//! Radio Link Protocol of cdma2000 (TIA/EIA IS-707-A): the receiver requests missing frames by NAKs (negative
//! acknowledgements), and sends no link ACKs.
//!
//! The receiver requests a missing frame in rounds, each with more NAKs than the previous round. Each NAK
//! that arrives causes one retransmission. After the last round the receiver discards the frame and delivers
//! the later frames. A gap shows in the number of a later frame, or in an idle frame, which carries the
//! highest sequence number. IS-707-A has 20 ms frames of octets and 12-bit numbers. In this model numbers do
//! not wrap, frames are whole packets, and the sender stores frames for a limited time.
use super::{ArqReceiver, ArqReport, ArqSender, LinkAck, LinkFrame, Nak, ReceiverOutput};
use airhop_base::{Span, Time};
use std::collections::VecDeque;

/// Factor of the time for which a sender stores a sent frame. The storage time is this number of timeouts for
/// each round of NAKs, plus one round. The value is Airhop's choice. A round itself lasts one timeout, and
/// the remaining time lets later frames reveal a gap.
const STORAGE_TIME_ROUNDS: u64 = 8;

/// Rules of RLP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RlpRules {
    /// Number of NAKs of each round.
    pub naks_per_round: Vec<u32>,
    /// Duration of a round with one NAK, from the transmission of the NAK.
    pub timeout: Span,
    /// Additional duration of a round for each copy that precedes the last requested copy.
    pub copy_time: Span,
    /// Time from the start of the last frame to an idle frame. A sender without data sends idle frames, which
    /// carry the highest sequence number.
    pub idle_interval: Span,
    /// Length of a NAK and of an idle frame, bytes.
    pub nak_bytes: u32,
}

impl RlpRules {
    /// Returns how long the sender stores a frame that the receiver does not request.
    fn storage_time(&self) -> Span {
        self.timeout * ((self.naks_per_round.len() as u64 + 1) * STORAGE_TIME_ROUNDS)
    }
}

/// Sender of RLP. Requested retransmissions precede new frames.
#[derive(Debug)]
pub(super) struct Sender {
    idle: Span,
    copy: Span,
    storage_time: Span,
    /// Number of the oldest frame in the sender.
    base: u64,
    /// Sent frames that the receiver may still request, and at most one frame that was not sent yet.
    frames: VecDeque<StoredFrame>,
    /// Number of the next new frame.
    next: u64,
    /// Numbers of the frames to retransmit, in the order of the requests.
    asked: VecDeque<u64>,
    /// Start of the last frame's transmission.
    last: Time,
    /// True if an idle frame is due.
    is_idle: bool,
}

/// Frame that a [`Sender`] stores for retransmission.
#[derive(Clone, Copy, Debug)]
struct StoredFrame {
    /// Number of transmissions so far.
    attempts: u32,
    /// Number of NAKs received for the frame so far.
    naks: u32,
    /// True if the receiver has discarded the frame.
    is_aborted: bool,
    /// Start of the storage time: the frame's last transmission, or the estimated transmission of the last
    /// copy requested by the latest NAK.
    touched: Time,
}

impl Sender {
    pub fn new(rules: &RlpRules) -> Self {
        Sender {
            idle: rules.idle_interval,
            copy: rules.copy_time,
            storage_time: rules.storage_time(),
            base: 0,
            frames: VecDeque::new(),
            next: 0,
            asked: VecDeque::new(),
            last: Time::ZERO,
            is_idle: false,
        }
    }

    /// Returns the frame with this number, if it was sent and is still stored.
    fn stored_frame(&mut self, number: u64) -> Option<&mut StoredFrame> {
        let kept = self.frames.get_mut(number.checked_sub(self.base)? as usize)?;
        (kept.attempts > 0 && !kept.is_aborted).then_some(kept)
    }

    /// True if a frame waits for its first transmission.
    fn has_new(&self) -> bool {
        self.next < self.base + self.frames.len() as u64
    }

    /// Returns the time of the next idle frame; `None` while other frames wait, or if the sender stores no
    /// frame.
    fn idle_at(&self) -> Option<Time> {
        let rests = !(self.frames.is_empty() || self.has_new() || self.is_idle) && self.asked.is_empty();
        rests.then(|| self.last + self.idle)
    }

    /// Returns the time at which the sender stops storing the oldest frame; `None` if the frame was not sent
    /// yet.
    fn expires_at(&self) -> Option<Time> {
        let oldest = self.frames.front().filter(|kept| kept.attempts > 0)?;
        Some(oldest.touched + self.storage_time)
    }

    /// Records a transmission of a stored frame, and returns the frame.
    fn transmit(&mut self, now: Time, number: u64) -> LinkFrame {
        (self.last, self.is_idle) = (now, false);
        let kept = &mut self.frames[(number - self.base) as usize];
        kept.attempts += 1;
        kept.touched = kept.touched.max(now);
        LinkFrame { number, attempt: kept.attempts, lowest_pending: 0 }
    }
}

impl ArqSender for Sender {
    /// True if no frame waits for its first transmission. RLP has no window; further packets wait in the
    /// queue before the link.
    fn has_room(&self) -> bool {
        !self.has_new()
    }

    fn push(&mut self) -> u64 {
        self.frames.push_back(StoredFrame { attempts: 0, naks: 0, is_aborted: false, touched: Time::ZERO });
        self.base + self.frames.len() as u64 - 1
    }

    fn next_frame(&mut self, now: Time) -> Option<LinkFrame> {
        while let Some(number) = self.asked.pop_front() {
            if self.stored_frame(number).is_some() {
                return Some(self.transmit(now, number));
            }
        }
        if self.has_new() {
            self.next += 1;
            return Some(self.transmit(now, self.next - 1));
        }
        if !std::mem::take(&mut self.is_idle) {
            return None;
        }
        self.last = now;
        Some(LinkFrame { number: self.next - 1, attempt: 1, lowest_pending: self.next })
    }

    fn on_ack(&mut self, _: LinkAck, _: &mut Vec<ArqReport>) {}

    /// Handles a NAK: counts a failure of each frame in its range, and schedules one retransmission of each.
    fn on_nak(&mut self, now: Time, nak: Nak, reports: &mut Vec<ArqReport>) {
        let copies = self.asked.len() as u64 + (nak.last - nak.first) + 1;
        let over = now + self.copy * copies;
        for number in nak.first..=nak.last {
            let Some(kept) = self.stored_frame(number) else { continue };
            if nak.is_abort {
                kept.is_aborted = true;
                reports.push(ArqReport::Aborted(number));
                continue;
            }
            kept.naks += 1;
            kept.touched = over;
            reports.push(ArqReport::Failed { number, attempt: kept.naks, retry: true });
            self.asked.push_back(number);
        }
    }

    fn deadline(&self) -> Option<Time> {
        [self.idle_at(), self.expires_at()].into_iter().flatten().min()
    }

    /// Reports a frame as delivered if its storage time ends without a request.
    fn on_timeout(&mut self, now: Time, reports: &mut Vec<ArqReport>) {
        while self.expires_at().is_some_and(|at| at <= now) {
            if self.frames.pop_front().is_some_and(|kept| !kept.is_aborted) {
                reports.push(ArqReport::Acknowledged(self.base));
            }
            self.base += 1;
        }
        self.is_idle |= self.idle_at().is_some_and(|at| at <= now);
    }
}

/// Receiver of RLP. It stores frames out of order and requests missing frames.
#[derive(Debug)]
pub(super) struct Receiver {
    rules: RlpRules,
    /// Lowest number that the receiver has neither delivered nor discarded.
    expected: u64,
    /// State of each number from `expected` to the highest number that the receiver knows to be sent.
    places: VecDeque<ReceiverFrameState>,
    /// Estimated time at which the sender has sent all requested retransmissions.
    busy: Time,
    /// NAKs sent within the last `timeout`: transmission time, and number of retransmissions requested.
    asks: VecDeque<(Time, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReceiverFrameState {
    Here,
    /// Missing frame for which NAKs were sent; `over` is the end of the present round.
    Missing {
        round: usize,
        over: Time,
    },
    GivenUp,
}

impl Receiver {
    pub fn new(rules: &RlpRules) -> Self {
        Receiver {
            rules: rules.clone(),
            expected: 0,
            places: VecDeque::new(),
            busy: Time::ZERO,
            asks: VecDeque::new(),
        }
    }

    /// Returns the number after the highest known number.
    fn next_number(&self) -> u64 {
        self.expected + self.places.len() as u64
    }

    /// Starts a round for a range of adjacent missing frames: sends the NAKs, and sets the end of the round.
    fn start_nak_round(
        &mut self,
        now: Time,
        range: std::ops::Range<usize>,
        round: usize,
        up: &mut ReceiverOutput,
    ) {
        let naks = self.rules.naks_per_round[round];
        let (first, last) = (self.expected + range.start as u64, self.expected + range.end as u64 - 1);
        let copies = u64::from(naks) * range.len() as u64;
        self.busy = self.busy.max(now) + self.rules.copy_time * (copies - 1);
        let over = self.busy + self.rules.timeout;
        self.busy += self.rules.copy_time;
        self.asks.push_back((now, copies));
        self.places.range_mut(range).for_each(|place| *place = ReceiverFrameState::Missing { round, over });
        up.naks.extend((0..naks).map(|_| Nak { first, last, is_abort: false }));
    }

    /// Updates the estimate `busy` at the arrival of a new frame or an idle frame. The sender sends
    /// retransmissions before new frames, so no earlier request was pending when this frame began. Only NAKs
    /// sent within the last `timeout` can still cause retransmissions.
    fn on_no_retransmission(&mut self, now: Time) {
        while self.asks.front().is_some_and(|(at, _)| *at + self.rules.timeout < now) {
            self.asks.pop_front();
        }
        let copies: u64 = self.asks.iter().map(|(_, copies)| copies).sum();
        self.busy = self.busy.min(now + self.rules.copy_time * copies);
    }

    /// Delivers the frames that have no missing frame before them.
    fn advance(&mut self, up: &mut ReceiverOutput) {
        while let Some(place @ (ReceiverFrameState::Here | ReceiverFrameState::GivenUp)) = self.places.front()
        {
            if *place == ReceiverFrameState::Here {
                up.deliver.push(self.expected);
            }
            self.places.pop_front();
            self.expected += 1;
        }
    }

    /// Returns the missing frames in rounds that have ended, grouped into ranges of one round.
    fn overdue(&self, now: Time) -> Vec<(std::ops::Range<usize>, usize)> {
        let mut found: Vec<(std::ops::Range<usize>, usize)> = Vec::new();
        for (at, place) in self.places.iter().enumerate() {
            match *place {
                ReceiverFrameState::Missing { round, over } if over <= now => match found.last_mut() {
                    Some((range, same)) if range.end == at && *same == round => range.end += 1,
                    _ => found.push((at..at + 1, round)),
                },
                _ => {}
            }
        }
        found
    }
}

impl ArqReceiver for Receiver {
    fn on_frame(&mut self, now: Time, frame: LinkFrame, up: &mut ReceiverOutput) -> Option<LinkAck> {
        let (known, next) = (self.places.len(), self.next_number());
        if frame.is_empty() || frame.number >= next {
            self.on_no_retransmission(now);
        }
        // As its floor, an idle frame carries the number of the next new frame.
        let end = if frame.is_empty() { frame.lowest_pending } else { frame.number };
        if end > next {
            let gap = known..known + (end - next) as usize;
            self.places.resize(gap.end, ReceiverFrameState::GivenUp);
            self.start_nak_round(now, gap, 0, up);
        }
        if !frame.is_empty() {
            if frame.number >= next {
                self.places.push_back(ReceiverFrameState::Here);
            } else if let Some(at) = frame.number.checked_sub(self.expected)
                && let place @ ReceiverFrameState::Missing { .. } = &mut self.places[at as usize]
            {
                *place = ReceiverFrameState::Here;
            }
        }
        self.advance(up);
        None
    }

    fn deadline(&self) -> Option<Time> {
        let rounds = self.places.iter().filter_map(|place| match place {
            ReceiverFrameState::Missing { over, .. } => Some(*over),
            ReceiverFrameState::Here | ReceiverFrameState::GivenUp => None,
        });
        rounds.min()
    }

    fn on_timeout(&mut self, now: Time, up: &mut ReceiverOutput) {
        let overdue = self.overdue(now);
        // The frames first leave the state `Missing`, so that later steps do not count their finished round.
        for (range, _) in &overdue {
            self.places.range_mut(range.clone()).for_each(|place| *place = ReceiverFrameState::GivenUp);
        }
        for (range, round) in overdue {
            if round + 1 < self.rules.naks_per_round.len() {
                self.start_nak_round(now, range, round + 1, up);
                continue;
            }
            let (first, last) = (self.expected + range.start as u64, self.expected + range.end as u64 - 1);
            up.discarded.extend(first..=last);
            // IS-707-A does not notify the sender of a discard. In Airhop the receiver sends as many control
            // frames with the discard as NAKs in the last round. Agents at the sender thus learn of the loss,
            // as on links with link ACKs.
            up.naks.extend((0..self.rules.naks_per_round[round]).map(|_| Nak {
                first,
                last,
                is_abort: true,
            }));
        }
        self.advance(up);
    }
}
