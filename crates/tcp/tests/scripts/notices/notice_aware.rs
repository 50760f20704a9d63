//! Senders with notices (`Config::notices`): the segments sent for given ACKs and notices at given times,
//! with each loss recovery.

use crate::common;
use crate::common::script::{Script, ten_of};
use crate::common::{at, byte, linux, ns2, rfc, segment, sender};
use airhop_base::{Notice, NoticeKind};
use airhop_tcp::{Config, NoticeHandling, SackRecovery};

/// Returns a scheme for each recovery, its configuration, and whether its receiver reports SACK blocks.
fn senders() -> Vec<(&'static str, Config, bool)> {
    let by = |sack_recovery| Config { sack_recovery, ..rfc(10.0, 5.0) };
    vec![
        ("tahoe", rfc(10.0, 5.0), false),
        ("reno", rfc(10.0, 5.0), false),
        ("newreno", rfc(10.0, 5.0), false),
        ("newreno", ns2(10.0, 5.0), false),
        ("vegas", rfc(10.0, 5.0), false),
        ("tcp-cl", rfc(10.0, 5.0), false),
        ("sack", by(SackRecovery::Pipe), true),
        ("sack", by(SackRecovery::Rfc6675), true),
        ("cubic", Config { prr: true, ..by(SackRecovery::Rfc6675) }, true),
        // Connections of ns-2's agents start with a segment of one byte, unless a handshake opens the
        // connection.
        ("veno", Config { handshake: true, ..rfc(10.0, 5.0) }, true),
        ("dcr", rfc(10.0, 5.0), true),
        ("reno", linux(10.0, 5.0), true),
        ("cubic", linux(10.0, 5.0), true),
        ("ll-elsn", rfc(10.0, 5.0), true),
        ("lhp", rfc(10.0, 5.0), true),
    ]
}

/// Returns a sender with segments 2 to 11 outstanding and a window slightly above ten. Ten segments were sent
/// at 0 ms, and the first was acknowledged after 100 ms.
fn ten(scheme: &str, config: Config, notices: NoticeHandling) -> Script {
    ten_of(scheme, Config { notice_reaction: notices, tlp: false, ..config })
}

/// Delivers the duplicate ACK for segment `n` that the arrival of `newest` causes; all segments from `n + 1`
/// to `newest` have arrived.
fn duplicate(s: &mut Script, has_sack: bool, n: u64, newest: u64) -> String {
    if has_sack { s.sack(n, &[(n + 1, newest)]) } else { s.ack(n) }
}

fn duplicates(s: &mut Script, has_sack: bool, n: u64, newest: std::ops::RangeInclusive<u64>) -> String {
    let sent: Vec<String> = newest.map(|newest| duplicate(s, has_sack, n, newest)).collect();
    sent.join(" ")
}

// Yun 2009 §2.1: a notice has an effect only while its segment is outstanding.
#[test]
fn an_eln_about_acknowledged_data_has_no_effect() {
    for (scheme, config, _) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        let (window, due) = (s.window(), s.due());
        assert_eq!([s.at(105).eln(1), s.eln(12), s.eln(13)], ["", "", ""], "{scheme}");
        assert_eq!((s.window(), s.due()), (window, due), "{scheme}");
    }
}

// Yun 2009 §2.1: an immediate retransmission without a window reduction; the timer restarts. Yun 2009 §4.1:
// segments sent before the retransmission do not count as its duplicates, and the ACK clock continues: one
// segment per duplicate ACK, and no burst afterwards.
#[test]
fn an_eln_causes_a_retransmission_and_no_later_reduction() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        let (window, due) = (s.window(), s.due());
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        assert_eq!(s.window(), window);
        assert_eq!(s.due(), due.map(|due| due + 5.0));
        s.at(110);
        let sent = duplicates(&mut s, has_sack, 2, 3..=11);
        assert_eq!(sent, "12 13 14 15 16 17 18 19 20", "{scheme}, {config:?}");
        let after = s.at(205).ack(12);
        assert!(["21", "21 22"].contains(&&*after), "{scheme}: {after}");
        assert!(s.window().0 >= window.0, "{scheme}");
        let c = s.sender.counters();
        assert_eq!((s.cuts(), c.retransmissions, c.timeouts), (0, 1, 0), "{scheme}");
    }
}

