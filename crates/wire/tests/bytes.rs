//! Tests of encoded bytes, compared with the RFCs.

use crate::common::{
    BASE_STATION, NOTHING, RECEIVER, SENDER, bytes, checksums_hold, data, notice, reverse, sack, word,
};
use crate::hostile::{internet_checksum, repair_checksums};
use airhop_base::{
    AodvMessage, Body, Datagram, Ecn, Eln, Flags, FlowId, Naks, NodeId, NoticeKind, Packet, RareOptions,
    RouteReply, RouteRequest, Segment, SegmentArrival, Span, Time, Timestamps, UnreachableDestination,
};
use airhop_wire::{Conversation, WireError, decode, encode, window_shift};

/// RFC 9293 §3.1, RFC 2018 §3, RFC 7323 appendix A: every byte of an ACK with two SACK blocks and timestamps.
#[test]
fn every_byte_of_an_ack_with_sack_is_correct() {
    let timestamps = Some(Timestamps { tsval: 0x0102_0304, tsecr: 0x0506_0708 });
    let sack = sack(&[(4001, 5001), (2001, 3001)]);
    let ack = Segment { ack: 1001, timestamps, ..NOTHING };
    let out = bytes(&reverse(ack.with_rare_options(RareOptions { sack, ..RareOptions::NONE })));
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

/// Yun 2009, §3.1: the form of an ACK of the receiver, for any origin, except for two reserved bits (RFC 9293
/// §3.1).
#[test]
fn every_byte_of_eln_and_ersn_is_correct() {
    for (kind, offset_byte) in [(NoticeKind::Ersn, 0x54), (NoticeKind::Eln, 0x58)] {
        let made_at_the_base_station = Packet { src: BASE_STATION, ..notice(kind, 7001, 8001) };
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

/// Balan et al. 2001 and RFC 4727: bytes added by explicit loss notification; the ELN bit alone adds none.
#[test]
fn every_byte_of_an_ack_with_eln_is_correct() {
    let plain = bytes(&reverse(Segment { ack: 1001, ..NOTHING }));
    let with = |options| bytes(&reverse(Segment { ack: 1001, ..NOTHING }.with_rare_options(options)));
    let marked = with(RareOptions { eln: Some(Eln::Next), ..RareOptions::NONE });
    assert_eq!(marked[32], plain[32] | 0b0000_0010);
    assert_eq!((&marked[..10], &marked[12..32]), (&plain[..10], &plain[12..32]));
    assert_eq!((&marked[33..36], marked.len()), (&plain[33..36], 40));
    let arrival = Some(SegmentArrival { seq: 3001, at: Time::ZERO + Span::from_micros(0x0102_0304) });
    let special = with(RareOptions { eln: Some(Eln::Segment(2001)), arrival, ..RareOptions::NONE });
    let edge = |offset: u32| (word(&special, 28) - 1001).wrapping_add(offset).to_be_bytes();
    assert_eq!((special.len(), special[32]), (60, 0xA2), "ten words, and the bit");
    let options = [&[1, 1, 254, 6][..], &edge(2001), &[253, 12, 0xA1, 0x51], &edge(3001), &[1, 2, 3, 4]];
    assert_eq!(special[40..], options.concat());
    assert!(checksums_hold(&special));
}

/// A notice about several segments has an option for experiments (RFC 6994 §3) with their bitmap; a NAK has
/// the bitmap at the end of its own option.
#[test]
fn every_byte_of_a_notice_bitmap_is_correct() {
    for (kind, head) in
        [(NoticeKind::Eln, vec![253, 12, 0xA1, 0x53]), (NoticeKind::Nak, vec![253, 20, 0xA1, 0x54])]
    {
        let mut packet = notice(kind, 7001, 8001);
        let Body::Notice(about) = &mut packet.body else { unreachable!() };
        about.further_segments = 0x8000_0000_0000_0001;
        packet.bytes = about.datagram_bytes();
        let out = bytes(&packet);
        assert!(checksums_hold(&out));
        let options = &out[40..];
        assert_eq!((&options[..4], options.len()), (&head[..], usize::from(head[1])));
        assert_eq!(options[options.len() - 8..], [0x80, 0, 0, 0, 0, 0, 0, 1]);
    }
}

/// Cheng & Lin 2008: option kind 253, length 4 + 4k, as on packets of real hosts; and the header field of
/// TCP-CC. A NAK with four numbers, together with timestamps, arrival time and an ELN, would not fit.
#[test]
fn every_byte_of_nak_and_contention_options_is_correct() {
    let nak = |seqs: &[u64]| {
        let naks = seqs.iter().copied().collect();
        bytes(&reverse(
            Segment { ack: 1001, ..NOTHING }.with_rare_options(RareOptions { naks, ..RareOptions::NONE }),
        ))
    };
    for (seqs, length) in [(&[1001][..], 8), (&[1001, 7001], 12), (&[1001, 2001, 7001], 16)] {
        let out = nak(seqs);
        let edge = |seq: &u64| (word(&out, 28) - 1001).wrapping_add(*seq as u32).to_be_bytes();
        assert_eq!(out[40..44], [253, length, 0xA1, 0x50]);
        assert_eq!(out[44..], seqs.iter().flat_map(edge).collect::<Vec<_>>());
        assert!(checksums_hold(&out));
    }
    let contention = Some(Span::from_micros(0x0102_0304));
    let byte = Segment { len: 1, ..NOTHING };
    let out = bytes(&data(
        byte.with_rare_options(RareOptions { contention_time: contention, ..RareOptions::NONE }),
    ));
    assert_eq!(out[40..48], [254, 8, 0xA1, 0x52, 1, 2, 3, 4]);
    let arrival = Some(SegmentArrival { seq: 1, at: Time::ZERO });
    let (naks, eln) = (Naks::from_iter(1..=4), Some(Eln::Segment(1)));
    let full = NOTHING.with_rare_options(RareOptions { naks, eln, arrival, ..RareOptions::NONE });
    assert_eq!(bytes(&reverse(full.clone())).len(), 80);
    let timestamps = Some(Timestamps { tsval: 1, tsecr: 2 });
    let over = encode(
        &reverse(Segment { timestamps, ..full }),
        &Conversation::new(SENDER, RECEIVER),
        &mut Vec::new(),
    );
    assert_eq!(over, Err(WireError::Options(52)));
}

/// Balan et al. 2001: a second checksum, which covers only the headers and is valid for any payload.
#[test]
fn the_header_checksum_covers_only_the_headers() {
    let packet = data(Segment { seq: 1001, len: 1000, has_header_checksum: true, ..NOTHING });
    assert_eq!(packet.header_bytes(), 44);
    let good = bytes(&packet);
    assert_eq!((good.len(), &good[40..42]), (1044, &[253, 4][..]));
    // RFC 9293 §3.1: checksum of the 24 bytes of header and of the pseudo header, with the checksum of TCP
    // taken as zero.
    let mut headers = good[20..44].to_vec();
    headers[16..18].fill(0);
    let protected = [&good[12..20], &[0, 6, 0, 24], &headers[..]].concat();
    assert_eq!(internet_checksum(&protected), 0);
    let other = bytes(&data(Segment { seq: 1001, len: 999, has_header_checksum: true, ..NOTHING }));
    assert_eq!(good[42..44], other[42..44], "the payload does not change the checksum");
    let mut hit = good.clone();
    hit[34] ^= 0x20; // the window
    repair_checksums(&mut hit);
    assert_eq!(decode(&hit), Err(WireError::Malformed("header checksum")));
    let mut payload = good;
    payload[500] ^= 0x20;
    repair_checksums(&mut payload);
    assert!(decode(&payload).is_ok());
}

/// RFC 9293 §3.1, MUST-6 and MUST-7: unknown options are ignored, and inconsistent options cause an error.
#[test]
fn unknown_options_are_ignored_and_inconsistent_options_refused() {
    let timestamps = Some(Timestamps { tsval: 1, tsecr: 2 });
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

/// RFC 9293 §3.7.1, RFC 2018 §2, RFC 7323 §2.2: the options of a SYN, and its unscaled window. Without SACK the SYN has
/// the same length.
#[test]
fn a_syn_offers_mss_sack_and_window_scale() {
    let flags = Flags { syn: true, ..Flags::default() };
    let syn = |sack_permitted| {
        bytes(&data(Segment { seq: 0, ack: 0, window: 4 << 20, flags, sack_permitted, ..NOTHING }))
    };
    let out = syn(true);
    assert_eq!(out.len(), 52);
    assert_eq!(out[32..36], [0x80, 0x02, 0xFF, 0xFF]);
    assert_eq!(out[40..], [2, 4, 0xFF, 0xD7, 1, 1, 4, 2, 1, 3, 3, 7]);
    assert_eq!(decode(&out).unwrap().window_shift, Some(7));
    assert_eq!(syn(false)[40..], [2, 4, 0xFF, 0xD7, 1, 1, 1, 1, 1, 3, 3, 7]);
}

/// RFC 3561 §5.1 to §5.3: every byte after the IP header; broadcast (RFC 919 §7), with the TTL of the ring.
#[test]
fn every_byte_of_a_routing_message_is_correct() {
    let [dst, origin] = [NodeId(8), NodeId(0)];
    let of = |to, ttl, message| bytes(&Packet::from_routing_message(NodeId(3), to, ttl, message));
    let request = RouteRequest { id: 7, hops: 3, dst, dst_seq: 0x0102_0304, origin, origin_seq: 10 };
    let out = of(NodeId::BROADCAST, 5, AodvMessage::Request(request));
    assert_eq!((out.len(), out[8], &out[12..20]), (52, 5, &[10, 0, 0, 4, 255, 255, 255, 255][..]));
    let udp = |length| [2, 142, 2, 142, 0, length];
    assert_eq!(out[20..26], udp(32), "ports 654");
    let body = [1, 0, 0, 3, 0, 0, 0, 7, 10, 0, 0, 9, 1, 2, 3, 4, 10, 0, 0, 1, 0, 0, 0, 10];
    assert_eq!(out[28..], body);
    let out = of(NodeId::BROADCAST, 5, AodvMessage::Request(RouteRequest { dst_seq: 0, ..request }));
    assert_eq!(out[28..32], [1, 0b1000, 0, 3], "U: the sequence number is unknown");
    let lifetime = Span::from_millis(10_000);
    let out =
        of(NodeId(2), 30, AodvMessage::Reply(RouteReply { hops: 5, dst, dst_seq: 8, origin, lifetime }));
    assert_eq!((&out[16..20], &out[20..26]), (&[10, 0, 0, 3][..], &udp(28)[..]));
    assert_eq!(out[28..], [2, 0, 0, 5, 10, 0, 0, 9, 0, 0, 0, 8, 10, 0, 0, 1, 0, 0, 0x27, 0x10]);
    let lost =
        [(dst, 9), (origin, 11)].map(|(dst, seq)| UnreachableDestination { dst, dst_seq: seq }).to_vec();
    let out = of(NodeId::BROADCAST, 1, AodvMessage::Error(lost));
    assert_eq!(out[28..], [3, 0, 0, 2, 10, 0, 0, 9, 0, 0, 0, 9, 10, 0, 0, 1, 0, 0, 0, 11]);
    assert!(checksums_hold(&out));
}

/// RFC 7323 §2.3: later windows are shifted by the window scale of the SYN, at most 14, and saturate.
#[test]
fn windows_are_scaled_after_the_syn() {
    let mut conversation = Conversation::new(SENDER, RECEIVER);
    let flags = Flags { syn: true, ack: true, ..Flags::default() };
    conversation.record_window_scale(&reverse(Segment { seq: 0, window: 4 << 20, flags, ..NOTHING }));
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
fn ecn_bits_are_at_the_positions_of_rfc_3168() {
    for (bits, ecn) in (0..).zip([Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce]) {
        assert_eq!(bytes(&Packet { ecn, ..data(NOTHING) })[1], bits);
    }
    let flags = Flags { ece: true, cwr: true, ..NOTHING.flags };
    assert_eq!(bytes(&data(Segment { flags, ..NOTHING }))[33], 0b1101_0000);
}

/// RFC 9293 §3.8.1: a retransmission carries the bytes of the original segment, even if its boundaries
/// differ.
#[test]
fn a_retransmission_carries_the_original_bytes() {
    let original = bytes(&data(Segment { seq: 1001, len: 1000, ..NOTHING }));
    let part = bytes(&data(Segment { seq: 1501, len: 500, ..NOTHING }));
    assert_eq!(original[540..], part[40..]);
}

/// RFC 768: datagrams of zero, few and many bytes; RFC 791 §3.1: the longest possible datagram.
#[test]
fn udp_datagrams_of_any_length_read_back() {
    for len in [0, 5, 12, 1000, 65_507] {
        let body = Body::Udp(Datagram { sequence_number: 0, len, sent: Time::ZERO, original: None });
        let packet = Packet { bytes: 28 + len, body, ..data(NOTHING) };
        let out = bytes(&packet);
        assert!(checksums_hold(&out));
        assert_eq!(out[20..26], [&[0xC0, 0x03, 0x17, 0x71][..], &(8 + len as u16).to_be_bytes()].concat());
        assert_eq!(decode(&out).unwrap().packet, packet);
    }
}

/// Packets that the wire format cannot carry are errors: RFC 791 §3.1 (length), RFC 9293 §3.1 (40 bytes of
/// options).
#[test]
fn oversized_packets_are_refused() {
    let conversation = Conversation::new(SENDER, RECEIVER);
    let refused = |packet: &Packet| encode(packet, &conversation, &mut Vec::new()).unwrap_err();
    assert_eq!(refused(&Packet { bytes: 39, ..data(NOTHING) }), WireError::Length { says: 39, is: 40 });
    assert_eq!(refused(&data(Segment { len: 65_496, ..NOTHING })), WireError::TooLong(65_536));
    let timestamps = Some(Timestamps { tsval: 1, tsecr: 2 });
    let sack = sack(&[(1, 2), (3, 4), (5, 6), (7, 8)]);
    let full = Segment { timestamps, ..NOTHING }.with_rare_options(RareOptions { sack, ..RareOptions::NONE });
    assert_eq!(refused(&data(full)), WireError::Options(48));
    assert_eq!(refused(&Packet { flow: FlowId(16_384), ..data(NOTHING) }), WireError::Flow(16_384));
}

/// RFC 1071 §1: a checksum detects any single wrong byte; RFC 791 §3.1: a truncated datagram is not read.
#[test]
fn a_checksum_detects_any_wrong_byte() {
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

/// Packets of other hosts are recognised, and the fourth value of the notice bits is not decoded as a notice.
#[test]
fn packets_of_other_hosts_are_recognised() {
    let mut reserved = bytes(&notice(NoticeKind::Eln, 1, 2));
    reserved[32] |= 0b0000_0100;
    repair_checksums(&mut reserved);
    assert_eq!(decode(&reserved), Err(WireError::Foreign("reserved bits")));
    let mut elsewhere = bytes(&data(NOTHING));
    elsewhere[12] = 11;
    repair_checksums(&mut elsewhere);
    assert_eq!(decode(&elsewhere), Err(WireError::Foreign("address")));
}
