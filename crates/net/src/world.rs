//! The world and its loop. Reads in the order of a packet's walk:
//!
//! ```text
//! app → Sender::poll_transmit → enter → agents → route → queue → link or MAC → air → error model
//!     → arrive → agents → … → Receiver::on_segment → ACK → back
//! ```

use crate::agents::{Agent, LinkEvent, LinkEventKind, Verdict, Wishes};
use crate::flow::{Ends, Flow, TcpEnds, datagram_interval, supply};
use crate::link::Link;
use crate::plan::{AppPlan, Transport};
use crate::queues::Admit;
use crate::report::{FlowReport, Report};
use crate::route::Hop;
use crate::site::Site;
use airhop_base::{
    Body, Drop, Ecn, FlowId, HEADER_BYTES, NodeId, Notice, NoticeKind, Packet, Span, Time,
};
use airhop_engine::{Arena, EventQueue, Fingerprint, Id, TimerId, Timers};
use airhop_radio::cell::{CellEvent, Effect, FrameKind, Outgoing, Station, Tag};
use airhop_tcp::seams::Cause;
use airhop_trace::{Direction, DropKind, DropRow, Recorder, SendCause, WindowSample};
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// A link's serialiser is free.
    LinkFree(u16),
    /// A packet reaches the far end of a link.
    LinkArrival(u16),
    /// Something happens in a cell.
    Cell(CellEvent),
    /// A flow starts, or a datagram is due.
    App(FlowId),
    /// A sender's timer.
    Sender(FlowId),
    /// A receiver's timer.
    Receiver(FlowId),
    /// An agent's timer.
    Agent(u16),
}

impl From<CellEvent> for Event {
    fn from(e: CellEvent) -> Self {
        Event::Cell(e)
    }
}

/// An agent at its node.
#[derive(Debug)]
pub(crate) struct Hosted {
    pub node: NodeId,
    pub flow: FlowId,
    pub timer: TimerId,
    pub agent: Box<dyn Agent>,
}

/// A scenario at work.
pub struct World {
    pub(crate) duration: Span,
    pub(crate) names: Vec<String>,
    /// Hashes of the node names, for the fingerprint.
    pub(crate) hashes: Vec<u64>,
    pub(crate) events: EventQueue<Event>,
    pub(crate) timers: Timers,
    pub(crate) arena: Arena<Packet>,
    pub(crate) links: Vec<Link>,
    pub(crate) sites: Vec<Site>,
    pub(crate) flows: Vec<Flow>,
    pub(crate) hosted: Vec<Hosted>,
    /// By destination, then by node; empty for nodes that are no destination.
    pub(crate) routes: Vec<Vec<Hop>>,
    pub(crate) effects: Vec<Effect>,
    pub(crate) spare_effects: Vec<Effect>,
    pub(crate) wishes: Wishes,
    pub(crate) print: Fingerprint,
    pub(crate) drops: [u64; 6],
    pub(crate) recorder: Option<Box<Recorder>>,
    pub(crate) created: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped: u64,
}

