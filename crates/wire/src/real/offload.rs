//! Work that a host leaves to its network card: checksums and segmentation. A `virtio_net_hdr` describes the
//! outstanding work of a datagram read from a device (Virtual I/O Device 1.2, §5.1.6). Packet sockets add
//! this header with `PACKET_VNET_HDR`, TUN with `IFF_VNET_HDR`.

use super::HeaderError;
use super::checksum::sum_words;
use super::headers::{
    IPV6_HEADER, IpHeaders, TCP_HEADER, UDP, UDP_HEADER, checked_slice, read_u16, read_u32, write_u16,
};
use etherparse::checksum::Sum16BitWords;

/// Offset of the flags in the TCP header (RFC 9293 §3.1).
const FLAGS: usize = 13;
const FIN_AND_PSH: u8 = 0x09;
const CWR: u8 = 0x80;

/// Reason why offloaded work is impossible, even for a network card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OffloadError {
    /// The bytes are not a datagram with headers.
    #[error(transparent)]
    Unreadable(#[from] HeaderError),
    /// The checksum field lies beyond the end of the datagram.
    #[error("a checksum at bytes {at} and {}, but only {has} bytes are there", at + 1)]
    Checksum {
        /// Sum of csum_start and csum_offset.
        at: usize,
        /// Length of the datagram.
        has: usize,
    },
    /// The datagram cannot be segmented: it is not a whole TCP or UDP datagram, or `gso_size` is zero.
    #[error("{0} cannot be cut into segments: a whole TCP or UDP datagram and a gso_size are expected")]
    Uncut(&'static str),
}

/// Offset of the checksum in the header of UDP (RFC 768).
const UDP_CHECKSUM: usize = 6;

/// Completes a checksum that the host has begun (`VIRTIO_NET_HDR_F_NEEDS_CSUM`). The field at `start +
/// offset` contains the sum of the pseudo header. The checksum covers this sum and all bytes from `start` on.
///
/// # Errors
/// [`OffloadError::Checksum`]; `datagram` is then unchanged.
pub fn complete_checksum(datagram: &mut [u8], start: u16, offset: u16) -> Result<(), OffloadError> {
    let (start, has) = (usize::from(start), datagram.len());
    let at = start + usize::from(offset);
    if at + 2 > has {
        return Err(OffloadError::Checksum { at, has });
    }
    let checksum = checksum_field(sum_words(&datagram[start..]), usize::from(offset) == UDP_CHECKSUM);
    datagram[at..at + 2].copy_from_slice(&checksum);
    Ok(())
}

/// Returns the checksum field in network order. In UDP, a result of zero is sent as all ones, because zero
/// means no checksum (RFC 768). TCP has no such exception.
fn checksum_field(sum: Sum16BitWords, is_udp: bool) -> [u8; 2] {
    let checksum = if is_udp { sum.to_ones_complement_with_no_zero() } else { sum.ones_complement() };
    checksum.to_ne_bytes()
}

/// Segments a large datagram like a network card, into datagrams with `gso_size` bytes of payload. The last
/// datagram has the remainder. IPv4 identifications and sequence numbers continue. FIN and PSH are on the
/// last segment, CWR on the first (RFC 3168 §6.1.2). All lengths and checksums are recomputed. A datagram
/// that needs no segmentation is one segment.
///
/// # Errors
/// [`OffloadError`] for input that is not a whole TCP or UDP datagram, and for a `gso_size` of zero.
pub fn segment_datagram(
    datagram: &[u8],
    gso_size: u16,
) -> Result<impl Iterator<Item = Vec<u8>> + '_, OffloadError> {
    let large = LargeDatagram::parse(datagram, gso_size.into())?;
    let count = large.payload.len().div_ceil(large.size).max(1);
    Ok((0..count).map(move |index| large.build_segment(index)))
}

/// Datagram to be segmented.
struct LargeDatagram<'a> {
    headers: IpHeaders,
    /// All headers.
    head: &'a [u8],
    payload: &'a [u8],
    /// Payload of each segment in bytes.
    size: usize,
}

impl<'a> LargeDatagram<'a> {
    fn parse(datagram: &'a [u8], size: usize) -> Result<LargeDatagram<'a>, OffloadError> {
        let headers = IpHeaders::parse(datagram)?;
        if size == 0 {
            return Err(OffloadError::Uncut("segments of no bytes"));
        }
        if headers.is_fragment || headers.is_source_routed {
            return Err(OffloadError::Uncut("a fragment, or what is on a source route,"));
        }
        let transport = match headers.tcp_header(datagram)? {
            Some(header) => header.len(),
            None if headers.protocol == UDP => checked_slice(
                datagram,
                headers.transport_offset,
                UDP_HEADER,
                headers.datagram_bytes,
                "UDP header",
            )?
            .len(),
            None => return Err(OffloadError::Uncut("what is neither TCP nor UDP")),
        };
        let datagram =
            datagram.get(..headers.datagram_bytes).ok_or(OffloadError::Uncut("a part of a datagram"))?;
        let (head, payload) = datagram.split_at(headers.transport_offset + transport);
        Ok(LargeDatagram { headers, head, payload, size })
    }

    fn build_segment(&self, index: usize) -> Vec<u8> {
        let start = index * self.size;
        let end = self.payload.len().min(start + self.size);
        let mut out = [self.head, &self.payload[start..end]].concat();
        self.write_ip(&mut out, index);
        let at = self.headers.transport_offset;
        let is_udp = self.headers.protocol == UDP;
        let checksum = if is_udp {
            let length = (out.len() - at) as u16;
            write_u16(&mut out, at + 4, length);
            at + UDP_CHECKSUM
        } else {
            self.write_tcp(&mut out, start, end);
            at + 16
        };
        write_u16(&mut out, checksum, 0);
        let sum = self.headers.add_pseudo_header(sum_words(&out[at..]), &out, out.len() - at);
        out[checksum..checksum + 2].copy_from_slice(&checksum_field(sum, is_udp));
        out
    }

    /// Writes the IP header (RFC 8200 §3). Each IPv4 datagram has its own identification, because it may be
    /// fragmented (RFC 791 §3.1).
    fn write_ip(&self, out: &mut [u8], index: usize) {
        let length = out.len();
        if self.headers.is_v6 {
            return write_u16(out, 4, (length - IPV6_HEADER) as u16);
        }
        write_u16(out, 2, length as u16);
        write_u16(out, 4, read_u16(self.head, 4).wrapping_add(index as u16));
        write_u16(out, 10, 0);
        let checksum = sum_words(&out[..self.headers.transport_offset]).ones_complement();
        out[10..12].copy_from_slice(&checksum.to_ne_bytes());
    }

    /// Writes the segment with payload bytes `start` to `end`.
    fn write_tcp(&self, out: &mut [u8], start: usize, end: usize) {
        let header = &mut out[self.headers.transport_offset..][..TCP_HEADER];
        let seq = read_u32(header, 4).wrapping_add(start as u32);
        header[4..8].copy_from_slice(&seq.to_be_bytes());
        if start > 0 {
            header[FLAGS] &= !CWR;
        }
        if end < self.payload.len() {
            header[FLAGS] &= !FIN_AND_PSH;
        }
    }
}
