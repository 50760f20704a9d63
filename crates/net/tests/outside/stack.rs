//! TCP endpoint of Airhop in place of a real host. It is outside the simulated network, and exchanges only
//! datagrams with it.

use airhop_base::{Body, DepartedDatagram, FlowId, NodeId, Packet, Time};
use airhop_net::World;
use airhop_net::outside::{AddressScope, AttachedHostsPlan, RealHostNode};
use airhop_net::plan::{Plan, Transport};
use airhop_tcp::{Params, Receiver, Sender};
use airhop_wire::{Conversation, decode, encode};
use std::sync::atomic::AtomicBool;

/// Offset of the protocol number in an IPv4 header, and the number of TCP (RFC 791 §3.1).
const PROTOCOL: usize = 9;
const TCP: u8 = 6;

/// Sender and receiver of the first flow of a plan.
pub struct Stacks {
    flow: FlowId,
    ends: [NodeId; 2],
    pub sender: Sender,
    pub receiver: Receiver,
    conversation: Conversation,
    /// Window scales of both ends, learned from their SYNs.
    shifts: [u8; 2],
    /// Sent datagrams with their times and nodes, as in a log.
    pub sent: Vec<(Time, NodeId, Vec<u8>)>,
    /// Received datagrams that are not TCP; the endpoint ignores them, as a kernel does.
    pub messages: Vec<Vec<u8>>,
    /// Number of received notices: those in the form of ACKs, and ACKs with the ELN bit.
    pub heard: usize,
}

/// Returns the plan with external hosts, which replace its first flow and the flow in the opposite direction.
pub fn opened(plan: &Plan) -> (Plan, AttachedHostsPlan) {
    let mut plan = plan.clone();
    let first = plan.flows[0].clone();
    let mut back = first.clone();
    (back.name, back.from, back.to) = ("back".into(), first.to, first.from);
    back.services.clear();
    plan.flows.push(back);
    let end = |node| RealHostNode { node, address_scope: AddressScope::Host, has_notice_listener: false };
    let flows = vec![FlowId(0), FlowId(plan.flows.len() as u16 - 1)];
    (plan, AttachedHostsPlan { host_nodes: vec![end(first.from), end(first.to)], replaced_flows: flows })
}

impl Stacks {
    pub fn new(plan: &Plan, seed: u64) -> Stacks {
        let flow = &plan.flows[0];
        let Transport::Tcp { scheme, config, .. } = &flow.transport else { panic!("a TCP flow") };
        assert!(config.handshake, "hosts learn window scales from SYNs");
        let id = FlowId(0);
        let parts = (scheme.build)(&Params::defaults(scheme), config);
        let mut sender = Sender::new(id, flow.from, flow.to, config, scheme.features, parts);
        sender
            .set_seed(airhop_engine::RandomStreams::new(seed, 0).stream("f0.sender").uniform_below(u32::MAX));
        Stacks {
            flow: id,
            ends: [flow.from, flow.to],
            sender,
            receiver: Receiver::new(id, flow.to, flow.from, config, scheme.features),
            conversation: Conversation::new(flow.from, flow.to),
            shifts: [0; 2],
            sent: Vec::new(),
            messages: Vec::new(),
            heard: 0,
        }
    }

    /// Runs the network and the hosts to the end.
    pub fn drive(&mut self, world: &mut World, end: Time) {
        let stop = AtomicBool::new(false);
        let mut now = Time::ZERO;
        self.sender.supply_data(1 << 62);
        loop {
            self.send(now, world);
            let due = [world.next_event(), self.sender.poll_timeout(), self.receiver.poll_timeout()];
            let Some(next) = due.into_iter().flatten().min().filter(|next| *next <= end) else { break };
            now = next.max(now);
            world.advance(now, &stop).expect("no stop is requested");
            let left: Vec<_> = world.take_departures().collect();
            for departure in left {
                self.receive(&departure);
                self.send(departure.departed_at, world);
            }
            if self.sender.poll_timeout().is_some_and(|due| due <= now) {
                self.sender.on_timeout(now);
            }
            if self.receiver.poll_timeout().is_some_and(|due| due <= now) {
                self.receiver.on_timeout(now);
            }
        }
        world.advance(end, &stop).expect("no stop is requested");
    }

    fn send(&mut self, now: Time, world: &mut World) {
        while let Some(packet) = self.sender.poll_transmit(now) {
            self.put(now, packet, world);
        }
        while let Some(packet) = self.receiver.poll_transmit(now) {
            self.put(now, packet, world);
        }
    }

    fn put(&mut self, now: Time, packet: Packet, world: &mut World) {
        self.conversation.record_window_scale(&packet);
        let mut bytes = Vec::new();
        encode(&packet, &self.conversation, &mut bytes).expect("a packet of Airhop");
        world.admit(now, packet.src, &bytes, &AtomicBool::new(false)).expect("no stop is requested");
        self.sent.push((now, packet.src, bytes));
    }

    fn receive(&mut self, departure: &DepartedDatagram) {
        if departure.datagram[PROTOCOL] != TCP {
            return self.messages.push(departure.datagram.to_vec());
        }
        let decoded = decode(&departure.datagram).expect("what Airhop wrote");
        let mut packet = decoded.packet;
        assert_eq!((packet.flow, packet.dst), (self.flow, departure.node));
        let side = usize::from(packet.src != self.ends[0]);
        if let Some(shift) = decoded.window_shift {
            self.shifts[side] = shift;
        }
        self.heard += usize::from(matches!(packet.body, Body::Notice(_)));
        if let Body::Tcp(segment) = &mut packet.body {
            self.heard += usize::from(segment.options.eln.is_some());
            segment.window <<= if segment.flags.syn { 0 } else { self.shifts[side] };
        }
        if departure.node == self.ends[1] {
            self.receiver.on_segment(departure.departed_at, &packet);
        } else {
            self.sender.on_segment(departure.departed_at, &packet);
        }
    }
}
