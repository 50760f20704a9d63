//! Bytes against the RFCs, and the way back.

mod hostile;

use airhop_base::{
    Arrival, Body, Datagram, Ecn, Eln, Flags, FlowId, Naks, NodeId, Notice, NoticeKind, Packet, RouteReply,
    RouteRequest, Routing, Sack, SackBlock, Segment, Span, Time, Timestamps, Unreachable,
};
use airhop_wire::{Conversation, WireError, addressing, decode, encode, window_shift};
use hostile::{internet_checksum, protected, repair_checksums};
use proptest::prelude::*;
use std::fs;

/// Inputs that together reach all that the fuzzer has reached (docs/fuzzing.md).
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/wire");
const SENDER: NodeId = NodeId(0);
const RECEIVER: NodeId = NodeId(4);
const BASE_STATION: NodeId = NodeId(2);
const NOTHING: Segment = Segment {
    seq: 1,
    len: 0,
    ack: 1,
    window: 20_000,
    flags: Flags { syn: false, ack: true, fin: false, ece: false, cwr: false },
    sack: Sack::EMPTY,
    timestamps: None,
    header_check: false,
    eln: None,
    arrival: None,
    naks: Naks::EMPTY,
    contention: None,
    sent: Time::ZERO,
};

fn sack(blocks: &[(u64, u64)]) -> Sack {
    let mut sack = Sack::EMPTY;
    for &(start, end) in blocks {
        sack.push(SackBlock { start, end });
    }
    sack
}

fn data(segment: Segment) -> Packet {
    let bytes = 40 + segment.option_bytes() + segment.len;
    Packet::new(FlowId(3), SENDER, RECEIVER, bytes, Body::Tcp(segment))
}

fn reverse(segment: Segment) -> Packet {
    Packet { src: RECEIVER, dst: SENDER, ..data(segment) }
}

fn notice(kind: NoticeKind, seq: u64, end: u64) -> Packet {
    let notice = Notice { origin: RECEIVER, ..Notice::about(kind, seq, end) };
    Packet::new(FlowId(3), RECEIVER, SENDER, notice.bytes(), Body::Notice(notice))
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut conversation = Conversation::new(SENDER, RECEIVER);
    conversation.observe(packet);
    let mut out = vec![0xEE; 7];
    encode(packet, &conversation, &mut out).unwrap();
    out
}

/// RFC 1071 §1: summing up what is protected, checksum included, leaves nothing.
fn checksums_hold(datagram: &[u8]) -> bool {
    internet_checksum(&datagram[..20]) == 0 && internet_checksum(&protected(datagram)) == 0
}

fn word(datagram: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([datagram[at], datagram[at + 1], datagram[at + 2], datagram[at + 3]])
}

/// RFC 9293 §3.1, RFC 2018 §3, RFC 7323 appendix A: every byte of an ACK with two SACK blocks and timestamps.
#[test]
fn an_ack_with_sack_byte_by_byte() {
    let timestamps = Some(Timestamps { value: 0x0102_0304, echo: 0x0506_0708 });
    let ack = Segment { ack: 1001, sack: sack(&[(4001, 5001), (2001, 3001)]), timestamps, ..NOTHING };
    let out = bytes(&reverse(ack));
    let (forward, back) = (word(&out, 28) - 1001, word(&out, 24) - 1);
    let edge = |offset: u32| forward.wrapping_add(offset).to_be_bytes();
    let ip = [0x45, 0, 0, 72, 0, 0, 0x40, 0, 64, 6, out[10], out[11], 10, 0, 0, 5, 10, 0, 0, 1];
    // ports 5001 and 49155, 13 words, ACK, window 20000
    let tcp = [0x13, 0x89, 0xC0, 0x03];
    let rest = [0xD0, 0x10, 0x4E, 0x20, out[36], out[37], 0, 0];
    let options = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8, 1, 1, 5, 18];
    let expected = [
        &ip[..],
        &tcp,
        &(back + 1).to_be_bytes(),
        &edge(1001),
        &rest,
        &options,
        &edge(4001),
        &edge(5001),
        &edge(2001),
        &edge(3001),
    ]
    .concat();
    assert_eq!(out, expected);
    assert!(checksums_hold(&out));
}

