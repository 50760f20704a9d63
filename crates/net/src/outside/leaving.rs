//! Departures of datagrams to real hosts, with the header fields that the network has changed. Also sends
//! notices to hosts that listen for notices.

use super::OpenedConnection;
use crate::flow::{Endpoints, Flow};
use crate::world::{World, ack_row};
use airhop_base::{Body, DepartedDatagram, FlowId, NodeId, Notice, NoticeKind, Packet, Time};
use airhop_engine::Id;
use airhop_trace::NoticeEvent;
use airhop_wire::addressing::{ipv4_address, ipv6_address};
use airhop_wire::real::{self, QuotedSegment, StreamDirection};
use std::net::IpAddr;
use std::sync::Arc;

impl World {
    /// Passes a packet of a real flow to the host at its destination.
    #[inline(never)]
    pub(crate) fn deliver_to_host(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let packet = self.take_delivered_packet(now, node, id);
        if let Body::Notice(notice) = packet.body {
            return self.notify_real_sender(now, packet.flow, notice);
        }
        let Flow { endpoints: ends, active_period: active, .. } = &mut self.flows[usize::from(packet.flow.0)];
        if let (Body::Udp(datagram), Some(datagrams)) = (&packet.body, ends.datagrams_mut()) {
            datagrams.on_arrival(now, datagram);
            active.on_delivered(now);
        }
        self.record_leaving_ack(now, node, &packet);
        let Some(original) = packet.original() else { return };
        let Some(outside) = &mut self.real_hosts else { return };
        let Flow { plan, endpoints: ends, .. } = &self.flows[usize::from(packet.flow.0)];
        let connection = ends.half_connection().map(|half| {
            let way = if packet.src == plan.from { half.direction } else { half.direction.opposite() };
            (&outside.opened[half.connection].connection, way)
        });
        let hears = outside.has_notice_listener(node);
        outside.notices[NoticeKind::Eln.index()] += u64::from(hears && real::has_eln(&packet));
        let datagram = real::rewrite_datagram(original, &packet, connection, hears);
        outside.departures.push(DepartedDatagram { departed_at: now, node, datagram });
    }

    /// Updates the RTT and the counters from an ACK that leaves to the data's sender.
    fn record_leaving_ack(&mut self, now: Time, node: NodeId, packet: &Packet) {
        let Some(segment) = packet.segment().filter(|s| s.flags.ack) else { return };
        let flow = if self.flows[usize::from(packet.flow.0)].plan.from == node {
            packet.flow
        } else {
            let Some(half) = self.half_connection_mut(packet.flow) else { return };
            half.reverse_flow
        };
        let Endpoints::Real(real) = &mut self.flows[usize::from(flow.0)].endpoints else { return };
        let has_sent = real.data_segments > 0;
        real.ecn_counts.ece += u64::from(has_sent && segment.is_ecn_echo());
        let Some(half) = &mut real.tcp else { return };
        let is_duplicate = !half.on_leaving_ack(now, segment.ack);
        // An ACK before the first data acknowledges only the SYN. A flow that never sends data appears in no
        // results.
        if let Some(recorder) = self.recorder.as_mut().filter(|_| has_sent) {
            recorder.record_ack(now, flow, ack_row(segment, is_duplicate));
        }
    }

    /// Sends a notice to a real sender. EBSN and RTTN are separate messages that every kernel ignores. A
    /// kernel without a listener would process ELN and ERSN as ACKs, so these are sent only to nodes that
    /// listen.
    pub(crate) fn notify_real_sender(&mut self, now: Time, flow: FlowId, notice: Notice) {
        let Flow { plan, endpoints: Endpoints::Real(real), .. } = &mut self.flows[usize::from(flow.0)] else {
            return;
        };
        let node = plan.from;
        real.notices[notice.kind.index()] += 1;
        if let Some(recorder) = &mut self.recorder {
            let received = NoticeEvent::Received { lateness_ms: None };
            recorder.record_notice(now, flow, notice.kind, received, notice.seq);
        }
        let Some(half) = &real.tcp else { return };
        let Some(outside) = &mut self.real_hosts else { return };
        if notice.kind.is_segment_specific() && !outside.has_notice_listener(node) {
            return;
        }
        if let Some(datagram) = outside.opened[half.connection].notice_datagram(half.direction, &notice) {
            outside.notices[notice.kind.index()] += 1;
            outside.departures.push(DepartedDatagram { departed_at: now, node, datagram });
        }
    }

    /// Returns the number of notices sent to real senders so far, for each kind in [`NoticeKind::ALL`]. An
    /// ACK with the ELN bit counts as one notice.
    pub fn notices_to_real_senders(&self) -> [u64; NoticeKind::ALL.len()] {
        self.real_hosts.as_ref().map(|outside| outside.notices).unwrap_or_default()
    }
}

impl OpenedConnection {
    /// Builds the datagram of a notice about data in this direction; `None` for a NAK, which is an option of
    /// an ACK.
    fn notice_datagram(&self, way: StreamDirection, notice: &Notice) -> Option<Arc<[u8]>> {
        let [from, to] = match way {
            StreamDirection::Forward => self.ends,
            StreamDirection::Reverse => [self.ends[1], self.ends[0]],
        };
        let about = QuotedSegment {
            source: from.0,
            destination: to.0,
            ports: [from.1, to.1],
            seq: self.connection.offset_to_seq(way, notice.seq),
            end: self.connection.offset_to_seq(way, notice.end()),
            peer_seq: self.connection.next_seq(way.opposite()),
        };
        let router = match from.0 {
            IpAddr::V4(_) => ipv4_address(notice.origin).into(),
            IpAddr::V6(_) => ipv6_address(notice.origin).into(),
        };
        real::build_notice(router, &about, notice.additional_delay, notice.kind).ok().map(Arc::from)
    }
}
