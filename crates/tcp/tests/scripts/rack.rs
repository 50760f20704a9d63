//! Loss recovery of RACK, PRR, TLP and F-RTO compared with the text of the RFCs: the segments sent for given
//! ACKs at given times.

use crate::common::script::{Script, ten};
use crate::common::{at, linux, rfc};
use airhop_tcp::{Config, HalveFrom, NoticeHandling, Preset, RtoConfig, RtoKind, SackRecovery, WindowGrowth};

// RFC 8985 §6.2 step 4: the sender does not wait once DupThresh segments are SACKed. RFC 9937 §6.2: while the
// flight exceeds ssthresh, the ratio of sent to delivered segments is the ratio of ssthresh to the flight, 5
// to 10. Segment 2 is lost.
#[test]
fn rack_retransmits_at_dupthresh_and_prr_halves_the_flight() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 3)]), "12");
    assert_eq!(s.sack(2, &[(3, 4)]), "13");
    assert_eq!(s.sack(2, &[(3, 5)]), "2!");
    assert_eq!(s.window(), (5.0, 5.0)); // half of 10.1 in whole segments
    let sent: Vec<String> = (6..=10).map(|last| s.sack(2, &[(3, last)])).collect();
    assert_eq!(sent, ["", "14", "", "15", ""]); // CEIL(delivered · 5 / 10) - out
    s.at(205);
    let sent: Vec<String> = (11..=13).map(|last| s.sack(2, &[(3, last)])).collect();
    assert_eq!(sent, ["", "16", "17"]); // 5 in flight: one segment sent per segment delivered
    assert_eq!(s.sender.in_flight(), 5000);
    assert_eq!(s.at(215).ack(14), "18"); // all data outstanding at the loss: cwnd = ssthresh
    // Linux, tcp_cong_control(): the ACK that ends the recovery increases the window by the segment that it
    // delivers.
    assert_eq!((s.window(), s.cuts()), ((5.2, 5.0), 1));
    assert_eq!(s.sender.counters().retransmissions, 1);
}

// Recovery with and without limited transmit (RFC 3042). Without limited transmit, delivered segments release
// no new data before the recovery.
#[test]
fn without_limited_transmit_rack_sends_no_data_before_recovery() {
    let mut s = ten(Config { limited_transmit: false, ..linux(10.0, 5.0) });
    assert_eq!([s.at(110).sack(2, &[(3, 3)]), s.sack(2, &[(3, 4)])], ["", ""]);
    assert_eq!(s.sack(2, &[(3, 5)]), "2!");
}

// RFC 9937 §6.2, PRR-SSRB: if losses reduce the flight below ssthresh, each ACK that acknowledges data and
// shows no further loss releases one segment more than it delivers. Each other ACK releases as many segments
// as it delivers. Segments 2 to 8 are lost.
#[test]
fn prr_ssrb_sends_one_segment_more_per_safe_ack() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(9, 9)]), "12");
    assert_eq!(s.sack(2, &[(9, 10)]), "13");
    assert_eq!(s.expire(), (137.0, "2!".into())); // 7 of 10 are lost, 11 to 13 in flight
    s.at(210);
    assert_eq!(s.sack(2, &[(9, 11)]), "3+"); // one segment per segment delivered
    assert_eq!(s.sack(2, &[(9, 12)]), "4+");
    assert_eq!(s.sack(2, &[(9, 13)]), "5+");
    assert_eq!(s.at(237).sack(3, &[(9, 13)]), "6+ 7+"); // a "safe ACK": two segments per segment delivered
    assert_eq!(s.sender.in_flight(), 5000);
    s.at(310);
    assert_eq!(s.sack(4, &[(9, 13)]), "8+");
    assert_eq!(s.sack(5, &[(9, 13)]), "14");
    assert_eq!((s.sender.in_flight(), s.cuts()), (5000, 1));
}