/// Yun 2009, §3.1: the format of an ACK of the receiver, whoever made it, but for two reserved bits (RFC 9293 §3.1).
#[test]
fn eln_and_ersn_byte_by_byte() {
    for (kind, offset_byte) in [(NoticeKind::Ersn, 0x54), (NoticeKind::Eln, 0x58)] {
        let made_at_the_base_station = Packet { src: NodeId(2), ..notice(kind, 7001, 8001) };
        let out = bytes(&made_at_the_base_station);
        let ack = bytes(&reverse(Segment { ack: 7001, ..NOTHING }));
        assert_eq!(out.len(), 40);
        assert_eq!(out[..32], ack[..32], "IP header, ports, sequence and acknowledgement field");
        assert_eq!(out[32..34], [offset_byte, 0x10], "reserved bits; flags");
        assert_eq!(out[34..36], 64_535u16.to_be_bytes(), "65535 - length of the segment");
        assert_eq!(out[38..], [0, 0], "urgent pointer");
        assert!(checksums_hold(&out));
    }
}

/// Balan et al. 2001 and RFC 4727: what explicit loss notification adds, byte by byte; the bit alone costs nothing.
#[test]
fn eln_in_acks_byte_by_byte() {
    let plain = bytes(&reverse(Segment { ack: 1001, ..NOTHING }));
    let marked = bytes(&reverse(Segment { ack: 1001, eln: Some(Eln::Next), ..NOTHING }));
    assert_eq!(marked[32], plain[32] | 0b0000_0010);
    assert_eq!((&marked[..10], &marked[12..32]), (&plain[..10], &plain[12..32]));
    assert_eq!((&marked[33..36], marked.len()), (&plain[33..36], 40));
    let arrival = Some(Arrival { seq: 3001, at: Time::ZERO + Span::from_micros(0x0102_0304) });
    let special = bytes(&reverse(Segment { ack: 1001, eln: Some(Eln::Segment(2001)), arrival, ..NOTHING }));
    let edge = |offset: u32| (word(&special, 28) - 1001).wrapping_add(offset).to_be_bytes();
    assert_eq!((special.len(), special[32]), (60, 0xA2), "ten words, and the bit");
    let options = [&[1, 1, 254, 6][..], &edge(2001), &[253, 12, 0xA1, 0x51], &edge(3001), &[1, 2, 3, 4]];
    assert_eq!(special[40..], options.concat());
    assert!(checksums_hold(&special));
}

/// Cheng & Lin 2008, schemes.md 4.2.3: "option kind 253, length 2+4k"; and the header field of TCP-CC (2.15). A NAK of four beside
/// timestamps, arrival and an ELN would not fit.
#[test]
fn naks_and_contention_byte_by_byte() {
    let nak = |seqs: &[u64]| {
        bytes(&reverse(Segment { ack: 1001, naks: seqs.iter().copied().collect(), ..NOTHING }))
    };
    for (seqs, length) in [(&[1001][..], 6), (&[1001, 7001], 10), (&[1001, 2001, 7001], 14)] {
        let out = nak(seqs);
        let edge = |seq: &u64| (word(&out, 28) - 1001).wrapping_add(*seq as u32).to_be_bytes();
        assert_eq!(out[40..44], [1, 1, 253, length]);
        assert_eq!(out[44..], seqs.iter().flat_map(edge).collect::<Vec<_>>());
        assert!(checksums_hold(&out));
    }
    let contention = Some(Span::from_micros(0x0102_0304));
    let out = bytes(&data(Segment { len: 1, contention, ..NOTHING }));
    assert_eq!(out[40..48], [254, 8, 0xA1, 0x52, 1, 2, 3, 4]);
    let arrival = Some(Arrival { seq: 1, at: Time::ZERO });
    let full = Segment { naks: Naks::from_iter(1..=4), eln: Some(Eln::Segment(1)), arrival, ..NOTHING };
    assert_eq!(bytes(&reverse(full.clone())).len(), 80);
    let timestamps = Some(Timestamps { value: 1, echo: 2 });
    let over = encode(
        &reverse(Segment { timestamps, ..full }),
        &Conversation::new(SENDER, RECEIVER),
        &mut Vec::new(),
    );
    assert_eq!(over, Err(WireError::Options(52)));
}

