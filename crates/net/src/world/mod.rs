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

pub use build::flow_classes;
pub use emulator::EmulatorPlan;
pub(crate) use event::Event;
pub use schedule::WorldSchedule;

use crate::agents::{Agent, AgentActions, PacketAction};
use crate::apps::AppContext;
use crate::delays::FIRST_BYTE;
use crate::flow::{AppFlowRef, Endpoints, Flow};
use crate::ground_truth::loss_ledger::DropReason;
use crate::outside::RealHosts;
use crate::queues::DroppedPackets;
use crate::report::Report;
use crate::routing::{Hop, StaticRoutes};
use crate::transit::DatagramCounters;
use airhop_base::{Body, DropCause, FlowId, NodeId, Notice, NoticeKind, Packet, Segment, Span, Time};
use airhop_engine::{Arena, EventQueue, Fingerprint, Id, TimerId, Timers};
use airhop_radio::PacketTag;
use airhop_radio::layer::LinkEffect;
use airhop_tcp::seams::RunState;
use airhop_trace::{Direction, NoticeEvent, PathStep, Recorder, StepLocation};
use applications::RunningApp;
use build::BuildContext;
use emulator::Emulator;
use hop_fields::HopFields;
use links::Links;
use record::record_ack;
use std::sync::atomic::{AtomicBool, Ordering};
pub(crate) use trace_rows::ack_row;

/// Agent, with its node.
#[derive(Debug)]
pub(crate) struct HostedAgent {
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
    pub(crate) warmup_report: Option<Report>,
    pub(crate) node_names: Vec<String>,
    /// Hashes of the node names, for the fingerprint of the run.
    pub(crate) node_hashes: Vec<u64>,
    pub(crate) events: EventQueue<Event>,
    pub(crate) timers: Timers,
    pub(crate) arena: Arena<Packet>,
    pub(crate) links: Links,
    /// Graph and routes, used to build flows.
    pub(crate) build_context: Box<BuildContext>,
    /// State that the senders of the run share.
    pub(crate) shared: RunState,
    pub(crate) flows: Vec<Flow>,
    pub(crate) apps: Vec<RunningApp>,
    /// Orders of the application that is being called; empty between calls.
    pub(crate) app_context: AppContext,
    pub(crate) hosted_agents: Vec<HostedAgent>,
    /// Hop to the mobile for each handoff that empties the queue of the old base station.
    pub(crate) handoffs: Vec<Hop>,
    pub(crate) routes: StaticRoutes,
    /// Hop fields of the packets, by arena slot.
    pub(crate) hop_fields: Vec<HopFields>,
    /// True for each flow that has agents.
    pub(crate) has_agents: Vec<bool>,
    /// True if a flow sums the contention times of its packets over all hops.
    pub(crate) sums_contention: bool,
    /// Packets that the present queue has just dropped; empty between calls.
    pub(crate) dropped_by_queue: DroppedPackets,
    pub(crate) link_effects: Vec<LinkEffect>,
    pub(crate) agent_actions: AgentActions,
    /// Notices about the MPDUs of a PPDU, stored until the outcome of all MPDUs is known.
    pub(crate) held_notices: Vec<(NodeId, FlowId, Notice)>,
    pub(crate) fingerprint: Fingerprint,
    pub(crate) drops_by_cause: [u64; DropCause::ALL.len()],
    pub(crate) recorder: Option<Box<Recorder>>,
    /// Boundary to real hosts; `None` in a pure simulation.
    pub(crate) real_hosts: Option<Box<RealHosts>>,
    /// Simulated emulator between the network and the hosts; `None` without an emulator.
    pub(crate) emulator: Option<Box<Emulator>>,
    pub(crate) created_packets: u64,
    pub(crate) arrived_packets: u64,
    pub(crate) dropped_packets: u64,
}

/// Error of a run that the caller stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunInterrupted;

impl World {
    /// Runs to the end of the scenario. Reads `stop` every few thousand events.
    ///
    /// # Errors
    /// [`RunInterrupted`] if `stop` became true.
    pub fn run(&mut self, stop: &AtomicBool) -> Result<(), RunInterrupted> {
        self.warm_up(stop)?;
        self.run_until(Time::ZERO + self.duration, stop)
    }

    pub(crate) fn warm_up(&mut self, stop: &AtomicBool) -> Result<(), RunInterrupted> {
        if self.warmup > Span::ZERO && self.warmup_report.is_none() {
            self.run_until(Time::ZERO + self.warmup, stop)?;
            self.warmup_report = Some(self.cumulative_report());
            for flow in &mut self.flows {
                flow.endpoints.end_warm_up();
            }
            let end = Time::ZERO + self.warmup;
            self.apps.iter_mut().for_each(|running| running.end_warm_up(end));
            self.links.end_warm_up();
        }
        Ok(())
    }

