//! Nagle's algorithm: RFC 9293 §3.7.4, RFC 1122 §4.2.3.4, and Minshall's variant as in Linux.

use crate::common::script::Script;
use crate::common::{MSS, byte, linux, ns2, rfc};
use airhop_tcp::Config;

/// Returns a sender whose application has written two and a half segments, and the segments that it sent.
fn with_a_tail(config: Config, nagle: bool) -> (Script, String) {
    let config = Config { nagle, ..config };
    let sender = crate::common::sender("newreno", &[], &config);
    let mut s = Script::by(sender, &config, 2 * u64::from(MSS) + 500);
    let sent = s.sent();
    (s, sent)
}

// RFC 9293 §3.7.4: "buffers all user data …, until the outstanding data have been acknowledged or until the
// TCP endpoint can send a full-sized segment". Data written meanwhile is sent in one segment.
#[test]
fn nagle_delays_a_small_segment_while_data_is_outstanding() {
    for config in [rfc(10.0, 5.0), ns2(10.0, 5.0)] {
        let (mut s, sent) = with_a_tail(config, true);
        assert_eq!(sent, "1 2");
        assert_eq!(s.at(100).ack(2), "");
        s.sender.supply_data(499);
        assert_eq!(s.sent(), "", "one byte less than a segment");
        s.sender.supply_data(1);
        assert_eq!(s.sent(), "3");
        s.sender.supply_data(100);
        assert_eq!((s.sent(), s.ack(3)), (String::new(), String::new()));
        assert_eq!(s.ack(4), "4");
    }
}

// Linux, tcp_minshall_check(): a partial segment waits for the ACK of the previous partial segment, not for
// ACKs of full segments.
#[test]
fn minshall_nagle_waits_for_the_last_partial_segment() {
    let (mut s, sent) = with_a_tail(linux(10.0, 5.0), true);
    assert_eq!(sent, "1 2 3");
    s.sender.supply_data(100);
    assert_eq!((s.sent(), s.at(100).ack(3)), (String::new(), String::new()));
    assert_eq!(s.sack_bytes(byte(3) + 500, &[]), "3");
}

// TCP_NODELAY may be set at any time, and is off by default.
#[test]
fn nagles_algorithm_can_be_disabled() {
    for config in [rfc(10.0, 5.0), ns2(10.0, 5.0), linux(10.0, 5.0)] {
        assert_eq!(with_a_tail(config, false).1, "1 2 3");
        let (mut s, _) = with_a_tail(config, true);
        s.sender.supply_data(100);
        s.sender.set_nagle(false);
        assert!(s.sent().ends_with('3'));
        s.sender.set_nagle(true);
        s.sender.supply_data(100);
        assert_eq!(s.sent(), "");
    }
}

// Retransmissions of any length are sent at once: after a timeout all data is outstanding.
#[test]
fn nagle_does_not_delay_retransmissions() {
    let (mut s, sent) = with_a_tail(ns2(10.0, 5.0), false);
    assert_eq!(sent, "1 2 3");
    s.sender.set_nagle(true);
    assert_eq!(s.expire().1, "1t");
    s.after(10);
    assert_eq!(s.ack(2), "2t 3t");
}
