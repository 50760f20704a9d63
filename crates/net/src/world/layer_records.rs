//! Records of the queues and frames of link layers, and packet captures. These functions are called only if
//! there is a recorder.

use super::interface::WirelessInterface;
use super::site::WirelessNetwork;
use crate::routing::LinkLayerId;
use crate::world::World;
use airhop_base::{AccessCategory, DropCause, Fragment, Packet, Time};
use airhop_engine::Id;
use airhop_radio::layer::{BROADCAST, FrameKind, LostFrame, Reception, SentFrame, SentMpdu, StationIndex};
use airhop_trace::{
    AirFrameKind, AirOutcome, AirRow, Direction, DropRow, MpduRow, MsduHeader, PacketKind, PathStep,
    StepLocation,
};

impl World {
    /// Records a step of a packet on its way between two stations, if there is a recorder.
    #[inline]
    pub(crate) fn trace_step_at(
        &mut self,
        now: Time,
        step: PathStep,
        layer: LinkLayerId,
        stations: (StationIndex, StationIndex),
        id: &Id<Packet>,
    ) {
        if self.recorder.is_some() {
            let at = StepLocation::Place(self.place_index_between(layer, stations));
            self.trace_step(now, step, at, id);
        }
    }

    /// Returns the recorder index of the link between two stations, or of the queue before the link.
    #[cold]
    fn place_index_between(&self, layer: LinkLayerId, (from, to): (StationIndex, StationIndex)) -> u32 {
        let interface = self.links.interface(layer, from);
        interface.place_index(to).unwrap_or(interface.broadcast_place_index)
    }

