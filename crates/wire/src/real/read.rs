//! Parsing of the headers of any datagram.

use super::HeaderError;
use super::headers::{
    DCCP, ICMP, ICMPV6, IpHeaders, SCTP, UDP, UDP_HEADER, UDP_LITE, checked_slice, read_u16, read_u32,
};
use crate::options::{MAX_WINDOW_SHIFT, OptionIter, SACK, SACK_PERMITTED, TIMESTAMPS, WINDOW_SCALE};
use airhop_base::{Ecn, Flags, Timestamps};
use std::net::IpAddr;

const MSS: u8 = 2;

/// Control bits (RFC 9293 §3.1).
const FIN: u8 = 0x01;
const SYN: u8 = 0x02;
const RST: u8 = 0x04;
const PSH: u8 = 0x08;
const ACK: u8 = 0x10;
const ECE: u8 = 0x40;
const CWR: u8 = 0x80;

/// Fields of a datagram's headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderFields {
    /// Source address of the IP header.
    pub source: IpAddr,
    /// Destination address of the IP header. With a routing header, the next address of the route (RFC 8200
    /// §4.4).
    pub destination: IpAddr,
    /// Protocol after the IP header and extension headers. 6 is TCP, 17 UDP (IANA's protocol numbers).
    pub protocol: u8,
    /// Source and destination port; `None` for a fragment. Also read for protocols with ports at the same
    /// offset as TCP and UDP: DCCP, SCTP, UDP-Lite.
    pub ports: Option<[u16; 2]>,
    /// ECN field of the IP header (RFC 3168 §5).
    pub ecn: Ecn,
    /// Length in bytes according to the IP header, even if fewer bytes are present.
    pub datagram_bytes: u32,
    /// Payload in bytes after the TCP header. Other protocols count as having a transport header of eight
    /// bytes, like UDP.
    pub payload_bytes: u32,
    /// True for a fragment (RFC 791 §3.2, RFC 8200 §4.5). The transport header of a fragment is not read.
    pub is_fragment: bool,
    /// TCP header; `None` for a fragment or another protocol.
    pub tcp: Option<ParsedTcp>,
}

/// Fields of a TCP header (RFC 9293 §3.1). Numbers are as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedTcp {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number; zero without the ACK flag.
    pub ack: u32,
    /// Window field as on the wire, not scaled.
    pub window: u16,
    /// Control bits that an [`airhop_base::Segment`] can represent.
    pub flags: Flags,
    /// True if the RST flag is set.
    pub rst: bool,
    /// Length of the options in bytes, including padding, for [`airhop_base::OriginalDatagram::new`].
    pub option_bytes: u8,
    /// Maximum segment size of a SYN in bytes (RFC 9293 §3.7.1); `None` without the option.
    pub mss: Option<u16>,
    /// Window scale of a SYN, at most 14 (RFC 7323 §2.3); `None` without the option.
    pub window_scale: Option<u8>,
    /// True if a SYN permits SACK (RFC 2018 §2).
    pub sack_permitted: bool,
    /// SACK blocks (RFC 2018 §3).
    pub sack: ParsedSack,
    /// Timestamps (RFC 7323 §3), in ticks of the senders' clocks; `None` without the option.
    pub timestamps: Option<Timestamps>,
}

/// SACK blocks, at most four. Numbers are as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ParsedSack {
    len: u8,
    blocks: [[u32; 2]; 4],
}

impl ParsedSack {
    /// Returns the first byte of each block, and the first byte after the block. The most recent block is
    /// first.
    pub fn blocks(&self) -> &[[u32; 2]] {
        &self.blocks[..usize::from(self.len)]
    }

    fn push(&mut self, block: [u32; 2]) {
        if let Some(place) = self.blocks.get_mut(usize::from(self.len)) {
            *place = block;
            self.len += 1;
        }
    }
}

