//! Originator of a Block Ack agreement: transmit window, selection of an A-MPDU's MPDUs, retries and
//! discards.
use super::{BlockAck, MAX_WINDOW};
use crate::cell::plan::{LostBlockAck, RetryLimit};
use crate::phy::ampdu::{Psdu, PsduLimits};
use airhop_base::Time;
use std::collections::VecDeque;

/// Maximum number of consecutive BlockAckReqs without a response, if the lifetime limits retransmissions:
/// dot11ShortRetryLimit (IEEE 802.11-2016 §10.3.4.4).
const SHORT_RETRY_LIMIT: u32 = 7;

/// Rules of an originator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OriginatorRules {
    /// Window in MPDUs, counted from the oldest MPDU that is neither acknowledged nor discarded.
    pub window: u32,
    pub retries: RetryLimit,
    pub lost_block_ack: LostBlockAck,
}

/// Limits on the frame of an exchange, for example by the rest of a TXOP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExchangeLimits {
    /// Limits of a PSDU.
    pub psdu_limits: PsduLimits,
    /// True if a BlockAckReq and its response fit into the remaining time.
    pub may_request: bool,
}

impl ExchangeLimits {
    /// Returns the room of an exchange without a TXOP limit. Only the limits of a PSDU apply.
    pub fn without_txop_limit(limits: PsduLimits) -> ExchangeLimits {
        ExchangeLimits { psdu_limits: limits, may_request: true }
    }
}

/// Report of the originator on an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MpduReport {
    /// First acknowledgement of the MPDU with this number.
    Acknowledged(u64),
    /// Failure of a transmission: the BlockAck does not acknowledge the MPDU, or the response is missing.
    Failed {
        number: u64,
        /// Number of the transmission, from 1.
        attempt: u32,
        /// True if the MPDU will be retransmitted; if not, [`MpduReport::Discarded`] follows.
        retry: bool,
    },
    /// Discard of the MPDU. No further report on the MPDU follows.
    Discarded { number: u64, reason: DiscardReason },
}

impl MpduReport {
    /// Returns the number of the MPDU.
    pub fn number(&self) -> u64 {
        let (MpduReport::Acknowledged(number)
        | MpduReport::Failed { number, .. }
        | MpduReport::Discarded { number, .. }) = *self;
        number
    }
}

/// Reason of a discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiscardReason {
    Attempts,
    Lifetime,
}

/// Next frame of the originator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OriginatorFrame {
    /// No frame: no MPDU waits, or the frame does not fit into the limits.
    None,
    /// BlockAckReq with this starting sequence number, [`Originator::window_start`]. The response is a
    /// BlockAck.
    Request { start: u64 },
    /// Data: the MPDUs of [`Originator::flight`]. The response to a single MPDU is an Ack; the response to
    /// several MPDUs is a BlockAck.
    Data(Psdu),
}

#[derive(Clone, Copy, Debug)]
struct Mpdu {
    /// Length of the MPDU, bytes.
    bytes: u32,
    /// Time at which the MAC accepted the MPDU's newest packet.
    taken: Time,
    /// Number of transmissions so far.
    attempts: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    /// The MPDU is in flight, or its outcome is unknown because the BlockAck is missing.
    Sent,
    Acknowledged,
    Discarded,
}

/// Originator of a Block Ack agreement. The caller stores the packets, and determines the start of each
/// exchange.
///
/// An exchange starts with [`Originator::begin_exchange`], and ends with [`Originator::on_ack`],
/// [`Originator::on_block_ack`] or [`Originator::on_missing_response`].
#[derive(Debug)]
pub(crate) struct Originator {
    rules: OriginatorRules,
    /// WinStartO: oldest number that is neither acknowledged nor discarded.
    base: u64,
    /// MPDUs from `base` on: at most one window, plus one additional MPDU. The additional MPDU begins when
    /// the last MPDU of the window is full.
    mpdus: VecDeque<Mpdu>,
    /// Sequence number and attempt number of each MPDU in the last A-MPDU.
    flight: Vec<(u64, u32)>,
    /// True if a BlockAckReq must ask which of the sent MPDUs the recipient has received.
    is_unknown: bool,
    /// True if the exchange in progress is a BlockAckReq.
    is_request: bool,
    /// Number of consecutive unanswered BlockAckReqs.
    unanswered: u32,
    /// Number after the last discarded MPDU below `base`. The recipient must not wait for MPDUs below this
    /// number.
    skipped: u64,
    /// Lower bound of the start of the recipient's window, taken from its BlockAcks.
    recipient_start: u64,
}