// RFC 9937 with RFC 6675's recovery: without PRR the sender sends no segment until the flight has halved;
// with PRR it sends at every second ACK.
#[test]
fn prr_with_rfc6675_sends_at_every_second_ack() {
    for (prr, sent) in [(false, ["", "", "", "", "13", "14"]), (true, ["", "13", "", "14", "", ""])] {
        let mut s =
            Script::new("sack", Config { prr, sack_recovery: SackRecovery::Rfc6675, ..rfc(10.0, 5.0) });
        s.sent();
        s.at(100);
        assert_eq!([s.sack(1, &[(2, 2)]), s.sack(1, &[(2, 3)])], ["11", "12"]);
        assert_eq!(s.sack(1, &[(2, 4)]), "1!");
        let answers: Vec<String> = (5..=10).map(|last| s.sack(1, &[(2, last)])).collect();
        assert_eq!(answers, sent, "{prr}");
    }
    // DeliveredData of a partial ACK excludes SACKed segments: one segment of five. The numbers of sent
    // segments are CEIL(delivered · 10 / 20) - out, for 1 to 5 delivered segments.
    let config = Config { prr: true, sack_recovery: SackRecovery::Rfc6675, ..rfc(20.0, 10.0) };
    let mut s = Script::new("sack", config);
    s.sent();
    s.at(100);
    assert_eq!([s.sack(1, &[(2, 2)]), s.sack(1, &[(2, 3)])], ["21", "22"]);
    let answers = [s.sack(1, &[(2, 4)]), s.sack(1, &[(2, 5)]), s.sack(1, &[(7, 7), (2, 5)])];
    assert_eq!(answers, ["1!", "", "23"]);
    assert_eq!([s.at(150).sack(6, &[(7, 7)]), s.sack(6, &[(7, 8)])], ["", "24"]);
}

// RFC 6675 §5 (C): "cwnd - pipe >= 1 SMSS": half of a window of 10.1 permits five segments in flight, and not
// a part of a sixth segment.
#[test]
fn rfc6675_sends_no_segment_into_a_fraction_of_the_window() {
    let mut s = ten(Config { prr: false, halve_from: HalveFrom::Cwnd, ..linux(10.0, 5.0) });
    s.at(110);
    (3..=5).for_each(|last| drop(s.sack(2, &[(3, last)])));
    assert!((s.window().0 - 5.05).abs() < 1e-9);
    let flights: Vec<u64> = (6..=13)
        .map(|last| {
            s.at(110 + 10 * last).sack(2, &[(3, last.min(11))]);
            s.sender.in_flight()
        })
        .collect();
    assert_eq!(flights.iter().min(), Some(&5000), "{flights:?}");
}

// RFC 9937 §6.2, PRR-SSRB, with RFC 6675's recovery: segments 1 to 7 are lost, and the flight is below
// ssthresh.
#[test]
fn prr_ssrb_with_rfc6675_grows_the_flight_to_ssthresh() {
    let config = Config { prr: true, sack_recovery: SackRecovery::Rfc6675, ..rfc(10.0, 5.0) };
    let mut s = Script::new("sack", config);
    s.sent();
    s.at(100);
    assert_eq!([s.sack(1, &[(8, 8)]), s.sack(1, &[(8, 9)]), s.sack(1, &[(8, 10)])], ["11", "12", "1!"]);
    assert_eq!([s.sack(1, &[(8, 11)]), s.sack(1, &[(8, 12)])], ["2+", "3+"]); // one segment per segment delivered
    assert_eq!(s.at(200).sack(2, &[(8, 12)]), "4+ 5+"); // a "safe ACK": two segments per segment delivered
}

