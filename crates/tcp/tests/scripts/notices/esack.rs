//! ESACK with ELN filtering (Yun 2009 §4).

use crate::common;
use crate::common::path::{Fate, Path, Transfer};
use crate::common::script::Script;
use crate::common::{MSS, ns2, rfc};
use airhop_base::{Rate, Span};
use airhop_tcp::{Config, Preset, SackRecovery};
use proptest::prelude::*;

fn ms(ms: u64) -> Span {
    Span::from_millis(ms)
}

/// Returns all configurations of SACK.
fn configs() -> Vec<Config> {
    let mut all = Vec::new();
    for (_, preset) in Preset::ALL {
        for sack_recovery in [SackRecovery::Pipe, SackRecovery::Rfc6675] {
            all.push(Config { sack_recovery, ..preset.config(MSS) });
        }
    }
    all
}

// Yun 2009 §4.1: "if there is no wireless loss, ESACK behaves just like SACK".
#[test]
fn esack_without_losses_sends_as_sack() {
    for config in configs() {
        for initial_ssthresh in [6.0, f64::INFINITY] {
            for receive_window in [9_500, 1 << 40] {
                let config = Config { initial_ssthresh, receive_window, ..config };
                for bottleneck in [None, Some((Rate::from_bps(2_000_000), 1000))] {
                    let run =
                        |scheme| Transfer::run(scheme, &config, Path { bottleneck, ..Path::of(35) }, 300);
                    let (sack, esack) = (run("sack"), run("ll-elsn"));
                    assert_eq!(esack.log, sack.log, "{config:?}");
                    assert_eq!(esack.cwnd, sack.cwnd, "{config:?}");
                }
            }
        }
    }
}

// Yun 2009 §4.1: an ELN is not a sign of congestion, for any losses on the air. The parameter N is so large
// that no disconnection is detected.
proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn notified_losses_never_reduce_the_window(
        lost in prop::collection::btree_map((1u64..120, 1u32..3), (0u64..60, 0u64..150, 0u8..3), 0..30),
        delay in 20u64..60,
        which in 0usize..6,
    ) {
        let mut config = configs()[which];
        config.dsack = false;
        config.pacing = false; // pacing delays the reaction to a notice by more than a round trip
        let path = lost.iter().fold(Path::of(delay), |p, (&(n, nth), &(after, late, kind))| {
            let after = ms(after.min(delay));
            let fate = [Fate::Noticed(after), Fate::Repeated(after, ms(late)), Fate::GivenUp(after, after + ms(late))];
            p.with(n, nth, fate[usize::from(kind)])
        });
        let t = Transfer::run_with("ll-elsn", &[("n", 1e6)], &config, path, 120);
        prop_assert!(t.cwnd.windows(2).all(|w| w[0].1 <= w[1].1), "{}", t.trace());
        prop_assert_eq!((t.sender.counters().window_reductions, t.sender.counters().timeouts), (0, 0), "{}", t.trace());
    }
}

/// Returns a sender with segments 14 to 19 outstanding (to `last` at most) and a window slightly above six.
fn fourteen(last: u64) -> Script {
    let mut s = Script::of("ll-elsn", rfc(6.0, 1.0), last);
    s.sent();
    s.at(100).ack(7);
    s.at(200).ack(13);
    s.at(300).ack(14);
    assert_eq!((s.sender.state().una, s.cuts()), (common::byte(14), 0));
    s
}

fn dupacks(s: &Script) -> u32 {
    s.sender.state().dupacks
}

// Yun 2009, Figure 4: segments 14, 16 and 18 are lost by congestion. LHP's packet list causes three window
// reductions; ESACK "avoids this problem".
#[test]
fn the_losses_of_figure_4_cause_one_reduction() {
    let mut s = fourteen(100);
    assert_eq!(s.sack(14, &[(15, 15)]), "20");
    assert_eq!(s.sack(14, &[(17, 17), (15, 15)]), "21");
    assert_eq!(s.sack(14, &[(19, 19), (17, 17), (15, 15)]), "14!");
    assert_eq!(s.cuts(), 1);
    assert_eq!(s.sack(14, &[(19, 20), (17, 17), (15, 15)]), ""); // 16 is lost: 17, 19 and 20 were sent after it
    assert_eq!(s.sack(14, &[(19, 21), (17, 17), (15, 15)]), "16+ 18+"); // 18 is also lost; one more segment in flight, window 3.2
    assert_eq!(s.at(400).sack(16, &[(19, 21), (17, 17)]), "22");
    assert_eq!(s.sack(18, &[(19, 21)]), "23");
    assert_eq!(s.ack(22), "24");
    assert_eq!(s.window().0, s.window().1);
    assert_eq!((s.cuts(), s.sender.counters().retransmissions), (1, 3));
}