/// Balan et al. 2001: a second checksum, of the headers alone, which holds whatever becomes of the payload.
#[test]
fn the_header_checksum_protects_the_headers_alone() {
    let packet = data(Segment { seq: 1001, len: 1000, header_check: true, ..NOTHING });
    assert_eq!(packet.header_bytes(), 44);
    let good = bytes(&packet);
    assert_eq!((good.len(), &good[40..42]), (1044, &[253, 4][..]));
    // RFC 9293 §3.1, of the 24 bytes of header and the pseudo header, with the checksum of TCP taken as zero.
    let mut headers = good[20..44].to_vec();
    headers[16..18].fill(0);
    let protected = [&good[12..20], &[0, 6, 0, 24], &headers[..]].concat();
    assert_eq!(internet_checksum(&protected), 0);
    let other = bytes(&data(Segment { seq: 1001, len: 999, header_check: true, ..NOTHING }));
    assert_eq!(good[42..44], other[42..44], "the payload has no part in it");
    let mut hit = good.clone();
    hit[34] ^= 0x20; // the window
    repair_checksums(&mut hit);
    assert_eq!(decode(&hit), Err(WireError::Malformed("header checksum")));
    let mut payload = good;
    payload[500] ^= 0x20;
    repair_checksums(&mut payload);
    assert!(decode(&payload).is_ok());
}

/// RFC 9293 §3.1, MUST-6 and MUST-7: options that are not known are ignored, those that contradict themselves are refused.
#[test]
fn foreign_options() {
    let timestamps = Some(Timestamps { value: 1, echo: 2 });
    let good = bytes(&data(Segment { timestamps, ..NOTHING }));
    let with = |kind: u8, length: u8| {
        let mut out = good.clone();
        out[42..44].copy_from_slice(&[kind, length]);
        repair_checksums(&mut out);
        decode(&out).map(|d| d.packet.segment().map(|s| s.timestamps))
    };
    assert_eq!(with(8, 10), Ok(Some(timestamps)));
    assert_eq!([with(77, 10), with(253, 10), with(254, 10), with(0, 0)], [const { Ok(Some(None)) }; 4]);
    for (kind, length) in [(8, 9), (8, 11), (5, 9), (77, 0), (77, 1)] {
        assert_eq!(with(kind, length), Err(WireError::Malformed("TCP option")), "{kind} {length}");
    }
}

/// RFC 9293 §3.7.1, RFC 2018 §2, RFC 7323 §2.2: what a SYN offers, and that its own window is not scaled.
#[test]
fn a_syn_offers_mss_sack_and_window_scale() {
    let flags = Flags { syn: true, ..Flags::default() };
    let syn = data(Segment { seq: 0, ack: 0, window: 4 << 20, flags, ..NOTHING });
    let out = bytes(&syn);
    assert_eq!(out.len(), 52);
    assert_eq!(out[32..36], [0x80, 0x02, 0xFF, 0xFF]);
    assert_eq!(out[40..], [2, 4, 0xFF, 0xD7, 1, 1, 4, 2, 1, 3, 3, 7]);
    assert_eq!(decode(&out).unwrap().window_shift, Some(7));
}

