//! ECN marks that a queue sets, and their number per flow.

use airhop_base::{Ecn, Packet};

/// Sets marks on packets, and counts them by flow.
#[derive(Debug, Default)]
pub(crate) struct Marker {
    by_flow: Vec<u64>,
}

impl Marker {
    /// Marks a packet with CE if its transport is ECN-capable (RFC 3168 §5). Returns true if the packet is
    /// ECN-capable. A packet that already has the mark is not counted again.
    pub fn mark(&mut self, packet: &mut Packet) -> bool {
        if packet.ecn.is_ecn_capable() && packet.ecn != Ecn::Ce {
            packet.ecn = Ecn::Ce;
            self.count_mark(packet);
        }
        packet.ecn.is_ecn_capable()
    }

    /// Counts a mark. Packets without a flow are not ECN-capable.
    fn count_mark(&mut self, packet: &Packet) {
        let Some(flow) = packet.flow.index() else { return };
        if self.by_flow.len() <= flow {
            self.by_flow.resize(flow + 1, 0);
        }
        self.by_flow[flow] += 1;
    }

    /// Returns the number of marks by flow. Flows beyond the end of the slice have no marks.
    pub fn marks_by_flow(&self) -> &[u64] {
        &self.by_flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId, NodeId, Time};

    // RFC 3168 §5: ECT(0), ECT(1) and CE are ECN-capable. A queue counts only the marks that it sets itself,
    // by the flow of the packet.
    #[test]
    fn a_queue_counts_each_ce_mark_once() {
        let mut marker = Marker::default();
        let body = Body::Udp(Datagram { sequence_number: 0, len: 0, sent: Time::ZERO, original: None });
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
        assert_eq!(marker.marks_by_flow(), [0, 1, 0, 2]);
    }
}
