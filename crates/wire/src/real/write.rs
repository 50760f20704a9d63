//! Writing of the network's changes into a datagram.

use super::checksum::ChecksumUpdate;
use super::headers::{IpHeaders, TCP_HEADER, read_u16, read_u32, write_u16};
use super::{ObservedConnection, StreamDirection};
use crate::options::{EXPERIMENT, NAKS, NOP, OptionIter};
use crate::tcp::ELN_IN_ACK;
use airhop_base::{Ecn, Eln, MAX_OPTION_BYTES, Naks, OriginalDatagram, Packet};
use std::sync::Arc;

/// Length of the fields kind, length and identifier of the NAK option.
const NAKS_HEAD: usize = 4;

/// Offsets of the checksum fields, and of ECN and length in the IP header.
const IPV4_CHECKSUM: usize = 10;
const TCP_CHECKSUM: usize = 16;
const TCP_OFFSET: usize = 12;
const IPV4_LENGTH: usize = 2;
const IPV6_LENGTH: usize = 4;

/// Returns the datagram to send for `packet`. If nothing changed, this is the original. Otherwise it is a
/// copy with
///
/// * the codepoint Congestion Experienced, if an ECN-capable packet was marked (RFC 3168 §5),
/// * the reserved bit ELN in an ACK that an agent marked (Balakrishnan and Katz 1998), if its receiver
///   `hears` notices, and
/// * the NAKs that agents added to an ACK, after the other options, as an experimental option (RFC 4727, RFC
///   6994): `253 | 4 + 4k | 0xA150 | k sequence numbers (4 bytes each)`, each that of the first byte of a
///   dropped segment.
///
/// The length fields are adjusted, and the checksums updated incrementally (RFC 1624), so a truncated
/// datagram suffices. NAKs require `connection`, with the packet's direction, for sequence numbers on the
/// wire. NAKs are left out if 40 bytes of options leave no room (RFC 9293 §3.1), or if an End of Option List
/// precedes the end of the header.
pub fn rewrite_datagram(
    original: &OriginalDatagram,
    packet: &Packet,
    connection: Option<(&ObservedConnection, StreamDirection)>,
    hears: bool,
) -> Arc<[u8]> {
    let datagram = original.datagram();
    let Ok(headers) = IpHeaders::parse(datagram) else { return Arc::clone(datagram) };
    let with_naks =
        nak_wire_seqs(packet, connection).and_then(|numbers| add_naks(datagram, headers, &numbers));
    let marked = packet.ecn == Ecn::Ce && matches!(headers.ecn(datagram), Ecn::Ect0 | Ecn::Ect1);
    let told = hears && has_eln(packet) && headers.tcp_header(datagram).is_ok_and(|header| header.is_some());
    let mut out: Arc<[u8]> = match with_naks {
        Some(longer) => Arc::from(longer),
        None if marked || told => Arc::from(&datagram[..]),
        None => return Arc::clone(datagram),
    };
    if let Some(bytes) = Arc::get_mut(&mut out) {
        if marked {
            set_ce(bytes, headers);
        }
        if told {
            set_eln(bytes, headers);
        }
    }
    out
}

/// True if an agent marked this ACK because the link lost the requested segment.
pub fn has_eln(packet: &Packet) -> bool {
    packet.segment().is_some_and(|segment| segment.options.eln == Some(Eln::Next))
}

/// Sets the reserved bit ELN of a TCP header.
fn set_eln(datagram: &mut [u8], headers: IpHeaders) {
    let at = headers.transport_offset + TCP_OFFSET;
    let (old, checksum) =
        (read_u16(datagram, at), read_u16(datagram, headers.transport_offset + TCP_CHECKSUM));
    let new = old | u16::from(ELN_IN_ACK) << 8;
    write_u16(datagram, at, new);
    write_u16(
        datagram,
        headers.transport_offset + TCP_CHECKSUM,
        ChecksumUpdate::from_checksum(checksum).replace_word(old, new).checksum(),
    );
}

/// Returns the sequence numbers in the NAK options of a TCP datagram, in order. Empty without NAKs or for
/// other protocols.
pub fn read_naks(datagram: &[u8]) -> Vec<u32> {
    let header = IpHeaders::parse(datagram).and_then(|headers| headers.tcp_header(datagram)).ok().flatten();
    let options = header.map_or(&[][..], |header| &header[TCP_HEADER..]);
    let walk = (OptionIter { options, offset: 0 }).map_while(Result::ok);
    let bodies = walk
        .filter(|(_, kind, _)| *kind == EXPERIMENT[0])
        .filter_map(|(_, _, body)| body.strip_prefix(&NAKS));
    bodies.flat_map(|numbers| numbers.as_chunks::<4>().0).map(|number| read_u32(number, 0)).collect()
}

