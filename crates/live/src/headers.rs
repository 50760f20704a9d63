//! The few header fields that the live side looks at. Everything else in a datagram is the world's business.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

const TCP: u8 = 6;
const FIN_SYN_RST: u8 = 0x07;
const ACK: u8 = 0x10;

/// A TCP segment in an IPv4 datagram, or in an IPv6 datagram without extension headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Who sent it.
    pub source: SocketAddr,
    /// Whom it is for.
    pub destination: SocketAddr,
    /// Its sequence number.
    pub sequence: u32,
    /// Its acknowledgement number; of no meaning without the ACK bit.
    pub acknowledgement: u32,
    flags: u8,
    /// Bytes of payload.
    pub payload: u32,
}

impl Tcp {
    /// The sequence number behind its last byte of payload.
    pub fn end(&self) -> u32 {
        self.sequence.wrapping_add(self.payload)
    }

    /// It acknowledges, and does nothing else.
    pub fn is_pure_ack(&self) -> bool {
        self.payload == 0 && self.flags & ACK != 0 && self.flags & FIN_SYN_RST == 0
    }
}

/// Where things are in a datagram.
struct Ip {
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    header: usize,
    /// Of the whole datagram, as its header says.
    length: usize,
    /// A fragment but the first has no transport header (RFC 791 §3.2).
    has_transport_header: bool,
}

fn ip(bytes: &[u8]) -> Option<Ip> {
    match bytes.first()? >> 4 {
        4 => ipv4(bytes),
        6 => ipv6(bytes),
        _ => None,
    }
}

/// RFC 791 §3.1.
fn ipv4(bytes: &[u8]) -> Option<Ip> {
    let fixed: &[u8; 20] = bytes.first_chunk()?;
    let address =
        |at: usize| IpAddr::from(Ipv4Addr::new(fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]));
    let header = usize::from(fixed[0] & 0x0F) * 4;
    let offset = u16::from_be_bytes([fixed[6], fixed[7]]) & 0x1FFF;
    (header >= 20).then_some(Ip {
        source: address(12),
        destination: address(16),
        protocol: fixed[9],
        header,
        length: u16::from_be_bytes([fixed[2], fixed[3]]).into(),
        has_transport_header: offset == 0,
    })
}

/// RFC 8200 §3. What stands behind an extension header is not looked for: its protocol is no transport's.
fn ipv6(bytes: &[u8]) -> Option<Ip> {
    let fixed: &[u8; 40] = bytes.first_chunk()?;
    let address = |at: usize| {
        let mut octets = [0; 16];
        octets.copy_from_slice(&fixed[at..at + 16]);
        IpAddr::from(Ipv6Addr::from(octets))
    };
    Some(Ip {
        source: address(8),
        destination: address(24),
        protocol: fixed[6],
        header: 40,
        length: 40 + usize::from(u16::from_be_bytes([fixed[4], fixed[5]])),
        has_transport_header: true,
    })
}

/// Length of the TCP header that begins `bytes` (RFC 9293 §3.1).
fn tcp_header(bytes: &[u8]) -> Option<usize> {
    Some(usize::from(bytes.get(12)? >> 4) * 4).filter(|length| *length >= 20)
}

/// The TCP segment in a datagram; `None` if there is none, or its headers contradict themselves.
pub fn tcp(datagram: &[u8]) -> Option<Tcp> {
    let ip = ip(datagram)?;
    if ip.protocol != TCP || !ip.has_transport_header {
        return None;
    }
    let bytes = datagram.get(ip.header..)?;
    let fixed: &[u8; 20] = bytes.first_chunk()?;
    let headers = ip.header + tcp_header(bytes)?;
    let word = |at: usize| u32::from_be_bytes([fixed[at], fixed[at + 1], fixed[at + 2], fixed[at + 3]]);
    let port = |at: usize| u16::from_be_bytes([fixed[at], fixed[at + 1]]);
    Some(Tcp {
        source: (ip.source, port(0)).into(),
        destination: (ip.destination, port(2)).into(),
        sequence: word(4),
        acknowledgement: word(8),
        flags: fixed[13],
        payload: ip.length.checked_sub(headers)?.try_into().ok()?,
    })
}

