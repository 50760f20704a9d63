//! Valid, wrong, missing and unnecessary checksums.

use super::{header, ip, tcp};
use airhop_wire::real::verify_checksums;
use etherparse::TcpOptionElement as Opt;

/// RFC 1071 §1: any single changed byte is detected, in every protocol with a checksum.
#[test]
fn a_checksum_detects_every_changed_byte() {
    let udp = |is_v6: bool| {
        let mut out = Vec::new();
        ip(is_v6, 0).udp(1, 2).write(&mut out, b"payload").unwrap();
        out
    };
    let mut echo = Vec::new();
    ip(false, 0).icmpv4_echo_request(1, 2).write(&mut echo, b"ping").unwrap();
    let whole = [
        tcp(false, 0, header(1, &[Opt::Noop]), b"odd"),
        tcp(true, 0, header(1, &[]), b"odd"),
        udp(false),
        udp(true),
        echo,
    ];
    for bytes in whole {
        assert_eq!(verify_checksums(&bytes), Ok(()));
        assert_eq!(verify_checksums(&[&bytes[..], &[1, 2, 3]].concat()), Ok(()), "padding of a frame");
        let transport = if bytes[0] >> 4 == 4 { 20 } else { 40 };
        for at in (10..20).chain(transport..bytes.len()) {
            let mut broken = bytes.clone();
            broken[at] ^= 0x10;
            assert!(verify_checksums(&broken).is_err(), "byte {at} of {bytes:x?}");
        }
    }
}

/// A datagram without a checksum is valid on IPv4 (RFC 768), but not on IPv6 (RFC 8200 §8.1).
#[test]
fn udp_without_a_checksum_is_valid_only_over_ipv4() {
    for (is_v6, expected) in [(false, Ok(())), (true, Err("no UDP checksum"))] {
        let mut out = Vec::new();
        ip(is_v6, 0).udp(1, 2).write(&mut out, b"payload").unwrap();
        let at = if is_v6 { 46 } else { 26 };
        out[at..at + 2].fill(0);
        assert_eq!(verify_checksums(&out), expected);
    }
}

/// Truncated datagrams cannot be checked; of a fragment (RFC 791 §3.2) only the header is checked.
#[test]
fn truncated_datagrams_cannot_be_verified() {
    let bytes = tcp(false, 0, header(1, &[]), b"payload");
    assert_eq!(verify_checksums(&bytes[..46]), Err("not the whole datagram"));
    assert_eq!(verify_checksums(&[]), Err("not an IP datagram"));
    let mut fragment = tcp(true, 0, header(1, &[]), b"payload");
    fragment[6] = 44;
    fragment[40] = 6;
    fragment[42..44].copy_from_slice(&[0, 8]);
    assert_eq!(verify_checksums(&fragment), Ok(()));
}
