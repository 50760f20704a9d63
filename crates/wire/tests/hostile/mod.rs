//! Laws for any bytes read as a datagram. Random tests and the fuzzer use this harness.

use airhop_base::{Body, Packet};
use airhop_wire::{Conversation, WireError, decode, encode};

/// Checks that bytes are decoded or cause an error with a message, and that a decoded packet is encoded as a
/// datagram with the same meaning.
pub fn datagram(bytes: &[u8]) {
    let packet = match decode(bytes) {
        Ok(decoded) => decoded.packet,
        Err(refusal) => return assert!(!refusal.to_string().is_empty()),
    };
    assert!(packet.bytes as usize <= bytes.len(), "{packet:?} out of {} bytes", bytes.len());
    let mut again = Vec::new();
    match encode(&packet, &conversation(&packet), &mut again) {
        Ok(()) => assert_eq!(decode(&again).map(|decoded| decoded.packet).as_ref(), Ok(&packet)),
        // Options that Airhop does not write: options of other kinds, in other numbers, or in another order
        // with less padding.
        Err(WireError::Options(_) | WireError::Length { .. }) => {}
        Err(other) => panic!("{packet:?}: {other}"),
    }
}

/// Checks the law of [`datagram`] for valid checksums and lengths, which random bytes do not have.
pub fn repaired_datagram(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= 28 {
        bytes[0] = 0x45;
        let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
        bytes[2..4].copy_from_slice(&length.to_be_bytes());
        bytes[6] &= 0x40; // not a fragment
        bytes[7] = 0;
        bytes.truncate(length.into());
        repair_checksums(&mut bytes);
    }
    datagram(&bytes);
}

/// Returns a connection without window scales.
fn conversation(packet: &Packet) -> Conversation {
    match packet.body {
        Body::Notice(_) => Conversation::new(packet.dst, packet.src),
        _ => Conversation::new(packet.src, packet.dst),
    }
}

/// Checksum in the form of RFC 1071 §4.1's C code, independent of the crate's.
pub fn internet_checksum(words: &[u8]) -> u16 {
    let mut sum = 0u32;
    for word in words.chunks(2) {
        sum += (u32::from(word[0]) << 8) + u32::from(*word.get(1).unwrap_or(&0));
    }
    while sum >> 16 != 0 {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}

/// Bytes protected by the checksum of the transport (RFC 9293 §3.1, RFC 768, RFC 792).
pub fn protected(datagram: &[u8]) -> Vec<u8> {
    let body = &datagram[20..];
    let length = (body.len() as u16).to_be_bytes();
    match datagram[9] {
        1 => body.to_vec(),
        protocol => [&datagram[12..20], &[0, protocol], &length, body].concat(),
    }
}

/// Sets valid checksums in the headers that a datagram contains.
pub fn repair_checksums(datagram: &mut [u8]) {
    let transport = match datagram[9] {
        6 => 36,
        17 => 26,
        _ => 22,
    };
    for (at, covers_transport) in [(transport, true), (10, false)] {
        let Some(place) = datagram.get_mut(at..at + 2) else { continue };
        place.fill(0);
        let sum = match covers_transport {
            true => internet_checksum(&protected(datagram)),
            false => internet_checksum(&datagram[..20]),
        };
        datagram[at..at + 2].copy_from_slice(&sum.to_be_bytes());
    }
}
