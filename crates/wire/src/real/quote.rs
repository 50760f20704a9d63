//! Segment identified by the first bytes of a datagram, as a link layer reports them.

use super::headers::{IpHeaders, TCP, checked_slice, read_u16, read_u32};
use super::{HeaderError, QuotedSegment};

/// Bytes of the transport header in an ICMP error (RFC 792): ports and sequence number of TCP.
const QUOTED_TRANSPORT_BYTES: usize = 8;
/// Bytes of the transport header up to the end of the acknowledgement number. Also the position of the data
/// offset field.
const ACK_NUMBER_END: usize = 12;
/// Longest TCP header (RFC 9293 §3.1), and TCP header with timestamps (RFC 7323 §3.2).
const LONGEST_HEADER: usize = 60;
const TIMESTAMPS_HEADER: usize = 32;

impl QuotedSegment {
    /// Reads the segment from the first bytes of a datagram: the IP header and eight more bytes, as in an
    /// ICMP error. Returns `None` for another protocol, a fragment, or a segment without payload.
    ///
    /// The length of the TCP header is known only with five more bytes. Without these bytes, a datagram with
    /// at most 60 bytes after its IP header counts as a pure ACK. In a longer datagram, the TCP header is
    /// assumed to have timestamps. If the acknowledgement number is missing, `peer_seq` is zero.
    ///
    /// # Errors
    ///
    /// [`HeaderError`] if the bytes end before the sequence number, or if a header is malformed.
    pub fn read(bytes: &[u8]) -> Result<Option<QuotedSegment>, HeaderError> {
        let headers = IpHeaders::parse(bytes)?;
        if headers.protocol != TCP || headers.is_fragment {
            return Ok(None);
        }
        let tcp = checked_slice(
            bytes,
            headers.transport_offset,
            QUOTED_TRANSPORT_BYTES,
            headers.datagram_bytes,
            "TCP header",
        )?;
        let further = &bytes[headers.transport_offset..];
        let header = match further.get(ACK_NUMBER_END) {
            Some(offset) => 4 * usize::from(offset >> 4),
            None if headers.ip_payload_bytes() > LONGEST_HEADER => TIMESTAMPS_HEADER,
            None => return Ok(None),
        };
        let payload = headers.ip_payload_bytes().saturating_sub(header);
        let [source, destination] = headers.addresses(bytes);
        let seq = read_u32(tcp, 4);
        Ok((payload > 0).then(|| QuotedSegment {
            source,
            destination,
            ports: [read_u16(tcp, 0), read_u16(tcp, 2)],
            seq,
            end: seq.wrapping_add(payload as u32),
            peer_seq: if further.len() < ACK_NUMBER_END {
                0
            } else {
                read_u32(further, QUOTED_TRANSPORT_BYTES)
            },
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IPv4 datagram of 1052 bytes from 10.0.0.1:5001 to 10.0.0.4:4000, sequence number 1001, ACK 77, with a
    /// TCP header of 32 bytes.
    fn datagram(bytes: u16) -> Vec<u8> {
        let [high, low] = bytes.to_be_bytes();
        let mut out = vec![0x45, 0, high, low, 0, 1, 0x40, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 4];
        out.extend([5001_u16, 4000].map(u16::to_be_bytes).concat());
        out.extend([1001_u32, 77].map(u32::to_be_bytes).concat());
        out.extend([0x80, 0x10, 0, 0, 0, 0, 0, 0]);
        out
    }

    /// The first bytes of a datagram name its segment: eight bytes after the IP header suffice (RFC 792).
    #[test]
    fn eight_bytes_after_the_ip_header_identify_the_segment() {
        let whole = datagram(1052);
        let full = QuotedSegment::read(&whole).unwrap().unwrap();
        assert_eq!((full.seq, full.end, full.peer_seq, full.ports), (1001, 2001, 77, [5001, 4000]));
        let short = QuotedSegment::read(&whole[..28]).unwrap().unwrap();
        assert_eq!(short, QuotedSegment { peer_seq: 0, ..full });
        assert!((0..28).all(|bytes| QuotedSegment::read(&whole[..bytes]).is_err()));
    }

    /// A pure ACK, with up to 40 bytes of options, is not a segment with payload.
    #[test]
    fn a_pure_ack_identifies_no_data_segment() {
        for bytes in [60, 80] {
            assert_eq!(QuotedSegment::read(&datagram(bytes)[..28]), Ok(None));
        }
        assert_eq!(QuotedSegment::read(&datagram(52)), Ok(None));
        assert_eq!(QuotedSegment::read(&datagram(53)).unwrap().unwrap().end, 1002);
        let mut udp = datagram(1052);
        udp[9] = 17;
        assert_eq!(QuotedSegment::read(&udp), Ok(None));
    }
}
