//! The keys of `queue = { … }`.

use super::Without::{Derived, Value};
use super::{Choice, Key, Kind, Variant, key};

/// The longest queue.
const MAX_PACKETS: u64 = 1_000_000;

const PACKETS: Key = key(
    "packets",
    Kind::Count { least: 1, most: MAX_PACKETS },
    Value("50"),
    "packets that can wait, the one in service not counted",
);

pub(super) static QUEUE: Choice = Choice {
    what: "queue",
    variants: &[
        Variant {
            kind: "drop-tail",
            about: "first in, first out; what finds it full is dropped",
            keys: &[PACKETS],
        },
        Variant {
            kind: "red",
            about: "random early detection: drops, or marks, more and more of the arriving packets as the averaged queue grows \
                    (Floyd and Jacobson 1993)",
            keys: &RED,
        },
        Variant {
            kind: "congestion-warning",
            about: "marks every ECN-capable packet while the averaged queue is long; what finds it full is dropped (Xu, Tian and \
                    Ansari 2004)",
            keys: &[
                PACKETS,
                key(
                    "threshold",
                    Kind::Count { least: 1, most: MAX_PACKETS },
                    Derived("a quarter of `packets`"),
                    "averaged queue from which on packets are marked; the default is Airhop's choice",
                ),
                key(
                    "weight",
                    Kind::Probability,
                    Value("0.2"),
                    "what one arrival weighs in the average; the default is Airhop's choice",
                ),
            ],
        },
        Variant {
            kind: "biased",
            about: "when it is full, the newest packet that its sender marked \"out\" makes room for one marked \"in\" (Biaz and \
                    Vaidya 2005)",
            keys: &[PACKETS],
        },
    ],
};

static RED: [Key; 8] = [
    PACKETS,
    key(
        "min",
        Kind::Count { least: 1, most: MAX_PACKETS },
        Value("5"),
        "averaged queue from which on packets are dropped or marked (Floyd 1997)",
    ),
    key(
        "max",
        Kind::Count { least: 2, most: 3 * MAX_PACKETS },
        Derived("three times `min` (Floyd 1997)"),
        "averaged queue at which `max_p` of them are; more than `min`",
    ),
    key(
        "max_p",
        Kind::Probability,
        Value("0.1"),
        "share that is dropped or marked just below `max` (Floyd 1997)",
    ),
    key(
        "weight",
        Kind::Probability,
        Value("0.002"),
        "what one arrival weighs in the average (Floyd and Jacobson 1993 §6)",
    ),
    key(
        "gentle",
        Kind::Flag,
        Value("true"),
        "from `max_p` at `max` to all packets at twice `max` (Floyd 2000); else all from `max` on",
    ),
    key(
        "ecn",
        Kind::Flag,
        Value("false"),
        "mark ECN-capable packets in place of dropping them, unless all are to be dropped (RFC 3168 §5, §7)",
    ),
    key(
        "mean_packet",
        Kind::Bytes { least: 1, most: 65_000 },
        Value(r#""500 B""#),
        "typical packet: the average falls by one weight in the time of each while the link is idle (ns-2 mean_pktsize_)",
    ),
];
