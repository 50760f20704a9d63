//! Every key of a scenario file, once. Reading, defaults, the effective form, the JSON schema and the reference page
//! are all made from these tables: a key that is added here exists everywhere.

mod arq;
mod changes;
mod errors;
mod layout;
mod queue;
mod radio;
mod routing;

pub(crate) use layout::{LAYOUT_KEY, MAX_STATIONS, PLACED};

use crate::flow::NOTICES;
use airhop_net::services;
use airhop_radio::phy::Phy;
use airhop_tcp::Preset;

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
/// Whether a frame may go out without a backoff when the medium has been idle (IEEE 802.11-2016 §10.3.4.2).
const IMMEDIATE_ACCESS: &str = "false";
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
pub(crate) static WLAN: [Key; 17] = [
    NAME,
    key(
        "standard",
        Kind::Word(|| Phy::names().to_vec()),
        Required,
        "timing table: 802.11 (FHSS), 802.11b (long preamble), 802.11g (no b stations)",
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
    key(
        "immediate_access",
        Kind::Flag,
        Value(IMMEDIATE_ACCESS),
        "send without a backoff after DIFS idle (IEEE 802.11-2016 §10.3.4.2); false as in ns-2",
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
    key("tcp", Kind::Section(&TCP), Value("{}"), "parameters of the connection, both ends"),
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

static TCP: [Key; 24] = [
    key(
        "preset",
        Kind::Word(|| Preset::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""rfc""#),
        "where the other defaults come from: the RFCs, ns-2.35's one-way agents, Linux 6",
    ),
    preset("handshake", Kind::Flag, "SYN, SYN-ACK, ACK before data (RFC 9293 §3.5)"),
    preset(
        "initial_window",
        Kind::Segments { unbounded: None },
        "first cwnd, segments (RFC 6928 §2; ns-2 2)",
    ),
    preset(
        "initial_ssthresh",
        Kind::Segments { unbounded: Some("infinite") },
        "first ssthresh, segments (RFC 5681 §3.1)",
    ),
    preset(
        "receive_window",
        Kind::Bytes { least: 1, most: UNLIMITED },
        "what the receiver advertises, or \"unlimited\" (Yun 2009 §5.1: very large)",
    ),
    preset(
        "dupthresh",
        Kind::Count { least: 1, most: 255 },
        "duplicate ACKs that signal a loss (RFC 5681 §3.2)",
    ),
    preset("limited_transmit", Kind::Flag, "new segments on the first two duplicate ACKs (RFC 3042)"),
    preset("timestamps", Kind::Flag, "timestamps on every segment, 12 bytes (RFC 7323)"),
    preset("sack_blocks", Kind::Count { least: 1, most: 4 }, "SACK blocks in an ACK at most (RFC 2018 §3)"),
    preset("dsack", Kind::Flag, "report duplicate data in the first SACK block (RFC 2883)"),
    preset("delayed_ack", Kind::Switch(&DELAYED_ACK), "delay ACKs (RFC 9293 §3.8.6.3)"),
    preset(
        "quick_acks",
        Kind::Count { least: 0, most: 255 },
        "so many ACKs are not delayed: first, after a pause, after a duplicate (Linux 16)",
    ),
    key("rto", Kind::Section(&RTO), Value("{}"), "the retransmission timeout"),
    preset(
        "halve_from",
        Kind::Word(|| vec!["flight", "pipe", "cwnd", "whole-cwnd"]),
        "what a loss halves: data in flight (RFC 5681 §3.1), what of it has neither arrived nor got lost (ns-3), cwnd (ns-2), or cwnd \
         in whole segments (Linux)",
    ),
    preset(
        "exit_to_flight",
        Kind::Flag,
        "leave fast recovery with at most the flight plus one segment (RFC 6582 §3.2 step 3, option 1), or with ssthresh",
    ),
    preset("ecn", Kind::Flag, "data may be marked by routers, and marks are echoed (RFC 3168)"),
    preset(
        "sack_recovery",
        Kind::Word(|| vec!["rfc6675", "pipe"]),
        "how scheme \"sack\" recovers: RFC 6675, or ns-2's Sack1 with its pipe counter",
    ),
    preset(
        "loss_detection",
        Kind::Word(|| vec!["duplicates", "rack"]),
        "how schemes of Reno's family notice losses: by duplicate ACKs, each with its own recovery, or all by time, with SACK \
         (RACK, RFC 8985)",
    ),
    preset(
        "growth",
        Kind::Word(|| vec!["per-ack", "per-byte"]),
        "what opens the window: each ACK, or each segment's worth of delivered bytes (RFC 3465, Linux)",
    ),
    preset("prr", Kind::Flag, "recovery with SACK comes down to the new window evenly (RFC 9937)"),
    preset("tlp", Kind::Flag, "with rack: a probe after two round trips of silence (RFC 8985 §7)"),
    preset("frto", Kind::Flag, "with rack: new data tells whether a timeout was for nothing (RFC 5682 §3.1)"),
    preset("undo", Kind::Flag, "a cut for nothing is undone: by timestamps or D-SACK (RFC 3522, RFC 3708)"),
    preset(
        "pacing",
        Kind::Flag,
        "segments are spaced at twice cwnd a round trip in slow start, 1.2 after: Linux, where BBR is the system's default or fq the \
         queueing discipline; a scheme with a rate of its own is spaced in any case",
    ),
];

pub(crate) static DELAYED_ACK: [Key; 2] = [
    key(
        "segments",
        Kind::Count { least: 1, most: 255 },
        Value("2"),
        "an ACK at the latest for so many segments",
    ),
    key(
        "timeout",
        Kind::Span { least_ns: 1_000 },
        Derived("as the preset has it: rfc 200 ms, linux 40 ms; with ns2 100 ms, ns-2's interval_"),
        "and so long after the first of them",
    ),
];

static RTO: [Key; 5] = [
    preset(
        "kind",
        Kind::Word(|| vec!["rfc6298", "ns2", "single-gain", "linux"]),
        "estimator: RFC 6298, ns-2's ticks, one gain (Kounavis 1996), Linux (min bounds the deviation)",
    ),
    preset("min", Kind::Span { least_ns: 1_000 }, "lower bound (RFC 6298 §2.4; ns-2 minrto_)"),
    preset("max", Kind::Span { least_ns: 1_000 }, "upper bound, with backoff (RFC 6298 §2.5; ns-2 maxrto_)"),
    preset(
        "initial",
        Kind::Span { least_ns: 1_000 },
        "before the first sample (RFC 6298 §2.1; ns-2 rtxcur_init_)",
    ),
    preset("tick", Kind::Span { least_ns: 1_000 }, "clock granularity G (RFC 6298 §2; ns-2 tcpTick_)"),
];
