//! Sequence numbers of a connection, converted to offsets by an observer between its two ends.

use super::{header, original, seen, tcp};
use airhop_base::{Flags, SackBlock, Segment};
use airhop_wire::real::{ObservedConnection, ParsedTcp, StreamDirection};
use etherparse::TcpHeader;
use proptest::prelude::*;

/// Returns a header with these numbers only.
fn plain(seq: u32, ack: Option<u32>) -> ParsedTcp {
    let numbers =
        TcpHeader { ack: ack.is_some(), acknowledgment_number: ack.unwrap_or(9), ..header(seq, &[]) };
    seen(&tcp(false, 0, numbers, &[]))
}

fn syn(seq: u32, ack: Option<u32>, window_scale: Option<u8>) -> ParsedTcp {
    let mut syn = plain(seq, ack);
    (syn.flags.syn, syn.window_scale) = (true, window_scale);
    syn
}

fn observe(connection: &mut ObservedConnection, way: StreamDirection, seen: &ParsedTcp) -> Segment {
    connection.convert_segment(way, seen, 0, original(&[]))
}

const ISN: u32 = 0xFFFF_FF00;
const PEER: u32 = 0x8000_0000;

/// Returns a connection opened by both ends with these window scales.
fn opened(scales: [Option<u8>; 2]) -> ObservedConnection {
    let mut connection = ObservedConnection::new();
    observe(&mut connection, StreamDirection::Forward, &syn(ISN, None, scales[0]));
    observe(&mut connection, StreamDirection::Reverse, &syn(PEER, Some(ISN + 1), scales[1]));
    connection
}

/// RFC 9293 §3.4: a SYN has offset 0, the first byte offset 1. The other fields of a segment are also read.
#[test]
fn a_syn_is_offset_0_and_the_first_byte_is_1() {
    let mut connection = ObservedConnection::new();
    let first = observe(&mut connection, StreamDirection::Forward, &syn(ISN, None, Some(3)));
    assert_eq!((first.seq, first.ack, first.window, first.end()), (0, 0, 5000, 1));
    let second = observe(&mut connection, StreamDirection::Reverse, &syn(PEER, Some(ISN + 1), Some(7)));
    assert_eq!((second.seq, second.ack, second.window), (0, 1, 5000), "RFC 7323 §2.2: not scaled");
    let mut data = plain(ISN + 1, Some(PEER + 1));
    data.flags = Flags { cwr: true, fin: true, ..data.flags };
    data.timestamps = Some(airhop_base::Timestamps { tsval: 1, tsecr: 2 });
    let bytes = tcp(false, 0, header(1, &[]), &[1; 700]);
    let third = connection.convert_segment(StreamDirection::Forward, &data, 700, original(&bytes));
    assert_eq!((third.seq, third.ack, third.len, third.end()), (1, 1, 700, 702));
    assert_eq!((third.flags, third.timestamps), (data.flags, data.timestamps));
    assert_eq!(third.options.original, Some(original(&bytes)));
    let ack =
        observe(&mut connection, StreamDirection::Reverse, &plain(PEER + 1, Some(ISN.wrapping_add(701))));
    assert_eq!((ack.seq, ack.ack), (1, 701), "across the wrap");
    assert_eq!(connection.offset_to_seq(StreamDirection::Forward, 701), ISN.wrapping_add(701));
}

/// RFC 7323 §2.2: windows are scaled only if both SYNs have the option; the scale is that of the segment's sender.
#[test]
fn the_window_is_scaled_if_both_syns_have_the_option() {
    let windows = |scales| {
        let mut connection = opened(scales);
        [StreamDirection::Forward, StreamDirection::Reverse]
            .map(|way| observe(&mut connection, way, &plain(0, None)).window)
    };
    assert_eq!(windows([Some(3), Some(7)]), [5000 << 3, 5000 << 7]);
    assert_eq!(windows([Some(3), None]), [5000; 2]);
    assert_eq!(windows([None, Some(7)]), [5000; 2]);
    let mut connection = opened([Some(3), Some(7)]);
    observe(&mut connection, StreamDirection::Forward, &syn(ISN, None, None));
    let ack = observe(&mut connection, StreamDirection::Reverse, &plain(PEER + 1, None));
    assert_eq!(ack.window, 5000 << 7, "a retransmitted SYN without options has no effect");
    let mut blind = ObservedConnection::new();
    assert_eq!(
        observe(&mut blind, StreamDirection::Forward, &plain(0, None)).window,
        5000,
        "no SYN was seen"
    );
}

