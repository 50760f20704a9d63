//! Tests that write changes into received datagrams.

use super::{header, original, other_packet, packet, seen, tcp};
use airhop_base::{Ecn, Eln, Naks, OriginalDatagram, Packet, RareOptions, Segment};
use airhop_wire::real::{
    ObservedConnection, StreamDirection, read_headers, read_naks, rewrite_datagram, verify_checksums,
};
use etherparse::{TcpHeader, TcpOptionElement as Opt};
use proptest::prelude::*;
use std::sync::Arc;

const ISN: u32 = 0xFFFF_FF00;

/// Returns a connection whose stream `Forward` starts at [`ISN`].
fn connection() -> ObservedConnection {
    let mut connection = ObservedConnection::new();
    let syn = seen(&tcp(false, 0, TcpHeader { syn: true, ..header(ISN, &[]) }, &[]));
    connection.convert_segment(StreamDirection::Forward, &syn, 0, original(&[]));
    connection
}

/// Returns an ACK of the other end to which NAKs were added.
fn ack_with(original: &OriginalDatagram, seqs: &[u64]) -> Packet {
    let naks: Naks = seqs.iter().copied().collect();
    packet(Segment::default().with_rare_options(RareOptions {
        naks,
        original: Some(original.clone()),
        ..RareOptions::NONE
    }))
}

/// Without a change, the function returns the original bytes, not a copy.
#[test]
fn unchanged_datagrams_keep_their_bytes() {
    for is_v6 in [false, true] {
        let ecn_capable = original(&tcp(is_v6, 2, header(1, &[]), b"data"));
        let same = rewrite_datagram(
            &ecn_capable,
            &ack_with(&ecn_capable, &[]),
            Some((&connection(), StreamDirection::Reverse)),
            false,
        );
        assert!(Arc::ptr_eq(&same, ecn_capable.datagram()));
    }
    let nonsense = OriginalDatagram::new(Arc::from([0u8; 3]), 0);
    let marked = Packet { ecn: Ecn::Ce, ..other_packet() };
    assert!(Arc::ptr_eq(&rewrite_datagram(&nonsense, &marked, None, false), nonsense.datagram()));
}

/// RFC 3168 §5: only an ECN-capable packet is marked. Only the ECN field and the IPv4 checksum change.
#[test]
fn only_an_ecn_capable_packet_is_marked_ce() {
    for (is_v6, ecn) in [(false, 1), (false, 2), (true, 1), (true, 2)] {
        let bytes = tcp(is_v6, ecn, header(1, &[]), b"data");
        let out =
            rewrite_datagram(&original(&bytes), &Packet { ecn: Ecn::Ce, ..other_packet() }, None, false);
        assert_eq!((read_headers(&out).unwrap().ecn, verify_checksums(&out)), (Ecn::Ce, Ok(())));
        let changed: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != out[at]).collect();
        assert_eq!(changed, if is_v6 { &[1][..] } else { &[1, 11] });
        let back =
            rewrite_datagram(&original(&out), &Packet { ecn: Ecn::Ect0, ..other_packet() }, None, false);
        assert_eq!(back, out, "a mark is never removed");
    }
    for is_v6 in [false, true] {
        let incapable = original(&tcp(is_v6, 0, header(1, &[]), b"data"));
        let out = rewrite_datagram(&incapable, &Packet { ecn: Ecn::Ce, ..other_packet() }, None, false);
        assert!(Arc::ptr_eq(&out, incapable.datagram()));
    }
}

/// Balakrishnan and Katz 1998: the ACK remains an ACK with an additional bit, at the same position as in
/// simulated ACKs. A sender without a listener does not receive the bit, and packets other than TCP do not
/// have it.
#[test]
fn the_eln_bit_is_set_in_an_ack_of_a_listener() {
    let eln = RareOptions { eln: Some(Eln::Next), ..RareOptions::NONE };
    for is_v6 in [false, true] {
        let bytes = tcp(is_v6, 0, TcpHeader { ack: true, ..header(1, &[]) }, &[]);
        let original = original(&bytes);
        let marked = packet(Segment::default().with_rare_options(eln.clone()));
        assert!(Arc::ptr_eq(&rewrite_datagram(&original, &marked, None, false), original.datagram()));
        let out = rewrite_datagram(&original, &marked, None, true);
        let at = if is_v6 { 40 } else { 20 };
        assert_eq!((out[at + 12] ^ bytes[at + 12], verify_checksums(&out)), (0b10, Ok(())));
        assert_eq!(seen(&out).ack, seen(&bytes).ack);
        assert_eq!(
            rewrite_datagram(&super::original(&out), &marked, None, true),
            out,
            "a second mark has no effect"
        );
    }
    let mut other = Vec::new();
    super::ip(false, 0).udp(1, 2).write(&mut other, &[0; 40]).unwrap();
    let original = original(&other);
    let marked = packet(Segment::default().with_rare_options(eln));
    assert!(Arc::ptr_eq(&rewrite_datagram(&original, &marked, None, true), original.datagram()));
}

