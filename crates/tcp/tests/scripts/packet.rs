//! Loss recovery compared with the text of the RFCs: the segments sent for given ACKs at given times.

use crate::common::at;
use crate::common::path::{Path, Transfer};
use crate::common::script::Script;
use crate::common::{MSS, ns2, rfc};
use airhop_base::{Profile, Segment, Span};
use airhop_tcp::{Config, Preset, SackRecovery};

/// Returns a sender with eight segments outstanding, in congestion avoidance, without limited transmit.
fn eight(scheme: &str) -> Script {
    let mut s = Script::new(scheme, Config { limited_transmit: false, ..rfc(8.0, 4.0) });
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8");
    s
}

// RFC 5681 §3.2, steps 2 to 6. Segment 1 is lost.
#[test]
fn reno_retransmits_and_inflates_at_the_third_duplicate_ack() {
    let mut s = eight("reno");
    s.at(100);
    assert_eq!([s.ack(1), s.ack(1)], ["", ""]);
    assert_eq!(s.ack(1), "1!"); // step 3, on the third
    assert_eq!(s.window(), (4.0, 4.0)); // equation 4: half of the flight of 8
    assert_eq!(s.due(), Some(1100.0));
    assert_eq!(s.ack(1), ""); // step 4: 4 + 3 + 1 = 8, which is the flight
    assert_eq!([s.ack(1), s.ack(1), s.ack(1)], ["9", "10", "11"]); // steps 4 and 5
    s.at(200);
    assert_eq!(s.ack(9), "12"); // step 6: deflated to ssthresh; 9 to 11 are outstanding
    assert_eq!(s.window(), (4.0, 4.0));
    assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (1, 1));
}

// RFC 3042 §2: each of the first two duplicate ACKs releases a new segment, with cwnd unchanged. RFC 5681
// §3.2 step 2: "the additional data sent in limited transmit MUST NOT be included" in the flight that is
// halved.
#[test]
fn limited_transmit_sends_on_the_first_two_duplicate_acks() {
    for scheme in ["reno", "newreno", "tahoe"] {
        let mut s = Script::new(scheme, rfc(8.0, 4.0));
        assert_eq!(s.sent(), "1 2 3 4 5 6 7 8");
        s.at(100);
        assert_eq!([s.ack(1), s.ack(1)], ["9", "10"], "{scheme}");
        assert_eq!(s.window(), (8.0, 4.0));
        assert_eq!(s.ack(1), "1!");
        assert_eq!(s.window().1, 4.0, "{scheme}");
    }
}

// RFC 3042 §2: limited transmit requires space in the receiver's window.
#[test]
fn limited_transmit_respects_the_receive_window() {
    let mut s = Script::new("reno", Config { receive_window: 9000, ..rfc(8.0, 4.0) });
    s.sent();
    assert_eq!([s.at(100).ack(1), s.ack(1)], ["9", ""]);
}

// RFC 6582 §3.2: segments 1, 3 and 5 are lost.
#[test]
fn newreno_retransmits_a_hole_per_partial_ack() {
    let mut s = eight("newreno");
    s.at(100);
    assert_eq!(s.acks(1, 3), "1!"); // step 2: cwnd 4 + 3
    assert_eq!([s.ack(1), s.ack(1)], ["", "9"]); // windows of 8 and 9
    s.at(200);
    // Step 3, partial ACK: 3 is retransmitted, and the window of 9 is deflated by 2 and increased by 1.
    // Segments 3 to 9 are outstanding, so the window permits 10.
    assert_eq!(s.ack(3), "3+ 10");
    assert_eq!(s.due(), Some(1200.0)); // the first partial ACK restarts the timer
    assert_eq!(s.ack(3), "11"); // the duplicate ACK caused by 9
    s.at(300);
    assert_eq!(s.ack(5), "5+ 12");
    assert_eq!(s.due(), Some(1200.0)); // §4, "impatient": further partial ACKs do not
    assert_eq!([s.ack(5), s.ack(5)], ["13", "14"]);
    s.at(400);
    // Step 3, full ACK: min(ssthresh, max(flight, 1) + 1) = min(4, 3 + 1).
    assert_eq!(s.ack(12), "15");
    assert_eq!(s.window(), (4.0, 4.0));
    assert_eq!(s.cuts(), 1);
}

