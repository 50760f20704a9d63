//! Departures of datagrams to real hosts, with the header fields that the network has changed. Also sends
//! notices to hosts that listen for notices.

use super::Opened;
use crate::flow::{Ends, Flow};
use crate::world::{World, acked};
use airhop_base::{Body, Departure, FlowId, NodeId, Notice, NoticeKind, Packet, Time};
use airhop_engine::Id;
use airhop_trace::NoticeEvent;
use airhop_wire::addressing::{address, address6};
use airhop_wire::real::{self, Quoted, Way};
use std::net::IpAddr;
use std::sync::Arc;

impl World {
    /// Passes a packet of a real flow to the host at its destination.
    #[inline(never)]
    pub(crate) fn leave(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let packet = self.take_delivered(now, node, id);
        if let Body::Notice(notice) = packet.body {
            return self.notify_outside(now, packet.flow, notice);
        }
        let Flow { ends, active, .. } = &mut self.flows[usize::from(packet.flow.0)];
        if let (Body::Udp(datagram), Some(datagrams)) = (&packet.body, ends.datagrams()) {
            datagrams.on_arrival(now, datagram);
            active.delivered(now);
        }
        self.note_ack(now, node, &packet);
        let Some(original) = packet.original() else { return };
        let Some(outside) = &mut self.outside else { return };
        let Flow { plan, ends, .. } = &self.flows[usize::from(packet.flow.0)];
        let connection = ends.half().map(|half| {
            let way = if packet.src == plan.from { half.way } else { half.way.opposite() };
            (&outside.opened[half.connection].connection, way)
        });
        let hears = outside.hears(node);
        outside.notices[NoticeKind::Eln.index()] += u64::from(hears && real::has_eln(&packet));
        let datagram = real::write_back(original, &packet, connection, hears);
        outside.departures.push(Departure { at: now, node, datagram });
    }

    /// Updates the RTT and the counters from an ACK that leaves to the data's sender.
    fn note_ack(&mut self, now: Time, node: NodeId, packet: &Packet) {
        let Some(segment) = packet.segment().filter(|s| s.flags.ack) else { return };
        let flow = if self.flows[usize::from(packet.flow.0)].plan.from == node {
            packet.flow
        } else {
            let Some(half) = self.half(packet.flow) else { return };
            half.other
        };
        let Ends::Real(real) = &mut self.flows[usize::from(flow.0)].ends else { return };
        let has_sent = real.segments > 0;
        real.marks.ece += u64::from(has_sent && segment.is_echo());
        let Some(half) = &mut real.tcp else { return };
        let is_duplicate = !half.on_ack_leaving(now, segment.ack);
        // An ACK before the first data acknowledges only the SYN. A flow that never sends data appears in no
        // results.
        if let Some(recorder) = self.recorder.as_mut().filter(|_| has_sent) {
            recorder.ack(now, flow, acked(segment, is_duplicate));
        }
    }

    /// Sends a notice to a real sender. EBSN and RTTN are separate messages that every kernel ignores. A
    /// kernel without a listener would process ELN and ERSN as ACKs, so these are sent only to nodes that
    /// listen.
    pub(crate) fn notify_outside(&mut self, now: Time, flow: FlowId, notice: Notice) {
        let Flow { plan, ends: Ends::Real(real), .. } = &mut self.flows[usize::from(flow.0)] else { return };
        let node = plan.from;
        real.notices[notice.kind.index()] += 1;
        if let Some(recorder) = &mut self.recorder {
            let received = NoticeEvent::Received { lateness_ms: None };
            recorder.notice(now, flow, notice.kind, received, notice.seq);
        }
        let Some(half) = &real.tcp else { return };
        let Some(outside) = &mut self.outside else { return };
        if notice.kind.concerns_one_segment() && !outside.hears(node) {
            return;
        }
        if let Some(datagram) = outside.opened[half.connection].notice(half.way, &notice) {
            outside.notices[notice.kind.index()] += 1;
            outside.departures.push(Departure { at: now, node, datagram });
        }
    }

    /// Returns the number of notices sent to real senders so far, for each kind in [`NoticeKind::ALL`]. An
    /// ACK with the ELN bit counts as one notice.
    pub fn notices_left(&self) -> [u64; NoticeKind::ALL.len()] {
        self.outside.as_ref().map(|outside| outside.notices).unwrap_or_default()
    }
}

impl Opened {
    /// Builds the datagram of a notice about data in this direction; `None` for a NAK, which is an option of
    /// an ACK.
    fn notice(&self, way: Way, notice: &Notice) -> Option<Arc<[u8]>> {
        let [from, to] = match way {
            Way::Forward => self.ends,
            Way::Reverse => [self.ends[1], self.ends[0]],
        };
        let about = Quoted {
            source: from.0,
            destination: to.0,
            ports: [from.1, to.1],
            seq: self.connection.fold(way, notice.seq),
            end: self.connection.fold(way, notice.end()),
            peer_seq: self.connection.next(way.opposite()),
        };
        let router = match from.0 {
            IpAddr::V4(_) => address(notice.origin).into(),
            IpAddr::V6(_) => address6(notice.origin).into(),
        };
        real::notice(router, &about, notice.delay, notice.kind).ok().map(Arc::from)
    }
}