/// RFC 3561 §5.1 to §5.3, every byte behind the header of IP; to all on the link (RFC 919 §7), as many hops as the ring has.
#[test]
fn routing_messages_byte_by_byte() {
    let [dst, origin] = [NodeId(8), NodeId(0)];
    let of = |to, ttl, message| bytes(&Packet::routing(NodeId(3), to, ttl, message));
    let request = RouteRequest { id: 7, hops: 3, dst, dst_seq: 0x0102_0304, origin, origin_seq: 10 };
    let out = of(NodeId::BROADCAST, 5, Routing::Request(request));
    assert_eq!((out.len(), out[8], &out[12..20]), (52, 5, &[10, 0, 0, 4, 255, 255, 255, 255][..]));
    let udp = |length| [2, 142, 2, 142, 0, length];
    assert_eq!(out[20..26], udp(32), "ports 654");
    let body = [1, 0, 0, 3, 0, 0, 0, 7, 10, 0, 0, 9, 1, 2, 3, 4, 10, 0, 0, 1, 0, 0, 0, 10];
    assert_eq!(out[28..], body);
    let out = of(NodeId::BROADCAST, 5, Routing::Request(RouteRequest { dst_seq: 0, ..request }));
    assert_eq!(out[28..32], [1, 0b1000, 0, 3], "U: the sequence number is unknown");
    let lifetime = Span::from_millis(10_000);
    let out = of(NodeId(2), 30, Routing::Reply(RouteReply { hops: 5, dst, dst_seq: 8, origin, lifetime }));
    assert_eq!((&out[16..20], &out[20..26]), (&[10, 0, 0, 3][..], &udp(28)[..]));
    assert_eq!(out[28..], [2, 0, 0, 5, 10, 0, 0, 9, 0, 0, 0, 8, 10, 0, 0, 1, 0, 0, 0x27, 0x10]);
    let lost = [(dst, 9), (origin, 11)].map(|(dst, seq)| Unreachable { dst, seq }).to_vec();
    let out = of(NodeId::BROADCAST, 1, Routing::Error(lost));
    assert_eq!(out[28..], [3, 0, 0, 2, 10, 0, 0, 9, 0, 0, 0, 9, 10, 0, 0, 1, 0, 0, 0, 11]);
    assert!(checksums_hold(&out));
}

/// RFC 7323 §2.3: later windows are shifted by what the SYN announced, saturate, and the shift ends at 14.
#[test]
fn windows_are_scaled_after_the_syn() {
    let mut conversation = Conversation::new(SENDER, RECEIVER);
    let flags = Flags { syn: true, ack: true, ..Flags::default() };
    conversation.observe(&reverse(Segment { seq: 0, window: 4 << 20, flags, ..NOTHING }));
    let mut out = Vec::new();
    for (window, field) in [(4 << 20, 0x8000), (127, 0), (128, 1), (u64::MAX, 0xFFFF)] {
        encode(&reverse(Segment { window, ..NOTHING }), &conversation, &mut out).unwrap();
        assert_eq!(decode(&out).unwrap().packet.segment().unwrap().window, field);
    }
    encode(&data(NOTHING), &conversation, &mut out).unwrap();
    assert_eq!(
        decode(&out).unwrap().packet.segment().unwrap().window,
        20_000,
        "the sender announced no scale"
    );
    assert_eq!([0, 65_535, 65_536, 65_535 << 14, u64::MAX].map(window_shift), [0, 0, 1, 14, 14]);
}

/// RFC 3168 §5 and §6.1: codepoints of the IP header, ECE and CWR of the TCP header.
#[test]
fn ecn_is_where_rfc_3168_puts_it() {
    for (ecn, bits) in [(Ecn::NotEct, 0b00), (Ecn::Ect, 0b10), (Ecn::Ce, 0b11)] {
        assert_eq!(bytes(&Packet { ecn, ..data(NOTHING) })[1], bits);
    }
    let flags = Flags { ece: true, cwr: true, ..NOTHING.flags };
    assert_eq!(bytes(&data(Segment { flags, ..NOTHING }))[33], 0b1101_0000);
}

