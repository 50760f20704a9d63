//! Echoes in ACKs: ECN marks, timestamps, and the number of a damaged segment.

use super::*;

// RFC 3168 §6.1.3: ACKs carry ECE from the first CE until CWR. A change of ECE causes an immediate ACK.
#[test]
fn acks_carry_ece_from_the_first_ce_until_cwr() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    let mut b = Bench::new(Config { delayed_ack: Some(delay), ecn: true, ..plain() });
    let echo = |answers: Vec<Segment>| answers.iter().map(|s| s.flags.ece).collect::<Vec<_>>();
    assert_eq!(echo(b.give_marked(ms(1), segment(1, 500), Ecn::Ce)), [true]);
    assert!(b.give_marked(ms(2), segment(501, 500), Ecn::Ect0).is_empty());
    assert_eq!(echo(b.give_marked(ms(3), segment(1001, 500), Ecn::Ect0)), [true]);
    let mut cwr = segment(1501, 500);
    cwr.flags.cwr = true;
    assert_eq!(echo(b.give_marked(ms(4), cwr.clone(), Ecn::Ect0)), [false]);
    // A segment with both a mark and CWR restarts the echo.
    cwr.seq = 2001;
    assert_eq!(echo(b.give_marked(ms(5), cwr, Ecn::Ce)), [true]);
}

// Xu, Tian and Ansari 2004: an ACK carries ECE if a mark arrived since the last ACK. CWR has no effect.
#[test]
fn each_congestion_warning_is_echoed_once() {
    let features = ReceiverFeatures { echo_mode: EchoMode::EachMark, ..ReceiverFeatures::NONE };
    let mut b = Bench { receiver: Receiver::new(FlowId(7), NodeId(2), NodeId(1), &plain(), features) };
    let echoes = [Ecn::Ect0, Ecn::Ce, Ecn::Ect0, Ecn::Ce, Ecn::Ce].iter().zip(0..).map(|(&ecn, n)| {
        let answers = b.give_marked(ms(n), segment(1 + 500 * n, 500), ecn);
        answers.iter().any(|s| s.flags.ece)
    });
    assert_eq!(echoes.collect::<Vec<_>>(), [false, true, false, true, true]);
}

// Balan et al. 2001 (HACK): an ACK reports a damaged segment at once, unless the segment arrived intact
// before.
#[test]
fn intact_segments_are_not_reported_as_damaged() {
    let mut b = Bench::new(plain());
    b.data(1, 501);
    b.data(1001, 1501);
    for (seq, reported) in
        [(1, None), (501, Some(Eln::Segment(501))), (1001, None), (1501, Some(Eln::Segment(1501)))]
    {
        let damaged = Packet { has_payload_errors: true, ..packet(segment(seq, 500), Ecn::NotEct) };
        b.receiver.on_segment(ms(9), &damaged);
        assert_eq!(b.answers(ms(9)).first().and_then(|s| s.options.eln), reported, "segment at {seq}");
    }
}

fn stamped(seq: u64, value: u32) -> Segment {
    Segment { timestamps: Some(Timestamps { tsval: value, tsecr: 0 }), ..segment(seq, 500) }
}

// RFC 7323 §4.3: the situations (A), (B) and (C).
#[test]
fn timestamp_echo_follows_rfc_7323_cases_a_to_c() {
    let echo = |answers: &[Segment]| answers[0].timestamps.unwrap().tsecr;
    // (A) Delayed ACKs: an ACK echoes the timestamp of the first segment since the last ACK.
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    let mut b = Bench::new(Config { timestamps: true, delayed_ack: Some(delay), ..plain() });
    assert!(b.give(ms(10), stamped(1, 1)).is_empty());
    let acks = b.give(ms(12), stamped(501, 2));
    assert_eq!((echo(&acks), acks[0].timestamps.unwrap().tsval), (1, 12));
    // (B), (C) A hole is opened and filled: ACKs echo the timestamp of the last segment that advanced the
    // window, then of the segment that filled the hole.
    let mut b = Bench::new(Config { timestamps: true, ..plain() });
    assert_eq!(echo(&b.give(ms(1), stamped(1, 1))), 1);
    assert_eq!(echo(&b.give(ms(2), stamped(1001, 3))), 1);
    assert_eq!(echo(&b.give(ms(3), stamped(2001, 5))), 1);
    assert_eq!(echo(&b.give(ms(4), stamped(501, 2))), 2);
    assert_eq!(echo(&b.give(ms(5), stamped(1501, 4))), 4);
    // An older timestamp never replaces a newer one.
    assert_eq!(echo(&b.give(ms(6), stamped(1, 1))), 4);
}