/// How many bytes the IP header and, if its length is known, the transport header have; never more than the datagram.
pub fn header_bytes(datagram: &[u8]) -> usize {
    let Some(ip) = ip(datagram) else { return 0 };
    let behind = datagram.get(ip.header..).unwrap_or_default();
    let transport = match ip.protocol {
        _ if !ip.has_transport_header => 0,
        TCP => tcp_header(behind).unwrap_or(0),
        // ICMP (RFC 792), UDP (RFC 768) and ICMPv6 (RFC 4443 §2.1, with the identifier of an echo).
        1 | 17 | 58 => 8,
        _ => 0,
    };
    (ip.header + transport).min(datagram.len())
}

/// The length of the datagram that begins `bytes`, as its header says; `None` if there are fewer bytes, or it is none.
pub fn length(bytes: &[u8]) -> Option<usize> {
    ip(bytes).map(|ip| ip.length).filter(|length| *length <= bytes.len())
}

/// Whom a datagram is for.
pub fn destination(datagram: &[u8]) -> Option<IpAddr> {
    ip(datagram).map(|ip| ip.destination)
}

/// Whether a datagram is for one host. A simulated network routes to hosts: what the kernel says to all neighbours
/// (RFC 1112 §4, RFC 4291 §2.7: group membership, router solicitations) means the link at hand, which is a TUN device.
pub fn is_unicast(datagram: &[u8]) -> bool {
    match destination(datagram) {
        Some(IpAddr::V4(to)) => {
            !to.is_multicast() && !to.is_broadcast() && to != Ipv4Addr::new(10, 255, 255, 255)
        }
        Some(IpAddr::V6(to)) => !to.is_multicast(),
        None => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A TCP segment in an IPv4 datagram from 10.0.0.`from` to 10.0.0.`to`, without checksums.
    pub(crate) fn segment(from: u8, to: u8, sequence: u32, ack: u32, flags: u8, payload: usize) -> Vec<u8> {
        let mut bytes = vec![0; 40 + payload];
        let total = (bytes.len() as u16).to_be_bytes();
        bytes[..20].copy_from_slice(&[
            0x45, 0, total[0], total[1], 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, from, 10, 0, 0, to,
        ]);
        bytes[20..24].copy_from_slice(&[0, from, 0, to]);
        bytes[24..28].copy_from_slice(&sequence.to_be_bytes());
        bytes[28..32].copy_from_slice(&ack.to_be_bytes());
        bytes[32] = 5 << 4;
        bytes[33] = flags;
        bytes
    }

    /// RFC 791 §3.1, RFC 9293 §3.1: lengths are those of the headers, not of the buffer.
    #[test]
    fn a_segment_in_ipv4() {
        let mut bytes = segment(1, 2, u32::MAX, 7, 0x10, 100);
        let read = tcp(&bytes).unwrap();
        assert_eq!(read.source, "10.0.0.1:1".parse().unwrap());
        assert_eq!((read.payload, read.end(), read.is_pure_ack()), (100, 99, false));
        assert_eq!(header_bytes(&bytes), 40);
        assert_eq!((length(&bytes), length(&bytes[..139])), (Some(140), None));
        bytes.extend([0; 6]);
        assert_eq!((length(&bytes), tcp(&bytes)), (Some(140), Some(read)));
        // A later fragment begins with data.
        bytes[7] = 1;
        assert_eq!((tcp(&bytes), header_bytes(&bytes)), (None, 20));
        for flags in [0x11, 0x12, 0x14, 0x00] {
            assert!(!tcp(&segment(1, 2, 0, 7, flags, 0)).unwrap().is_pure_ack());
        }
    }

    /// RFC 8200 §3: the length of an IPv6 header does not count itself.
    #[test]
    fn a_segment_in_ipv6() {
        let mut bytes = vec![0; 40];
        bytes[0] = 0x60;
        bytes[5] = 32;
        bytes[6] = TCP;
        bytes[39] = 1;
        bytes.extend_from_slice(&segment(1, 2, 5, 7, 0x10, 12)[20..]);
        let read = tcp(&bytes).unwrap();
        assert_eq!((read.destination, read.end()), ("[::1]:2".parse().unwrap(), 17));
        assert_eq!(header_bytes(&bytes), 60);
        assert!(is_unicast(&bytes));
        bytes[24] = 0xFF;
        assert!(!is_unicast(&bytes));
    }

    proptest! {
        /// Anything can come out of a TUN device.
        #[test]
        fn arbitrary_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = tcp(&bytes);
            let _ = is_unicast(&bytes);
            prop_assert!(header_bytes(&bytes) <= bytes.len());
        }
    }
}
