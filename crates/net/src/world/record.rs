//! Records of windows, queues, steps and drops. Without a recorder, no function of this module is called.

use super::trace_rows::{kind_of, walker};
use crate::flow::Ends;
use crate::world::World;
use airhop_base::{Drop, FlowId, Packet, Time};
use airhop_engine::Id;
use airhop_trace::{DropRow, Spot, Step, WindowSample};

impl World {
    #[inline]
    pub(crate) fn record_window(&mut self, now: Time, id: FlowId) {
        if self.recorder.is_some() {
            self.sample_window(now, id);
        }
    }

    fn sample_window(&mut self, now: Time, id: FlowId) {
        let Some(recorder) = &mut self.recorder else { return };
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        let w = tcp.sender.window();
        let sample = WindowSample {
            cwnd: w.cwnd,
            ssthresh: w.ssthresh,
            flight: tcp.sender.in_flight() as u32,
            srtt: tcp.sender.srtt(),
            rto: Some(tcp.sender.rto(now)),
        };
        recorder.window(now, id, sample);
    }

    /// Records the number of packets in the queue before a wire: now, and at each departure since the last
    /// call.
    pub(crate) fn record_link_queue(&mut self, now: Time, i: u16) {
        if let Some(recorder) = &mut self.recorder {
            let link = &mut self.links.wires[i as usize];
            let place = link.trace.place;
            let waiting = link.release(now, |then, left| recorder.queue(then, place, left));
            recorder.queue(now, place, waiting);
        }
    }

    /// Records a step of a packet, if there is a recorder.
    #[inline]
    pub(crate) fn step(&mut self, now: Time, step: Step, at: Spot, id: &Id<Packet>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.step(now, step, at, walker(id, self.arena.get(id)));
        }
    }

    /// Records a packet before it is dropped.
    pub(crate) fn record_drop(&mut self, now: Time, id: &Id<Packet>, why: Drop, place: Option<u32>) {
        let Some(recorder) = &mut self.recorder else { return };
        let packet = self.arena.get(id);
        let place = place.unwrap_or_else(|| recorder.place("agent"));
        let (kind, seq) = kind_of(packet);
        let row = DropRow { flow: packet.flow, cause: why, kind, seq, bytes: packet.bytes };
        recorder.dropped(now, place, row);
        recorder.step(now, Step::Dropped(why), Spot::Place(place), walker(id, packet));
    }
}
