//! Window rules of the schemes that classify losses, in segments per round trip.
//!
//! The path and the notation are those of `common/rounds.rs`; each snapshot ends with the classification of
//! the losses.

use crate::common;
use crate::common::path::{Fate, Path, Transfer};
use crate::common::rounds::{clean, config, same};
use crate::common::script::Script;
use crate::common::{MSS, at, ns2, number};
use airhop_base::{Rate, Span};
use airhop_tcp::seams::{Judged, Truth};
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
fn first_judgement(mut t: Transfer) -> Judged {
    let found = (1..200).any(|k| {
        t.run_until(at(100 * k));
        t.sender.counters().fast_recoveries > 0
    });
    assert!(found, "no loss");
    classifications(&mut t)[0].1
}

fn classifications(t: &mut Transfer) -> Vec<(u64, Judged)> {
    std::iter::from_fn(|| t.sender.poll_classification()).map(|j| (number(j.seq), j.judged)).collect()
}

fn rounds(scheme: &str, path: &Path, n: u64) -> String {
    told(started(scheme, path.clone()), n)
}

/// Returns a link with a service time of 10 ms per segment and a queue of `room` segments; the round trip
/// with an empty queue is 100 ms.
fn queue(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(832_000), room)), ..Path::of(45) }
}

/// Returns the first `n` rounds, after a check that they are the same for all of `schemes`.
fn common_rounds(schemes: &[&str], path: &Path, n: u64) -> String {
    same(schemes, |scheme| rounds(scheme, path, n))
}

const GROW_AS_RENO: [&str; 8] =
    ["jersey", "new-jersey", "jtcp", "tibet", "newreno-ff", "casablanca", "dcr", "ideal-bwe"];

// The schemes differ in the classification of losses, not in the growth of the window.
#[test]
fn without_a_loss() {
    let reno = rounds("reno", &clean(), 9);
    assert_eq!(common_rounds(&GROW_AS_RENO, &clean(), 9), reno);
}

