//! Windows per round trip of loss-based schemes, in segments. `common/rounds.rs` describes the path and the
//! notation.

use crate::common::at;
use crate::common::path::{Fate, Path};
use crate::common::rounds::{clean, common_rounds, one, rounds, three, window};

/// Returns a path with one loss whose retransmission is also lost.
fn repair() -> Path {
    one().with(20, 2, Fate::Lost)
}

const ALL: [&str; 6] = ["tahoe", "reno", "newreno", "snoop", "sack", "ll-elsn"];

// RFC 5681 §3.1: the window doubles up to ssthresh in rounds 0 to 2. Then each of the 8 ACKs of a round adds
// 1/cwnd, which increases the window to 8.95, slightly less than one segment more, as cwnd grows during the
// round. In round 4 a ninth segment is sent as soon as the window passes 9.
#[test]
fn slow_start_doubles_and_avoidance_adds_one_segment() {
    insta::assert_snapshot!(common_rounds(&ALL, &clean(), 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.81
    5  10  10.69
    6  11  11.59
    7  12  12.51
    8  13  13.44
    ");
}

// One loss. Round 4: five ACKs release 6 segments (cwnd 9.50), and the duplicate ACKs caused by 21 and 22
// release two more (limited transmit). Round 5: the third duplicate halves the window to 4.75 and inflates it
// to 7.75, while 11 segments are outstanding. The next four of the 7 remaining duplicates inflate the window
// to 11.75, and the last three release one segment each; with the retransmission the round has 4
// transmissions. Round 6: cwnd is deflated and 3 segments are outstanding; the window of 4.75 permits one
// segment, and three ACKs release four, as the window passes 5. SACK sends the same segments: its pipe starts
// at 11 - 3 = 8, and a segment may be sent if the pipe is below 4 (4.75 as an integer).
#[test]
fn one_loss_halves_the_window_once() {
    insta::assert_snapshot!(common_rounds(&["reno", "newreno", "snoop", "sack", "ll-elsn"], &one(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   5   5.35
    7   6   6.23
    8   7   7.14
    9   8   8.07
    ");
    // Tahoe restarts slow start from one segment. All later segments had arrived, so no other segment is
    // retransmitted. The window passes 4.75 in round 8.
    insta::assert_snapshot!(rounds("tahoe", &one(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   1   1.00  20!
    6   2   2.00
    7   4   4.00
    8   5   5.58
    9   6   6.42
    ");
}

// Three losses: Tahoe retransmits all segments from the first loss on. Round 7 sends four segments with a
// window of 3, because the duplicate ACK caused by the retransmission of 23 counts as the first. In round 8
// the three duplicates caused by the retransmissions of 25 to 27 acknowledge only data sent before the
// reduction, so there is no second reduction.
#[test]
fn tahoe_retransmits_all_segments_from_the_first_loss() {
    insta::assert_snapshot!(rounds("tahoe", &three(), 11), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   1.00  20!
    6   2   2.00  22t 23t
    7   4   3.00  24t 25t 26t 27t
    8   6   4.00
    9   5   5.93
   10   6   6.73
    ");
}

// Reno: the partial ACK of round 6 ends recovery with ten segments outstanding and a window of 4. No segment
// is sent until the timer repairs 22, 200 ms later; ssthresh is then 2.38.
#[test]
fn reno_needs_a_timeout_for_three_losses() {
    insta::assert_snapshot!(rounds("reno", &three(), 12), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   4.75  20!
    6   1   4.75
    8   1   1.00  22t
    9   2   2.00  24t 25t
   10   4   3.00
   11   4   4.16
    ");
}

// NewReno repairs one hole per round trip, with one reduction in total. Round 6: the duplicate ACK caused by
// 30 releases 31, and the partial ACK releases 22 and 32.
#[test]
fn newreno_repairs_one_of_three_holes_per_round() {
    insta::assert_snapshot!(common_rounds(&["newreno", "snoop"], &three(), 11), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   4.75  20!
    6   3   4.75  22+
    7   4   4.75  24+
    8   5   5.16
    9   6   6.07
   10   6   7.00
    ");
}

// ns-2's SACK: the pipe starts at 11 - 3 = 8. The four remaining duplicate ACKs of round 5 decrease the pipe
// to 4, which is not below the window. In round 6 the pipe decreases below the window, and both holes are
// retransmitted.
#[test]
fn sack_repairs_two_holes_when_the_pipe_permits() {
    insta::assert_snapshot!(rounds("sack", &three(), 11), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   4.75  20!
    6   3   4.75  22+ 24+
    7   4   4.96
    8   5   5.72
    9   6   6.55
   10   7   7.42
    ");
}

// ESACK does not count lost segments as in flight, so it retransmits the holes in round 5. When 20 is
// retransmitted, the flight is 11 outstanding segments minus 7 SACKed and 2 lost segments, i.e. 2, or 3 with
// the retransmission.
#[test]
fn esack_repairs_three_losses_in_one_round() {
    insta::assert_snapshot!(rounds("ll-elsn", &three(), 11), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   4   4.75  20! 22+ 24+
    6   4   4.75
    7   5   5.54
    8   6   6.39
    9   7   7.28
   10   8   8.19
    ");
}

// A whole window is lost. No segment is sent until the timer expires, 200 ms (ns-2's minimum) after the last
// ACK. Then every scheme uses slow start to repair the lost segments, up to half of 8.95.
#[test]
fn a_timeout_repairs_a_lost_window_by_slow_start() {
    insta::assert_snapshot!(common_rounds(&ALL, &window(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    5   1   1.00  15t
    6   2   2.00  16t 17t
    7   4   4.00  18t 19t 20t 21t
    8   5   5.58  22t
    9   6   6.42
    ");
}

// The retransmission of 20 is also lost. Reno and NewReno cannot detect this loss before the timeout. The two
// duplicate ACKs before the ACK of the next retransmission cause another transmission of 21 and 22 (limited
// transmit after go-back-N, as in ns-2).
#[test]
fn newreno_detects_a_lost_retransmission_by_timeout() {
    insta::assert_snapshot!(common_rounds(&["reno", "newreno", "snoop"], &repair(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   3   4.75
    7   4   1.00  20t
    8   4   2.00  21t 22t
    9   3   3.33
    ");
}

// ns-2's SACK retransmits a hole only once, so only the timer repairs the loss of a retransmission. The ACKs
// of round 8 contain no new SACK information, so none of them counts as a duplicate.
#[test]
fn ns2_sack_detects_a_lost_retransmission_by_timeout() {
    insta::assert_snapshot!(rounds("sack", &repair(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   3   4.75
    7   4   1.00  20t
    8   2   2.00
    9   3   3.33
    ");
}

// ESACK knows the sending order: 31, 32 and 33 were sent after the retransmission of 20 and have arrived, so
// the retransmission is lost (Yun 2009, Algorithm 1). There is neither a timeout nor a second reduction.
#[test]
fn esack_detects_a_lost_retransmission_by_sending_order() {
    insta::assert_snapshot!(rounds("ll-elsn", &repair(), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   4   4.75  20+
    7   4   4.96
    8   5   5.72
    9   6   6.55
    ");
}

// Two wireless losses; the notices arrive half a round trip after the transmission. The segments are
// retransmitted in the same round, beyond the window of 8.95, and the window continues to grow. It grows to
// 9.71 instead of 9.81, because seven ACKs of round 4 acknowledge new data instead of eight.
#[test]
fn notified_wireless_losses_do_not_reduce_the_window() {
    let half = at(50).since(at(0));
    let path = clean().with(20, 1, Fate::Noticed(half)).with(22, 1, Fate::Noticed(half));
    insta::assert_snapshot!(rounds("ll-elsn", &path, 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3  10   8.95  20n 22n
    4   9   9.71
    5  10  10.60
    6  11  11.51
    7  12  12.43
    8  13  13.36
    ");
}

// Without a loss, CUBIC behaves as Reno does: without W_max the cubic stays at its plateau, and the
// Reno-friendly estimate grows by one segment per window.
#[test]
fn cubic_without_a_loss_grows_as_reno() {
    assert_eq!(rounds("cubic", &clean(), 13), rounds("reno", &clean(), 13));
}

// CUBIC (RFC 9438): a loss reduces the window to 0.7 of 9.50. K = cbrt(2.85 / 0.4) = 1.92 s. One second after
// round 6 the cubic alone would be at 9.19, so Reno's growth of 0.53 segments per window is faster at first
// (rounds 6 and 7), slightly above the cubic. Above 9.50, in round 11, the window grows by one segment per
// window.
#[test]
fn one_loss_reduces_the_cubic_window_to_seven_tenths() {
    insta::assert_snapshot!(rounds("cubic", &one(), 13), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   6   6.65  20!
    6   7   7.04
    7   7   7.55
    8   8   8.03
    9   8   8.54
   10   9   9.02
   11   9   9.54
   12  10  10.44
    ");
}

// A timeout: slow start up to 0.7 of 8.95, or 6.27, which the window reaches in round 8. Then the window
// grows as Reno's with beta 0.7, because the cubic is flat at this time.
#[test]
fn cubic_repairs_by_slow_start_after_a_timeout() {
    insta::assert_snapshot!(rounds("cubic", &window(), 13), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    5   1   1.00  15t
    6   2   2.00  16t 17t
    7   4   4.00  18t 19t 20t 21t
    8   6   6.41  22t
    9   6   6.89
   10   7   7.34
   11   7   7.83
   12   8   8.29
    ");
}
