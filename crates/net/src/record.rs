//! What the world tells a recorder. Nothing of it runs without one.

use crate::flow::Ends;
use crate::world::World;
use airhop_base::{Body, Drop, FlowId, Packet, Time};
use airhop_engine::Id;
use airhop_radio::cell::Station;
use airhop_tcp::seams::Cause;
use airhop_trace::{DropKind, DropRow, SendCause, Spot, Step, Walker, WindowSample};

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

    /// How many wait before a wire, and how many did when those went that have gone since this was last called.
    pub(crate) fn record_link_queue(&mut self, now: Time, i: u16) {
        if let Some(recorder) = &mut self.recorder {
            let link = &mut self.links[i as usize];
            let place = link.trace.place;
            let waiting = link.let_go(now, |then, left| recorder.queue(then, place, left));
            recorder.queue(now, place, waiting);
        }
    }

    pub(crate) fn record_station_queue(&mut self, now: Time, cell: u16, station: Station) {
        if let Some(recorder) = &mut self.recorder {
            let station = &self.sites[cell as usize].stations[station as usize];
            recorder.queue(now, station.queue_place, station.queue.len());
        }
    }

    /// A packet takes a step, which a recorder may want to know of.
    #[inline]
    pub(crate) fn step(&mut self, now: Time, step: Step, at: Spot, id: &Id<Packet>) {
        if let Some(recorder) = &mut self.recorder {
            recorder.step(now, step, at, walker(id, self.arena.get(id)));
        }
    }

    /// A packet takes a step on the way from one station of a cell to another.
    #[inline]
    pub(crate) fn step_on_air(
        &mut self,
        now: Time,
        step: Step,
        (cell, from, to): (u16, Station, Station),
        id: &Id<Packet>,
    ) {
        if self.recorder.is_some() {
            let at = Spot::Place(self.place_on_air(cell, from, to));
            self.step(now, step, at, id);
        }
    }

    /// The place in the recorder of the way from one station of a cell to another, or of the queue before it.
    #[cold]
    fn place_on_air(&self, cell: u16, from: Station, to: Station) -> u32 {
        let station = &self.sites[cell as usize].stations[from as usize];
        station.place(to).unwrap_or(station.queue_place)
    }

    /// A packet is about to be dropped.
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

fn walker(id: &Id<Packet>, packet: &Packet) -> Walker {
    let (kind, seq) = kind_of(packet);
    let payload = match &packet.body {
        Body::Tcp(segment) => segment.len,
        Body::Udp(datagram) => datagram.len,
        Body::Notice(_) | Body::Routing(_) => 0,
    };
    let Packet { flow, bytes, damaged, .. } = *packet;
    Walker { slot: id.index(), flow, kind, seq, bytes, payload, damaged }
}

pub(crate) fn kind_of(packet: &Packet) -> (DropKind, u64) {
    match &packet.body {
        Body::Tcp(s) if s.len > 0 => (DropKind::Data, s.seq),
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
