//! Windows per round trip of the schemes that classify losses, in segments.
//!
//! `common/rounds.rs` describes the path and the notation; each snapshot ends with the classification of the
//! losses.

use crate::common;
use crate::common::path::{Fate, Path, Transfer};
use crate::common::rounds::{clean, config, same};
use crate::common::script::Script;
use crate::common::{MSS, at, ns2, number};
use airhop_base::{Rate, Span};
use airhop_tcp::seams::{LossClass, PathTruth};
use airhop_tcp::{Config, Preset};

fn started(scheme: &str, path: Path) -> Transfer {
    Transfer::new(scheme, &config(), path, 10_000)
}

fn told(mut t: Transfer, rounds: u64) -> String {
    t.run_until(at(rounds * 100 - 1));
    let mut lines = t.rounds();
    for (n, judged) in classifications(&mut t) {
        lines.push_str(&format!("\n{n} {}", judged.name()));
    }
    lines
}

/// Returns the classification of the first loss, which must occur within 20 s.
fn first_judgement(mut t: Transfer) -> LossClass {
    let found = (1..200).any(|k| {
        t.run_until(at(100 * k));
        t.sender.counters().fast_recoveries > 0
    });
    assert!(found, "no loss");
    classifications(&mut t)[0].1
}

fn classifications(t: &mut Transfer) -> Vec<(u64, LossClass)> {
    std::iter::from_fn(|| t.sender.poll_classification()).map(|j| (number(j.seq), j.class)).collect()
}

fn rounds(scheme: &str, path: &Path, n: u64) -> String {
    told(started(scheme, path.clone()), n)
}

/// Returns a link with a service time of 10 ms per segment and a queue capacity of `room` segments; the round
/// trip with an empty queue is 100 ms.
fn queue(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(832_000), room)), ..Path::of(45) }
}

/// Returns the first `n` rounds. Checks that they are equal for all of `schemes`.
fn common_rounds(schemes: &[&str], path: &Path, n: u64) -> String {
    same(schemes, |scheme| rounds(scheme, path, n))
}

const GROW_AS_RENO: [&str; 8] =
    ["jersey", "new-jersey", "jtcp", "tibet", "newreno-ff", "casablanca", "dcr", "ideal-bwe"];

// The schemes differ in the classification of losses, not in the growth of the window.
#[test]
fn without_a_loss_all_discriminators_grow_as_reno() {
    let reno = rounds("reno", &clean(), 9);
    assert_eq!(common_rounds(&GROW_AS_RENO, &clean(), 9), reno);
}

