//! Marks made by a queue, and their counts.

use airhop_base::{Ecn, Packet};

/// Marker of packets, and counts of marks by flow.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    by_flow: Vec<u64>,
}

impl Marker {
    /// Marks a packet "congestion experienced", if its transport is ECN-capable (RFC 3168 §5). Returns
    /// whether it is. A mark made by another queue is counted only there.
    pub fn mark(&mut self, packet: &mut Packet) -> bool {
        if packet.ecn.is_capable() && packet.ecn != Ecn::Ce {
            packet.ecn = Ecn::Ce;
            self.count(packet);
        }
        packet.ecn.is_capable()
    }

    /// Counts a mark; packets of no flow are not ECN-capable.
    fn count(&mut self, packet: &Packet) {
        let Some(flow) = packet.flow.index() else { return };
        if self.by_flow.len() <= flow {
            self.by_flow.resize(flow + 1, 0);
        }
        self.by_flow[flow] += 1;
    }

    /// Returns the number of marked packets by flow; flows beyond the end have none.
    pub fn by_flow(&self) -> &[u64] {
        &self.by_flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId, NodeId, Time};

    // RFC 3168 §5: ECT(0), ECT(1) and CE are ECN-capable. A mark is counted at its queue, for the flow of the
    // marked packet.
    #[test]
    fn a_mark_counts_once() {
        let mut marker = Marker::default();
        let body = Body::Udp(Datagram { number: 0, len: 0, sent: Time::ZERO, original: None });
        let plain = |flow| Packet::new(FlowId(flow), NodeId(0), NodeId(1), 28, body.clone());
        for (flow, ecn, is_capable) in [
            (3, Ecn::Ect0, true),
            (1, Ecn::Ect1, true),
            (3, Ecn::Ect0, true),
            (3, Ecn::Ce, true),
            (1, Ecn::NotEct, false),
        ] {
            let mut packet = Packet { ecn, ..plain(flow) };
            assert_eq!(marker.mark(&mut packet), is_capable);
            assert_eq!(packet.ecn, if is_capable { Ecn::Ce } else { Ecn::NotEct });
        }
        assert_eq!(marker.by_flow(), [0, 1, 0, 2]);
    }
}