// Yun 2009, Algorithm 1: segment 14 is lost on the air, 15 and 16 are in flight.
#[test]
fn a_notified_wireless_loss_causes_no_reduction() {
    let mut s = fourteen(16);
    assert_eq!(s.eln(14), "14n"); // queue: 15 16 14
    assert_eq!(s.sack(14, &[(15, 15)]), "");
    assert_eq!(dupacks(&s), 0); // FirstUnsacked 16 is not below HighSACK
    assert_eq!(s.sack(14, &[(15, 16)]), "");
    assert_eq!(dupacks(&s), 1); // FirstUnsacked 14 is una
    let window = s.window();
    s.at(400).ack(17);
    assert_eq!((s.cuts(), s.due()), (0, None));
    assert!(s.window() > window);
}

// Yun 2009, second example of Algorithm 1: segment 14 is lost on the air, and congestion drops segment 15.
// The lost segment is FirstUnsacked, not the lowest unacknowledged segment.
#[test]
fn a_congestion_loss_above_a_wireless_loss_is_detected() {
    let mut s = fourteen(18);
    assert_eq!(s.eln(14), "14n"); // queue: 15 16 17 18 14
    assert_eq!([s.sack(14, &[(16, 16)]), s.sack(14, &[(16, 17)])], ["", ""]);
    assert_eq!(dupacks(&s), 2);
    assert_eq!(s.sack(14, &[(16, 18)]), "15!");
    assert_eq!(s.cuts(), 1);
    s.at(400).sack(15, &[(16, 18)]);
    s.ack(19);
    assert_eq!((s.cuts(), s.due()), (1, None));
}

// Algorithm 1: "if (FirstUnsacked is changed) dupacks = 1".
#[test]
fn a_change_of_first_unsacked_resets_dupacks() {
    let mut s = fourteen(19);
    assert_eq!(s.eln(14), "14n"); // queue: 15 16 17 18 19 14
    s.sack(14, &[(16, 16)]);
    s.sack(14, &[(16, 17)]);
    assert_eq!(dupacks(&s), 2); // counted for 15
    s.sack(14, &[(19, 19), (15, 17)]); // 15 was only late
    assert_eq!(dupacks(&s), 1); // counted for 18
    assert_eq!(s.cuts(), 0);
}

// Yun 2009 §4: the duplicate ACKs counted against a segment are cleared when an ELN explains its loss.
#[test]
fn an_eln_clears_the_duplicate_acks_of_its_segment() {
    let mut s = fourteen(19);
    s.sack(14, &[(15, 15)]);
    s.sack(14, &[(15, 16)]);
    assert_eq!(dupacks(&s), 2);
    assert_eq!(s.eln(14), "14n");
    assert_eq!(dupacks(&s), 0);
    for last in 17..=19 {
        assert_eq!(s.sack(14, &[(15, last)]), "");
    }
    assert_eq!((s.cuts(), dupacks(&s)), (0, 1));
}

// Yun 2009 §4: a notice for a segment that arrived, or was never sent, is ignored.
#[test]
fn notices_for_arrived_or_unsent_segments_are_ignored() {
    let mut s = fourteen(100);
    s.sack(14, &[(15, 15)]);
    let due = s.at(350).due();
    for n in [1, 13, 15, 50] {
        assert_eq!([s.eln(n), s.ersn(n)], ["", ""], "{n}");
    }
    assert_eq!((s.due(), s.sender.is_frozen()), (due, false));
}

// Yun 2009 §3.1: the ELN was lost. Duplicate ACKs or the timer cause the retransmission, as in any sender.
#[test]
fn a_loss_whose_eln_is_lost_causes_a_reduction() {
    let run = |path| Transfer::run("ll-elsn", &ns2(8.0, 4.0), path, 40).sender.counters().to_owned();
    let by_duplicates = run(Path::of(50).losing(&[10]));
    assert_eq!(
        (by_duplicates.fast_recoveries, by_duplicates.timeouts, by_duplicates.window_reductions),
        (1, 0, 1)
    );
    let by_timer = run(Path::of(50).losing(&[40]));
    assert_eq!((by_timer.fast_recoveries, by_timer.timeouts, by_timer.window_reductions), (0, 1, 1));
    let both_lost = run(Path::of(50).losing(&[10]).with(10, 2, Fate::Lost));
    assert_eq!((both_lost.fast_recoveries, both_lost.timeouts, both_lost.window_reductions), (1, 1, 2));
}

