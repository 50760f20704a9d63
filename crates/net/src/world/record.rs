//! Records of windows, queues, steps and drops. Nothing is recorded without a recorder.

use super::trace_rows::{ack_row, kind_of, send_cause, step_packet};
use crate::flow::Endpoints;
use crate::world::World;
use airhop_base::{DropCause, FlowId, NoticeKind, Packet, Segment, Time};
use airhop_engine::Id;
use airhop_trace::{DropRow, NoticeEvent, PathStep, Recorder, SendContext, StepLocation, WindowSample};

impl World {
    #[inline]
    pub(crate) fn record_window(&mut self, now: Time, id: FlowId) {
        if self.recorder.is_some() {
            self.sample_window(now, id);
        }
    }

    #[cold]
    fn sample_window(&mut self, now: Time, id: FlowId) {
        let Some(recorder) = &mut self.recorder else { return };
        let Endpoints::Tcp(tcp) = &self.flows[id.0 as usize].endpoints else { return };
        let w = tcp.sender.window();
        let sample = WindowSample {
            cwnd: w.cwnd,
            ssthresh: w.ssthresh,
            in_flight_bytes: tcp.sender.in_flight() as u32,
            srtt: tcp.sender.srtt(),
            rto: Some(tcp.sender.rto(now)),
        };
        recorder.record_window(now, id, sample);
    }

    /// Records a transmission by a TCP sender. `sent_before`: end of the data sent earlier.
    #[cold]
    pub(crate) fn record_sent_segment(&mut self, now: Time, id: FlowId, packet: &Packet, sent_before: u64) {
        let Endpoints::Tcp(tcp) = &self.flows[id.0 as usize].endpoints else { return };
        if let (Some(recorder), Some(segment)) = (&mut self.recorder, packet.segment())
            && segment.has_data_or_fin()
        {
            let sent = SendContext {
                retransmission: segment.seq < sent_before,
                cause: send_cause(tcp.sender.last_transmission_cause()),
                cwnd: tcp.sender.window().cwnd,
                in_flight_bytes: tcp.sender.in_flight() as u32,
            };
            recorder.record_segment(now, id, segment, sent);
        }
    }

    /// Records the length of the queue before a wired link: at `now`, and at each departure since the
    /// previous call.
    pub(crate) fn record_link_queue(&mut self, now: Time, i: u16) {
        if let Some(recorder) = &mut self.recorder {
            let link = &mut self.links.wired_links[i as usize];
            let place = link.trace.place_index;
            let waiting =
                link.remove_departed(now, |then, left| recorder.record_queue_length(then, place, left));
            recorder.record_queue_length(now, place, waiting);
        }
    }

    /// Records a step of a packet, if there is a recorder.
    #[inline]
    pub(crate) fn trace_step(&mut self, now: Time, step: PathStep, at: StepLocation, id: &Id<Packet>) {
        if self.recorder.is_some() {
            self.record_step(now, step, at, id);
        }
    }

    #[cold]
    fn record_step(&mut self, now: Time, step: PathStep, at: StepLocation, id: &Id<Packet>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.record_step(now, step, at, step_packet(id, self.arena.get(id)));
        }
    }

    /// Records a packet before it is dropped.
    pub(crate) fn record_drop(&mut self, now: Time, id: &Id<Packet>, why: DropCause, place: Option<u32>) {
        let Some(recorder) = &mut self.recorder else { return };
        let packet = self.arena.get(id);
        let place = place.unwrap_or_else(|| recorder.intern_place("agent"));
        let (kind, seq) = kind_of(packet);
        let row = DropRow { flow: packet.flow, cause: why, kind, seq, bytes: packet.bytes };
        recorder.record_drop(now, place, row);
        recorder.record_step(
            now,
            PathStep::Dropped(why),
            StepLocation::Place(place),
            step_packet(id, packet),
        );
    }
}

/// Records an ACK that a sender has processed. `una`: lowest unacknowledged byte before the ACK.
#[cold]
pub(super) fn record_ack(recorder: &mut Recorder, now: Time, flow: FlowId, segment: &Segment, una: u64) {
    recorder.record_ack(now, flow, ack_row(segment, segment.ack <= una));
    let received = NoticeEvent::Received { lateness_ms: None };
    if let Some(seq) = segment.eln_seq() {
        recorder.record_notice(now, flow, NoticeKind::Eln, received, seq);
    }
    for &seq in segment.options.naks.seqs() {
        recorder.record_notice(now, flow, NoticeKind::Nak, received, seq);
    }
}