// RFC 6582 §3.2 step 3 for a partial ACK of a single segment: the window is deflated by one segment and
// increased by one, so it stays the same. The segment that left the network permits another segment.
#[test]
fn newreno_partial_ack_of_one_segment_keeps_the_window() {
    let mut s = eight("newreno");
    assert_eq!(s.at(100).acks(1, 5), "1! 9"); // 4 + 5
    assert_eq!(s.at(200).ack(2), "2+ 10"); // 9 - 1 + 1; 2 to 9 are outstanding
    // Karn's rule accepts the sample of segment 9, which was sent once: the first sample.
    s.at(250).ack(10);
    assert_eq!(s.sender.srtt(), Some(Span::from_millis(150)));
}

// RFC 6582 §3.2 step 3 for a partial ACK of five segments after three duplicates: the window is 7 - 5 + 1 = 3
// segments, one of which is still inflation.
#[test]
fn newreno_partial_ack_of_five_segments_deflates_the_window() {
    let mut s = eight("newreno");
    assert_eq!(s.at(100).acks(1, 3), "1!"); // 4 + 3
    assert_eq!(s.at(200).ack(6), "6+"); // 6 to 8 are outstanding
    assert_eq!(s.window(), (2.0, 4.0));
}

// RFC 6582 §3.2 step 3: only "If the partial ACK acknowledges at least one SMSS of new data, then add back
// SMSS bytes".
#[test]
fn newreno_partial_ack_of_half_a_segment_adds_nothing_back() {
    let mut s = eight("newreno");
    assert_eq!(s.at(100).acks(1, 5), "1! 9"); // 4 + 5
    assert_eq!(s.at(200).sack_bytes(501, &[]), "1+"); // 9 - 0.5; 8.5 are outstanding
    assert_eq!(s.sack_bytes(501, &[]), "10"); // 9.5
}

// RFC 6582 §3.2 step 3, full acknowledgement, option 1 (no burst) and option 2 (ns-2).
#[test]
fn newreno_leaves_recovery_without_a_burst() {
    for (exit_to_flight, sent, cwnd) in [(true, "9 10", 2.0), (false, "9 10 11 12", 4.0)] {
        let config = Config { exit_to_flight, limited_transmit: false, ..rfc(8.0, 4.0) };
        let mut s = Script::new("newreno", config);
        s.sent();
        assert_eq!(s.at(100).acks(1, 3), "1!");
        assert_eq!(s.at(200).ack(9), sent); // nothing is in flight
        assert_eq!(s.window().0, cwnd);
    }
}

// Fall and Floyd 1996 §3: "Reno ... two dropped packets". The first partial ACK ends Reno's recovery. The
// remaining duplicates are too few for another fast retransmit, so the timer expires. NewReno repairs the
// second loss at once.
#[test]
fn reno_stalls_on_two_losses() {
    let mut s = eight("reno");
    assert_eq!(s.at(100).acks(1, 6), "1! 9 10"); // 1 and 2 are lost
    s.at(200);
    assert_eq!(s.ack(2), "");
    assert_eq!(s.window(), (4.0, 4.0));
    assert_eq!(s.acks(2, 5), ""); // §3.2 step 1 of RFC 6582: the same window, no second fast retransmit
    assert_eq!(s.cuts(), 1);
    assert_eq!(s.expire(), (1200.0, "2t".into()));
    assert_eq!(s.window(), (1.0, 4.5)); // half of 9 outstanding segments
    assert_eq!(s.at(1300).ack(11), "11 12");

    let mut s = eight("newreno");
    assert_eq!(s.at(100).acks(1, 6), "1! 9 10");
    assert_eq!(s.at(200).ack(2), "2+ 11");
    assert_eq!(s.sender.counters().timeouts, 0);
}

