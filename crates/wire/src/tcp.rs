//! TCP segments (RFC 9293 §3.1) with their options, and notices in the form of segments.
//!
//! An ERSN or ELN (Yun 2009, §3.1) has the size, addresses and ports of a pure ACK of the receiver. Two
//! reserved bits mark the notice: bits 4 and 5 of byte 12, directly after the data offset. Bit 0 is the most
//! significant. The last reserved bit stays free for Accurate ECN (RFC 9768).
//!
//! ```text
//! byte 12:  data offset (4) | notice (2) | ELN (1) | reserved (1)      notice: 00 none, 01 ERSN, 10 ELN, 11 not in use
//! ```
//!
//! In a notice, the acknowledgement field contains the first byte of the reported segment. The window field
//! contains 65535 minus the length of that segment. A packet analyser therefore shows a large window, not a
//! closing window. A notice about several segments has an option with a bitmap. The ACK bit is set, but
//! neither field has the meaning of an ACK. A sender must therefore check the reserved bits first. Notices
//! must not be sent to a TCP that does not know notices.
//!
//! The third reserved bit, ELN, marks an ordinary ACK that also reports a loss on the wireless link. The lost
//! segment is the next expected segment (Balakrishnan and Katz 1998), or the segment in an option (HACK). A
//! sender that ignores the bit sees an ordinary ACK.

use crate::WireError;
use crate::addressing::{self, Conversation, FlowDirection, TCP_RECEIVER_PORT};
use crate::ipv4::Ipv4Datagram as Ip;
use crate::{numbers, options};
use airhop_base::{Body, Eln, Flags, FlowId, NodeId, Notice, NoticeKind, Packet, Segment};
use etherparse::checksum::Sum16BitWords;
use etherparse::{IpNumber, TcpHeader};

/// Offset of the byte with the data offset and the reserved bits.
const OFFSET_BYTE: usize = 12;
const NOTICE_BITS: u8 = 0b0000_1100;
pub(crate) const ERSN_BITS: u8 = 0b0000_0100;
pub(crate) const ELN_BITS: u8 = 0b0000_1000;
/// ELN bit in an ACK: the next expected segment, or the segment in an option, was lost.
pub(crate) const ELN_IN_ACK: u8 = 0b0000_0010;

/// Offset of the checksum.
const CHECKSUM: usize = 16;

/// Option with a NAK (Cheng & Lin 2008) in a separate packet. The option is experimental (RFC 4727) and has
/// an identifier (RFC 6994 §3). For one segment: `253 | 12 | identifier (2) | first byte (4) | end (4)`. For
/// several segments: `253 | 20 | …`, with a bitmap (8) at the end.
const NAK_HEAD: [u8; 4] = [253, 12, 0xA1, 0x54];
const LONG_NAK_HEAD: [u8; 4] = [253, 20, 0xA1, 0x54];
/// Option of an ERSN or ELN about several segments: `253 | 12 | identifier (2) | bitmap (8)`.
const FURTHER_SEGMENTS_HEAD: [u8; 4] = [253, 12, 0xA1, 0x53];

/// Writes header, options and payload of a segment.
pub(crate) fn write_segment(
    packet: &Packet,
    segment: &Segment,
    conversation: &Conversation,
    out: &mut Vec<u8>,
) -> Result<IpNumber, WireError> {
    let way = conversation.way(packet);
    let flags = segment.flags;
    let mut header = header(packet.flow, way, segment.seq);
    if flags.ack {
        header.acknowledgment_number =
            numbers::offset_to_seq(segment.ack, addressing::isn(packet.flow, way.opposite()));
    }
    // RFC 7323 §2.2: the window of a SYN is never scaled.
    let shift = if flags.syn { 0 } else { conversation.window_shift(way) };
    header.window_size = u16::try_from(segment.window >> shift).unwrap_or(u16::MAX);
    header.syn = flags.syn;
    header.ack = flags.ack;
    header.fin = flags.fin;
    header.psh = flags.psh;
    header.ece = flags.ece;
    header.cwr = flags.cwr;
    let options = options::write(segment, addressing::isn(packet.flow, way.opposite()));
    header.set_options_raw(&options).map_err(|_| WireError::Options(options.len()))?;
    let start = out.len();
    out.extend_from_slice(&header.to_bytes());
    out[start + OFFSET_BYTE] |= if segment.options.eln.is_some() { ELN_IN_ACK } else { 0 };
    write_header_checksum(&mut out[start..], [packet.src, packet.dst]);
    let first = segment.seq;
    out.extend((first..first.wrapping_add(segment.len.into())).map(|offset| offset as u8));
    Ok(IpNumber::TCP)
}

