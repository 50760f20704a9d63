//! Verification of a datagram's checksums.

use super::checksum::sum_words;
use super::headers::{ICMP, ICMPV6, IpHeaders, TCP, UDP, UDP_HEADER, read_u16};

/// Checks all checksums of a whole datagram: the IPv4 header (RFC 791 §3.1), TCP (RFC 9293 §3.1), UDP (RFC
/// 768), ICMP (RFC 792) and ICMPv6 (RFC 4443 §2.3). A zero UDP checksum means no checksum, but only in IPv4
/// (RFC 8200 §8.1). For a fragment and for other protocols, checks only the IPv4 header.
///
/// # Errors
/// If a checksum is wrong, if the datagram is incomplete, or if an IPv6 datagram has an unfinished source
/// route. The checksum then covers the final destination, and this function does not search for that address.
pub fn verify_checksums(datagram: &[u8]) -> Result<(), &'static str> {
    let headers = IpHeaders::parse(datagram).map_err(|_| "not an IP datagram")?;
    let datagram = datagram.get(..headers.datagram_bytes).ok_or("not the whole datagram")?;
    if !headers.is_v6 && sum_words(&datagram[..headers.transport_offset]).ones_complement() != 0 {
        return Err("wrong IPv4 header checksum");
    }
    if headers.is_fragment {
        return Ok(());
    }
    let body = &datagram[headers.transport_offset..];
    match headers.protocol {
        TCP | UDP | ICMPV6 if headers.is_source_routed => {
            Err("on a source route: its last destination is not known")
        }
        TCP => verify_checksum(headers, datagram, body, 20, "wrong TCP checksum"),
        UDP => verify_udp_checksum(headers, datagram, body),
        ICMP if body.len() < 4 => Err("ICMP header cut short"),
        ICMP if sum_words(body).ones_complement() != 0 => Err("wrong ICMP checksum"),
        ICMPV6 => verify_checksum(headers, datagram, body, 4, "wrong ICMPv6 checksum"),
        _ => Ok(()),
    }
}

/// Checks UDP's checksum, over the length in UDP's header (RFC 768).
fn verify_udp_checksum(headers: IpHeaders, datagram: &[u8], body: &[u8]) -> Result<(), &'static str> {
    let header = body.get(..UDP_HEADER).ok_or("UDP header cut short")?;
    if read_u16(header, 6) == 0 {
        return if headers.is_v6 { Err("no UDP checksum") } else { Ok(()) };
    }
    let body = body.get(..read_u16(header, 4).into()).ok_or("wrong UDP length")?;
    verify_checksum(headers, datagram, body, UDP_HEADER, "wrong UDP checksum")
}

/// Checks that the sum including the checksum is all ones (RFC 1071 §1).
fn verify_checksum(
    headers: IpHeaders,
    datagram: &[u8],
    body: &[u8],
    least: usize,
    wrong: &'static str,
) -> Result<(), &'static str> {
    let is_right = body.len() >= least
        && headers.add_pseudo_header(sum_words(body), datagram, body.len()).ones_complement() == 0;
    if is_right { Ok(()) } else { Err(wrong) }
}