// Santa Cruz: the queue of this path is empty, so congestion avoidance adds one segment per window.
#[test]
fn santa_cruz_adds_one_segment_per_window_without_a_queue() {
    insta::assert_snapshot!(rounds("santa-cruz", &clean(), 7), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   9   9.00
    4  10  10.00
    5  11  11.00
    6  12  12.00
    ");
}

// Santa Cruz on a path with a bandwidth-delay product of ten segments. After slow start the window is too
// large, and shrinks until n + delta = 5 segments are queued. A smaller window grows until n - delta = 3
// segments are queued, and then once more. This growth releases two segments, and the first segment is
// measured while the second is still behind it. No segment is lost.
#[test]
fn santa_cruz_keeps_between_n_minus_and_plus_delta_queued() {
    for (ssthresh, settled) in [(8.0, 14.0), (f64::INFINITY, 15.0)] {
        let config = Config { initial_ssthresh: ssthresh, ..Preset::Ns2.config(MSS) };
        let mut t = Transfer::new("santa-cruz", &config, queue(60), 10_000);
        t.run_until(at(10_000));
        let late: Vec<f64> = t.cwnd.iter().filter(|c| c.0 > at(8000)).map(|c| c.1).collect();
        assert!(late.iter().all(|&cwnd| cwnd == settled), "{late:?}");
        assert_eq!(classifications(&mut t), []);
    }
}

// A single loss that the schemes classify as wireless: there is neither a congestion warning nor jitter nor
// an outlier, and segment 21 has no mark. Round 4: six ACKs release 7 segments, and the duplicate ACK caused
// by 22 releases one more. Round 5: the second of eight duplicates releases one segment. The third causes the
// fast retransmission of 21 without a reduction; 11 segments are outstanding, and the window, inflated to
// 12.60, releases one segment. Each of the six remaining duplicates also releases one segment: 1 + 1 + 1 + 6.
// Round 6: the duplicate caused by the first of these segments releases one. Then the retransmission is
// acknowledged and 8 segments are outstanding, so one more is sent. The seven remaining ACKs release eight
// segments, because the window passes 10.
#[test]
fn a_single_wireless_loss_causes_no_reduction() {
    let schemes = ["jersey", "new-jersey", "jtcp", "newreno-ff", "casablanca"];
    insta::assert_snapshot!(common_rounds(&schemes, &clean().losing(&[21]), 8), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   8   9.60
      5   9   9.60  21!
      6  10  10.31
      7  11  11.24
    21 wireless
    ");
    // Loss of segment 21 with integer windows. Round 4: ACKs release 6 segments, duplicate ACKs release 2,
    // and the growth of the window releases 1. Round 5: the first duplicate of the round is the third for 21,
    // and causes the retransmission of 21 and one new segment; eight more segments follow. Round 6: one
    // segment is released when the retransmission is acknowledged, then nine, and one as the window grows.
    insta::assert_snapshot!(rounds("santa-cruz", &clean().losing(&[21]), 8), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   9   9.00
      4   9  10.00
      5  10  10.00  21!
      6  11  11.00
      7  12  12.00
    21 wireless
    ");
}

// Three losses: NewReno retransmits one hole per round trip, with an unreduced window. Round 5: the second
// duplicate ACK releases 30, and the third causes the retransmission of 20. The window of 9.50 + 3 permits a
// twelfth segment beside the 11 outstanding segments, so 31 is sent, and further duplicates release four more
// segments. Round 6: the duplicate caused by 30 releases one segment. The partial ACK causes the
// retransmission of 22 and one new segment, because it deflates the window by two and adds one; duplicates
// release five segments. Round 7 is the same with six segments.
#[test]
fn three_wireless_losses_cause_no_reduction() {
    let schemes = ["jersey", "new-jersey", "jtcp", "newreno-ff", "casablanca"];
    insta::assert_snapshot!(common_rounds(&schemes, &clean().losing(&[20, 22, 24]), 10), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   7   9.50
      5   7   9.50  20!
      6   8   9.50  22+
      7   9   9.50  24+
      8  10  10.21
      9  11  11.15
    20 wireless
    ");
}

// Casablanca marks segments 5, 10, 15, 20 …: a loss of only segment 20 is classified as congestion, and
// handled as in NewReno. If 20 and 22 are lost, both are known to be missing when the loss of 20 is
// detected, because 21, 23 and 24 have arrived. The chance that one of two random segments is marked is 0.36,
// so the loss is wireless.
#[test]
fn casablanca_classifies_losses_by_marked_segments() {
    let alone = clean().losing(&[20]);
    assert_eq!(rounds("casablanca", &alone, 9), rounds("newreno", &alone, 9));
    insta::assert_snapshot!(rounds("casablanca", &clean().losing(&[20, 22]), 8), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   7   9.50
      5   8   9.50  20!
      6   9   9.50  22+
      7  10  10.21
    20 wireless
    ");
}

// TIBET. When 21 is retransmitted, 31 segments have been sent in 500 ms; with 30 gaps the mean is 60 segments
// per second. The second filter has a time constant of one second; its output is 34.0 (after the first gap it
// was 20). Multiplied by 0.95 · 100 ms, this estimate corresponds to a window of 3.23. Round 5: 31 is sent
// and 21 retransmitted; the ninth duplicate ACK inflates the window to 12.23, which releases 32.
#[test]
fn a_loss_sets_the_tibet_window_from_its_estimate() {
    insta::assert_snapshot!(rounds("tibet", &clean().losing(&[21]), 8), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   8   9.60
      5   3   3.23  21!
      6   3   3.54
      7   4   4.33
    21 congestion
    ");
}

// The simulator provides the ideal estimator with 0.96 Mbit/s and 100 ms, a window of 12 segments, which is
// larger than the window before the loss. Round 5: 31 is sent, and 21 is retransmitted. The window of 12 + 3
// permits four segments beside the 11 outstanding segments, and the remaining six duplicates release one
// segment each. Without the simulator's values, the scheme behaves as NewReno.
#[test]
fn a_loss_sets_the_ideal_bwe_window_to_the_bdp() {
    let mut t = started("ideal-bwe", clean().losing(&[21]));
    let rate = Rate::from_bps(960_000);
    t.sender.on_path_truth(&PathTruth {
        share_rate: rate,
        bottleneck_rate: rate,
        base_rtt: Span::from_millis(100),
    });
    insta::assert_snapshot!(told(t, 8), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   8   9.60
      5  12  12.00  21!
      6  12  12.81
      7  13  13.72
    21 congestion
    ");
    assert_eq!(rounds("ideal-bwe", &clean().losing(&[21]), 8), rounds("newreno", &clean().losing(&[21]), 8));
}

// DCR. The first duplicate ACK arrives in round 4 and starts a timer of one round trip, 100 ms. In round 5
// eight more duplicates release one segment each. Then the timer expires: 21 is retransmitted, and the window
// is reduced once, to half of 9.60. At this time 31 to 38 are in flight and 22 to 30 have arrived, so the
// flight is 9 with the retransmission. Round 6: after the sixth arrival 3 segments are in flight, and the
// window of 4.80 permits one segment; the seventh and the eighth arrival release one each. The last segment
// of the round is sent when the retransmission is acknowledged.
#[test]
fn dcr_delays_a_reduction_by_one_round_trip() {
    insta::assert_snapshot!(rounds("dcr", &clean().losing(&[21]), 9), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   8   9.60
      5   9   4.80  21!
      6   4   4.80
      7   5   5.59
      8   6   6.43
    21 congestion
    ");
}

// The link layer delivers segment 21 with an additional delay of 60 ms, less than the round trip for which
// DCR waits: DCR neither retransmits nor reduces the window. With a delay of 120 ms, DCR reduces the window
// once.
#[test]
fn dcr_does_not_reduce_for_a_timely_link_repair() {
    let late = |ms| clean().with(21, 1, Fate::Late(Span::from_millis(ms)));
    let counted = |ms| {
        let mut t = started("dcr", late(ms));
        t.run_until(at(2000));
        (t.sender.counters().window_reductions, t.sender.counters().retransmissions)
    };
    assert_eq!(counted(60), (0, 0));
    assert_eq!(counted(120), (1, 1));
}

// Several losses in a window cause one reduction. Round 5: six duplicate ACKs release six segments, and then
// 20 is retransmitted. Of 16 outstanding segments, 7 have arrived, and 22 and 24 are also lost, so 7 are in
// flight. Round 6: the fourth duplicate ACK permits the retransmission of 22, and the fifth that of 24; then
// new data are sent.
#[test]
fn dcr_reduces_once_for_three_losses() {
    insta::assert_snapshot!(rounds("dcr", &clean().losing(&[20, 22, 24]), 10), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      4   7   9.50
      5   7   4.75  20!
      6   4   4.75  22+ 24+
      7   5   5.16
      8   6   6.07
      9   6   7.00
    20 congestion
    ");
}

// Bhandarkar and Reddy 2004: the retransmission timer must not expire during the delay in which the link
// layer can repair the loss. After a first sample of 100 ms the timeout is 300 ms (ns-2: a mean of 10 ticks
// plus four times a deviation of five), so the timer would expire at 400 ms. Duplicate ACKs at 350 ms start a
// delay until 450 ms.
#[test]
fn the_retransmission_timer_does_not_interrupt_the_dcr_delay() {
    let mut s = Script::new("dcr", ns2(8.0, 2.0));
    s.sent();
    assert_eq!(s.at(100).ack(2), "9");
    assert_eq!(s.at(350).sack(2, &[(3, 3)]), "10");
    assert_eq!(s.sack(2, &[(3, 4)]), "11");
    assert_eq!(s.due(), Some(400.0));
    assert_eq!(s.expire(), (400.0, String::new()));
    assert_eq!(s.sender.counters().timeouts, 0);
    assert_eq!(s.expire(), (450.0, "2!".into()));
    assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 0));
    // In recovery duplicate ACKs start no further delay.
    s.at(460);
    (5..=9).for_each(|last| drop(s.sack(2, &[(3, last)])));
    assert_eq!(s.due(), Some(750.0)); // the timeout of 300 ms
    assert_eq!((s.cuts(), s.sender.in_flight()), (1, 4000)); // 2, 10, 11 and, in half of the window, 12
    // A duplicate ACK without new SACK information starts no delay either (RFC 6675 §2).
    let mut s = Script::new("dcr", ns2(8.0, 2.0));
    s.sent();
    s.at(100).ack(2);
    let due = s.due();
    assert_eq!((s.at(150).ack(2), s.due()), (String::new(), due));
}

// A whole window is lost, and the timer expires in round 5. JTCP measures no jitter and classifies the loss
// as wireless: the window becomes half of 8.95 without slow start (Yun 2009 §2.2), and four segments are sent
// at once. Jersey estimates 10, 40 and 95 segments per second after rounds 1, 2 and 3: the first ACK of a
// round sets the estimate R to half of (R + 1 / RTT), and each other ACK adds 1 / RTT. The threshold is
// therefore 9.5, which the window passes in round 9. New Jersey estimates 0, 20 and 50, so its threshold is
// 5.
#[test]
fn the_threshold_after_a_timeout_follows_each_estimate() {
    let window = clean().losing(&[15, 16, 17, 18, 19, 20, 21, 22]);
    assert_eq!(
        common_rounds(&["newreno-ff", "casablanca", "dcr", "ideal-bwe"], &window, 10),
        rounds("newreno", &window, 10)
    );
    insta::assert_snapshot!(rounds("jtcp", &window, 10), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      5   4   4.48  15t 16t 17t 18t
      6   5   5.31  19t 20t 21t 22t
      7   6   6.19
      8   7   7.11
      9   8   8.04
    15 wireless
    ");
    insta::assert_snapshot!(rounds("jersey", &window, 10), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      5   1   1.00  15t
      6   2   2.00  16t 17t
      7   4   4.00  18t 19t 20t 21t
      8   8   8.00  22t
      9  10  10.59
    15 congestion
    ");
    insta::assert_snapshot!(rounds("new-jersey", &window, 10), @r"
      0   2   2.00
      1   4   4.00
      2   8   8.00
      3   8   8.95
      5   1   1.00  15t
      6   2   2.00  16t 17t
      7   4   4.00  18t 19t 20t 21t
      8   5   5.58  22t
      9   6   6.42
    15 congestion
    ");
}

// Slow start into a full queue: half of the doubled window is queued, and many round-trip times exceed the
// limits. The schemes with a criterion on the round-trip time classify the loss as congestion.
#[test]
fn a_loss_after_slow_start_overflow_is_congestion() {
    for scheme in ["jtcp", "newreno-ff"] {
        let config = Preset::Ns2.config(MSS);
        let t = Transfer::new(scheme, &config, queue(10), 10_000);
        assert_eq!(first_judgement(t), LossClass::Congestion, "{scheme}");
    }
}

// In congestion avoidance the queue is as full one window after the overflow as one window before the
// overflow. As the queue did not grow, no value of k classifies the loss as congestion.
#[test]
fn jtcp_misses_congestion_in_a_full_constant_queue() {
    let judged = |k: f64| {
        let config = config();
        let sender = common::sender("jtcp", &[("k", k)], &config);
        first_judgement(Transfer::watched(
            sender,
            "jtcp",
            &config,
            queue(10),
            10_000_000,
            common::path::Blind,
        ))
    };
    assert_eq!((judged(1.0), judged(0.0)), (LossClass::Wireless, LossClass::Wireless));
}
