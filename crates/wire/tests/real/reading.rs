//! Reading of datagrams.

use super::hostile;
use super::{CLIENT, CLIENT_V6, SERVER, SERVER_V6, header, ip, seen, tcp};
use airhop_base::{Ecn, Timestamps};
use airhop_wire::real::{HeaderError, HeaderFields, read_headers, segment_datagram, verify_checksums};
use etherparse::{TcpHeader, TcpOptionElement as Opt};
use proptest::prelude::*;
use std::fs;
use std::net::IpAddr;

/// RFC 791, RFC 8200, RFC 9293 §3.1: every field of a SYN, over IPv4 and IPv6. RFC 3168 §5: ECT(1) is
/// ECN-capable.
#[test]
fn every_field_of_a_syn_is_read_over_ipv4_and_ipv6() {
    let options = [
        Opt::MaximumSegmentSize(1460),
        Opt::SelectiveAcknowledgementPermitted,
        Opt::Timestamp(7, 9),
        Opt::WindowScale(7),
    ];
    let header = header(0xFFFF_FFF0, &options);
    let syn = TcpHeader { syn: true, ece: true, cwr: true, acknowledgment_number: 77, ..header };
    for (is_v6, ecn, expected) in
        [(false, 0, Ecn::NotEct), (true, 1, Ecn::Ect1), (false, 2, Ecn::Ect0), (true, 3, Ecn::Ce)]
    {
        let bytes = tcp(is_v6, ecn, syn.clone(), b"early");
        let HeaderFields { tcp: Some(tcp), ref source, .. } = read_headers(&bytes).unwrap() else {
            panic!("no TCP")
        };
        let all = read_headers(&bytes).unwrap();
        let ends =
            if is_v6 { [IpAddr::from(CLIENT_V6), SERVER_V6.into()] } else { [CLIENT.into(), SERVER.into()] };
        assert_eq!([*source, all.destination], ends);
        assert_eq!((all.protocol, all.ports, all.ecn), (6, Some([40_000, 443]), expected));
        assert_eq!(
            (all.datagram_bytes as usize, all.payload_bytes, all.is_fragment),
            (bytes.len(), 5, false)
        );
        assert_eq!((tcp.seq, tcp.ack, tcp.window, tcp.option_bytes), (0xFFFF_FFF0, 0, 5000, 20));
        assert_eq!((tcp.flags.syn, tcp.flags.ack, tcp.flags.fin), (true, false, false));
        assert_eq!((tcp.flags.ece, tcp.flags.cwr, tcp.rst, tcp.flags.psh), (true, true, false, false));
        assert_eq!((tcp.mss, tcp.window_scale, tcp.sack_permitted), (Some(1460), Some(7), true));
        assert_eq!(tcp.timestamps, Some(Timestamps { tsval: 7, tsecr: 9 }));
        assert_eq!(verify_checksums(&bytes), Ok(()));
        // The headers are sufficient, and bytes that a device appends to a datagram are ignored.
        assert_eq!(read_headers(&bytes[..bytes.len() - 5]), Ok(all));
        assert_eq!(read_headers(&[&bytes[..], &[0xEE; 9]].concat()), Ok(all));
    }
}

/// RFC 7323 §2.2, RFC 9293 §3.7.1, RFC 2018 §2: only a SYN carries these options. RFC 2018 §3: SACK blocks,
/// in their order.
#[test]
fn sack_blocks_of_an_ack_are_read_in_order() {
    let options = [
        Opt::SelectiveAcknowledgement((9, 12), [Some((3, 0xFFFF_FFFF)), None, None]),
        Opt::WindowScale(7),
        Opt::MaximumSegmentSize(9),
    ];
    let ack = TcpHeader {
        ack: true,
        acknowledgment_number: 77,
        rst: true,
        psh: true,
        fin: true,
        ..header(5, &options)
    };
    let seen = seen(&tcp(false, 0, ack, &[]));
    assert_eq!(seen.sack.blocks(), [[9, 12], [3, 0xFFFF_FFFF]]);
    assert_eq!(
        (seen.window_scale, seen.mss, seen.sack_permitted, seen.timestamps),
        (None, None, false, None)
    );
    assert_eq!(
        (seen.ack, seen.flags.ack, seen.rst, seen.flags.psh, seen.flags.fin),
        (77, true, true, true, true)
    );
}

