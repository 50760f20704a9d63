//! Notices to a real sender. ELN and ERSN have the form of an ACK from the receiver, with a mark in the
//! reserved bits (Yun 2009 §3.1). The bits are the same as in [`crate::encode`]. Such ACKs must be sent only
//! to hosts that listen for notices. EBSN and RTTN are ICMP messages in the format of [`crate::encode`],
//! followed by addresses.
//!
//! The ICMP types are for experiments: 253 of ICMP (RFC 4727), 200 of ICMPv6 (RFC 4443 §2.1). Kernels ignore
//! these messages, but programs that listen for ICMP receive them. The message contains both addresses of the
//! segment. The notice goes to the segment's source, but does not come from its destination:
//!
//! ```text
//! type | code 0 EBSN, 1 RTTN | checksum || delay in µs || source port | destination port || sequence number || end of the segment
//! || source address (4 or 16 bytes) || destination address
//! ```

use super::headers::{ICMP, ICMPV6, IPV4_HEADER, IPV6_HEADER, TCP};
use crate::tcp::{ELN_BITS, ERSN_BITS};
use airhop_base::{NoticeKind, Packet, Span};
use etherparse::TcpHeader;
use etherparse::checksum::Sum16BitWords;
use std::net::IpAddr;

const EXPERIMENT: u8 = 253;
const EXPERIMENT_V6: u8 = 200;

/// Offsets of data offset, reserved bits and checksum in a TCP header (RFC 9293 §3.1).
const TCP_OFFSET: usize = 12;
const TCP_CHECKSUM: usize = 16;

/// Don't Fragment flag (RFC 791 §3.1).
const DONT_FRAGMENT: u8 = 0x40;

/// Segment that a notice reports, with its header fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedSegment {
    /// Source of the segment. The notice goes to this address.
    pub source: IpAddr,
    /// Destination of the segment.
    pub destination: IpAddr,
    /// Source and destination port.
    pub ports: [u16; 2],
    /// Sequence number.
    pub seq: u32,
    /// First sequence number after the segment.
    pub end: u32,
    /// Next sequence number of the other end, as in an ACK of the segment.
    pub peer_seq: u32,
}

/// Reason why a notice cannot be a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoticeError {
    /// The notice is a NAK. A NAK is an option of an ACK in transit, not a datagram.
    #[error("a notice of kind {0:?} is no datagram of its own: Eln, Ersn, Ebsn or Rttn is expected")]
    Kind(NoticeKind),
    /// The addresses belong to different versions of IP.
    #[error(
        "{router} cannot send to {source_address} about {destination}: addresses of one IP version are expected"
    )]
    Versions {
        /// Router that would send the notice.
        router: IpAddr,
        /// Source of the segment.
        source_address: IpAddr,
        /// Destination of the segment.
        destination: IpAddr,
    },
}

/// Builds a notice to the source of the segment `about`. An ELN or ERSN comes from the destination of the
/// segment, with the ports of an ACK. Other notices come from `router`. The delay of an RTTN is in integer
/// microseconds, at most 2³² - 1. The delay of an EBSN is zero.
///
/// # Errors
/// [`NoticeError`] for other kinds, and for addresses of different versions of IP.
pub fn build_notice(
    router: IpAddr,
    about: &QuotedSegment,
    delay: Span,
    kind: NoticeKind,
) -> Result<Vec<u8>, NoticeError> {
    let code = match kind {
        NoticeKind::Eln => return build_ack_notice(about, ELN_BITS),
        NoticeKind::Ersn => return build_ack_notice(about, ERSN_BITS),
        NoticeKind::Ebsn => 0,
        NoticeKind::Rttn => 1,
        NoticeKind::Nak => return Err(NoticeError::Kind(kind)),
    };
    match [router, about.source, about.destination] {
        [IpAddr::V4(router), IpAddr::V4(source), IpAddr::V4(destination)] => {
            let mut body =
                build_message([EXPERIMENT, code], about, delay, &source.octets(), &destination.octets());
            write_checksum(&mut body, 2, Sum16BitWords::new());
            Ok(build_ipv4(router.octets(), source.octets(), ICMP, &body))
        }
        [IpAddr::V6(router), IpAddr::V6(source), IpAddr::V6(destination)] => {
            let mut body =
                build_message([EXPERIMENT_V6, code], about, delay, &source.octets(), &destination.octets());
            let before = pseudo_header_sum(&router.octets(), &source.octets(), ICMPV6, body.len());
            write_checksum(&mut body, 2, before);
            Ok(build_ipv6(router.octets(), source.octets(), ICMPV6, &body))
        }
        [router, source_address, destination] => {
            Err(NoticeError::Versions { router, source_address, destination })
        }
    }
}