/// RFC 9293 §3.8.1: a retransmission carries the bytes that the original carried, also if it is cut elsewhere.
#[test]
fn retransmissions_repeat_the_bytes() {
    let original = bytes(&data(Segment { seq: 1001, len: 1000, ..NOTHING }));
    let part = bytes(&data(Segment { seq: 1501, len: 500, ..NOTHING }));
    assert_eq!(original[540..], part[40..]);
}

/// RFC 768: a datagram of no, few and many bytes; RFC 791 §3.1: the longest there is.
#[test]
fn datagrams_of_any_length() {
    for len in [0, 5, 12, 1000, 65_507] {
        let body = Body::Udp(Datagram { number: 0, len, sent: Time::ZERO });
        let packet = Packet { bytes: 28 + len, body, ..data(NOTHING) };
        let out = bytes(&packet);
        assert!(checksums_hold(&out));
        assert_eq!(out[20..26], [&[0xC0, 0x03, 0x17, 0x71][..], &(8 + len as u16).to_be_bytes()].concat());
        assert_eq!(decode(&out).unwrap().packet, packet);
    }
}

/// Packets that the wire cannot carry are refused: RFC 791 §3.1 (length), RFC 9293 §3.1 (40 bytes of options).
#[test]
fn what_does_not_fit_is_refused() {
    let conversation = Conversation::new(SENDER, RECEIVER);
    let refused = |packet: &Packet| encode(packet, &conversation, &mut Vec::new()).unwrap_err();
    assert_eq!(refused(&Packet { bytes: 39, ..data(NOTHING) }), WireError::Length { says: 39, is: 40 });
    assert_eq!(refused(&data(Segment { len: 65_496, ..NOTHING })), WireError::TooLong(65_536));
    let timestamps = Some(Timestamps { value: 1, echo: 2 });
    let four = sack(&[(1, 2), (3, 4), (5, 6), (7, 8)]);
    assert_eq!(refused(&data(Segment { timestamps, sack: four, ..NOTHING })), WireError::Options(48));
    assert_eq!(refused(&Packet { flow: FlowId(16_384), ..data(NOTHING) }), WireError::Flow(16_384));
}

/// RFC 1071 §1: a checksum finds any single wrong byte; RFC 791 §3.1: a datagram cut short is not read.
#[test]
fn damage_is_found() {
    let good = bytes(&data(Segment { len: 3, ..NOTHING }));
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x20;
        assert!(decode(&bad).is_err(), "byte {at}");
        assert!(decode(&good[..at]).is_err(), "cut at {at}");
    }
    let padded = [&good[..], &[0; 6]].concat();
    assert_eq!(decode(&padded), decode(&good), "link layers may pad (RFC 894)");
}

/// What others send is told apart, and the fourth value of the notice bits is not taken for a notice.
#[test]
fn foreign_packets_are_told_apart() {
    let mut reserved = bytes(&notice(NoticeKind::Eln, 1, 2));
    reserved[32] |= 0b0000_0100;
    repair_checksums(&mut reserved);
    assert_eq!(decode(&reserved), Err(WireError::Foreign("reserved bits")));
    let mut elsewhere = bytes(&data(NOTHING));
    elsewhere[12] = 11;
    repair_checksums(&mut elsewhere);
    assert_eq!(decode(&elsewhere), Err(WireError::Foreign("address")));
}

