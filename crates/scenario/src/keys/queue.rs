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
                    "what one arrival weighs in the average; the default is Airhop's choice. 1: the queue itself counts, which is the \
                     step at K of DCTCP's switches (RFC 8257 §3.1)",
                ),
            ],
        },
        Variant {
            kind: "biased",
            about: "when it is full, the newest packet that its sender marked \"out\" makes room for one marked \"in\" (Biaz and \
                    Vaidya 2005)",
            keys: &[PACKETS],
        },
        Variant {
            kind: "codel",
            about: "controlled delay: drops, or marks, the oldest, ever more often, while every packet waits too long (RFC 8289)",
            keys: &CODEL,
        },
        Variant {
            kind: "fq-codel",
            about: "a queue for each flow, served in turn, each with controlled delay; what does not build up goes first (RFC 8290)",
            keys: &FQ_CODEL,
        },
        Variant {
            kind: "pie",
            about: "drops, or marks, a share of the arriving packets that a proportional-integral controller sets from the delay \
                    (RFC 8033)",
            keys: &PIE,
        },
        Variant {
            kind: "fq",
            about: "a queue for each flow, served by deficit round robin; when all places are taken, the longest loses its newest \
                    packet (Shreedhar and Varghese 1995)",
            keys: &FQ,
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

/// The capacity of a queue.
const fn capacity(packets: &'static str, about: &'static str) -> Key {
    key("packets", Kind::Count { least: 1, most: MAX_PACKETS }, Value(packets), about)
}

const TARGET: Key = key(
    "target",
    Kind::Span { least_ns: 1 },
    Value(r#""5 ms""#),
    "wait that a queue may always have; less than `interval` (RFC 8289 §4.3)",
);

const INTERVAL: Key = key(
    "interval",
    Kind::Span { least_ns: 1 },
    Value(r#""100 ms""#),
    "how long every packet has waited longer when the first is told; about the longest round trip (RFC 8289 §4.2)",
);

const QUANTUM: Key = key(
    "quantum",
    Kind::Bytes { least: 256, most: 65_535 },
    Value(r#""1514 B""#),
    "bytes that a flow may send in its turn: a frame of Ethernet (RFC 8290 §5.2.4)",
);

static CODEL: [Key; 4] = [
    capacity("1000", "packets that can wait, the one in service not counted (Linux 6)"),
    TARGET,
    INTERVAL,
    key(
        "ecn",
        Kind::Flag,
        Value("false"),
        "mark ECN-capable packets in place of dropping them (off as in Linux 6)",
    ),
];

static FQ_CODEL: [Key; 6] = [
    capacity(
        "10240",
        "packets that can wait in all queues together, the one in service not counted (RFC 8290 §5.2.3)",
    ),
    TARGET,
    INTERVAL,
    QUANTUM,
    key(
        "flows",
        Kind::Count { least: 1, most: u16::MAX as u64 },
        Value("1024"),
        "queues; flows share them when there are more of them (RFC 8290 §5.2.5)",
    ),
    key(
        "ecn",
        Kind::Flag,
        Value("true"),
        "mark ECN-capable packets in place of dropping them (RFC 8290 §5.2.6)",
    ),
];

static PIE: [Key; 4] = [
    capacity("1000", "packets that can wait, the one in service not counted (Linux 6)"),
    key("target", Kind::Span { least_ns: 1 }, Value(r#""15 ms""#), "the delay to hold (RFC 8033 §4.2)"),
    key(
        "burst",
        Kind::Span { least_ns: 0 },
        Value(r#""150 ms""#),
        "so long after the queue was short nothing is dropped; rounded up to updates, which are 15 ms apart (RFC 8033 §4.4)",
    ),
    key(
        "ecn",
        Kind::Flag,
        Value("false"),
        "mark ECN-capable packets in place of dropping them, while less than 10 % are to be dropped (RFC 8033 §5.1)",
    ),
];

static FQ: [Key; 2] =
    [capacity("50", "packets that can wait in all queues together, the one in service not counted"), QUANTUM];
