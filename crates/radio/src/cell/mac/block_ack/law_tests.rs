//! Window law of Block Ack, in rounds of one A-MPDU and its BlockAck. Each MPDU is lost independently with
//! probability p, and A-MPDUs are as long as the window permits. MPDU i is then first sent in round R_i =
//! max(R_{i−1}, max_{j ≤ i−W} (R_j + G_j)), where the geometric variate G_j is the number of transmissions of
//! MPDU j. The law counts rounds, not time, so it applies to every rate.
use super::originator::{ExchangeLimits, Originator, OriginatorFrame, OriginatorRules};
use super::pair::limits;
use super::recipient::Recipient;
use crate::cell::plan::{LostBlockAck, RetryLimit};
use airhop_base::{Span, Time};
use airhop_engine::{RandomStream, RandomStreams};
use std::collections::VecDeque;

/// Mean number of MPDUs sent per round, and mean number delivered per round.
type PerRound = (f64, f64);

/// Simulates the law by its formula, without originator and recipient.
fn law(window: usize, p: f64, rounds: u64, stream: &mut RandomStream) -> PerRound {
    let (mut round, mut sent, mut numbers) = (0, 0, 0);
    let mut ends = VecDeque::new(); // R_j + G_j of the last W numbers
    while round < rounds {
        if ends.len() == window {
            round = round.max(ends.pop_front().unwrap());
        }
        let mut transmissions = 1;
        while stream.random_bool(p) {
            transmissions += 1;
        }
        ends.push_back(round + transmissions);
        sent += transmissions;
        numbers += 1;
    }
    (sent as f64 / rounds as f64, f64::from(numbers) / rounds as f64)
}

/// Simulates a saturated originator and its recipient.
fn machines(window: u32, p: f64, rounds: u64, stream: &mut RandomStream) -> PerRound {
    let retries = RetryLimit::Lifetime(Span::from_secs(1));
    let mut originator =
        Originator::new(OriginatorRules { window, retries, lost_block_ack: LostBlockAck::Resend });
    let mut recipient = Recipient::new(window);
    let (limits, now) = (limits(11, window), Time::ZERO);
    let (mut reports, mut deliver, mut sent, mut delivered) = (Vec::new(), Vec::new(), 0, 0);
    for _ in 0..rounds {
        while originator.has_room() {
            originator.push(now, 100);
        }
        assert!(matches!(
            originator.begin_exchange(now, &ExchangeLimits::without_txop_limit(limits), &mut reports),
            OriginatorFrame::Data(_)
        ));
        let flight = originator.sent_mpdus();
        sent += flight.len();
        let before = delivered;
        for (number, _) in flight.iter().filter(|_| !stream.random_bool(p)) {
            assert!(recipient.on_mpdu(*number, &mut deliver), "no packet is delivered twice");
            delivered += 1;
        }
        if delivered == before {
            originator.on_missing_response(now, &mut reports);
        } else if flight.len() == 1 {
            originator.on_ack(&mut reports);
        } else {
            originator.on_block_ack(now, &recipient.block_ack(), &mut reports);
        }
        reports.clear();
        deliver.clear();
    }
    (sent as f64 / rounds as f64, f64::from(delivered) / rounds as f64)
}

fn check(what: &str, (sent, delivered): PerRound, expected: PerRound) {
    for (found, expected) in [(sent, expected.0), (delivered, expected.1)] {
        assert!((found / expected - 1.0).abs() < 0.01, "{what}: {found}, expected {expected}");
    }
}

const ROUNDS: u64 = 40_000;

/// Loss probability, and MPDUs sent and delivered per round for W = 64 and for W = 256. The means over 20 000
/// rounds were computed by an independent program.
const TABLE: [(f64, PerRound, PerRound); 5] = [
    (0.01, (51.7, 51.2), (163.7, 162.1)),
    (0.05, (39.1, 37.1), (127.5, 121.1)),
    (0.10, (34.2, 30.8), (109.7, 98.8)),
    (0.20, (29.0, 23.2), (91.3, 73.0)),
    (0.50, (22.2, 11.1), (68.2, 34.1)),
];

#[test]
fn block_ack_windows_follow_the_window_law() {
    let streams = RandomStreams::new(1, 0);
    for (p, of_64, of_256) in TABLE {
        for (window, expected) in [(64, of_64), (256, of_256)] {
            let name = format!("W = {window}, p = {p}");
            check(&name, machines(window, p, ROUNDS, &mut streams.stream(&name)), expected);
        }
    }
}

/// The law also holds for other losses and windows.
#[test]
fn originator_and_recipient_follow_the_window_law() {
    let streams = RandomStreams::new(2, 0);
    for (window, p) in [(64, 0.0), (256, 0.02), (16, 0.1), (64, 0.3), (2, 0.5), (1, 0.25), (64, 0.8)] {
        let name = format!("W = {window}, p = {p}");
        let [mut ours, mut theirs] = ["machines", "law"].map(|who| streams.stream(&format!("{name} {who}")));
        let expected = law(window as usize, p, ROUNDS, &mut theirs);
        check(&name, machines(window, p, ROUNDS, &mut ours), expected);
    }
}