prop_compose! {
    fn segments()(
        seq in 0..u64::MAX / 2,
        len in 0..3000u32,
        ack in 0..u64::MAX / 2,
        window in prop_oneof![0..70_000u64, any::<u64>()],
        bits in prop::array::uniform5(any::<bool>()),
        blocks in prop::collection::vec((any::<u64>(), any::<u64>()), 0..4),
        timestamps in prop::option::of((any::<u32>(), any::<u32>())),
        header_check in any::<bool>(),
        eln in prop_oneof![
            2 => Just(None),
            1 => Just(Some(Eln::Next)),
            1 => (0..u64::MAX / 2).prop_map(|seq| Some(Eln::Segment(seq))),
        ],
        arrival in prop::option::of((0..u64::MAX / 2, any::<u64>())),
        lost in prop::collection::vec(0..u64::MAX / 2, 0..6),
        contention in prop::option::of(0..1u64 << 52),
        sent in any::<u64>(),
    ) -> Segment {
        let [syn, has_ack, fin, ece, cwr] = bits;
        let mut segment = Segment {
            seq,
            len,
            ack: if has_ack { ack } else { 0 },
            window,
            flags: Flags { syn, ack: has_ack, fin, ece, cwr },
            // A SYN has no room for SACK blocks, and nothing to report (RFC 2018 §2).
            sack: if syn { Sack::EMPTY } else { sack(&blocks) },
            timestamps: timestamps.map(|(value, echo)| Timestamps { value, echo }),
            header_check,
            eln,
            arrival: arrival.map(|(seq, nanos)| Arrival { seq, at: Time::from_nanos(nanos) }),
            naks: lost.into_iter().collect(),
            contention: contention.map(Span::from_nanos),
            sent: Time::from_nanos(sent),
        };
        // 40 bytes of options (RFC 9293 §3.1).
        if segment.option_bytes() > 40 {
            segment.sack = Sack::EMPTY;
        }
        if segment.option_bytes() > 40 {
            segment.naks = Naks::EMPTY;
        }
        if segment.option_bytes() > 40 {
            segment.arrival = None;
        }
        if segment.option_bytes() > 40 {
            segment.contention = None;
        }
        segment
    }
}

fn notices() -> impl Strategy<Value = Notice> {
    let kinds = prop::sample::select(&NoticeKind::ALL[..]);
    (kinds, 0..u64::MAX / 2, 1..65_495u64, any::<u32>(), any::<u64>()).prop_map(
        |(kind, seq, len, micros, made)| {
            let rttn = kind == NoticeKind::Rttn;
            let delay = if rttn { Span::from_micros(micros.into()) } else { Span::ZERO };
            // In the form of an ACK of the receiver, or from the base station that made it.
            let origin = if kind.names_segment() { RECEIVER } else { BASE_STATION };
            let made = Time::from_nanos(made);
            Notice { delay, origin, made, ..Notice::about(kind, seq, seq + len) }
        },
    )
}

fn messages() -> impl Strategy<Value = Routing> {
    let node = || any::<u16>().prop_map(NodeId);
    let unreachable = (node(), any::<u32>()).prop_map(|(dst, seq)| Unreachable { dst, seq });
    prop_oneof![
        (any::<u32>(), any::<u8>(), node(), any::<u32>(), node(), any::<u32>()).prop_map(
            |(id, hops, dst, dst_seq, origin, origin_seq)| {
                Routing::Request(RouteRequest { id, hops, dst, dst_seq, origin, origin_seq })
            }
        ),
        (any::<u8>(), node(), any::<u32>(), node(), any::<u32>()).prop_map(
            |(hops, dst, dst_seq, origin, millis)| {
                let lifetime = Span::from_millis(millis.into());
                Routing::Reply(RouteReply { hops, dst, dst_seq, origin, lifetime })
            }
        ),
        prop::collection::vec(unreachable, 1..20).prop_map(Routing::Error),
    ]
}

prop_compose! {
    fn packets()(
        flow in 0..addressing::MAX_FLOWS,
        back in any::<bool>(),
        ecn in prop::sample::select(&[Ecn::NotEct, Ecn::Ect, Ecn::Ce][..]),
        ttl in any::<u8>(),
        body in prop_oneof![
            segments().prop_map(Body::Tcp),
            (any::<u64>(), 16..3000u32, any::<u64>()).prop_map(|(number, len, sent)| {
                Body::Udp(Datagram { number, len, sent: Time::from_nanos(sent) })
            }),
            notices().prop_map(Body::Notice),
            messages().prop_map(Body::Routing),
        ],
    ) -> Packet {
        let bytes = match &body {
            Body::Tcp(s) => 40 + s.option_bytes() + s.len,
            Body::Udp(d) => 28 + d.len,
            Body::Notice(n) => n.bytes(),
            Body::Routing(message) => 28 + message.bytes(),
        };
        let flow = if matches!(body, Body::Routing(_)) { FlowId::NONE } else { FlowId(flow) };
        let (src, dst) = match &body {
            Body::Notice(n) => (n.origin, SENDER),
            _ if back => (RECEIVER, SENDER),
            _ => (SENDER, RECEIVER),
        };
        Packet { ecn, ttl, ..Packet::new(flow, src, dst, bytes, body) }
    }
}

