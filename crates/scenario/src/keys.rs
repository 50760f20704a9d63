//! Every key of a scenario file, once. Reading, defaults, the effective form, the JSON schema and the reference page
//! are all made from these tables: a key that is added here exists everywhere.

mod arq;
mod changes;
mod errors;
mod layout;
mod queue;
mod radio;
mod routing;
mod tcp;

pub(crate) use layout::{LAYOUT_KEY, MAX_STATIONS, PLACED};
pub(crate) use tcp::DELAYED_ACK;

use crate::flow::NOTICES;
use airhop_net::services;
use airhop_radio::cell::{AckTimeout, CellRules, Receiving};

/// A key of a table.
#[derive(Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) without: Without,
    /// What it is, with its source; one line.
    pub(crate) about: &'static str,
}

/// What a key takes.
#[derive(Debug)]
pub(crate) enum Kind {
    /// The name of the scenario: any line of text.
    Title,
    /// The path of a file; the key beside it with this name has the digest of what is in it.
    File { digest: &'static str },
    /// A digest of a file.
    Digest,
    /// The name of a table or a node.
    Name,
    /// Two different nodes.
    Ends,
    /// Positions of stations by name.
    Stations,
    /// `"a->b"`.
    Direction,
    /// A duration, at least so many nanoseconds and at most [`MAX_SPAN_S`].
    Span { least_ns: u64 },
    /// A data rate.
    Rate,
    /// That of a link that may have outages.
    LinkRate,
    /// A size.
    Bytes { least: u64, most: u64 },
    /// A distance.
    Metres,
    /// A power, dBm.
    Power,
    /// A ratio of powers, dB.
    Ratio,
    /// A frequency.
    Frequency,
    /// A plain count.
    Count { least: u64, most: u64 },
    /// A plain number.
    Number { least: f64, most: f64 },
    /// A probability.
    Probability,
    /// A window in segments, or a word for one without bound.
    Segments { unbounded: Option<&'static str> },
    /// True or false.
    Flag,
    /// One of some words.
    Word(fn() -> Vec<&'static str>),
    /// A standard of IEEE 802.11.
    Standard,
    /// Some of some words.
    Words(fn() -> Vec<&'static str>),
    /// A scheme's name, or a table of `name` and its parameters.
    Scheme,
    /// A table.
    Section(&'static [Key]),
    /// `false`, `true` for the defaults, or a table.
    Switch(&'static [Key]),
    /// A table told apart by its `kind`.
    Choice(&'static Choice),
    /// One such table, or a list of them.
    Choices(&'static Choice),
    /// `[[…]]`: tables with names.
    Tables(&'static [Key]),
}

/// Tables told apart by their `kind`.
#[derive(Debug)]
pub(crate) struct Choice {
    /// What they are: "queue", "error model".
    pub(crate) what: &'static str,
    pub(crate) variants: &'static [Variant],
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) kind: &'static str,
    pub(crate) about: &'static str,
    pub(crate) keys: &'static [Key],
}

/// What holds if a key is left out.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Without {
    /// It may not be.
    Required,
    /// This TOML literal.
    Value(&'static str),
    /// Found from other keys, as the text says.
    Derived(&'static str),
    /// As the preset of the flow has it.
    Preset,
    /// Nothing; the text says what that means.
    Nothing(&'static str),
}

/// The longest duration: 1e6 s (11.6 days) is counted to the nanosecond by an f64.
pub(crate) const MAX_SPAN_S: u64 = 1_000_000;
/// Five digits at most in the place of a `*`.
pub(crate) const MAX_COPIES: u64 = 10_000;
/// A receive window without bound; more than [`Kind::Bytes`] can express.
pub(crate) const UNLIMITED: u64 = 1 << 40;
/// The word that addresses all tables of a kind in `--set`, so no table may be called so.
pub(crate) const ALL: &str = "all";

use Without::{Derived, Nothing, Required, Value};

const fn key(name: &'static str, kind: Kind, without: Without, about: &'static str) -> Key {
    Key { name, kind, without, about }
}

const fn preset(name: &'static str, kind: Kind, about: &'static str) -> Key {
    Key { name, kind, without: Without::Preset, about }
}

const NAME: Key = key("name", Kind::Name, Required, "its name, by which --set and the results call it");
const RATE: Key =
    key("rate", Kind::LinkRate, Nothing("`deliveries` says how fast it is"), "rate of each direction");
const DELIVERIES: Key = key(
    "deliveries",
    Kind::File { digest: "deliveries_digest" },
    Nothing("it has a `rate`"),
    "in place of `rate`, for both directions: a trace of Mahimahi's `mm-link`, a line of whole milliseconds for each 1504 B that can be delivered then; it repeats",
);
const DELIVERIES_DIGEST: Key = key(
    "deliveries_digest",
    Kind::Digest,
    Derived("that of the file, if there is one"),
    "of the content of that file; with another content it is refused",
);
const QUEUE_KEY: Key = key(
    "queue",
    Kind::Choice(&queue::QUEUE),
    Value(r#"{ kind = "drop-tail" }"#),
    "the queue at each end; 50 packets as in Yun 2009 §5.1",
);
const CHANGES_KEY: Key = key(
    "changes",
    Kind::Choices(&changes::CHANGES),
    Nothing("it stays as it is"),
    "other rates, outages, and handoffs of the mobile, each at its time",
);
const ERRORS_KEY: Key = key(
    "errors",
    Kind::Choices(&errors::ERRORS),
    Value(r#"{ kind = "clean" }"#),
    "what the channel does to frames; a list gives each direction its own",
);

/// The whole file.
pub(crate) static SCENARIO: [Key; 8] = [
    key("name", Kind::Title, Required, "the name of the scenario"),
    key("duration", Kind::Span { least_ns: 1 }, Required, "simulated time"),
    key(
        "warmup",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "the first part of it, left out of goodput and all counters",
    ),
    key(
        "copies",
        Kind::Count { least: 1, most: MAX_COPIES },
        Value("1"),
        "so often is every table and station with a `*` in its name repeated, with 1, 2, … in its place",
    ),
    key("wired", Kind::Tables(&WIRED), Nothing("no wired links"), "full-duplex wired links"),
    key("wlan", Kind::Tables(&WLAN), Nothing("no 802.11 channels"), "802.11 channels"),
    key(
        "radio",
        Kind::Tables(&RADIO),
        Nothing("no radio links"),
        "full-duplex radio links between two nodes, with link recovery",
    ),
    key("flow", Kind::Tables(&FLOW), Required, "flows, each one sender and one receiver"),
];

/// `[[wired]]`.
pub(crate) static WIRED: [Key; 9] = [
    NAME,
    key("ends", Kind::Ends, Required, "its two nodes; nodes exist by being named"),
    RATE,
    DELIVERIES,
    DELIVERIES_DIGEST,
    key("delay", Kind::Span { least_ns: 0 }, Required, "propagation delay"),
    CHANGES_KEY,
    QUEUE_KEY,
    ERRORS_KEY,
];

/// `[[wlan]]`.
pub(crate) static WLAN: [Key; 20] = [
    NAME,
    key(
        "standard",
        Kind::Standard,
        Required,
        "timing table: 802.11 (FHSS), 802.11b (long preamble), 802.11g (no b stations)",
    ),
    key(
        "preset",
        Kind::Word(|| CellRules::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""802.11""#),
        "where the next three come from: IEEE 802.11-2016; ns2 = ns-2.35, in which the papers' figures were made",
    ),
    key(
        "immediate_access",
        Kind::Flag,
        Derived("true; false with preset = \"ns2\""),
        "a packet that finds the medium idle goes out without a backoff, after DIFS (IEEE 802.11-2016 §10.3.4.2), also where only the \
         station's own ACK is in between; false: a backoff before every packet",
    ),
    key(
        "ack_timeout",
        Kind::Word(|| AckTimeout::ALL.map(|(name, _)| name).to_vec()),
        Derived("as `preset`"),
        "when a frame without an answer has failed: 802.11 = SIFS, slot and aRxPHYStartDelay after it, or at the end of what is being \
         received by then, while DIFS elapses (IEEE 802.11-2016 §10.3.2.9); ns2 = SIFS, the whole answer and a slot after it, and DIFS \
         follows",
    ),
    key(
        "receiver",
        Kind::Word(|| Receiving::ALL.map(|(name, _)| name).to_vec()),
        Derived("sinr; lock with preset = \"ns2\""),
        "sinr = a frame is received that is stronger by `capture` than the sum of all other signals, earlier or later; lock = the first \
         signal after silence, decodable or not, if it is so much stronger than each later one",
    ),
    key(
        "phy",
        Kind::Section(&radio::PHY),
        Value("{}"),
        "numbers in place of the standard's; DIFS and EIFS follow them",
    ),
    key("rate", Kind::Rate, Required, "rate of data frames, one of the standard's"),
    key(
        "control_rate",
        Kind::Rate,
        Derived("the fastest mandatory rate of the standard that is not above `rate`"),
        "rate of RTS, CTS and ACK frames (IEEE 802.11-2016 §10.7.6.5)",
    ),
    key(
        "access",
        Kind::Word(|| vec!["basic", "rts-cts"]),
        Value(r#""basic""#),
        "channel access: data and ACK, or RTS and CTS before them (IEEE 802.11-2016 §10.3.2)",
    ),
    key(
        "attempts",
        Kind::Count { least: 1, most: 255 },
        Derived("7 with basic access, 4 with RTS/CTS (dot11ShortRetryLimit, dot11LongRetryLimit)"),
        "transmissions of a data frame at most, the first included",
    ),
    key(
        "retry_delay",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "pause before each transmission but the first, for slow link-layer ARQ (80 to 100 ms in UMTS, Yun 2009 §2.2); packets behind it wait",
    ),
    key(
        "overhead",
        Kind::Bytes { least: 0, most: 1000 },
        Value(r#""36 B""#),
        "added to an IP packet in a data frame: MAC header 24, LLC and SNAP 8, FCS 4",
    ),
    key("stations", Kind::Stations, Nothing("`layout` makes them"), "position of each station, metres"),
    LAYOUT_KEY,
    key(
        "range",
        Kind::Section(&radio::RANGE),
        Nothing("all stations hear each other"),
        "how far frames reach",
    ),
    key(
        "propagation",
        Kind::Section(&radio::PROPAGATION),
        Nothing("frames reach as far as `range` says"),
        "how far they reach by their power, in place of `range`",
    ),
    key(
        "routing",
        Kind::Choice(&routing::ROUTING),
        Value(r#"{ kind = "static" }"#),
        "how stations find routes to each other",
    ),
    QUEUE_KEY,
    ERRORS_KEY,
];

/// `[[radio]]`.
pub(crate) static RADIO: [Key; 12] = [
    NAME,
    key("ends", Kind::Ends, Required, "its two nodes; each has a transmitter of its own"),
    RATE,
    DELIVERIES,
    DELIVERIES_DIGEST,
    key("delay", Kind::Span { least_ns: 0 }, Required, "propagation delay"),
    CHANGES_KEY,
    key(
        "overhead",
        Kind::Bytes { least: 0, most: 1000 },
        Value(r#""0 B""#),
        "added to an IP packet in a data frame; Kounavis 1996 has none",
    ),
    key(
        "arq",
        Kind::Choice(&arq::ARQ),
        Value(r#"{ kind = "none" }"#),
        "link recovery of what the first of `ends` sends",
    ),
    key(
        "arq_back",
        Kind::Choice(&arq::ARQ),
        Derived("as `arq`"),
        "link recovery of what the second of `ends` sends",
    ),
    QUEUE_KEY,
    ERRORS_KEY,
];

/// `[[flow]]`.
pub(crate) static FLOW: [Key; 13] = [
    NAME,
    key("from", Kind::Name, Nothing("`between` draws it"), "the sending node"),
    key("to", Kind::Name, Nothing("`between` draws it"), "the receiving node"),
    key(
        "between",
        Kind::Section(&layout::BETWEEN),
        Nothing("`from` and `to` name the ends"),
        "two stations drawn for each seed and replication, the same for every scheme; no two flows get the same from and to",
    ),
    key("transport", Kind::Word(|| vec!["tcp", "udp"]), Value(r#""tcp""#), "the transport protocol"),
    key(
        "scheme",
        Kind::Scheme,
        Nothing("required for TCP; a UDP flow has none"),
        "a name of `airhop schemes`, or { name = \"…\", parameter = … }",
    ),
    key(
        "notices",
        Kind::Word(|| NOTICES.map(|(word, _)| word).to_vec()),
        Nothing("what its scheme makes of them"),
        "what explicit notifications are to its sender, whose window and recovery stay those of its scheme: scheme; ignored; eln \
         = what one names goes out again, once, and the window stays (as scheme \"eln\"); elsn = LL-ELSN's ELN filter and ERSN (as \
         scheme \"ll-elsn\")",
    ),
    key(
        "services",
        Kind::Words(services::names),
        Derived(
            "what the scheme needs; with notices = \"eln\" or \"elsn\" that in place of what tells the scheme of losses",
        ),
        "what the network does for it, in place of what its scheme needs: any sender with any notification (Yun 2009 §5.3)",
    ),
    key(
        "segment",
        Kind::Bytes { least: 1, most: 65_000 },
        Value(r#""1000 B""#),
        "payload of a full segment or of a datagram (Yun 2009 §5.1)",
    ),
    key("app", Kind::Choice(&APP), Derived("bulk for TCP; required for UDP"), "what is sent"),
    key("start", Kind::Span { least_ns: 0 }, Value(r#""0 s""#), "when it starts"),
    key(
        "stagger",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "how much later than the one before each copy starts, if its name has a `*`",
    ),
    key("tcp", Kind::Section(&tcp::TCP), Value("{}"), "parameters of the connection, both ends"),
];

static APP: Choice = Choice {
    what: "app",
    variants: &[
        Variant { kind: "bulk", about: "always has data to send (TCP)", keys: &[] },
        Variant {
            kind: "transfer",
            about: "sends so much and stops (TCP)",
            keys: &[key("size", Kind::Bytes { least: 1, most: u32::MAX as u64 }, Required, "how much")],
        },
        Variant {
            kind: "cbr",
            about: "constant bit rate (UDP)",
            keys: &[key("rate", Kind::Rate, Required, "payload per second")],
        },
        Variant {
            kind: "pareto-on-off",
            about: "constant bit rate while it is on; on and off periods have Pareto distributions, as in ns-2 (UDP)",
            keys: &[
                key("peak", Kind::Rate, Required, "payload per second while it is on"),
                key(
                    "on",
                    Kind::Span { least_ns: 1 },
                    Value(r#""500 ms""#),
                    "mean of the on periods, the time of a datagram at least (ns-2 burst_time_)",
                ),
                key(
                    "off",
                    Kind::Span { least_ns: 0 },
                    Value(r#""500 ms""#),
                    "mean of the off periods (ns-2 idle_time_)",
                ),
                key(
                    "shape",
                    Kind::Number { least: 1.01, most: 100.0 },
                    Value("1.5"),
                    "how heavy the tails are: P(X > x) falls as x^-shape (ns-2 shape_)",
                ),
            ],
        },
    ],
};
