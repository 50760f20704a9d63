//! BBR v3 on the path of `common/rounds.rs`, whose bandwidth-delay product is 101 segments. Section numbers
//! are those of draft-ietf-ccwg-bbr-06.

use crate::common::path::Transfer;
use crate::common::rounds::{cwnd, pipe, run};

/// Returns rounds `from` to `to` of 100 ms: segments sent, window at the end, and number of retransmissions.
fn rounds(t: &Transfer, from: usize, to: usize) -> String {
    let text = t.rounds();
    let lines = text.lines().skip(from).take(to + 1 - from).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let again = words.len() - 3;
        let again = if again > 0 { format!(" {again} again") } else { String::new() };
        format!("{:>3} {:>3} {:>6}{again}", words[0], words[1], words[2])
    });
    lines.collect::<Vec<_>>().join("\n")
}

// §5.3.1.1: a pacing gain of 2.77 and a cwnd gain of 2 double rate and window per round trip. The window,
// twice 101 segments plus the extra acknowledged segments, fills a queue of 110 segments. After three round
// trips of 211 ms at the link rate, Startup ends. §5.3.2: at half the rate the queue empties in two round
// trips.
#[test]
fn bbr3_startup_doubles_until_the_pipe_is_full_and_drains() {
    insta::assert_snapshot!(rounds(&run("bbr3", pipe(1000), 2_000), 0, 17), @r"
     0  10  10.00
     1  20  20.00
     2  32  37.00
     3  58  61.00
     4 112 116.00
     5 174 193.00
     6 118 211.00
     7 100 211.00
     8 100 211.00
     9 100 211.00
    10 100 211.00
    11 100 211.00
    12  78 203.00
    13  50 203.00
    14  62 203.00
    15 100 203.00
    16  98 203.00
    17 100 203.00
    ");
}

// §5.3.3: for two to three seconds the rate is 1 % below the link rate; one round trip of Refill follows.
// Then the gain is 1.25 until the delivery rate has not grown for three round trips. The window is then 2.25
// · 101 segments, plus one for ACK aggregation and two for probing. Afterwards the gain is 0.9 until the
// queue is empty. §5.3.4: after five seconds without a lower round trip, the flight is half of 101 segments,
// for 200 ms and a round trip.
#[test]
fn probe_bw_cycles_and_probe_rtt_follows_after_5_s() {
    insta::assert_snapshot!(rounds(&run("bbr3", pipe(1000), 5_800), 36, 56), @r"
    36  98 203.00
    37 100 203.00
    38  98 203.00
    39 100 203.00
    40 122 230.25
    41 124 230.25
    42 124 230.25
    43 118 203.00
    44  90 203.00
    45  90 203.00
    46  88 203.00
    47  90 203.00
    48  88 203.00
    49  90 203.00
    50  88 203.00
    51  36  50.50
    52  49  50.50
    53  49 203.00
    54 100 203.00
    55  98 203.00
    56 100 203.00
    ");
}

// A queue of 50 segments. §5.3.1.3: losses end Startup one round trip after the first loss. In that round
// trip 150 segments were delivered, and the sender leaves 0.15 of these to other flows as headroom. §5.3.3.4:
// from this bound the probe adds one segment, then two, then four; a loss rate above 2 % ends the probe.
// §5.3.3.6: the next probe stops at the bound of the last probe, and continues after a round trip without
// losses at this bound.
#[test]
fn losses_in_a_short_queue_bound_the_flight() {
    let t = run("bbr3", pipe(50), 8_900);
    insta::assert_snapshot!(rounds(&t, 4, 12), @r"
     4 112 116.00
     5 174 193.00
     6 122 211.00 4 again
     7 156 211.00 56 again
     8  75 204.45 27 again
     9  76 127.50 35 again
    10  98 127.50
    11 100 127.50
    12  98 127.50
    ");
    insta::assert_snapshot!(rounds(&t, 32, 44), @r"
    32  98 127.50
    33 100 150.00
    34 104 150.00
    35 124 150.00
    36 120 150.00
    37 101 151.00
    38 102 153.00
    39 105 156.00 2 again
    40  97 153.06 4 again
    41  88 153.06 6 again
    42  90 150.00
    43  88 150.00
    44  92 130.10
    ");
    insta::assert_snapshot!(rounds(&t, 75, 88), @r"
    75 100 130.10
    76  98 148.10
    77 104 153.06
    78 124 153.06
    79 122 153.06
    80  90 153.06
    81  94 153.06 3 again
    82 104 153.06
    83 117 153.06
    84 101 154.06
    85 103 153.06 4 again
    86  89 153.06 4 again
    87  90 153.06 1 again
    88  88 150.00
    ");
}

// §5.5.10.3: one loss in ProbeBW_CRUISE. The delivery rate in that round trip is the same as before, so the
// pacing rate stays the same. The window also stays the same, because 0.7 of the window, or 142 segments,
// exceeds the 101 delivered segments. Refill resets the short-term bounds.
#[test]
fn a_loss_sets_short_term_bounds_until_the_next_probe() {
    let t = run("bbr3", pipe(1000).losing(&[2300]), 4_500);
    assert_eq!((t.sender.counters().fast_recoveries, t.sender.counters().timeouts), (1, 0));
    let windows = [2_700, 3_200, 3_700, 4_300].map(|ms| cwnd(&t, ms).round());
    assert_eq!(windows, [203.0, 142.0, 142.0, 230.0]);
    let clean = run("bbr3", pipe(1000), 4_500);
    assert!(t.log.len() + 15 > clean.log.len(), "{} of {}", t.log.len(), clean.log.len());
}

// §5.6.4.4: all segments in flight are lost. After the timeout the window is one segment, and then four plus
// the acknowledged segments. After the repair, window and rate have their former values.
#[test]
fn a_timeout_sets_one_segment_and_repair_restores_the_window() {
    let lost: Vec<u64> = (2000..2203).collect();
    let t = run("bbr3", pipe(1000).losing(&lost), 6_000);
    assert_eq!((t.sender.counters().timeouts, t.sender.counters().fast_recoveries), (1, 0));
    insta::assert_snapshot!(rounds(&t, 24, 35), @r"
     24  96 203.00
     33   1   1.00 1 again
     34   4   4.00 4 again
     35   8   8.00 8 again
     36   6  12.00 6 again
     37  14  19.00 14 again
     38  32  34.00 32 again
     39  62  65.00 62 again
     40 124 128.00 76 again
     41 124 228.00
     42 124 230.25
     43 124 230.25
    ");
    assert_eq!(cwnd(&t, 5_800).round(), 203.0);
}
