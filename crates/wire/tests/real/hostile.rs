//! Laws for any bytes read as a datagram of a real host.

use airhop_base::{
    Body, Datagram, Ecn, Flags, FlowId, NodeId, OriginalDatagram, Packet, RareOptions, Segment, Time,
};
use airhop_wire::real::{
    HeaderFields, ObservedConnection, ParsedSack, ParsedTcp, StreamDirection, complete_checksum,
    header_bytes, read_headers, read_naks, rewrite_datagram, segment_datagram, verify_checksums,
};
use std::sync::Arc;

/// Checks that bytes are parsed or cause an error with a message. A parsed datagram is written back
/// unchanged; with a mark and NAKs its checksums are valid if they were valid before.
pub fn datagram(bytes: &[u8]) {
    let seen = match read_headers(bytes) {
        Ok(seen) => seen,
        Err(refusal) => return assert!(!refusal.to_string().is_empty()),
    };
    assert!(seen.payload_bytes <= seen.datagram_bytes, "{seen:?}");
    let mut without_payload = bytes.to_vec();
    without_payload[header_bytes(bytes)..].fill(0);
    assert_eq!(read_headers(&without_payload), Ok(seen));
    let mut connection = ObservedConnection::new();
    let packet = packet(bytes, &seen, &mut connection);
    let original = OriginalDatagram::new(Arc::from(bytes), seen.tcp.map_or(0, |tcp| tcp.option_bytes));
    let known = Some((&connection, StreamDirection::Forward));
    assert!(Arc::ptr_eq(&rewrite_datagram(&original, &packet, known, true), original.datagram()));
    let changed = rewrite_datagram(&original, &with_marks(packet), known, true);
    let again = read_headers(&changed).expect("a decoded packet decodes again");
    assert_eq!(
        (again.source, again.destination, again.ports, again.payload_bytes),
        (seen.source, seen.destination, seen.ports, seen.payload_bytes)
    );
    if read_naks(bytes).is_empty() && seen.tcp.is_some() {
        assert_eq!(
            again.datagram_bytes - seen.datagram_bytes,
            if read_naks(&changed).is_empty() { 0 } else { 12 }
        );
    }
    if verify_checksums(bytes).is_ok() {
        assert_eq!(verify_checksums(&changed), Ok(()), "{bytes:x?} became {changed:x?}");
    }
}

/// Returns the simulated packet for the datagram.
fn packet(bytes: &[u8], seen: &HeaderFields, connection: &mut ObservedConnection) -> Packet {
    let original = OriginalDatagram::new(Arc::from(bytes), 0);
    let body = match &seen.tcp {
        Some(tcp) => {
            Body::Tcp(connection.convert_segment(StreamDirection::Forward, tcp, seen.payload_bytes, original))
        }
        None => Body::Udp(Datagram {
            sequence_number: 0,
            len: seen.payload_bytes,
            sent: Time::ZERO,
            original: Some(Box::new(original)),
        }),
    };
    Packet { ecn: seen.ecn, ..Packet::new(FlowId(0), NodeId(0), NodeId(1), seen.datagram_bytes, body) }
}

/// Returns the packet with a CE mark, and with NAKs if it is a TCP segment.
fn with_marks(packet: Packet) -> Packet {
    let body = match packet.body {
        Body::Tcp(segment) => {
            let naks = [segment.ack, segment.ack + 1460].into_iter().collect();
            Body::Tcp(Segment::with_rare_options(segment, RareOptions { naks, ..RareOptions::NONE }))
        }
        other => other,
    };
    Packet { ecn: Ecn::Ce, body, ..packet }
}

/// Checks the law of [`datagram`] for datagrams with the lengths and checksums of a network card. After
/// segmentation they have the same payload.
pub fn repaired_datagram(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    bytes.truncate(65_535);
    let length = bytes.len() as u16;
    match bytes.first().map(|first| first >> 4) {
        Some(4) if length >= 20 => bytes[2..4].copy_from_slice(&length.to_be_bytes()),
        Some(6) if length >= 40 => bytes[4..6].copy_from_slice(&(length - 40).to_be_bytes()),
        _ => {}
    }
    let Ok(whole) = segment_datagram(&bytes, u16::MAX) else { return datagram(&bytes) };
    whole.for_each(|whole| datagram(&whole));
    let (mut payload, expected) = (0, read_headers(&bytes).expect("a segment can be read").payload_bytes);
    for small in segment_datagram(&bytes, 1 + length / 4).expect("a segment is not segmented again") {
        assert_eq!(verify_checksums(&small), Ok(()), "{bytes:x?} became {small:x?}");
        payload += read_headers(&small).expect("a segment").payload_bytes;
    }
    assert_eq!(payload, expected);
}

/// Checks a checksum that starts at any offset: when its field is completed, the sum of the bytes is all
/// ones, or no byte changes.
pub fn begun_checksum(bytes: &[u8]) {
    let [a, b, c, d, rest @ ..] = bytes else { return };
    let (start, offset) = (u16::from_le_bytes([*a, *b]), u16::from_le_bytes([*c, *d]));
    let mut changed = rest.to_vec();
    let at = usize::from(start) + usize::from(offset);
    match complete_checksum(&mut changed, start, offset) {
        Ok(()) => changed[at..at + 2].copy_from_slice(&rest[at..at + 2]),
        Err(_) => assert!(at + 2 > rest.len()),
    }
    assert_eq!(changed, rest);
}

/// Checks segments with any numbers and flags, in either direction. An offset is converted back to its
/// sequence number, unless the number is older than the observer's state; only sent data is acknowledged.
pub fn connection(bytes: &[u8]) {
    let mut connection = ObservedConnection::new();
    let mut sent = [1; 2];
    for script in bytes.as_chunks::<11>().0 {
        let way = if script[0] & 1 == 0 { StreamDirection::Forward } else { StreamDirection::Reverse };
        let seen = scripted(script);
        if connection.is_reopened_by(way, &seen) {
            sent = [1; 2];
        }
        let segment =
            connection.convert_segment(way, &seen, 1460, OriginalDatagram::new(Arc::from([0u8; 0]), 0));
        assert!(!connection.is_reopened_by(way, &seen) || seen.rst, "{seen:?} was learnt");
        assert!(
            segment.seq == 0 || seen.rst || connection.offset_to_seq(way, segment.seq) == seen.seq,
            "{seen:?} {segment:?}"
        );
        if !seen.rst {
            sent[way as usize] = segment.end().max(sent[way as usize]);
        }
        let most = sent[way.opposite() as usize];
        assert!(segment.ack <= most, "{seen:?} {segment:?}");
        let blocks = segment.options.sack.blocks();
        assert!(blocks.iter().all(|block| block.start < block.end && block.end <= most));
        assert!(segment.window <= u64::from(seen.window) << 14);
    }
}

fn scripted(script: &[u8; 11]) -> ParsedTcp {
    let word = |at: usize| u32::from_be_bytes([script[at], script[at + 1], script[at + 2], script[at + 3]]);
    let has = |bit: u8| script[0] & bit != 0;
    let flags = Flags { syn: has(2), ack: has(4), fin: has(8), ..Flags::default() };
    ParsedTcp {
        seq: word(1),
        ack: if flags.ack { word(5) } else { 0 },
        window: u16::from_be_bytes([script[9], script[10]]),
        flags,
        rst: has(16),
        option_bytes: 0,
        mss: None,
        window_scale: (flags.syn && has(32)).then_some(script[10] & 14),
        sack_permitted: false,
        sack: ParsedSack::default(),
        timestamps: None,
    }
}