// RFC 7323 §4.3 (1): the SYN-ACK is the first segment with an ACK field. The next ACK therefore echoes the
// timestamp of the first data segment. The timestamp of the SYN would double the first RTT sample.
#[test]
fn the_timestamp_of_the_first_data_segment_is_echoed() {
    let mut b = Bench::new(Config { handshake: true, timestamps: true, ..plain() });
    let syn = Segment { seq: 0, len: 0, flags: Flags { syn: true, ..Flags::default() }, ..stamped(0, 1) };
    let echoed: Vec<u32> = [syn, stamped(1, 60), stamped(501, 61)]
        .into_iter()
        .map(|s| b.give(ms(100), s)[0].timestamps.unwrap().tsecr)
        .collect();
    assert_eq!(echoed, [1, 60, 61]);
}

// RFC 7323 §3.2: TSecr echoes a timestamp of the peer. Without a handshake the first arrival stands for the
// SYN: ACKs of later segments echo its timestamp, until the expected segment arrives. A measurement of
// ns-2.35's sink shows the same if only the first segment is lost.
#[test]
fn duplicate_acks_without_a_handshake_echo_the_first_arrival() {
    let mut b = Bench::new(Config { timestamps: true, ..plain() });
    let echoed: Vec<u32> = [stamped(501, 530), stamped(1501, 532), stamped(1, 529), stamped(1001, 600)]
        .into_iter()
        .map(|s| b.give(ms(700), s)[0].timestamps.unwrap().tsecr)
        .collect();
    assert_eq!(echoed, [530, 530, 529, 600]);
}

// RFC 8257 §3.2: in both states every second segment is acknowledged. A change of state causes an immediate
// ACK of the segments before the change, with the ECE of the old state. CWR has no effect, and the SYN-ACK is
// ECN-capable (§3.6).
#[test]
fn ece_reports_the_mark_of_every_byte() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(200) };
    let config = Config { delayed_ack: Some(delay), handshake: true, ..plain() };
    let features = ReceiverFeatures { echo_mode: EchoMode::EachByte, ..ReceiverFeatures::SACK };
    let mut receiver = Receiver::new(FlowId(7), NodeId(2), NodeId(1), &config, features);
    let syn = Segment { seq: 0, flags: SETUP, ..segment(0, 0) };
    receiver.on_segment(ms(0), &packet(syn, Ecn::Ce));
    let reply = receiver.poll_transmit(ms(0)).expect("a SYN-ACK");
    assert_eq!(
        (reply.ecn, reply.segment().expect("TCP").flags.ece),
        (Ecn::Ect0, true),
        "ECN-capable; its own mark is not echoed: the first response below"
    );
    let mut give = |n: u64, marked: bool, cwr: bool| -> Vec<(u64, bool)> {
        let flags = Flags { ack: true, cwr, ..Flags::default() };
        let data = Segment { flags, ..segment(1 + 500 * (n - 1), 500) };
        receiver.on_segment(ms(n), &packet(data, if marked { Ecn::Ce } else { Ecn::Ect0 }));
        let acks = std::iter::from_fn(|| receiver.poll_transmit(ms(n)));
        acks.map(|p| {
            let ack = p.segment().expect("TCP");
            assert_eq!(p.ecn, Ecn::NotEct);
            (ack.ack / 500, ack.flags.ece)
        })
        .collect()
    };
    let answers: [&[(u64, bool)]; 12] = [
        &[],
        &[(2, false)],
        &[],
        &[(3, false), (4, true)],
        &[],
        &[(6, true)],
        &[],
        &[(8, true)],
        &[(9, false)],
        &[(10, true)],
        &[],
        &[(11, true), (12, false)],
    ];
    let marks = [false, false, false, true, true, true, true, true, false, true, true, false];
    for (n, (marked, answer)) in (1..).zip(marks.into_iter().zip(answers)) {
        assert_eq!(give(n, marked, n == 5), answer, "segment {n}");
    }
    // An out-of-order segment is acknowledged at once, and the ACK echoes the segment's own mark.
    assert_eq!(give(14, true, false), [(12, true)]);
    assert_eq!(give(13, false, false), [(14, false)]);
}

// Linux, tcp_ecn_send(): with the preset linux, pure ACKs of DCTCP are also ECN-capable.
#[test]
fn pure_acks_of_linux_dctcp_are_ecn_capable() {
    let features = ReceiverFeatures { echo_mode: EchoMode::EachByte, ..ReceiverFeatures::SACK };
    for (stack, expected) in [(Preset::Rfc, Ecn::NotEct), (Preset::Linux, Ecn::Ect0)] {
        let mut receiver =
            Receiver::new(FlowId(7), NodeId(2), NodeId(1), &Config { stack, ..plain() }, features);
        receiver.on_segment(ms(0), &packet(segment(1, 500), Ecn::Ect0));
        assert_eq!(receiver.poll_transmit(ms(0)).expect("an ACK").ecn, expected, "{stack:?}");
    }
}
