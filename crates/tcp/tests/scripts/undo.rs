//! Spurious window reductions, compared with the text of the RFCs: the windows after given ACKs at given
//! times.

use crate::common::script::{Script, ten, ten_of};
use crate::common::{linux, rfc};
use airhop_tcp::{Config, SackRecovery};

// RFC 3522 §3.2 step 5: the ACK of the retransmission echoes an older timestamp, so the original arrived. RFC
// 4015 §4: the window is restored.
#[test]
fn eifel_undoes_a_spurious_reduction() {
    for (echo, undone, cwnd) in [(0, 1, 10.0 + 1.0 / 10.0), (110, 0, 5.0), (115, 0, 5.0)] {
        let mut s = ten(Config { timestamps: true, ..linux(10.0, 5.0) });
        assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12"); // CEIL(3 · 5 / 10)
        assert_eq!(s.window(), (5.0, 5.0));
        s.at(120).echo(6, echo);
        assert_eq!((s.sender.counters().undone_reductions, s.window().0), (undone, cwnd));
    }
}

// RFC 3522 §3.2 step 1: "pipe_prev" is stored at the first reduction. A spurious timeout during recovery
// therefore restores the window before the recovery, and counts the recovery's first retransmission.
#[test]
fn eifel_undoes_two_spurious_reductions() {
    let mut s = ten(Config { timestamps: true, ..linux(10.0, 5.0) });
    assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12");
    while s.sender.counters().timeouts == 0 {
        s.expire();
    }
    assert_eq!(s.window().0, 1.0);
    s.echo(13, 0);
    assert_eq!(s.sender.counters().undone_reductions, 1);
    assert!(s.window().0 >= 10.1, "{:?}", s.window());
}

// RFC 4015 §4 restores the window of a recovery that can be undone. NewReno's recovery has no scoreboard and
// cannot be undone.
#[test]
fn a_newreno_recovery_is_not_undone() {
    let mut s = Script::new("newreno", Config { undo: true, timestamps: true, ..rfc(8.0, 4.0) });
    s.sent();
    assert!(s.at(100).acks(1, 3).contains("1!"));
    s.at(110).echo(2, 0);
    assert_eq!((s.sender.counters().undone_reductions, s.cuts()), (0, 1));
}

// RFC 3708 §2, RFC 8985: if D-SACKs have named every retransmission, no segment was lost.
#[test]
fn d_sack_undoes_a_spurious_reduction() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12");
    assert_eq!(s.at(120).ack(6), "");
    assert_eq!(s.window().0, 5.0);
    assert_eq!(s.at(200).dsack(6, 2), "13 14 15");
    // Linux, tcp_current_ssthresh(): three quarters of the window, restored as an integer number of segments.
    assert_eq!((s.window(), s.sender.counters().undone_reductions), ((10.0, 7.0), 1));
    // A second report has no effect.
    s.dsack(6, 2);
    assert_eq!(s.sender.counters().undone_reductions, 1);
}

// RFC 4015 §4: "pipe_prev" is stored at the last reduction: the undo of a spurious reduction does not undo an
// earlier reduction.
#[test]
fn only_the_last_reduction_is_undone() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12");
    s.at(210).ack(13); // the retransmission was necessary
    s.at(310).ack(15);
    let before = s.window();
    assert!(6.0 <= before.0 && before.0 < 7.0, "{before:?}");
    assert!(s.at(410).sack(15, &[(16, 18)]).starts_with("15!"));
    assert!(s.window().0 < before.0);
    s.at(420).ack(19);
    s.at(510).dsack(19, 15);
    assert_eq!((s.sender.counters().undone_reductions, s.window()), (1, (6.0, 5.0)));
}

// One ACK shows a spurious reduction and a new loss: the sender undoes the reduction before it reduces the
// window for the loss.
#[test]
fn an_undo_precedes_a_new_reduction() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12");
    assert_eq!(s.at(120).ack(6), "");
    assert!(s.at(200).sack(6, &[(2, 2), (7, 9)]).starts_with("6!"));
    assert_eq!((s.window(), s.cuts(), s.sender.counters().undone_reductions), ((5.0, 5.0), 2, 1));
}

// RFC 3708 §2: a D-SACK of a segment first sent after the reduction does not refer to a retransmission: the
// network has duplicated the segment.
#[test]
fn a_d_sack_of_newer_data_undoes_no_reduction() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 5)]), "2! 12");
    s.at(210).ack(13);
    s.dsack(13, 12);
    assert_eq!(s.sender.counters().undone_reductions, 0);
    s.dsack(13, 2);
    assert_eq!(s.sender.counters().undone_reductions, 1);
}

// RFC 6675's recovery is also undone: the next loss starts a new recovery.
#[test]
fn an_rfc6675_recovery_can_be_undone() {
    let config = Config { undo: true, sack_recovery: SackRecovery::Rfc6675, ..rfc(10.0, 5.0) };
    let mut s = ten_of("sack", config);
    s.at(110);
    (3..=5).for_each(|last| drop(s.sack(2, &[(3, last)])));
    s.at(120).ack(6); // 2 was only late
    s.at(200).dsack(6, 2);
    assert_eq!((s.cuts(), s.sender.counters().undone_reductions), (1, 1));
    let sent: Vec<String> = (7..=9).map(|last| s.sack(6, &[(7, last)])).collect();
    assert!(sent[2].contains("6!"), "{sent:?}");
    assert_eq!(s.cuts(), 2);
}
