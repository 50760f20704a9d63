//! Parameters of AODV and their presets.

use airhop_base::Span;

/// Parameters of AODV. Capitalised names are those of RFC 3561 §10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AodvPlan {
    /// RFC 3561 or ns-2: selects the rules that no other parameter covers.
    pub variant: Variant,
    /// Lifetime of an unused route: ACTIVE_ROUTE_TIMEOUT.
    pub active_route: Span,
    /// Route lifetime that a destination announces in its own replies: MY_ROUTE_TIMEOUT.
    pub own_route: Span,
    /// Time for which a router remembers requests to detect copies: PATH_DISCOVERY_TIME.
    pub path_discovery_time: Span,
    /// Upper estimate of the time for one hop: NODE_TRAVERSAL_TIME.
    pub hop_time: Span,
    /// Maximum number of hops between two nodes: NET_DIAMETER.
    pub diameter: u8,
    /// TTL of the first request for an unknown destination: TTL_START.
    pub ttl_start: u8,
    /// Increment of the TTL from request to request: TTL_INCREMENT.
    pub ttl_increment: u8,
    /// Maximum TTL that is reached by increments: TTL_THRESHOLD. The next request covers the whole network.
    pub ttl_threshold: u8,
    /// Number of repetitions of a request to the whole network: RREQ_RETRIES.
    pub retries: u32,
    /// Pause between an unsuccessful search and the next request for the destination.
    pub search_pause: Span,
    /// Maximum number of packets that a node buffers during a route discovery.
    pub buffer_packets: usize,
    /// Maximum time of a packet in the buffer.
    pub buffer_time: Span,
    /// Interval between buffered packets that are sent on a new route.
    pub release_interval: Span,
    /// Maximum random delay of a rebroadcast.
    pub jitter: Span,
    /// Interval between checks for expired routes and searches; `None` to handle each expiry exactly.
    pub check_interval: Option<Span>,
    /// True if a node near the destination first tries to repair a broken route, before it reports an error.
    /// RFC 3561 allows repair at most MAX_REPAIR_TTL hops from the destination. ns-2 allows repair closer to
    /// the destination than to the source.
    pub uses_local_repair: bool,
}

/// Specification that the router follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// RFC 3561.
    Rfc3561,
    /// ns-2.35.
    Ns2,
}

impl AodvPlan {
    /// Constants of RFC 3561 §10. Buffer and jitter are those of ns-2, because the RFC does not specify them.
    pub const RFC3561: AodvPlan = AodvPlan {
        variant: Variant::Rfc3561,
        active_route: Span::from_secs(3),
        own_route: Span::from_secs(6),
        path_discovery_time: Span::from_millis(5600),
        hop_time: Span::from_millis(40),
        diameter: 35,
        ttl_start: 1,
        ttl_increment: 2,
        ttl_threshold: 7,
        retries: 2,
        search_pause: Span::ZERO,
        buffer_packets: 64,
        buffer_time: Span::from_secs(30),
        release_interval: Span::ZERO,
        jitter: Span::from_millis(10),
        check_interval: None,
        uses_local_repair: false,
    };

    /// Defaults of ns-2.35, with a link layer that reports lost neighbours. TTL_START is 5 in ns-2, but has
    /// no effect. ns-2 treats an unknown distance as 255 hops, so the first request covers the whole network.
    pub const NS2: AodvPlan = AodvPlan {
        variant: Variant::Ns2,
        active_route: Span::from_secs(10),
        own_route: Span::from_secs(10),
        path_discovery_time: Span::from_secs(6),
        hop_time: Span::from_millis(30),
        diameter: 30,
        ttl_start: 30,
        retries: 3,
        search_pause: Span::from_secs(10),
        release_interval: Span::from_millis(10),
        check_interval: Some(Span::from_millis(500)),
        uses_local_repair: true,
        ..AodvPlan::RFC3561
    };

    /// Presets and their names.
    pub const PRESETS: [(&str, AodvPlan); 2] = [("rfc3561", Self::RFC3561), ("ns2", Self::NS2)];
}