impl Originator {
    /// Creates the originator.
    ///
    /// # Panics
    /// If the window is zero or larger than [`MAX_WINDOW`].
    pub fn new(rules: OriginatorRules) -> Self {
        assert!((1..=MAX_WINDOW).contains(&rules.window), "a window of {} MPDUs", rules.window);
        let capacity = rules.window as usize;
        Originator {
            rules,
            base: 0,
            mpdus: VecDeque::with_capacity(capacity + 1),
            flight: Vec::with_capacity(capacity),
            is_unknown: false,
            is_request: false,
            unanswered: 0,
            skipped: 0,
            recipient_start: 0,
        }
    }

    /// True if the window has room for another MPDU.
    pub fn has_room(&self) -> bool {
        self.mpdus.len() < self.rules.window as usize
    }

    /// True if the newest MPDU lies within the window and was never sent. Packets may then be added to this
    /// MPDU, or to a new MPDU after it.
    pub fn may_extend_newest(&self) -> bool {
        let newest = self.mpdus.back().filter(|_| self.mpdus.len() <= self.rules.window as usize);
        newest.is_some_and(|mpdu| mpdu.state == State::Waiting && mpdu.attempts == 0)
    }

    /// Lengthens the newest MPDU to `bytes` bytes. The MPDU must not have been sent. The MPDU's lifetime
    /// restarts: "no MSDU in the A-MSDU is discarded before a period of dot11EDCATableMSDULifetime has
    /// elapsed" (IEEE 802.11-2020 §10.23.2.12).
    pub fn extend_newest(&mut self, now: Time, bytes: u32) {
        debug_assert!(self.may_extend_newest(), "an MPDU that was sent keeps its length");
        if let Some(newest) = self.mpdus.back_mut() {
            (newest.bytes, newest.taken) = (bytes, now);
        }
    }

    /// Adds an MPDU of `bytes` bytes and returns its number. Numbers increase by one. The window must have
    /// room.
    pub fn push(&mut self, now: Time, bytes: u32) -> u64 {
        debug_assert!(self.has_room() || self.may_extend_newest(), "the window is full");
        self.mpdus.push_back(Mpdu { bytes, taken: now, attempts: 0, state: State::Waiting });
        self.base + self.mpdus.len() as u64 - 1
    }

    /// True if an exchange can start: no exchange is in progress, and an MPDU or a BlockAckReq waits.
    pub fn has_work(&self) -> bool {
        !self.mpdus.is_empty() || self.must_request()
    }

    /// Returns the sequence number and attempt number of each MPDU in the last A-MPDU, in ascending order.
    pub fn sent_mpdus(&self) -> &[(u64, u32)] {
        &self.flight
    }

    /// Discards expired MPDUs, and starts an exchange with a frame that fits into `room`. A waiting
    /// BlockAckReq precedes MPDUs. MPDUs are sent in ascending order, so retransmissions precede new MPDUs
    /// (IEEE 802.11-2020 §10.25.6.7).
    pub fn begin_exchange(
        &mut self,
        now: Time,
        room: &ExchangeLimits,
        reports: &mut Vec<MpduReport>,
    ) -> OriginatorFrame {
        self.expire(now, reports);
        let ExchangeLimits { psdu_limits: limits, may_request: has_request } = room;
        self.is_request = self.must_request();
        if self.is_request {
            return if *has_request {
                OriginatorFrame::Request { start: self.base }
            } else {
                OriginatorFrame::None
            };
        }
        self.flight.clear();
        let mut psdu = Psdu::default();
        let window = self.base..self.base + u64::from(self.rules.window);
        for (number, mpdu) in window.zip(&mut self.mpdus) {
            if mpdu.state != State::Waiting {
                continue;
            }
            if !psdu.push(mpdu.bytes, limits) {
                break;
            }
            mpdu.attempts += 1;
            mpdu.state = State::Sent;
            self.flight.push((number, mpdu.attempts));
        }
        if self.flight.is_empty() { OriginatorFrame::None } else { OriginatorFrame::Data(psdu) }
    }

    /// Handles the Ack of a single MPDU.
    pub fn on_ack(&mut self, reports: &mut Vec<MpduReport>) {
        for (number, mpdu) in (self.base..).zip(&mut self.mpdus) {
            if mpdu.state == State::Sent {
                mpdu.state = State::Acknowledged;
                reports.push(MpduReport::Acknowledged(number));
            }
        }
        self.advance();
    }

    /// Handles the BlockAck in response to an A-MPDU or to a BlockAckReq. Every MPDU in the bitmap is
    /// acknowledged, even if the MPDU waits for a retransmission. MPDUs in flight that are not in the bitmap
    /// have failed.
    pub fn on_block_ack(&mut self, now: Time, ack: &BlockAck, reports: &mut Vec<MpduReport>) {
        self.recipient_start = self.recipient_start.max(ack.start);
        self.unanswered = 0;
        for index in 0..self.mpdus.len() {
            let number = self.base + index as u64;
            let mpdu = &mut self.mpdus[index];
            if mpdu.is_open() && mpdu.attempts > 0 && ack.acknowledges(number) {
                mpdu.state = State::Acknowledged;
                reports.push(MpduReport::Acknowledged(number));
            }
        }
        self.fail_sent(now, reports);
    }

