//! Timeouts of AODV's routers, and lifetimes of their routes.

use super::plan::{AodvPlan, Variant};
use airhop_base::Span;
use airhop_engine::RandomStream;

/// State of a search that determines the TTL of its next request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RingSearchState {
    /// True for the first request of the search.
    pub is_first: bool,
    /// TTL of the previous request, or number of hops of the route after a successful search. 0 before the
    /// first request.
    pub last_ttl: u8,
    /// Number of hops of the last valid route; `None` if there was none.
    pub last_valid_hops: Option<u8>,
}

impl AodvPlan {
    /// Returns the TTL of the next request.
    pub(super) fn request_ttl(&self, ring: RingSearchState) -> u8 {
        // RFC 3561 §6.4: "initially set to the Hop Count plus TTL_INCREMENT", even if that exceeds
        // TTL_THRESHOLD.
        if ring.is_first && self.variant == Variant::Rfc3561 {
            let around = |hops: u8| hops.saturating_add(self.ttl_increment).min(self.diameter);
            return ring.last_valid_hops.map_or(self.ttl_start, around);
        }
        match ring.last_ttl.max(ring.last_valid_hops.unwrap_or(0)) {
            0 => self.ttl_start,
            last if last < self.ttl_threshold => last + self.ttl_increment,
            _ => self.diameter,
        }
    }

    /// Returns MAX_REPAIR_TTL: the maximum number of hops to the destination for a local repair. The value is
    /// 0.3 NET_DIAMETER (RFC 3561 §10).
    pub(super) fn max_repair_hops(&self) -> u8 {
        (u16::from(self.diameter) * 3 / 10) as u8
    }

    /// Returns the TTL of a local repair's request: max(MIN_REPAIR_TTL, hops to the source / 2) +
    /// LOCAL_ADD_TTL. MIN_REPAIR_TTL is the last known distance of the destination, and LOCAL_ADD_TTL is 2
    /// (RFC 3561 §6.12, §10).
    pub(super) fn repair_ttl(&self, to_end: u8, to_source: u8) -> u8 {
        to_end.max(to_source / 2).saturating_add(2).min(self.diameter)
    }

    /// Returns the increment of a node's own sequence number before a request: one (RFC 3561 §6.1), or two in
    /// ns-2.
    pub(super) fn seq_step(&self) -> u32 {
        match self.variant {
            Variant::Rfc3561 => 1,
            Variant::Ns2 => 2,
        }
    }

    /// Returns the timeout of a request with this TTL. `floods`: number of requests that covered the whole
    /// network, including this request; `hop_time`: mean time per hop.
    pub(super) fn request_timeout(&self, ttl: u8, floods: u32, hop_time: Span) -> Span {
        let there_and_back = |hops: u8| 2 * u64::from(hops);
        match self.variant {
            // RFC 3561 §6.4: the timeout of a ring includes two further hops (TIMEOUT_BUFFER). The timeout of
            // a request to the whole network doubles from request to request.
            Variant::Rfc3561 if floods == 0 => self.hop_time * there_and_back(ttl + 2),
            Variant::Rfc3561 => self.hop_time * there_and_back(self.diameter) * (1 << (floods - 1)),
            Variant::Ns2 => {
                (hop_time * there_and_back(ttl) * u64::from(floods.max(1))).min(self.search_pause)
            }
        }
    }

    /// Returns the lifetime of the reverse route that a request over `hops` hops creates.
    pub(super) fn reverse_route_lifetime(&self, hops: u8) -> Span {
        match self.variant {
            // RFC 3561 §6.5: 2 NET_TRAVERSAL_TIME - 2 HopCount NODE_TRAVERSAL_TIME.
            Variant::Rfc3561 => {
                let crossing = self.hop_time * 2 * u64::from(self.diameter);
                (crossing * 2).saturating_sub(self.hop_time * 2 * u64::from(hops))
            }
            Variant::Ns2 => Span::from_secs(6),
        }
    }

    /// Returns the remaining lifetime of a route for a reply. In ns-2 the lifetime is rounded down to whole
    /// seconds.
    pub(super) fn reply_lifetime(&self, lifetime: Span) -> Span {
        const SECOND: Span = Span::from_secs(1);
        match self.variant {
            Variant::Rfc3561 => lifetime,
            Variant::Ns2 => SECOND * lifetime.whole_multiples(SECOND),
        }
    }

    /// Returns the random delay of a broadcast. Without this delay, all receivers of a message would
    /// rebroadcast at the same time.
    pub(super) fn draw_broadcast_jitter(&self, stream: &mut RandomStream) -> Span {
        Span::from_secs_f64(stream.uniform() * self.jitter.secs_f64())
    }
}