// RFC 8985 §6.2 step 5: a segment is lost if a segment sent later has arrived, and if a round trip plus the
// reordering window has passed since its transmission. The reordering window is a quarter of the minimum
// round trip. A timer detects this loss, in Linux 2 ms later (tcp_rack_mark_lost(), TCP_TIMEOUT_MIN_US).
#[test]
fn rack_waits_for_reordered_segments() {
    let mut s = ten(linux(10.0, 5.0));
    assert_eq!(s.at(110).sack(2, &[(3, 3)]), "12");
    assert_eq!(s.due(), Some(137.0)); // 0 + 110 + 100 / 4 + 2
    assert_eq!(s.expire(), (137.0, "2!".into()));
    assert_eq!(s.cuts(), 1);
    let mut s = ten(Config { stack: Preset::Rfc, ..linux(10.0, 5.0) });
    s.at(110).sack(2, &[(3, 3)]);
    assert_eq!(s.expire(), (135.0, "2!".into()));

    let mut s = ten(linux(10.0, 5.0));
    s.at(110).sack(2, &[(3, 3)]);
    assert_eq!(s.at(120).ack(4), "13"); // segment 2 was only late
    assert_eq!((s.cuts(), s.window().0), (0, 10.2));
    // Step 4: after reordering has been observed, DupThresh segments above a hole no longer shorten the wait.
    assert_eq!(s.at(121).sack(4, &[(5, 7)]), "14 15 16");
    assert_eq!(s.expire(), (148.0, "4!".into()));
}

// RFC 8985 §6.2 step 4: each round with a D-SACK increases the reordering window by a quarter of the minimum
// RTT; sixteen recoveries without a D-SACK reset it. Linux ignores D-SACKs before the late arrival of an
// original segment was detected (tcp_dsack_seen()): here a retransmission was late.
#[test]
fn d_sacks_widen_the_rack_reordering_window() {
    // Linux, tcp_cong_control(): the ACK that ends the recovery also increases the window of 5 segments, for
    // 9 - 1 delivered segments.
    for (stack, due, next) in [(Preset::Rfc, 365.0, "18"), (Preset::Linux, 342.0, "19")] {
        let mut s = ten(Config { stack, undo: false, tlp: false, ..linux(10.0, 5.0) });
        s.at(110).sack(2, &[(3, 3)]);
        assert_eq!(s.expire().1, "2!");
        assert_eq!(s.at(140).ack(4), ""); // 2 was only late
        assert!(s.at(215).ack(13).starts_with("13 14 15 16 17"));
        assert_eq!(s.at(240).dsack(13, 2), "");
        assert_eq!(s.dsack(13, 2), ""); // the same round
        assert!(s.at(315).sack(13, &[(14, 14)]).starts_with(next));
        assert_eq!(s.due(), Some(due), "{stack:?}"); // 215 + 100 + 2 · 25, or 25 + 2
    }
}

// RFC 8985 §1 and §6.2: a lost retransmission is detected when a segment sent after it has arrived. The loss
// causes no second reduction here, as in Linux.
#[test]
fn rack_detects_a_lost_retransmission() {
    let mut s = ten(linux(10.0, 5.0));
    s.at(110).sack(2, &[(3, 3)]);
    assert_eq!(s.sack(2, &[(3, 5)]), "2!");
    assert_eq!(s.at(115).sack(2, &[(3, 7)]), "13"); // sent after 2!
    assert_eq!(s.at(205).sack(2, &[(3, 12)]), "14 15 16");
    assert_eq!(s.at(216).sack(2, &[(3, 13)]), "2+ 17"); // 110 + the 101 ms of 13
    assert_eq!((s.cuts(), s.sender.counters().retransmissions), (1, 2));
}

// Linux, tcp_xmit_retransmit_queue(): the retransmission of the oldest segment restarts the timer, here 106
// ms after the start of the recovery; retransmissions of other segments do not. RFC 6298 §5 has no such rule.
#[test]
fn linux_restarts_the_rto_at_a_retransmission_of_the_head() {
    for (kind, again) in [(RtoKind::Linux, 216), (RtoKind::Rfc6298, 110)] {
        let config = linux(10.0, 5.0);
        let mut s = ten(Config { rto: RtoConfig { kind, ..config.rto }, ..config });
        let expires =
            |s: &Script, from: u64| assert_eq!(s.sender.rto_expiry(), Some(at(from) + s.rto()), "{kind:?}");
        s.at(110).sack(2, &[(3, 3)]);
        assert_eq!(s.sack(2, &[(3, 5)]), "2!");
        assert_eq!(s.at(115).sack(2, &[(3, 7)]), "13");
        assert_eq!(s.at(205).sack(2, &[(3, 9), (11, 12)]), "10+ 14 15");
        expires(&s, 110);
        assert_eq!(s.at(216).sack(2, &[(3, 9), (11, 13)]), "2+ 16");
        expires(&s, again);
    }
}

