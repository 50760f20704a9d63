//! Ad hoc on-demand distance vector routing (RFC 3561), and ns-2.35's variant.
//!
//! As in ns-2, the following is not implemented: hello messages (the link layer reports lost neighbours),
//! routes to neighbours without a sequence number, gratuitous replies, multicast, acknowledgements of
//! replies, limits on the rate of messages, and the error with the 'N' flag after a repair. [`Variant`]
//! selects between the RFC and ns-2 where they differ. The module `repair` handles lost neighbours.

use super::action::{AodvAction, RoutedPacket, RoutingCounts};
use super::buffer::Buffer;
use super::plan::{AodvPlan, Variant};
use super::table::{RouteState, RoutingTable, is_newer};
use super::timing::RingSearchState;
use airhop_base::{
    AodvMessage, NodeId, Packet, RouteReply, RouteRequest, Span, Time, UnreachableDestination,
};
use airhop_engine::{Id, RandomStream};
use std::collections::VecDeque;

/// Router of one node.
#[derive(Debug)]
pub struct Router {
    pub(super) own_node: NodeId,
    pub(super) plan: AodvPlan,
    pub(super) table: RoutingTable,
    buffer: Buffer,
    /// Sequence number of this node. In ns-2 this number is always even. A broken route has the next odd
    /// number, and never counts as new.
    pub(super) own_seq: u32,
    /// Identifier of the last request that this node originated.
    request: u32,
    /// Requests received from other nodes, for the detection of copies: originator, identifier, and time at
    /// which the entry expires.
    seen: VecDeque<(NodeId, u32, Time)>,
    /// Actions that the node must take now.
    pub(super) actions: VecDeque<AodvAction>,
    /// Actions that become due later, the earliest first.
    later: VecDeque<(Time, AodvAction)>,
    /// Repairs of ns-2's variant: time at which the repair is abandoned, and destination.
    pub(super) repair_deadlines: VecDeque<(Time, NodeId)>,
    /// Time of the next check of routes and buffer. May be too early, but never too late.
    upkeep: Time,
    jitter: RandomStream,
    pub(super) counts: RoutingCounts,
}

impl Router {
    /// Creates the router of node `me`. `jitter`: random stream of the delays of its broadcasts.
    pub fn new(me: NodeId, plan: AodvPlan, jitter: RandomStream) -> Self {
        Router {
            own_node: me,
            buffer: Buffer::new(plan.buffer_packets, plan.buffer_time),
            plan,
            table: RoutingTable::default(),
            own_seq: 2,
            request: 0,
            seen: VecDeque::new(),
            actions: VecDeque::new(),
            later: VecDeque::new(),
            repair_deadlines: VecDeque::new(),
            upkeep: Time::MAX,
            jitter,
            counts: RoutingCounts::default(),
        }
    }

    /// Removes and returns the next action for immediate execution by the station. A message in the action
    /// counts as sent.
    pub fn poll_action(&mut self) -> Option<AodvAction> {
        let action = self.actions.pop_front()?;
        if let AodvAction::Send { message, .. } = &action {
            self.counts.count_message(message);
        }
        Some(action)
    }

    /// Returns the time of the next call of [`Router::on_timeout`]; `None` if no call is needed.
    pub fn poll_timeout(&self) -> Option<Time> {
        let later = self.later.front().map(|&(at, _)| at);
        let repair = self.repair_deadlines.iter().map(|&(at, _)| at).min();
        [later, repair].into_iter().flatten().chain([self.upkeep]).min().filter(|&at| at < Time::MAX)
    }

    /// Returns the counters of the router.
    pub fn counts(&self) -> RoutingCounts {
        self.counts
    }

    /// Returns the number of packets in the router: buffered, or in pending actions.
    pub fn packet_count(&self) -> usize {
        let is_packet =
            |action: &&AodvAction| matches!(action, AodvAction::Forward { .. } | AodvAction::Drop(_));
        let planned = self.actions.iter().chain(self.later.iter().map(|(_, action)| action));
        self.buffer.len() + planned.filter(is_packet).count()
    }

    /// Returns the next hop towards `dst`; `None` without a route.
    #[cfg(test)]
    pub(super) fn next_hop(&self, dst: NodeId) -> Option<NodeId> {
        self.table.valid_route(dst).map(|route| route.next_hop)
    }

    // ---- packets ---------------------------------------------------------------------------------------------------

