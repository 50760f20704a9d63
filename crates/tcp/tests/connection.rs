//! Opening, initial windows, flow control: RFC 9293, RFC 5681 §3.1, RFC 6928.

use crate::common;
use crate::common::path::{Path, Transfer};
use crate::common::script::Script;
use crate::common::{MSS, at, byte, ns2, rfc, sender};
use airhop_base::{Body, Flags, FlowId, NodeId, Packet, Segment};
use airhop_tcp::{Config, DelayedAck, Preset};

fn opening(path: Path, config: Config) -> String {
    let mut t = Transfer::new("reno", &config, path, 100);
    t.run_until(at(1110));
    t.trace()
}

// RFC 9293 §3.5; RFC 6928: ten segments of 1000 bytes follow the ACK of the SYN-ACK. The SYN-ACK and its ACK
// do not increase the window (RFC 5681 §3.1). Five delayed ACKs then release fifteen segments.
#[test]
fn ten_segments_follow_the_handshake() {
    let trace = opening(Path::of(50), Preset::Rfc.config(MSS));
    let first: Vec<_> = trace.lines().take(3).collect();
    assert_eq!(
        first,
        [
            "     0.0  SYN",
            "   100.0  ACK 1 2 3 4 5 6 7 8 9 10",
            "   200.0  11 12 13 14 15 16 17 18 19 20 21 22 23 24 25"
        ]
    );
}

// RFC 9293 §3.1, §3.5: every segment except the SYN has the ACK flag, the byte after the receiver's SYN as
// acknowledgement number, and the window. Only data segments carry options of schemes.
#[test]
fn every_segment_after_the_syn_has_the_ack_flag() {
    for scheme in ["reno", "hack", "tcp-cc"] {
        let config = Preset::Rfc.config(MSS);
        let mut s = Script::new(scheme, config);
        let syn = s.segments().remove(0);
        let has_more = |s: &Segment| s.has_header_checksum || s.options.contention_time.is_some();
        assert!(syn.flags.syn && !syn.flags.ack && syn.ack == 0 && !has_more(&syn), "{scheme}");
        s.at(100).open();
        let answers = s.segments();
        assert_eq!(answers.iter().map(|s| s.len).collect::<Vec<_>>(), [[0].as_slice(), &[MSS; 10]].concat());
        for answer in &answers {
            let flags = Flags { ack: true, ..Flags::default() };
            assert_eq!(
                (answer.flags, answer.ack, answer.window),
                (flags, 1, config.receive_window),
                "{scheme}"
            );
            assert_eq!(answer.sent, at(100));
            assert_eq!(has_more(answer), answer.len > 0 && scheme != "reno", "{scheme}");
        }
    }
}

// RFC 9293 §3.10.7.3: in SYN-SENT an ACK without a SYN does not open the connection. RFC 6298 §2.2: without timestamps
// the SYN gives an RTT sample.
#[test]
fn only_a_syn_ack_opens_and_yields_an_rtt_sample() {
    let mut s = Script::new("reno", Config { timestamps: false, ..Preset::Rfc.config(MSS) });
    assert_eq!(s.sent(), "SYN");
    assert_eq!(s.at(80).sack_bytes(0, &[]), "");
    assert_eq!(s.at(100).syn_ack(), "ACK 1 2 3 4 5 6 7 8 9 10");
    assert_eq!(s.sender.srtt(), Some(at(100).since(at(0))));
}

// RFC 6298 §5.5 on the SYN. RFC 5681 §3.1: after a lost SYN or SYN-ACK the initial window is one segment. RFC
// 6298 §5.7: the timeout starts at three seconds. Without timestamps, Karn's rule leaves no sample.
#[test]
fn a_lost_syn_or_syn_ack_sets_the_initial_window_to_one() {
    for timestamps in [false, true] {
        let config = Config { timestamps, ..Preset::Rfc.config(MSS) };
        let syn = Path { lost_syns: 1, ..Path::of(50) };
        let syn_ack = Path { lost_syn_acks: 1, ..Path::of(50) };
        for path in [syn, syn_ack] {
            let mut t = Transfer::new("reno", &config, path, 100);
            t.run_until(at(1110));
            assert_eq!(t.trace(), "     0.0  SYN\n  1000.0  SYN\n  1100.0  ACK 1");
            assert_eq!(t.sender.poll_timeout(), Some(at(4100)));
            assert_eq!(t.sender.srtt().is_some(), timestamps);
        }
    }
}

#[test]
fn two_lost_syns_back_the_timer_off() {
    let mut t = Transfer::new("reno", &Preset::Rfc.config(MSS), Path { lost_syns: 2, ..Path::of(50) }, 1);
    t.run_until(at(4000));
    assert_eq!(t.trace(), "     0.0  SYN\n  1000.0  SYN\n  3000.0  SYN\n  3100.0  ACK 1");
    assert_eq!(t.receiver.delivered_bytes(), 1000);
}