// Jacobson 1988, the origin of RFC 5681: slow start from the hole, which retransmits all data after the hole.
#[test]
fn tahoe_retransmits_all_data_from_the_hole() {
    let mut s = eight("tahoe");
    assert_eq!(s.at(100).acks(1, 7), "1!");
    assert_eq!(s.window(), (1.0, 4.0));
    assert_eq!(s.at(200).ack(3), "3t 4t"); // 3 was also lost; 4 was not, but Tahoe cannot detect this
    assert_eq!(s.at(300).ack(9), "9 10 11"); // slow start
    assert_eq!(s.window().0, 3.0);
}

// RFC 6582 §3.2 step 1: duplicate ACKs caused by go-back-N after a spurious timeout acknowledge at most
// `recover`, and start no recovery.
#[test]
fn duplicate_acks_of_go_back_n_cause_no_fast_retransmit() {
    for scheme in ["tahoe", "reno", "newreno"] {
        let mut s = eight(scheme);
        assert_eq!(s.expire(), (1000.0, "1t".into())); // a delay spike without a loss
        s.at(1100);
        assert_eq!(s.ack(2), "2t 3t");
        assert_eq!(s.ack(3), "4t 5t");
        assert_eq!(s.ack(4), "6t 7t");
        assert_eq!([s.ack(5), s.ack(6), s.ack(7), s.ack(8)], ["8t", "9", "10", "11"]);
        assert_eq!(s.ack(9), "12 13");
        let window = s.window();
        assert_eq!(s.at(1200).acks(9, 8), "", "{scheme}"); // the receiver has all of 1t to 8t already
        assert_eq!((s.cuts(), s.window()), (1, window), "{scheme}");
        // A loss beyond `recover` is a new loss.
        assert_eq!(s.ack(10), "14");
        assert_eq!(s.acks(10, 3), "10!");
    }
}

// RFC 6298 §5 (5.1), (5.4) to (5.6), and §3 (Karn). RFC 5681 §3.1: a second timeout leaves ssthresh
// unchanged.
#[test]
fn a_timeout_retransmits_and_doubles_the_rto() {
    for scheme in ["tahoe", "reno", "newreno", "sack", "ll-elsn"] {
        let mut s = Script::new(scheme, rfc(2.0, 16.0));
        assert_eq!(s.sent(), "1 2");
        assert_eq!(s.due(), Some(1000.0)); // (2.1)
        assert_eq!(s.expire(), (1000.0, "1t".into()), "{scheme}");
        assert_eq!(s.window(), (1.0, 2.0));
        assert_eq!(s.expire(), (3000.0, "1t".into()));
        assert_eq!(s.expire(), (7000.0, "1t".into()));
        assert_eq!(s.due(), Some(15_000.0));
        // The ACK does not show which transmission it acknowledges: there is no sample, and the backoff
        // remains.
        assert_eq!(s.at(7050).ack(3), "3 4");
        assert_eq!(s.sender.srtt(), None, "{scheme}");
        assert_eq!(s.due(), Some(15_050.0));
        // (2.2): 100 + 4 * 50 is below the minimum of a second.
        s.at(7150).ack(4);
        assert_eq!(s.due(), Some(8150.0), "{scheme}");
    }
}

// RFC 5681 §3.1: "when the given segment has already been retransmitted by way of the retransmission timer at least once,
// the value of ssthresh is held constant".
#[test]
fn a_second_timeout_of_a_segment_keeps_ssthresh() {
    for scheme in ["tahoe", "reno", "newreno", "sack", "ll-elsn"] {
        let mut s = Script::new(scheme, rfc(16.0, f64::INFINITY));
        s.sent();
        for _ in 0..3 {
            s.expire();
            assert_eq!(s.window(), (1.0, 8.0), "{scheme}");
        }
        assert_eq!(s.sender.counters().timeouts, 3);
    }
}