/// Returns a sender with `segments` segments in total. Four segments are sent at 0 ms, and two of them
/// acknowledged at 100 ms, which releases two more; the window is 4.5.
fn four(config: Config, segments: u64) -> Script {
    let mut s = Script::of("reno", Config { initial_window: 4.0, initial_ssthresh: 2.0, ..config }, segments);
    assert_eq!(s.sent(), "1 2 3 4");
    assert_eq!(s.at(100).ack(3), "5 6");
    assert_eq!(s.window(), (4.5, 2.0));
    s
}

// RFC 8985 §7.2 and §7.3: after two round trips without an ACK, plus 2 ms (Linux), new data is sent
// regardless of cwnd. There is only one probe, and it restarts the retransmission timer.
#[test]
fn a_tail_loss_probe_sends_new_data_after_two_round_trips() {
    let mut s = four(Config { notice_reaction: NoticeHandling::Elsn, ..linux(4.0, 2.0) }, 100);
    assert_eq!(
        (s.due(), s.expire()),
        (Some(302.0), (302.0, "7p".into())),
        "also one that notices are told to"
    );
    let mut s = four(linux(4.0, 2.0), 100);
    assert_eq!(s.due(), Some(302.0));
    assert_eq!(s.expire(), (302.0, "7p".into()));
    assert_eq!(s.due(), Some(602.0)); // RTO 100 + 200
    assert_eq!(s.at(400).ack(8), "8 9 10 11 12");
    assert_eq!((s.cuts(), s.sender.counters().retransmissions), (0, 0)); // §7.4: it was new data

    let mut s = four(linux(4.0, 2.0), 100);
    s.expire();
    assert_eq!(s.expire(), (602.0, "3t".into())); // no second probe
    assert_eq!(s.sender.counters().timeouts, 1);

    let mut s = four(linux(4.0, 2.0), 100);
    s.expire();
    assert_eq!(s.at(310).ack(4), "");
    assert_eq!(s.expire(), (564.5, String::new())); // 310 + 2 · (100 + 210 / 8) + 2; the first probe is still out
    assert_eq!(s.expire(), (796.25, "4t".into())); // 310 + 126.25 + (200 + 210 - 200 / 4)
}

// RFC 8985 §7.3: the next probe waits for the ACK of the previous probe.
#[test]
fn the_ack_of_a_probe_permits_the_next_probe() {
    let mut s = four(linux(4.0, 2.0), 100);
    assert_eq!(s.expire(), (302.0, "7p".into()));
    assert_eq!(s.at(400).ack(8), "8 9 10 11 12");
    assert_eq!(s.expire().1, "13p");
}

// RFC 8985 §7.4: one ACK shows that the probe has repaired a loss, and that another segment is lost, which
// starts recovery: the window is reduced once for both losses.
#[test]
fn a_probe_repair_and_a_further_loss_reduce_once() {
    let mut s = four(linux(4.0, 2.0), 6);
    s.at(110).ack(5);
    s.at(200).ack(6);
    assert_eq!(s.expire(), (501.09375, "6p".into())); // samples of 100, 110 and 100 ms, and 200
    s.at(510).sender.supply_data(100_000);
    assert_eq!(s.sent(), "7 8 9 10");
    s.at(600).ack(7);
    assert!(s.at(610).sack(8, &[(9, 11)]).starts_with("8!"));
    assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (1, 1));
}