    pub(crate) fn run_until(&mut self, end: Time, stop: &AtomicBool) -> Result<(), RunInterrupted> {
        while self.events.is_due_by(end) {
            let (now, event) = self.events.pop();
            self.handle_event(now, event);
            if self.events.popped_count().is_multiple_of(4096) && stop.load(Ordering::Relaxed) {
                return Err(RunInterrupted);
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
        let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints else { return };
        if !self.timers.expire_if_due(tcp.sender_timer, Event::Sender(id), &mut self.events) {
            return;
        }
        tcp.on_sender_timer(now);
        self.send_ready_segments(now, id);
    }

    fn on_receiver_timer(&mut self, now: Time, id: FlowId) {
        let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints else { return };
        if self.timers.expire_if_due(tcp.receiver_timer, Event::Receiver(id), &mut self.events) {
            tcp.receiver.on_timeout(now);
            self.send_due_acks(now, id);
        }
    }

    /// Sends all segments that the sender may send now, from the sender's node.
    pub(crate) fn send_ready_segments(&mut self, now: Time, id: FlowId) {
        self.record_window(now, id);
        if let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints {
            while let Some(classification) = tcp.sender.poll_classification() {
                tcp.loss_ledger.count_classification(classification, tcp.sender.state().una);
            }
        }
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Endpoints::Tcp(tcp) = &mut flow.endpoints else { return };
            let sent_before = tcp.sender.state().sent_end;
            let Some(packet) = tcp.sender.poll_transmit(now) else { break };
            if let Some(segment) = packet.segment() {
                if segment.seq < sent_before && (segment.has_data_or_fin() || segment.flags.syn) {
                    tcp.on_retransmission(segment);
                } else {
                    tcp.on_transmission(segment);
                    if segment.seq == FIRST_BYTE && segment.len > 0 {
                        flow.active_period.on_sent(now);
                    }
                }
            }
            let node = flow.plan.from;
            if self.recorder.is_some() {
                self.record_sent_segment(now, id, &packet, sent_before);
            }
            self.admit_packet(now, node, 0, packet);
        }
        let Endpoints::Tcp(tcp) = &self.flows[id.0 as usize].endpoints else { return };
        self.timers.set_deadline(
            tcp.sender_timer,
            tcp.sender.poll_timeout(),
            Event::Sender(id),
            &mut self.events,
        );
        self.record_window(now, id);
    }

    /// Sends all ACKs that are due now, from the receiver's node.
    fn send_due_acks(&mut self, now: Time, id: FlowId) {
        loop {
            let flow = &mut self.flows[id.0 as usize];
            let Endpoints::Tcp(tcp) = &mut flow.endpoints else { return };
            let Some(packet) = tcp.receiver.poll_transmit(now) else { break };
            let node = flow.plan.to;
            if let (Some(recorder), Some(seq)) =
                (&mut self.recorder, packet.segment().and_then(Segment::eln_seq))
            {
                recorder.record_notice(now, id, NoticeKind::Eln, NoticeEvent::Sent, seq);
            }
            self.admit_packet(now, node, 0, packet);
        }
        let Endpoints::Tcp(tcp) = &self.flows[id.0 as usize].endpoints else { return };
        self.timers.set_deadline(
            tcp.receiver_timer,
            tcp.receiver.poll_timeout(),
            Event::Receiver(id),
            &mut self.events,
        );
    }

    /// Delays a packet until the receiver's host wakes up.
    fn delay_until_wake_up(&mut self, now: Time, id: FlowId, packet: Packet) {
        let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints else { return };
        if let Some(wakes) = tcp.turnaround.as_mut().and_then(|host| host.push(now, packet)) {
            self.events.push(wakes, Event::HostWakes(id));
        }
    }

    /// Passes the waiting packets of the receiver's host to the receiver.
    fn on_host_wakes(&mut self, now: Time, id: FlowId) {
        while let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints
            && let Some(host) = &mut tcp.turnaround
            && let Some(packet) = host.pop()
        {
            tcp.receiver.set_more_segments(host.len() > 0);
            let delivered = tcp.receive_packet(now, &packet);
            self.on_segment_received(now, id, delivered);
        }
    }

    // ---- a packet on its path
    // ---------------------------------------------------------------------------------------

    /// Admits a packet created at `node`, or the headers of a damaged packet that arrived at `interface`.
    #[inline]
    pub(crate) fn admit_packet(&mut self, now: Time, node: NodeId, interface: u16, packet: Packet) {
        let id = self.create_packet(now, node, packet);
        self.on_node_arrival(now, node, interface, id);
    }

    /// Creates a packet at `node`.
    #[inline(always)]
    pub(crate) fn create_packet(&mut self, now: Time, node: NodeId, packet: Packet) -> Id<Packet> {
        self.created_packets += 1;
        let fields = HopFields::from_packet(&packet, &self.flows);
        let id = self.arena.insert(packet);
        match self.hop_fields.get_mut(id.index() as usize) {
            Some(last) => *last = fields,
            None => self.hop_fields.push(fields), // the arena has grown by one slot
        }
        self.trace_step(now, PathStep::Made, StepLocation::Node(node), &id);
        id
    }

    /// Removes a packet at the end of its path.
    #[inline(always)]
    pub(crate) fn remove_arrived_packet(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        self.count_arrival(now, node, &id);
        self.arena.discard(id);
    }

    /// Removes and returns a packet that has arrived at its destination.
    pub(crate) fn take_delivered_packet(&mut self, now: Time, node: NodeId, id: Id<Packet>) -> Packet {
        self.count_arrival(now, node, &id);
        self.arena.take(id)
    }

    #[inline]
    fn count_arrival(&mut self, now: Time, node: NodeId, id: &Id<Packet>) {
        self.trace_step(now, PathStep::Delivered, StepLocation::Node(node), id);
        self.arrived_packets += 1;
    }

    /// Handles a packet at `node` that arrived at `interface`. Agents process the packet first. The packet is
    /// then delivered here or forwarded.
    #[inline(never)]
    pub(crate) fn on_node_arrival(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        self.on_node_arrival_inline(now, node, interface, id);
    }

    /// Inlines [`World::on_node_arrival`] into the event loop.
    #[inline(always)]
    pub(crate) fn on_node_arrival_inline(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        let fields @ HopFields { flow, dst, fingerprint, .. } = self.hop_fields_of(&id);
        self.fingerprint.add_event(now, self.node_hashes[node.0 as usize] ^ fingerprint);
        if !self.hosted_agents.is_empty() && self.has_agents[flow.0 as usize] {
            return self.pass_through_agents(now, node, interface, id);
        }
        if dst == node {
            self.on_destination_arrival(now, node, id);
        } else {
            self.forward(now, node, fields, id);
        }
    }

    /// Handles a packet of a flow with agents; see [`World::on_node_arrival`].
    #[inline(never)]
    fn pass_through_agents(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        let flow = self.hop_fields_of(&id).flow;
        match self.pass_to_agents(now, node, flow, &id) {
            PacketAction::Forward if self.hop_fields_of(&id).dst == node => {
                self.on_destination_arrival(now, node, id)
            }
            PacketAction::Forward => self.forward(now, node, self.hop_fields_of(&id), id),
            PacketAction::Consume => self.remove_consumed(now, node, interface, id),
            PacketAction::Take => self.remove_arrived_packet(now, node, id),
        }
    }

    /// Removes a packet that an agent consumed.
    fn remove_consumed(&mut self, now: Time, node: NodeId, interface: u16, id: Id<Packet>) {
        if let Some(recorder) = self.recorder.as_mut().filter(|r| r.captures_packets()) {
            let comment = Some("kept by an agent");
            recorder.record_packet(now, node, interface, Direction::In, self.arena.get(&id), comment);
        }
        self.drop_packet(now, id, DropCause::Agent.into(), None);
    }

    /// Sends a packet over its next hop; `fields`: hop fields of the packet.
    #[inline(always)]
    pub(crate) fn forward(&mut self, now: Time, node: NodeId, fields: HopFields, id: Id<Packet>) {
        match *self.routes.next_hop(node, fields.dst) {
            Hop::Link(i) => self.offer_to_link(now, i, id, fields.bytes),
            hop => self.offer_to_wireless_hop(now, hop, id),
        }
    }

    /// Handles a packet at its destination.
    #[inline(always)]
    fn on_destination_arrival(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        match self.emulator {
            None => self.deliver(now, node, id),
            Some(_) => self.deliver_through_emulator(now, node, id),
        }
    }

    /// Delivers a packet at its destination. The packet is read in place, because most packets use only a
    /// small part of a segment's memory.
    #[inline(never)]
    fn deliver(&mut self, now: Time, node: NodeId, id: Id<Packet>) {
        let packet = self.arena.get(&id);
        let flow = packet.flow;
        let Flow { plan, endpoints: ends, active_period: active, app_flow: seat, .. } =
            &mut self.flows[flow.0 as usize];
        let at_receiver = node == plan.to;
        match (ends, &packet.body) {
            (Endpoints::Tcp(_), &Body::Notice(n)) => {
                self.remove_arrived_packet(now, node, id);
                self.notify_sender(now, flow, n);
            }
            (Endpoints::Tcp(tcp), Body::Tcp(_)) if at_receiver && tcp.turnaround.is_some() => {
                let packet = self.take_delivered_packet(now, node, id);
                self.delay_until_wake_up(now, flow, packet);
            }
            (Endpoints::Tcp(tcp), Body::Tcp(_)) if at_receiver => {
                let delivered = tcp.receive_packet(now, packet);
                self.remove_arrived_packet(now, node, id);
                self.on_segment_received(now, flow, delivered);
            }
            (Endpoints::Tcp(tcp), Body::Tcp(segment)) => {
                let una = tcp.sender.state().una;
                tcp.sender.on_segment(now, packet);
                if let Some(rtt) = tcp.sender.poll_rtt() {
                    tcp.latency.rtt_samples.add(rtt, 1);
                }
                if let Some(recorder) = &mut self.recorder {
                    record_ack(recorder, now, flow, segment, una);
                }
                let is_closed = tcp.sender.is_fin_acknowledged();
                if segment.options.is_allocated() {
                    tcp.receiver.recycle_options(self.arena.get_mut(&id).take_options());
                }
                self.remove_arrived_packet(now, node, id);
                self.send_ready_segments(now, flow);
                if is_closed {
                    self.count_if_closed(now, flow);
                }
            }
            (Endpoints::Real(_), _) => self.deliver_to_host(now, node, id),
            (Endpoints::Udp(udp), Body::Udp(datagram)) => {
                udp.datagrams.on_arrival(now, datagram);
                active.on_delivered(now);
                if udp.is_conversation
                    && let Some(AppFlowRef { app, flow }) = *seat
                {
                    let running = &mut self.apps[usize::from(app)];
                    running.app.on_datagram(now, flow, datagram.sequence_number, datagram.sent);
                }
                self.remove_arrived_packet(now, node, id);
            }
            (ends, body) => unreachable!("{body:?} cannot belong to {ends:?}"),
        }
    }

    /// Delivers a notice to the sender, from the network or from the link layer of the sender's own station.
    pub(crate) fn notify_sender(&mut self, now: Time, id: FlowId, notice: Notice) {
        for one in notice.split_by_segment() {
            let Endpoints::Tcp(tcp) = &mut self.flows[id.0 as usize].endpoints else {
                self.notify_real_sender(now, id, one);
                continue;
            };
            let lateness_ms = tcp.on_notice(now, one);
            if let Some(recorder) = &mut self.recorder {
                recorder.record_notice(now, id, one.kind, NoticeEvent::Received { lateness_ms }, one.seq);
            }
            self.send_ready_segments(now, id);
        }
    }

    #[inline(never)]
    pub(crate) fn drop_packet(&mut self, now: Time, id: Id<Packet>, reason: DropReason, place: Option<u32>) {
        let why = reason.counted_cause;
        self.dropped_packets += 1;
        self.drops_by_cause[why as usize] += 1;
        self.record_drop(now, &id, why, place);
        let packet = self.arena.take(id);
        if let (Some(flow), Some(segment)) = (packet.flow.index(), packet.segment())
            && let Endpoints::Tcp(tcp) = &mut self.flows[flow].endpoints
            && segment.has_data_or_fin()
            && !packet.has_payload_errors
            && segment.seq >= tcp.sender.state().una
        {
            tcp.loss_ledger.on_loss(segment.seq, reason.physical_cause);
        }
        if let (Body::Udp(_), Some(flow)) = (&packet.body, packet.flow.index()) {
            self.flows[flow].endpoints.datagrams_mut().into_iter().for_each(DatagramCounters::on_drop);
        }
        if let (Body::Notice(notice), Some(flow)) = (&packet.body, packet.flow.index())
            && let Endpoints::Tcp(tcp) = &mut self.flows[flow].endpoints
        {
            notice.split_by_segment().for_each(|one| tcp.lateness.on_notice_lost(one.kind));
        }
        self.fingerprint.add_event(now, 1 + why as u64);
    }
}

pub(crate) fn tag(packet: &Packet) -> PacketTag {
    let (len, seq) = packet.segment().map_or((0, 0), |s| (s.len, s.seq));
    PacketTag { flow: packet.flow, payload_bytes: len, seq }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::TcpEndpoints;
    use crate::link::Link;

    // Maximum sizes, bytes, of types with thousands of instances. A flow's policies and outstanding segments
    // are on the heap and not included.
    #[test]
    fn types_with_many_instances_stay_small() {
        assert!(size_of::<Event>() <= 8, "with its time, four to a cache line");
        assert!(size_of::<Option<Packet>>() <= 80, "a packet under way, but for options that few carry");
        assert!(size_of::<HopFields>() <= 16, "what every hop asks of it");
        assert!(size_of::<Link>() <= 160, "a direction of a wire");
        assert!(size_of::<Flow>() + size_of::<TcpEndpoints>() <= 2400, "a TCP connection, both ends");
    }
}