// RFC 6298 §5 (5.2), (5.3): the timer stops when all data is acknowledged, and restarts on each ACK of new
// data.
#[test]
fn the_retransmission_timer_restarts_on_acks_of_new_data() {
    let mut s = Script::of("reno", rfc(4.0, 2.0), 4);
    s.sent();
    s.at(100).ack(2);
    assert_eq!(s.due(), Some(1100.0));
    s.at(150).ack(2); // a duplicate does not restart the timer
    assert_eq!(s.due(), Some(1100.0));
    s.at(200).ack(5);
    assert_eq!(s.due(), None);
}

fn rfc6675(cwnd: f64) -> Config {
    Config { sack_recovery: SackRecovery::Rfc6675, ..rfc(cwnd, 5.0) }
}

// RFC 6675 §5: segments 1, 2 and 4 of ten are lost.
#[test]
fn rfc6675_repairs_three_losses_with_one_reduction() {
    let mut s = Script::new("sack", rfc6675(10.0));
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
    s.at(100);
    assert_eq!(s.sack(1, &[(3, 3)]), "11"); // (3), limited transmit
    assert_eq!(s.sack(1, &[(5, 5), (3, 3)]), "12");
    // (1): DupThresh. The pipe is 8: 12 outstanding segments, minus 3 SACKed and 2 lost (3 segments are
    // SACKed above each of the two), plus the retransmission.
    assert_eq!(s.sack(1, &[(5, 6), (3, 3)]), "1!");
    assert_eq!(s.window(), (5.0, 5.0));
    assert_eq!(s.sack(1, &[(5, 7), (3, 3)]), ""); // 4 is also lost: pipe 6
    assert_eq!(s.sack(1, &[(5, 8), (3, 3)]), ""); // pipe 5
    assert_eq!(s.sack(1, &[(5, 9), (3, 3)]), "2+"); // pipe 4: NextSeg (1)
    assert_eq!(s.sack(1, &[(5, 10), (3, 3)]), "4+");
    assert_eq!(s.sack(1, &[(5, 11), (3, 3)]), "13"); // NextSeg (2)
    assert_eq!(s.sack(1, &[(5, 12), (3, 3)]), "14");
    s.at(200);
    assert_eq!(s.sack(2, &[(5, 12), (3, 3)]), "15"); // 2 to 14 outstanding, nine of them SACKed: pipe 4
    assert_eq!(s.sack(4, &[(5, 12)]), "16");
    assert_eq!(s.ack(13), "17"); // past RecoveryPoint
    assert_eq!(s.window(), (5.0, 5.0));
    assert_eq!((s.cuts(), s.sender.counters().retransmissions), (1, 3));
}

// RFC 6675 §4, NextSeg (3) and (4): segments 1 and 8 of ten are lost, and there is no new data to send.
#[test]
fn rfc6675_sends_by_next_seg_rules_3_and_4() {
    let mut s = Script::of("sack", rfc6675(10.0), 10);
    s.sent();
    s.at(100);
    assert_eq!([s.sack(1, &[(2, 2)]), s.sack(1, &[(2, 3)])], ["", ""]);
    assert_eq!(s.sack(1, &[(2, 4)]), "1!");
    assert_eq!([s.sack(1, &[(2, 5)]), s.sack(1, &[(2, 6)])], ["", ""]);
    // Pipe 4. There is no lost segment, no new data, and no hole below a SACK. Rule (4): the highest segment
    // that is not SACKed is retransmitted once.
    assert_eq!(s.sack(1, &[(2, 7)]), "10+");
    // Pipe 3. Segment 8 is now a hole: rule (3).
    assert_eq!(s.sack(1, &[(9, 9), (2, 7)]), "8+");
    assert_eq!(s.sack(1, &[(9, 10), (2, 7)]), "");
    assert_eq!(s.at(200).sack(8, &[(9, 10)]), "");
    assert_eq!(s.ack(11), "");
    assert_eq!((s.cuts(), s.due()), (1, None));
}

