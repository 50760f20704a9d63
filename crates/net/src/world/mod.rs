//! World and event loop. The functions are in the order of a packet's path:
//!
//! ```text
//! app → Sender::poll_transmit → enter → agents → route → queue → link or MAC → air → error model
//!     → arrive → agents → … → Receiver::on_segment → ACK → back
//! ```

mod applications;
pub(crate) mod build;
mod emulator;
pub(crate) mod event;
mod flows;
mod hop_fields;
mod hosting;
mod interface;
mod layer_records;
mod layers;
mod link_changes;
mod link_site;
pub(crate) mod links;
mod record;
mod results;
mod routers;
mod schedule;
mod site;
mod trace_rows;
mod wired;

pub use build::classes;
pub use emulator::EmulatorPlan;
pub(crate) use event::Event;
pub use schedule::WorldSchedule;

use crate::agents::{Agent, AgentActions, PacketAction};
use crate::apps::Io;
use crate::delays::FIRST_BYTE;
use crate::flow::{AppSeat, Ends, Flow};
use crate::ground_truth::loss_ledger::DropReason;
use crate::outside::Outside;
use crate::queues::Dropped;
use crate::report::Report;
use crate::routing::{Hop, Routes};
use crate::transit::Datagrams;
use airhop_base::{Body, Drop, FlowId, NodeId, Notice, NoticeKind, Packet, Segment, Span, Time};
use airhop_engine::{Arena, EventQueue, Fingerprint, Id, TimerId, Timers};
use airhop_radio::Tag;
use airhop_radio::layer::LinkEffect;
use airhop_tcp::seams::Run;
use airhop_trace::{Direction, NoticeEvent, Recorder, Step, StepLocation};
use applications::RunningApp;
use build::Ground;
use emulator::Emulator;
use hop_fields::HopFields;
use links::Links;
use record::record_ack;
use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use trace_rows::acked;

/// Agent, with its node.
#[derive(Debug)]
pub(crate) struct Hosted {
    pub node: NodeId,
    pub flow: FlowId,
    pub timer: TimerId,
    pub agent: Box<dyn Agent>,
}

/// Running scenario.
pub struct World {
    pub(crate) duration: Span,
    pub(crate) warmup: Span,
    /// Counters at the end of the warm-up; `None` before its end, or without a warm-up.
    pub(crate) warmed_up: Option<Report>,
    pub(crate) names: Vec<String>,
    /// Hashes of the node names, for the fingerprint of the run.
    pub(crate) hashes: Vec<u64>,
    pub(crate) events: EventQueue<Event>,
    pub(crate) timers: Timers,
    pub(crate) arena: Arena<Packet>,
    pub(crate) links: Links,
    /// Graph and routes, used to build flows.
    pub(crate) ground: Box<Ground>,
    /// State that the senders of the run share.
    pub(crate) shared: Run,
    pub(crate) flows: Vec<Flow>,
    pub(crate) apps: Vec<RunningApp>,
    /// Orders of the application that is being called; empty between calls.
    pub(crate) io: Io,
    pub(crate) hosted: Vec<Hosted>,
    /// Hop to the mobile for each handoff that empties the queue of the old base station.
    pub(crate) handoffs: Vec<Hop>,
    pub(crate) routes: Routes,
    /// Hop fields of the packets, by arena slot.
    pub(crate) hop_fields: Vec<HopFields>,
    /// True for each flow that has agents.
    pub(crate) watched: Vec<bool>,
    /// True if a flow sums the contention times of its packets over all hops.
    pub(crate) sums_contention: bool,
    /// Packets that the present queue has just dropped; empty between calls.
    pub(crate) dropped_by_queue: Dropped,
    pub(crate) effects: Vec<LinkEffect>,
    pub(crate) actions: AgentActions,
    /// Notices about the MPDUs of a PPDU, stored until the outcome of all MPDUs is known.
    pub(crate) held_notices: Vec<(NodeId, FlowId, Notice)>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) drops: [u64; Drop::ALL.len()],
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Boundary to real hosts; `None` in a pure simulation.
    pub(crate) outside: Option<Box<Outside>>,
    /// Simulated emulator between the network and the hosts; `None` without an emulator.
    pub(crate) emulator: Option<Box<Emulator>>,
    pub(crate) created: u64,
    pub(crate) arrived: u64,
    pub(crate) dropped: u64,
}

/// Error of a run that the caller stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