/// Sets the HACK header checksum if the header has that option. The checksum is that of RFC 9293 §3.1,
/// computed without data and with zero in the HACK field.
fn write_header_checksum(header: &mut [u8], ends: [NodeId; 2]) {
    if let Some(at) = options::header_checksum_offset(&header[TcpHeader::MIN_LEN..]) {
        let at = TcpHeader::MIN_LEN + at;
        let sum = header_sum(header, ends);
        header[at..at + 2].copy_from_slice(&sum.ones_complement().to_ne_bytes());
    }
}

/// Returns the checksum's sum over pseudo header and header, without data.
fn header_sum(header: &[u8], ends: [NodeId; 2]) -> Sum16BitWords {
    let [source, destination] = ends.map(addressing::ipv4_address);
    Sum16BitWords::new()
        .add_slice(header)
        .add_2bytes([0, IpNumber::TCP.0])
        .add_2bytes((header.len() as u16).to_be_bytes())
        .add_slice(&source)
        .add_slice(&destination)
}

/// True if the HACK header checksum is correct or absent.
fn has_valid_header_checksum(header: &[u8], ends: [NodeId; 2]) -> bool {
    let mut header = header.to_vec();
    header[CHECKSUM..CHECKSUM + 2].fill(0);
    let has_check = options::header_checksum_offset(&header[TcpHeader::MIN_LEN..]).is_some();
    !has_check || header_sum(&header, ends).ones_complement() == 0
}

/// Writes an ERSN, an ELN or a NAK as a TCP header.
pub(crate) fn write_notice(
    packet: &Packet,
    notice: &Notice,
    out: &mut Vec<u8>,
) -> Result<IpNumber, WireError> {
    // The receiver has sent only its SYN, so its next sequence number is that of its first data byte.
    let mut header = header(packet.flow, FlowDirection::Reverse, 1);
    let isn = addressing::isn(packet.flow, FlowDirection::Forward);
    let (seq, end) = (numbers::offset_to_seq(notice.seq, isn), numbers::offset_to_seq(notice.end(), isn));
    header.ack = true;
    header.acknowledgment_number = seq;
    header.window_size = u16::MAX - u16::try_from(end.wrapping_sub(seq)).unwrap_or(u16::MAX);
    let also = if notice.further_segments == 0 {
        Vec::new()
    } else {
        notice.further_segments.to_be_bytes().to_vec()
    };
    let option = match notice.kind {
        NoticeKind::Nak => {
            let head = if also.is_empty() { NAK_HEAD } else { LONG_NAK_HEAD };
            [&head[..], &seq.to_be_bytes(), &end.to_be_bytes(), &also].concat()
        }
        _ if also.is_empty() => Vec::new(),
        _ => [&FURTHER_SEGMENTS_HEAD[..], &also].concat(),
    };
    header.set_options_raw(&option).map_err(|_| WireError::Options(option.len()))?;
    let start = out.len();
    out.extend_from_slice(&header.to_bytes());
    out[start + OFFSET_BYTE] |= match notice.kind {
        NoticeKind::Ersn => ERSN_BITS,
        NoticeKind::Eln => ELN_BITS,
        _ => 0,
    };
    Ok(IpNumber::TCP)
}