/// The run was stopped from outside before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl World {
    /// Runs to the end of the scenario. `stop` is looked at every few thousand events.
    ///
    /// # Errors
    /// [`Interrupted`] if `stop` became true.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), Interrupted> {
        let end = Time::ZERO + self.duration;
        while let Some((now, event)) = self.events.pop_until(end) {
            self.handle(now, event);
            if self.events.popped().is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
        }
        Ok(())
    }

    fn handle(&mut self, now: Time, event: Event) {
        match event {
            Event::LinkArrival(i) => self.on_link_arrival(now, i),
            Event::LinkFree(i) => self.links[i as usize].on_free(now, &self.arena, &mut self.events),
            Event::Cell(e) => {
                self.sites[e.cell as usize].cell.on_event(now, e.what, &mut self.events, &mut self.effects);
                self.apply_effects(now, e.cell);
            }
            Event::App(flow) => self.on_app(now, flow),
            Event::Sender(flow) => self.on_sender_timer(now, flow),
            Event::Receiver(flow) => self.on_receiver_timer(now, flow),
            Event::Agent(i) => self.on_agent_timer(now, i),
        }
    }

    // ---- applications and endpoints --------------------------------------------------------------------------------

    fn on_app(&mut self, now: Time, id: FlowId) {
        let flow = &mut self.flows[id.0 as usize];
        match &mut flow.ends {
            Ends::Tcp(tcp) => {
                tcp.sender.supply(supply(&flow.plan.app));
                self.send_what_is_ready(now, id);
            }
            Ends::Udp(udp) => {
                let (Transport::Udp { bytes }, AppPlan::Cbr { rate }) = (&flow.plan.transport, flow.plan.app) else {
                    return;
                };
                let packet = udp.next(now, id, &flow.plan, *bytes);
                let next = now + datagram_interval(rate, *bytes);
                self.events.push(next, Event::App(id));
                let node = packet.src;
                self.enter(now, node, packet);
            }
        }
    }

    fn on_sender_timer(&mut self, now: Time, id: FlowId) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        if !self.timers.fire(tcp.sender_timer, Event::Sender(id), &mut self.events) {
            return;
        }
        let (una, timeouts) = (tcp.sender.space().una, tcp.sender.counters().timeouts);
        tcp.sender.on_timeout(now);
        if tcp.sender.counters().timeouts > timeouts {
            tcp.spurious.on_timeout(una);
        }
        self.send_what_is_ready(now, id);
    }

    fn on_receiver_timer(&mut self, now: Time, id: FlowId) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        if self.timers.fire(tcp.receiver_timer, Event::Receiver(id), &mut self.events) {
            tcp.receiver.on_timeout(now);
            self.acknowledge(now, id);
        }
    }

    /// Everything that the sender may send now enters the network at its node.
    fn send_what_is_ready(&mut self, now: Time, id: FlowId) {
        self.record_window(now, id);
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Ends::Tcp(tcp) = &mut flow.ends else { return };
            let sent_before = tcp.sender.space().max_sent;
            let Some(packet) = tcp.sender.poll_transmit(now) else { break };
            if let (Some(recorder), Some(segment)) = (&mut self.recorder, packet.segment())
                && segment.len > 0
            {
                let cause = send_cause(tcp.sender.last_cause());
                recorder.segment(now, id, segment, segment.seq < sent_before, cause);
            }
            let node = flow.plan.from;
            self.enter(now, node, packet);
        }
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        self.timers.set(tcp.sender_timer, tcp.sender.poll_timeout(), Event::Sender(id), &mut self.events);
        self.record_window(now, id);
    }

    /// Every ACK that the receiver owes now enters the network at its node.
    fn acknowledge(&mut self, now: Time, id: FlowId) {
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Ends::Tcp(tcp) = &mut flow.ends else { return };
            let Some(packet) = tcp.receiver.poll_transmit(now) else { break };
            let node = flow.plan.to;
            self.enter(now, node, packet);
        }
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        self.timers.set(tcp.receiver_timer, tcp.receiver.poll_timeout(), Event::Receiver(id), &mut self.events);
    }

    // ---- a packet's walk -------------------------------------------------------------------------------------------

    /// A packet made at `node` begins its walk.
    fn enter(&mut self, now: Time, node: NodeId, packet: Packet) {
        self.created += 1;
        let id = self.arena.insert(packet);
        self.visit(now, node, 0, id);
    }

    /// A packet is at `node`, by `interface`: agents see it, then it is delivered here or goes on.
    fn visit(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        let packet = self.arena.get(&id);
        let (flow, dst) = (packet.flow, packet.dst);
        self.print.mix(now, self.hashes[node.0 as usize] ^ digest(packet, self.flows[flow.0 as usize].hash));
        if !self.flows[flow.0 as usize].agents.is_empty()
            && self.show_to_agents(now, node, flow, &id) == Verdict::Consume
        {
            if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
                let comment = Some("kept by an agent");
                recorder.packet(now, node, interface, Direction::In, self.arena.get(&id), comment);
            }
            self.drop_packet(now, id, Drop::Agent, None);
            return;
        }
        if dst == node {
            self.deliver(now, node, id);
        } else {
            self.forward(now, node, id);
        }
    }

    /// Sends a packet one hop on.
    fn forward(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let dst = self.arena.get(&id).dst;
        match self.routes[dst.0 as usize][node.0 as usize] {
            Hop::Link(i) => self.offer_to_link(now, i, id),
            Hop::Air { cell, from, to } => self.offer_to_station(now, cell, from, to, id),
            Hop::None => unreachable!("every flow was checked to have a route both ways"),
        }
    }

    fn offer_to_link(&mut self, now: Time, i: u16, id: Id<Packet>) {
        let link = &self.links[i as usize];
        let (node, trace) = (link.from, link.trace);
        let captured = self.captures().then(|| self.arena.get(&id).clone());
        let dropped = self.links[i as usize].offer(now, id, &self.arena, &mut self.events);
        if let (Some(packet), Some(recorder)) = (&captured, &mut self.recorder) {
            let comment = dropped.as_ref().map(|(_, why)| format!("dropped by {}", why.name()));
            recorder.packet(now, node, trace.from_interface, Direction::Out, packet, comment.as_deref());
        }
        if let Some((packet, why)) = dropped {
            self.drop_packet(now, packet, why, Some(trace.place));
        }
    }

    fn on_link_arrival(&mut self, now: Time, i: u16) {
        let link = &mut self.links[i as usize];
        let Some(arrival) = link.on_arrival(now, &self.arena, &mut self.events) else { return };
        let (node, trace) = (link.to, link.trace);
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
            let comment = arrival.corrupted.then(|| format!("lost on {}: channel", link.name));
            let packet = self.arena.get(&arrival.packet);
            recorder.packet(now, node, trace.to_interface, Direction::In, packet, comment.as_deref());
        }
        if arrival.corrupted {
            self.drop_packet(now, arrival.packet, Drop::Channel, Some(trace.place));
        } else {
            self.visit(now, node, trace.to_interface, arrival.packet);
        }
    }

    fn offer_to_station(&mut self, now: Time, cell: u16, from: Station, to: Station, id: Id<Packet>) {
        let site = &mut self.sites[cell as usize];
        let station = &mut site.stations[from as usize];
        if site.cell.is_free(from) && station.queue.len() == 0 {
            self.hand_to_mac(now, cell, from, to, id);
            return;
        }
        if let Admit::Dropped(packet, why) = station.queue.push(id) {
            let place = station.places.get(to as usize).copied();
            if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
                let comment = format!("dropped by {}", why.name());
                let lost = self.arena.get(&packet);
                recorder.packet(now, station.node, station.interface, Direction::Out, lost, Some(&comment));
            }
            self.drop_packet(now, packet, why, place);
        }
    }

    fn hand_to_mac(&mut self, now: Time, cell: u16, from: Station, to: Station, id: Id<Packet>) {
        let packet = self.arena.get(&id);
        let site = &mut self.sites[cell as usize];
        let station = &mut site.stations[from as usize];
        station.in_mac = true;
        if self.recorder.as_ref().is_some_and(|r| r.wants_packets()) {
            station.on_air = Some(packet.clone());
        }
        let (tag, bytes) = (tag(packet), packet.bytes);
        site.cell.send(now, from, Outgoing { to, packet: id, tag, bytes }, &mut self.events, &mut self.effects);
    }

    /// The packet reached its destination.
    fn deliver(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        self.arrived += 1;
        let packet = self.arena.take(id);
        let flow = packet.flow;
        let at_receiver = node == self.flows[flow.0 as usize].plan.to;
        match (&mut self.flows[flow.0 as usize].ends, &packet.body) {
            (Ends::Tcp(_), &Body::Notice(n)) => self.notify(now, flow, n),
            (Ends::Tcp(tcp), Body::Tcp(segment)) if at_receiver => {
                let (expected, delivered) = (tcp.receiver.expected(), tcp.receiver.delivered());
                tcp.receiver.on_segment(now, &packet);
                tcp.spurious.on_arrival(segment.seq, expected);
                if let Some(recorder) = &mut self.recorder
                    && tcp.receiver.delivered() > delivered
                {
                    recorder.delivered(now, flow, tcp.receiver.delivered());
                }
                self.acknowledge(now, flow);
            }
            (Ends::Tcp(tcp), Body::Tcp(segment)) => {
                let una = tcp.sender.space().una;
                tcp.sender.on_segment(now, &packet);
                if let Some(recorder) = &mut self.recorder {
                    let sacked = segment.sack.blocks().iter().map(|b| b.end - b.start).sum::<u64>();
                    recorder.ack(now, flow, segment.ack, sacked as u32, segment.ack <= una);
                }
                self.send_what_is_ready(now, flow);
            }
            (Ends::Udp(udp), Body::Udp(datagram)) => udp.delivered_bytes += u64::from(datagram.len),
            (ends, body) => unreachable!("{body:?} cannot belong to {ends:?}"),
        }
    }

    /// A notice reaches the sender, from the network or from the link layer of its own station.
    fn notify(&mut self, now: Time, id: FlowId, notice: Notice) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        tcp.sender.on_notice(now, notice);
        if let Some(recorder) = &mut self.recorder {
            recorder.notice(now, id, notice.kind, true, notice.seq);
        }
        self.send_what_is_ready(now, id);
    }

    fn drop_packet(&mut self, now: Time, id: Id<Packet>, why: Drop, place: Option<u32>) {
        self.dropped += 1;
        self.drops[why as usize] += 1;
        let packet = self.arena.take(id);
        self.print.mix(now, 1 + why as u64);
        if let Some(recorder) = &mut self.recorder {
            let place = place.unwrap_or_else(|| recorder.place("agent"));
            let (kind, seq) = kind_of(&packet);
            let row = DropRow { flow: packet.flow, cause: why, kind, seq, bytes: packet.bytes };
            recorder.dropped(now, place, row);
        }
    }

    // ---- the air ---------------------------------------------------------------------------------------------------

    /// Carries out what a cell said, until it says nothing more.
    fn apply_effects(&mut self, now: Time, cell: u16) {
        // Handling an effect may hand packets to MACs, which may answer at once: two buffers take turns, so that nothing is
        // allocated.
        while !self.effects.is_empty() {
            let mut batch = std::mem::replace(&mut self.effects, std::mem::take(&mut self.spare_effects));
            for effect in batch.drain(..) {
                self.apply(now, cell, effect);
            }
            self.spare_effects = batch;
        }
    }

    fn apply(&mut self, now: Time, cell: u16, effect: Effect) {
        match effect {
            Effect::Deliver { from, to, packet } => {
                let site = &mut self.sites[cell as usize];
                site.stations[from as usize].in_mac = false;
                let (node, interface) = (site.node(to), site.stations[to as usize].interface);
                self.capture(now, cell, from, None);
                if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
                    recorder.packet(now, node, interface, Direction::In, self.arena.get(&packet), None);
                }
                self.visit(now, node, interface, packet);
            }
            Effect::AttemptFailed { from, tag, attempt, retry: true, .. } => {
                let kind = if attempt == 1 { LinkEventKind::FirstFailure } else { LinkEventKind::AttemptFailed };
                self.tell_agents(now, cell, from, LinkEvent { kind, tag });
            }
            Effect::AttemptFailed { .. } => {}
            Effect::Acknowledged { from, tag, .. } => {
                self.tell_agents(now, cell, from, LinkEvent { kind: LinkEventKind::Delivered, tag });
            }
            Effect::Discarded { from, to, tag, packet } => {
                let station = &mut self.sites[cell as usize].stations[from as usize];
                let place = station.places.get(to as usize).copied();
                match packet {
                    Some(id) => {
                        station.in_mac = false;
                        self.drop_packet(now, id, Drop::Retries, place);
                    }
                    // It arrived, but the sending station does not know: for its link layer the packet is lost.
                    None => self.drops[Drop::Retries as usize] += 1,
                }
                self.tell_agents(now, cell, from, LinkEvent { kind: LinkEventKind::Discarded, tag });
            }
            Effect::FrameLost { from, to, frame, bytes, tag, cause } => {
                self.on_frame_lost(now, cell, (from, to), frame, bytes, tag, cause);
            }
            Effect::Ready(station) => self.on_mac_ready(now, cell, station),
        }
    }

    fn on_mac_ready(&mut self, now: Time, cell: u16, from: Station) {
        let site = &mut self.sites[cell as usize];
        if !site.cell.is_free(from) {
            return; // a packet that came with the same effects was quicker
        }
        let Some(id) = site.stations[from as usize].queue.pop() else { return };
        let (dst, node) = (self.arena.get(&id).dst, site.node(from));
        let Hop::Air { to, .. } = self.routes[dst.0 as usize][node.0 as usize] else {
            unreachable!("it was queued for the air");
        };
        self.hand_to_mac(now, cell, from, to, id);
    }

    #[allow(clippy::too_many_arguments)]
    fn on_frame_lost(
        &mut self,
        now: Time,
        cell: u16,
        (from, to): (Station, Station),
        frame: FrameKind,
        bytes: u32,
        tag: Tag,
        cause: Drop,
    ) {
        self.drops[cause as usize] += 1;
        let Some(recorder) = &mut self.recorder else { return };
        let station = &self.sites[cell as usize].stations[from as usize];
        let kind = match frame {
            FrameKind::Data if tag.end > tag.seq => DropKind::Data,
            FrameKind::Data => station.on_air.as_ref().map_or(DropKind::Ack, |p| kind_of(p).0),
            FrameKind::Rts | FrameKind::Cts | FrameKind::Ack => DropKind::Control,
        };
        if let Some(&place) = station.places.get(to as usize) {
            recorder.dropped(now, place, DropRow { flow: tag.flow, cause, kind, seq: tag.seq, bytes });
        }
        if frame == FrameKind::Data {
            self.capture(now, cell, from, Some((to, cause)));
        }
    }

    fn captures(&self) -> bool {
        self.recorder.as_ref().is_some_and(|r| r.wants_packets())
    }

    /// Captures, at the sending station, the frame that just left the air.
    fn capture(&mut self, now: Time, cell: u16, from: Station, lost: Option<(Station, Drop)>) {
        let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) else { return };
        let stations = &self.sites[cell as usize].stations;
        let sender = &stations[from as usize];
        let comment = lost.map(|(to, why)| {
            format!("lost on {}->{}: {}", sender.name, stations[to as usize].name, why.name())
        });
        if let Some(packet) = &sender.on_air {
            recorder.packet(now, sender.node, sender.interface, Direction::Out, packet, comment.as_deref());
        }
    }

    // ---- agents ----------------------------------------------------------------------------------------------------

    fn show_to_agents(&mut self, now: Time, node: NodeId, flow: FlowId, id: &Id<Packet>) -> Verdict {
        let mut verdict = Verdict::Forward;
        for k in 0..self.flows[flow.0 as usize].agents.len() {
            let (at, i) = self.flows[flow.0 as usize].agents[k];
            if at != node {
                continue;
            }
            let queued = self.fill_towards(node, self.flows[flow.0 as usize].plan.to);
            let hosted = &mut self.hosted[i as usize];
            let packet = self.arena.get(id);
            if hosted.agent.on_packet(now, packet, queued, &mut self.wishes) == Verdict::Consume {
                verdict = Verdict::Consume;
            }
            self.grant_wishes(now, i);
        }
        verdict
    }

    fn tell_agents(&mut self, now: Time, cell: u16, station: Station, event: LinkEvent) {
        let node = self.sites[cell as usize].node(station);
        for k in 0..self.flows[event.tag.flow.0 as usize].agents.len() {
            let (at, i) = self.flows[event.tag.flow.0 as usize].agents[k];
            if at == node {
                self.hosted[i as usize].agent.on_link(now, &event, &mut self.wishes);
                self.grant_wishes(now, i);
            }
        }
    }

    fn on_agent_timer(&mut self, now: Time, i: u16) {
        let hosted = &mut self.hosted[i as usize];
        if self.timers.fire(hosted.timer, Event::Agent(i), &mut self.events) {
            hosted.agent.on_timeout(now, &mut self.wishes);
            self.grant_wishes(now, i);
        }
    }

    /// Does what an agent asked for, and sets its timer.
    fn grant_wishes(&mut self, now: Time, i: u16) {
        let hosted = &self.hosted[i as usize];
        let (node, flow) = (hosted.node, hosted.flow);
        self.timers.set(hosted.timer, hosted.agent.poll_timeout(), Event::Agent(i), &mut self.events);
        if self.wishes.packets.is_empty() && self.wishes.notices.is_empty() {
            return;
        }
        let mut wishes = std::mem::take(&mut self.wishes);
        for packet in wishes.packets.drain(..) {
            self.created += 1;
            let id = self.arena.insert(packet);
            self.forward(now, node, id);
        }
        for notice in wishes.notices.drain(..) {
            self.send_notice(now, node, flow, notice);
        }
        self.wishes = wishes;
    }

    /// Downlink: a packet in the form of an ACK from the receiver, which can be queued and lost. At the sender's own station: a
    /// call (Yun 2009 §3.1, Figure 1).
    fn send_notice(&mut self, now: Time, node: NodeId, flow: FlowId, notice: Notice) {
        if let Some(recorder) = &mut self.recorder {
            recorder.notice(now, flow, notice.kind, false, notice.seq);
        }
        let plan = &self.flows[flow.0 as usize].plan;
        if plan.from == node {
            self.notify(now, flow, notice);
            return;
        }
        let (src, dst) = (plan.to, plan.from);
        let packet =
            Packet { flow, src, dst, bytes: HEADER_BYTES, ecn: Ecn::NotEct, body: Body::Notice(notice) };
        self.created += 1;
        let id = self.arena.insert(packet);
        self.forward(now, node, id);
    }

    /// How full the queue from `node` towards `to` is.
    fn fill_towards(&self, node: NodeId, to: NodeId) -> f64 {
        match self.routes[to.0 as usize][node.0 as usize] {
            Hop::Link(i) => self.links[i as usize].fill(),
            Hop::Air { cell, from, .. } => {
                let queue = &self.sites[cell as usize].stations[from as usize].queue;
                queue.len() as f64 / queue.capacity().max(1) as f64
            }
            Hop::None => 0.0,
        }
    }

    // ---- results ---------------------------------------------------------------------------------------------------

    fn record_window(&mut self, now: Time, id: FlowId) {
        let Some(recorder) = &mut self.recorder else { return };
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        let w = tcp.sender.window();
        let sample = WindowSample {
            cwnd: w.cwnd,
            ssthresh: w.ssthresh,
            flight: tcp.sender.in_flight() as u32,
            srtt: tcp.sender.srtt(),
            rto: Some(tcp.sender.rto()),
        };
        recorder.window(now, id, sample);
    }

    /// What the run measured so far.
    pub fn report(&self) -> Report {
        Report {
            duration: self.duration,
            events: self.events.popped(),
            fingerprint: self.print.value(),
            flows: self.flows.iter().map(|f| self.flow_report(f)).collect(),
            drops: self.drops,
        }
    }

    fn flow_report(&self, flow: &Flow) -> FlowReport {
        let name = |n: NodeId| self.names[n.0 as usize].clone();
        let blank = FlowReport {
            name: flow.plan.name.clone(),
            scheme: None,
            transport: "udp",
            from: name(flow.plan.from),
            to: name(flow.plan.to),
            goodput_mbps: 0.0,
            delivered_bytes: 0,
            sent_segments: 0,
            retransmissions: 0,
            timeouts: 0,
            fast_recoveries: 0,
            window_cuts: 0,
            spurious_timeouts: 0,
            srtt_ms: None,
            notices: [0; NoticeKind::ALL.len()],
        };
        let filled = match &flow.ends {
            Ends::Tcp(tcp) => self.tcp_report(flow, tcp, blank),
            Ends::Udp(udp) => {
                FlowReport { sent_segments: udp.sent, delivered_bytes: udp.delivered_bytes, ..blank }
            }
        };
        let goodput_mbps = filled.delivered_bytes as f64 * 8.0 / self.duration.secs_f64() / 1e6;
        FlowReport { goodput_mbps, ..filled }
    }

    fn tcp_report(&self, flow: &Flow, tcp: &TcpEnds, blank: FlowReport) -> FlowReport {
        let c = tcp.sender.counters();
        let scheme = match &flow.plan.transport {
            Transport::Tcp { scheme, .. } => Some(scheme.name),
            Transport::Udp { .. } => None,
        };
        FlowReport {
            scheme,
            transport: "tcp",
            delivered_bytes: tcp.receiver.delivered(),
            sent_segments: c.sent_segments,
            retransmissions: c.retransmissions,
            timeouts: c.timeouts,
            fast_recoveries: c.fast_recoveries,
            window_cuts: c.window_cuts,
            spurious_timeouts: tcp.spurious.count,
            srtt_ms: tcp.sender.srtt().map(Span::millis_f64),
            notices: c.notices,
            ..blank
        }
    }

    /// Checks that every packet has exactly one fate: delivered, dropped with a reason, or still on its way.
    ///
    /// # Errors
    /// A sentence that says what does not add up.
    pub fn audit(&self) -> Result<(), String> {
        let inside = self.links.iter().map(Link::holds).sum::<usize>()
            + self.sites.iter().map(Site::holds).sum::<usize>();
        if inside != self.arena.len() {
            return Err(format!("{} packets alive, {inside} on links and in stations", self.arena.len()));
        }
        let fates = self.arrived + self.dropped + inside as u64;
        if self.created != fates {
            return Err(format!("{} packets made, {fates} accounted for", self.created));
        }
        Ok(())
    }

    /// The recorder, with all that it recorded.
    pub fn into_recorder(self) -> Option<Recorder> {
        self.recorder.map(|r| *r)
    }
}