// RFC 8985 §7.3: without new data the last segment is retransmitted; from its SACK, RACK detects the losses
// before it.
#[test]
fn a_tail_loss_probe_lets_rack_repair_a_lost_tail() {
    let mut s = four(linux(4.0, 2.0), 6);
    assert_eq!(s.at(110).ack(5), "");
    assert_eq!(s.expire(), (314.5, "6p".into())); // 2 · (100 + 10 / 8) + 2
    assert_eq!(s.at(415).sack(5, &[(6, 6)]), "5!");
    assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 0));
    assert_eq!(s.at(510).ack(7), "");
    assert_eq!(s.due(), None);
}

// RFC 8985 §7.2: the probe timeout is 200 ms longer for a lone segment, whose ACK may be delayed, but at most
// the retransmission timeout. §7.4.2: if the probe itself repaired the loss, the window is reduced when the
// ACK of later data shows that no D-SACK followed the probe.
#[test]
fn a_probe_of_a_lone_segment_waits_for_the_delayed_ack() {
    for (answers, cuts) in
        [(&[(7, 0)][..], 1), (&[(7, 6)], 0), (&[(7, 0), (7, 6)], 0), (&[(7, 0), (7, 0)], 0)]
    {
        let mut s = four(linux(4.0, 2.0), 6);
        s.at(110).ack(5);
        s.at(200).ack(6);
        assert_eq!(s.due(), Some(501.09375)); // 200 + srtt + 200, not 200 + 2 · srtt + 200
        assert_eq!(s.expire(), (501.09375, "6p".into()));
        assert_eq!(s.sender.counters().timeouts, 0);
        s.at(600);
        for &(n, again) in answers {
            if again > 0 {
                s.dsack(n, again)
            } else {
                s.ack(n)
            };
        }
        assert_eq!((s.cuts(), s.due()), (0, None), "{answers:?}");
        s.at(610).sender.supply_data(2000);
        assert_eq!(s.sent(), "7 8");
        s.at(710).ack(9);
        assert_eq!((s.cuts(), s.due(), s.sender.counters().fast_recoveries), (cuts, None, 0), "{answers:?}");
        // A reduction without a retransmission cannot be detected as spurious.
        s.sender.supply_data(1000);
        s.sent();
        s.at(810).ack(10);
        assert_eq!(s.sender.counters().undone_reductions, 0, "{answers:?}");
    }
}

/// Returns a sender whose four outstanding segments, 3 to 6, are delayed: the timer expires at 400 ms.
fn late(stack: Preset, segments: u64) -> Script {
    let mut s = four(Config { stack, tlp: false, undo: false, ..linux(4.0, 2.0) }, segments);
    assert_eq!(s.expire(), (400.0, "3t".into()));
    assert_eq!(s.window(), (1.0, 2.0));
    s
}

// RFC 5682 §3.1. Step 2b: the first new ACK releases two new segments. Step 3b: if the next ACK covers data
// sent once, the timeout was spurious. RFC 4015 §4: the window is restored.
#[test]
fn frto_detects_a_spurious_timeout() {
    let mut s = late(Preset::Rfc, 100);
    assert_eq!(s.at(450).sack(3, &[(4, 4)]), ""); // stay in step 2
    assert_eq!(s.at(500).sack(4 + 1, &[]), "7 8");
    assert_eq!(s.at(510).ack(6), "9");
    assert_eq!(s.window(), (4.5, 2.0));
    let c = *s.sender.counters();
    assert_eq!((c.timeouts, c.undone_reductions, c.retransmissions), (1, 1, 1));
    // A SACK block of data sent once also proves the timeout spurious.
    let mut s = late(Preset::Rfc, 100);
    assert_eq!(s.at(500).ack(5), "7 8");
    s.at(510).sack(5, &[(6, 6)]);
    assert_eq!((s.window(), s.sender.counters().undone_reductions), ((4.5, 2.0), 1));
}

