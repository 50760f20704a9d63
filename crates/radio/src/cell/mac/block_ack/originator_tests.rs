//! Tests of the originator, exchange by exchange.
use super::originator::{
    DiscardReason, ExchangeLimits, MpduReport, Originator, OriginatorFrame, OriginatorRules,
};
use super::pair::{BlockAckPair, limits, rules};
use super::{Bitmap, BlockAck};
use crate::cell::plan::{LostBlockAck, RetryLimit};
use airhop_base::{Span, Time};

const LIFETIME: RetryLimit = RetryLimit::Lifetime(Span::from_millis(500));

/// Simulates an exchange in which the frames with these indices are lost. The MPDUs have the indices from 0
/// on, and the response the last index. Returns the numbers of the sent MPDUs.
fn exchange(pair: &mut BlockAckPair, lost: &[u64]) -> Vec<u64> {
    let mut frames = 0;
    let (_, sent) = pair.simulate_exchange(|| {
        frames += 1;
        lost.contains(&(frames - 1))
    });
    sent
}

fn pair(rules: OriginatorRules) -> BlockAckPair {
    BlockAckPair::new(rules, limits(11, rules.window))
}

fn range(numbers: std::ops::Range<u64>) -> Vec<u64> {
    numbers.collect()
}

#[test]
fn retransmissions_precede_new_mpdus() {
    let mut pair = pair(rules(8, LIFETIME, LostBlockAck::Resend));
    pair.push(6, 100);
    assert_eq!(exchange(&mut pair, &[1, 4]), range(0..6));
    pair.push(8, 100);
    assert_eq!(exchange(&mut pair, &[]), [1, 4, 6, 7, 8], "up to a window above the oldest");
    assert_eq!(pair.delivered, range(0..9));
}

/// The window stalls at the oldest MPDU, which is retransmitted as a single MPDU. When this MPDU arrives the
/// window advances (in a former version of ns-3 it did not).
#[test]
fn a_stalled_block_ack_window_advances() {
    let mut pair = pair(rules(64, LIFETIME, LostBlockAck::Resend));
    pair.push(64, 100);
    assert_eq!(exchange(&mut pair, &[0]), range(0..64));
    for _ in 0..3 {
        pair.push(64, 100);
        assert_eq!(exchange(&mut pair, &[0]), [0]);
        assert_eq!(pair.delivered, [0; 0]);
    }
    assert_eq!(exchange(&mut pair, &[]), [0]);
    assert_eq!(pair.delivered, range(0..64));
    pair.push(64, 100);
    assert_eq!(exchange(&mut pair, &[]), range(64..128));
}

/// The window stalls and advances at sequence numbers around half of the modulus, and above it.
#[test]
fn the_block_ack_window_advances_across_the_modulus() {
    let mut pair = pair(rules(64, LIFETIME, LostBlockAck::Resend));
    while pair.pushed() < 8320 {
        pair.push(64, 100);
        exchange(&mut pair, &[0]);
        exchange(&mut pair, &[]);
    }
    assert_eq!(pair.delivered, range(0..8320));
}

/// After an MPDU's lifetime has ended, the originator sends a BlockAckReq, and the recipient delivers the
/// MPDUs stored above the gap (in a former version of ns-3 it did not).
#[test]
fn an_expired_mpdu_does_not_block_the_recipient() {
    let mut pair = pair(rules(64, LIFETIME, LostBlockAck::Resend));
    pair.push(10, 100);
    exchange(&mut pair, &[0]);
    pair.now += Span::from_millis(500);
    pair.push(2, 100);
    let (frame, _) = pair.simulate_exchange(|| false);
    assert_eq!(frame, OriginatorFrame::Request { start: 10 });
    assert_eq!((&pair.discarded, &pair.delivered), (&vec![0], &range(1..10)));
    assert_eq!(exchange(&mut pair, &[]), [10, 11]);
    assert_eq!(pair.delivered, range(1..12));
}

/// The originator repeats the BlockAckReq until a BlockAck arrives, even if no MPDU waits. After seven
/// unanswered BlockAckReqs the recipient itself delivers its stored MPDUs.
#[test]
fn a_lost_block_ack_req_is_repeated() {
    let mut pair = pair(rules(64, LIFETIME, LostBlockAck::Resend));
    pair.push(3, 100);
    exchange(&mut pair, &[0]);
    pair.now += Span::from_millis(500);
    for lost in 0..7 {
        assert_eq!((pair.has_work(), pair.delivered.len()), (true, 0), "{lost}");
        assert_eq!(pair.simulate_exchange(|| true).0, OriginatorFrame::Request { start: 3 });
    }
    assert_eq!((pair.has_work(), &pair.delivered), (false, &vec![1, 2]));
}

