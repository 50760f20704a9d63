//! IPv4 header (RFC 791), and the checksum of its payload.

use crate::WireError;
use crate::addressing::{self, Conversation};
use airhop_base::{Body, Ecn, NodeId, NoticeKind, Packet};
use etherparse::checksum::Sum16BitWords;
use etherparse::{IpEcn, IpNumber, Ipv4Header};

/// Length of the header. Airhop writes no IP options.
pub(crate) const HEADER: usize = Ipv4Header::MIN_LEN;

/// Parsed datagram.
pub(crate) struct Ipv4Datagram<'a> {
    pub src: NodeId,
    pub dst: NodeId,
    pub bytes: u32,
    pub ecn: Ecn,
    pub ttl: u8,
    pub protocol: IpNumber,
    /// Payload of the datagram.
    pub body: &'a [u8],
}

/// Reserves room for the header that [`write_header`] writes.
pub(crate) fn reserve_header(out: &mut Vec<u8>) {
    out.clear();
    out.resize(HEADER, 0);
}

/// Writes the header and the checksum of the body. The body follows the header in `out`.
pub(crate) fn write_header(
    packet: &Packet,
    protocol: IpNumber,
    conversation: &Conversation,
    out: &mut [u8],
) -> Result<(), WireError> {
    let total_len = u16::try_from(out.len()).map_err(|_| WireError::TooLong(out.len()))?;
    if packet.bytes as usize != out.len() {
        return Err(WireError::Length { says: packet.bytes, is: out.len() });
    }
    let (src, dst) = end_nodes(packet, conversation);
    let header = Ipv4Header {
        total_len,
        // RFC 6864 §4.1: the identification of an unfragmented datagram may have any value. Zero gives a
        // packet the same bytes at every node.
        identification: 0,
        dont_fragment: true,
        time_to_live: packet.ttl,
        protocol,
        source: addressing::ipv4_address(src),
        destination: addressing::ipv4_address(dst),
        // RFC 3168 §5
        ecn: match packet.ecn {
            Ecn::NotEct => IpEcn::ZERO,
            Ecn::Ect1 => IpEcn::ONE,
            Ecn::Ect0 => IpEcn::TWO,
            Ecn::Ce => IpEcn::THREE,
        },
        ..Ipv4Header::default()
    };
    let (head, body) = out.split_at_mut(HEADER);
    let header = Ipv4Header { header_checksum: header.calc_header_checksum(), ..header };
    head.copy_from_slice(&header.to_bytes());
    let sum = sum(&header, body);
    let (at, checksum) = match protocol {
        IpNumber::TCP => (16, sum.ones_complement()),
        // RFC 768: zero would mean that the datagram has no checksum.
        IpNumber::UDP => (6, sum.to_ones_complement_with_no_zero()),
        _ => (2, sum.ones_complement()),
    };
    body[at..at + 2].copy_from_slice(&checksum.to_ne_bytes());
    Ok(())
}

/// Returns the sum of the body and of the pseudo header of TCP (RFC 9293 §3.1) or UDP (RFC 768). Words are in
/// memory order (RFC 1071 §2 (B)).
fn sum(header: &Ipv4Header, body: &[u8]) -> Sum16BitWords {
    let body_sum = Sum16BitWords::new().add_slice(body);
    if header.protocol == IpNumber::ICMP {
        return body_sum;
    }
    body_sum
        .add_2bytes([0, header.protocol.0])
        .add_2bytes((body.len() as u16).to_be_bytes())
        .add_slice(&header.source)
        .add_slice(&header.destination)
}

/// Returns the source and destination nodes for the IP header of a packet.
fn end_nodes(packet: &Packet, conversation: &Conversation) -> (NodeId, NodeId) {
    match &packet.body {
        // Yun 2009, §3.1: the source is the receiver, as in an ACK, whichever node created the notice.
        Body::Notice(n) if matches!(n.kind, NoticeKind::Eln | NoticeKind::Ersn | NoticeKind::Nak) => {
            (conversation.receiver, conversation.sender)
        }
        _ => (packet.src, packet.dst),
    }
}

/// Reads and checks the header, and the checksum of the body.
pub(crate) fn read(bytes: &[u8]) -> Result<Ipv4Datagram<'_>, WireError> {
    let (header, _) = Ipv4Header::from_slice(bytes).map_err(|_| WireError::Malformed("IPv4 header"))?;
    let end = usize::from(header.total_len);
    let body = bytes.get(header.header_len()..end).ok_or(WireError::Malformed("IPv4 length"))?;
    if header.calc_header_checksum() != header.header_checksum {
        return Err(WireError::Checksum("IPv4"));
    }
    if header.is_fragmenting_payload() {
        return Err(WireError::Foreign("fragment"));
    }
    let node = |address| addressing::node_of_ipv4(address).ok_or(WireError::Foreign("address"));
    let datagram = Ipv4Datagram {
        src: node(header.source)?,
        dst: node(header.destination)?,
        bytes: header.total_len.into(),
        ecn: Ecn::from_traffic_class(header.ecn.value()),
        ttl: header.time_to_live,
        protocol: header.protocol,
        body,
    };
    // RFC 1071 §1: the sum including the checksum is all ones.
    if sum(&header, body).ones_complement() == 0 {
        Ok(datagram)
    } else {
        Err(WireError::Checksum("transport"))
    }
}