// Yun 2009 §4.2 with N = 2: the third consecutive loss is a disconnection. The sender reacts to every second
// ELN, sends no other segment, and changes no parameter.
#[test]
fn a_disconnection_freezes_the_sender() {
    let mut s = fourteen(100);
    s.at(310);
    assert_eq!([s.eln(14), s.eln(15)], ["14n", "15n"]);
    let (window, rto) = (s.window(), s.rto());
    assert_eq!([s.eln(16), s.eln(17), s.eln(18), s.eln(19)], ["", "17n", "", "19n"]);
    assert!(s.sender.is_frozen());
    // Duplicate ACKs caused by segments in flight do not end the freeze, reduce the window or release new
    // data.
    for last in 20..=23 {
        assert_eq!(s.at(320).sack(14, &[(17, 17)]), "", "{last}");
    }
    // At a timeout the sender retransmits the oldest segment as a probe, without backoff.
    let mut due = s.due().expect("a timer");
    for _ in 0..12 {
        assert_eq!(s.expire(), (due, "14n".into()));
        due += rto.millis_f64();
    }
    assert_eq!((s.window(), s.rto(), s.cuts(), s.sender.counters().timeouts), (window, rto, 0, 0));
    // After the last probe the sender resumes ordinary operation.
    assert_eq!(s.expire(), (due, "14t".into()));
    assert!(!s.sender.is_frozen());
    assert_eq!((s.window().0, s.cuts(), s.sender.counters().timeouts), (1.0, 1, 1));
    assert_eq!(s.rto(), rto * 2);
}

// Yun 2009 §4.2: "If the TCP sender receives a new ACK, the TCP sender restores the parameters and resumes data service."
#[test]
fn a_new_ack_ends_the_freeze() {
    let mut s = fourteen(100);
    s.at(310);
    let window = s.window();
    let answers: Vec<String> = (14..=19).map(|n| s.eln(n)).collect();
    assert_eq!(answers, ["14n", "15n", "", "17n", "", "19n"]);
    assert_eq!(s.at(1000).ack(15), "16+ 18+ 20"); // the segments of the ignored ELNs, then new data, up to the old window
    assert!(!s.sender.is_frozen());
    assert!(s.window().0 >= window.0 && s.cuts() == 0);
    // The count of consecutive losses restarts at zero.
    assert_eq!([s.eln(15), s.eln(16), s.eln(17)], ["15n", "16n", ""]);
}

// Yun 2009 §4: only consecutive losses count; a new SACK block or a timeout restarts the count.
#[test]
fn losses_that_are_not_consecutive_are_noise() {
    let mut s = fourteen(19);
    assert_eq!([s.eln(14), s.eln(15)], ["14n", "15n"]);
    s.sack(14, &[(16, 16)]);
    assert_eq!([s.eln(17), s.eln(18)], ["17n", "18n"]);
    s.expire();
    assert_eq!([s.eln(14), s.eln(15)], ["14n", "15n"]);
    assert!(!s.sender.is_frozen());
}

// Yun 2009 §3.1: while a link layer retransmits a segment, the sender neither starts congestion control for
// it nor retransmits it.
#[test]
fn an_ersn_suspends_congestion_control() {
    let mut s = fourteen(21);
    s.ersn(14);
    let window = s.window();
    for last in 15..=21 {
        s.sack(14, &[(15, last)]);
    }
    assert_eq!((dupacks(&s), s.cuts()), (0, 0));
    // The suspension lasts two RTOs. An expiry during the suspension restarts the timer and has no other
    // effect.
    assert_eq!(s.expire(), (1300.0, "".into()));
    assert_eq!((s.cuts(), s.sender.counters().timeouts, s.window()), (0, 0, window));
    assert_eq!(s.rto(), ms(1000));
    assert_eq!(s.expire(), (2300.0, "14t".into()));
    assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 1));
}

