use super::RoutingProtocol;
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, OmittedValue, ValueKind, Variant, key};
use crate::grammar::words::value_of_word;
use airhop_net::plan::RoutingPlan;
use airhop_net::routing::AodvPlan;

pub(super) static KIND: RoutingProtocol = RoutingProtocol {
    variant: Variant::new(
        "aodv",
        "AODV: routes on demand, invalidated when the link layer discards a packet (RFC 3561); flows over such a wlan begin and end in the \
         wlan",
        &KEYS,
    ),
    is_on_demand: true,
    set_defaults,
    plan,
};

const fn preset_key(name: &'static str, kind: ValueKind, about: &'static str) -> Key {
    key(name, kind, OmittedValue::Preset(preset_values), about)
}

static KEYS: [Key; 9] = [
    key(
        "preset",
        ValueKind::Word(|| AodvPlan::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""rfc3561""#),
        "source of the rules and of the defaults of the other keys: RFC 3561, or ns-2.35",
    ),
    preset_key(
        "active_route",
        ValueKind::Span { least_ns: 1_000_000 },
        "lifetime of an unused route (ACTIVE_ROUTE_TIMEOUT)",
    ),
    preset_key(
        "own_route",
        ValueKind::Span { least_ns: 1_000_000 },
        "lifetime of a route in replies of its destination (MY_ROUTE_TIMEOUT)",
    ),
    preset_key(
        "hop_time",
        ValueKind::Span { least_ns: 1_000 },
        "upper estimate of a hop's traversal time, for the timeouts of requests (NODE_TRAVERSAL_TIME)",
    ),
    preset_key(
        "diameter",
        ValueKind::Count { least: 1, most: 64 },
        "maximum number of hops between two stations (NET_DIAMETER)",
    ),
    preset_key(
        "retries",
        ValueKind::Count { least: 0, most: 16 },
        "number of repetitions of a network-wide route request before the packets that wait for the route are dropped (RREQ_RETRIES)",
    ),
    preset_key(
        "buffer",
        ValueKind::Count { least: 1, most: 100_000 },
        "capacity of a station's buffer during route discovery, packets",
    ),
    preset_key("jitter", ValueKind::Span { least_ns: 0 }, "upper bound of the random delay of a rebroadcast"),
    preset_key(
        "repair",
        ValueKind::Flag,
        "local repair: true = a node near the destination repairs a broken route before it sends a route error (RFC 3561 §6.12); under \
         preset ns2 with the faults of ns-2.35",
    ),
];

/// Returns the name of each preset with the value of a key.
fn preset_values(name: &str) -> Vec<(&'static str, Val)> {
    let one = |(preset, plan): (&'static str, AodvPlan)| {
        preset_dependent_values(&plan).into_iter().find(|(key, _)| *key == name).map(|(_, val)| (preset, val))
    };
    AodvPlan::PRESETS.into_iter().filter_map(one).collect()
}

fn set_defaults(routing: &mut Fields) {
    let Some(preset) = preset_plan(routing) else { return };
    for (name, val) in preset_dependent_values(&preset) {
        routing.set_default(name, val);
    }
}

fn preset_plan(routing: &Fields) -> Option<AodvPlan> {
    value_of_word(&AodvPlan::PRESETS, routing.word("preset")?)
}

/// Returns the keys with preset-dependent defaults, each with the value in the preset `p`. The values have
/// the form that [`plan`] reads.
fn preset_dependent_values(p: &AodvPlan) -> [(&'static str, Val); 8] {
    [
        ("active_route", Val::Span(p.active_route)),
        ("own_route", Val::Span(p.own_route)),
        ("hop_time", Val::Span(p.hop_time)),
        ("diameter", Val::Count(p.diameter.into())),
        ("retries", Val::Count(p.retries.into())),
        ("buffer", Val::Count(p.buffer_packets as u64)),
        ("jitter", Val::Span(p.jitter)),
        ("repair", Val::Flag(p.uses_local_repair)),
    ]
}

fn plan(routing: &Fields) -> Option<RoutingPlan> {
    let preset = preset_plan(routing)?;
    let diameter = u8::try_from(routing.count("diameter")?).ok()?;
    Some(RoutingPlan::Aodv(AodvPlan {
        active_route: routing.span("active_route")?,
        own_route: routing.span("own_route")?,
        hop_time: routing.span("hop_time")?,
        diameter,
        ttl_start: preset.ttl_start.min(diameter),
        ttl_threshold: preset.ttl_threshold.min(diameter),
        retries: u32::try_from(routing.count("retries")?).ok()?,
        buffer_packets: usize::try_from(routing.count("buffer")?).ok()?,
        jitter: routing.span("jitter")?,
        uses_local_repair: routing.flag("repair")?,
        ..preset
    }))
}