/// Parses the headers of an IPv4 or IPv6 datagram. The payload may be missing. Bytes after the datagram are
/// ignored. Checksums are not checked.
///
/// # Errors
/// [`HeaderError`] if the IP headers or the transport header are truncated or inconsistent. Malformed TCP
/// options are ignored.
pub fn read_headers(bytes: &[u8]) -> Result<HeaderFields, HeaderError> {
    let headers = IpHeaders::parse(bytes)?;
    let tcp = headers.tcp_header(bytes)?;
    let ports = match headers.protocol {
        _ if headers.is_fragment => None,
        _ if tcp.is_some() => tcp,
        UDP | UDP_LITE | DCCP | SCTP => Some(checked_slice(
            bytes,
            headers.transport_offset,
            UDP_HEADER,
            headers.datagram_bytes,
            "transport header",
        )?),
        _ => None,
    };
    let [source, destination] = headers.addresses(bytes);
    Ok(HeaderFields {
        source,
        destination,
        protocol: headers.protocol,
        ports: ports.map(|header| [read_u16(header, 0), read_u16(header, 2)]),
        ecn: headers.ecn(bytes),
        datagram_bytes: headers.datagram_bytes as u32,
        payload_bytes: headers.ip_payload_bytes().saturating_sub(tcp.map_or(UDP_HEADER, <[u8]>::len)) as u32,
        is_fragment: headers.is_fragment,
        tcp: tcp.map(read_tcp),
    })
}

/// Returns the length of a datagram's headers in bytes. From these bytes alone, [`read_headers`] returns the same
/// result. A malformed header and the bytes after it do not count.
pub fn header_bytes(bytes: &[u8]) -> usize {
    let Ok(headers) = IpHeaders::parse(bytes) else { return 0 };
    let behind = match headers.protocol {
        _ if headers.is_fragment => 0,
        ICMP | ICMPV6 | UDP | UDP_LITE | DCCP | SCTP => UDP_HEADER,
        _ => headers.tcp_header(bytes).ok().flatten().map_or(0, <[u8]>::len),
    };
    (headers.transport_offset + behind).min(bytes.len())
}

/// Reads a whole TCP header.
fn read_tcp(header: &[u8]) -> ParsedTcp {
    let has = |bit: u8| header[13] & bit != 0;
    let options = &header[super::headers::TCP_HEADER..];
    let mut tcp = ParsedTcp {
        seq: read_u32(header, 4),
        ack: if has(ACK) { read_u32(header, 8) } else { 0 },
        window: read_u16(header, 14),
        flags: Flags {
            syn: has(SYN),
            ack: has(ACK),
            fin: has(FIN),
            psh: has(PSH),
            ece: has(ECE),
            cwr: has(CWR),
        },
        rst: has(RST),
        option_bytes: options.len() as u8,
        mss: None,
        window_scale: None,
        sack_permitted: false,
        sack: ParsedSack::default(),
        timestamps: None,
    };
    for (_, kind, body) in (OptionIter { options, offset: 0 }).map_while(Result::ok) {
        read_option(&mut tcp, kind, body);
    }
    tcp
}

/// Parses an option. Handshake options are ignored on later segments (RFC 9293 §3.2, RFC 7323 §2.2, RFC 2018
/// §2).
fn read_option(tcp: &mut ParsedTcp, kind: u8, body: &[u8]) {
    match (kind, body) {
        (MSS, &[high, low]) if tcp.flags.syn => tcp.mss = Some(u16::from_be_bytes([high, low])),
        (WINDOW_SCALE, &[shift]) if tcp.flags.syn => tcp.window_scale = Some(shift.min(MAX_WINDOW_SHIFT)),
        (SACK_PERMITTED, []) if tcp.flags.syn => tcp.sack_permitted = true,
        (SACK, blocks) => {
            blocks
                .as_chunks::<8>()
                .0
                .iter()
                .for_each(|edges| tcp.sack.push([read_u32(edges, 0), read_u32(edges, 4)]));
        }
        (TIMESTAMPS, body) if body.len() == 8 => {
            tcp.timestamps = Some(Timestamps { tsval: read_u32(body, 0), tsecr: read_u32(body, 4) });
        }
        _ => {}
    }
}