    /// Returns the next hop of a packet if its route is valid and no earlier action is pending. If `None`,
    /// [`Router::on_packet`] must handle the packet.
    #[inline]
    pub fn try_forward(&mut self, now: Time, routed: RoutedPacket) -> Option<NodeId> {
        if !self.actions.is_empty() || self.exceeds_hop_limit(routed) {
            return None;
        }
        self.refresh_route(now, routed.src, routed.dst)
    }

    /// True if a packet has returned to its source, or has traversed the maximum number of hops.
    fn exceeds_hop_limit(&self, RoutedPacket { src, hops, .. }: RoutedPacket) -> bool {
        (src == self.own_node && hops > 0) || hops >= self.plan.diameter
    }

    /// Forwards a packet of this or another node, searches for a route, or drops the packet.
    pub fn on_packet(&mut self, now: Time, packet: Id<Packet>, routed: RoutedPacket) {
        let RoutedPacket { src, dst, .. } = routed;
        if self.exceeds_hop_limit(routed) {
            self.actions.push_back(AodvAction::Drop(packet));
        } else if let Some(next) = self.refresh_route(now, src, dst) {
            self.actions.push_back(AodvAction::Forward { packet, next });
        } else if src == self.own_node {
            self.buffer_packet(now, dst, packet);
            self.continue_search(now, dst);
        } else if self.table.entry(dst).state == RouteState::Repairing {
            self.buffer_packet(now, dst, packet);
        } else {
            self.drop_unreachable(dst, packet);
        }
    }

    /// Drops a packet of another node because no valid route exists, and sends an error.
    fn drop_unreachable(&mut self, dst: NodeId, packet: Id<Packet>) {
        let route = self.table.entry(dst);
        if self.plan.variant == Variant::Rfc3561 {
            route.increment_seq(); // RFC 3561 §6.11 (ii); ns-2 does not increase it again after the loss
        }
        let lost = vec![UnreachableDestination { dst, dst_seq: route.dst_seq }];
        // The sender of the packet must receive the error, even if it is not a precursor.
        self.send_error(lost, NodeId::BROADCAST);
        self.actions.push_back(AodvAction::Drop(packet));
    }

    /// Returns the next hop towards `dst`, and extends the lifetimes of the routes in use; `None` without a
    /// valid route. ns-2 extends only the route to the destination. RFC 3561 §6.2 also extends the route to
    /// the source and the routes to both next hops.
    fn refresh_route(&mut self, now: Time, src: NodeId, dst: NodeId) -> Option<NodeId> {
        let until = now + self.plan.active_route;
        let next = self.table.extend_lifetime(dst, until)?;
        if self.plan.variant == Variant::Rfc3561 {
            self.table.extend_lifetime(next, until);
            if let Some(back) = self.table.extend_lifetime(src, until) {
                self.table.extend_lifetime(back, until);
            }
        }
        Some(next)
    }

    pub(super) fn buffer_packet(&mut self, now: Time, dst: NodeId, packet: Id<Packet>) {
        self.drop_expired(now);
        let pushed_out = self.buffer.push(now, dst, packet);
        self.actions.extend(pushed_out.map(AodvAction::Drop));
        self.schedule_expiry(now + self.plan.buffer_time);
    }

    fn drop_expired(&mut self, now: Time) {
        while let Some(packet) = self.buffer.pop_expired(now) {
            self.actions.push_back(AodvAction::Drop(packet));
        }
    }

    pub(super) fn drop_buffered(&mut self, dst: NodeId) {
        while let Some(packet) = self.buffer.pop(dst) {
            self.actions.push_back(AodvAction::Drop(packet));
        }
    }

    /// Sends the packets that are buffered for `dst`, at intervals of `gap`.
    pub(super) fn send_buffered(&mut self, now: Time, dst: NodeId, gap: Span) {
        let Some(next) = self.table.valid_route(dst).map(|route| route.next_hop) else { return };
        let mut at = now;
        while let Some(packet) = self.buffer.pop(dst) {
            self.refresh_route(now, self.own_node, dst);
            self.schedule(now, at, AodvAction::Forward { packet, next });
            at += gap;
        }
    }

    // ---- searching -------------------------------------------------------------------------------------------------