/// Builds an ACK from the destination of the segment, without options. The reserved bits identify the notice.
/// The acknowledgement field is the first byte of the segment. The window field is 65535 less the segment
/// length ([`crate::tcp`] states the reasons).
fn build_ack_notice(about: &QuotedSegment, bits: u8) -> Result<Vec<u8>, NoticeError> {
    let [to, from] = about.ports;
    let length = u16::try_from(about.end.wrapping_sub(about.seq)).unwrap_or(u16::MAX);
    let mut header = TcpHeader::new(from, to, about.peer_seq, u16::MAX - length);
    header.ack = true;
    header.acknowledgment_number = about.seq;
    let mut body = header.to_bytes().to_vec();
    body[TCP_OFFSET] |= bits;
    match [about.destination, about.source] {
        [IpAddr::V4(from), IpAddr::V4(to)] => {
            let before = pseudo_header_sum(&from.octets(), &to.octets(), TCP, body.len());
            write_checksum(&mut body, TCP_CHECKSUM, before);
            Ok(build_ipv4(from.octets(), to.octets(), TCP, &body))
        }
        [IpAddr::V6(from), IpAddr::V6(to)] => {
            let before = pseudo_header_sum(&from.octets(), &to.octets(), TCP, body.len());
            write_checksum(&mut body, TCP_CHECKSUM, before);
            Ok(build_ipv6(from.octets(), to.octets(), TCP, &body))
        }
        [router, source_address] => {
            Err(NoticeError::Versions { router, source_address, destination: router })
        }
    }
}

/// Returns the sum of the pseudo header of TCP (RFC 9293 §3.1) and ICMPv6 (RFC 8200 §8.1).
fn pseudo_header_sum(source: &[u8], destination: &[u8], protocol: u8, length: usize) -> Sum16BitWords {
    let addresses = Sum16BitWords::new().add_slice(source).add_slice(destination);
    addresses.add_2bytes((length as u16).to_be_bytes()).add_2bytes([0, protocol])
}

/// Builds the message, without a checksum.
fn build_message(
    head: [u8; 2],
    about: &QuotedSegment,
    delay: Span,
    source: &[u8],
    destination: &[u8],
) -> Vec<u8> {
    let micros = u32::try_from(delay.nanos() / 1_000).unwrap_or(u32::MAX);
    let [from, to] = about.ports.map(u16::to_be_bytes);
    let mut out = vec![head[0], head[1], 0, 0];
    out.extend(micros.to_be_bytes());
    out.extend([from, to].concat());
    out.extend([about.seq, about.end].map(u32::to_be_bytes).concat());
    out.extend([source, destination].concat());
    out
}

/// Builds an IPv4 datagram (RFC 791 §3.1). The identification may have any value (RFC 6864 §4.1).
fn build_ipv4(source: [u8; 4], destination: [u8; 4], protocol: u8, body: &[u8]) -> Vec<u8> {
    let [high, low] = ((IPV4_HEADER + body.len()) as u16).to_be_bytes();
    let mut out = vec![0x45, 0, high, low, 0, 0, DONT_FRAGMENT, 0, Packet::DEFAULT_TTL, protocol, 0, 0];
    out.extend([source, destination].concat());
    write_checksum(&mut out, 10, Sum16BitWords::new());
    out.extend(body);
    out
}

/// Builds an IPv6 datagram (RFC 8200 §3).
fn build_ipv6(source: [u8; 16], destination: [u8; 16], protocol: u8, body: &[u8]) -> Vec<u8> {
    let [high, low] = (body.len() as u16).to_be_bytes();
    let mut out = Vec::with_capacity(IPV6_HEADER + body.len());
    out.extend([0x60, 0, 0, 0, high, low, protocol, Packet::DEFAULT_TTL]);
    out.extend([source, destination].concat());
    out.extend(body);
    out
}

/// Writes the checksum at `at`, over all bytes and the sum `before`. The checksum field must be zero.
fn write_checksum(bytes: &mut [u8], at: usize, before: Sum16BitWords) {
    let checksum = before.add_slice(bytes).ones_complement().to_ne_bytes();
    bytes[at..at + 2].copy_from_slice(&checksum);
}
