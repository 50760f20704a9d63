//! EBSN and RTTN: 40-byte packets in the form of an ICMP error (RFC 792).
//!
//! The type is for experiments (RFC 4727). The code distinguishes EBSN and RTTN. Like an ICMP error, the
//! packet quotes the first eight bytes after the IP header of the reported packet: ports and sequence number.
//! The quoted IP header would not fit in 40 bytes. The receiver of the notice sent the reported packet, and
//! does not need the IP header.
//!
//! ```text
//! type 253 | code | checksum || delay in µs || source port | destination port || sequence number || end of the segment
//! ```

use crate::WireError;
use crate::addressing::{self, FlowDirection, TCP_RECEIVER_PORT};
use crate::ipv4::Ipv4Datagram as Ip;
use crate::numbers;
use airhop_base::{Body, FlowId, Notice, NoticeKind, Packet, Span};
use etherparse::IpNumber;

const EXPERIMENT: u8 = 253;
const EBSN: u8 = 0;
const RTTN: u8 = 1;
const LENGTH: usize = 20;

/// Writes an EBSN or RTTN.
pub(crate) fn write(packet: &Packet, notice: &Notice, out: &mut Vec<u8>) -> IpNumber {
    let code = if notice.kind == NoticeKind::Rttn { RTTN } else { EBSN };
    let (source, destination) = addressing::ports(packet.flow, FlowDirection::Forward, TCP_RECEIVER_PORT);
    let isn = addressing::isn(packet.flow, FlowDirection::Forward);
    let micros = u32::try_from(notice.additional_delay.nanos() / 1_000).unwrap_or(u32::MAX);
    out.extend_from_slice(&[EXPERIMENT, code, 0, 0]);
    out.extend_from_slice(&micros.to_be_bytes());
    out.extend_from_slice(&source.to_be_bytes());
    out.extend_from_slice(&destination.to_be_bytes());
    out.extend_from_slice(&numbers::offset_to_seq(notice.seq, isn).to_be_bytes());
    out.extend_from_slice(&numbers::offset_to_seq(notice.end(), isn).to_be_bytes());
    IpNumber::ICMP
}

/// Reads the output of [`write`].
pub(crate) fn read(ip: &Ip<'_>) -> Result<(FlowId, Body, Option<u8>), WireError> {
    let bytes: &[u8; LENGTH] = ip.body.try_into().map_err(|_| WireError::Foreign("ICMP message"))?;
    let kind = match bytes[..2] {
        [EXPERIMENT, EBSN] => NoticeKind::Ebsn,
        [EXPERIMENT, RTTN] => NoticeKind::Rttn,
        _ => return Err(WireError::Foreign("ICMP message")),
    };
    let port = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
    let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let (flow, way) = addressing::flow_from_ports(port(8), port(10), TCP_RECEIVER_PORT)?;
    if way != FlowDirection::Forward {
        return Err(WireError::Foreign("ports"));
    }
    let isn = addressing::isn(flow, FlowDirection::Forward);
    let (seq, len) = (numbers::seq_to_offset(word(12), isn), word(16).wrapping_sub(word(12)));
    let delay = Span::from_micros(word(4).into());
    let notice =
        Notice { len, additional_delay: delay, origin: ip.src, ..Notice::with_segment(kind, seq, seq) };
    Ok((flow, Body::Notice(notice), None))
}