impl World {
    /// Runs to the end of the scenario. Reads `stop` every few thousand events.
    ///
    /// # Errors
    /// [`Interrupted`] if `stop` became true.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), Interrupted> {
        self.warm_up(stop)?;
        self.run_until(Time::ZERO + self.duration, stop)
    }

    pub(crate) fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), Interrupted> {
        if self.warmup > Span::ZERO && self.warmed_up.is_none() {
            self.run_until(Time::ZERO + self.warmup, stop)?;
            self.warmed_up = Some(self.totals());
            for flow in &mut self.flows {
                flow.ends.begin_anew();
            }
            let end = Time::ZERO + self.warmup;
            self.apps.iter_mut().for_each(|running| running.begin_anew(end));
            self.links.begin_anew();
        }
        Ok(())
    }

    pub(crate) fn run_until(&mut self, end: Time, stop: &AtomicBool) -> Result<(), Interrupted> {
        while self.events.is_due(end) {
            let (now, event) = self.events.pop();
            self.handle(now, event);
            if self.events.popped().is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                return Err(Interrupted);
            }
        }
        Ok(())
    }

    /// Returns the simulated time.
    pub fn now(&self) -> Time {
        self.events.now()
    }

    // ---- endpoints --------------------------------------------------------------------------------

    fn on_sender_timer(&mut self, now: Time, id: FlowId) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        if !self.timers.fire(tcp.sender_timer, Event::Sender(id), &mut self.events) {
            return;
        }
        tcp.on_sender_timer(now);
        self.send_ready_segments(now, id);
    }

    fn on_receiver_timer(&mut self, now: Time, id: FlowId) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        if self.timers.fire(tcp.receiver_timer, Event::Receiver(id), &mut self.events) {
            tcp.receiver.on_timeout(now);
            self.acknowledge(now, id);
        }
    }

    /// Sends all segments that the sender may send now, from the sender's node.
    pub(crate) fn send_ready_segments(&mut self, now: Time, id: FlowId) {
        self.record_window(now, id);
        if let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends {
            while let Some(classification) = tcp.sender.poll_classification() {
                tcp.loss_ledger.judge(classification, tcp.sender.state().una);
            }
        }
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Ends::Tcp(tcp) = &mut flow.ends else { return };
            let sent_before = tcp.sender.state().max_sent;
            let Some(packet) = tcp.sender.poll_transmit(now) else { break };
            if let Some(segment) = packet.segment() {
                if segment.seq < sent_before && (segment.is_of_stream() || segment.flags.syn) {
                    tcp.on_retransmission(segment);
                } else {
                    tcp.on_transmission(segment);
                    if segment.seq == FIRST_BYTE && segment.len > 0 {
                        flow.active.sent(now);
                    }
                }
            }
            let node = flow.plan.from;
            if self.recorder.is_some() {
                self.record_sent(now, id, &packet, sent_before);
            }
            self.enter(now, node, 0, packet);
        }
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        self.timers.set(tcp.sender_timer, tcp.sender.poll_timeout(), Event::Sender(id), &mut self.events);
        self.record_window(now, id);
    }

    /// Sends all ACKs that are due now, from the receiver's node.
    fn acknowledge(&mut self, now: Time, id: FlowId) {
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Ends::Tcp(tcp) = &mut flow.ends else { return };
            let Some(packet) = tcp.receiver.poll_transmit(now) else { break };
            let node = flow.plan.to;
            if let (Some(recorder), Some(seq)) =
                (&mut self.recorder, packet.segment().and_then(Segment::lost))
            {
                recorder.notice(now, id, NoticeKind::Eln, NoticeEvent::Sent, seq);
            }
            self.enter(now, node, 0, packet);
        }
        let Ends::Tcp(tcp) = &self.flows[id.0 as usize].ends else { return };
        self.timers.set(
            tcp.receiver_timer,
            tcp.receiver.poll_timeout(),
            Event::Receiver(id),
            &mut self.events,
        );
    }

    /// Delays a packet until the receiver's host wakes up.
    fn hold(&mut self, now: Time, id: FlowId, packet: Packet) {
        let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else { return };
        if let Some(wakes) = tcp.turnaround.as_mut().and_then(|host| host.hold(now, packet)) {
            self.events.push(wakes, Event::HostWakes(id));
        }
    }

    /// Passes the waiting packets of the receiver's host to the receiver.
    fn on_host_wakes(&mut self, now: Time, id: FlowId) {
        while let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends
            && let Some(host) = &mut tcp.turnaround
            && let Some(packet) = host.release()
        {
            tcp.receiver.set_more(host.len() > 0);
            let delivered = tcp.receive(now, &packet);
            self.answer(now, id, delivered);
        }
    }

    // ---- a packet on its path
    // ---------------------------------------------------------------------------------------

    /// Admits a packet created at `node`, or the headers of a damaged packet that arrived at `interface`.
    #[inline]
    pub(crate) fn enter(&mut self, now: Time, node: NodeId, interface: u16, packet: Packet) {
        let id = self.make(now, node, packet);
        self.visit(now, node, interface, id);
    }

    /// Creates a packet at `node`.
    #[inline(always)]
    pub(crate) fn make(&mut self, now: Time, node: NodeId, packet: Packet) -> Id<Packet> {
        self.created += 1;
        let fields = HopFields::of(&packet, &self.flows);
        let id = self.arena.insert(packet);
        match self.hop_fields.get_mut(id.index() as usize) {
            Some(last) => *last = fields,
            None => self.hop_fields.push(fields), // the arena has grown by one slot
        }
        self.step(now, Step::Made, StepLocation::Node(node), &id);
        id
    }

    /// Removes a packet at the end of its path.
    #[inline(always)]
    pub(crate) fn finish(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        self.count_arrival(now, node, &id);
        self.arena.discard(id);
    }

    /// Removes and returns a packet that has arrived at its destination.
    pub(crate) fn take_delivered(&mut self, now: Time, node: NodeId, id: Id<Packet>) -> Packet {
        self.count_arrival(now, node, &id);
        self.arena.take(id)
    }

    #[inline]
    fn count_arrival(&mut self, now: Time, node: NodeId, id: &Id<Packet>) {
        self.step(now, Step::Delivered, StepLocation::Node(node), id);
        self.arrived += 1;
    }

    /// Handles a packet at `node` that arrived at `interface`. Agents process the packet first. The packet is
    /// then delivered here or forwarded.
    #[inline(never)]
    pub(crate) fn visit(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        self.visit_inline(now, node, interface, id);
    }

    /// Inlines [`World::visit`] into the event loop.
    #[inline(always)]
    pub(crate) fn visit_inline(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        let fields @ HopFields { flow, dst, fingerprint, .. } = self.hop_fields_of(&id);
        self.fingerprint.mix(now, self.hashes[node.0 as usize] ^ fingerprint);
        if !self.hosted.is_empty() && self.watched[flow.0 as usize] {
            return self.visit_agents(now, node, interface, id);
        }
        if dst == node {
            self.arrive(now, node, id);
        } else {
            self.forward(now, node, fields, id);
        }
    }

    /// Handles a packet of a flow with agents; see [`World::visit`].
    #[inline(never)]
    fn visit_agents(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        let flow = self.hop_fields_of(&id).flow;
        match self.show_to_agents(now, node, flow, &id) {
            PacketAction::Forward if self.hop_fields_of(&id).dst == node => self.arrive(now, node, id),
            PacketAction::Forward => self.forward(now, node, self.hop_fields_of(&id), id),
            PacketAction::Consume => self.consumed(now, node, interface, id),
            PacketAction::Take => self.finish(now, node, id),
        }
    }

    /// Removes a packet that an agent consumed.
    fn consumed(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.wants_packets()) {
            let comment = Some("kept by an agent");
            recorder.packet(now, node, interface, Direction::In, self.arena.get(&id), comment);
        }
        self.drop_packet(now, id, Drop::Agent.into(), None);
    }

    /// Sends a packet over its next hop; `fields`: hop fields of the packet.
    #[inline(always)]
    pub(crate) fn forward(&mut self, now: Time, node: NodeId, fields: HopFields, id: Id<Packet>) {
        match *self.routes.hop(node, fields.dst) {
            Hop::Link(i) => self.offer_to_link(now, i, id, fields.bytes),
            hop => self.offer_to(now, hop, id),
        }
    }

    /// Handles a packet at its destination.
    #[inline(always)]
    fn arrive(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        match self.emulator {
            None => self.deliver(now, node, id),
            Some(_) => self.arrive_late(now, node, id),
        }
    }

    /// Delivers a packet at its destination. The packet is read in place, because most packets use only a
    /// small part of a segment's memory.
    #[inline(never)]
    fn deliver(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let packet = self.arena.get(&id);
        let flow = packet.flow;
        let Flow { plan, ends, active, seat, .. } = &mut self.flows[flow.0 as usize];
        let at_receiver = node == plan.to;
        match (ends, &packet.body) {
            (Ends::Tcp(_), &Body::Notice(n)) => {
                self.finish(now, node, id);
                self.notify(now, flow, n);
            }
            (Ends::Tcp(tcp), Body::Tcp(_)) if at_receiver && tcp.turnaround.is_some() => {
                let packet = self.take_delivered(now, node, id);
                self.hold(now, flow, packet);
            }
            (Ends::Tcp(tcp), Body::Tcp(_)) if at_receiver => {
                let delivered = tcp.receive(now, packet);
                self.finish(now, node, id);
                self.answer(now, flow, delivered);
            }
            (Ends::Tcp(tcp), Body::Tcp(segment)) => {
                let una = tcp.sender.state().una;
                tcp.sender.on_segment(now, packet);
                if let Some(rtt) = tcp.sender.poll_round_trip() {
                    tcp.latency.round_trips.add(rtt, 1);
                }
                if let Some(recorder) = &mut self.recorder {
                    record_ack(recorder, now, flow, segment, una);
                }
                let is_closed = tcp.sender.is_fin_acknowledged();
                if segment.options.is_allocated() {
                    tcp.receiver.reuse(self.arena.get_mut(&id).take_options());
                }
                self.finish(now, node, id);
                self.send_ready_segments(now, flow);
                if is_closed {
                    self.on_closed(now, flow);
                }
            }
            (Ends::Real(_), _) => self.leave(now, node, id),
            (Ends::Udp(udp), Body::Udp(datagram)) => {
                udp.datagrams.on_arrival(now, datagram);
                active.delivered(now);
                if udp.is_conversation
                    && let Some(AppSeat { app, flow }) = *seat
                {
                    let running = &mut self.apps[usize::from(app)];
                    running.app.on_datagram(now, flow, datagram.number, datagram.sent);
                }
                self.finish(now, node, id);
            }
            (ends, body) => unreachable!("{body:?} cannot belong to {ends:?}"),
        }
    }

    /// Delivers a notice to the sender, from the network or from the link layer of the sender's own station.
    pub(crate) fn notify(&mut self, now: Time, id: FlowId, notice: Notice) {
        for one in notice.segments() {
            let Ends::Tcp(tcp) = &mut self.flows[id.0 as usize].ends else {
                self.notify_outside(now, id, one);
                continue;
            };
            let lateness_ms = tcp.on_notice(now, one);
            if let Some(recorder) = &mut self.recorder {
                recorder.notice(now, id, one.kind, NoticeEvent::Received { lateness_ms }, one.seq);
            }
            self.send_ready_segments(now, id);
        }
    }

    #[inline(never)]
    pub(crate) fn drop_packet(&mut self, now: Time, id: Id<Packet>, reason: DropReason, place: Option<u32>) {
        let why = reason.counted;
        self.dropped += 1;
        self.drops[why as usize] += 1;
        self.record_drop(now, &id, why, place);
        let packet = self.arena.take(id);
        if let (Some(flow), Some(segment)) = (packet.flow.index(), packet.segment())
            && let Ends::Tcp(tcp) = &mut self.flows[flow].ends
            && segment.is_of_stream()
            && !packet.damaged
            && segment.seq >= tcp.sender.state().una
        {
            tcp.loss_ledger.on_loss(segment.seq, reason.cause);
        }
        if let (Body::Udp(_), Some(flow)) = (&packet.body, packet.flow.index()) {
            self.flows[flow].ends.datagrams().into_iter().for_each(Datagrams::on_drop);
        }
        if let (Body::Notice(notice), Some(flow)) = (&packet.body, packet.flow.index())
            && let Ends::Tcp(tcp) = &mut self.flows[flow].ends
        {
            notice.segments().for_each(|one| tcp.lateness.on_lost(one.kind));
        }
        self.fingerprint.mix(now, 1 + why as u64);
    }
}

pub(crate) fn tag(packet: &Packet) -> Tag {
    let (len, seq) = packet.segment().map_or((0, 0), |s| (s.len, s.seq));
    Tag { flow: packet.flow, len, seq }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::TcpEnds;
    use crate::link::Link;

    // Maximum sizes, bytes, of types with thousands of instances. A flow's policies and outstanding segments
    // are on the heap and not included.
    #[test]
    fn types_with_many_instances_stay_small() {
        assert!(size_of::<Event>() <= 8, "with its time, four to a cache line");
        assert!(size_of::<Option<Packet>>() <= 80, "a packet under way, but for options that few carry");
        assert!(size_of::<HopFields>() <= 16, "what every hop asks of it");
        assert!(size_of::<Link>() <= 160, "a direction of a wire");
        assert!(size_of::<Flow>() + size_of::<TcpEnds>() <= 2400, "a TCP connection, both ends");
    }
}
