//! The keys of `arq = { … }`: link-layer recovery on a radio link.

use super::Without::{Derived, Nothing, Value};
use super::{Choice, Key, Kind, Variant, key};
use airhop_radio::arq::SELECTIVE_WINDOW;

/// More frames than any link numbers (RLC in UMTS: 2047 at most).
const MAX_WINDOW: u64 = 2047;

const TIMEOUT: Key = key(
    "timeout",
    Kind::Span { least_ns: 1_000 },
    Derived(
        "`window` frames, one of the other direction, which an ACK may have to wait for, an ACK, and the way there and back; \
         frames are the largest of the flows that cross the link",
    ),
    "a frame without an ACK is sent again so long after its transmission began",
);

const ATTEMPTS: Key = key(
    "attempts",
    Kind::Count { least: 1, most: 255 },
    Nothing("a packet is never given up"),
    "transmissions of a frame at most, the first included; then its packet is dropped",
);

const ACK: Key = key(
    "ack",
    Kind::Bytes { least: 1, most: 1000 },
    Value(r#""6 B""#),
    "length of a link ACK: an HDLC supervisory frame (ISO/IEC 13239)",
);

const fn window(most: u64, packets: &'static str, about: &'static str) -> Key {
    key("window", Kind::Count { least: 1, most }, Value(packets), about)
}

pub(super) static ARQ: Choice = Choice {
    what: "link recovery",
    variants: &[
        Variant { kind: "none", about: "each frame goes once, and there are no link ACKs", keys: &[] },
        Variant {
            kind: "stop-and-wait",
            about: "a frame goes when the one before has its ACK",
            keys: &[TIMEOUT, ATTEMPTS, ACK],
        },
        Variant {
            kind: "go-back-n",
            about: "up to `window` frames are on their way; the receiver takes them in order only, and at a timeout all of them go \
                    again (as in HDLC; Kounavis 1996)",
            keys: &[
                window(MAX_WINDOW, "3", "frames without an ACK at most (Kounavis 1996)"),
                key(
                    "group",
                    Kind::Word(|| vec!["sliding", "blocks"]),
                    Value(r#""sliding""#),
                    "a new frame follows each ACK, or `window` frames are sent, and acknowledged, as one block",
                ),
                TIMEOUT,
                ATTEMPTS,
                ACK,
            ],
        },
        Variant {
            kind: "selective-repeat",
            about: "up to `window` frames are on their way; the receiver keeps what comes out of order, and only what is missing goes \
                    again; packets are delivered in order",
            keys: &[
                window(
                    SELECTIVE_WINDOW as u64,
                    "8",
                    "frames without an ACK at most; the default is Airhop's choice",
                ),
                key(
                    "srej",
                    Kind::Flag,
                    Value("true"),
                    "the receiver asks for missing frames as soon as it finds a gap (HDLC's SREJ); else they wait for the timeout",
                ),
                TIMEOUT,
                ATTEMPTS,
                ACK,
            ],
        },
    ],
};
