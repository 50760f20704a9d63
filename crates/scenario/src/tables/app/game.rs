use super::{App, UDP, accept_any_values};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_net::apps::{AppPlan, GamePlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant::new(
        "game",
        "online game: packets of constant size from `from` to `to`, and back in a flow named after the flow, with the suffix \"reverse\"; \
         the packets of the reverse direction begin at a random time within the first interval. Measures `game.*` count the packets that \
         arrive by their deadline (UDP)",
        &KEYS,
    ),
    transport: UDP,
    check: accept_any_values,
    plan,
};

static KEYS: [Key; 3] = [
    key(
        "packet",
        ValueKind::Bytes { least: 1, most: 65_000 },
        Value(r#""100 B""#),
        "UDP payload of a packet; the default is Airhop's choice",
    ),
    key(
        "every",
        ValueKind::Span { least_ns: 1_000_000 },
        Value(r#""33 ms""#),
        "interval between the packets of one direction (tick); 30 per second by default, Airhop's choice",
    ),
    key(
        "deadline",
        ValueKind::Span { least_ns: 0 },
        Value(r#""50 ms""#),
        "greatest one-way delay of a packet in time; by default the packet delay budget of real-time gaming (3GPP TS 23.203 Table 6.1.7-A, \
         QCI 3)",
    ),
];

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    Some(Arc::new(GamePlan {
        payload_bytes: u32::try_from(app.bytes("packet")?).ok()?,
        packet_interval: app.span("every")?,
        deadline: app.span("deadline")?,
    }))
}
