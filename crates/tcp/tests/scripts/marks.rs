//! ECN marks echoed by the receiver, compared with RFC 3168, ns-2 and Linux: the windows after given ACKs.

use crate::common::script::{Script, ten, ten_of};
use crate::common::{byte, linux, ns2, rfc};
use airhop_base::{Flags, RareOptions, Sack, SackBlock, Segment};
use airhop_tcp::Config;

/// Returns the window after each ACK of the segments from 3 on; ACKs with `true` echo a mark.
fn windows(s: &mut Script, echoes: &[bool]) -> Vec<f64> {
    let ack = |(n, &ece): (u64, &bool)| {
        if ece {
            s.ece(n)
        } else {
            s.ack(n)
        };
        s.window().0
    };
    (3..).zip(echoes).map(ack).collect()
}

// RFC 3168 §6.1.2: "The sender SHOULD NOT increase the congestion window in response to the receipt of an
// ECN-Echo ACK packet"; in ns-2 the window also does not grow (TcpAgent::recv_newack_helper()). Only the
// first echo reduces the window: according to the RFC to half of the nine segments that are still
// outstanding, in ns-2 to half of 10.1. ACKs without an echo increase the window again.
#[test]
fn an_ack_with_ece_does_not_grow_the_window() {
    let echoes = [true, true, true, true, false, false];
    for (config, cut) in [(rfc(10.0, 5.0), 4.5), (ns2(10.0, 5.0), 5.05)] {
        let mut s = ten(Config { ecn: true, ..config });
        let grown = [cut, cut, cut, cut, cut + 1.0 / cut, cut + 1.0 / cut + 1.0 / (cut + 1.0 / cut)];
        assert_eq!(windows(&mut s, &echoes), grown);
        assert_eq!(s.cuts(), 1);
    }
}

// An ACK with ECE does not increase the window in slow start either, where an ACK increases it by a whole
// segment. DCTCP follows this rule, too (RFC 8257 §3.4, "window increase … as in conventional TCP").
#[test]
fn an_ack_with_ece_does_not_grow_the_window_in_slow_start() {
    for scheme in ["newreno", "cubic", "dctcp"] {
        let mut s = Script::new(scheme, Config { ecn: true, ..rfc(10.0, f64::INFINITY) });
        s.opening();
        s.at(100);
        s.ack(2);
        let grown = windows(&mut s, &[true, true, true]);
        assert!(grown[0] < 10.0 && grown.iter().all(|&w| w == grown[0]), "{scheme}: {grown:?}");
    }
}

// Linux, tcp_cong_control() and TCP_CA_CWR: the window does not grow before all data outstanding at the
// reduction, and one further segment, which carries CWR, are acknowledged. Eleven segments were outstanding.
#[test]
fn linux_does_not_grow_the_window_during_an_ecn_reduction() {
    for scheme in ["reno", "cubic", "westwood-plus", "veno"] {
        let mut s = ten_of(scheme, Config { ecn: true, delayed_ack: None, ..linux(10.0, 5.0) });
        let cut = windows(&mut s, &[true])[0];
        assert!(cut < 10.0, "{scheme}");
        let acks = (4..=12).map(|n| (s.ack(n), s.window().0).1).collect::<Vec<f64>>();
        assert!(acks.iter().all(|&w| w == cut), "{scheme}: {acks:?}");
        assert_eq!(s.cuts(), 1, "{scheme}");
    }
    let mut s = ten(Config { ecn: true, ..linux(10.0, 5.0) });
    assert_eq!(windows(&mut s, &[true]), [5.0]);
    (4..=12).for_each(|n| drop(s.ack(n)));
    assert_eq!(s.window().0, 5.0);
    s.at(200).ack(13);
    assert_eq!(s.window().0, 5.0 + 1.0 / 5.0);
}

// A timeout ends the reduction: slow start may begin, regardless of the data outstanding at the mark (Linux,
// tcp_enter_loss()).
#[test]
fn a_timeout_ends_the_ecn_reduction() {
    let mut s = ten(Config { ecn: true, tlp: false, frto: false, ..linux(10.0, 5.0) });
    s.ece(3);
    while s.sender.counters().timeouts == 0 {
        s.expire();
    }
    assert_eq!(s.window().0, 1.0);
    s.after(100).ack(4);
    assert_eq!(s.window().0, 2.0);
}

