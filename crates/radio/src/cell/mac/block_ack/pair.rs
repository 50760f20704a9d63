//! Originator and recipient joined by a lossy channel. Every exchange is checked against the reports that the
//! two must make.
use super::BlockAck;
use super::originator::{
    DiscardReason, ExchangeLimits, MpduReport, Originator, OriginatorFrame, OriginatorRules,
};
use super::recipient::Recipient;
use crate::cell::plan::{LostBlockAck, RetryLimit};
use crate::phy::ampdu::PsduLimits;
use crate::phy::{Band, MAX_PPDU_TIME, PpduFormat, TxMode, TxSettings};
use airhop_base::{Span, Time};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the A-MPDU limits of 802.11ax at 20 MHz for this MCS.
pub fn limits(mcs: u8, frames: u32) -> PsduLimits {
    let (format, band, guard) = (PpduFormat::He, Band::Ghz5, Span::from_nanos(800));
    let mode =
        TxMode::new(TxSettings { format, band, mcs, streams: 1, width_mhz: 20, guard_interval: guard })
            .unwrap();
    PsduLimits::new(&mode, u32::MAX, frames, MAX_PPDU_TIME)
}

pub fn rules(window: u32, retries: RetryLimit, lost_block_ack: LostBlockAck) -> OriginatorRules {
    OriginatorRules { window, retries, lost_block_ack }
}

/// Modulus of sequence numbers on the air.
const MODULUS: u64 = 4096;

/// Returns the full sequence number of a modulo-4096 number: the candidate nearest to `known`. The receiver
/// of a frame takes `known` from its own state.
fn full_number(number: u64, known: u64) -> u64 {
    let ahead = (number % MODULUS + MODULUS - known % MODULUS) % MODULUS;
    if ahead < MODULUS / 2 { known + ahead } else { known + ahead - MODULUS }
}

/// Transmissions of an MPDU so far, as a reference for the originator's reports.
#[derive(Clone, Copy, Debug)]
struct MpduHistory {
    taken: Time,
    /// Number of transmissions.
    sent: u32,
    /// Number of transmissions reported as failed.
    failed: u32,
}

/// Originator and recipient. Each exchange is checked against the rules of IEEE 802.11-2020 §10.25.
pub struct BlockAckPair {
    rules: OriginatorRules,
    pub limits: PsduLimits,
    pub now: Time,
    originator: Originator,
    recipient: Recipient,
    pushed: u64,
    /// MPDUs that are neither acknowledged nor discarded.
    open: BTreeMap<u64, MpduHistory>,
    arrived: BTreeSet<u64>,
    pub delivered: Vec<u64>,
    pub acknowledged: Vec<u64>,
    pub discarded: Vec<u64>,
}

impl BlockAckPair {
    pub fn new(rules: OriginatorRules, limits: PsduLimits) -> BlockAckPair {
        BlockAckPair {
            rules,
            limits,
            now: Time::ZERO,
            originator: Originator::new(rules),
            recipient: Recipient::new(rules.window),
            pushed: 0,
            open: BTreeMap::new(),
            arrived: BTreeSet::new(),
            delivered: Vec::new(),
            acknowledged: Vec::new(),
            discarded: Vec::new(),
        }
    }

    /// Adds up to `count` MPDUs of `bytes` bytes, as long as the window has room.
    pub fn push(&mut self, count: u32, bytes: u32) {
        for _ in 0..count {
            if !self.originator.has_room() {
                return;
            }
            assert_eq!(self.originator.push(self.now, bytes), self.pushed);
            self.open.insert(self.pushed, MpduHistory { taken: self.now, sent: 0, failed: 0 });
            self.pushed += 1;
        }
    }

    pub fn has_work(&self) -> bool {
        self.originator.has_work()
    }

    pub fn pushed(&self) -> u64 {
        self.pushed
    }

    /// True if the recipient stores an MPDU that it has not delivered.
    pub fn has_held_mpdu(&self) -> bool {
        (0..self.pushed).any(|number| self.recipient.holds(number))
    }

    /// Simulates an exchange. `loses` is called for each frame, and finally for the response. It returns true
    /// if the frame is lost. Returns the exchange and the numbers of the MPDUs sent.
    pub fn simulate_exchange(&mut self, mut loses: impl FnMut() -> bool) -> (OriginatorFrame, Vec<u64>) {
        let (mut reports, before) = (Vec::new(), self.delivered.len().saturating_sub(1));
        let exchange = self.originator.begin_exchange(
            self.now,
            &ExchangeLimits::without_txop_limit(self.limits),
            &mut reports,
        );
        self.hear(&mut reports);
        let sent = match exchange {
            OriginatorFrame::None => Vec::new(),
            OriginatorFrame::Request { start } => {
                self.request(start, &mut loses, &mut reports);
                Vec::new()
            }
            OriginatorFrame::Data(psdu) => {
                let flight: Vec<u64> =
                    self.originator.sent_mpdus().iter().map(|(number, _)| *number).collect();
                assert_eq!(flight.len(), psdu.mpdu_count() as usize);
                self.data(&flight, &mut loses, &mut reports);
                flight
            }
        };
        self.hear(&mut reports);
        let delivered = &self.delivered[before..];
        assert!(delivered.is_sorted_by(|a, b| a < b), "in order and once: {delivered:?}");
        (exchange, sent)
    }