// RFC 6675 §5 (2): IsLost(HighACK + 1) starts recovery before three duplicates have arrived, because ACKs can
// be lost. §4: a segment is lost if three discontiguous SACKed ranges, or more than two segments' worth of
// SACKed bytes, lie above it.
#[test]
fn rfc6675_is_lost_begins_recovery_early() {
    for runs in [&[(7, 7), (5, 5), (3, 3)][..], &[(3, 5)][..]] {
        let mut s = Script::new("sack", rfc6675(10.0));
        s.sent();
        assert_eq!(s.at(100).sack(1, runs), "1!");
    }
    let mut s = Script::new("sack", rfc6675(10.0));
    s.sent();
    assert_eq!(s.at(100).sack(1, &[(5, 5), (3, 3)]), "11"); // two SACKed segments are not enough
}

// RFC 6675 §5, in place of a scheme's own recovery: the third SACK causes one retransmission, and the next
// hole is retransmitted only with new SACK information. Only the timer repairs a lost retransmission; rate
// halving and RACK repair it before the timeout.
#[test]
fn other_schemes_can_use_rfc6675_recovery() {
    let config = Config { loss_detection: airhop_tcp::LossDetection::Rfc6675, ..rfc(10.0, 5.0) };
    for scheme in ["reno", "newreno", "sack", "veno", "westwood-plus", "cubic"] {
        let mut s = Script::new(scheme, config);
        s.sent();
        s.at(100);
        assert_eq!([s.sack(1, &[(3, 3)]), s.sack(1, &[(3, 3), (5, 5)])], ["11", "12"], "{scheme}");
        assert_eq!(s.sack(1, &[(5, 6), (3, 3)]), "1!", "{scheme}");
        (7..=12).for_each(|last| drop(s.sack(1, &[(5, last), (3, 3)])));
        let late = s.at(200).sack(1, &[(5, 14), (3, 3)]);
        assert!(late.split(' ').all(|sent| sent != "1+" && sent != "1!"), "{scheme}: {late}");
        assert_eq!(s.cuts(), 1, "{scheme}");
        assert!(s.expire().1.starts_with("1t"), "{scheme}");
    }
}

// RFC 6675 §4: three discontiguous ranges suffice, regardless of their length. Segments have 100 bytes, and
// the first is lost. Of the ACKs caused by the third, fifth and seventh segment only the last arrives.
#[test]
fn rfc6675_begins_recovery_after_three_sacked_runs() {
    let mut s = Script::new("sack", rfc6675(10.0));
    s.sent();
    // §2: a duplicate ACK must contain new SACK information.
    s.at(100);
    for _ in 0..5 {
        assert!(!s.sack(1, &[(2, 2)]).contains('!'));
    }
    assert_eq!(s.sender.state().dupacks, 1);
}

#[test]
fn rfc6675_is_lost_counts_discontiguous_runs() {
    for (runs, cuts) in [(&[(601, 701), (401, 501), (201, 301)][..], 1), (&[(401, 701), (201, 301)][..], 0)] {
        let mut s = Script::of("sack", rfc6675(10.0), 0);
        for _ in 0..8 {
            s.sender.supply_data(100);
            s.sent();
        }
        s.at(100).sack_bytes(1, runs);
        assert_eq!(s.cuts(), cuts, "{runs:?}");
    }
}

// RFC 6675 §5.1: after a timeout no recovery starts before RecoveryPoint; SACKed segments are not
// retransmitted.
#[test]
fn rfc6675_begins_no_recovery_soon_after_a_timeout() {
    let mut s = Script::new("sack", rfc6675(8.0));
    s.sent();
    assert_eq!(s.at(100).sack(1, &[(4, 4)]), "9");
    assert_eq!(s.sack(1, &[(4, 5)]), "10");
    assert_eq!(s.expire(), (1000.0, "1t".into()));
    assert_eq!(s.at(1100).sack(2, &[(4, 5)]), "2t 3t");
    assert_eq!(s.at(1200).sack(6, &[]), "6t 7t 8t"); // one ACK: cwnd 3
    assert_eq!(s.cuts(), 1);
}

