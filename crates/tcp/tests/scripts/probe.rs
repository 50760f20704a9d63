//! Times of tail loss probes (RFC 8985 §7) for given ACKs at given times.

use crate::common::script::Script;
use crate::common::{linux, rfc};
use airhop_tcp::{Config, LossDetection, Preset};

// RFC 8985 §7.2: PTO is 2 · SRTT if "SRTT is available", which the handshake ensures (RFC 6298 §2.2), plus 2
// ms (Linux). If all five segments are lost, the last is retransmitted after two round trips instead of after
// a second.
#[test]
fn the_first_probe_uses_the_rtt_of_the_handshake() {
    let mut s = Script::of("reno", Config { handshake: true, ..linux(10.0, f64::INFINITY) }, 5);
    assert_eq!(s.sent(), "SYN");
    assert_eq!(s.at(50).syn_ack(), "ACK 1 2 3 4 5");
    assert_eq!(s.expire(), (152.0, "5p".into()));
}

/// Simulates the loss of the last segments of a flight, whose probe and retransmission are acknowledged, and
/// the loss of the next flight. Returns true if the sender sends a second probe before the timer expires.
fn probes_again(config: Config) -> bool {
    let mut s = Script::of("reno", config, 4);
    assert_eq!(s.sent(), "1 2 3 4");
    let ack = |s: &mut Script, n, ms| if config.timestamps { s.echo(n, ms) } else { s.ack(n) };
    ack(s.at(100), 3, 0);
    assert_eq!(s.expire(), (302.0, "4p".into()));
    assert_eq!(s.at(402).sack(3, &[(4, 4)]), "3!");
    ack(s.at(502), 5, 402);
    s.sender.supply_data(2000);
    assert_eq!(s.sent(), "5 6");
    while s.sender.counters().timeouts == 0 {
        if s.expire().1.contains('p') {
            return true;
        }
    }
    false
}

// RFC 8985 §7.3 (3): a probe requires an "RTT measurement since the last loss probe". ACKs of segments that
// were sent twice provide none (Karn's rule), unless they echo timestamps (RFC 7323 §4.1). Linux has no such
// condition (tcp_send_loss_probe()).
#[test]
fn a_probe_requires_an_rtt_sample_since_the_last_probe() {
    let rack = |timestamps| Config {
        loss_detection: LossDetection::Rack,
        tlp: true,
        timestamps,
        ..rfc(4.0, f64::INFINITY)
    };
    assert!(!probes_again(rack(false)));
    assert!(probes_again(rack(true)));
    assert!(probes_again(linux(4.0, f64::INFINITY)));
}

// RFC 8985 §7.2: the probe timer restarts for new data, sent or acknowledged, but not for a duplicate ACK
// without new information, here with a D-SACK.
#[test]
fn an_ack_without_new_information_does_not_postpone_a_probe() {
    let mut s = Script::of("reno", linux(4.0, f64::INFINITY), 6);
    s.sent();
    assert_eq!(s.at(100).ack(3), "5 6");
    assert_eq!(s.due(), Some(302.0));
    s.at(150).ack(3);
    s.at(200).dsack(3, 2);
    assert_eq!(s.expire(), (302.0, "6p".into()));
}

// Linux, tcp_dsack_seen(): the D-SACK of a probe does not increase RACK's reordering window, even after
// reordering was detected. The window stays at 25 ms, a quarter of the minimum round trip, plus 2 ms; by RFC
// 8985 §6.2 step 4 the quarter would double.
#[test]
fn linux_ignores_the_d_sack_of_a_probe_in_rack() {
    for (stack, wait) in [(Preset::Linux, 27.0), (Preset::Rfc, 50.0)] {
        let mut s = Script::of("reno", Config { stack, undo: false, ..linux(4.0, f64::INFINITY) }, 6);
        s.sent();
        s.at(100).sack(1, &[(2, 2)]);
        s.at(101).ack(5); // 1 was late
        assert!(s.expire().1.ends_with("6p"));
        s.at(400).ack(7);
        s.at(410).dsack(7, 6);
        s.at(500).sender.supply_data(2000);
        assert_eq!(s.sent(), "7 8");
        s.at(600).sack(7, &[(8, 8)]);
        assert_eq!(s.due(), Some(600.0 + wait), "{stack:?}");
    }
}
