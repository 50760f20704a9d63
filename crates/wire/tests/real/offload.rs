//! Tests of a network card's offloads.

use super::{header, ip, seen, tcp};
use crate::hostile::internet_checksum;
use airhop_wire::real::{
    HeaderError, OffloadError, complete_checksum, read_headers, segment_datagram, verify_checksums,
};
use etherparse::{TcpHeader, TcpOptionElement as Opt};
use proptest::prelude::*;

/// Returns the sum of the pseudo header (RFC 9293 §3.1, RFC 8200 §8.1), computed as in RFC 1071 §4.1.
fn pseudo_sum(datagram: &[u8], transport: usize) -> u16 {
    let (protocol, addresses) = match datagram[0] >> 4 {
        4 => (datagram[9], &datagram[12..20]),
        _ => (datagram[6], &datagram[8..40]),
    };
    let length = ((datagram.len() - transport) as u16).to_be_bytes();
    !internet_checksum(&[addresses, &[0, protocol], &length].concat())
}

fn udp(is_v6: bool, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    ip(is_v6, 1).udp(4433, 50_000).write(&mut out, payload).unwrap();
    out
}

/// Virtual I/O Device 1.2, §5.1.6: a checksum field that contains the sum of the pseudo header is completed
/// to the full checksum.
#[test]
fn a_partial_checksum_is_completed() {
    for is_v6 in [false, true] {
        let transport = if is_v6 { 40 } else { 20 };
        let whole =
            [(tcp(is_v6, 0, header(9, &[Opt::Timestamp(1, 2)]), b"odd"), 16), (udp(is_v6, b"even"), 6)];
        for (complete, offset) in whole {
            let mut begun = complete.clone();
            let at = transport + offset;
            begun[at..at + 2].copy_from_slice(&pseudo_sum(&complete, transport).to_be_bytes());
            assert_ne!(begun, complete);
            complete_checksum(&mut begun, transport as u16, offset as u16).unwrap();
            assert_eq!(begun, complete);
        }
    }
}

/// RFC 768: a UDP checksum of zero is sent as all ones.
#[test]
fn no_completed_udp_checksum_is_zero() {
    let checksum_of_zeros = [udp(false, &[0, 0])[26], udp(false, &[0, 0])[27]];
    let mut begun = udp(false, &checksum_of_zeros);
    let pseudo = pseudo_sum(&begun, 20);
    begun[26..28].copy_from_slice(&pseudo.to_be_bytes());
    complete_checksum(&mut begun, 20, 6).unwrap();
    assert_eq!(begun[26..28], [0xFF, 0xFF]);
    assert_eq!(verify_checksums(&begun), Ok(()));
}

/// RFC 1071 §1: the sum of bytes that are not all zero is never zero, so no TCP checksum is all ones: a checksum of
/// zero is sent as zero.
#[test]
fn no_tcp_checksum_is_all_ones() {
    let ack = |last: [u8; 2]| tcp(false, 0, header(9, &[]), &last);
    let rest = ack([0, 0]);
    let whole = ack([rest[36], rest[37]]);
    assert_eq!(whole[36..38], [0, 0]);
    let mut begun = whole.clone();
    begun[36..38].copy_from_slice(&pseudo_sum(&whole, 20).to_be_bytes());
    complete_checksum(&mut begun, 20, 16).unwrap();
    assert_eq!(begun, whole);
    assert_eq!(segment_datagram(&whole, 1000).unwrap().collect::<Vec<_>>(), [whole]);
}

/// A device header that points beyond the datagram is an error, and no byte is written.
#[test]
fn a_checksum_offset_past_the_datagram_is_an_error() {
    let mut bytes = [7; 30];
    for (start, offset) in [(20, 9), (65_535, 65_535), (30, 0)] {
        let refused = complete_checksum(&mut bytes, start, offset).unwrap_err();
        assert_eq!(refused, OffloadError::Checksum { at: usize::from(start) + usize::from(offset), has: 30 });
    }
    assert_eq!((complete_checksum(&mut bytes, 20, 8), bytes[..28] == [7; 28]), (Ok(()), true));
    let refused = complete_checksum(&mut bytes, 30, 0).unwrap_err();
    assert_eq!(refused.to_string(), "a checksum at bytes 30 and 31, but only 30 bytes are there");
}