// Santa Cruz: no segment is queued on this path, so congestion avoidance adds one segment per window.
#[test]
fn without_a_loss_santa_cruz() {
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

// Santa Cruz on a path that holds ten segments: a window that slow start made too large shrinks until n +
// delta = 5 segments are queued. A smaller window grows until n - delta = 3 are queued, and once more: each
// window is measured at the first of the two segments released by the growth, while the second is still
// behind it. No segment is lost.
#[test]
fn santa_cruz_keeps_a_queue_of_n() {
    for (ssthresh, settled) in [(8.0, 14.0), (f64::INFINITY, 15.0)] {
        let config = Config { initial_ssthresh: ssthresh, ..Preset::Ns2.config(MSS) };
        let mut t = Transfer::new("santa-cruz", &config, queue(60), 10_000);
        t.run_until(at(10_000));
        let late: Vec<f64> = t.cwnd.iter().filter(|c| c.0 > at(8000)).map(|c| c.1).collect();
        assert!(late.iter().all(|&cwnd| cwnd == settled), "{late:?}");
        assert_eq!(classifications(&mut t), []);
    }
}

// A single loss classified as wireless: without warning, jitter, outliers, or the mark (segment 21 has none).
// Round 4: six ACKs release 7 segments, the duplicate ACK from 22 one more. Round 5: the second of eight
// further duplicates releases one; the third causes 21! without a reduction, 11 segments are outstanding and
// the window is inflated to 12.60, which releases one; so do the six remaining duplicates: 1 + 1 + 1 + 6.
// Round 6: the duplicate of the first of these releases one; then the retransmission is acknowledged and 8
// are outstanding: one more, and eight by the seven remaining ACKs, as the window passes 10.
#[test]
fn a_wireless_loss() {
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
    // The same loss with integer windows. Round 4: 6 segments, 2 for duplicate ACKs, 1 as the window grows.
    // Round 5: the first duplicate is the third: 21! and one segment; eight more. Round 6: one as the
    // retransmission is acknowledged, nine and one as the window grows.
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

// Three losses: NewReno's retransmissions, one hole per round trip, with an unreduced window. Round 5: the
// second duplicate ACK releases 30; then 20!; 11 are outstanding and 9.50 + 3 permitted: 31; four more for
// duplicates. Round 6: the duplicate of 30; 22+ with one more, as its partial ACK deflates the window by two
// and adds one; five for duplicates. Round 7 likewise with six.
#[test]
fn three_wireless_losses() {
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

// Casablanca marks segments 5, 10, 15, 20 …: the loss of 20 alone is congestion, handled as in NewReno. When
// the loss of 20 is detected, two segments are known to be missing (20 and 22; 21, 23 and 24 arrived); one
// marked of two has a probability of 0.36 by chance: wireless.
#[test]
fn marked_segments_that_are_lost() {
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

// TIBET. When 21! is sent, 31 segments have been sent in 500 ms: 30 gaps, a mean of 60 segments per second.
// The second filter, of one second, lags behind at 34.0 (from 20 after the first gap). Times 0.95 · 100 ms:
// 3.23. Round 5: 31, 21!, and the ninth duplicate ACK inflates the window to 12.23, which releases 32.
#[test]
fn a_loss_tibet() {
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

// With 0.96 Mbit/s and 100 ms from the simulator, the ideal estimator sets a window of 12 segments, more than before.
// Round 5: 31; 21! and, with 11 outstanding and 12 + 3 allowed, four more; then one for each of the remaining six
// duplicates. Without this information it behaves as NewReno.
#[test]
fn a_loss_with_ideal_knowledge() {
    let mut t = started("ideal-bwe", clean().losing(&[21]));
    let rate = Rate::from_bps(960_000);
    t.sender.on_truth(&Truth { rate, whole: rate, rtt: Span::from_millis(100) });
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
// eight more arrive and release one segment each; then the timer expires: 21! and one reduction, to half of
// 9.60. By then 31 to 38 are in flight and 22 to 30 have arrived: 9 in flight with the retransmission. Round
// 6: the sixth arrival leaves 3, and room for one within 4.80; so do the seventh and the eighth; the last
// segment is sent as the retransmission is acknowledged.
#[test]
fn a_loss_dcr() {
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

// The link layer delivers segment 21 with 60 ms of delay, within the round trip that DCR waits: no
// retransmission and no window reduction. With 120 ms there is one reduction.
#[test]
fn what_the_link_layer_repairs_in_time_is_no_loss() {
    let late = |ms| clean().with(21, 1, Fate::Late(Span::from_millis(ms)));
    let counted = |ms| {
        let mut t = started("dcr", late(ms));
        t.run_until(at(2000));
        (t.sender.counters().window_cuts, t.sender.counters().retransmissions)
    };
    assert_eq!(counted(60), (0, 0));
    assert_eq!(counted(120), (1, 1));
}

// Several losses in a window lead to one reduction. Round 5: six duplicate ACKs, six segments, then 20!. Of
// 16 outstanding, 7 have arrived, and 22 and 24 are lost too: 7 in flight. Round 6: the fourth duplicate ACK
// makes room for 22+, the next for 24+, then new data.
#[test]
fn three_losses_dcr() {
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

// Bhandarkar and Reddy 2004: the retransmission timer must not interrupt the delay for the link layer. After
// a first sample of 100 ms the timeout is 300 ms (ns-2: 10 ticks and four times five), so it is due at 400.
// Duplicate ACKs at 350 start a delay until 450.
#[test]
fn the_retransmission_timer_does_not_cut_the_delay_short() {
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

// A whole window is lost: timeout in round 5. JTCP: no jitter, so wireless: half of 8.95 and no slow start
// (Yun 2009 §2.2), but four segments at once. Jersey: estimates of 10, 40 and 95 segments per second after
// rounds 1, 2 and 3: the first ACK of a round computes half of (R + 1 / RTT), each of the others adds 1 /
// RTT; hence a threshold of 9.5, passed in round 9. New Jersey: 0, 20 and 50: the threshold is 5.
#[test]
fn a_timeout() {
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

// Slow start into a full queue: half of the doubled window is queued, and many round-trip times are beyond
// the limits. Schemes that use these signs classify the loss as congestion.
#[test]
fn slow_start_overflows_a_queue() {
    for scheme in ["jtcp", "newreno-ff"] {
        let config = Preset::Ns2.config(MSS);
        let t = Transfer::new(scheme, &config, queue(10), 10_000);
        assert_eq!(first_judgement(t), Judged::Congestion, "{scheme}");
    }
}

// In congestion avoidance the queue is as full one window after the overflow as one window before: it did not
// grow, so the loss is congestion for no k.
#[test]
fn a_full_queue_grows_no_more_and_jtcp_misses_it() {
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
    assert_eq!((judged(1.0), judged(0.0)), (Judged::Wireless, Judged::Wireless));
}
