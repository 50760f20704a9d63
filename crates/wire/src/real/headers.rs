//! Offsets of a datagram's headers.

use super::HeaderError;
use airhop_base::Ecn;
use etherparse::checksum::Sum16BitWords;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Protocol numbers (IANA).
pub(super) const ICMP: u8 = 1;
pub(super) const TCP: u8 = 6;
pub(super) const UDP: u8 = 17;
pub(super) const DCCP: u8 = 33;
pub(super) const ICMPV6: u8 = 58;
pub(super) const SCTP: u8 = 132;
pub(super) const UDP_LITE: u8 = 136;

/// Extension headers that are skipped (RFC 8200 §4).
const HOP_BY_HOP: u8 = 0;
const ROUTING: u8 = 43;
const FRAGMENT: u8 = 44;
const DESTINATION_OPTIONS: u8 = 60;

pub(super) const IPV4_HEADER: usize = 20;
pub(super) const IPV6_HEADER: usize = 40;
pub(super) const TCP_HEADER: usize = 20;
pub(super) const UDP_HEADER: usize = 8;

/// Fields of the IP headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IpHeaders {
    pub is_v6: bool,
    /// Length of the datagram according to its IP header.
    pub datagram_bytes: usize,
    /// Offset of the transport header, or of a fragment's payload.
    pub transport_offset: usize,
    pub protocol: u8,
    pub is_fragment: bool,
    /// True if a routing header has further addresses. The destination address is then not the final
    /// destination.
    pub is_source_routed: bool,
}

impl IpHeaders {
    pub fn parse(bytes: &[u8]) -> Result<IpHeaders, HeaderError> {
        match bytes.first().map(|first| first >> 4) {
            Some(4) => IpHeaders::parse_v4(bytes),
            Some(6) => IpHeaders::parse_v6(bytes),
            Some(other) => Err(HeaderError::Version(other)),
            None => Err(HeaderError::Cut { what: "IP header", needs: IPV4_HEADER, has: 0 }),
        }
    }

    /// Parses the IPv4 header (RFC 791 §3.1).
    fn parse_v4(bytes: &[u8]) -> Result<IpHeaders, HeaderError> {
        const WHAT: &str = "IPv4 header";
        let header = checked_slice(bytes, 0, IPV4_HEADER, usize::MAX, WHAT)?;
        let (length, total) = (4 * usize::from(header[0] & 0xF), usize::from(read_u16(header, 2)));
        if length < IPV4_HEADER {
            return Err(HeaderError::Malformed(WHAT));
        }
        checked_slice(bytes, 0, length, total, WHAT)?;
        Ok(IpHeaders {
            is_v6: false,
            datagram_bytes: total,
            transport_offset: length,
            protocol: header[9],
            // The flag "more fragments" is set, or the fragment offset is not zero.
            is_fragment: read_u16(header, 6) & 0x3FFF != 0,
            is_source_routed: false,
        })
    }

    /// Parses the headers of IPv6 (RFC 8200 §3, §4). An atomic fragment (RFC 6946) does not count as a
    /// fragment.
    fn parse_v6(bytes: &[u8]) -> Result<IpHeaders, HeaderError> {
        let header = checked_slice(bytes, 0, IPV6_HEADER, usize::MAX, "IPv6 header")?;
        let mut headers = IpHeaders {
            is_v6: true,
            datagram_bytes: IPV6_HEADER + usize::from(read_u16(header, 4)),
            transport_offset: IPV6_HEADER,
            protocol: header[6],
            is_fragment: false,
            is_source_routed: false,
        };
        while !headers.is_fragment
            && let HOP_BY_HOP | ROUTING | FRAGMENT | DESTINATION_OPTIONS = headers.protocol
        {
            let extension = checked_slice(
                bytes,
                headers.transport_offset,
                8,
                headers.datagram_bytes,
                "IPv6 extension header",
            )?;
            let length = match headers.protocol {
                FRAGMENT => 8,
                _ => 8 * (1 + usize::from(extension[1])),
            };
            headers.is_fragment = headers.protocol == FRAGMENT && read_u16(extension, 2) & !0b110 != 0;
            headers.is_source_routed |= headers.protocol == ROUTING && extension[3] != 0;
            headers.protocol = extension[0];
            headers.transport_offset += length;
        }
        if headers.transport_offset > headers.datagram_bytes {
            return Err(HeaderError::Malformed("IPv6 extension header"));
        }
        Ok(headers)
    }

    /// Returns the TCP header with its options (RFC 9293 §3.1); `None` for other protocols.
    pub fn tcp_header<'a>(&self, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, HeaderError> {
        const WHAT: &str = "TCP header";
        if self.protocol != TCP || self.is_fragment {
            return Ok(None);
        }
        let header = checked_slice(bytes, self.transport_offset, TCP_HEADER, self.datagram_bytes, WHAT)?;
        let length = 4 * usize::from(header[12] >> 4);
        if length < TCP_HEADER {
            return Err(HeaderError::Malformed(WHAT));
        }
        checked_slice(bytes, self.transport_offset, length, self.datagram_bytes, WHAT).map(Some)
    }

    /// Returns the number of bytes after the IP headers.
    pub fn ip_payload_bytes(&self) -> usize {
        self.datagram_bytes - self.transport_offset
    }

    /// Returns source and destination of the IP header.
    pub fn addresses(&self, bytes: &[u8]) -> [IpAddr; 2] {
        if self.is_v6 {
            [8, 24].map(|at| IpAddr::V6(Ipv6Addr::from(array::<16>(bytes, at))))
        } else {
            [12, 16].map(|at| IpAddr::V4(Ipv4Addr::from(array::<4>(bytes, at))))
        }
    }

    /// Adds the pseudo header of TCP (RFC 9293 §3.1), UDP and ICMPv6 (RFC 8200 §8.1) for `length` bytes.
    pub fn add_pseudo_header(&self, sum: Sum16BitWords, bytes: &[u8], length: usize) -> Sum16BitWords {
        let addresses = if self.is_v6 { &bytes[8..40] } else { &bytes[12..20] };
        sum.add_slice(addresses).add_2bytes([0, self.protocol]).add_2bytes((length as u16).to_be_bytes())
    }

    /// Returns the ECN codepoint, the last two bits of the traffic class (RFC 3168 §5).
    pub fn ecn(&self, bytes: &[u8]) -> Ecn {
        Ecn::from_traffic_class(if self.is_v6 { bytes[1] >> 4 } else { bytes[1] })
    }
}

/// Returns `length` bytes from `at`. The datagram ends at `end`.
pub(super) fn checked_slice<'a>(
    bytes: &'a [u8],
    at: usize,
    length: usize,
    end: usize,
    what: &'static str,
) -> Result<&'a [u8], HeaderError> {
    let needs = at + length;
    if needs > end {
        return Err(HeaderError::Malformed(what));
    }
    bytes.get(at..needs).ok_or(HeaderError::Cut { what, needs, has: bytes.len() })
}

/// Returns the 16-bit number at an offset within bounds.
pub(super) fn read_u16(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes(array(bytes, at))
}

/// Returns the 32-bit number at an offset within bounds.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(array(bytes, at))
}

/// Writes a 16-bit number at an offset within bounds.
pub(super) fn write_u16(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(&bytes[at..at + N]);
    array
}