/// RFC 9293 §3.1, RFC 3168 §6.1.2: each segment equals the segment that etherparse builds from its part of
/// the payload and consecutive numbers. CWR is on the first segment, PSH and FIN on the last; the
/// identification wraps.
#[test]
fn a_large_tcp_segment_is_split_into_segments() {
    let payload: Vec<u8> = (0..2500u32).map(|byte| (byte * 7) as u8).collect();
    let large = TcpHeader {
        ack: true,
        psh: true,
        fin: true,
        cwr: true,
        ece: true,
        ..header(0xFFFF_FF00, &[Opt::Timestamp(1, 2)])
    };
    for is_v6 in [false, true] {
        let whole = tcp(is_v6, 2, large.clone(), &payload);
        let cut: Vec<_> = segment_datagram(&whole, 1000).unwrap().collect();
        let expected = payload.chunks(1000).enumerate().map(|(index, part)| {
            let (is_first, is_last) = (index == 0, index == 2);
            let seq = 0xFFFF_FF00_u32.wrapping_add(1000 * index as u32);
            let small = TcpHeader {
                sequence_number: seq,
                cwr: is_first,
                psh: is_last,
                fin: is_last,
                ..large.clone()
            };
            let mut expected = tcp(is_v6, 2, small, part);
            if !is_v6 {
                let id = 0xFFFE_u16.wrapping_add(index as u16);
                expected[4..6].copy_from_slice(&id.to_be_bytes());
                expected[10..12].fill(0);
                let checksum = internet_checksum(&expected[..20]);
                expected[10..12].copy_from_slice(&checksum.to_be_bytes());
            }
            expected
        });
        assert_eq!(cut, expected.collect::<Vec<_>>());
    }
}

/// RFC 768: each datagram has its own length, and is complete.
#[test]
fn a_large_udp_datagram_is_split_into_datagrams() {
    for is_v6 in [false, true] {
        let cut: Vec<_> = segment_datagram(&udp(is_v6, &[9; 2401]), 1200).unwrap().collect();
        let lengths: Vec<_> = cut.iter().map(|small| read_headers(small).unwrap().payload_bytes).collect();
        assert_eq!(lengths, [1200, 1200, 1]);
        assert_eq!(cut[2][cut[2].len() - 5..][..2], [0, 9], "UDP length");
        assert!(cut.iter().all(|small| verify_checksums(small) == Ok(())));
    }
}

/// A datagram that needs no segmentation is one segment, with its checksums filled in.
#[test]
fn a_datagram_without_segmentation_is_one_segment() {
    for payload in [&b""[..], b"data"] {
        let whole = tcp(false, 2, header(1, &[]), payload);
        let begun = [&whole[..36], &[0, 0], &whole[38..]].concat();
        assert_eq!(segment_datagram(&begun, 4).unwrap().collect::<Vec<_>>(), [whole]);
    }
}

/// A datagram that cannot be segmented causes an error.
#[test]
fn a_datagram_that_cannot_be_segmented_is_an_error() {
    let whole = tcp(false, 0, header(1, &[]), b"data");
    let refused = |bytes: &[u8], size| segment_datagram(bytes, size).err().unwrap();
    assert_eq!(refused(&whole, 0), OffloadError::Uncut("segments of no bytes"));
    assert_eq!(refused(&whole[..43], 2), OffloadError::Uncut("a part of a datagram"));
    assert!(matches!(refused(&whole[..30], 2), OffloadError::Unreadable(HeaderError::Cut { .. })));
    let with = |at: usize, value: u8| refused(&[&whole[..at], &[value], &whole[at + 1..]].concat(), 2);
    let datagram = udp(false, b"data");
    let fragment = refused(&[&datagram[..6], &[0x20], &datagram[7..]].concat(), 2);
    assert_eq!(fragment, OffloadError::Uncut("a fragment, or what is on a source route,"));
    assert_eq!(
        with(9, 50).to_string(),
        "what is neither TCP nor UDP cannot be cut into segments: a whole TCP or UDP datagram and a gso_size are expected"
    );
}

proptest! {
    /// Segments have the expected length, their checksums are valid, and their concatenated payloads are the
    /// payload.
    #[test]
    fn segments_concatenate_to_the_payload(
        is_v6: bool,
        is_udp: bool,
        seq: u32,
        payload in prop::collection::vec(any::<u8>(), 0..5000),
        size in 1u16..3000,
    ) {
        let size = size.max(payload.len() as u16 / 40);
        let whole = if is_udp { udp(is_v6, &payload) } else { tcp(is_v6, 0, header(seq, &[]), &payload) };
        let (mut joined, mut count) = (Vec::<u8>::new(), 0);
        for small in segment_datagram(&whole, size).unwrap() {
            prop_assert_eq!(verify_checksums(&small), Ok(()));
            let read = read_headers(&small).unwrap();
            prop_assert_eq!(read.datagram_bytes as usize, small.len());
            if !is_udp {
                prop_assert_eq!(seen(&small).seq, seq.wrapping_add(joined.len() as u32));
            }
            joined.extend(&small[small.len() - read.payload_bytes as usize..]);
            count += 1;
            prop_assert!(joined.len() == payload.len() || read.payload_bytes == u32::from(size));
        }
        prop_assert_eq!(joined, payload.clone());
        prop_assert_eq!(count, payload.len().div_ceil(size.into()).max(1));
    }
}