    /// Records the delivery of a packet to a station.
    #[cold]
    pub(crate) fn record_delivery(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, to): (StationIndex, StationIndex),
        id: &Id<Packet>,
    ) {
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.captures_packets()) {
            let WirelessInterface { node, recorder_index: interface, .. } = *self.links.interface(layer, to);
            recorder.record_packet(now, node, interface, Direction::In, self.arena.get(id), None);
        }
        self.trace_step_at(now, PathStep::Arrived, layer, (from, to), id);
    }

    /// Records the length in packets of a station's queue for an access category.
    #[inline]
    pub(crate) fn record_layer_queue(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        from: StationIndex,
        category: AccessCategory,
    ) {
        if let Some(recorder) = &mut self.recorder {
            let queue = self.links.interface(layer, from).queue_of(category);
            recorder.record_queue_length(now, queue.place_index, queue.queue.len());
        }
    }

    /// Records the length in packets of each queue of a station.
    pub(crate) fn record_layer_queues(&mut self, now: Time, layer: LinkLayerId, from: StationIndex) {
        if let Some(recorder) = &mut self.recorder {
            let queues = self.links.interface(layer, from).queues();
            queues.for_each(|queue| recorder.record_queue_length(now, queue.place_index, queue.queue.len()));
        }
    }

    /// Records a lost frame. The packet in the frame itself may still be retransmitted.
    pub(crate) fn record_lost_frame(&mut self, now: Time, layer: LinkLayerId, lost: &LostFrame) {
        let Some(recorder) = &mut self.recorder else { return };
        let &LostFrame {
            from,
            to,
            kind: frame,
            bytes,
            tag,
            packet_number: number,
            msdu_index: msdu,
            cause,
            ..
        } = lost;
        let interface = self.links.interface(layer, from);
        let (kind, seq) = match frame {
            FrameKind::Data => interface.packet_kinds.kind(number, tag),
            _ => (PacketKind::Control, tag.seq),
        };
        if let Some(place) = interface.place_index(to).filter(|_| msdu == 0) {
            recorder.record_drop(now, place, DropRow { flow: tag.flow, cause, kind, seq, bytes });
        }
        if let Some(number) = number.filter(|_| frame == FrameKind::Data) {
            self.capture(now, layer, (from, number), Some((to, cause)));
        }
    }

    /// Records in the trace a transmission that has just ended. Also captures the packet if the layer still
    /// has it.
    pub(crate) fn record_transmission(&mut self, now: Time, layer: LinkLayerId, sent: &SentFrame) {
        let Some(recorder) = &mut self.recorder else { return };
        let WirelessNetwork { layer: link, interfaces, .. } = self.links.wireless_network(layer);
        let outcome = outcome_of(sent.reception);
        let from = &interfaces[usize::from(sent.from)];
        if recorder.captures_packets()
            && let Some(id) = sent.packet_number.and_then(|number| link.packet(sent.from, number))
        {
            let is_lost = outcome == AirOutcome::Channel;
            let comment =
                is_lost.then(|| lost_on(from, &interfaces[usize::from(sent.to)], DropCause::Channel));
            let packet = self.arena.get(id);
            recorder.record_packet(
                now,
                from.node,
                from.recorder_index,
                Direction::Out,
                packet,
                comment.as_deref(),
            );
        }
        // A CTS or a link ACK belongs to a packet of the station to which it is sent.
        let sender = if sent.kind.is_response() { sent.to } else { sent.from };
        let (packet, seq) = interfaces[usize::from(sender)].packet_kinds.kind(sent.packet_number, sent.tag);
        let row = AirRow {
            start: sent.start,
            end: now,
            from: from.node,
            to: (sent.to != BROADCAST).then(|| interfaces[usize::from(sent.to)].node),
            kind: kind_of(sent.kind),
            bytes: sent.bytes,
            flow: sent.tag.flow,
            packet,
            seq,
            attempt: sent.attempt,
            category: sent.category,
            outcome,
        };
        recorder.record_transmission(row);
        if recorder.captures_packets() {
            self.capture_frame(layer, sent, &row);
        }
    }

    /// Captures a transmission on a cell's channel.
    fn capture_frame(&mut self, layer: LinkLayerId, sent: &SentFrame, row: &AirRow) {
        let Some(recorder) = &mut self.recorder else { return };
        let WirelessNetwork { layer: link, interfaces, .. } = self.links.wireless_network_mut(layer);
        let Some(header) = link.mac_header() else { return };
        recorder.record_frame(layer.index(), row, header);
        // Stores the packets of the MPDUs, which [`World::record_mpdu`] captures next.
        let records = &mut interfaces[usize::from(sent.from)].records;
        if header.ppdu_packets == 0
            && let Some(number) = sent.packet_number.filter(|_| sent.kind.carries_packets())
            && let Some((packet, retry)) = records.mark_sent(number, header.fragment.number)
        {
            let (fragment, outcome) = (header.fragment, row.outcome);
            let of_packet = MsduHeader { msdu_index: 0, sequence: number, fragment, retry, outcome };
            recorder.record_msdu(layer.index(), packet, &of_packet);
        }
    }

    /// Records an MPDU of the transmission that was recorded last.
    pub(crate) fn record_mpdu(&mut self, layer: LinkLayerId, sent: &SentMpdu) {
        let Some(recorder) = &mut self.recorder else { return };
        let &SentMpdu {
            from,
            mpdu_index: place,
            msdu_index: msdu,
            sequence,
            tag,
            packet_number: number,
            bytes,
            attempt,
            reception,
        } = sent;
        let WirelessInterface { packet_kinds: taken, records, .. } = self.links.interface_mut(layer, from);
        let (packet, seq) = taken.kind(Some(number), tag);
        let outcome = outcome_of(reception);
        let flow = tag.flow;
        recorder.record_mpdu(MpduRow {
            mpdu_index: place,
            msdu_index: msdu,
            sequence,
            flow,
            packet,
            seq,
            bytes,
            attempt,
            outcome,
        });
        if recorder.captures_packets()
            && let Some((packet, retry)) = records.mark_sent(number, 0)
        {
            let header =
                MsduHeader { msdu_index: msdu, sequence, fragment: Fragment::default(), retry, outcome };
            recorder.record_msdu(layer.index(), packet, &header);
        }
    }

    #[inline]
    pub(crate) fn is_capturing(&self) -> bool {
        self.recorder.as_ref().is_some_and(|r| r.captures_packets())
    }

    /// Captures a packet at the sending station after the end of its frame. No effect if the station has no
    /// copy of the packet.
    #[inline]
    pub(crate) fn capture(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        packet: (StationIndex, u64),
        lost: Option<(StationIndex, DropCause)>,
    ) {
        if self.is_capturing() {
            self.capture_copy(now, layer, packet, lost);
        }
    }

    #[cold]
    fn capture_copy(
        &mut self,
        now: Time,
        layer: LinkLayerId,
        (from, number): (StationIndex, u64),
        lost: Option<(StationIndex, DropCause)>,
    ) {
        let Some(recorder) = &mut self.recorder else { return };
        let interfaces = &self.links.wireless_network(layer).interfaces;
        let from = &interfaces[usize::from(from)];
        let comment = lost.map(|(to, why)| lost_on(from, &interfaces[usize::from(to)], why));
        if let Some(packet) = from.records.copy(number) {
            recorder.record_packet(
                now,
                from.node,
                from.recorder_index,
                Direction::Out,
                packet,
                comment.as_deref(),
            );
        }
    }
}

/// Converts a kind of frame to a kind of the trace.
fn kind_of(frame: FrameKind) -> AirFrameKind {
    match frame {
        FrameKind::Data => AirFrameKind::Data,
        FrameKind::Broadcast => AirFrameKind::Broadcast,
        FrameKind::Rts => AirFrameKind::Rts,
        FrameKind::Cts => AirFrameKind::Cts,
        FrameKind::Ack => AirFrameKind::Ack,
        FrameKind::Ampdu => AirFrameKind::Ampdu,
        FrameKind::BlockAckReq => AirFrameKind::BlockAckReq,
        FrameKind::BlockAck => AirFrameKind::BlockAck,
        FrameKind::CfEnd => AirFrameKind::CfEnd,
    }
}

/// Converts the outcome of a reception to an outcome of the trace.
fn outcome_of(reception: Reception) -> AirOutcome {
    match reception {
        Reception::Received => AirOutcome::Received,
        Reception::Captured => AirOutcome::Captured,
        Reception::Channel => AirOutcome::Channel,
        Reception::Collision => AirOutcome::Collision,
        Reception::Unheard => AirOutcome::Unheard,
    }
}

/// Returns the capture comment for a packet whose frame was lost.
fn lost_on(from: &WirelessInterface, to: &WirelessInterface, why: DropCause) -> String {
    format!("lost on {}->{}: {}", from.name, to.name, why.name())
}