/// RFC 4727, RFC 6994 §3: every byte of the option, after the other options; an End of Option List is
/// replaced.
#[test]
fn every_byte_of_a_nak_option_is_correct() {
    let options = [Opt::SelectiveAcknowledgement((0x300, 0x400), [None; 3])];
    let bytes = tcp(false, 2, TcpHeader { ack: true, ..header(1, &options) }, &[]);
    assert_eq!(bytes[50..52], [0, 0], "two ends of the list as padding");
    let original = original(&bytes);
    let out = rewrite_datagram(
        &original,
        &ack_with(&original, &[0x101, 0x200]),
        Some((&connection(), StreamDirection::Reverse)),
        false,
    );
    assert_eq!(out[40..50], bytes[40..50]);
    assert_eq!(out[50..52], [1, 1]);
    assert_eq!(out[52..], [253, 12, 0xA1, 0x50, 0, 0, 0, 1, 0, 0, 1, 0]);
    assert_eq!((out[32] >> 4, out[3]), (11, 64));
    assert_eq!(read_naks(&out), [1, 0x100]);
    assert_eq!(seen(&out).sack.blocks(), [[0x300, 0x400]]);
    assert_eq!(verify_checksums(&out), Ok(()));
    assert_eq!((read_naks(&bytes), read_naks(&[])), (vec![], vec![]));
}

/// RFC 9293 §3.1: at most 40 bytes of options, and 65535 bytes of a datagram. A NAK option that does not fit,
/// or that a receiver could not parse, is omitted.
#[test]
fn naks_that_do_not_fit_are_omitted() {
    let with = |options: &[u8], seqs: &[u64], connection: Option<(&ObservedConnection, StreamDirection)>| {
        let mut ack = TcpHeader { ack: true, ..header(1, &[]) };
        ack.set_options_raw(options).unwrap();
        let original = original(&tcp(false, 0, ack, &[]));
        read_naks(&rewrite_datagram(&original, &ack_with(&original, seqs), connection, false)).len()
    };
    let known = connection();
    let connection = Some((&known, StreamDirection::Reverse));
    assert_eq!(with(&[1; 20], &[1, 2, 3, 4], connection), 4);
    assert_eq!(with(&[1; 24], &[1, 2, 3, 4], connection), 0);
    assert_eq!(with(&[1; 24], &[1, 2, 3], connection), 3);
    assert_eq!(with(&[1, 1, 8, 10], &[1], connection), 0, "an option that goes on behind the header");
    assert_eq!(with(&[], &[1], None), 0);
    let long = original(&tcp(false, 0, header(1, &[]), &[0; 65_490]));
    assert!(Arc::ptr_eq(
        &rewrite_datagram(&long, &ack_with(&long, &[1, 2]), connection, false),
        long.datagram()
    ));
}

proptest! {
    /// RFC 1624: marks and NAKs keep valid checksums valid, on any segment over IPv4 or IPv6.
    #[test]
    fn changed_datagrams_have_valid_checksums(
        is_v6: bool,
        ecn in 0u8..4,
        numbers: (u32, u32, u16, u16),
        words in 0usize..=5,
        payload in prop::collection::vec(any::<u8>(), 0..100),
        seqs in prop::collection::vec(any::<u64>(), 0..=4),
        marks: bool,
    ) {
        let mut ack = TcpHeader { ack: true, acknowledgment_number: numbers.1, urgent_pointer: numbers.3, ..header(numbers.0, &[]) };
        ack.window_size = numbers.2;
        ack.set_options_raw(&[1; 20][..4 * words]).unwrap();
        let bytes = tcp(is_v6, ecn, ack, &payload);
        let original = original(&bytes);
        let packet = Packet { ecn: if marks { Ecn::Ce } else { Ecn::Ect0 }, ..ack_with(&original, &seqs) };
        let connection = connection();
        let out = rewrite_datagram(&original, &packet, Some((&connection, StreamDirection::Reverse)), false);
        prop_assert_eq!(verify_checksums(&out), Ok(()));
        let folded: Vec<u32> =
            packet.segment().unwrap().options.naks.seqs().iter().map(|&seq| connection.offset_to_seq(StreamDirection::Forward, seq)).collect();
        prop_assert_eq!(read_naks(&out), folded);
        prop_assert_eq!(&out[out.len() - payload.len()..], &payload[..]);
        let is_marked = matches!(ecn, 1 | 2) && marks || ecn == 3;
        prop_assert_eq!(read_headers(&out).unwrap().ecn == Ecn::Ce, is_marked);
        // A truncated datagram becomes the same prefix of the full result.
        let prefix = &bytes[..bytes.len() - payload.len()];
        let cut = rewrite_datagram(&super::original(prefix), &packet, Some((&connection, StreamDirection::Reverse)), false);
        prop_assert_eq!(&cut[..], &out[..out.len() - payload.len()]);
    }
}
