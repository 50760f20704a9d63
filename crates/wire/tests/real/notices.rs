//! Notices: ELN and ERSN in the form of an ACK, EBSN and RTTN as ICMP messages.

use super::{CLIENT, CLIENT_V6, SERVER, SERVER_V6};
use airhop_base::{NoticeKind, Span};
use airhop_wire::real::{NoticeError, QuotedSegment, build_notice, read_headers, verify_checksums};
use std::net::IpAddr;

fn about(source: impl Into<IpAddr>, destination: impl Into<IpAddr>) -> QuotedSegment {
    let (source, destination) = (source.into(), destination.into());
    QuotedSegment {
        source,
        destination,
        ports: [443, 40_000],
        seq: 0xFFFF_FFF0,
        end: 1444,
        peer_seq: 0x0A0B_0C0D,
    }
}

const BEHIND_THE_CODE: [u8; 16] = [0, 1, 2, 3, 1, 187, 0x9C, 0x40, 0xFF, 0xFF, 0xFF, 0xF0, 0, 0, 5, 0xA4];

/// RFC 792, RFC 4727: every byte of an RTTN over IPv4.
#[test]
fn every_byte_of_an_rttn_over_ipv4_is_correct() {
    let delay = Span::from_micros(0x0001_0203);
    let out = build_notice([192, 0, 2, 1].into(), &about(SERVER, CLIENT), delay, NoticeKind::Rttn).unwrap();
    let ip = [0x45, 0, 0, 48, 0, 0, 0x40, 0, 64, 1, out[10], out[11], 192, 0, 2, 1, 198, 51, 100, 80];
    let head = [253, 1, out[22], out[23]];
    assert_eq!(out, [&ip[..], &head, &BEHIND_THE_CODE, &SERVER, &CLIENT].concat());
    assert_eq!(verify_checksums(&out), Ok(()));
}

/// RFC 4443 §2.1, §2.3: type 200, and a checksum with the pseudo header.
#[test]
fn every_byte_of_an_rttn_over_ipv6_is_correct() {
    let router = [0xFE; 16];
    let delay = Span::from_micros(0x0001_0203);
    let out = build_notice(router.into(), &about(SERVER_V6, CLIENT_V6), delay, NoticeKind::Ebsn).unwrap();
    let ip = [0x60, 0, 0, 0, 0, 52, 58, 64];
    let head = [200, 0, out[42], out[43]];
    let message = [&head[..], &BEHIND_THE_CODE, &SERVER_V6, &CLIENT_V6].concat();
    assert_eq!(out, [&ip[..], &router, &SERVER_V6, &message].concat());
    assert_eq!(verify_checksums(&out), Ok(()));
    assert_eq!(read_headers(&out).unwrap().protocol, 58);
    let broken = [&out[..60], &[!out[60]], &out[61..]].concat();
    assert_eq!(verify_checksums(&broken), Err("wrong ICMPv6 checksum"));
}

/// Yun 2009 §3.1: every byte of a notice, for both versions of IP, and for any router. The notice has
/// addresses, ports and size of a pure ACK of the receiver, its acknowledgement field names the segment, and
/// one of two reserved bits is set.
#[test]
fn an_eln_has_every_byte_of_a_pure_ack_and_one_more_bit() {
    for (kind, bits) in [(NoticeKind::Ersn, 0b0100), (NoticeKind::Eln, 0b1000)] {
        let out = build_notice([1; 4].into(), &about(SERVER, CLIENT), Span::ZERO, kind).unwrap();
        let ip = [0x45, 0, 0, 40, 0, 0, 0x40, 0, 64, 6, out[10], out[11], 192, 0, 2, 7, 198, 51, 100, 80];
        let ports = [0x9C, 0x40, 1, 187];
        // 65535 - 1460 bytes.
        let rest = [0x50 | bits, 0x10, 0xFA, 0x4B, out[36], out[37], 0, 0];
        let numbers = [0x0A, 0x0B, 0x0C, 0x0D, 0xFF, 0xFF, 0xFF, 0xF0];
        assert_eq!(out, [&ip[..], &ports, &numbers, &rest].concat());
        assert_eq!(verify_checksums(&out), Ok(()));
        let out = build_notice([0xFE; 16].into(), &about(SERVER_V6, CLIENT_V6), Span::ZERO, kind).unwrap();
        let ip = [&[0x60, 0, 0, 0, 0, 20, 6, 64][..], &CLIENT_V6, &SERVER_V6].concat();
        let rest = [0x50 | bits, 0x10, 0xFA, 0x4B, out[56], out[57], 0, 0];
        assert_eq!(out, [&ip[..], &ports, &numbers, &rest].concat());
        assert_eq!(verify_checksums(&out), Ok(()));
    }
}

/// A delay that is too long is set to the maximum. A NAK and mixed address families cause errors.
#[test]
fn a_notice_that_fits_no_datagram_is_an_error() {
    let long =
        build_notice([1; 4].into(), &about(SERVER, CLIENT), Span::from_secs(100_000), NoticeKind::Rttn)
            .unwrap();
    assert_eq!(long[24..28], [0xFF; 4]);
    let refused = build_notice([1; 4].into(), &about(SERVER, CLIENT), Span::ZERO, NoticeKind::Nak);
    assert_eq!(refused, Err(NoticeError::Kind(NoticeKind::Nak)));
    let refused = build_notice([1; 4].into(), &about(SERVER, CLIENT_V6), Span::ZERO, NoticeKind::Eln);
    assert!(matches!(refused, Err(NoticeError::Versions { .. })));
    let refused =
        build_notice([1; 4].into(), &about(SERVER, CLIENT_V6), Span::ZERO, NoticeKind::Ebsn).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "1.1.1.1 cannot send to 198.51.100.80 about 2001:db8::7: addresses of one IP version are expected"
    );
}