// A sender without notice support ignores notices; a sender with notices disabled also ignores them.
#[test]
fn a_sender_that_ignores_notices_recovers_as_without_notices() {
    for (scheme, config, has_sack) in senders() {
        let by_itself = |told: bool, notices| {
            let mut s = ten(scheme, config, notices);
            s.at(105);
            if told {
                assert_eq!([s.eln(2), s.ersn(3)], ["", ""], "{scheme}");
            }
            let sent = duplicates(&mut s, has_sack, 2, 3..=11);
            (sent, s.window(), s.due(), s.at(204).ack(12))
        };
        assert_eq!(
            by_itself(true, NoticeHandling::Ignored),
            by_itself(false, NoticeHandling::Scheme),
            "{scheme}"
        );
    }
}

// If two duplicate ACKs precede the ELN, as with a slow link layer, the sender resets their count to zero.
#[test]
fn duplicate_acks_before_the_eln_do_not_count() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        s.at(106);
        duplicates(&mut s, has_sack, 2, 3..=4);
        assert!(s.eln(2).starts_with("2n"), "{scheme}");
        duplicates(&mut s, has_sack, 2, 5..=11);
        assert_eq!(s.cuts(), 0, "{scheme}");
        if ["newreno", "reno", "sack"].contains(&scheme) && config != linux(10.0, 5.0) {
            duplicates(&mut s, has_sack, 2, 12..=13); // sent before the repair, by limited transmit
            s.at(206);
            duplicate(&mut s, has_sack, 2, 14); // the first duplicate that counts, not the third
            assert_eq!(s.cuts(), 0, "{scheme}");
            continue;
        }
        s.at(205).ack(12);
        let c = s.sender.counters();
        assert_eq!((s.cuts(), c.retransmissions), (0, 1), "{scheme}");
    }
}

// The retransmission of 2 on an ELN is also lost on the air: a second ELN causes a second retransmission. If
// the base station sends the ELN, a second ELN counts as a repetition.
#[test]
fn a_second_eln_causes_a_second_retransmission() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        s.at(110);
        duplicates(&mut s, has_sack, 2, 3..=11);
        assert_eq!(s.at(206).eln(2), "2n", "{scheme}");
        let sent = duplicates(&mut s, has_sack, 2, 12..=20);
        assert_eq!(sent, "21 22 23 24 25 26 27 28 29", "{scheme}");
        s.at(306).ack(21);
        assert_eq!((s.cuts(), s.sender.counters().retransmissions), (0, 2), "{scheme}");
    }
}

// The retransmission of 2 on an ELN is lost by congestion: nine segments sent before it account for nine
// duplicate ACKs, but not for the next three. RACK waits at most a quarter of a round trip; ESACK and LHP
// count in sending order.
#[test]
fn a_lost_retransmission_without_a_notice_is_congestion() {
    for (scheme, config, has_sack) in
        senders().into_iter().filter(|sender| !["dcr", "tcp-cl"].contains(&sender.0))
    {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        s.at(110);
        duplicates(&mut s, has_sack, 2, 3..=11);
        let before = s.at(210).cuts();
        let sent = duplicates(&mut s, has_sack, 2, 12..=14);
        assert!(sent.contains("2!"), "{scheme}: {sent}");
        assert_eq!((before, s.cuts()), (0, 1), "{scheme}");
    }
}

// Segment 2 is lost on the air and 3 by congestion, and the sender distinguishes the two losses: it reduces
// its window once, for 3. Senders without SACK, and senders that detect only losses of the oldest hole,
// detect the loss of 3 after the arrival of 2; the other senders detect it at once.
#[test]
fn a_congestion_loss_above_a_wireless_loss_reduces_once() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        s.at(110);
        for newest in 4..=10 {
            if has_sack {
                s.sack(2, &[(4, newest)])
            } else {
                s.ack(2)
            };
        }
        let is_quick = matches!(scheme, "ll-elsn" | "lhp") || config == linux(10.0, 5.0);
        assert_eq!(s.cuts(), u64::from(is_quick), "{scheme}");
        s.at(205);
        if has_sack {
            s.sack(3, &[(4, 11)])
        } else {
            s.ack(3)
        };
        s.at(210);
        if !is_quick {
            duplicates(&mut s, has_sack, 3, 12..=14);
        }
        if s.cuts() == 0 {
            s.expire(); // TCP-DCR waits for the link layer, Vegas for its timer
        }
        assert_eq!(s.cuts(), 1, "{scheme}");
        let again = s.sender.counters().retransmissions;
        assert!(again == 2 || scheme == "vegas", "{scheme}: {again}");
    }
}

