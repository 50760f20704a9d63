//! Encoded packets are decoded unchanged, and any bytes are decoded or cause an error.

use crate::carried::carried;
use crate::common::{BASE_STATION, NOTHING, RECEIVER, SENDER, bytes, checksums_hold, data, sack};
use crate::hostile;
use crate::hostile::repair_checksums;
use airhop_base::{
    AodvMessage, Body, Datagram, Ecn, Eln, Flags, FlowId, Naks, NodeId, Notice, NoticeKind, Options, Packet,
    RareOptions, RouteReply, RouteRequest, Sack, Segment, SegmentArrival, Span, Time, Timestamps,
    UnreachableDestination,
};
use airhop_wire::{Conversation, WireError, addressing, decode, encode, window_shift};
use proptest::prelude::*;
use std::fs;

/// Inputs that together reach all code that the fuzzer has reached (docs/fuzzing.md).
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/wire");

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
            flags: Flags { syn, ack: has_ack, fin, psh: ece, ece, cwr },
            timestamps: timestamps.map(|(value, echo)| Timestamps { tsval: value, tsecr: echo }),
            has_header_checksum: header_check,
            sack_permitted: syn && fin,
            options: Options::from(RareOptions {
                // A SYN has no space for SACK blocks, and no data to report (RFC 2018 §2).
                sack: if syn { Sack::EMPTY } else { sack(&blocks) },
                eln,
                arrival: arrival.map(|(seq, nanos)| SegmentArrival { seq, at: Time::from_nanos(nanos) }),
                naks: lost.into_iter().collect(),
                contention_time: contention.map(Span::from_nanos),
                original: None,
            }),
            sent: Time::from_nanos(sent),
        };
        // 40 bytes of options (RFC 9293 §3.1).
        if segment.option_bytes() > 40 {
            segment.options.sack = Sack::EMPTY;
        }
        if segment.option_bytes() > 40 {
            segment.options.naks = Naks::EMPTY;
        }
        if segment.option_bytes() > 40 {
            segment.options.arrival = None;
        }
        if segment.option_bytes() > 40 {
            segment.options.contention_time = None;
        }
        segment
    }
}

fn notices() -> impl Strategy<Value = Notice> {
    let kinds = prop::sample::select(&NoticeKind::ALL[..]);
    let also = prop_oneof![Just(0), any::<u64>()];
    (kinds, 0..u64::MAX / 2, 1..65_495u64, any::<u32>(), any::<u64>(), also).prop_map(
        |(kind, seq, len, micros, made, also)| {
            let rttn = kind == NoticeKind::Rttn;
            let delay = if rttn { Span::from_micros(micros.into()) } else { Span::ZERO };
            // The notice has the form of an ACK of the receiver, or is a message of the base station that
            // created it.
            let origin = if kind.is_segment_specific() { RECEIVER } else { BASE_STATION };
            let made = Time::from_nanos(made);
            let also = if kind.is_segment_specific() { also } else { 0 };
            Notice {
                further_segments: also,
                additional_delay: delay,
                origin,
                created: made,
                ..Notice::with_segment(kind, seq, seq + len)
            }
        },
    )
}

fn messages() -> impl Strategy<Value = AodvMessage> {
    let node = || any::<u16>().prop_map(NodeId);
    let unreachable =
        (node(), any::<u32>()).prop_map(|(dst, seq)| UnreachableDestination { dst, dst_seq: seq });
    prop_oneof![
        (any::<u32>(), any::<u8>(), node(), any::<u32>(), node(), any::<u32>()).prop_map(
            |(id, hops, dst, dst_seq, origin, origin_seq)| {
                AodvMessage::Request(RouteRequest { id, hops, dst, dst_seq, origin, origin_seq })
            }
        ),
        (any::<u8>(), node(), any::<u32>(), node(), any::<u32>()).prop_map(
            |(hops, dst, dst_seq, origin, millis)| {
                let lifetime = Span::from_millis(millis.into());
                AodvMessage::Reply(RouteReply { hops, dst, dst_seq, origin, lifetime })
            }
        ),
        prop::collection::vec(unreachable, 1..20).prop_map(AodvMessage::Error),
    ]
}

prop_compose! {
    fn packets()(
        flow in 0..addressing::MAX_FLOWS,
        back in any::<bool>(),
        ecn in prop::sample::select(&Ecn::ALL[..]),
        ttl in any::<u8>(),
        body in prop_oneof![
            segments().prop_map(Body::Tcp),
            (any::<u64>(), 16..3000u32, any::<u64>()).prop_map(|(number, len, sent)| {
                Body::Udp(Datagram { sequence_number: number, len, sent: Time::from_nanos(sent), original: None })
            }),
            notices().prop_map(Body::Notice),
            messages().prop_map(Body::Routing),
        ],
    ) -> Packet {
        let bytes = match &body {
            Body::Tcp(s) => 40 + s.option_bytes() + s.len,
            Body::Udp(d) => 28 + d.len,
            Body::Notice(n) => n.datagram_bytes(),
            Body::Routing(message) => 28 + message.message_bytes(),
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

proptest! {
    /// RFC 791, 768, 792, 9293: every encoded datagram is decoded, has the length of its headers and payload,
    /// and valid checksums.
    #[test]
    fn written_packets_read_back_unchanged(packet in packets(), largest in any::<u64>()) {
        let mut conversation = Conversation::new(SENDER, RECEIVER);
        let flags = Flags { syn: true, ..Flags::default() };
        let syn = Segment { window: largest, flags, ..NOTHING };
        conversation.record_window_scale(&Packet { src: packet.src, ..data(syn) });
        let mut out = Vec::new();
        encode(&packet, &conversation, &mut out).unwrap();
        prop_assert_eq!(out.len(), packet.bytes as usize);
        prop_assert!(checksums_hold(&out));
        prop_assert_eq!(decode(&out).unwrap().packet, carried(&packet, window_shift(largest)));
    }

    /// RFC 9293 §3.1 (MUST-7): any bytes, and any options with valid checksums, are decoded or cause an
    /// error, without a panic.
    #[test]
    fn any_bytes_are_decoded_without_panic(
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
fn fuzzer_seeds_are_decoded_without_panic() {
    for seed in fs::read_dir(SEEDS).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        let bytes = fs::read(&path).expect("a readable file");
        hostile::datagram(&bytes);
        hostile::repaired_datagram(&bytes);
    }
}