    /// Sends the next request of the search for `dst`, or ends the search, if due.
    pub(super) fn continue_search(&mut self, now: Time, dst: NodeId) {
        let plan = self.plan;
        let route = self.table.entry(dst);
        if route.state == RouteState::Up || route.search.next_request_at > now {
            return;
        }
        if route.search.flood_count > plan.retries {
            route.search.end_without_route(now, plan.search_pause);
            return self.drop_buffered(dst);
        }
        // RFC 3561 §6.4: requests cover rings of growing radius. The radius of the first ring includes the
        // last known distance of the destination.
        let ring = RingSearchState {
            is_first: route.search.is_over(),
            last_ttl: route.search.ttl,
            last_valid_hops: route.hops,
        };
        let ttl = plan.request_ttl(ring);
        self.send_request(now, dst, ttl);
    }

    /// Sends a request for `dst` with the TTL `ttl`.
    pub(super) fn send_request(&mut self, now: Time, dst: NodeId, ttl: u8) {
        let plan = self.plan;
        let route = self.table.entry(dst);
        route.search.record_request(now, ttl);
        route.search.flood_count += u32::from(ttl >= plan.diameter);
        let hop_time = route.search.mean_hop_time().unwrap_or(plan.hop_time);
        let until = now + plan.request_timeout(ttl, route.search.flood_count, hop_time);
        route.search.next_request_at = until;
        let dst_seq = route.dst_seq;
        self.schedule_expiry(until);
        self.own_seq = self.own_seq.wrapping_add(plan.seq_step());
        self.request += 1;
        let request = RouteRequest {
            id: self.request,
            hops: 0,
            dst,
            dst_seq,
            origin: self.own_node,
            origin_seq: self.own_seq,
        };
        let message = AodvMessage::Request(request);
        self.actions.push_back(AodvAction::Send { message, to: NodeId::BROADCAST, ttl });
    }

    // ---- messages --------------------------------------------------------------------------------------------------

    /// Handles a message from the neighbour `from` with the remaining TTL `ttl`.
    pub fn on_message(&mut self, now: Time, message: AodvMessage, from: NodeId, ttl: u8) {
        match message {
            AodvMessage::Request(request) => self.on_request(now, request, from, ttl),
            AodvMessage::Reply(reply) => self.on_reply(now, reply, from),
            AodvMessage::Error(lost) => self.on_error(now, &lost, from),
        }
    }

    /// Handles a route request (RFC 3561 §6.5).
    fn on_request(&mut self, now: Time, request: RouteRequest, from: NodeId, ttl: u8) {
        if request.origin == self.own_node || self.is_duplicate_request(now, &request) {
            return;
        }
        let request = RouteRequest { hops: request.hops.saturating_add(1), ..request };
        self.learn_reverse_route(now, &request, from);
        if request.dst == self.own_node {
            self.own_seq = match self.plan.variant {
                // RFC 3561 §6.1, §6.6.1: the node raises its own sequence number to the number in the
                // request, if that is newer.
                Variant::Rfc3561 => newest(self.own_seq, request.dst_seq),
                // ns-2: each reply has a new sequence number.
                Variant::Ns2 => (newest(self.own_seq, request.dst_seq) | 1).wrapping_add(1),
            };
            self.send_reply(request.origin, from, 0, self.own_node, self.own_seq, self.plan.own_route);
            return;
        }
        let known = self.table.get(request.dst);
        let variant = self.plan.variant;
        if let Some(route) = known.filter(|route| {
            route.is_active(variant) && route.dst_seq != 0 && !is_newer(request.dst_seq, route.dst_seq)
        }) {
            let (hops, seq) = (route.hops.unwrap_or(u8::MAX), route.dst_seq);
            let lifetime = self.plan.reply_lifetime(route.expires_at.since(now));
            self.send_reply(request.origin, from, hops, request.dst, seq, lifetime);
            self.add_mutual_precursors(request.origin, request.dst);
        } else if ttl > 0 {
            let dst_seq = known.map_or(request.dst_seq, |route| newest(route.dst_seq, request.dst_seq));
            let message = AodvMessage::Request(RouteRequest { dst_seq, ..request });
            let at = now + self.plan.draw_broadcast_jitter(&mut self.jitter);
            self.schedule(now, at, AodvAction::Send { message, to: NodeId::BROADCAST, ttl });
        }
    }