/// RFC 9293 §3.1, MUST-7: malformed options do not make a segment malformed; the options before them are
/// used.
#[test]
fn malformed_options_are_ignored() {
    let with = |options: &[u8]| {
        let mut syn = TcpHeader { syn: true, ..header(1, &[]) };
        syn.set_options_raw(options).unwrap();
        seen(&tcp(false, 0, syn, b"data"))
    };
    let cut = with(&[2, 4, 5, 180, 3, 9, 7, 1]);
    assert_eq!(
        (cut.mss, cut.window_scale),
        (Some(1460), None),
        "a window scale that goes on behind the header"
    );
    assert_eq!(
        with(&[8, 1, 0, 0, 3, 3, 7, 1]).window_scale,
        None,
        "a length that is less than its own two bytes"
    );
    assert_eq!(with(&[8, 6, 0, 0, 0, 0, 3, 3, 7, 0]).window_scale, Some(7), "timestamps of another length");
    assert_eq!(with(&[5, 7, 0, 0, 0, 1, 0, 1, 3, 3, 7, 0]).sack.blocks(), [[0u32; 2]; 0]);
    assert_eq!(with(&[0, 3, 3, 7]).window_scale, None, "after the end of the list");
    assert_eq!(with(&[3, 3, 200, 0]).window_scale, Some(14), "RFC 7323 §2.3: 14 in place of more");
}

/// RFC 768 and other protocols with ports at the same offset; ICMP (RFC 792) has no ports.
#[test]
fn ports_of_datagrams_without_tcp_are_read() {
    let mut udp = Vec::new();
    ip(false, 1).udp(53, 5353).write(&mut udp, b"answer").unwrap();
    let read_udp = read_headers(&udp).unwrap();
    assert_eq!(
        (read_udp.protocol, read_udp.ports, read_udp.payload_bytes, read_udp.tcp),
        (17, Some([53, 5353]), 6, None)
    );
    udp[9] = 132;
    assert_eq!(read_headers(&udp).unwrap().ports, Some([53, 5353]), "SCTP");
    let mut echo = Vec::new();
    ip(true, 0).icmpv6_echo_request(1, 2).write(&mut echo, b"ping").unwrap();
    let read_echo = read_headers(&echo).unwrap();
    assert_eq!(
        (read_echo.protocol, read_echo.ports, read_echo.payload_bytes, read_echo.datagram_bytes),
        (58, None, 4, 52)
    );
    let nothing = [0x45, 0, 0, 20, 0, 0, 0, 0, 9, 253, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2];
    assert_eq!(read_headers(&nothing).unwrap().payload_bytes, 0);
    for datagram in [udp, echo] {
        let broken = &datagram[..22];
        assert!(matches!(read_headers(broken), Err(HeaderError::Cut { .. })), "{:?}", read_headers(broken));
    }
}

/// RFC 791 §3.2: every fragment counts as a fragment, including the first fragment, which contains the ports.
/// The flag DF has no effect.
#[test]
fn every_ipv4_fragment_is_read_as_a_fragment() {
    let whole = tcp(false, 0, header(1, &[]), &[7; 100]);
    let with = |flags: [u8; 2]| read_headers(&[&whole[..6], &flags, &whole[8..]].concat()).unwrap();
    for flags in [[0x20, 0], [0x20, 9], [0, 1]] {
        let seen = with(flags);
        assert_eq!((seen.is_fragment, seen.tcp, seen.ports), (true, None, None));
        assert_eq!((seen.protocol, seen.datagram_bytes, seen.payload_bytes), (6, 140, 112));
    }
    assert!(with([0x40, 0]).tcp.is_some());
}

