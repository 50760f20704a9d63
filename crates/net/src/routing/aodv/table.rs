//! Routing table of AODV, with sequence numbers, lifetimes and precursors.

use super::plan::Variant;
use airhop_base::{NodeId, Span, Time};
use std::collections::BTreeMap;

/// Routing table of a node. Invalid routes are kept for their sequence numbers.
#[derive(Debug, Default)]
pub(super) struct RoutingTable(BTreeMap<NodeId, Route>);

/// Route to another node (RFC 3561 §2).
#[derive(Debug)]
pub(super) struct Route {
    pub state: RouteState,
    /// Destination sequence number; 0 if unknown.
    pub dst_seq: u32,
    /// Number of hops of the present or last valid route; `None` before the first valid route.
    pub hops: Option<u8>,
    pub next_hop: NodeId,
    /// Expiry time of the route. Each use of the route extends its lifetime.
    pub expires_at: Time,
    /// Precursors: neighbours that use the route over this node, and receive an error when it breaks.
    pub precursors: Vec<NodeId>,
    pub search: RouteSearch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RouteState {
    Up,
    /// The next hop is lost, and the node searches for another route before it sends an error.
    Repairing,
    Down,
}

/// Search for a route by requests.
#[derive(Debug, Default)]
pub(super) struct RouteSearch {
    /// TTL of the last request, or number of hops of the route after a successful search. 0 before the first
    /// request.
    pub ttl: u8,
    /// Number of requests of this search that covered the whole network.
    pub flood_count: u32,
    /// Earliest time of the next request.
    pub next_request_at: Time,
    /// Time of the last request.
    asked: Time,
    /// Times per hop of the last successful searches, newest last.
    hop_times: Vec<Span>,
}

/// True if sequence number `a` is newer than `b`. The comparison is signed, so numbers may wrap around (RFC
/// 3561 §6.1).
pub(super) fn is_newer(a: u32, b: u32) -> bool {
    a.wrapping_sub(b).cast_signed() > 0
}

impl RoutingTable {
    pub fn get(&self, dst: NodeId) -> Option<&Route> {
        self.0.get(&dst)
    }

    pub fn get_mut(&mut self, dst: NodeId) -> Option<&mut Route> {
        self.0.get_mut(&dst)
    }

    /// Returns mutable access to the route to `dst`. Creates an invalid route if none is known.
    pub fn entry(&mut self, dst: NodeId) -> &mut Route {
        self.0.entry(dst).or_insert_with(Route::unknown)
    }

    /// Returns the route to `dst`; `None` if no valid route is known.
    pub fn valid_route(&self, dst: NodeId) -> Option<&Route> {
        self.get(dst).filter(|route| route.state == RouteState::Up)
    }

    /// Returns mutable access to the route to `dst`; `None` if no valid route is known.
    pub fn valid_route_mut(&mut self, dst: NodeId) -> Option<&mut Route> {
        self.get_mut(dst).filter(|route| route.state == RouteState::Up)
    }

    /// Extends the lifetime of the route to `dst` to at least `until`. Returns the next hop of the route;
    /// `None` without a valid route.
    pub fn extend_lifetime(&mut self, dst: NodeId, until: Time) -> Option<NodeId> {
        let route = self.valid_route_mut(dst)?;
        route.extend_lifetime(until);
        Some(route.next_hop)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (NodeId, &mut Route)> {
        self.0.iter_mut().map(|(&dst, route)| (dst, route))
    }

    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &Route)> {
        self.0.iter().map(|(&dst, route)| (dst, route))
    }
}

impl Route {
    fn unknown() -> Self {
        Route {
            state: RouteState::Down,
            dst_seq: 0,
            hops: None,
            next_hop: NodeId::BROADCAST,
            expires_at: Time::ZERO,
            precursors: Vec::new(),
            search: RouteSearch::default(),
        }
    }

