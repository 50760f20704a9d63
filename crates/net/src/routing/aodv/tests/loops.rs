//! Loop freedom: sequence numbers prevent loops of next hops (Perkins and Royer 1999).

use crate::routing::AodvPlan;
use crate::routing::aodv::{AodvAction, RoutedPacket, Router};
use airhop_base::{AodvMessage, Body, Datagram, FlowId, NodeId, Packet, Span, Time, UDP_IP_HEADER_BYTES};
use airhop_engine::{Arena, RandomStream, RandomStreams};

const NODES: u16 = 8;

/// Network of routers over links that appear and disappear. Messages arrive in any order, late, twice or
/// never.
struct Net {
    routers: Vec<Router>,
    /// Messages in flight: from, to, message, remaining TTL.
    under_way: Vec<(NodeId, NodeId, AodvMessage, u8)>,
    links: Vec<bool>,
    arena: Arena<Packet>,
    now: Time,
    dice: RandomStream,
}

impl Net {
    fn new(plan: AodvPlan, seed: u64) -> Self {
        let streams = RandomStreams::new(seed, 0);
        let router = |i| Router::new(NodeId(i), plan, streams.stream(&format!("jitter {i}")));
        let mut dice = streams.stream("dice");
        let links = (0..NODES * NODES).map(|_| dice.random_bool(0.4)).collect();
        Net {
            routers: (0..NODES).map(router).collect(),
            under_way: Vec::new(),
            links,
            arena: Arena::new(),
            now: Time::ZERO,
            dice,
        }
    }

    fn any(&mut self) -> NodeId {
        NodeId(self.dice.uniform_below(NODES.into()) as u16)
    }

    fn link(&mut self, a: NodeId, b: NodeId) -> &mut bool {
        &mut self.links[usize::from(a.0.min(b.0) * NODES + a.0.max(b.0))]
    }

    /// Executes a random step: sends a packet, changes a link, delivers a message, or advances the time.
    fn step(&mut self) {
        match self.dice.uniform_below(10) {
            0 => {
                let (a, b) = (self.any(), self.any());
                let is_there = self.link(a, b);
                *is_there = !*is_there;
            }
            1..=2 => {
                let (src, dst) = (self.any(), self.any());
                if src != dst {
                    self.pass(src, RoutedPacket { src, dst, hops: 0 });
                }
            }
            3 => self.wait(),
            _ => self.deliver(),
        }
    }

    fn pass(&mut self, at: NodeId, routed: RoutedPacket) {
        let body = Body::Udp(Datagram { sequence_number: 0, len: 0, sent: self.now, original: None });
        let packet = Packet::new(FlowId(0), routed.src, routed.dst, UDP_IP_HEADER_BYTES, body);
        let id = self.arena.insert(packet);
        self.routers[usize::from(at.0)].on_packet(self.now, id, routed);
        self.carry_out(at);
    }

    /// Advances the time by a random duration.
    fn wait(&mut self) {
        self.now += Span::from_millis(u64::from(self.dice.uniform_below(400)));
        for i in 0..NODES {
            if self.routers[usize::from(i)].poll_timeout().is_some_and(|at| at <= self.now) {
                self.routers[usize::from(i)].on_timeout(self.now);
                self.carry_out(NodeId(i));
            }
        }
    }

    /// Delivers a random message in flight, once or twice, or drops it.
    fn deliver(&mut self) {
        if self.under_way.is_empty() {
            return;
        }
        let i = self.dice.uniform_below(self.under_way.len() as u32) as usize;
        let (from, to, message, ttl) = match self.dice.random_bool(0.05) {
            true => self.under_way[i].clone(),
            false => self.under_way.swap_remove(i),
        };
        if self.dice.random_bool(0.1) || !*self.link(from, to) {
            return;
        }
        self.routers[usize::from(to.0)].on_message(self.now, message, from, ttl);
        self.carry_out(to);
    }

    fn carry_out(&mut self, at: NodeId) {
        while let Some(action) = self.routers[usize::from(at.0)].poll_action() {
            match action {
                AodvAction::Forward { packet, next } => self.forward(at, next, packet),
                AodvAction::Drop(packet) => drop(self.arena.take(packet)),
                AodvAction::Flush(_) => {}
                AodvAction::Send { message, to, ttl } => {
                    let all = (0..NODES).map(NodeId);
                    let to = all.filter(|&node| node != at && [NodeId::BROADCAST, node].contains(&to));
                    let copies = to.map(|node| (at, node, message.clone(), ttl.saturating_sub(1)));
                    self.under_way.extend(copies);
                }
            }
        }
    }

    fn forward(&mut self, at: NodeId, next: NodeId, id: airhop_engine::Id<Packet>) {
        let mut packet = self.arena.take(id);
        let mut routed = RoutedPacket::from_packet(&packet);
        if !*self.link(at, next) {
            let rest = self.routers[usize::from(at.0)].on_link_failure(self.now, next, Some(routed), None);
            assert!(rest.is_none());
            return;
        }
        packet.ttl -= 1;
        routed.hops += 1;
        if packet.dst != next {
            let id = self.arena.insert(packet);
            self.routers[usize::from(next.0)].on_packet(self.now, id, routed);
            self.carry_out(next);
        }
    }

    fn has_loop(&self) -> bool {
        (0..NODES).map(NodeId).any(|dst| (0..NODES).map(NodeId).any(|from| self.has_next_hop_loop(from, dst)))
    }

    fn has_next_hop_loop(&self, from: NodeId, dst: NodeId) -> bool {
        let step = |node: &NodeId| self.routers[usize::from(node.0)].next_hop(dst).filter(|_| *node != dst);
        std::iter::successors(Some(from), step).nth(usize::from(NODES) + 1).is_some()
    }

    fn routes(&self) -> usize {
        let known =
            |router: &Router| (0..NODES).filter(|&dst| router.next_hop(NodeId(dst)).is_some()).count();
        self.routers.iter().map(known).sum()
    }
}

#[test]
fn aodv_next_hops_never_form_a_loop() {
    for plan in [AodvPlan::RFC3561, AodvPlan { uses_local_repair: true, ..AodvPlan::RFC3561 }] {
        let mut routes = 0;
        // A router that adopts an older number from an error, as RFC 3561 §6.11 (iii) requires, causes a loop
        // with seed 558.
        for seed in (0..60).chain([558]) {
            let mut net = Net::new(plan, seed);
            for step in 0..3000 {
                net.step();
                assert!(!net.has_loop(), "repairs {}, seed {seed}, step {step}", plan.uses_local_repair);
            }
            routes += net.routes();
        }
        assert!(routes > 600, "the networks have routes: {routes}");
    }
}