// An ELN during fast recovery: the segment is retransmitted, and neither the window nor the state of recovery
// changes.
#[test]
fn an_eln_in_fast_recovery_does_not_change_the_window() {
    for (scheme, config, has_sack) in senders() {
        let run = |told| {
            let mut s = ten(scheme, config, NoticeHandling::Elsn);
            s.at(110);
            duplicates(&mut s, has_sack, 2, 3..=5);
            let cuts = s.cuts();
            if told {
                assert_eq!(s.eln(7), "7n", "{scheme}");
            }
            (cuts, s.cuts(), s.window())
        };
        assert_eq!(run(true), run(false), "{scheme}");
    }
}

// A notice for a segment that has arrived, was SACKed, or was never sent has no effect.
#[test]
fn notices_for_arrived_or_unsent_segments_are_ignored() {
    for (scheme, config, has_sack) in senders().into_iter().filter(|sender| sender.2) {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        duplicate(&mut s, has_sack, 2, 3);
        let due = s.due();
        for n in [1, 3, 50] {
            assert_eq!([s.eln(n), s.ersn(n)], ["", ""], "{scheme}: {n}");
        }
        assert_eq!(s.due(), due, "{scheme}");
    }
}

// Yun 2009 §3.1: while a link layer retransmits a segment, for at most two timeouts, neither duplicate ACKs
// nor the timer cause its retransmission; new data is sent. Then the ordinary rules apply again.
#[test]
fn an_ersn_suspends_congestion_control() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!([s.at(105).ersn(2), s.ersn(3)], ["", ""], "{scheme}"); // the end of one suspension does not end another
        let rto = s.rto().millis_f64();
        let sent = duplicates(&mut s, has_sack, 2, 3..=11);
        assert_eq!(sent, "12 13 14 15 16 17 18 19 20", "{scheme}, {config:?}");
        assert_eq!((s.cuts(), s.window().0.floor()), (0, 10.0), "{scheme}");
        assert_eq!(s.expire(), (105.0 + rto, String::new()), "{scheme}");
        assert_eq!((s.cuts(), s.sender.counters().timeouts), (0, 0), "{scheme}");
        let (at, sent) = s.expire();
        assert_eq!((at, sent.starts_with("2t")), (105.0 + 2.0 * rto, true), "{scheme}: {sent}");
        assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 1), "{scheme}");
    }
}

// "Expired hold: normal rules return" for duplicate ACKs. An ACK that covers the segment also ends the hold.
#[test]
fn after_a_suspension_duplicate_acks_count_again() {
    for (scheme, config, has_sack) in senders() {
        if ["dcr", "tcp-cl", "ll-elsn", "lhp"].contains(&scheme) {
            continue; // these schemes have their own rules for waiting or counting
        }
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        s.at(105).ersn(2);
        duplicates(&mut s, has_sack, 2, 3..=8);
        assert_eq!(s.cuts(), 0, "{scheme}");
        s.expire();
        let rest = s.rto().millis_f64() as u64;
        s.at(105 + 2 * rest - 1).ersn(11); // this ERSN only restarts the timer
        s.at(105 + 2 * rest + 1);
        let sent = duplicates(&mut s, has_sack, 2, 9..=11);
        assert!(sent.contains("2!"), "{scheme}: {sent}");
        assert_eq!(s.sender.counters().fast_recoveries, 1, "{scheme}");
    }
}

// While a recovery with a scoreboard repairs another loss, it does not retransmit a segment that the link
// layer is retransmitting.
#[test]
fn recovery_does_not_retransmit_a_suspended_segment() {
    for (scheme, config, _) in senders() {
        let is_able = config.loss_detection != rfc(1.0, 1.0).loss_detection
            || scheme == "veno"
            || scheme == "ll-elsn"
            || (scheme == "sack" && config.sack_recovery == SackRecovery::Rfc6675)
            || scheme == "cubic";
        if !is_able {
            continue;
        }
        for held in [true, false] {
            let mut s = ten(scheme, config, NoticeHandling::Elsn);
            if held {
                s.at(105).ersn(4);
            }
            s.at(110).sack(2, &[(3, 3)]);
            let mut sent: Vec<String> = (5..=11).map(|newest| s.sack(2, &[(5, newest), (3, 3)])).collect();
            sent.push(s.at(205).sack(4, &[(5, 11)]));
            assert_eq!(sent.iter().any(|sent| sent.contains("4+")), !held, "{scheme}, {config:?}: {sent:?}");
            assert_eq!(s.cuts(), 1, "{scheme}");
        }
    }
}

