//! The keys of `changes = [{ … }]`: links between two nodes that change in the course of a run.

use super::Without::{Nothing, Required, Value};
use super::{Choice, Key, Kind, Variant, key};

const AT: Key = key("at", Kind::Span { least_ns: 0 }, Required, "when it begins");
const EVERY: Key = key(
    "every",
    Kind::Span { least_ns: 1 },
    Nothing("it happens once"),
    "it happens again each time so much later",
);

pub(super) static CHANGES: Choice = Choice {
    what: "change",
    variants: &[
        Variant {
            kind: "rate",
            about: "another rate, of both directions; a packet that is being sent goes on with it",
            keys: &[AT, key("rate", Kind::LinkRate, Required, "the rate from then on"), EVERY],
        },
        Variant {
            kind: "outage",
            about: "nothing gets through, either way",
            keys: &[
                AT,
                key("lasts", Kind::Span { least_ns: 1 }, Required, "for so long"),
                key(
                    "fate",
                    Kind::Word(|| vec!["wait", "lost"]),
                    Value(r#""wait""#),
                    "of packets: the ends know and send nothing, so that they wait; or what is sent is lost",
                ),
                EVERY,
            ],
        },
        Variant {
            kind: "handoff",
            about: "the mobile leaves one base station and reaches the next after a gap; this link is then the one to that",
            keys: &[
                AT,
                key("gap", Kind::Span { least_ns: 1 }, Required, "so long nothing leaves either end"),
                key("mobile", Kind::Name, Required, "the end that moves; it keeps what it has to send"),
                key(
                    "fate",
                    Kind::Word(|| vec!["forwarded", "lost"]),
                    Value(r#""forwarded""#),
                    "of what waits at the old base station and comes to it in the gap: passed on to the new one (3GPP TS 36.300 \
                     §10.1.2.3), or not (Cáceres and Iftode 1995)",
                ),
                key("rate", Kind::LinkRate, Nothing("as before"), "the rate in the new cell"),
                key(
                    "delay",
                    Kind::Span { least_ns: 0 },
                    Nothing("as before"),
                    "the propagation delay by way of the new base station",
                ),
                EVERY,
            ],
        },
    ],
};