/// A BlockAckReq starts at the oldest MPDU that is neither acknowledged nor discarded. Former versions of
/// ns-3 used the number of the first discarded MPDU, or of the first MPDU in flight.
#[test]
fn a_block_ack_req_starts_at_the_oldest_open_number() {
    let mut pair = pair(rules(64, RetryLimit::Attempts(2), LostBlockAck::Resend));
    pair.push(6, 100);
    exchange(&mut pair, &[0, 1, 3, 5]);
    pair.push(1, 100);
    assert_eq!(exchange(&mut pair, &[0, 1, 4]), [0, 1, 3, 5, 6]);
    assert_eq!(pair.discarded, [0, 1]);
    assert_eq!(pair.simulate_exchange(|| false).0, OriginatorFrame::Request { start: 6 });
    assert_eq!(pair.delivered, range(2..6));
}

/// A discarded MPDU above an MPDU that waits for retransmission does not advance the window.
#[test]
fn a_discard_above_the_oldest_mpdu_keeps_the_window() {
    let mut originator = Originator::new(rules(64, RetryLimit::Attempts(1), LostBlockAck::Resend));
    let (limits, mut reports) = (limits(11, 64), Vec::new());
    for _ in 0..4 {
        originator.push(Time::ZERO, 100);
    }
    originator.begin_exchange(Time::ZERO, &ExchangeLimits::without_txop_limit(limits), &mut reports);
    let ack = |start, received: &[u32]| {
        let mut bitmap = Bitmap::default();
        received.iter().for_each(|bit| bitmap.insert(*bit));
        BlockAck { start, bitmap }
    };
    originator.on_block_ack(Time::ZERO, &ack(0, &[1, 3]), &mut reports);
    let failed = |number| MpduReport::Failed { number, attempt: 1, retry: false };
    let discarded = |number| MpduReport::Discarded { number, reason: DiscardReason::Attempts };
    let acknowledged = MpduReport::Acknowledged;
    let expected = [acknowledged(1), acknowledged(3), failed(0), discarded(0), failed(2), discarded(2)];
    assert_eq!(reports, expected);
    assert_eq!(
        originator.begin_exchange(Time::ZERO, &ExchangeLimits::without_txop_limit(limits), &mut reports),
        OriginatorFrame::Request { start: 4 }
    );
    originator.on_block_ack(Time::ZERO, &ack(3, &[]), &mut reports);
    assert_eq!(
        originator.begin_exchange(Time::ZERO, &ExchangeLimits::without_txop_limit(limits), &mut reports),
        OriginatorFrame::None,
        "the recipient's window starts above 2"
    );
}

/// After a missing BlockAck, all MPDUs are retransmitted, or a BlockAckReq is sent first, depending on the
/// rule.
#[test]
fn a_missing_block_ack_causes_retransmission_or_a_request() {
    for lost in [LostBlockAck::Resend, LostBlockAck::Request] {
        let mut pair = pair(rules(64, LIFETIME, lost));
        pair.push(5, 100);
        assert_eq!(exchange(&mut pair, &[2, 5]), range(0..5)); // the response is the sixth frame
        if lost == LostBlockAck::Resend {
            assert_eq!(exchange(&mut pair, &[]), range(0..5));
        } else {
            assert_eq!(pair.simulate_exchange(|| true).0, OriginatorFrame::Request { start: 0 });
            assert_eq!(pair.simulate_exchange(|| false).0, OriginatorFrame::Request { start: 0 });
            assert_eq!(pair.acknowledged, [0, 1, 3, 4]);
            assert_eq!(exchange(&mut pair, &[]), [2]);
        }
        assert_eq!(pair.delivered, range(0..5));
    }
}

/// An originator with a limit of attempts also limits its BlockAckReqs; then all sent MPDUs count as failed.
#[test]
fn unanswered_block_ack_reqs_fail_all_sent_mpdus() {
    let mut pair = pair(rules(64, RetryLimit::Attempts(3), LostBlockAck::Request));
    pair.push(4, 100);
    let mut kinds = String::new();
    while pair.discarded.is_empty() {
        kinds += match pair.simulate_exchange(|| true).0 {
            OriginatorFrame::Data(_) => "data ",
            OriginatorFrame::Request { .. } => "request ",
            OriginatorFrame::None => panic!("a stall"),
        };
    }
    assert_eq!(kinds.trim_end(), ["data request request request"; 3].join(" "));
    assert_eq!(pair.discarded, range(0..4));
}