// Linux, tcp_process_loss(): the arrival of any data sent once shows at once that the timeout was spurious.
// tcp_current_ssthresh(): the window becomes three quarters of its size.
#[test]
fn linux_frto_needs_no_new_data() {
    let mut s = late(Preset::Linux, 100);
    assert_eq!(s.at(450).sack(3, &[(4, 4)]), "7");
    assert_eq!((s.window(), s.sender.counters().undone_reductions), ((4.0, 3.0), 1));
    // The ACK of all segments also ends the recovery, and increases the window by these four segments.
    let mut s = late(Preset::Linux, 6);
    assert_eq!(s.at(450).ack(7), "");
    assert_eq!((s.window(), s.sender.counters().undone_reductions), ((5.0, 3.0), 1));
}

// RFC 5682 §3.1 step 3a: new data arrives while a hole remains. The timeout was therefore genuine, and the
// other segments are retransmitted.
#[test]
fn frto_confirms_a_genuine_timeout() {
    let mut s = late(Preset::Linux, 100);
    assert_eq!(s.at(500).ack(4), "7 8");
    assert_eq!(s.at(600).sack(4, &[(7, 7)]), "4t");
    assert_eq!(s.sack(4, &[(7, 8)]), "5t");
    assert_eq!(s.sender.counters().undone_reductions, 0);
}

// RFC 5682 §3.1 step 3b requires "data that was not retransmitted": the arrival of data retransmitted by a
// probe is no evidence.
#[test]
fn frto_ignores_the_arrival_of_retransmitted_data() {
    let mut s = four(linux(4.0, 2.0), 6);
    assert_eq!(s.expire(), (302.0, "6p".into()));
    assert_eq!(s.expire(), (602.0, "3t".into()));
    s.sender.supply_data(100_000);
    assert_eq!(s.at(700).ack(4), "7 8");
    s.at(710).sack(4, &[(6, 6)]);
    assert_eq!(s.sender.counters().undone_reductions, 0);
    assert_eq!(s.at(800).sack(4, &[(6, 7)]), "4t"); // step 3a
}

// RFC 5682 §3.1 step 2b: without new data, conventional recovery continues. Step 1: the same holds if the timer
// expires again before all data outstanding at the first expiry is acknowledged. Linux, tcp_enter_loss(), makes
// an exception if the timer expires again for the same segment.
#[test]
fn without_new_data_frto_does_not_apply() {
    for (stack, repeated) in [(Preset::Rfc, "4t 5t"), (Preset::Linux, "7 8")] {
        let mut s = late(stack, 6);
        assert_eq!(s.at(500).ack(4), "4t 5t");

        let mut s = late(stack, 100);
        assert_eq!(s.expire(), (1000.0, "3t".into()));
        assert_eq!(s.at(1100).ack(4), repeated, "{stack:?}");
    }
}

// RFC 8985 §6.3: a timeout does not mark segments lost that were sent less than a round trip ago. The window
// is one segment (RFC 5681 §3.1); in Linux, tcp_enter_loss(), the window is the number of these segments plus
// one.
#[test]
fn a_timeout_spares_recently_sent_segments() {
    for (stack, first, second) in [(Preset::Rfc, "3t", "4t"), (Preset::Linux, "3t 4t", "")] {
        let config = Config { stack, tlp: false, frto: false, ..linux(8.0, 4.0) };
        let mut s = Script::of("reno", config, 4);
        assert_eq!(s.sent(), "1 2 3 4");
        assert_eq!(s.at(100).ack(2), "");
        s.at(380).sender.supply_data(1000);
        assert_eq!(s.sent(), "5");
        assert_eq!(s.expire(), (400.0, "2t".into()));
        assert_eq!(s.at(470).ack(3), first); // cwnd 2 or 3, and 5 is in flight
        assert_eq!(s.at(480).sack(3, &[(5, 5)]), second);
    }
}

