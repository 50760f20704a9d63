//! Senders that receive notices of losses: windows per round trip, in segments, and scripts with the ACKs of
//! the papers. `common/rounds.rs` describes the path and the notation of the rounds.

use crate::common;
use crate::common::path::{Fate, Path};
use crate::common::rounds::{clean, common_rounds, one, rounds, rounds_with, window};
use crate::common::script::Script;

const ALL: [&str; 8] = ["split", "eln", "hack", "hack-fixed", "ewln", "tcp-eln", "lhp", "tcp-cl"];

/// Returns a path on which segment 20 arrives damaged; the receiver reports the damage in a separate ACK.
fn damaged() -> Path {
    clean().with(20, 1, Fate::Damaged)
}

/// Returns a path on which segments 20, 22 and 24 arrive damaged.
fn three_damaged() -> Path {
    damaged().with(22, 1, Fate::Damaged).with(24, 1, Fate::Damaged)
}

/// Returns a path on which segment 20 is lost on the air, and the base station marks the ACKs caused by 21 to
/// 28.
fn marked() -> Path {
    let mut path = one();
    path.acks.extend((20..=27).map(|ack| (ack, Fate::Marked)));
    path
}

// No segment is lost: the rounds equal those of `loss_based.rs`.
#[test]
fn without_losses_notified_senders_grow_as_reno() {
    insta::assert_snapshot!(common_rounds(&ALL, &clean(), 7), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.81
    5  10  10.69
    6  11  11.59
    ");
}

// A loss without a notice is a congestion loss with one halving, as in `loss_based.rs`.
#[test]
fn a_loss_without_a_notice_halves_the_window() {
    insta::assert_snapshot!(common_rounds(&ALL, &one(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   5   5.35
    7   6   6.23
    ");
}

// The loss of a whole window without notices leads to a timeout.
#[test]
fn a_lost_window_without_notices_causes_a_timeout() {
    insta::assert_snapshot!(common_rounds(&ALL, &window(), 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    5   1   1.00  15t
    6   2   2.00  16t 17t
    7   4   4.00  18t 19t 20t 21t
    8   5   5.58  22t
    ");
}

// HACK. Round 4: five ACKs release 23 to 28, the ELN causes the retransmission of 20, and the duplicate ACKs
// caused by 21 and 22 release 29 and 30. Round 5: the duplicate caused by 23, which was sent before that
// retransmission, still counts as the third. The window becomes half of 9.50, and 20 is retransmitted a
// second time. The pipe is 11 - 3 = 8, and 3 after the duplicates caused by 24 to 28, which releases 31. The
// first retransmission and 29 cause partial ACKs, each of which permits two segments: 32 to 35. Without
// notices (above) the repair lasts one round longer.
#[test]
fn hack_halves_its_window_for_a_damaged_segment() {
    insta::assert_snapshot!(common_rounds(&["hack", "ewln"], &damaged(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5   6   4.75  20!
    6   5   5.72
    7   6   6.55
    ");
}

// HACK-fixed, TCP-ELN and the base station's ELN. The eight duplicate ACKs do not count, because segments
// sent before the retransmission of 20 caused them, or because they contain the ELN. Therefore limited
// transmit releases no segment in round 4, and in round 5 only the ACK of the retransmission increases the
// window: 9.50 + 1/9.50.
#[test]
fn duplicates_of_a_damaged_segment_do_not_count() {
    let hack_fixed = rounds("hack-fixed", &damaged(), 8);
    assert_eq!(rounds_with("hack-fixed", &[("shield", 1.0)], &damaged(), 8), hack_fixed);
    assert_eq!(rounds("tcp-eln", &damaged(), 8), hack_fixed);
    assert_eq!(rounds("eln", &marked(), 8), hack_fixed);
    insta::assert_snapshot!(hack_fixed, @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50  20n
    5   9   9.60
    6  10  10.50
    7  11  11.42
    ");
}

// LHP. The retransmission of 20 is last in the packet list, so 21 to 28 do not count as its duplicates.
// However, each arrival removes a segment from the list and releases a segment, so the ACK clock continues.
// Round 5: the ACKs of the retransmission, 29 and 30 increase the window: 9.50 + 0.105 + 0.104 + 0.103.
#[test]
fn lhp_does_not_reduce_for_a_damaged_segment() {
    let sack = rounds("lhp", &damaged(), 8);
    assert_eq!(rounds_with("lhp", &[("trigger", 1.0)], &damaged(), 8), sack);
    insta::assert_snapshot!(sack, @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5   9   9.81
    6  10  10.69
    7  11  11.59
    ");
}

// Three damaged segments: HACK halves its window once, for 20; the other schemes do not halve their windows.
// These schemes differ slightly because only some of them may send while 20 is missing (above).
#[test]
fn only_hack_reduces_for_three_damaged_segments() {
    insta::assert_snapshot!(common_rounds(&["hack", "ewln"], &three_damaged(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n 22n
    5   7   4.75  24n 20!
    6   5   5.54
    7   6   6.39
    ");
    insta::assert_snapshot!(common_rounds(&["hack-fixed", "tcp-eln"], &three_damaged(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50  20n 22n
    5   5   9.71  24n
    6  10  10.21
    7  11  11.15
    ");
    insta::assert_snapshot!(rounds("lhp", &three_damaged(), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n 22n
    5   9   9.71  24n
    6  10  10.50
    7  11  11.42
    ");
}

// The retransmission of 20 is also damaged. Schemes that react to every ELN retransmit 20 again in round 5.
// TCP-ELN and the base station's ELN treat the second ELN as a repetition, and the timer repairs the loss,
// 200 ms after its restart at the first retransmission.
#[test]
fn a_damaged_retransmission_causes_a_second_eln() {
    let path = damaged().with(20, 2, Fate::Damaged);
    insta::assert_snapshot!(rounds("hack-fixed", &path, 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50  20n
    5   1   9.50  20n
    6   9   9.60
    7  10  10.50
    ");
    insta::assert_snapshot!(rounds("lhp", &path, 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5   9   9.50  20n
    6   9   9.81
    7  10  10.69
    ");
    let lost = |mut p: Path| {
        p.data.insert((20, 2), Fate::Lost);
        p
    };
    assert_eq!(rounds("eln", &lost(marked()), 9), rounds("tcp-eln", &path, 9));
    insta::assert_snapshot!(rounds("tcp-eln", &path, 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50  20n
    6   1   1.00  20t
    7   2   2.00
    8   4   4.00
    ");
}

// Three congestion losses. With a packet list each loss reaches three duplicates separately: the window of
// 9.50 is halved three times, to 1.19 (Yun 2009 §4.1). The SACK senders halve the window once, as `sack` does
// in `loss_based.rs`.
#[test]
fn lhp_halves_three_times_for_three_losses_without_notices() {
    let three = clean().losing(&[20, 22, 24]);
    insta::assert_snapshot!(rounds("lhp", &three, 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   4   1.19  20! 22! 24!
    6   1   1.19
    7   2   2.19
    8   3   3.02
    ");
    insta::assert_snapshot!(common_rounds(&["hack", "hack-fixed", "ewln", "tcp-eln"], &three, 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   2   4.75  20!
    6   3   4.75  22+ 24+
    7   4   4.96
    8   5   5.72
    ");
}

// Yun 2009 §2.1: "If SMART is used for LHP, whenever an ACK is lost, congestion control is invoked". The ACK
// of 21 is lost. With SMART no other ACK reports the arrival of 21, so 21 counts as lost, as 20 does. With
// SACK, later blocks report 21 again.
#[test]
fn a_lost_ack_invokes_congestion_control_in_lhp_with_smart() {
    let mut path = clean().losing(&[20]);
    path.acks.insert(20, Fate::Lost);
    insta::assert_snapshot!(rounds("lhp", &path, 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   4   4.75  20!
    6   5   5.35
    7   6   6.23
    ");
    insta::assert_snapshot!(rounds_with("lhp", &[("trigger", 1.0)], &path, 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   7   9.50
    5   3   2.37  20! 21!
    6   2   2.37
    7   3   3.15
    ");
}

/// Returns a fate in which a MAC on the path drops segment 20, and the next ACK, the ACK of 15, carries the
/// NAK.
fn dropped() -> Fate {
    Fate::Dropped(airhop_base::Span::from_millis(25))
}

// TCP-CL. The NAK arrives first in round 4: 20 is retransmitted before 23 to 28 are sent, and the duplicate
// ACKs caused by 21 and 22 release 29 and 30 (limited transmit). Round 5: the retransmission acknowledges all
// data up to 22, and nine ACKs acknowledge new data: nine steps of growth from 9.50. With three losses the
// NAKs also arrive in time.
#[test]
fn tcp_cl_does_not_reduce_for_a_segment_with_a_nak() {
    insta::assert_snapshot!(rounds("tcp-cl", &clean().with(20, 1, dropped()), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5  10  10.41
    6  11  11.33
    7  12  12.26
    ");
    let three = [20, 22, 24].iter().fold(clean(), |path, &n| path.with(n, 1, dropped()));
    insta::assert_snapshot!(rounds("tcp-cl", &three, 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n 22n
    5   9   9.81  24n
    6  10  10.60
    7  11  11.51
    ");
}

// If the NAK arrives with the third duplicate ACK, or if the retransmission is also dropped, fast recovery
// follows, and leaves the window unreduced. If the retransmission is lost without a NAK, the third duplicate
// ACK arrives at most a round trip after the retransmission, and only the timer repairs the loss.
#[test]
fn tcp_cl_does_not_reduce_for_a_late_nak() {
    let late = Fate::Dropped(airhop_base::Span::from_millis(60));
    insta::assert_snapshot!(rounds("tcp-cl", &clean().with(20, 1, late), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50
    5   9   9.50  20n
    6  10  10.31
    7  11  11.24
    ");
    let repair = |fate| clean().with(20, 1, dropped()).with(20, 2, fate);
    insta::assert_snapshot!(rounds("tcp-cl", &repair(dropped()), 8), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5   9   9.50  20n
    6  10  10.31
    7  11  11.24
    ");
    insta::assert_snapshot!(rounds("tcp-cl", &repair(Fate::Lost), 10), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   9   9.50  20n
    5   8   9.50
    6   9   1.00  20t
    7   4   2.00  21t 22t
    8   4   4.00
    9   5   5.58
    ");
}

// Segment 20 is lost by congestion, and a MAC drops segment 22: the window becomes half of 9.50 for 20,
// without a reduction for 22.
#[test]
fn tcp_cl_reduces_once_for_congestion_beside_a_nak() {
    let path = clean().losing(&[20]).with(22, 1, dropped());
    insta::assert_snapshot!(rounds("tcp-cl", &path, 9), @r"
    0   2   2.00
    1   4   4.00
    2   8   8.00
    3   8   8.95
    4   8   9.50  22n
    5   4   4.75  20!
    6   5   5.16
    7   6   6.07
    8   6   7.00
    ");
}

// The lost packet has left the network, so its retransmission leaves the flight unchanged. Fast recovery of
// ns-2's SACK starts with a pipe of 10 - 3 = 7. Four more duplicate ACKs decrease the pipe to 3, below the
// window of 4, with or without a retransmission caused by a notice in the meantime.
#[test]
fn a_retransmission_on_a_notice_leaves_the_flight_unchanged() {
    for has_notice in [false, true] {
        let mut s = Script::new("hack", common::ns2(8.0, 4.0));
        s.sent();
        let fast = [3, 4, 5].map(|last| s.sack(1, &[(3, last)]));
        assert_eq!(fast, ["9", "10", "1!"]);
        if has_notice {
            assert_eq!(s.eln(2), "2n");
        }
        let further = [6, 7, 8, 9].map(|last| s.sack(1, &[(3, last)]));
        assert_eq!(further, ["", "", "", if has_notice { "11" } else { "2+" }]);
        // An ACK that only reports a loss does not show that a segment left the network.
        assert_eq!(s.marked(1, &[(3, 9)]), "1n");
    }
}

// A sender without ELN support ignores the ELN bit of an ACK.
#[test]
fn a_sender_without_eln_support_ignores_the_eln_bit() {
    for scheme in ["reno", "newreno", "sack", "tcp-cl", "ebsn", "rttn"] {
        assert_eq!(rounds(scheme, &marked(), 10), rounds(scheme, &one(), 10), "{scheme}");
    }
}
