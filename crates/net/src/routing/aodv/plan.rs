//! The parameters of AODV and their presets.

use airhop_base::Span;

/// The parameters of AODV. Names in capitals are those of RFC 3561 §10.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AodvPlan {
    /// Whose rules apply where the numbers below do not say it.
    pub variant: Variant,
    /// How long a route lives that is not used: ACTIVE_ROUTE_TIMEOUT.
    pub active_route: Span,
    /// How long a route to itself is good for, as a node says in a reply: MY_ROUTE_TIMEOUT.
    pub own_route: Span,
    /// How long a request is remembered: PATH_DISCOVERY_TIME.
    pub request_memory: Span,
    /// What a hop takes at most, as far as is known: NODE_TRAVERSAL_TIME.
    pub hop_time: Span,
    /// Hops between two nodes at most: NET_DIAMETER.
    pub diameter: u8,
    /// The radius of the first request for a destination of which nothing is known: TTL_START.
    pub ttl_start: u8,
    /// What is added to it for the next one: TTL_INCREMENT.
    pub ttl_step: u8,
    /// From this radius on the next request goes through the whole network: TTL_THRESHOLD.
    pub ttl_threshold: u8,
    /// So often is a request through the whole network repeated: RREQ_RETRIES.
    pub retries: u32,
    /// After that, nothing is asked for so long.
    pub pause: Span,
    /// Packets that a node holds while it searches.
    pub buffer_packets: usize,
    /// How long each of them may wait.
    pub buffer_time: Span,
    /// Between packets that a found route sets free.
    pub release_gap: Span,
    /// What is passed on to all is delayed by a random time up to this.
    pub jitter: Span,
    /// Routes and searches are looked after at multiples of this; `None`: when it is time.
    pub upkeep: Option<Span>,
    /// A node that is nearer to the destination than to the source tries to find another route before it says that one is lost.
    pub repairs: bool,
}

/// Whose rules of AODV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// RFC 3561.
    Rfc3561,
    /// ns-2.35.
    Ns2,
}

impl AodvPlan {
    /// RFC 3561 §10. It has no numbers for the buffer and the jitter: those are ns-2's.
    pub const RFC3561: AodvPlan = AodvPlan {
        variant: Variant::Rfc3561,
        active_route: Span::from_secs(3),
        own_route: Span::from_secs(6),
        request_memory: Span::from_millis(5600),
        hop_time: Span::from_millis(40),
        diameter: 35,
        ttl_start: 1,
        ttl_step: 2,
        ttl_threshold: 7,
        retries: 2,
        pause: Span::ZERO,
        buffer_packets: 64,
        buffer_time: Span::from_secs(30),
        release_gap: Span::ZERO,
        jitter: Span::from_millis(10),
        upkeep: None,
        repairs: false,
    };

    /// What ns-2.35 does by default, with the link layer telling of lost neighbours. Its TTL_START is 5, but it takes a distance of which
    /// nothing is known for 255 hops, so the first request goes through the whole network.
    pub const NS2: AodvPlan = AodvPlan {
        variant: Variant::Ns2,
        active_route: Span::from_secs(10),
        own_route: Span::from_secs(10),
        request_memory: Span::from_secs(6),
        hop_time: Span::from_millis(30),
        diameter: 30,
        ttl_start: 30,
        retries: 3,
        pause: Span::from_secs(10),
        release_gap: Span::from_millis(10),
        upkeep: Some(Span::from_millis(500)),
        repairs: true,
        ..AodvPlan::RFC3561
    };

    /// The presets by name.
    pub const PRESETS: [(&str, AodvPlan); 2] = [("rfc3561", Self::RFC3561), ("ns2", Self::NS2)];
}
