//! Copa and LEDBAT round by round, on the path of `common/rounds.rs`: the bandwidth-delay product is 101
//! segments, and each queued segment adds a millisecond.

use crate::common::at;
use crate::common::path::Transfer;
use crate::common::rounds::{pipe, run, run_with, sent};
use airhop_base::Time;
use std::fmt::Write;

/// Returns rounds of 100 ms: number, segments sent, window at the end.
fn rounds(t: &Transfer, first: u64, last: u64) -> String {
    (first..=last).fold(String::new(), |mut lines, k| {
        let (from, to) = (100 * k, 100 * (k + 1));
        writeln!(lines, "{k:>3} {:>3} {:>6.2}", sent(t, from, to), cwnd(t, at(to))).expect("a string");
        lines
    })
}

/// Returns the window before `time`.
fn cwnd(t: &Transfer, time: Time) -> f64 {
    t.cwnd.iter().rev().find(|(at, _)| *at < time).expect("a window").1
}

// Arun and Balakrishnan 2018, §2.1: the window doubles until the rate exceeds the target rate, which the
// sender detects a round trip later. Then the window decreases by 1/δ = 2 in each of three round trips, which
// last for up to 225 ms, and afterwards by 4, 8, 16 and so on.
#[test]
fn copa_doubles_the_window_and_then_the_velocity() {
    insta::assert_snapshot!(rounds(&run("copa", pipe(1000), 2_100), 0, 20), @r"
      0  10  10.00
      1  20  20.00
      2  40  40.00
      3  80  80.00
      4 160 160.00
      5 160 225.74
      6  99 224.86
      7  99 223.96
      8 100 223.07
      9  99 222.17
     10  99 221.27
     11  99 220.36
     12  99 219.45
     13  98 217.94
     14  99 216.09
     15  97 213.35
     16  96 209.57
     17  95 204.47
     18  92 196.49
     19  89 185.95
     20  82 167.87
    ");
}

// §2.1: the pacing rate is 2 · cwnd/RTTstanding, and counts only payload. The ten segments of the initial
// window are sent as a burst. After their ACKs the window is 20, and the twenty segments are sent at intervals
// of 101 / (2 · 20) = 2.525 ms, over half a round trip.
#[test]
fn copa_paces_at_twice_the_window_per_rtt_standing() {
    let t = run("copa", pipe(1000), 199);
    let times: Vec<f64> = t.log.iter().map(|s| s.time.secs_f64() * 1e3).collect();
    assert!(times[..10].iter().all(|&ms| ms == 0.0) && times.len() == 30, "{times:?}");
    let paced: Vec<f64> = times.into_iter().filter(|&ms| ms > 110.1).collect();
    assert!(paced.len() > 15 && paced.windows(2).all(|w| (w[1] - w[0] - 2.525).abs() < 1e-3), "{paced:?}");
}

// RFC 6817 §2.4.2: without a queue, off_target is 1, and the window grows by one segment per acknowledged
// window. The queue of 9 ms that the initial window itself causes reduces the growth at first.
#[test]
fn ledbat_grows_by_a_segment_a_round_trip() {
    insta::assert_snapshot!(rounds(&run("ledbat", pipe(1000), 2_200), 0, 20), @r"
      0  10  10.00
      1  10  10.94
      2  11  11.79
      3  12  12.65
      4  13  13.52
      5  14  14.42
      6  15  15.33
      7  16  16.25
      8  17  17.17
      9  18  18.11
     10  19  19.05
     11  20  20.00
     12  20  20.98
     13  21  21.89
     14  22  22.80
     15  23  23.72
     16  24  24.65
     17  25  25.59
     18  26  26.53
     19  27  27.47
     20  28  28.42
    ");
}

// draft-irtf-iccrg-ledbat-plus-plus-01 §4.2: on a path of 101 ms the gain is 1 / ceil(120/101), half of
// Reno's. Slow start adds half of the window per round trip, until the queueing delay exceeds three quarters
// of 60 ms (§4.1), which the sender detects a round trip later. Above the target delay the window decreases
// by at most half per round trip (§4.3). A slowdown (§4.4) has a window of two segments for two round trips
// of about 200 ms, and then slow start, which ends at the target.
#[test]
fn ledbat_plus_plus_slows_down_after_its_first_slow_start() {
    insta::assert_snapshot!(rounds(&run_with("ledbat", &[("form", 1.0)], pipe(1000), 3_200), 0, 30), @r"
      0  10  10.00
      1  15  15.00
      2  22  22.50
      3  33  33.50
      4  50  50.00
      5  75  75.00
      6 112 112.50
      7 140 159.00
      8 150 209.00
      9 109 218.92
     10  60 178.56
     11  50 128.56
     12  10   2.00
     13   2   2.00
     14   2   2.00
     15   2   2.00
     16   2   2.00
     17   3   3.00
     18   4   4.50
     19   6   6.50
     20   9   9.50
     21  14  14.00
     22  21  21.00
     23  31  31.50
     24  47  47.00
     25  70  70.50
     26  77  96.00
     27  92 119.15
     28 100 119.57
     29 100 119.99
     30 101 120.41
    ");
}
