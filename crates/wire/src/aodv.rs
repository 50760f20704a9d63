//! Messages of AODV (RFC 3561 §5), over UDP.

use crate::WireError;
use crate::addressing::{self, AODV_PORT};
use crate::ipv4::Ipv4Datagram as Ip;
use airhop_base::{
    AodvMessage, Body, FlowId, NodeId, RouteReply, RouteRequest, Span, UnreachableDestination,
};
use etherparse::{IpNumber, UdpHeader};

const REQUEST: u8 = 1;
const REPLY: u8 = 2;
const ERROR: u8 = 3;

/// Flag of a route request: the destination's sequence number is unknown.
const UNKNOWN_SEQUENCE_FLAG: u8 = 0b0000_1000;

/// Writes the UDP header and the message.
pub(crate) fn write(message: &AodvMessage, out: &mut Vec<u8>) -> Result<IpNumber, WireError> {
    let bytes = UdpHeader::LEN + message.message_bytes() as usize;
    let length = u16::try_from(bytes).map_err(|_| WireError::TooLong(bytes))?;
    let header = UdpHeader { source_port: AODV_PORT, destination_port: AODV_PORT, length, checksum: 0 };
    out.extend_from_slice(&header.to_bytes());
    let mut words = |words: &[[u8; 4]]| words.iter().for_each(|word| out.extend_from_slice(word));
    match message {
        AodvMessage::Request(r) => {
            let flags = if r.dst_seq == 0 { UNKNOWN_SEQUENCE_FLAG } else { 0 };
            words(&[[REQUEST, flags, 0, r.hops], r.id.to_be_bytes()]);
            words(&[addressing::ipv4_address(r.dst), r.dst_seq.to_be_bytes()]);
            words(&[addressing::ipv4_address(r.origin), r.origin_seq.to_be_bytes()]);
        }
        AodvMessage::Reply(r) => {
            let millis = (r.lifetime.nanos() / 1_000_000) as u32;
            words(&[[REPLY, 0, 0, r.hops], addressing::ipv4_address(r.dst), r.dst_seq.to_be_bytes()]);
            words(&[addressing::ipv4_address(r.origin), millis.to_be_bytes()]);
        }
        AodvMessage::Error(lost) => {
            let count = u8::try_from(lost.len()).map_err(|_| WireError::TooLong(bytes))?;
            words(&[[ERROR, 0, 0, count]]);
            lost.iter().for_each(|u| words(&[addressing::ipv4_address(u.dst), u.dst_seq.to_be_bytes()]));
        }
    }
    Ok(IpNumber::UDP)
}

/// True if this datagram is for a router.
pub(crate) fn is_aodv(ip: &Ip<'_>) -> bool {
    UdpHeader::from_slice(ip.body).is_ok_and(|(header, _)| header.destination_port == AODV_PORT)
}

/// Reads the output of [`write`].
pub(crate) fn read(ip: &Ip<'_>) -> Result<(FlowId, Body, Option<u8>), WireError> {
    let (header, payload) = UdpHeader::from_slice(ip.body).map_err(|_| WireError::Malformed("UDP header"))?;
    if usize::from(header.length) != ip.body.len() {
        return Err(WireError::Malformed("UDP length"));
    }
    let (words, rest) = payload.as_chunks::<4>();
    let number = |word: [u8; 4]| u32::from_be_bytes(word);
    let message = match words {
        &[[REQUEST, _, _, hops], id, dst, dst_seq, origin, origin_seq] if rest.is_empty() => {
            AodvMessage::Request(RouteRequest {
                id: number(id),
                hops,
                dst: node(dst)?,
                dst_seq: number(dst_seq),
                origin: node(origin)?,
                origin_seq: number(origin_seq),
            })
        }
        &[[REPLY, _, _, hops], dst, dst_seq, origin, lifetime] if rest.is_empty() => {
            AodvMessage::Reply(RouteReply {
                hops,
                dst: node(dst)?,
                dst_seq: number(dst_seq),
                origin: node(origin)?,
                lifetime: Span::from_millis(number(lifetime).into()),
            })
        }
        [[ERROR, _, _, count], lost @ ..] if lost.len() == 2 * usize::from(*count) && rest.is_empty() => {
            let lost = lost
                .chunks_exact(2)
                .map(|pair| Ok(UnreachableDestination { dst: node(pair[0])?, dst_seq: number(pair[1]) }));
            AodvMessage::Error(lost.collect::<Result<_, WireError>>()?)
        }
        _ => return Err(WireError::Malformed("AODV message")),
    };
    Ok((FlowId::NONE, Body::Routing(message), None))
}

fn node(address: [u8; 4]) -> Result<NodeId, WireError> {
    addressing::node_of_ipv4(address).ok_or(WireError::Foreign("address"))
}
