//! Encoding of packets as real IPv4, TCP, UDP and ICMP bytes, and decoding.
//!
//! A simulated [`Packet`] has only the fields that the simulation needs. For the wire, [`addressing`] derives
//! addresses, ports and initial sequence numbers from node and flow numbers. A [`Conversation`] stores the
//! window scale of the SYNs. In six respects the wire format has less information:
//!
//! * stream offsets (sequence, acknowledgement and SACK numbers) are modulo 2³², as [`decode`] returns them;
//! * a window loses the bits below the connection's window scale and saturates at 65535 units (RFC 7323
//!   §2.3);
//! * a segment without the ACK bit has no acknowledgement number;
//! * the delay of an RTTN (at most 2³² - 1), and the clock of an arrival and the contention time of data
//!   (both
//!   modulo 2³²) are in whole microseconds; the lifetime of a route (modulo 2³²) is in whole milliseconds;
//! * the payload is written as it was sent, even if it is damaged;
//! * the transmission time of a segment and the creation time of a notice are read as zero.
//!
//! Byte `n` of a TCP stream has the low byte of `n` as its value, so a retransmission repeats the same bytes.
//!
//! [`real`] processes datagrams of real hosts. [`wifi`] writes the 802.11 frames that carry datagrams in a
//! cell.

pub mod addressing;
mod aodv;
mod icmp;
mod ipv4;
mod numbers;
mod options;
pub mod real;
mod tcp;
mod udp;
pub mod wifi;

pub use addressing::Conversation;
pub use options::window_shift;

use airhop_base::{Body, NoticeKind, Packet};

/// Decoded packet.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedPacket {
    /// Packet with an unscaled window. A reader that knows the connection must shift the window left by the
    /// window scale of the sender's SYN (RFC 7323 §2.3).
    pub packet: Packet,
    /// Window scale announced by a SYN; `None` for other segments.
    pub window_shift: Option<u8>,
}

/// Reason why a packet cannot be encoded or decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The length field of a packet differs from the length of its headers and payload.
    #[error("a packet of {is} bytes says that it has {says}")]
    Length {
        /// Value of `Packet::bytes`.
        says: u32,
        /// Length of header, options and payload.
        is: usize,
    },
    /// The packet is longer than an IPv4 datagram can be (RFC 791 §3.1).
    #[error("a packet of {0} bytes does not fit an IPv4 datagram (65535)")]
    TooLong(usize),
    /// The TCP options exceed 40 bytes (RFC 9293 §3.1).
    #[error("{0} bytes of TCP options, where 40 fit")]
    Options(usize),
    /// There are more flows than ports.
    #[error("flow number {0} has no port: at most {max} flows can be put on the wire", max = addressing::MAX_FLOWS)]
    Flow(u16),
    /// The bytes are truncated, or a header is inconsistent.
    #[error("malformed {0}")]
    Malformed(&'static str),
    /// A checksum is wrong.
    #[error("wrong {0} checksum")]
    Checksum(&'static str),
    /// The packet is well-formed but not Airhop's: another protocol, address or port, a fragment, or reserved
    /// bits of no known notice.
    #[error("not a packet of Airhop: {0}")]
    Foreign(&'static str),
}

/// Encodes `packet`, part of `conversation`, as an IPv4 datagram. Replaces the contents of `out`.
///
/// # Errors
/// [`WireError::Length`], [`WireError::TooLong`], [`WireError::Options`] or [`WireError::Flow`]. The contents
/// of `out` are then undefined.
pub fn encode(packet: &Packet, conversation: &Conversation, out: &mut Vec<u8>) -> Result<(), WireError> {
    if packet.flow.index().is_some_and(|flow| flow >= usize::from(addressing::MAX_FLOWS)) {
        return Err(WireError::Flow(packet.flow.0));
    }
    ipv4::reserve_header(out);
    let protocol = match &packet.body {
        Body::Tcp(segment) => tcp::write_segment(packet, segment, conversation, out)?,
        Body::Udp(datagram) => udp::write(packet, datagram, out)?,
        Body::Routing(message) => aodv::write(message, out)?,
        Body::Notice(notice) => match notice.kind {
            NoticeKind::Eln | NoticeKind::Ersn | NoticeKind::Nak => tcp::write_notice(packet, notice, out)?,
            NoticeKind::Ebsn | NoticeKind::Rttn => icmp::write(packet, notice, out),
        },
    };
    ipv4::write_header(packet, protocol, conversation, out)
}

/// Decodes an IPv4 datagram in the format of [`encode`]. Bytes after the datagram are ignored.
///
/// # Errors
/// [`WireError::Malformed`], [`WireError::Checksum`] or [`WireError::Foreign`].
pub fn decode(bytes: &[u8]) -> Result<DecodedPacket, WireError> {
    let datagram = ipv4::read(bytes)?;
    let (flow, body, window_shift) = match datagram.protocol {
        etherparse::IpNumber::TCP => tcp::read(&datagram)?,
        etherparse::IpNumber::UDP if aodv::is_aodv(&datagram) => aodv::read(&datagram)?,
        etherparse::IpNumber::UDP => udp::read(&datagram)?,
        etherparse::IpNumber::ICMP => icmp::read(&datagram)?,
        _ => return Err(WireError::Foreign("IP protocol")),
    };
    let packet = Packet {
        ecn: datagram.ecn,
        ttl: datagram.ttl,
        ..Packet::new(flow, datagram.src, datagram.dst, datagram.bytes, body)
    };
    Ok(DecodedPacket { packet, window_shift })
}
