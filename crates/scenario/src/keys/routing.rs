//! The keys of `routing = { … }`.

use super::Without::Value;
use super::{Choice, Key, Kind, Variant, key, preset};
use airhop_net::plan::AodvPlan;

pub(super) static ROUTING: Choice = Choice {
    what: "routing",
    variants: &[
        Variant {
            kind: "static",
            about: "the shortest routes, known from the beginning; they never break",
            keys: &[],
        },
        Variant {
            kind: "aodv",
            about: "routes are asked for when they are needed, and given up when the link layer gives a packet up (RFC 3561); flows \
                    over such a wlan begin and end in it",
            keys: &AODV,
        },
    ],
};

static AODV: [Key; 9] = [
    key(
        "preset",
        Kind::Word(|| AodvPlan::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""rfc3561""#),
        "where rules and other defaults come from: RFC 3561, ns-2.35",
    ),
    preset(
        "active_route",
        Kind::Span { least_ns: 1_000_000 },
        "how long a route lives that is not used (ACTIVE_ROUTE_TIMEOUT)",
    ),
    preset(
        "own_route",
        Kind::Span { least_ns: 1_000_000 },
        "how long a route is good for, as its destination says (MY_ROUTE_TIMEOUT)",
    ),
    preset(
        "hop_time",
        Kind::Span { least_ns: 1_000 },
        "what a hop takes at most: how long answers are waited for (NODE_TRAVERSAL_TIME)",
    ),
    preset(
        "diameter",
        Kind::Count { least: 1, most: 64 },
        "hops between two stations at most (NET_DIAMETER)",
    ),
    preset(
        "retries",
        Kind::Count { least: 0, most: 16 },
        "repetitions of a request through the whole network before its packets are dropped (RREQ_RETRIES)",
    ),
    preset(
        "buffer",
        Kind::Count { least: 1, most: 100_000 },
        "packets that a station holds while it searches",
    ),
    preset(
        "jitter",
        Kind::Span { least_ns: 0 },
        "what is passed on to all is delayed by a random time up to this",
    ),
    preset(
        "repair",
        Kind::Flag,
        "mend a broken route near its destination before telling of it (RFC 3561 §6.12); with preset ns2 as ns-2 does, with its faults",
    ),
];