/// Returns a header with ports and sequence number only.
fn header(flow: FlowId, way: FlowDirection, seq: u64) -> TcpHeader {
    let (source, destination) = addressing::ports(flow, way, TCP_RECEIVER_PORT);
    TcpHeader::new(source, destination, numbers::offset_to_seq(seq, addressing::isn(flow, way)), 0)
}

/// Parses a segment, or a notice in the form of a segment.
pub(crate) fn read(ip: &Ip<'_>) -> Result<(FlowId, Body, Option<u8>), WireError> {
    let (header, payload) = TcpHeader::from_slice(ip.body).map_err(|_| WireError::Malformed("TCP header"))?;
    let (flow, way) =
        addressing::flow_from_ports(header.source_port, header.destination_port, TCP_RECEIVER_PORT)?;
    if let Some(notice) = read_notice(flow, ip.body[OFFSET_BYTE] & NOTICE_BITS, &header)? {
        return Ok((flow, Body::Notice(Notice { origin: ip.src, ..notice }), None));
    }
    let peer_isn = addressing::isn(flow, way.opposite());
    let mut segment = Segment {
        seq: numbers::seq_to_offset(header.sequence_number, addressing::isn(flow, way)),
        len: payload.len() as u32,
        ack: if header.ack { numbers::seq_to_offset(header.acknowledgment_number, peer_isn) } else { 0 },
        window: header.window_size.into(),
        flags: Flags {
            syn: header.syn,
            ack: header.ack,
            fin: header.fin,
            psh: header.psh,
            ece: header.ece,
            cwr: header.cwr,
        },
        ..Segment::default()
    };
    if ip.body[OFFSET_BYTE] & ELN_IN_ACK != 0 {
        segment.options.eln = Some(Eln::Next);
    }
    let window_shift = options::read(header.options.as_slice(), peer_isn, &mut segment)?;
    if !has_valid_header_checksum(&ip.body[..header.header_len()], [ip.src, ip.dst]) {
        return Err(WireError::Malformed("header checksum"));
    }
    Ok((flow, Body::Tcp(segment), window_shift))
}

/// Returns the notice in the reserved bits or options of a header.
fn read_notice(flow: FlowId, bits: u8, header: &TcpHeader) -> Result<Option<Notice>, WireError> {
    let isn = addressing::isn(flow, FlowDirection::Forward);
    let notice = |kind, seq: u32, end: u32, also| {
        let first = numbers::seq_to_offset(seq, isn);
        Some(Notice {
            len: end.wrapping_sub(seq),
            further_segments: also,
            ..Notice::with_segment(kind, first, first)
        })
    };
    let seq = header.acknowledgment_number;
    let end = seq.wrapping_add((u16::MAX - header.window_size).into());
    let options = header.options.as_slice();
    let bitmap = |rest: &[u8]| rest.try_into().map_or(0, u64::from_be_bytes);
    let also = options.strip_prefix(&FURTHER_SEGMENTS_HEAD).map_or(0, bitmap);
    match bits {
        ERSN_BITS => Ok(notice(NoticeKind::Ersn, seq, end, also)),
        ELN_BITS => Ok(notice(NoticeKind::Eln, seq, end, also)),
        NOTICE_BITS => Err(WireError::Foreign("reserved bits")),
        _ => Ok(match options {
            // No other option has this length and this start.
            nak if nak.len() == 12 && nak.starts_with(&NAK_HEAD)
                || nak.len() == 20 && nak.starts_with(&LONG_NAK_HEAD) =>
            {
                let edge = |at: usize| u32::from_be_bytes([nak[at], nak[at + 1], nak[at + 2], nak[at + 3]]);
                notice(NoticeKind::Nak, edge(4), edge(8), bitmap(&nak[12..]))
            }
            _ => None,
        }),
    }
}