// Linux, tcp_enter_cwr() and tcp_cwnd_reduction(): PRR reduces the flight from a window of 10 to a window of
// 5: it sends CEIL(delivered · 5 / 10) - out segments while more than 5 are in flight. RFC 3168 does not
// specify this reduction; without PRR no segment is sent until fewer than 5 are in flight.
#[test]
fn linux_reduces_the_flight_by_prr_after_a_mark() {
    for (prr, sent) in [
        (true, ["12", "", "13", "", "14", "", "15", "", ""]),
        (false, ["", "", "", "", "", "12", "13", "14", "15"]),
    ] {
        let mut s = ten(Config { ecn: true, prr, ..linux(10.0, 5.0) });
        let mut answers = vec![s.ece(3)];
        answers.extend((4..=11).map(|n| s.ack(n)));
        assert_eq!(answers, sent, "{prr}");
        assert_eq!((s.sender.in_flight(), s.window()), (5000, (5.0, 5.0)));
        assert_eq!([s.at(200).ack(12), s.ack(13)], ["16", "17"]);
        assert_eq!(s.window(), (5.2, 5.0)); // the reduction has ended
    }
}

// Linux, PRR (RFC 9937 §5): while the flight is below ssthresh, an ACK releases as many segments as it
// delivers. It releases one segment more if it advances SND.UNA and shows no further loss (SafeACK).
// Therefore data written by the application after a mark causes no burst.
#[test]
fn linux_sends_no_burst_after_a_mark() {
    let mut s = Script::of("reno", Config { ecn: true, ..linux(10.0, 10.0) }, 3);
    assert_eq!(s.sent(), "1 2 3");
    s.at(100).ece(2);
    s.sender.supply_data(10_000);
    assert_eq!(s.sent(), "4 5");
    assert_eq!(s.window(), (5.0, 5.0));
}

// RFC 3168 §6.1.2: the window "should be reduced only once in response to a series of dropped and/or CE packets from a
// single window of data"; ns-2 (RenoTcpAgent::dupack_action()) and Linux (tcp_enter_recovery() in TCP_CA_CWR) repair
// the loss without a reduction. A lost segment that was sent after the mark belongs to another window of data.
#[test]
fn a_mark_and_a_loss_in_one_window_reduce_once() {
    for (name, config) in [("rfc", rfc(10.0, 5.0)), ("ns2", ns2(10.0, 5.0)), ("linux", linux(10.0, 5.0))] {
        for scheme in ["newreno", "sack", "cubic"] {
            let mut s = ten_of(scheme, Config { ecn: true, ..config });
            s.ece(3);
            let left = s.window().1;
            s.at(101).sack(3, &[(4, 4)]);
            s.sack(3, &[(4, 5)]);
            assert!(s.sack(3, &[(4, 6)]).contains("3!"), "{name} {scheme}");
            assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (1, 1), "{name} {scheme}");
            assert_eq!(s.window().1, left, "{name} {scheme}");
        }
    }
}

// Linux, tcp_enter_loss(): a timeout in TCP_CA_CWR leaves ssthresh at the value set for the mark.
#[test]
fn a_timeout_after_a_mark_keeps_ssthresh() {
    let mut s = ten(Config { ecn: true, tlp: false, frto: false, ..linux(10.0, 5.0) });
    s.ece(3);
    while s.sender.counters().timeouts == 0 {
        s.expire();
    }
    assert_eq!(s.window(), (1.0, 5.0));
}

// RFC 3168 §6.1.2: "the TCP sender … SHOULD reset the retransmit timer on receiving the ECN-Echo packet when
// the congestion window is one". The next segment is then sent with CWR, without a reduction.
#[test]
fn a_mark_at_a_window_of_one_restarts_the_timer() {
    let mut s = Script::new("newreno", Config { ecn: true, ..rfc(1.0, 1.0) });
    assert_eq!(s.sent(), "1");
    let rto = s.rto().millis_f64();
    let ack = s.pure_ack();
    let flags = Flags { ece: true, ..ack.flags };
    s.at(100).arrives(Segment { ack: byte(1), flags, ..ack.clone() });
    assert_eq!((s.window(), s.cuts(), s.due()), ((1.0, 1.0), 0, Some(100.0 + rto)));
    s.at(150).arrives(Segment { ack: byte(2), ..ack });
    assert!(s.segments()[0].flags.cwr);
}

// Linux, PRR after an echo on a duplicate ACK, which is not a SafeACK: the segment that the ACK delivers
// releases one segment, not two (RFC 9937 §6.2).
#[test]
fn linux_sends_one_segment_per_duplicate_ack_with_ece() {
    let mut s = Script::of("reno", Config { ecn: true, ..linux(10.0, 10.0) }, 3);
    assert_eq!(s.sent(), "1 2 3");
    let ack = s.pure_ack();
    let flags = Flags { ece: true, ..ack.flags };
    let mut sack = Sack::EMPTY;
    sack.push(SackBlock { start: byte(2), end: byte(3) });
    let options = RareOptions { sack, ..RareOptions::NONE };
    s.at(100).arrives(Segment { ack: byte(1), flags, ..ack }.with_rare_options(options));
    s.sender.supply_data(10_000);
    assert_eq!(s.sent(), "4");
    assert_eq!(s.window(), (5.0, 5.0));
}