// ns-2.35, Sack1: segments 1, 2 and 4 of ten are lost.
#[test]
fn ns2_sack_sends_while_the_pipe_is_below_the_window() {
    let mut s = Script::new("sack", ns2(10.0, 5.0));
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
    s.at(100);
    assert_eq!(s.sack(1, &[(3, 3)]), "11");
    assert_eq!(s.sack(1, &[(3, 3)]), ""); // no new SACK information: not counted as a duplicate
    assert_eq!(s.sack(1, &[(5, 5), (3, 3)]), "12");
    assert_eq!(s.sack(1, &[(5, 6), (3, 3)]), "1!"); // pipe = 12 - 3
    assert_eq!(s.window(), (5.0, 5.0));
    for last in 7..=10 {
        assert_eq!(s.sack(1, &[(5, last), (3, 3)]), ""); // pipe 8 to 5
    }
    assert_eq!(s.sack(1, &[(5, 11), (3, 3)]), "2+"); // pipe 4: holes first
    assert_eq!(s.sack(1, &[(5, 12), (3, 3)]), "4+");
    s.at(200);
    assert_eq!(s.sack(2, &[(5, 12), (3, 3)]), "13 14"); // a partial ACK reduces the pipe by two
    assert_eq!(s.sack(4, &[(5, 12)]), "15 16");
    assert_eq!(s.ack(13), "17"); // past `recover`
    assert_eq!(s.window(), (5.0, 5.0));
    assert_eq!(s.cuts(), 1);
}

// ns-2.35 halves the window instead of the flight. After a timeout it goes back to the oldest segment,
// regardless of SACK.
#[test]
fn an_ns2_sack_timeout_goes_back_to_the_oldest_segment() {
    let mut s = Script::new("sack", ns2(9.0, 5.0));
    s.sent();
    assert_eq!(s.at(100).sack(1, &[(3, 3)]), "10");
    assert_eq!(s.expire(), (3000.0, "1t".into()));
    assert_eq!(s.window(), (1.0, 4.5));
    assert_eq!(s.at(3100).sack(2, &[(3, 3)]), "2t 3t");
}

// RFC 2018 with the preset of the papers: three duplicate ACKs with new SACK information, then one reduction
// per window.
#[test]
fn sack_reduces_once_per_window_of_data() {
    for config in [ns2(10.0, 5.0), rfc6675(10.0)] {
        let mut s = Script::new("sack", config);
        s.sent();
        s.at(100);
        for last in 2..=9 {
            s.sack(1, &[(2, last)]);
        }
        // The retransmission is also lost: only a timeout can detect this loss (Fall and Floyd 1996).
        for last in 11..=13 {
            s.at(200).sack(1, &[(2, last)]);
        }
        assert_eq!(s.cuts(), 1);
        s.expire();
        assert_eq!(s.cuts(), 2);
    }
}

#[test]
fn presets_halve_window_flight_or_pipe() {
    assert_eq!(Preset::Ns2.config(MSS).halve_from, airhop_tcp::HalveFrom::Cwnd);
    let mut s = Script::of("reno", ns2(20.0, 10.0), 8);
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8");
    s.at(100).acks(1, 3);
    assert_eq!(s.window(), (10.0, 10.0)); // ns-2: half of cwnd
    let mut s = Script::of("reno", rfc(20.0, 10.0), 8);
    s.sent();
    s.at(100).acks(1, 3);
    assert_eq!(s.window(), (4.0, 4.0)); // RFC 5681 equation 4: half of the flight
    // ns-3 halves the pipe of RFC 6675. Twelve segments are outstanding, two of them sent by limited
    // transmit; three have arrived and one is lost.
    let config = Config { halve_from: airhop_tcp::HalveFrom::Pipe, ..rfc6675(10.0) };
    let mut s = Script::new("sack", config);
    s.sent();
    s.at(100);
    (2..=4).for_each(|last| drop(s.sack(1, &[(2, last)])));
    assert_eq!(s.window(), (4.0, 4.0));
}

