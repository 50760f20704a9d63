//! Tests of routers with scripted messages.

mod lifetimes;
mod loops;
mod messages;
mod repairs;
mod searches;

use super::{AodvAction, RoutedPacket, Router};
use crate::routing::AodvPlan;
use airhop_base::{
    AodvMessage, Body, Datagram, FlowId, NodeId, Packet, RouteReply, RouteRequest, Span, Time,
    UnreachableDestination,
};
use airhop_engine::{Arena, Id, RandomStreams};

const ME: NodeId = NodeId(5);
const BEFORE: NodeId = NodeId(4);
const AFTER: NodeId = NodeId(6);
const SOURCE: NodeId = NodeId(0);
const END: NodeId = NodeId(9);
const FOREVER: Span = Span::from_secs(1000);

/// Constants of the RFC without random delays, so that the times in the tests are exact.
const RFC: AodvPlan = AodvPlan { jitter: Span::ZERO, ..AodvPlan::RFC3561 };
const NS2: AodvPlan = AodvPlan { jitter: Span::ZERO, ..AodvPlan::NS2 };

fn ms(t: u64) -> Time {
    Time::ZERO + Span::from_millis(t)
}

/// Action of a router, with packets identified by numbers.
#[derive(Clone, Debug, PartialEq)]
enum RouterAction {
    Forward(u64, NodeId),
    Drop(u64),
    Flush(NodeId),
    Send(AodvMessage, NodeId, u8),
}

struct Bench {
    router: Router,
    arena: Arena<Packet>,
    made: u64,
}

impl Bench {
    fn new(plan: AodvPlan) -> Self {
        let router = Router::new(ME, plan, RandomStreams::new(1, 0).stream("jitter"));
        Bench { router, arena: Arena::new(), made: 0 }
    }

    fn packet(&mut self) -> Id<Packet> {
        let body =
            Body::Udp(Datagram { sequence_number: self.made, len: 0, sent: Time::ZERO, original: None });
        self.made += 1;
        self.arena.insert(Packet::new(FlowId(0), SOURCE, END, 28, body))
    }

    /// Passes a packet to the router. The packet goes from `src` to `dst` and has crossed `hops`
    /// hops.
    fn pass(&mut self, at: u64, src: NodeId, dst: NodeId, hops: u8) -> Vec<RouterAction> {
        let packet = self.packet();
        self.router.on_packet(ms(at), packet, RoutedPacket { src, dst, hops });
        self.did()
    }

    /// Passes a packet of this node for [`END`] to the router.
    fn own(&mut self, at: u64) -> Vec<RouterAction> {
        self.pass(at, ME, END, 0)
    }

    fn hear(&mut self, at: u64, from: NodeId, message: AodvMessage) -> Vec<RouterAction> {
        self.router.on_message(ms(at), message, from, 10);
        self.did()
    }

    /// Passes a reply for `origin` to the router. The reply comes from the neighbour `next`, and
    /// contains a route to `dst`.
    fn learn(&mut self, at: u64, dst: NodeId, next: NodeId, origin: NodeId) -> Vec<RouterAction> {
        self.hear(at, next, reply(dst, 10, 2, origin))
    }

    /// Reports that the link layer discarded a packet from [`SOURCE`] to `dst`, which had crossed
    /// `hops` hops.
    fn fail(&mut self, at: u64, next: NodeId, dst: NodeId, hops: u8) -> Vec<RouterAction> {
        let packet = self.packet();
        let number = self.made - 1;
        let routed = RoutedPacket { src: SOURCE, dst, hops };
        let rest = self.router.on_link_failure(ms(at), next, Some(routed), Some(packet));
        let dropped = rest.map(|id| {
            self.arena.take(id);
            RouterAction::Drop(number)
        });
        dropped.into_iter().chain(self.did()).collect()
    }

    /// Advances to the time of the router's next action, and returns the time and the actions.
    fn wait(&mut self, until: u64) -> Option<(u64, Vec<RouterAction>)> {
        while let Some(at) = self.router.poll_timeout().filter(|&at| at <= ms(until)) {
            self.router.on_timeout(at);
            let did = self.did();
            if !did.is_empty() {
                return Some((at.nanos() / 1_000_000, did));
            }
        }
        None
    }

    fn did(&mut self) -> Vec<RouterAction> {
        let mut did = Vec::new();
        while let Some(action) = self.router.poll_action() {
            let mut number = |id| match self.arena.take(id).body {
                Body::Udp(datagram) => datagram.sequence_number,
                other => unreachable!("a {other:?} is not created here"),
            };
            did.push(match action {
                AodvAction::Forward { packet, next } => RouterAction::Forward(number(packet), next),
                AodvAction::Drop(packet) => RouterAction::Drop(number(packet)),
                AodvAction::Flush(next) => RouterAction::Flush(next),
                AodvAction::Send { message, to, ttl } => RouterAction::Send(message, to, ttl),
            });
        }
        assert_eq!(self.arena.len(), self.router.packet_count(), "packets are held, or their fate is known");
        did
    }
}

fn request(dst: NodeId, dst_seq: u32, id: u32, hops: u8) -> AodvMessage {
    AodvMessage::Request(RouteRequest { id, hops, dst, dst_seq, origin: SOURCE, origin_seq: 20 })
}

fn reply(dst: NodeId, dst_seq: u32, hops: u8, origin: NodeId) -> AodvMessage {
    AodvMessage::Reply(RouteReply { hops, dst, dst_seq, origin, lifetime: FOREVER })
}

fn error(lost: &[(NodeId, u32)]) -> AodvMessage {
    AodvMessage::Error(lost.iter().map(|&(dst, seq)| UnreachableDestination { dst, dst_seq: seq }).collect())
}
