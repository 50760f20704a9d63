//! BBR v1 on the path of `common/rounds.rs`, whose bandwidth-delay product is 101 segments. Section numbers
//! are those of draft-cardwell-iccrg-bbr-congestion-control-00.

use crate::common::at;
use crate::common::path::{Path, Transfer};
use crate::common::rounds::{cwnd, pipe, run, sent};
use airhop_base::Span;

/// Returns rounds `from` to `to` of 100 ms: segments sent, window at the end, and number of retransmissions.
fn rounds(t: &Transfer, from: usize, to: usize) -> String {
    t.rounds().lines().skip(from).take(to + 1 - from).collect::<Vec<_>>().join("\n")
}

// §4.3.2: the window grows by the acknowledged segments, and the pacing rate is 2/ln 2 times the delivery
// rate, so both double per round trip. The window reaches 298 segments, 2.885 · 101 plus three quanta of two,
// and stays there for three round trips of 298 ms without growth of the delivery rate. §4.3.3: at 1/2.885 of
// the rate, or 34 segments per round, the 197 queued segments drain in three rounds.
#[test]
fn bbr_startup_doubles_until_the_pipe_is_full_and_drains() {
    insta::assert_snapshot!(rounds(&run("bbr", pipe(1000), 3_000), 0, 19), @r"
      0  10  10.00
      1  20  20.00
      2  34  40.00
      3  60  74.00
      4 122 132.00
      5 202 229.00
      6 169 298.00
      7 100 298.00
      8 100 298.00
      9 100 298.00
     10 100 298.00
     11 100 298.00
     12 100 298.00
     13 100 298.00
     14 100 298.00
     15  47 310.00
     16  36 310.00
     17  34 310.00
     18  92 216.00
     19  98 216.00
    ");
}

// §4.3.4: in one of eight rounds the pacing rate is a quarter higher, and in the next round a quarter lower;
// while the sender probes, the window is two segments larger. In the other rounds the rate is 1 % below the
// link rate (Linux' margin). §4.2.3: the window is 2 · 101 segments, plus three quanta of two, plus two
// segments for ACK aggregation.
#[test]
fn probe_bw_gains_cycle_over_eight_rounds() {
    insta::assert_snapshot!(rounds(&run("bbr", pipe(1000), 5_000), 24, 42), @r"
     24 120 212.00
     25 102 210.00
     26  84 210.00
     27 100 210.00
     28  98 210.00
     29 100 210.00
     30  98 210.00
     31 100 210.00
     32 106 212.00
     33 124 212.00
     34  78 210.00
     35  96 210.00
     36 100 210.00
     37  98 210.00
     38 100 210.00
     39  98 210.00
     40 100 210.00
     41 118 212.00
     42 102 210.00
    ");
}

// §4.3.5: the smallest round trip is measured at 0.1 s. If no smaller round trip follows for 10 s, the window
// becomes four segments. The flight reaches this size after a round trip, and stays there for 200 ms and a
// round trip. Then the window is restored.
#[test]
fn probe_rtt_begins_after_ten_seconds() {
    let t = run("bbr", pipe(1000), 12_000);
    let first =
        t.cwnd.iter().find(|(time, cwnd)| *time > at(2_000) && *cwnd < 200.0).expect("a probe is sent");
    assert!(at(10_100) < first.0 && first.0 < at(10_115), "{first:?}");
    assert_eq!(cwnd(&t, 10_150), 4.0);
    let back = t.cwnd.iter().find(|(time, cwnd)| *time > first.0 && *cwnd > 4.0).expect("the probe ends");
    assert!(at(10_400) < back.0 && back.0 < at(10_520), "{back:?}");
    assert_eq!(back.1, 210.0);
    let probed = sent(&t, 10_120, 10_400);
    assert!((8..=12).contains(&probed), "four segments a round trip, not {probed}");
}

// §4.3.5, BBRHandleProbeRTT: segments sent with a window of four are marked as application-limited. On a path
// with a round trip of 11 ms, the 200 ms contain more round trips than the rate filter covers, but the filter
// keeps the rate.
#[test]
fn probe_rtt_does_not_change_the_rate_estimate() {
    let t = run("bbr", Path { bottleneck: pipe(1000).bottleneck, ..Path::of(5) }, 10_500);
    let probed = sent(&t, 10_040, 10_190); // fourteen round trips
    assert!((40..=60).contains(&probed), "{probed}");
    let after = sent(&t, 10_240, 10_320);
    assert!(after > 70, "{after} of 80");
}

// §4.2.3.4: in the first round trip of fast recovery, each ACK sets the window to the flight plus the
// delivered segments. Then the window grows again, and is restored at the end of the recovery. The loss does
// not halve the window.
#[test]
fn a_loss_conserves_packets_for_a_round_trip() {
    let lost = 2500; // while about 101 are in flight
    let t = run("bbr", pipe(1000).losing(&[lost]), 4_000);
    let repaired =
        t.log.iter().find(|s| s.label == format!("{lost}!")).expect("the segment is retransmitted").time;
    let window =
        |ms: u64| t.cwnd.iter().rev().find(|(time, _)| *time <= repaired + Span::from_millis(ms)).unwrap().1;
    let before = t.cwnd.iter().rev().find(|(time, _)| *time + Span::from_millis(5) < repaired).unwrap().1;
    assert!(before > 200.0, "{before}");
    assert!((90.0..=112.0).contains(&window(1)), "{}", window(1));
    assert!((90.0..=112.0).contains(&window(95)), "{}", window(95));
    assert!(window(120) >= 206.0, "{}", window(120));
    let clean = run("bbr", pipe(1000), 4_000);
    assert!(sent(&t, 2_000, 4_000) as f64 > 0.98 * sent(&clean, 2_000, 4_000) as f64);
    assert_eq!((t.sender.counters().fast_recoveries, t.sender.counters().timeouts), (1, 0));
}

// §4.2.3.4: after a timeout the window is one segment, the delivery-rate estimate is kept, and the window is
// restored when the losses are repaired.
#[test]
fn a_timeout_sets_one_segment_and_repair_restores_the_window() {
    let lost: Vec<u64> = (2000..2400).collect();
    let t = run("bbr", pipe(1000).losing(&lost), 12_000);
    assert_eq!(t.sender.counters().timeouts, 1);
    let smallest = t.cwnd.iter().map(|c| c.1).fold(f64::INFINITY, f64::min);
    assert_eq!(smallest, 1.0);
    assert!(cwnd(&t, 9_000) >= 208.0);
    assert!(sent(&t, 8_000, 9_000) > 970);
}

// Wireless losses do not reduce the window: the loss of one segment in twenty costs only the retransmissions.
#[test]
fn random_losses_do_not_reduce_the_bbr_window() {
    let lost: Vec<u64> = (200..20_000).step_by(20).collect();
    let t = run("bbr", pipe(1000).losing(&lost), 10_000);
    let arrived = t.receiver.delivered_bytes() / 1000;
    assert!(arrived as f64 > 0.9 * 9_500.0, "{arrived}: nine tenths of the link rate minus one in twenty");
    assert_eq!(t.sender.counters().timeouts, 0);
}
