//! Windows per round trip of senders with bandwidth estimators, in segments. `common/rounds.rs` describes the
//! path and the notation.

use crate::common::at;
use crate::common::path::{Fate, Path, Transfer};
use crate::common::rounds::{clean, config, one, rounds, rounds_with, same, three, window};
use airhop_base::Rate;
use airhop_tcp::seams::LossClass;

/// Returns a bottleneck with a long queue: a packet per 8 ms, 125 kB of payload per second, a round trip of 108 ms with an
/// empty queue. The bandwidth-delay product is 13.5 segments.
fn narrow() -> Path {
    Path { bottleneck: Some((Rate::from_bps(1_040_000), 1000)), ..Path::of(50) }
}

const PIPE: f64 = 13.5;

/// Parameters of Veno and Westwood+ with NewReno's recovery in place of that of ns-2's Linux agents.
const NEWRENO: [(&str, f64); 1] = [("recovery", 1.0)];

// Without a loss and without a queue, all schemes except Vegas grow as Reno does. After a timeout, Veno
// behaves as Reno.
#[test]
fn without_a_loss_the_window_grows_as_in_reno() {
    for scheme in ["westwood", "westwood-nr", "westwood-vt"] {
        assert_eq!(rounds(scheme, &clean(), 9), rounds("reno", &clean(), 9), "{scheme}");
    }
    for scheme in ["veno", "westwood-plus"] {
        assert_eq!(rounds_with(scheme, &NEWRENO, &clean(), 9), rounds("reno", &clean(), 9), "{scheme}");
    }
    assert_eq!(rounds_with("veno", &NEWRENO, &window(), 10), rounds("reno", &window(), 10));
}