/// Sets both ECN bits, the last two bits of the traffic class (RFC 3168 §5).
fn set_ce(datagram: &mut [u8], headers: IpHeaders) {
    if headers.is_v6 {
        datagram[1] |= 0b11 << 4;
        return;
    }
    let checksum = ChecksumUpdate::from_checksum(read_u16(datagram, IPV4_CHECKSUM));
    let old = read_u16(datagram, 0);
    write_u16(datagram, 0, old | 0b11);
    write_u16(datagram, IPV4_CHECKSUM, checksum.replace_word(old, old | 0b11).checksum());
}

/// Returns the packet's NAKs as sequence numbers on the wire, in the acknowledged stream.
fn nak_wire_seqs(
    packet: &Packet,
    connection: Option<(&ObservedConnection, StreamDirection)>,
) -> Option<Vec<u32>> {
    let naks: &Naks = &packet.segment()?.options.naks;
    let (connection, way) = connection?;
    let fold = |&seq: &u64| connection.offset_to_seq(way.opposite(), seq);
    (!naks.is_empty()).then(|| naks.seqs().iter().map(fold).collect())
}

/// Returns a copy of the datagram with the NAK option; `None` if the option does not fit.
fn add_naks(datagram: &[u8], headers: IpHeaders, numbers: &[u32]) -> Option<Vec<u8>> {
    let header = headers.tcp_header(datagram).ok()??;
    let added = NAKS_HEAD + 4 * numbers.len();
    let room = TCP_HEADER + MAX_OPTION_BYTES as usize - header.len();
    let length_at = if headers.is_v6 { IPV6_LENGTH } else { IPV4_LENGTH };
    let length = read_u16(datagram, length_at).checked_add(added as u16)?;
    let free = end_of_options(&header[TCP_HEADER..])?;
    if added > room {
        return None;
    }
    let (start, end) = (headers.transport_offset, headers.transport_offset + header.len());
    let mut new = header.to_vec();
    // A reader of options stops at an End of Option List (RFC 9293 §3.1), so padding of this kind is replaced
    // by NOPs.
    new[TCP_HEADER + free..].fill(NOP);
    new.extend([EXPERIMENT[0], added as u8, NAKS[0], NAKS[1]]);
    new.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    new[TCP_OFFSET] += (added as u8 / 4) << 4;
    let checksum = changed_checksum(header, &new, headers.ip_payload_bytes(), added);
    write_u16(&mut new, TCP_CHECKSUM, checksum);
    let mut out = [&datagram[..start], &new, &datagram[end..]].concat();
    write_u16(&mut out, length_at, length);
    if !headers.is_v6 {
        let checksum = ChecksumUpdate::from_checksum(read_u16(datagram, IPV4_CHECKSUM));
        let checksum = checksum.replace_word(read_u16(datagram, IPV4_LENGTH), length);
        write_u16(&mut out, IPV4_CHECKSUM, checksum.checksum());
    }
    Some(out)
}

/// Returns the new checksum of a segment after its header changed from `old` to `new`. The length in the
/// pseudo header was `length` bytes and grew by `added`.
fn changed_checksum(old: &[u8], new: &[u8], length: usize, added: usize) -> u16 {
    let (changed, inserted) = new.split_at(old.len());
    let checksum = ChecksumUpdate::from_checksum(read_u16(old, TCP_CHECKSUM))
        .replace_word(length as u16, (length + added) as u16);
    let places = (TCP_OFFSET..old.len()).step_by(2).filter(|&at| at != TCP_CHECKSUM);
    let checksum =
        places.fold(checksum, |sum, at| sum.replace_word(read_u16(old, at), read_u16(changed, at)));
    checksum.add_words(inserted).checksum()
}

/// Returns the offset of the end of the option list; `None` if an option extends beyond the header.
fn end_of_options(options: &[u8]) -> Option<usize> {
    let mut walk = OptionIter { options, offset: 0 };
    walk.by_ref().all(|option| option.is_ok()).then_some(walk.offset)
}
