//! Hop fields: the fields of a packet that every hop reads.

use crate::flow::Flow;
use crate::world::World;
use airhop_base::{AodvMessage, Body, FlowId, NodeId, Packet};
use airhop_engine::Id;

/// Packet fields that every hop reads. The hop fields of all packets are stored together, because the
/// payloads of thousands of packets would not fit into the CPU caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HopFields {
    /// Hash of the packet for the fingerprint.
    pub fingerprint: u64,
    pub bytes: u32,
    pub flow: FlowId,
    pub dst: NodeId,
}

impl HopFields {
    #[inline(always)]
    pub fn from_packet(packet: &Packet, flows: &[Flow]) -> HopFields {
        let hash = packet.flow.index().map_or(0, |flow| flows[flow].hash);
        HopFields {
            fingerprint: packet_hash(packet, hash),
            bytes: packet.bytes,
            flow: packet.flow,
            dst: packet.dst,
        }
    }
}

impl World {
    /// Returns the hop fields of a packet.
    #[inline(always)]
    pub(crate) fn hop_fields_of(&self, id: &Id<Packet>) -> HopFields {
        self.hop_fields[id.index() as usize]
    }
}

/// Computes the hash of a packet for the fingerprint.
#[inline]
pub fn packet_hash(packet: &Packet, flow: u64) -> u64 {
    let content = match &packet.body {
        Body::Tcp(s) => s.seq ^ s.ack.rotate_left(20) ^ (u64::from(s.len) << 40),
        Body::Udp(d) => d.sequence_number,
        Body::Notice(n) => n.seq ^ ((n.kind as u64 + 1) << 56) ^ n.further_segments,
        Body::Routing(message) => routing_digest(message),
    };
    flow.wrapping_add(content.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

#[cold]
fn routing_digest(message: &AodvMessage) -> u64 {
    let of = |kind: u64, numbers: [u32; 2]| {
        (kind << 62) ^ (u64::from(numbers[0]) << 32) ^ u64::from(numbers[1]).rotate_left(7)
    };
    match message {
        AodvMessage::Request(r) => of(1, [r.id, r.dst_seq]) ^ u64::from(r.origin_seq) ^ u64::from(r.hops),
        AodvMessage::Reply(r) => of(2, [r.dst_seq, u32::from(r.hops)]) ^ r.lifetime.nanos(),
        AodvMessage::Error(lost) => {
            lost.iter().fold(3 << 62, |sum, u| sum ^ of(0, [u.dst_seq, u32::from(u.dst.0)]))
        }
    }
}
