//! Verdicts on packetdrill scripts: if Airhop behaves as a script expects, the script passes. A mismatch
//! fails at its line, and a line with a feature that is not modelled ends the script.

use airhop_packetdrill::{Verdict, check_script, check_variants};
use std::path::Path;

const ACCEPTED: &str = "
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+0 < S 0:0(0) win 32792 <mss 1000,sackOK,nop,wscale 7>
+0 > S. 0:0(0) ack 1 <...>
+.1 < . 1:1(0) ack 1 win 257
+0 accept(3, ..., ...) = 4
";

fn verdict(text: &str) -> Verdict {
    check_script(Path::new("x.pkt"), text).unwrap_or_else(|error| panic!("{error}"))
}

fn accepted(rest: &str) -> Verdict {
    verdict(&format!("{ACCEPTED}{rest}"))
}

#[track_caller]
fn passes(verdict: Verdict, expected: usize) {
    match verdict {
        Verdict::Pass { checks, until: None, skipped } if skipped.is_empty() => assert_eq!(checks, expected),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn fails(verdict: Verdict, line: usize, text: &str) {
    match verdict {
        Verdict::Fail { place, seen, .. } => {
            assert_eq!(place.line, line);
            assert!(seen.contains(text), "{seen}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_accepting_stack_sends_up_to_its_window() {
    let flight = "+0 write(4, ..., 20000) = 20000\n+0 > . 1:10001(10000) ack 1\n+.1 < . 1:1(0) ack 2001 win 257\n\
                  +0 > . 10001:14001(4000) ack 1\n+0 %{ assert tcpi_snd_cwnd == 12 and tcpi_unacked == 12 }%";
    passes(accepted(flight), 3);
}

/// The SYN contains the stack's own options, and the negotiated options depend on both SYNs.
#[test]
fn a_connecting_stack_agrees_with_the_peer() {
    let with = |options: &str, echoed: &str| {
        verdict(&format!(
            "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 connect(3, ..., ...) = 0\n\
             +0 > S 0:0(0) <mss 1460,sackOK,TS val 100 ecr 0,nop,wscale 8>\n\
             +.1 < S. 0:0(0) ack 1 win 5000 <{options}>\n+0 > . 1:1(0) ack 1 {echoed}\n\
             +0 %{{ assert 99000 <= tcpi_rtt <= 101000, tcpi_rtt }}%\n"
        ))
    };
    passes(with("mss 1000,sackOK,TS val 700 ecr 100", "<nop,nop,TS val 200 ecr 700>"), 2);
    passes(with("mss 1000,sackOK", ""), 2);
    fails(with("mss 1000,sackOK", "<nop,nop,TS val 200 ecr 700>"), 5, "timestamps option");
}

#[test]
fn a_failed_expectation_names_the_differing_field() {
    let data = "+0 write(4, ..., 1000) = 1000\n";
    fails(accepted(&format!("{data}+0 > P. 1:1002(1001) ack 1")), 10, "sequence numbers");
    fails(accepted(&format!("{data}+0 > P. 1:1001(1000) ack 2")), 10, "acknowledgement number");
    fails(accepted(&format!("{data}+0 > [ect0] P. 1:1001(1000) ack 1")), 10, "ECN field");
    fails(accepted(&format!("{data}+0 > PE. 1:1001(1000) ack 1")), 10, "flags");
    fails(accepted(&format!("{data}+.1 > P. 1:1001(1000) ack 1")), 10, "due at 0.200000 s");
    let hole = "+0 < . 1001:2001(1000) ack 1 win 257\n";
    fails(accepted(&format!("{hole}+0 > . 1:1(0) ack 1")), 10, "SACK blocks");
    fails(accepted(&format!("{hole}+0 > . 1:1(0) ack 1 <sack 1001:2002>")), 10, "SACK blocks");
    fails(
        accepted(&format!("{hole}+0 > . 1:1(0) ack 1 <TS val 1 ecr 1,sack 1001:2001>")),
        10,
        "timestamps option",
    );
    fails(accepted("+0 > P. 1:1001(1000) ack 1"), 9, "no segment was sent by 0.104000 s");
    fails(accepted("+0 %{ assert tcpi_snd_cwnd == 11 }%"), 9, "tcpi_snd_cwnd is 10");
}

#[test]
fn a_segment_may_be_early_or_late_by_the_tolerance() {
    let late = |tolerance: u32| {
        let head = format!("--tolerance_usecs={tolerance}\n");
        verdict(&format!("{head}{ACCEPTED}+0 write(4, ..., 1000) = 1000\n+.007 > P. 1:1001(1000) ack 1"))
    };
    passes(late(7000), 1);
    fails(late(6999), 11, "due at");
}

/// Reads return only the bytes that arrived in order.
#[test]
fn a_receiver_delivers_data_in_order() {
    let holes = "+0 < . 2001:3001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 1 <nop,nop,sack 2001:3001>\n\
                 +0 < . 1:1001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 1001 <nop,nop,sack 2001:3001>\n\
                 +0 recv(4, ..., 500, MSG_PEEK) = 500\n+0 read(4, ..., 5000) = 1000\n";
    passes(accepted(holes), 4);
    fails(accepted(&format!("{holes}+0 read(4, ..., 5000) = 1000")), 15, "0 bytes");
}

#[test]
fn a_blocking_read_returns_when_data_arrives() {
    let text =
        "+0...0.1 read(4, ..., 5000) = 1000\n+.1 < . 1:1001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 1001\n";
    passes(accepted(text), 2);
    fails(accepted("+0...0.1 read(4, ..., 5000) = 1000\n"), 9, "0 bytes");
}

/// A data segment carries the pending acknowledgement: no separate ACK follows, even after the delay has
/// elapsed.
#[test]
fn a_data_segment_carries_the_pending_ack() {
    let quick = "+0 < . 1:1001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 1001\n".to_owned();
    let both = "+0 < . 1001:2001(1000) ack 1 win 257\n+0 > . 1:1(0) ack 2001\n\
                +0 write(4, ..., 500) = 500\n+0 > P. 1:501(500) ack 2001\n\
                +.1 < . 2001:2001(0) ack 501 win 257\n+1 write(4, ..., 500) = 500\n+0 > P. 501:1001(500) ack 2001\n";
    passes(accepted(&(quick + both)), 4);
}

#[test]
fn the_retransmission_timer_backs_off() {
    let text = "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n+.3 > P. 1:1001(1000) ack 1\n\
                +.6 > P. 1:1001(1000) ack 1\n+0 %{ assert tcpi_ca_state == TCP_CA_Loss and tcpi_snd_cwnd == 1 }%";
    passes(verdict(&format!("`sysctl -q net.ipv4.tcp_early_retrans=0`{ACCEPTED}{text}")), 4);
}

#[test]
fn socket_options_and_route_settings_reach_the_connection() {
    let reno = "+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, \"reno\", 4) = 0\n+0 write(4, ..., 1000) = 1000\n\
                +0 > P. 1:1001(1000) ack 1\n";
    passes(accepted(reno), 1);
    let initial = format!("`ip route change 192.0.2.0/24 dev tun0 initcwnd 3`{ACCEPTED}");
    passes(verdict(&format!("{initial}+0 write(4, ..., 9000) = 9000\n+0 > . 1:3001(3000) ack 1")), 1);
    let small = "+0 setsockopt(4, SOL_TCP, TCP_MAXSEG, [400], 4) = 0\n+0 write(4, ..., 800) = 800\n";
    passes(accepted(&format!("{small}+0 > . 1:401(400) ack 1\n+0 > P. 401:801(400) ack 1")), 2);
}

/// A feature that is not modelled ends the script without a failure. Without an earlier check there is no
/// verdict.
#[test]
fn an_unmodelled_feature_ends_the_script_without_failure() {
    let unmodelled = [
        ("+0 < R. 1:1(0) ack 1 win 257", "an inbound segment with R."),
        ("+0 < . 1:1(0) ack 9999 win 257", "an ACK of data that was never sent"),
        ("+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0", "TCP_CORK"),
        ("+0 send(4, ..., 10, MSG_MORE) = 10", "MSG_MORE"),
        ("+0 `tc qdisc replace dev tun0 root pfifo limit 0`", "limit 0"),
        ("+0 `sysctl -q net.ipv4.tcp_mtu_probing=1`", "tcp_mtu_probing=1"),
        ("+0 < icmp unreachable frag_needed mtu 1200", "icmp"),
        ("+0 setsockopt(4, SOL_TCP, TCP_CONGESTION, \"bic\", 3) = 0", "congestion control bic"),
    ];
    for (text, reason) in unmodelled {
        match accepted(text) {
            Verdict::NotApplicable(note) => {
                assert!(note.text.contains(reason), "{}", note.text);
                assert_eq!(note.position.line, 9);
            }
            other => panic!("{text}: {other:?}"),
        }
        let checked =
            "+0 write(4, ..., 1000) = 1000\n+0 > P. 1:1001(1000) ack 1\n+.1 < . 1:1(0) ack 1001 win 257\n";
        match accepted(&format!("{checked}{text}")) {
            // Data has been sent, so later settings have no effect.
            Verdict::Pass { checks: 1, until: Some(note), .. } => assert_eq!(note.position.line, 12),
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn an_unmodelled_tcp_info_member_is_reported_as_skipped() {
    match accepted("+0 %{ assert tcpi_reordering == 3 }%\n+0 %{ assert tcpi_snd_cwnd == 10 }%") {
        Verdict::Pass { checks: 1, until: None, skipped } => {
            assert_eq!(skipped[0].text, "no counterpart of tcpi_reordering");
        }
        other => panic!("{other:?}"),
    }
}

/// A FIN that is sent together with data is part of the last segment; a received FIN is not a byte for the
/// application.
#[test]
fn fins_close_both_sides() {
    let joined = "+0 setsockopt(4, SOL_TCP, TCP_NODELAY, [1], 4) = 0\n+0 write(4, ..., 10500) = 10500\n\
                  +0 > P. 1:10001(10000) ack 1\n+0 close(4) = 0\n+.1 < . 1:1(0) ack 10001 win 257\n\
                  +0 > FP. 10001:10501(500) ack 1\n+.1 < F. 1:1(0) ack 10502 win 257\n+0 > . 10502:10502(0) ack 2\n";
    passes(accepted(joined), 3);
    match accepted(&format!("{joined}+0 < . 2:2(0) ack 10502 win 257")) {
        Verdict::Pass { checks: 3, until: Some(note), .. } => {
            assert!(note.text.contains("closed"), "{}", note.text)
        }
        other => panic!("{other:?}"),
    }
    let heard = "+0 < F. 1:101(100) ack 1 win 257\n+0 > . 1:1(0) ack 102\n+0 read(4, ..., 500) = 100\n";
    passes(accepted(heard), 2);
    fails(accepted(&heard.replace("= 100", "= 101")), 11, "100 bytes");
}

/// A complete script must expect every segment that is sent; other scripts ignore additional segments.
#[test]
fn a_complete_script_must_expect_every_sent_segment() {
    let one_of_two = "+0 write(4, ..., 2000) = 2000\n+0 > . 1:1001(1000) ack 1\n";
    passes(accepted(one_of_two), 1);
    fails(accepted(&format!("--complete\n{one_of_two}")), 11, "1001:2001(1000)");
}

/// PSH is compared where a script asks for it: the last segment of a write has PSH (RFC 9293 §3.9.1.2).
#[test]
fn psh_is_compared_only_if_the_script_has_it() {
    let unpushed = "+0 write(4, ..., 2000) = 2000\n+0 > . 1:2001(2000) ack 1\n";
    passes(accepted(unpushed), 1);
    fails(accepted(&format!("--push\n{unpushed}")), 11, "differs: flags");
}

/// A script names further senders by preset, scheme and recovery; any other word causes an error that names
/// the word.
#[test]
fn a_script_names_senders_by_preset_scheme_and_recovery() {
    let flight = |also: &str| {
        let text = format!(
            "--also={also}\n{ACCEPTED}+0 write(4, ..., 20000) = 20000\n+0 > . 1:10001(10000) ack 1\n"
        );
        check_variants(Path::new("x.pkt"), &text)
    };
    let judged = flight("rfc:tahoe, ns2:sack:rate-halving").expect("two senders");
    let names: Vec<&str> = judged.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["rfc:tahoe", "ns2:sack:rate-halving"]);
    judged.into_iter().for_each(|(_, verdict)| passes(verdict, 1));
    for (also, error) in [
        ("rfc", "`rfc`: expected preset:scheme[:recovery]"),
        ("bsd:reno", "`bsd:reno`: bsd is no preset"),
        ("rfc:tacho", "`rfc:tacho`: tacho is no scheme"),
        ("rfc:sack:best", "`rfc:sack:best`: best is no recovery"),
    ] {
        assert_eq!(flight(also).unwrap_err(), format!("x.pkt: {error}"));
    }
}