// RFC 6928 §2: min(10 MSS, max(2 MSS, 14600)); ns-2.35: windowInit_ 2.
#[test]
fn initial_windows_match_rfc_6928_and_ns2() {
    for (preset, mss, segments) in [
        (Preset::Ns2, 1000, 2),
        (Preset::Ns2, 1460, 2),
        (Preset::Rfc, 1000, 10),
        (Preset::Linux, 1460, 10),
        (Preset::Rfc, 4000, 3),
        (Preset::Rfc, 9000, 2),
    ] {
        let config = Config { handshake: false, ..preset.config(mss) };
        let mut s = sender("reno", &[], &config);
        s.supply_data(1_000_000);
        let sent = std::iter::from_fn(|| s.poll_transmit(at(0))).count();
        assert_eq!(sent, segments, "{preset:?} {mss}");
    }
}

// RFC 9293 §3.8.6: no transmission beyond the right edge; RFC 5681 §2: an ACK that moves the edge is not a
// duplicate ACK.
#[test]
fn the_receive_window_limits_transmissions() {
    let mut s = Script::new("reno", Config { receive_window: 4000, ..rfc(10.0, 5.0) });
    assert_eq!(s.sent(), "1 2 3 4");
    assert_eq!(s.at(100).ack(2), "5");
    assert_eq!(s.update(2, 6000), "6 7");
    assert_eq!((s.update(2, 7000), s.update(2, 8000)), ("8".into(), "9".into()));
    assert_eq!(s.sender.state().dupacks, 0);
    // RFC 9293 §3.8.6: a smaller window does not retract the offered window.
    assert_eq!(s.update(3, 5000), "");
    assert_eq!(s.update(6, 5000), "10");
    // The initial window of the receiver is the configured window, unless the test sets another window.
    let mut s = Script::new("reno", rfc(10.0, 5.0));
    s.sender.set_initial_receive_window(3000);
    assert_eq!(s.sent(), "1 2 3");
}

// RFC 9293 §3.10.7.4: "If the ACK acks something not yet sent, ... drop the segment".
#[test]
fn an_ack_of_data_never_sent_is_ignored() {
    for scheme in ["tahoe", "reno", "newreno", "sack", "ll-elsn"] {
        let mut s = Script::new(scheme, rfc(4.0, 2.0));
        s.sent();
        let (window, due) = (s.window(), s.due());
        assert_eq!(s.at(100).acks(50, 5), "");
        assert_eq!((s.window(), s.due(), s.sender.state().una), (window, due, 1));
        assert_eq!(s.ack(2), "5");
    }
}

// RFC 9293 §3.10.7.4, fifth: "If the ACK bit is off, drop the segment and return", regardless of its acknowledgement
// field. No data can be acknowledged before the connection is open.
#[test]
fn segments_without_ack_are_ignored() {
    let mut s = Script::new("reno", rfc(4.0, 2.0));
    assert_eq!(s.sent(), "1 2 3 4");
    s.at(100).arrives(Segment { ack: byte(3), window: 1 << 40, ..Segment::default() });
    assert_eq!((s.sent(), s.sender.state().una), (String::new(), 1));

    let mut closed = sender("reno", &[], &Config { receive_window: 2000, ..rfc(4.0, 2.0) });
    let flags = Flags { ack: true, ..Flags::default() };
    let ack = Segment { ack: 1, window: 9000, flags, ..Segment::default() };
    closed.on_segment(at(0), &Packet::new(FlowId(0), NodeId(1), NodeId(0), 40, Body::Tcp(ack)));
    assert_eq!(closed.state().right_edge, 2001);
}

// An ACK below `una` (reordered on the path) is ignored.
#[test]
fn an_old_ack_is_ignored() {
    let mut s = Script::new("reno", rfc(4.0, 2.0));
    s.sent();
    assert_eq!(s.at(100).ack(4), "5 6 7");
    assert_eq!(s.acks(2, 5), "");
    assert_eq!(s.sender.state().dupacks, 0);
}

// RFC 5681 §3.1 with RFC 9293 §3.8.6.3: the window grows by one segment per ACK, and the receiver sends an
// ACK per two segments. In slow start the window therefore grows by a half per round.
#[test]
fn delayed_acks_halve_slow_start_growth() {
    let delayed_ack = Some(DelayedAck { segments: 2, timeout: common::at(40).since(at(0)) });
    let config = Config { delayed_ack, ..ns2(4.0, f64::INFINITY) };
    let mut t = Transfer::new("reno", &config, Path::of(100), 1000);
    t.run_until(at(999));
    // The ACKs per round are 2, then 3; the 9 segments of the next round cause 4 ACKs and, 40 ms later, one
    // ACK for the odd segment.
    insta::assert_snapshot!(t.rounds(), @r"
    0   4   4.00
    1   6   6.00
    2   9   9.00
    3  14  14.00
    4  21  21.00
    ");
}
