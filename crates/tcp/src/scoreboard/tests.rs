//! Comparison of the scoreboard with a reference implementation that iterates over the window for every
//! query.

use super::*;
use proptest::prelude::*;

/// Length of a segment, bytes.
const MSS: u64 = 100;

/// Operation on a scoreboard. Numbers count segments from the cumulative ACK.
#[derive(Clone, Debug)]
enum Act {
    Send(u64),
    SendAgain(u64),
    Ack { by: u64, blocks: Vec<(u64, u64)> },
    MarkLost(u64),
    Hold(u64),
    MarkHolesLost(u64),
    Timeout { all: bool },
    Forgive,
    Forget,
}

fn act() -> impl Strategy<Value = Act> {
    let block = (0..30_u64, 1..8_u64);
    // ACKs may end within a segment, because an ACK may acknowledge a part of a segment.
    let ack = (0..8_u64, prop::collection::vec(block, 0..4)).prop_map(|(by, blocks)| Act::Ack { by, blocks });
    prop_oneof![
        4 => (1..6_u64).prop_map(Act::Send),
        3 => (0..30_u64).prop_map(Act::SendAgain),
        6 => ack,
        2 => (0..30_u64).prop_map(Act::MarkLost),
        1 => (0..30_u64).prop_map(Act::Hold),
        3 => (0..30_u64).prop_map(Act::MarkHolesLost),
        1 => any::<bool>().prop_map(|all| Act::Timeout { all }),
        1 => Just(Act::Forgive),
        1 => Just(Act::Forget),
    ]
}

impl Scoreboard {
    /// Returns the first byte of the segment with this number, if it exists.
    fn nth(&self, number: u64) -> Option<u64> {
        self.segments.get(number as usize).map(|e| e.start)
    }
}

/// Processes an ACK by iteration over a copy of the segments. Returns the number of bytes newly SACKed and
/// the number of bytes newly reported as arrived.
fn reference_ack(segments: &mut VecDeque<OutstandingSegment>, una: u64, nxt: u64, sack: &Sack) -> (u64, u64) {
    let (mut sacked, mut delivered) = (0, 0);
    segments.retain_mut(|e| {
        let cut = una.clamp(e.start, e.end) - e.start;
        delivered += if e.arrived { 0 } else { cut };
        e.start += cut;
        e.start < e.end
    });
    for b in sack.blocks() {
        let is_within = |e: &&mut OutstandingSegment| b.start <= e.start && e.end <= b.end.min(nxt);
        for e in segments.iter_mut().filter(is_within).filter(|e| !e.sacked) {
            sacked += e.bytes();
            delivered += if e.arrived { 0 } else { e.bytes() };
            (e.sacked, e.arrived, e.lost) = (true, true, false);
        }
    }
    (sacked, delivered)
}

