//! Datagrams of real hosts, built by etherparse.

mod hostile;
mod notices;
mod numbering;
mod offload;
mod reading;
mod verifying;
mod writing;

use airhop_base::{Body, Datagram, FlowId, NodeId, OriginalDatagram, Packet, Segment, Time};
use airhop_wire::real::{ParsedTcp, read_headers};
use etherparse::{IpHeaders, PacketBuilder, PacketBuilderStep, TcpHeader, TcpOptionElement};
use std::sync::Arc;

pub const CLIENT: [u8; 4] = [192, 0, 2, 7];
pub const SERVER: [u8; 4] = [198, 51, 100, 80];
pub const CLIENT_V6: [u8; 16] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7];
pub const SERVER_V6: [u8; 16] = [0x20, 1, 0x0D, 0xB8, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];

/// Returns the start of a datagram with this ECN field.
pub fn ip(is_v6: bool, ecn: u8) -> PacketBuilderStep<IpHeaders> {
    if is_v6 {
        let header = etherparse::Ipv6Header {
            traffic_class: 0xB8 | ecn,
            flow_label: 0xA_BCDE_u32.try_into().unwrap(),
            hop_limit: 63,
            source: CLIENT_V6,
            destination: SERVER_V6,
            ..Default::default()
        };
        PacketBuilder::ip(IpHeaders::Ipv6(header, Default::default()))
    } else {
        let header = etherparse::Ipv4Header {
            ecn: ecn.try_into().unwrap(),
            dscp: 46.try_into().unwrap(),
            identification: 0xFFFE,
            time_to_live: 63,
            source: CLIENT,
            destination: SERVER,
            ..Default::default()
        };
        PacketBuilder::ip(IpHeaders::Ipv4(header, Default::default()))
    }
}

/// Returns a datagram with this TCP header.
pub fn tcp(is_v6: bool, ecn: u8, header: TcpHeader, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    ip(is_v6, ecn).tcp_header(header).write(&mut out, payload).unwrap();
    out
}

/// Returns a TCP header from port 40000 to 443.
pub fn header(seq: u32, options: &[TcpOptionElement]) -> TcpHeader {
    let mut header = TcpHeader::new(40_000, 443, seq, 5000);
    header.set_options(options).unwrap();
    header
}

/// Returns the TCP header of a datagram.
pub fn seen(datagram: &[u8]) -> ParsedTcp {
    read_headers(datagram).unwrap().tcp.unwrap()
}

/// Returns a whole datagram, or a prefix.
pub fn original(bytes: &[u8]) -> OriginalDatagram {
    let option_bytes = read_headers(bytes).ok().and_then(|seen| seen.tcp).map_or(0, |tcp| tcp.option_bytes);
    OriginalDatagram::new(Arc::from(bytes), option_bytes)
}

/// Returns a packet of the simulation with this segment.
pub fn packet(segment: Segment) -> Packet {
    Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, Body::Tcp(segment))
}

/// Returns a packet of the simulation that is not TCP.
pub fn other_packet() -> Packet {
    let body = Body::Udp(Datagram { sequence_number: 0, len: 0, sent: Time::ZERO, original: None });
    Packet::new(FlowId(0), NodeId(0), NodeId(1), 28, body)
}