// Yun 2009 §4.2 with N = 2: the third consecutive loss is a disconnection. The sender reacts to every second
// ELN, sends no other segment, and changes no parameter; the timer sends probes. The first ACK ends the
// freeze, and segments lost during the freeze are retransmitted without a window reduction.
#[test]
fn a_disconnection_freezes_any_sender() {
    for (scheme, config, _) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        let window = s.window();
        let answers: Vec<String> = (2..=7).map(|n| s.eln(n)).collect();
        assert_eq!(answers, ["2n", "3n", "", "5n", "", "7n"], "{scheme}");
        assert!(s.sender.is_frozen());
        let (_, probe) = s.expire();
        assert_eq!(probe, "2n", "{scheme}");
        assert_eq!((s.window(), s.cuts()), (window, 0), "{scheme}");
        let now = s.due().expect("a timer").floor() as u64 - 1;
        let thawed = s.at(now).ack(4);
        let mut first: Vec<&str> = thawed.split(' ').take(2).collect();
        first.iter_mut().for_each(|sent| *sent = sent.trim_end_matches(['n', '+']));
        assert_eq!(first, ["4", "6"], "{scheme}: {thawed}");
        assert!(s.window().0 >= window.0 && s.cuts() == 0, "{scheme}");
        s.ack(8);
        assert_eq!((s.cuts(), s.sender.is_frozen()), (0, false), "{scheme}");
    }
}

// The base station's ELN is a bit on every duplicate until the segment arrives (Balakrishnan and Katz 1998).
// The bit causes one retransmission and no window reduction, and the ACK clock continues.
#[test]
fn the_base_station_eln_bit_causes_one_retransmission() {
    for (scheme, config, has_sack) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Eln);
        s.at(110);
        let mut sent = Vec::new();
        for newest in 3..=11 {
            sent.push(if has_sack { s.marked(2, &[(3, newest)]) } else { s.marked(2, &[]) });
        }
        let sent = sent.join(" ");
        assert_eq!(sent.matches('n').count(), 1, "{scheme}: {sent}");
        assert!(sent.ends_with("19 20"), "{scheme}: {sent}");
        s.at(210).ack(12);
        assert_eq!((s.cuts(), s.sender.counters().retransmissions), (0, 1), "{scheme}");
    }
}

// RFC 5681 §3.1: after a timeout the window is one segment, even if segments wait for transmission, such as a
// retransmission delayed by pacing.
#[test]
fn a_timeout_clears_pending_retransmissions() {
    for (scheme, config, _) in senders() {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        s.sender.on_notice(at(105), Notice::with_segment(NoticeKind::Eln, byte(5), byte(6)));
        let (_, sent) = s.expire();
        assert_eq!(sent, "2t", "{scheme}, {config:?}");
    }
}

// RFC 5681 §3.1: after a timeout slow start limits transmissions. Segments sent before the timeout release no
// data, unless they show that the timeout was spurious (RFC 5682).
#[test]
fn duplicate_acks_after_a_timeout_release_no_segment() {
    for (scheme, config, has_sack) in senders() {
        let config = Config { frto: false, ..config };
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.expire().1, "2t", "{scheme}");
        assert_eq!(s.eln(2), "2n", "{scheme}");
        let sent = duplicates(&mut s, has_sack, 2, 3..=6);
        assert_eq!(sent.trim(), "", "{scheme}, {config:?}");
    }
}

// RFC 5681 §3.2 step 4: one segment is sent for each segment that has left the network. An ACK without new
// information, or with only a D-SACK (RFC 2883 §4), reports no such segment.
#[test]
fn a_repeated_notice_releases_no_segment() {
    for (scheme, config, _) in senders().into_iter().filter(|sender| sender.2) {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        let sent =
            [s.sack(2, &[(3, 3)]), s.sack(2, &[(3, 3)]), s.sack(2, &[(1, 1), (3, 3)]), s.sack(2, &[(3, 4)])];
        assert_eq!(sent, ["12", "", "", "13"], "{scheme}, {config:?}");
    }
}

// RFC 2018 §5: a segment reported by a SACK block has arrived, even if a notice accounts for the duplicate
// ACK with the block. A notice for that segment has no effect.
#[test]
fn sack_blocks_of_a_notified_duplicate_ack_are_recorded() {
    for (scheme, config, has_sack) in senders().into_iter().filter(|sender| sender.2) {
        let mut s = ten(scheme, config, NoticeHandling::Elsn);
        assert_eq!(s.at(105).eln(2), "2n", "{scheme}");
        duplicates(&mut s, has_sack, 2, 3..=8);
        assert_eq!([s.eln(5), s.eln(9)], ["", "9n"], "{scheme}");
    }
}