// Linux: a timeout in fast recovery leaves ssthresh unchanged.
#[test]
fn a_timeout_in_fast_recovery_keeps_ssthresh() {
    let mut s = ten(Config { frto: false, ..linux(10.0, 5.0) });
    s.at(110).sack(2, &[(3, 3)]);
    assert_eq!(s.sack(2, &[(3, 5)]), "2!");
    assert_eq!(s.window(), (5.0, 5.0));
    let (_, sent) = s.expire();
    assert_eq!((sent, s.window()), ("2t".into(), (1.0, 5.0)));
}

// In Linux' CUBIC, too, a timeout in fast recovery leaves ssthresh unchanged. CUBIC reduces 10 to 7; a second
// reduction would leave 4. When the window reaches ssthresh again, W_max is not set.
#[test]
fn a_timeout_in_fast_recovery_keeps_the_ssthresh_of_cubic() {
    let mut s = Script::of("cubic", Config { frto: false, ..linux(10.0, 5.0) }, 100);
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
    assert_eq!(s.at(100).ack(2), "11");
    s.at(110).sack(2, &[(3, 3)]);
    assert_eq!(s.sack(2, &[(3, 5)]), "2!");
    assert_eq!(s.window(), (7.0, 7.0));
    let (_, sent) = s.expire();
    assert_eq!((sent, s.window()), ("2t".into(), (1.0, 7.0)));
    s.at(500).ack(12);
    assert_eq!(s.window(), (7.0, 7.0));
}

// tcp_enter_loss(): ssthresh is half of the whole window, except at a repeated timeout of the same segment. A
// sender that supports notices and receives none behaves in the same way.
#[test]
fn a_timeout_halves_the_whole_window_once_per_segment() {
    for notices in [NoticeHandling::Scheme, NoticeHandling::Elsn] {
        let mut s = Script::new(
            "reno",
            Config { notice_reaction: notices, tlp: false, frto: false, ..linux(11.0, 4.0) },
        );
        s.sent();
        for ssthresh in [5.0, 5.0] {
            s.expire();
            assert_eq!(s.window(), (1.0, ssthresh), "{notices:?}");
        }
        assert_eq!(s.sender.counters().timeouts, 2);
    }
}

// Linux: the timeout is at most TCP_RTO_MAX, 120 s.
#[test]
fn the_linux_rto_backs_off_to_two_minutes() {
    let mut s = Script::new("reno", Config { tlp: false, ..linux(2.0, 2.0) });
    s.sent();
    let times: Vec<f64> = (0..9).map(|_| s.expire().0 / 1e3).collect();
    assert_eq!(times, [1.0, 3.0, 7.0, 15.0, 31.0, 63.0, 127.0, 247.0, 367.0]);
}

// RFC 3465 §2.2: in slow start the window grows by the delivered data; the remainder above ssthresh counts
// for congestion avoidance (§2.1). This rule applies to each recovery with SACK, and to a recovery with
// notices.
#[test]
fn slow_start_grows_by_the_delivered_data() {
    let told = NoticeHandling::Elsn;
    for (scheme, config) in [
        ("reno", linux(4.0, 5.0)),
        ("reno", Config { notice_reaction: told, ..linux(4.0, 5.0) }),
        ("sack", Config { growth: WindowGrowth::PerByte, ..rfc(4.0, 5.0) }),
        ("sack", Config { growth: WindowGrowth::PerByte, notice_reaction: told, ..rfc(4.0, 5.0) }),
    ] {
        let mut s = Script::new(scheme, config);
        s.sent();
        assert_eq!(s.at(100).ack(3), "5 6 7", "{scheme}, {config:?}");
        assert_eq!(s.window().0, 5.0 + 1.0 / 5.0);
        // Segments reported by an earlier SACK are not counted twice.
        s.at(110).sack(3, &[(4, 4)]);
        s.at(120).ack(5);
        assert!((s.window().0 - 5.4).abs() < 1e-9, "{scheme}, {config:?}: {:?}", s.window());
    }
}