proptest! {
    // After any operations, each query returns the result of an iteration over all segments, even if ACKs
    // contain irrelevant blocks.
    #[test]
    fn scoreboard_queries_equal_an_iteration_over_all_segments(acts in prop::collection::vec(act(), 1..60)) {
        let mut board = Scoreboard::with_full_segment(Some(MSS));
        let (mut una, mut nxt, mut max) = (1_u64, 1_u64, 1_u64);
        for act in acts {
            match act {
                Act::Send(count) => for _ in 0..count {
                    board.on_sent(Time::ZERO, nxt, nxt + MSS);
                    let sent = board.get(nxt).copied();
                    prop_assert_eq!(sent.map(|e| (e.end, e.transmission_number, e.ever_retransmitted)), Some((nxt + MSS, board.transmissions, nxt < max)));
                    nxt += MSS;
                    max = max.max(nxt);
                },
                Act::SendAgain(number) => if let Some(e) = board.segments.get(number as usize).copied() {
                    board.on_sent(Time::ZERO, e.start, e.end);
                },
                Act::Ack { by, blocks } => {
                    una = (una + by * MSS / 2).min(max);
                    nxt = nxt.max(una);
                    let mut sack = Sack::EMPTY;
                    for (first, count) in blocks {
                        let start = una / MSS * MSS + 1 + first * MSS;
                        sack.push(SackBlock { start, end: start + count * MSS });
                    }
                    let mut simple = board.segments.clone();
                    let news = reference_ack(&mut simple, una, nxt, &sack);
                    board.on_ack(Time::ZERO, una, nxt, &sack);
                    prop_assert_eq!((board.newly_sacked_bytes(), board.delivered()), news);
                    prop_assert_eq!(&simple, &board.segments);
                }
                Act::MarkLost(number) => if let Some(start) = board.nth(number) {
                    board.mark_lost(start);
                },
                // Holds a segment forever, or only until the next query.
                Act::Hold(number) => if let Some(start) = board.nth(number / 2) {
                    board.hold_segment(start, if number % 2 == 0 { Time::ZERO } else { Time::MAX });
                },
                Act::MarkHolesLost(number) => {
                    let edge = una + number * MSS;
                    let now = Time::from_nanos(5);
                    board.mark_holes_lost(edge, now);
                    let is_free = |e: &&OutstandingSegment| e.start < edge && e.held_until <= now;
                    let is_left = |e: &&OutstandingSegment| is_free(e) && !e.sacked && !e.lost && !e.retransmitted;
                    prop_assert_eq!(board.iter().filter(is_left).count(), 0);
                    prop_assert!(board.iter().filter(|e| e.lost).all(|e| !e.sacked));
                }
                Act::Timeout { all: true } => board.mark_all_lost(),
                Act::Timeout { all: false } => board.mark_first_lost(),
                Act::Forgive => board.clear_loss_marks(),
                Act::Forget => {
                    board.clear_sack_state();
                    nxt = una;
                }
            }
            let ends = board.iter().try_fold(una, |at, e| (at == e.start && at < e.end).then_some(e.end));
            prop_assert_eq!(ends, Some(max), "no gaps");
            let sum = |is_so: fn(&&OutstandingSegment) -> bool| board.iter().filter(is_so).map(OutstandingSegment::bytes).sum::<u64>();
            prop_assert_eq!(board.sacked_bytes, sum(|e| e.sacked));
            prop_assert_eq!(board.losses.lost_bytes, sum(|e| e.lost));
            prop_assert_eq!(board.retransmitted_bytes(), sum(|e| e.retransmitted && !e.sacked && !e.lost));
            let in_network = board.iter().filter(|e| !e.sacked && !e.lost);
            prop_assert_eq!(board.shortfall(MSS), in_network.map(|e| MSS.saturating_sub(e.bytes())).sum::<u64>());
            let start = |e: Option<&OutstandingSegment>| e.map(|e| e.start);
            let high = board.high_sack;
            let is_hole = |e: &&OutstandingSegment| e.start < high && !e.sacked && !e.retransmitted;
            let [lost, hole] = [start(board.iter().find(|e| e.lost)), start(board.iter().find(is_hole))];
            prop_assert_eq!(start(board.first_missing()), start(board.iter().find(|e| !e.sacked)));
            prop_assert_eq!(start(board.last_missing()), start(board.iter().rev().find(|e| !e.sacked)));
            prop_assert_eq!(start(board.first_lost()), lost);
            prop_assert_eq!(start(board.first_hole()), hole);
            let runs: Vec<_> = board.sacked_runs().copied().collect();
            prop_assert!(runs.windows(2).all(|two| two[0].end < two[1].start));
            prop_assert!(runs.iter().all(|run| run.start < run.end));
            prop_assert_eq!(runs.iter().map(|run| run.end - run.start).sum::<u64>(), board.sacked_bytes);
        }
    }
}

// Computed by hand: of two segments the second is sent again; then one retransmission contains both segments
// and new bytes.
#[test]
fn a_retransmission_reports_its_bytes_sent_once_before() {
    let at = |ms| Time::ZERO + Span::from_millis(ms);
    let mut board = Scoreboard::default();
    board.on_sent(at(0), 1, 101);
    board.on_sent(at(10), 101, 201);
    board.on_sent(at(20), 101, 201);
    assert_eq!(board.first_transmissions(), [FirstTransmission { start: 101, end: 201, at: at(10) }]);
    board.on_sent(at(30), 1, 251);
    assert_eq!(board.first_transmissions(), [FirstTransmission { start: 1, end: 101, at: at(0) }]);
    board.on_sent(at(40), 1, 251);
    assert_eq!(board.first_transmissions(), []);
}