// RFC 4015 §4: the undo of a reduction ends recovery, and a notice accounts for duplicates as before.
#[test]
fn an_undo_ends_recovery() {
    let config = Config { undo: true, sack_recovery: SackRecovery::Rfc6675, ..rfc(10.0, 5.0) };
    let mut s = ten("sack", config, NoticeHandling::Elsn);
    assert!(duplicates(s.at(110), true, 2, 3..=5).contains("2!"));
    s.at(120).ack(6); // 2 was only late, as the D-SACK shows
    s.at(200).dsack(6, 2);
    assert_eq!((s.cuts(), s.sender.counters().undone_reductions), (1, 1));
    assert_eq!(s.at(205).eln(6), "6n");
    duplicates(&mut s, true, 6, 7..=11);
    assert_eq!(s.cuts(), 1);
}

// Brakmo and Peterson 1995, §3.1: the first ACK after a retransmission shows that the next segment is also
// overdue, unless a link layer is retransmitting it. In ns-2.35 this segment is retransmitted without another
// start of recovery.
#[test]
fn a_segment_under_link_retry_is_not_overdue() {
    for (config, repair, recoveries) in [(rfc(10.0, 5.0), "3!", 2), (ns2(10.0, 5.0), "3+", 1)] {
        for held in [false, true] {
            let mut s = ten("vegas", config, NoticeHandling::Elsn);
            if held {
                s.at(105).ersn(3);
            }
            assert!(s.at(165).ack(2).starts_with("2!")); // after (100 + 2 · 25) · 17/16 ms
            assert_eq!(s.at(185).ack(3).contains(repair), !held); // and one eighth later
            assert_eq!(s.sender.counters().fast_recoveries, if held { 1 } else { recoveries });
        }
    }
}

// RFC 8985 §7.2: no probe is sent while segments are SACKed; a suspension by the link layer does not change
// this.
#[test]
fn no_tail_loss_probe_is_sent_during_a_suspension() {
    let mut s = Script::new("reno", Config { notice_reaction: NoticeHandling::Elsn, ..linux(10.0, 5.0) });
    s.sent();
    s.at(100).ack(2);
    s.at(105).ersn(2);
    let rto = s.rto().millis_f64();
    duplicates(&mut s, true, 2, 3..=11);
    assert_eq!(s.expire(), (105.0 + rto, String::new()));
}

// eln-cubic is CUBIC with notices: it sends the same segments as CUBIC with the key `notices`, and has its own
// parameter N.
#[test]
fn eln_cubic_sends_as_cubic_with_notices() {
    let told = Config { notice_reaction: NoticeHandling::Elsn, ..linux(10.0, 5.0) };
    let run = |mut s: Script| {
        let mut sent = vec![s.sent(), s.at(100).ack(2), s.at(105).eln(2)];
        sent.extend((3..=11).map(|newest| s.at(110).sack(2, &[(3, newest)])));
        sent.push(s.at(205).ack(12));
        (sent, s.window(), s.cuts())
    };
    assert_eq!(run(Script::new("eln-cubic", linux(10.0, 5.0))), run(Script::new("cubic", told)));
    for (n, third) in [(2.0, ""), (3.0, "4n")] {
        let config = linux(10.0, 5.0);
        let mut s = Script::by(common::sender("eln-cubic", &[("n", n)], &config), &config, 1 << 20);
        s.sent();
        assert_eq!([s.eln(2), s.eln(3), s.eln(4)], ["2n", "3n", third]);
    }
}

// Writes of the application may have any length, and so may segments. With a scoreboard, a segment named by a
// notice is retransmitted with its own boundaries; further bytes of the next segment would be in flight
// without being counted.
#[test]
fn a_short_segment_is_retransmitted_with_its_own_boundaries() {
    for (scheme, config, _) in senders().into_iter().filter(|&(_, _, has_sack)| has_sack) {
        let config = Config { notice_reaction: NoticeHandling::Elsn, ..config };
        let mut s = Script::by(sender(scheme, &[], &config), &config, 600);
        assert_eq!(s.opening(), "1");
        s.sender.supply_data(5000);
        assert_eq!(s.sent(), "1 2 3 4 5", "{scheme}"); // from byte 601 on
        s.sender.on_notice(at(5), Notice::with_segment(NoticeKind::Eln, 1, 601));
        let again = s.sender.poll_transmit(at(5)).expect("an answer");
        assert_eq!((segment(&again).seq, segment(&again).len), (1, 600), "{scheme}");
    }
}