// ns-2's Linux agents count integer segments: the window still grows by one per ACK at ssthresh (Linux 2.6,
// tcp_slow_start()), then by one per round (RFC 3465).
#[test]
fn ns2_linux_agents_grow_by_whole_segments() {
    let of = |scheme: &str| rounds(scheme, &clean(), 9);
    insta::assert_snapshot!(same(&["veno", "westwood-plus"], of), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4  10  10.00
    5  11  11.00
    6  12  12.00
    7  13  13.00
    8  14  14.00
    ");
}

// TCP-W is Westwood. TCP-CC's receiver limits the window to two segments for three rounds, because the first
// two intervals of 100 ms only measure the values that later intervals are compared with. Then the limit
// doubles each round, and exceeds Reno's window from round 4 on.
#[test]
fn tcp_w_and_tcp_cc_match_their_columns_of_cheng_and_lin() {
    for path in [clean(), one(), three(), window()] {
        assert_eq!(rounds("tcp-w", &path, 12), rounds("westwood", &path, 12));
    }
    insta::assert_snapshot!(rounds("tcp-cc", &clean(), 9), @r"
    0   2   2.00
    1   2   4.00
    2   2   6.00
    3   4   8.00
    4   8   8.49
    5   9   9.39
    6  10  10.31
    7  11  11.24
    8  12  12.18
    ");
}

// Brakmo and Peterson 1995: slow start doubles the window every other round trip (rounds 2 and 4). Then the
// window grows by one segment per round, because no segment is queued. The growth is an integer, because each
// ACK adds the reciprocal of the window at the start of the round.
#[test]
fn vegas_doubles_every_other_round_and_then_adds_a_segment() {
    insta::assert_snapshot!(rounds("vegas", &clean(), 8), @r"
    0   2   2.00
    1   2   2.00
    2   4   4.00
    3   4   4.00
    4   8   8.00
    5   9   9.00
    6  10  10.00
    7  11  11.00
    ");
}

// Segment 20, sent in round 4, is lost. Round 6: the first of seven duplicate ACKs arrives 200 ms after the
// transmission of 20. The fine-grained timeout is below 130 ms, so the sender does not wait for the third
// duplicate. The window decreases by a quarter in integer segments, 8 - 2. Six more duplicates inflate it to
// 13, of which 8 segments are outstanding, so five more are sent. In round 8 the window does not grow: the
// ACK of 20 also acknowledged 27, and Vegas counts the excess of its round trip of 200 ms as queueing delay.
#[test]
fn vegas_reduces_by_a_quarter_for_one_loss() {
    insta::assert_snapshot!(rounds("vegas", &one(), 10), @r"
    0   2   2.00
    1   2   2.00
    2   4   4.00
    3   4   4.00
    4   8   8.00
    5   7   8.88
    6   6   6.00  20!
    7   7   7.00
    8   7   7.00
    9   8   8.00
    ");
}

// In round 7 the ACK after the retransmission shows at once that 22 is overdue, and in round 8 an ACK shows
// that 24 is overdue: no duplicate ACK is necessary. Both segments were sent before the reduction, so no
// second reduction follows. The first of these ACKs increases the window of 6 by a sixth.
#[test]
fn vegas_reduces_once_for_three_losses() {
    insta::assert_snapshot!(rounds("vegas", &three(), 10), @r"
    0   2   2.00
    1   2   2.00
    2   4   4.00
    3   4   4.00
    4   8   8.00
    5   7   8.88
    6   4   6.00  20!
    7   1   6.17  22+
    8   1   6.17  24+
    9   6   6.17
    ");
}

// §3.2: the bandwidth-delay product is 13.5 segments. Vegas keeps one to three segments in the queue, because
// diff is rounded to integers.
#[test]
fn vegas_keeps_between_alpha_and_beta_queued() {
    let mut t = Transfer::new("vegas", &config(), narrow(), 10_000);
    t.run_until(at(8_000));
    let settled = t.cwnd.iter().skip_while(|c| c.0 < at(5_000)).map(|c| c.1);
    let (least, most) = settled.fold((f64::MAX, 0.0f64), |(l, m), w| (l.min(w), m.max(w)));
    assert!(PIPE + 0.5 <= least && most <= PIPE + 3.5, "{least} to {most}");
}

// As no segment is queued, Veno classifies the loss as random, and the window becomes four fifths of 10.
// Round 5: the duplicate ACK caused by 23, the third, permits a segment. The duplicate caused by 24 shows the
// loss, and nine segments are in flight with the retransmission of 20. The duplicate caused by 25 releases no
// segment, because the window is 8, and each of the next six duplicates releases one.
#[test]
fn veno_reduces_by_a_fifth_without_a_queue() {
    insta::assert_snapshot!(rounds("veno", &one(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4   9  10.00
    5   8   8.00  20!
    6   9   9.00
    7  10  10.00
    ");
    // All three holes are known after the fifth duplicate ACK of round 5, and are retransmitted within one
    // window.
    insta::assert_snapshot!(rounds("veno", &three(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4   8  10.00
    5   8   8.00  20! 22+ 24+
    6   9   9.00
    7  10  10.00
    ");
}

// The retransmission of 20 is also lost. The arrival of 33, sent after the retransmission, shows this loss,
// without a timeout or a second reduction.
#[test]
fn forward_acknowledgement_detects_a_lost_retransmission() {
    insta::assert_snapshot!(rounds("veno", &one().with(20, 2, Fate::Lost), 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4   9  10.00
    5   8   8.00  20!
    6   8   8.00  20+
    7   9   9.00
    8  10  10.00
    ");
}

// Fu and Liew 2003: with three or more segments queued the window grows half as fast, and a loss halves it.
#[test]
fn veno_halves_the_window_with_a_queue() {
    let grown = |scheme: &str| {
        let mut t = Transfer::new(scheme, &config(), narrow(), 100_000);
        t.run_until(at(1_500));
        let early = t.sender.window().cwnd;
        t.run_until(at(8_000));
        (early, t.sender.window().cwnd)
    };
    let (reno, veno) = (grown("reno"), grown("veno"));
    assert_eq!(veno.0, reno.0.floor(), "the path is not full yet: {reno:?} {veno:?}");
    // On a full path dW/dt is r/W, and above the threshold r/2W, so W² grows half as fast above the
    // threshold.
    let gain = |w: f64| w * w - (PIPE + 3.0) * (PIPE + 3.0);
    assert!((gain(reno.1) / gain(veno.1) - 2.0).abs() < 0.15, "{reno:?} {veno:?}");
    let lossy = narrow().losing(&[500]);
    let mut t = Transfer::new("veno", &config(), lossy, 100_000);
    t.run_until(at(10_000));
    let classification = t.sender.poll_classification().expect("a loss");
    assert_eq!(classification.class, LossClass::Congestion);
    let cut = t.cwnd.windows(2).find(|w| w[1].1 < w[0].1).expect("a cut");
    assert_eq!(cut[1].1, (cut[0].1 / 2.0).floor());
}

// Westwood starts with an estimate of zero and a time constant of a second: half a second later the estimate
// is still below the minimum window of 2. With Reno's recovery, 11 segments are outstanding, and the window
// of 2 + 3 duplicates + 7 more duplicates permits 12: the last duplicate releases one segment in addition to
// the retransmission of 20.
#[test]
fn westwood_sets_the_minimum_window_after_an_early_loss() {
    let expected = rounds("westwood", &one(), 9);
    insta::assert_snapshot!(expected, @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   2   2.00  20!
    6   2   2.50
    7   3   3.24
    8   4   4.10
    ");
    assert_eq!(rounds("westwood-nr", &one(), 9), expected);
}

// The sender retransmits one hole per round trip. The window is the estimate at the start of recovery.
#[test]
fn westwood_nr_repairs_one_of_three_holes_per_round() {
    insta::assert_snapshot!(rounds("westwood-nr", &three(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   2.00  20!
    6   1   2.00  22+
    7   2   2.00  24+
    8   2   2.50
    9   3   3.24
    ");
}

// Both recoveries repair a single hole in the same way, with the window of the scheme's estimate. With three
// holes, NewReno repairs one per round trip (RFC 6582 §3.2). Reno's recovery ends at the first new ACK.
// Duplicates for segments sent before that recovery do not start another recovery (RFC 6582 §3.2 step 1), so
// the timer repairs the remaining holes.
#[test]
fn reno_and_newreno_recovery_differ_at_three_holes() {
    for (scheme, newreno, reno) in [("westwood-plus", 1.0, 2.0), ("veno", 1.0, 2.0), ("tibet", 0.0, 1.0)] {
        let of = |recovery, path: &Path| rounds_with(scheme, &[("recovery", recovery)], path, 9);
        assert_eq!(of(newreno, &one()), of(reno, &one()), "{scheme}");
        let repairs = |recovery| {
            let told = of(recovery, &three());
            let words = told.split_whitespace().filter(|word| word.ends_with(['!', '+', 't']));
            words.take(3).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(repairs(newreno), ["20!", "22+", "24+"], "{scheme}");
        assert_eq!(repairs(reno)[..2], ["20!", "22t"], "{scheme}");
    }
}

// Westwood+ computes its first sample at 300 ms, at the first ACK more than a round trip after the first ACK
// of the connection. The sample is one byte and 5 segments in 200 ms, or 25 bytes/ms as an integer. The
// second sample, at 500 ms, is 8 + 8 segments (20 is missing), or 80 bytes/ms. The first filter returns (7 ·
// 25 + 80)/8 = 31, and the second the estimate (7 · 25 + 31)/8 = 25. In 100 ms this estimate corresponds to a
// window of 2. The recovery ends with the window at ssthresh, 5, at which an ACK still increases the window
// by one.
#[test]
fn westwood_plus_sets_ssthresh_from_its_two_samples() {
    insta::assert_snapshot!(rounds("westwood-plus", &one(), 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4   9  10.00
    5   5   2.00  20!
    6   6   6.00
    7   7   7.00
    8   8   8.00
    ");
}

// Casetti et al. 2001; Grieco and Mascolo 2004: after a loss the window fills the empty path at the
// bottleneck's rate, 13.5 segments, for any number of queued segments. The third sample from the end spans
// the hole and is half as high as the others: with the fastest filter the estimate is 0.9² · 5 % lower. With
// rate halving, the first segment is one byte with a round trip of 100 ms, and the window is 12.5 segments.
// With integer bytes per millisecond, both filters of ns-2's Westwood+ may stay 7 below their input, because
// (7 · 118 + 125)/8 is 118: the estimate is 111 of 125, and the window is 11.
#[test]
fn the_westwood_window_after_a_loss_is_the_bdp() {
    let left = |scheme, filter: u8| {
        let given = [("filter", f64::from(filter))];
        let mut t = Transfer::given(scheme, &given, &config(), narrow().losing(&[1100]), 10_000);
        t.run_until(at(10_500));
        let cut = t.cwnd.windows(2).find(|w| w[1].1 < w[0].1).expect("a cut");
        assert!(cut[0].1 > 2.0 * PIPE, "{scheme}: a full queue, {}", cut[0].1);
        cut[1].1
    };
    for (scheme, filters, full) in
        [("westwood", 0..4, PIPE), ("westwood-nr", 0..4, PIPE), ("westwood-plus", 1..3, 12.5)]
    {
        for filter in filters {
            let left = left(scheme, filter);
            assert!((left / full - 1.0).abs() < 0.05, "{scheme} {filter}: {left}");
        }
    }
    assert_eq!(left("westwood-plus", 0), 11.0);
}

// Koo et al. 2007: without queued segments the loss is wireless, and the window is not reduced. In round 5, a
// window of 9.50 with an inflation of 8 releases 7 segments in addition to the retransmission of 20;
// afterwards the window grows again.
#[test]
fn westwood_vt_does_not_reduce_for_a_wireless_loss() {
    insta::assert_snapshot!(rounds("westwood-vt", &one(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   9   9.50  20!
    6  10  10.31
    7  11  11.24
    ");
}

/// Returns WestwoodVT's classification of the loss of segment `n` on the narrow path, and the window before and after.
fn judged(n: u64, given: &[(&str, f64)]) -> (LossClass, f64, f64) {
    let mut t = Transfer::given("westwood-vt", given, &config(), narrow().losing(&[n]), 100_000);
    t.run_until(at(7_500));
    let judged = t.sender.poll_classification().expect("a loss").class;
    let repair = t.log.iter().find(|s| s.label.ends_with('!')).expect("a repair").time;
    let k = t.cwnd.iter().position(|c| c.0 >= repair).expect("a window then");
    (judged, t.cwnd[k - 1].1, t.cwnd[k].1)
}

// Koo et al. 2007, §2 and §3: the loss is wireless if Δ < 14, congestion if Δ > 16, and undecided between
// these thresholds. On this path Δ is the window minus 13.5 segments.
#[test]
fn westwood_vt_classifies_a_loss_by_its_queue_length() {
    let mut seen = Vec::new();
    for n in (100..700).step_by(40) {
        let (judged, before, after) = judged(n, &[]);
        let queued = before - PIPE;
        match judged {
            LossClass::Wireless => assert!(queued < 14.9 && after == before, "{queued}"),
            LossClass::Undecided => assert!((13.5..17.0).contains(&queued) && after == before, "{queued}"),
            LossClass::Congestion => assert!(queued > 15.5 && after < before, "{queued}"),
        }
        seen.push(judged);
    }
    seen.dedup();
    assert_eq!(seen, [LossClass::Wireless, LossClass::Undecided, LossClass::Congestion]);
    // The thresholds are 70 % and 80 % of a queue of 10: 7 and 8.
    assert_eq!(judged(300, &[]).0, LossClass::Wireless);
    assert_eq!(judged(300, &[("queue", 10.0)]).0, LossClass::Congestion);
}