// After the end of a suspension the ordinary rules apply again, including those for duplicate ACKs
// (reconstructed).
#[test]
fn after_a_suspension_duplicate_acks_count_again() {
    let mut s = fourteen(100);
    s.ersn(14); // until 2300
    s.expire();
    s.at(2200).ersn(15); // this ERSN only restarts the timer
    s.at(2250);
    assert_eq!([s.sack(14, &[(16, 16)]), s.sack(14, &[(16, 17)])], ["20", "21"]);
    assert_eq!(dupacks(&s), 0);
    s.at(2301);
    s.sack(14, &[(16, 18)]);
    s.sack(14, &[(16, 19)]);
    assert_eq!(dupacks(&s), 2);
    assert!(s.sack(14, &[(16, 20)]).starts_with("14!"));
    assert_eq!(s.cuts(), 1);
}

// During the recovery of 14, segment 16 is also lost, and the link layer retransmits 16 without success.
// After the suspension, segments delivered after 16 count as its duplicates again.
#[test]
fn after_a_suspension_in_recovery_duplicates_count_again() {
    let mut s = fourteen(100);
    s.ersn(16); // until 2300
    s.sack(14, &[(15, 15)]);
    s.sack(14, &[(17, 17), (15, 15)]);
    assert_eq!(s.sack(14, &[(17, 18), (15, 15)]), "14!");
    assert_eq!([s.sack(14, &[(17, 19), (15, 15)]), s.sack(14, &[(17, 20), (15, 15)])], ["", ""]);
    assert_eq!(s.at(400).sack(16, &[(17, 20)]), "22");
    assert_eq!(s.sack(16, &[(17, 21)]), "23");
    assert_eq!(s.expire(), (1400.0, "".into()));
    assert_eq!(s.at(2301).sack(16, &[(17, 22)]), "16+ 24"); // 16 and 22 have left the network
    assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 0));
}

// Yun 2009 §3.1: an ELN or an ACK ends the suspension.
#[test]
fn an_eln_after_an_ersn_ends_the_suspension() {
    let mut s = fourteen(14);
    s.ersn(14);
    assert_eq!(s.at(400).eln(14), "14n");
    assert_eq!(s.expire(), (1400.0, "14t".into()));
    assert_eq!(s.cuts(), 1);
    // An ELN ignored in a disconnection has the same effect.
    let mut s = fourteen(17);
    s.ersn(16);
    s.at(400);
    assert_eq!([s.eln(14), s.eln(15), s.eln(16)], ["14n", "15n", ""]);
    assert_eq!(s.ack(16), "16+");
    assert_eq!(s.expire(), (1400.0, "16t".into()));
    assert_eq!(s.sender.counters().timeouts, 1);
}

// Algorithm 1, "else if (HighACK segment is SACKed) retransmit(HighACK)": the receiver discarded data that it
// had SACKed. The segment is retransmitted once per round trip, which is not a sign of congestion.
#[test]
fn a_segment_that_the_receiver_reneged_on_is_retransmitted() {
    let mut s = fourteen(19);
    assert_eq!(s.eln(14), "14n");
    for last in 15..=19 {
        s.sack(14, &[(15, last)]);
    }
    assert_eq!(s.at(400).ack(15), ""); // the receiver has 14, but no longer 15 to 19
    assert_eq!([s.ack(15), s.ack(15), s.ack(15)], ["15+", "", ""]);
    assert_eq!([s.at(450).ack(15), s.at(500).ack(15)], ["", "15+"]); // round trips take 100 ms here
    assert_eq!([s.at(550).ack(16), s.ack(16)], ["", "16+"]); // another segment does not wait
    assert_eq!(s.cuts(), 0);
    // RFC 2018 §8: at a timeout the segment at the left edge is retransmitted, whether or not it was SACKed.
    assert_eq!(s.expire(), (1550.0, "16t".into()));
}

// A receiver that discards SACKed data, without duplicate ACKs: timeouts alone deliver all data, with both
// SACK senders that keep their scoreboard (RFC 2018 §8).
#[test]
fn timeouts_deliver_all_data_of_a_reneging_receiver() {
    for scheme in ["sack", "ll-elsn"] {
        let config = Config { sack_recovery: SackRecovery::Rfc6675, ..rfc(4.0, 2.0) };
        let mut s = Script::of(scheme, config, 4);
        s.sent();
        s.at(100).sack(1, &[(2, 2)]);
        s.sack(1, &[(2, 3)]);
        s.sack(1, &[(2, 4)]);
        for expected in ["2t", "3t", "4t"] {
            let una = s.sender.state().una;
            s.ack(common::number(una) + 1);
            assert_eq!(s.expire().1, expected, "{scheme}");
        }
        s.ack(5);
        assert_eq!(s.due(), None);
    }
}