    fn request(&mut self, start: u64, loses: &mut impl FnMut() -> bool, reports: &mut Vec<MpduReport>) {
        assert_eq!(start, self.oldest(), "the starting number is the oldest unfinished number");
        if !loses() {
            let start = full_number(start, self.recipient.block_ack().start);
            self.recipient.on_request(start, &mut self.delivered);
            if !loses() {
                return self.answer(reports);
            }
        }
        if self.originator.on_missing_response(self.now, reports).is_some() {
            // The recipient's reorder timer expires before the next exchange.
            self.recipient.on_request(self.originator.window_start(), &mut self.delivered);
        }
    }

    fn data(&mut self, flight: &[u64], loses: &mut impl FnMut() -> bool, reports: &mut Vec<MpduReport>) {
        assert!(self.open.keys().take(flight.len()).eq(flight), "the oldest first: {flight:?}");
        let end = self.oldest() + u64::from(self.rules.window);
        let mut is_answered = false;
        for number in flight {
            assert!(*number < end, "the window ends at {end}: {flight:?}");
            self.open.get_mut(number).unwrap().sent += 1;
            if loses() {
                continue;
            }
            let read = full_number(*number, self.recipient.block_ack().start);
            assert_eq!(read, *number);
            let is_new = self.recipient.on_mpdu(read, &mut self.delivered);
            assert_eq!(is_new, self.arrived.insert(*number), "duplicates are recognised: {number}");
            is_answered = true;
        }
        if !is_answered || loses() {
            self.originator.on_missing_response(self.now, reports);
        } else if flight.len() == 1 {
            self.originator.on_ack(reports);
        } else {
            self.answer(reports);
        }
    }

    fn answer(&mut self, reports: &mut Vec<MpduReport>) {
        let BlockAck { start, bitmap } = self.recipient.block_ack();
        let ack = BlockAck { start: full_number(start, self.oldest()), bitmap };
        assert_eq!(ack.start, start);
        self.originator.on_block_ack(self.now, &ack, reports);
    }

    /// Returns the oldest number that is neither acknowledged nor discarded.
    fn oldest(&self) -> u64 {
        self.open.keys().next().copied().unwrap_or(self.pushed)
    }

    /// Checks the originator's reports against the sent and the lost frames.
    fn hear(&mut self, reports: &mut Vec<MpduReport>) {
        let mut must_discard = None;
        for report in reports.drain(..) {
            match report {
                MpduReport::Acknowledged(number) => {
                    assert!(self.open.remove(&number).is_some(), "an MPDU ends once: {number}");
                    assert!(self.arrived.contains(&number), "acknowledged without arriving: {number}");
                    self.acknowledged.push(number);
                }
                MpduReport::Failed { number, attempt, retry } => {
                    let story = self.open.get_mut(&number).expect("an unfinished MPDU");
                    story.failed += 1;
                    assert_eq!((attempt, attempt), (story.sent, story.failed), "every attempt fails once");
                    let is_over = match self.rules.retries {
                        RetryLimit::Attempts(most) => attempt >= most,
                        RetryLimit::Lifetime(lifetime) => self.now >= story.taken + lifetime,
                    };
                    assert_eq!(retry, !is_over, "{number}");
                    assert_eq!(must_discard, None);
                    must_discard = is_over.then_some(number);
                }
                MpduReport::Discarded { number, reason } => {
                    let story = self.open.remove(&number).expect("an MPDU ends once");
                    let allowed = match self.rules.retries {
                        RetryLimit::Attempts(most) => {
                            reason == DiscardReason::Attempts && story.failed == most
                        }
                        RetryLimit::Lifetime(lifetime) => {
                            reason == DiscardReason::Lifetime && self.now >= story.taken + lifetime
                        }
                    };
                    assert!(allowed, "{number}: {reason:?}, {story:?}");
                    assert!(must_discard.is_none_or(|due| due == number));
                    must_discard = None;
                    self.discarded.push(number);
                }
            }
        }
        assert_eq!(must_discard, None, "no retry, no discard");
    }
}