/// RFC 8200 §4: hop-by-hop, routing and destination options are skipped. §4.5: fragments; RFC 6946: a
/// fragment that contains the whole datagram does not count as a fragment.
#[test]
fn ipv6_extension_headers_are_skipped() {
    let plain = tcp(true, 2, header(1, &[]), b"data");
    let with = |extensions: &[u8], first: u8| {
        let mut bytes = [&plain[..40], extensions, &plain[40..]].concat();
        let length = (bytes.len() - 40) as u16;
        bytes[4..6].copy_from_slice(&length.to_be_bytes());
        bytes[6] = first;
        bytes
    };
    let options = [60, 0, 1, 4, 0, 0, 0, 0];
    let long = [43, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let route = [44, 0, 253, 0, 0, 0, 0, 0];
    let atomic = [6, 0, 0, 0, 0, 0, 0, 9];
    let chain = with(&[&options[..], &long, &route, &atomic].concat(), 0);
    let seen = read_headers(&chain).unwrap();
    assert_eq!(
        (seen.protocol, seen.ports, seen.payload_bytes, seen.is_fragment),
        (6, Some([40_000, 443]), 4, false)
    );
    assert_eq!(seen.datagram_bytes as usize, chain.len());
    assert_eq!(verify_checksums(&chain), Ok(()));
    let mut on_its_way = chain.clone();
    on_its_way[67] = 1;
    assert!(verify_checksums(&on_its_way).is_err(), "RFC 8200 §8.1: another destination is protected");
    assert!(segment_datagram(&on_its_way, 1).is_err());
    for place in [[0, 1], [0, 8]] {
        let seen = read_headers(&with(&[6, 0, place[0], place[1], 0, 0, 0, 9], 44)).unwrap();
        assert_eq!((seen.is_fragment, seen.protocol, seen.tcp, seen.payload_bytes), (true, 6, None, 16));
    }
    assert_eq!(
        read_headers(&with(&[6, 200, 0, 0, 0, 0, 0, 0], 60)),
        Err(HeaderError::Malformed("IPv6 extension header"))
    );
    assert!(matches!(
        read_headers(&chain[..60]),
        Err(HeaderError::Cut { what: "IPv6 extension header", .. })
    ));
}

/// An inconsistent or missing header causes an error.
#[test]
fn an_unreadable_datagram_is_an_error() {
    let whole = tcp(false, 0, header(1, &[]), b"data");
    let with = |at: usize, value: u8| read_headers(&[&whole[..at], &[value], &whole[at + 1..]].concat());
    assert_eq!(with(0, 0x52), Err(HeaderError::Version(5)));
    assert_eq!(with(0, 0x44), Err(HeaderError::Malformed("IPv4 header")));
    assert_eq!(with(3, 19), Err(HeaderError::Malformed("IPv4 header")), "shorter than its own header");
    assert_eq!(with(3, 39), Err(HeaderError::Malformed("TCP header")), "shorter than its TCP header");
    assert_eq!(with(32, 0x40), Err(HeaderError::Malformed("TCP header")), "four words of header");
    assert_eq!(with(32, 0x70), Err(HeaderError::Malformed("TCP header")), "options after the end");
    let cut = read_headers(&whole[..39]).unwrap_err();
    assert_eq!(cut, HeaderError::Cut { what: "TCP header", needs: 40, has: 39 });
    assert_eq!(
        cut.to_string(),
        "39 bytes, where the TCP header goes on to byte 40: keep at least the headers of a datagram"
    );
    assert!(read_headers(&[]).is_err());
}

/// Inputs that together reach all code that the fuzzer has reached (docs/fuzzing.md).
#[test]
fn fuzzer_seeds_are_read_without_panic() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/real");
    for seed in fs::read_dir(seeds).expect("the seeds of the fuzzer") {
        let path = seed.expect("a file").path();
        println!("{}", path.display()); // shown if the test fails
        let bytes = fs::read(&path).expect("a readable file");
        hostile::datagram(&bytes);
        hostile::repaired_datagram(&bytes);
        hostile::begun_checksum(&bytes);
        hostile::connection(&bytes);
    }
}

proptest! {
    /// No bytes cause a panic, and a parsed datagram is written back unchanged.
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        hostile::datagram(&bytes);
        hostile::repaired_datagram(&bytes);
        hostile::begun_checksum(&bytes);
        hostile::connection(&bytes);
    }

    /// Bytes that start like an IPv4 or IPv6 datagram cause no panic, and a parsed datagram is written back
    /// unchanged.
    #[test]
    fn bytes_like_a_datagram_are_read_without_panic(
        mut bytes in prop::collection::vec(any::<u8>(), 60..200),
        is_v6: bool,
        protocol in prop::sample::select(vec![0u8, 1, 6, 6, 6, 17, 43, 44, 58, 60, 132]),
        words in 5u8..16,
    ) {
        let length = bytes.len() as u16;
        if is_v6 {
            bytes[0] = 0x60;
            bytes[4..6].copy_from_slice(&(length - 40).to_be_bytes());
            bytes[6] = protocol;
            bytes[52] = words << 4;
        } else {
            bytes[0] = 0x45;
            bytes[2..4].copy_from_slice(&length.to_be_bytes());
            bytes[6..8].fill(0);
            bytes[9] = protocol;
            bytes[32] = words << 4;
        }
        hostile::datagram(&bytes);
        hostile::repaired_datagram(&bytes);
    }
}
