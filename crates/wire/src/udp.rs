//! UDP datagrams (RFC 768). The payload starts with the datagram's number and transmission time, cut to the
//! payload length.

use crate::WireError;
use crate::addressing::{self, FlowDirection, UDP_RECEIVER_PORT};
use crate::ipv4::Ipv4Datagram as Ip;
use airhop_base::{Body, Datagram, FlowId, Packet, Time};
use etherparse::{IpNumber, UdpHeader};

/// Writes header and payload. Only the sender of a flow sends datagrams.
pub(crate) fn write(packet: &Packet, datagram: &Datagram, out: &mut Vec<u8>) -> Result<IpNumber, WireError> {
    let (source_port, destination_port) =
        addressing::ports(packet.flow, FlowDirection::Forward, UDP_RECEIVER_PORT);
    let bytes = UdpHeader::LEN + datagram.len as usize;
    let length = u16::try_from(bytes).map_err(|_| WireError::TooLong(bytes))?;
    let header = UdpHeader { source_port, destination_port, length, checksum: 0 };
    out.extend_from_slice(&header.to_bytes());
    let start = out.len();
    out.extend_from_slice(&datagram.sequence_number.to_be_bytes());
    out.extend_from_slice(&datagram.sent.nanos().to_be_bytes());
    out.resize(start + datagram.len as usize, 0);
    Ok(IpNumber::UDP)
}

/// Reads the output of [`write`]. A field that did not fit into the payload is zero.
pub(crate) fn read(ip: &Ip<'_>) -> Result<(FlowId, Body, Option<u8>), WireError> {
    let (header, payload) = UdpHeader::from_slice(ip.body).map_err(|_| WireError::Malformed("UDP header"))?;
    if usize::from(header.length) != ip.body.len() {
        return Err(WireError::Malformed("UDP length"));
    }
    let (flow, way) =
        addressing::flow_from_ports(header.source_port, header.destination_port, UDP_RECEIVER_PORT)?;
    if way != FlowDirection::Forward {
        return Err(WireError::Foreign("ports"));
    }
    let word = |at: usize| {
        payload.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_be_bytes(*bytes))
    };
    let datagram = Datagram {
        sequence_number: word(0),
        len: payload.len() as u32,
        sent: Time::from_nanos(word(8)),
        original: None,
    };
    Ok((flow, Body::Udp(datagram), None))
}