    /// Handles a missing CTS. Each MPDU of the exchange in progress counts a failed attempt.
    pub fn on_missing_cts(&mut self, now: Time, reports: &mut Vec<MpduReport>) {
        self.fail_sent(now, reports);
    }

    /// Handles the missing response of the exchange in progress. After the last BlockAckReq, returns the
    /// first number after the discarded MPDUs; `None` otherwise. The recipient skips all lower numbers when
    /// its reorder timer expires.
    ///
    /// After a single MPDU, and with [`LostBlockAck::Resend`], all MPDUs of the exchange count as failed.
    /// With [`LostBlockAck::Request`], the outcome is unknown until a BlockAckReq has a response. The limit
    /// of consecutive BlockAckReqs without a response equals the attempt limit of an MPDU. If a lifetime
    /// limits the retransmissions, the limit is dot11ShortRetryLimit. After the last BlockAckReq, all sent
    /// MPDUs count as failed.
    pub fn on_missing_response(&mut self, now: Time, reports: &mut Vec<MpduReport>) -> Option<u64> {
        if !self.is_request {
            match self.rules.lost_block_ack {
                LostBlockAck::Request if self.flight.len() > 1 => self.is_unknown = true,
                _ => self.fail_sent(now, reports),
            }
            return None;
        }
        self.unanswered += 1;
        let most = match self.rules.retries {
            RetryLimit::Attempts(most) => most,
            RetryLimit::Lifetime(_) => SHORT_RETRY_LIMIT,
        };
        if self.unanswered < most {
            return None;
        }
        self.fail_sent(now, reports);
        self.recipient_start = self.recipient_start.max(self.skipped);
        Some(self.skipped)
    }

    /// Returns WinStartO, the oldest number that is neither acknowledged nor discarded.
    pub fn window_start(&self) -> u64 {
        self.base
    }

    /// True if a BlockAckReq must be sent before further MPDUs. One reason is an unknown outcome of sent
    /// MPDUs. The other is a recipient that may wait for discarded MPDUs and must advance its window (IEEE
    /// 802.11-2020 §10.25.6.6.3).
    fn must_request(&self) -> bool {
        self.is_unknown || self.recipient_start < self.skipped
    }

    /// Discards expired MPDUs. The loop stops at the first younger MPDU, because MPDUs enter the MAC in
    /// order.
    fn expire(&mut self, now: Time, reports: &mut Vec<MpduReport>) {
        let RetryLimit::Lifetime(lifetime) = self.rules.retries else { return };
        for (number, mpdu) in (self.base..).zip(&mut self.mpdus) {
            if now < mpdu.taken + lifetime {
                break;
            }
            if mpdu.is_open() {
                mpdu.state = State::Discarded;
                reports.push(MpduReport::Discarded { number, reason: DiscardReason::Lifetime });
            }
        }
        self.is_unknown &= self.mpdus.iter().any(|mpdu| mpdu.state == State::Sent);
        self.advance();
    }

    /// Marks all sent MPDUs without an outcome as failed.
    fn fail_sent(&mut self, now: Time, reports: &mut Vec<MpduReport>) {
        self.is_unknown = false;
        self.unanswered = 0;
        for (number, mpdu) in (self.base..).zip(&mut self.mpdus) {
            if mpdu.state != State::Sent {
                continue;
            }
            let over = match self.rules.retries {
                RetryLimit::Lifetime(lifetime) => {
                    (now >= mpdu.taken + lifetime).then_some(DiscardReason::Lifetime)
                }
                RetryLimit::Attempts(most) => (mpdu.attempts >= most).then_some(DiscardReason::Attempts),
            };
            reports.push(MpduReport::Failed { number, attempt: mpdu.attempts, retry: over.is_none() });
            mpdu.state = if over.is_none() { State::Waiting } else { State::Discarded };
            reports.extend(over.map(|reason| MpduReport::Discarded { number, reason }));
        }
        self.advance();
    }

    /// Advances the window past acknowledged and discarded MPDUs.
    fn advance(&mut self) {
        while let Some(mpdu) = self.mpdus.front().filter(|mpdu| !mpdu.is_open()) {
            self.base += 1;
            if mpdu.state == State::Discarded {
                self.skipped = self.base;
            }
            self.mpdus.pop_front();
        }
    }
}

impl Mpdu {
    /// True if the MPDU is neither acknowledged nor discarded.
    fn is_open(&self) -> bool {
        matches!(self.state, State::Waiting | State::Sent)
    }
}