// The first segment after a recovery is lost. RFC 6582 §3.2 step 2: its duplicate ACKs do not acknowledge
// "more than recover", so without the heuristics of §4 only the timer repairs the loss. With SACK the
// duplicate ACKs contain new information: RFC 6675 §5.1 requires that HighACK reaches RecoveryPoint, and ns-2
// has no such condition after the recovery.
#[test]
fn loss_of_the_first_segment_after_a_recovery_is_repaired() {
    let config = Config { limited_transmit: false, exit_to_flight: false, ..rfc(8.0, 4.0) };
    // The window is reduced to 2, and with SACK one segment is in flight (or in the pipe), so 13 can be sent.
    for (scheme, sack_recovery, third) in [
        ("newreno", SackRecovery::Pipe, ""),
        ("sack", SackRecovery::Pipe, "9! 13"),
        ("sack", SackRecovery::Rfc6675, "9! 13"),
    ] {
        let mut s = Script::new(scheme, Config { sack_recovery, ..config });
        s.sent();
        s.at(100);
        assert_eq!([s.sack(1, &[(2, 2)]), s.sack(1, &[(2, 3)])], ["", ""]);
        assert_eq!(s.sack(1, &[(2, 4)]), "1!");
        assert_eq!(s.at(200).ack(9), "9 10 11 12", "{scheme}");
        s.at(300);
        assert_eq!([s.sack(9, &[(10, 10)]), s.sack(9, &[(10, 11)])], ["", ""]);
        assert_eq!(s.sack(9, &[(10, 12)]), third, "{scheme} {sack_recovery:?}");
    }
}

// RFC 7323 §4.1: with timestamps, the ACK of a retransmission is also a sample, and ends the backoff.
#[test]
fn timestamps_allow_rtt_samples_of_retransmissions() {
    for (timestamps, srtt, rto) in [(true, Some(100), 1000), (false, None, 2000)] {
        let config = Config { timestamps, ..rfc(2.0, 2.0) };
        let t = Transfer::run("reno", &config, Path::of(50).losing(&[1]), 1);
        assert_eq!(t.trace(), "     0.0  1\n  1000.0  1t");
        assert_eq!(
            (t.sender.srtt(), t.sender.rto(at(0))),
            (srtt.map(Span::from_millis), Span::from_millis(rto))
        );
    }
}

// Balan et al. 2001: only data segments contain a checksum of the headers, and the field for the contention
// time.
#[test]
fn only_data_segments_carry_options_of_schemes() {
    let options = |scheme: &str| {
        let mut s = Script::new(scheme, Preset::Rfc.config(1000));
        let mut sent = s.segments();
        s.open();
        sent.extend(s.segments());
        let of = |s: &Segment| (s.len, s.has_header_checksum, s.options.contention_time);
        [of(&sent[0]), of(&sent[1]), of(&sent[2])]
    };
    assert_eq!(options("hack"), [(0, false, None), (0, false, None), (1000, true, None)]);
    let zero = Some(Span::ZERO);
    assert_eq!(options("tcp-cc"), [(0, false, None), (0, false, None), (1000, false, zero)]);
}

// Biaz and Vaidya 2005: in each window the segments in the middle are marked "out", and the others "in".
#[test]
fn casablanca_marks_the_middle_segments_out() {
    let mut s = Script::new("casablanca", rfc(20.0, 20.0));
    let profiles: Vec<Profile> = s.packets().iter().map(|p| p.profile).collect();
    assert!(profiles.contains(&Profile::In) && profiles.contains(&Profile::Out), "{profiles:?}");
}