/// The response to a single MPDU is a normal Ack. If it is missing, no BlockAckReq follows.
#[test]
fn a_single_mpdu_is_retransmitted_without_a_block_ack_req() {
    let mut pair = pair(rules(64, RetryLimit::Attempts(2), LostBlockAck::Request));
    pair.push(1, 100);
    assert_eq!([pair.simulate_exchange(|| true).1, pair.simulate_exchange(|| true).1], [[0], [0]]);
    assert_eq!(pair.discarded, [0]);
}

/// The lifetime of an MPDU starts at its arrival in the MAC, and does not limit the number of attempts. A
/// failure after the end of the lifetime discards the MPDU.
#[test]
fn the_lifetime_of_an_mpdu_limits_its_attempts() {
    let mut originator = Originator::new(rules(64, LIFETIME, LostBlockAck::Resend));
    let (limits, mut reports) = (limits(11, 64), Vec::new());
    let at = |ms| Time::ZERO + Span::from_millis(ms);
    for ms in [0, 0, 200] {
        originator.push(at(ms), 100);
    }
    originator.begin_exchange(at(499), &ExchangeLimits::without_txop_limit(limits), &mut reports);
    assert_eq!(originator.sent_mpdus(), [(0, 1), (1, 1), (2, 1)]);
    originator.on_missing_response(at(500), &mut reports);
    let failed = |number, retry| MpduReport::Failed { number, attempt: 1, retry };
    let discarded = |number| MpduReport::Discarded { number, reason: DiscardReason::Lifetime };
    let expected = [failed(0, false), discarded(0), failed(1, false), discarded(1), failed(2, true)];
    assert_eq!(reports, expected);
    reports.clear();
    assert_eq!(
        originator.begin_exchange(at(699), &ExchangeLimits::without_txop_limit(limits), &mut reports),
        OriginatorFrame::Request { start: 2 }
    );
    originator.on_missing_response(at(699), &mut reports);
    assert_eq!(
        originator.begin_exchange(at(700), &ExchangeLimits::without_txop_limit(limits), &mut reports),
        OriginatorFrame::Request { start: 3 }
    );
    assert_eq!(reports, [discarded(2)]);
    assert_eq!(RetryLimit::default(), LIFETIME, "dot11EDCATableMSDULifetime");
}

/// An exchange does not start if its MPDU exceeds the limits; the MPDU is not lost.
#[test]
fn an_mpdu_above_the_psdu_limits_is_not_sent() {
    let mut originator = Originator::new(rules(64, LIFETIME, LostBlockAck::Resend));
    let mut reports = Vec::new();
    originator.push(Time::ZERO, 10_000); // 8 ms at MCS 0
    assert_eq!(
        originator.begin_exchange(
            Time::ZERO,
            &ExchangeLimits::without_txop_limit(limits(0, 64)),
            &mut reports
        ),
        OriginatorFrame::None
    );
    assert!(originator.has_work() && originator.sent_mpdus().is_empty() && reports.is_empty());
    assert!(matches!(
        originator.begin_exchange(
            Time::ZERO,
            &ExchangeLimits::without_txop_limit(limits(11, 64)),
            &mut reports
        ),
        OriginatorFrame::Data(_)
    ));
}

/// The PSDU limits bound bytes, MPDUs and duration; the window bounds the sequence numbers.
#[test]
fn the_tightest_psdu_limit_ends_an_ampdu() {
    let rules = rules(64, LIFETIME, LostBlockAck::Resend);
    let mut pair = BlockAckPair::new(rules, limits(11, 5));
    pair.push(64, 100);
    assert_eq!(exchange(&mut pair, &[1]), range(0..5));
    assert_eq!(exchange(&mut pair, &[]), [1, 5, 6, 7, 8]);
    let mut slow = BlockAckPair::new(rules, limits(0, 64)); // 5847 bytes fit into 5484 µs
    slow.push(64, 1600);
    assert_eq!(exchange(&mut slow, &[]), range(0..3));
}

/// A BlockAck acknowledges all MPDUs that the recipient has received, including those of an earlier A-MPDU
/// whose BlockAck was lost.
#[test]
fn a_later_block_ack_acknowledges_earlier_mpdus() {
    let mut pair = pair(rules(64, LIFETIME, LostBlockAck::Resend));
    pair.push(4, 100);
    assert_eq!(exchange(&mut pair, &[0, 4]), range(0..4)); // the response is the fifth frame
    pair.limits = limits(11, 2);
    assert_eq!(exchange(&mut pair, &[]), [0, 1]);
    assert_eq!((&pair.acknowledged, pair.has_work()), (&range(0..4), false));
}
