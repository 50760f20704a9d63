use super::{App, UDP, accept_any_values};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Value;
use crate::grammar::key::{Key, ValueKind, Variant, key};
use airhop_net::apps::{AppPlan, CallPlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant::new(
        "call",
        "call: voice over RTP from `from` to `to`, and back in a flow named after the flow, with the suffix \"reverse\". Each direction \
         sends a packet of rate * every of speech, the 12 bytes of RTP (part of `segment`), 8 of UDP and 20 of IP, without silence \
         suppression; the packets of the reverse direction begin at a random time within the first interval. The listener has a playout \
         buffer of constant delay, and the E-model rates delay and losses: measures `call.*` (UDP)",
        &KEYS,
    ),
    transport: UDP,
    check: accept_any_values,
    plan,
};

static KEYS: [Key; 5] = [
    key(
        "rate",
        ValueKind::Rate,
        Value(r#""64 kbit/s""#),
        "rate of the codec, without headers; G.711 by default. `ie` and `bpl` state its quality",
    ),
    key(
        "every",
        ValueKind::Span { least_ns: 1_000_000 },
        Value(r#""20 ms""#),
        "speech in a packet (packetization interval, RFC 3551 §4.2), and interval between packets",
    ),
    key(
        "playout",
        ValueKind::Span { least_ns: 0 },
        Value(r#""60 ms""#),
        "time from the arrival of the first packet to its playout. Later packets play at the intervals of their transmission, and are \
         discarded if they arrive later (ITU-T G.1020 §7.2, fixed de-jitter buffer); three packets by default",
    ),
    key(
        "ie",
        ValueKind::Number { least: 0.0, most: 95.0 },
        Value("0"),
        "equipment impairment factor Ie of the codec (ITU-T G.113 Appendix I): G.711 has 0, G.729A has 11",
    ),
    key(
        "bpl",
        ValueKind::Number { least: 1.0, most: 40.0 },
        Value("4.3"),
        "packet-loss robustness factor Bpl of the codec (ITU-T G.113 Appendix I): G.711 has 4.3, and 25.1 if the receiver conceals losses; \
         G.729A has 19",
    ),
];

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    Some(Arc::new(CallPlan {
        rate: app.rate("rate")?,
        packet_interval: app.span("every")?,
        playout_delay: app.span("playout")?,
        ie: app.number("ie")?,
        bpl: app.number("bpl")?,
    }))
}
