//! Undecided losses of WestwoodVT, compared with the text of Koo et al. 2007 §2: the segments and windows for
//! given ACKs at given times.

use crate::common::script::Script;
use crate::common::{ns2, rfc, sender};
use airhop_tcp::Config;

/// Returns a sender with an undecided loss. Ten segments are sent at 0 ms. The first is acknowledged at 100
/// ms, the round trip of the empty path, and the second at 150 ms: Δ is 10.2 (1 - 100/150) = 3.4, between
/// alpha and beta. Segment 3 is lost. "maintains the current state and then retransmits lost packets as the
/// standard sending".
fn undecided(postponed: f64, config: Config) -> Script {
    let given = [("postponed", postponed), ("alpha", 3.0), ("beta", 4.0)];
    let config = Config { initial_window: 10.0, initial_ssthresh: 5.0, limited_transmit: false, ..config };
    let mut s = Script::by(sender("westwood-vt", &given, &config), &config, 1_000_000);
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
    assert_eq!([s.at(100).ack(2), s.at(150).ack(3)], ["11", "12"]);
    assert_eq!(s.acks(3, 3), "3! 13 14 15", "4 to 6");
    let (cwnd, ssthresh) = s.window();
    assert!((cwnd - 10.2).abs() < 0.01 && ssthresh == 5.0 && s.cuts() == 0);
    s
}

fn each_configuration(law: impl Fn(Config)) {
    [ns2(10.0, 5.0), rfc(10.0, 5.0)].into_iter().for_each(law);
}

// "postpones the decision of cause to the next it receives 3-DUPACK": the sixth duplicate ACK was caused by
// segment 9, whose round trip was 180 ms. Δ is 10.2 (1 - 100/180) = 4.5, which indicates a queue: the window
// is set once to WestwoodNR's window, here the minimum of 2, without a further retransmission. Recovery ends
// with that window, although 13 to 17 are outstanding.
#[test]
fn three_more_duplicate_acks_reveal_a_congestion_loss() {
    each_configuration(|config| {
        let mut s = undecided(1.0, config);
        assert_eq!([s.at(160).ack(3), s.at(170).ack(3)], ["16", "17"], "7 and 8: not yet");
        assert_eq!(s.cuts(), 0);
        assert_eq!(s.at(180).ack(3), "", "9");
        assert_eq!((s.window(), s.cuts(), s.sender.counters().fast_recoveries), ((2.0, 2.0), 1, 1));
        assert_eq!(s.acks(3, 3), "", "10 to 12: it is decided");
        assert_eq!(s.at(250).ack(13), "");
        assert_eq!((s.window(), s.cuts()), ((2.0, 2.0), 1));
    });
}

// Δ is again between alpha and beta at segment 9, whose round trip was 150 ms: the decision is postponed to
// the next three duplicate ACKs. Segment 12, sent at 150 ms, had a round trip of 110 ms: Δ is 10.2 (1 -
// 100/110) = 0.9, wireless, and "it ignores the loss". Later duplicate ACKs do not reduce the window.
#[test]
fn six_more_duplicate_acks_reveal_a_wireless_loss() {
    each_configuration(|config| {
        let mut s = undecided(1.0, config);
        let before = s.window();
        assert_eq!(s.acks(3, 3), "16 17 18", "7 to 9");
        assert_eq!(s.at(260).acks(3, 3), "19 20 21", "10 to 12");
        assert_eq!(s.at(400).acks(3, 3), "22 23 24", "13 to 15 took 250 ms");
        assert_eq!((s.window(), s.cuts()), (before, 0));
    });
}

// Segments 3 and 7 are lost. The fourth and fifth duplicate ACKs are caused by 8 and 9, which only the ACK of
// the retransmitted 3 shows. The next three duplicates are caused by 10, 11 and 12: 12, sent at 150 ms, had a
// round trip of 150 ms, which leaves the loss undecided. Segment 15, sent at 150 ms, has a round trip of 180
// ms, and the loss is classified as congestion.
#[test]
fn a_partial_ack_restarts_the_duplicate_ack_count() {
    let mut s = undecided(1.0, rfc(10.0, 5.0));
    assert_eq!(s.at(180).acks(3, 2), "16 17", "8 and 9");
    assert_eq!(s.at(250).ack(7), "7+ 18");
    assert_eq!(s.at(300).acks(7, 3), "19 20 21", "10 to 12");
    assert_eq!((s.window().1, s.cuts()), (5.0, 0));
    assert_eq!(s.at(330).acks(7, 3), "22 23", "13 to 15");
    assert_eq!((s.window(), s.cuts()), ((2.0, 2.0), 1));
}

// The next loss is classified separately, independently of the duplicate ACKs for this loss.
#[test]
fn by_default_each_loss_is_classified_separately() {
    each_configuration(|config| {
        let mut s = undecided(0.0, config);
        s.at(180);
        assert_eq!(s.acks(3, 4), "16 17 18 19");
        assert_eq!(s.cuts(), 0);
    });
}