/// RFC 2018 §3, RFC 2883: blocks refer to the peer's stream, above or below its acknowledgement; empty blocks
/// are ignored.
#[test]
fn sack_blocks_have_the_offsets_of_the_peers_stream() {
    let mut connection = opened([None; 2]);
    let number = |offset: u32| ISN.wrapping_add(offset);
    connection.convert_segment(StreamDirection::Forward, &plain(number(1), None), 0x300, original(&[]));
    let blocks = [(number(0x200), number(0x300)), (number(1), number(0x20)), (number(9), number(9))];
    let option = etherparse::TcpOptionElement::SelectiveAcknowledgement(
        blocks[0],
        [Some(blocks[1]), Some(blocks[2]), None],
    );
    let ack = TcpHeader { ack: true, acknowledgment_number: number(0x90), ..header(PEER + 1, &[option]) };
    let segment = observe(&mut connection, StreamDirection::Reverse, &seen(&tcp(false, 0, ack, &[])));
    let expected = [SackBlock { start: 0x200, end: 0x300 }, SackBlock { start: 1, end: 0x20 }];
    assert_eq!(segment.options.sack.blocks(), expected);
    assert_eq!(segment.ack, 0x90);
}

/// Without a SYN, the first number of a stream, from either end, is byte 1. Older numbers are set to the
/// minimum.
#[test]
fn without_a_syn_the_first_number_is_offset_1() {
    let mut connection = ObservedConnection::new();
    let ack = observe(&mut connection, StreamDirection::Forward, &plain(10, Some(2000)));
    assert_eq!((ack.seq, ack.ack), (1, 1));
    let data = observe(&mut connection, StreamDirection::Reverse, &plain(2000, Some(10)));
    assert_eq!((data.seq, data.ack), (1, 1));
    let old = observe(&mut connection, StreamDirection::Reverse, &plain(1000, Some(0xFFFF_0000)));
    assert_eq!((old.seq, old.ack), (0, 0), "before the first observed byte");
    let next = observe(&mut connection, StreamDirection::Reverse, &plain(3460, Some(20)));
    assert_eq!(
        (next.seq, next.ack),
        (1461, 1),
        "an older segment, or an ACK of unobserved data, has no effect"
    );
    assert_eq!(connection.offset_to_seq(StreamDirection::Reverse, 1461), 3460);
}

/// RFC 9293 §3.6, MAY-2: a SYN with another number starts another connection with its own numbering; a
/// repetition of the same SYN does not.
#[test]
fn a_syn_with_another_number_begins_another_connection() {
    let mut connection = opened([Some(3), Some(7)]);
    observe(&mut connection, StreamDirection::Forward, &plain(ISN.wrapping_add(5001), Some(PEER + 9)));
    let again = [
        (StreamDirection::Forward, syn(ISN, None, Some(3))),
        (StreamDirection::Reverse, syn(PEER, Some(ISN + 1), Some(7))),
    ];
    assert!(!again.iter().any(|(way, seen)| connection.is_reopened_by(*way, seen)));
    assert!(!connection.is_reopened_by(StreamDirection::Forward, &plain(4, None)), "not a SYN");
    let other = syn(77, None, None);
    assert!(connection.is_reopened_by(StreamDirection::Forward, &other));
    assert!(connection.is_reopened_by(StreamDirection::Reverse, &other), "from the other side");
    assert!(!ObservedConnection::new().is_reopened_by(StreamDirection::Forward, &other));
    assert_eq!(observe(&mut connection, StreamDirection::Forward, &other).seq, 0);
    let unseen = observe(&mut { connection }, StreamDirection::Reverse, &plain(PEER, Some(78)));
    assert_eq!(unseen.seq, 1, "the state of the other side was removed");
    let answer = observe(&mut connection, StreamDirection::Reverse, &syn(99, Some(78), Some(7)));
    assert_eq!((answer.seq, answer.ack), (0, 1));
    assert_eq!(
        observe(&mut connection, StreamDirection::Reverse, &plain(100, Some(78))).window,
        5000,
        "the new SYN has no option"
    );
}