/// What the documentation of the crate says that the wire does not carry.
fn folded(packet: &Packet, shift: u8) -> Packet {
    let low = |offset: u64| u64::from(offset as u32);
    let body = match packet.body.clone() {
        Body::Tcp(s) => {
            let shift = if s.flags.syn { 0 } else { shift };
            let blocks: Vec<_> = s.sack.blocks().iter().map(|b| (low(b.start), low(b.end))).collect();
            let window = (s.window >> shift).min(65_535);
            let eln = s.eln.map(|eln| match eln {
                Eln::Next => Eln::Next,
                Eln::Segment(seq) => Eln::Segment(low(seq)),
            });
            let arrival = s
                .arrival
                .map(|a| Arrival { seq: low(a.seq), at: Time::from_nanos(low(a.at.nanos() / 1000) * 1000) });
            let sack = sack(&blocks);
            let naks = s.naks.seqs().iter().map(|&seq| low(seq)).collect();
            let contention = s.contention.map(|c| Span::from_nanos(low(c.nanos() / 1000) * 1000));
            let (seq, ack) = (low(s.seq), low(s.ack));
            let sent = Time::ZERO;
            Body::Tcp(Segment { seq, ack, window, sack, eln, arrival, naks, contention, sent, ..s })
        }
        Body::Notice(n) => Body::Notice(Notice { seq: low(n.seq), end: low(n.end), made: Time::ZERO, ..n }),
        udp_or_routing => udp_or_routing,
    };
    Packet { body, ..packet.clone() }
}

proptest! {
    /// RFC 791, 768, 792, 9293: whatever is written is read back, is as long as it says, and has right checksums.
    #[test]
    fn what_is_written_is_read(packet in packets(), largest in any::<u64>()) {
        let mut conversation = Conversation::new(SENDER, RECEIVER);
        let flags = Flags { syn: true, ..Flags::default() };
        let syn = Segment { window: largest, flags, ..NOTHING };
        conversation.observe(&Packet { src: packet.src, ..data(syn) });
        let mut out = Vec::new();
        encode(&packet, &conversation, &mut out).unwrap();
        prop_assert_eq!(out.len(), packet.bytes as usize);
        prop_assert!(checksums_hold(&out));
        prop_assert_eq!(decode(&out).unwrap().packet, folded(&packet, window_shift(largest)));
    }

    /// RFC 9293 §3.1 (MUST-7): any bytes, and any options behind right checksums, are read or refused without a panic.
    #[test]
    fn any_bytes_are_survived(
        noise in prop::collection::vec(any::<u8>(), 0..100),
        packet in packets(),
        at in 20..80usize,
    ) {
        hostile::datagram(&noise);
        hostile::repaired_datagram(&noise);
        let mut damaged = bytes(&packet);
        let at = at.min(damaged.len());
        let end = (at + noise.len()).min(damaged.len());
        damaged[at..end].copy_from_slice(&noise[..end - at]);
        repair_checksums(&mut damaged);
        hostile::datagram(&damaged);
        prop_assert!(!matches!(decode(&damaged), Err(WireError::Checksum(_))));
    }
}

#[test]
fn seeds_are_survived() {
    for seed in fs::read_dir(SEEDS).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if it fails
        let bytes = fs::read(&path).expect("a readable file");
        hostile::datagram(&bytes);
        hostile::repaired_datagram(&bytes);
    }
}
