//! Parsing of the headers of any datagram.

use super::Unreadable;
use super::headers::{DCCP, Headers, ICMP, ICMPV6, SCTP, UDP, UDP_HEADER, UDP_LITE, half, part, word};
use crate::options::{MAX_WINDOW_SHIFT, SACK, SACK_PERMITTED, TIMESTAMPS, WINDOW_SCALE, Walk};
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
    /// Destination address of the IP header. With a routing header it is the next address of the route (RFC
    /// 8200 §4.4).
    pub destination: IpAddr,
    /// Protocol after the IP header and its extensions: 6 is TCP, 17 UDP (IANA's protocol numbers).
    pub protocol: u8,
    /// Source and destination port of TCP, UDP, and other protocols that have them at the same offset: DCCP,
    /// SCTP, UDP-Lite; `None` for a fragment.
    pub ports: Option<[u16; 2]>,
    /// ECN field of the IP header (RFC 3168 §5).
    pub ecn: Ecn,
    /// Length of the datagram according to its IP header, bytes, even if fewer bytes are present.
    pub bytes: u32,
    /// Number of bytes after the TCP header; for other protocols, after the IP headers and eight further
    /// bytes, the length of UDP's header.
    pub payload: u32,
    /// True for a fragment (RFC 791 §3.2, RFC 8200 §4.5), whose transport header is not read.
    pub is_fragment: bool,
    /// TCP header; `None` for a fragment or another protocol.
    pub tcp: Option<ParsedTcp>,
}

/// Fields of a TCP header (RFC 9293 §3.1), with numbers as on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParsedTcp {
    /// Sequence number.
    pub seq: u32,
    /// Acknowledgement number; zero without the ACK flag.
    pub ack: u32,
    /// Window field, not scaled.
    pub window: u16,
    /// Control bits represented in a [`airhop_base::Segment`].
    pub flags: Flags,
    /// True if the RST flag resets the connection.
    pub rst: bool,
    /// Length of the options including padding, bytes, for [`airhop_base::Original::new`].
    pub option_bytes: u8,
    /// Maximum segment size in bytes (RFC 9293 §3.7.1), on a SYN; `None` without the option.
    pub mss: Option<u16>,
    /// Window scale, 14 at most (RFC 7323 §2.3), on a SYN; `None` without the option.
    pub window_scale: Option<u8>,
    /// SACK permitted (RFC 2018 §2), on a SYN.
    pub sack_permitted: bool,
    /// SACK blocks (RFC 2018 §3).
    pub sack: ParsedSack,
    /// Timestamps (RFC 7323 §3), in ticks of the clocks of their senders.
    pub timestamps: Option<Timestamps>,
}

/// SACK blocks with numbers as on the wire, at most four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ParsedSack {
    len: u8,
    blocks: [[u32; 2]; 4],
}

impl ParsedSack {
    /// Returns the first byte of each block and the first byte after it, the most recent block first.
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

/// Parses the headers of an IPv4 or IPv6 datagram. Bytes after its end are ignored, and its payload is not
/// needed. The receiver checks the checksums.
///
/// # Errors
/// [`Unreadable`] if the IP headers or the transport header are truncated or inconsistent. Malformed TCP
/// options are ignored.
pub fn read(bytes: &[u8]) -> Result<HeaderFields, Unreadable> {
    let headers = Headers::of(bytes)?;
    let tcp = headers.tcp(bytes)?;
    let ports = match headers.protocol {
        _ if headers.is_fragment => None,
        _ if tcp.is_some() => tcp,
        UDP | UDP_LITE | DCCP | SCTP => {
            Some(part(bytes, headers.transport, UDP_HEADER, headers.bytes, "transport header")?)
        }
        _ => None,
    };
    let [source, destination] = headers.addresses(bytes);
    Ok(HeaderFields {
        source,
        destination,
        protocol: headers.protocol,
        ports: ports.map(|header| [half(header, 0), half(header, 2)]),
        ecn: headers.ecn(bytes),
        bytes: headers.bytes as u32,
        payload: headers.behind().saturating_sub(tcp.map_or(UDP_HEADER, <[u8]>::len)) as u32,
        is_fragment: headers.is_fragment,
        tcp: tcp.map(read_tcp),
    })
}

/// Returns the length of a datagram's headers, bytes; from these bytes alone [`read`] returns the same
/// result. A malformed header and the bytes after it do not count.
pub fn header_bytes(bytes: &[u8]) -> usize {
    let Ok(headers) = Headers::of(bytes) else { return 0 };
    let behind = match headers.protocol {
        _ if headers.is_fragment => 0,
        ICMP | ICMPV6 | UDP | UDP_LITE | DCCP | SCTP => UDP_HEADER,
        _ => headers.tcp(bytes).ok().flatten().map_or(0, <[u8]>::len),
    };
    (headers.transport + behind).min(bytes.len())
}

/// Reads a whole TCP header.
fn read_tcp(header: &[u8]) -> ParsedTcp {
    let has = |bit: u8| header[13] & bit != 0;
    let options = &header[super::headers::TCP_HEADER..];
    let mut tcp = ParsedTcp {
        seq: word(header, 4),
        ack: if has(ACK) { word(header, 8) } else { 0 },
        window: half(header, 14),
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
    for (_, kind, body) in (Walk { options, at: 0 }).map_while(Result::ok) {
        read_option(&mut tcp, kind, body);
    }
    tcp
}

/// Parses an option. Options of the handshake are ignored on later segments (RFC 9293 §3.2, RFC 7323 §2.2,
/// RFC 2018 §2).
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
                .for_each(|edges| tcp.sack.push([word(edges, 0), word(edges, 4)]));
        }
        (TIMESTAMPS, body) if body.len() == 8 => {
            tcp.timestamps = Some(Timestamps { value: word(body, 0), echo: word(body, 4) });
        }
        _ => {}
    }
}