/// RFC 4987 §3.6: a host with SYN cookies chooses a new number for each answer to the same SYN.
#[test]
fn a_second_syn_ack_of_a_syn_is_the_same_connection() {
    let mut connection = opened([None; 2]);
    let answer = syn(123_456, Some(ISN + 1), None);
    assert!(!connection.is_reopened_by(StreamDirection::Reverse, &answer));
    observe(&mut connection, StreamDirection::Reverse, &answer);
    assert_eq!(observe(&mut connection, StreamDirection::Reverse, &plain(123_457, Some(ISN + 1))).seq, 1);
    observe(&mut connection, StreamDirection::Forward, &plain(ISN.wrapping_add(900), None));
    assert!(
        connection.is_reopened_by(StreamDirection::Reverse, &syn(1, Some(ISN + 1), None)),
        "after data, a SYN-ACK with another number starts a new connection"
    );
}

/// RFC 9293 §3.10.7.1: the RST of a host without the connection has the number 0; only the answer to the
/// retransmitted SYN is used.
#[test]
fn a_reset_does_not_set_the_initial_sequence_number() {
    let mut connection = ObservedConnection::new();
    observe(&mut connection, StreamDirection::Forward, &syn(ISN, None, None));
    let reset = ParsedTcp { rst: true, ..plain(0, Some(ISN + 1)) };
    assert_eq!(observe(&mut connection, StreamDirection::Reverse, &reset).ack, 1);
    let answer = syn(PEER, Some(ISN + 1), None);
    assert!(!connection.is_reopened_by(StreamDirection::Reverse, &answer));
    observe(&mut connection, StreamDirection::Reverse, &answer);
    for _ in 0..3 {
        let before = connection;
        let made_up = plain(PEER.wrapping_add(0x7000_0000), Some(ISN.wrapping_add(0x7000_0000)));
        observe(&mut connection, StreamDirection::Reverse, &ParsedTcp { rst: true, ..made_up });
        assert_eq!(connection, before);
    }
    assert_eq!(observe(&mut connection, StreamDirection::Reverse, &plain(PEER + 1, None)).seq, 1);
}

proptest! {
    /// RFC 9293 §3.4: numbers are converted to the original offsets, across any number of wraps, with any
    /// reordering within 2³⁰ and from either end. An ACK beyond the sent data counts as an ACK of the sent
    /// data (§3.10.7.4), and does not advance the stream.
    #[test]
    fn offsets_are_correct_across_wraps_and_reordering(
        isn: u32,
        steps in prop::collection::vec((0u64..1 << 30, 0u64..1 << 30, any::<bool>()), 1..200),
    ) {
        let mut connection = ObservedConnection::new();
        observe(&mut connection, StreamDirection::Forward, &syn(isn, None, None));
        let (mut highest, mut sent) = (1u64, 1);
        for (step, back, is_ack) in steps {
            highest += step;
            let offset = highest.saturating_sub(back).max(1);
            let number = isn.wrapping_add(offset as u32);
            let offset = if is_ack { offset.min(sent) } else { offset };
            let unfolded = if is_ack {
                observe(&mut connection, StreamDirection::Reverse, &plain(PEER, Some(number))).ack
            } else {
                observe(&mut connection, StreamDirection::Forward, &plain(number, None)).seq
            };
            prop_assert_eq!(unfolded, offset);
            prop_assert!(is_ack || connection.offset_to_seq(StreamDirection::Forward, offset) == number);
            observe(&mut connection, StreamDirection::Forward, &plain(isn.wrapping_add(highest as u32), None));
            sent = highest;
        }
    }

    /// Without a SYN, differences of offsets are correct for any first number.
    #[test]
    fn offset_differences_are_correct_without_a_syn(first: u32, steps in prop::collection::vec(0u32..1 << 30, 1..50)) {
        let mut connection = ObservedConnection::new();
        let start = observe(&mut connection, StreamDirection::Reverse, &plain(7, Some(first))).ack;
        let (mut number, mut offset) = (first, start);
        for step in steps {
            (number, offset) = (number.wrapping_add(step), offset + u64::from(step));
            prop_assert_eq!(observe(&mut connection, StreamDirection::Forward, &plain(number, None)).seq, offset);
        }
    }
}
