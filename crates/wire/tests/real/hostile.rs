//! What holds for any bytes that are taken for a datagram of a real host.

use airhop_base::{Body, Datagram, FlowId, NodeId, Original, Packet, RareOptions, Segment, Time};
use airhop_wire::real::{Connection, Seen, Way, checksums_hold, naks, read, write_back};
use std::sync::Arc;

/// Bytes are read, or refused in words. What was read leaves as it came; with a mark and NAKs its checksums hold if they did.
pub fn datagram(bytes: &[u8]) {
    let seen = match read(bytes) {
        Ok(seen) => seen,
        Err(refusal) => return assert!(!refusal.to_string().is_empty()),
    };
    assert!(seen.payload <= seen.bytes, "{seen:?}");
    let mut connection = Connection::new();
    let packet = packet(bytes, &seen, &mut connection);
    let original = Original::new(Arc::from(bytes), seen.tcp.map_or(0, |tcp| tcp.option_bytes));
    let known = Some((&connection, Way::Forward));
    assert!(Arc::ptr_eq(&write_back(&original, &packet, known), original.datagram()));
    let changed = write_back(&original, &with_marks(packet), known);
    let again = read(&changed).expect("what was read reads again");
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

/// The packet as which the simulation carries it.
fn packet(bytes: &[u8], seen: &Seen, connection: &mut Connection) -> Packet {
    let original = Original::new(Arc::from(bytes), 0);
    let body = match &seen.tcp {
        Some(tcp) => {
            connection.is_reopened_by(Way::Forward, tcp);
            Body::Tcp(connection.segment(Way::Forward, tcp, seen.payload, original))
        }
        None => Body::Udp(Datagram {
            number: 0,
            len: seen.payload,
            sent: Time::ZERO,
            original: Some(Box::new(original)),
        }),
    };
    Packet { ecn: seen.ecn, ..Packet::new(FlowId(0), NodeId(0), NodeId(1), seen.bytes, body) }
}

/// The same with congestion experienced, and NAKs if it is TCP.
fn with_marks(packet: Packet) -> Packet {
    let body = match packet.body {
        Body::Tcp(segment) => {
            let naks = [segment.ack, segment.ack + 1460].into_iter().collect();
            Body::Tcp(Segment::with(segment, RareOptions { naks, ..RareOptions::NONE }))
        }
        other => other,
    };
    Packet { ecn: airhop_base::Ecn::Ce, body, ..packet }
}