    /// Returns true if this request was received before. Otherwise records the request, and returns false.
    fn is_duplicate_request(&mut self, now: Time, request: &RouteRequest) -> bool {
        while self.seen.front().is_some_and(|&(_, _, until)| until <= now) {
            self.seen.pop_front();
        }
        let is_it = |&(origin, id, _): &(NodeId, u32, Time)| (origin, id) == (request.origin, request.id);
        if self.seen.iter().any(is_it) {
            return true;
        }
        self.seen.push_back((request.origin, request.id, now + self.plan.path_discovery_time));
        false
    }

    /// Stores the reverse route to the originator of a request. Replies return by this route.
    fn learn_reverse_route(&mut self, now: Time, request: &RouteRequest, from: NodeId) {
        let &RouteRequest { origin, origin_seq, hops, .. } = request;
        let until = now + self.plan.reverse_route_lifetime(hops);
        let route = self.table.entry(origin);
        route.extend_lifetime(until);
        if !route.is_replaced_by(origin_seq, hops, self.plan.variant) {
            return;
        }
        let mut expires = route.expires_at;
        if route.search.next_request_at > Time::ZERO {
            // The originator also has a route request from this node, so the route stays in use.
            expires = expires.max(now + self.plan.active_route);
            route.search.end_with_route(hops);
        }
        route.set_valid(origin_seq, hops, from, expires);
        self.schedule_expiry(expires);
        self.send_buffered(now, origin, Span::ZERO);
    }

    /// Sends a reply to `origin` along the known route. The request may have arrived from another neighbour.
    fn send_reply(
        &mut self,
        origin: NodeId,
        from: NodeId,
        hops: u8,
        dst: NodeId,
        dst_seq: u32,
        lifetime: Span,
    ) {
        let to = self.table.valid_route(origin).map_or(from, |route| route.next_hop);
        let message = AodvMessage::Reply(RouteReply { hops, dst, dst_seq, origin, lifetime });
        self.actions.push_back(AodvAction::Send { message, to, ttl: self.plan.diameter });
    }

    /// Records that a reply connects the routes to `a` and `b`. The next hop of each route becomes a
    /// precursor of the other route (RFC 3561 §6.6.2).
    fn add_mutual_precursors(&mut self, a: NodeId, b: NodeId) {
        for (one, other) in [(a, b), (b, a)] {
            if let Some(next) = self.table.valid_route(other).map(|route| route.next_hop) {
                self.table.entry(one).add_precursor(next);
            }
        }
    }

    /// Handles a route reply (RFC 3561 §6.7).
    fn on_reply(&mut self, now: Time, reply: RouteReply, from: NodeId) {
        let RouteReply { dst, dst_seq, origin, lifetime, .. } = reply;
        let hops = reply.hops.saturating_add(1);
        let route = self.table.entry(dst);
        if dst == self.own_node || !route.is_replaced_by(dst_seq, hops, self.plan.variant) {
            return;
        }
        let expires = now + lifetime;
        route.set_valid(dst_seq, hops, from, expires);
        route.search.end_with_route(hops);
        if origin == self.own_node {
            route.search.record_reply(now, hops);
        }
        self.schedule_expiry(expires);
        self.send_buffered(now, dst, self.plan.release_interval);
        let Some(next) =
            self.table.valid_route(origin).map(|route| route.next_hop).filter(|_| origin != self.own_node)
        else {
            return;
        };
        self.refresh_route(now, dst, origin);
        self.table.entry(dst).add_precursor(next);
        let message = AodvMessage::Reply(RouteReply { hops, ..reply });
        self.actions.push_back(AodvAction::Send { message, to: next, ttl: self.plan.diameter });
    }

    /// Handles a route error from the neighbour `from` (RFC 3561 §6.11 (iii)). The listed routes through
    /// `from` are lost, even if the error has an older sequence number than the route. ns-2 ignores older
    /// numbers. Packets queued for `from` are dropped, as in ns-2.
    fn on_error(&mut self, now: Time, lost: &[UnreachableDestination], from: NodeId) {
        let variant = self.plan.variant;
        let mut passed_on = Vec::new();
        let mut users = Vec::new();
        let mut is_hit = false;
        for &UnreachableDestination { dst, dst_seq: seq } in lost {
            let Some(route) = self.table.get_mut(dst) else { continue };
            let is_older = is_newer(route.dst_seq, seq);
            if !route.uses_next_hop(from, variant) || (is_older && variant == Variant::Ns2) {
                continue;
            }
            is_hit = true;
            // RFC 3561 §6.11 requires the sequence number of the error, even if it is older than the route's.
            // An older number would restore old routes, which can form loops (van Glabbeek, Höfner, Tan and
            // Portmann 2013).
            let seq = match variant {
                Variant::Rfc3561 => newest(seq, route.dst_seq.wrapping_add(1)),
                Variant::Ns2 => seq,
            };
            route.dst_seq = seq;
            route.deactivate();
            if !route.precursors.is_empty() {
                users.append(&mut route.precursors);
                passed_on.push(UnreachableDestination { dst, dst_seq: seq });
            }
        }
        if is_hit {
            self.actions.push_back(AodvAction::Flush(from));
        }
        if !passed_on.is_empty() {
            let at = now + self.plan.draw_broadcast_jitter(&mut self.jitter);
            let (message, to) = (AodvMessage::Error(passed_on), self.error_destination(&users));
            self.schedule(now, at, AodvAction::Send { message, to, ttl: 1 });
        }
    }

