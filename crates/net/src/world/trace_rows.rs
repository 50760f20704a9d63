//! Conversion of packets, ACKs and causes of transmissions to trace rows.

use airhop_base::{Body, Packet, Segment};
use airhop_engine::Id;
use airhop_tcp::seams::TransmissionCause;
use airhop_trace::{AckRow, PacketKind, SendCause, StepPacket};

pub(crate) fn step_packet(id: &Id<Packet>, packet: &Packet) -> StepPacket {
    let (kind, seq) = kind_of(packet);
    let payload = match &packet.body {
        Body::Tcp(segment) => segment.len,
        Body::Udp(datagram) => datagram.len,
        Body::Notice(_) | Body::Routing(_) => 0,
    };
    let Packet { flow, bytes, has_payload_errors: damaged, ecn, .. } = *packet;
    let flags = packet.segment().map(|segment| segment.flags);
    StepPacket {
        slot: id.index(),
        flow,
        kind,
        seq,
        bytes,
        payload_bytes: payload,
        has_payload_errors: damaged,
        ecn,
        flags,
    }
}

/// Returns the trace row of an ACK that a TCP sender processes.
pub(crate) fn ack_row(segment: &Segment, duplicate: bool) -> AckRow {
    let sacked = segment.options.sack.blocks().iter().map(|block| block.end.saturating_sub(block.start));
    AckRow {
        ack: segment.ack,
        sacked_bytes: sacked.sum::<u64>() as u32,
        duplicate,
        ece: segment.is_ecn_echo(),
    }
}

pub(crate) fn kind_of(packet: &Packet) -> (PacketKind, u64) {
    match &packet.body {
        Body::Tcp(s) if s.has_data_or_fin() => (PacketKind::Data, s.seq),
        Body::Tcp(s) => (PacketKind::Ack, s.ack),
        Body::Udp(d) => (PacketKind::Datagram, d.sequence_number),
        Body::Notice(n) => (PacketKind::Notice, n.seq),
        Body::Routing(_) => (PacketKind::Routing, 0),
    }
}

pub(crate) fn send_cause(c: TransmissionCause) -> SendCause {
    match c {
        TransmissionCause::New => SendCause::New,
        TransmissionCause::Fast => SendCause::Fast,
        TransmissionCause::Recovery => SendCause::Recovery,
        TransmissionCause::Timeout => SendCause::Timeout,
        TransmissionCause::Notice => SendCause::Notice,
        TransmissionCause::Probe => SendCause::Probe,
    }
}
