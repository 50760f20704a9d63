//! Laws for any bytes read as a datagram of a real host.

use airhop_base::{Body, Datagram, Ecn, Flags, FlowId, NodeId, Original, Packet, RareOptions, Segment, Time};
use airhop_wire::real::{
    Connection, HeaderFields, ParsedSack, ParsedTcp, Way, checksums_hold, complete_checksum, header_bytes,
    naks, read, segments, write_back,
};
use std::sync::Arc;

/// Checks that bytes are parsed or cause an error with a message. A parsed datagram is written back
/// unchanged; with a mark and NAKs its checksums are valid if they were valid before.
pub fn datagram(bytes: &[u8]) {
    let seen = match read(bytes) {
        Ok(seen) => seen,
        Err(refusal) => return assert!(!refusal.to_string().is_empty()),
    };
    assert!(seen.payload <= seen.bytes, "{seen:?}");
    let mut without_payload = bytes.to_vec();
    without_payload[header_bytes(bytes)..].fill(0);
    assert_eq!(read(&without_payload), Ok(seen));
    let mut connection = Connection::new();
    let packet = packet(bytes, &seen, &mut connection);
    let original = Original::new(Arc::from(bytes), seen.tcp.map_or(0, |tcp| tcp.option_bytes));
    let known = Some((&connection, Way::Forward));
    assert!(Arc::ptr_eq(&write_back(&original, &packet, known, true), original.datagram()));
    let changed = write_back(&original, &with_marks(packet), known, true);
    let again = read(&changed).expect("a decoded packet decodes again");
    assert_eq!(
        (again.source, again.destination, again.ports, again.payload),
        (seen.source, seen.destination, seen.ports, seen.payload)
    );
    if naks(bytes).is_empty() && seen.tcp.is_some() {
        assert_eq!(again.bytes - seen.bytes, if naks(&changed).is_empty() { 0 } else { 12 });
    }
    if checksums_hold(bytes).is_ok() {
        assert_eq!(checksums_hold(&changed), Ok(()), "{bytes:x?} became {changed:x?}");
    }
}

/// Returns the simulated packet for the datagram.
fn packet(bytes: &[u8], seen: &HeaderFields, connection: &mut Connection) -> Packet {
    let original = Original::new(Arc::from(bytes), 0);
    let body = match &seen.tcp {
        Some(tcp) => Body::Tcp(connection.segment(Way::Forward, tcp, seen.payload, original)),
        None => Body::Udp(Datagram {
            number: 0,
            len: seen.payload,
            sent: Time::ZERO,
            original: Some(Box::new(original)),
        }),
    };
    Packet { ecn: seen.ecn, ..Packet::new(FlowId(0), NodeId(0), NodeId(1), seen.bytes, body) }
}

/// Returns the packet with a CE mark, and with NAKs if it is a TCP segment.
fn with_marks(packet: Packet) -> Packet {
    let body = match packet.body {
        Body::Tcp(segment) => {
            let naks = [segment.ack, segment.ack + 1460].into_iter().collect();
            Body::Tcp(Segment::with(segment, RareOptions { naks, ..RareOptions::NONE }))
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
    let Ok(whole) = segments(&bytes, u16::MAX) else { return datagram(&bytes) };
    whole.for_each(|whole| datagram(&whole));
    let (mut payload, expected) = (0, read(&bytes).expect("a segment can be read").payload);
    for small in segments(&bytes, 1 + length / 4).expect("a segment is not segmented again") {
        assert_eq!(checksums_hold(&small), Ok(()), "{bytes:x?} became {small:x?}");
        payload += read(&small).expect("a segment").payload;
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
    let mut connection = Connection::new();
    let mut sent = [1; 2];
    for script in bytes.as_chunks::<11>().0 {
        let way = if script[0] & 1 == 0 { Way::Forward } else { Way::Reverse };
        let seen = scripted(script);
        if connection.is_reopened_by(way, &seen) {
            sent = [1; 2];
        }
        let segment = connection.segment(way, &seen, 1460, Original::new(Arc::from([0u8; 0]), 0));
        assert!(!connection.is_reopened_by(way, &seen) || seen.rst, "{seen:?} was learnt");
        assert!(
            segment.seq == 0 || seen.rst || connection.fold(way, segment.seq) == seen.seq,
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