    /// Returns the addressee of an error for these neighbours. RFC 3561 §6.11 uses unicast for a single
    /// neighbour, with acknowledgement by the link layer. ns-2 always broadcasts.
    pub(super) fn error_destination(&self, users: &[NodeId]) -> NodeId {
        match (self.plan.variant, users) {
            (Variant::Rfc3561, [one, others @ ..]) if others.iter().all(|other| other == one) => *one,
            _ => NodeId::BROADCAST,
        }
    }

    pub(super) fn send_error(&mut self, lost: Vec<UnreachableDestination>, to: NodeId) {
        let message = AodvMessage::Error(lost);
        self.actions.push_back(AodvAction::Send { message, to, ttl: 1 });
    }

    // ---- time ------------------------------------------------------------------------------------------------------

    /// Handles the expiry of the timer of [`Router::poll_timeout`].
    pub fn on_timeout(&mut self, now: Time) {
        let due = self.later.partition_point(|&(at, _)| at <= now);
        self.actions.extend(self.later.drain(..due).map(|(_, action)| action));
        while let Some(due) = self.repair_deadlines.iter().position(|&(at, _)| at <= now) {
            let Some((_, dst)) = self.repair_deadlines.remove(due) else { break };
            let route = self.table.entry(dst);
            if route.state == RouteState::Repairing {
                route.deactivate();
            }
        }
        if self.upkeep <= now {
            self.process_expirations(now);
        }
    }

    /// Invalidates expired routes, drops packets that were buffered too long, and continues or ends searches.
    fn process_expirations(&mut self, now: Time) {
        self.drop_expired(now);
        self.abandon_repairs(now);
        let mut wanted = Vec::new();
        for (dst, route) in self.table.iter_mut() {
            if route.state == RouteState::Up && route.expires_at <= now {
                route.invalidate();
            }
            if route.state != RouteState::Up && self.buffer.has_packet_for(dst) {
                wanted.push(dst);
            }
        }
        wanted.into_iter().for_each(|dst| self.continue_search(now, dst));
        self.upkeep = Time::MAX;
        let is_rfc = self.plan.variant == Variant::Rfc3561;
        let ends = self.table.iter().filter_map(|(dst, route)| match route.state {
            RouteState::Up => Some(route.expires_at),
            RouteState::Repairing if is_rfc => Some(route.search.next_request_at),
            _ => self.buffer.has_packet_for(dst).then_some(route.search.next_request_at),
        });
        if let Some(next) = ends.chain(self.buffer.next_expiry()).min() {
            self.schedule_expiry(next);
        }
    }

    /// Schedules [`Router::process_expirations`] at `at`, or at the next periodic check if the plan has periodic
    /// checks.
    fn schedule_expiry(&mut self, at: Time) {
        let at = self.plan.check_interval.map_or(at, |every| next_multiple(at, every));
        self.upkeep = self.upkeep.min(at);
    }

    fn schedule(&mut self, now: Time, at: Time, action: AodvAction) {
        if at <= now {
            self.actions.push_back(action);
        } else {
            let place = self.later.partition_point(|&(other, _)| other <= at);
            self.later.insert(place, (at, action));
        }
    }
}

fn newest(a: u32, b: u32) -> u32 {
    if is_newer(a, b) { a } else { b }
}

/// Returns the first multiple of `every` at or after `at`.
fn next_multiple(at: Time, every: Span) -> Time {
    Time::ZERO + every * at.nanos().div_ceil(every.nanos())
}