    /// True if a route with these properties replaces this route. The new route must be newer, or as new and
    /// shorter (RFC 3561 §6.2, §6.7). An inactive route counts as longer than any other route.
    pub fn is_replaced_by(&self, seq: u32, hops: u8, variant: Variant) -> bool {
        let is_longer = !self.is_active(variant) || self.hops.is_none_or(|own| own > hops);
        is_newer(seq, self.dst_seq) || (seq == self.dst_seq && is_longer)
    }

    /// True if the route may be used and sent in replies. In ns-2 this includes a route under repair.
    pub fn is_active(&self, variant: Variant) -> bool {
        match variant {
            Variant::Rfc3561 => self.state == RouteState::Up,
            Variant::Ns2 => self.state != RouteState::Down,
        }
    }

    /// Sets a valid route with these properties.
    pub fn set_valid(&mut self, seq: u32, hops: u8, next: NodeId, expires: Time) {
        (self.state, self.dst_seq, self.hops, self.next_hop, self.expires_at) =
            (RouteState::Up, seq, Some(hops), next, expires);
    }

    /// Marks the route as down.
    pub fn deactivate(&mut self) {
        (self.state, self.expires_at) = (RouteState::Down, Time::ZERO);
    }

    /// Invalidates a route after the loss of its next hop or the end of its lifetime. The higher sequence
    /// number also invalidates this node's earlier replies with the route (RFC 3561 §6.11).
    pub fn invalidate(&mut self) {
        self.increment_seq();
        self.deactivate();
    }

    /// Increments the sequence number. Later information about the destination then replaces this node's
    /// earlier replies.
    pub fn increment_seq(&mut self) {
        self.dst_seq = self.dst_seq.wrapping_add(1);
    }

    /// Extends the lifetime of the route to at least `until`.
    pub fn extend_lifetime(&mut self, until: Time) {
        self.expires_at = self.expires_at.max(until);
    }

    pub fn add_precursor(&mut self, neighbour: NodeId) {
        if !self.precursors.contains(&neighbour) {
            self.precursors.push(neighbour);
        }
    }

    /// True if the route is active and its next hop is this neighbour.
    pub fn uses_next_hop(&self, neighbour: NodeId, variant: Variant) -> bool {
        self.is_active(variant) && self.next_hop == neighbour
    }
}

impl RouteSearch {
    /// Number of successful searches with a stored time per hop.
    const MAX_TIMED_SEARCHES: usize = 3;

    /// Records a request that is sent at `now` with the TTL `ttl`.
    pub fn record_request(&mut self, now: Time, ttl: u8) {
        (self.ttl, self.asked) = (ttl, now);
    }

    /// True if no search is in progress or delayed.
    pub fn is_over(&self) -> bool {
        self.next_request_at == Time::ZERO
    }

    /// Ends a search without a route. The next request is sent after `pause` at the earliest.
    pub fn end_without_route(&mut self, now: Time, pause: Span) {
        self.flood_count = 0;
        self.next_request_at = if pause == Span::ZERO { Time::ZERO } else { now + pause };
    }

    /// Ends a search with a route of `hops` hops.
    pub fn end_with_route(&mut self, hops: u8) {
        (self.ttl, self.flood_count, self.next_request_at) = (hops, 0, Time::ZERO);
    }

    /// Records a reply to a request of this node, over a route of `hops` hops.
    pub fn record_reply(&mut self, now: Time, hops: u8) {
        if self.hop_times.len() == Self::MAX_TIMED_SEARCHES {
            self.hop_times.remove(0);
        }
        self.hop_times.push(now.since(self.asked) / u64::from(hops));
    }

    /// Returns the mean time per hop of the last successful searches; `None` before the first.
    pub fn mean_hop_time(&self) -> Option<Span> {
        let total = self.hop_times.iter().fold(Span::ZERO, |sum, &time| sum + time);
        (!self.hop_times.is_empty()).then(|| total / self.hop_times.len() as u64)
    }
}