fn send_cause(c: Cause) -> SendCause {
    match c {
        Cause::New => SendCause::New,
        Cause::Fast => SendCause::Fast,
        Cause::Recovery => SendCause::Recovery,
        Cause::Timeout => SendCause::Timeout,
        Cause::Notice => SendCause::Notice,
    }
}

fn tag(packet: &Packet) -> Tag {
    let (seq, end) = packet.segment().map_or((0, 0), |s| (s.seq, s.seq + u64::from(s.len)));
    Tag { flow: packet.flow, seq, end }
}

fn kind_of(packet: &Packet) -> (DropKind, u64) {
    match &packet.body {
        Body::Tcp(s) if s.len > 0 => (DropKind::Data, s.seq),
        Body::Tcp(s) => (DropKind::Ack, s.ack),
        Body::Udp(d) => (DropKind::Datagram, d.number),
        Body::Notice(n) => (DropKind::Notice, n.seq),
    }
}

/// What of a packet goes into the fingerprint.
fn digest(packet: &Packet, flow: u64) -> u64 {
    let content = match &packet.body {
        Body::Tcp(s) => s.seq ^ s.ack.rotate_left(20) ^ (u64::from(s.len) << 40),
        Body::Udp(d) => d.number,
        Body::Notice(n) => n.seq ^ ((n.kind as u64 + 1) << 56),
    };
    flow.wrapping_add(content.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
