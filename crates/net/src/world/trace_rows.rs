//! Conversion of packets, ACKs and causes of transmissions to trace rows.

use airhop_base::{Body, Packet, Segment};
use airhop_engine::Id;
use airhop_tcp::seams::Cause;
use airhop_trace::{Acked, DropKind, SendCause, Walker};

pub(crate) fn walker(id: &Id<Packet>, packet: &Packet) -> Walker {
    let (kind, seq) = kind_of(packet);
    let payload = match &packet.body {
        Body::Tcp(segment) => segment.len,
        Body::Udp(datagram) => datagram.len,
        Body::Notice(_) | Body::Routing(_) => 0,
    };
    let Packet { flow, bytes, damaged, ecn, .. } = *packet;
    let flags = packet.segment().map(|segment| segment.flags);
    Walker { slot: id.index(), flow, kind, seq, bytes, payload, damaged, ecn, flags }
}

/// Returns the trace row of an ACK that a TCP sender processes.
pub(crate) fn acked(segment: &Segment, duplicate: bool) -> Acked {
    let sacked = segment.options.sack.blocks().iter().map(|block| block.end.saturating_sub(block.start));
    Acked { ack: segment.ack, sacked_bytes: sacked.sum::<u64>() as u32, duplicate, ece: segment.is_echo() }
}

pub(crate) fn kind_of(packet: &Packet) -> (DropKind, u64) {
    match &packet.body {
        Body::Tcp(s) if s.is_of_stream() => (DropKind::Data, s.seq),
        Body::Tcp(s) => (DropKind::Ack, s.ack),
        Body::Udp(d) => (DropKind::Datagram, d.number),
        Body::Notice(n) => (DropKind::Notice, n.seq),
        Body::Routing(_) => (DropKind::Routing, 0),
    }
}

pub(crate) fn send_cause(c: Cause) -> SendCause {
    match c {
        Cause::New => SendCause::New,
        Cause::Fast => SendCause::Fast,
        Cause::Recovery => SendCause::Recovery,
        Cause::Timeout => SendCause::Timeout,
        Cause::Notice => SendCause::Notice,
        Cause::Probe => SendCause::Probe,
    }
}
