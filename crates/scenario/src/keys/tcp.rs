//! The keys of `tcp = { … }`.

use super::Without::{Derived, Value};
use super::{Key, Kind, UNLIMITED, key, preset};
use airhop_tcp::Preset;

pub(super) static TCP: [Key; 25] = [
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
        "what a loss halves: data in flight (RFC 5681 §3.1), what of it has neither arrived nor got lost (ns-3), cwnd or the receiver's \
         window if that is smaller (ns-2), or cwnd in whole segments (Linux)",
    ),
    preset(
        "exit_to_flight",
        Kind::Flag,
        "leave fast recovery with at most the flight plus one segment (RFC 6582 §3.2 step 3, option 1), or with ssthresh",
    ),
    preset("ecn", Kind::Flag, "data may be marked by routers, and marks are echoed (RFC 3168)"),
    preset(
        "sack_recovery",
        Kind::Word(|| vec!["rfc6675", "pipe", "rate-halving"]),
        "how scheme \"sack\" recovers: RFC 6675, or ns-2's Sack1 with its pipe counter",
    ),
    preset(
        "loss_detection",
        Kind::Word(|| vec!["duplicates", "rfc6675", "rack"]),
        "how schemes of Reno's family notice losses: by duplicate ACKs, each with its own recovery; all by SACK (RFC 6675; ns-3); or \
         all by time, with SACK (RACK, RFC 8985)",
    ),
    preset(
        "growth",
        Kind::Word(|| vec!["per-ack", "per-byte"]),
        "what opens the window: each ACK, or each segment's worth of delivered bytes (RFC 3465, Linux)",
    ),
    preset(
        "validation",
        Kind::Word(|| vec!["never", "half", "full"]),
        "how much of cwnd must be in use for an ACK to grow it: nothing (ns-2), half of it (RFC 7661 §4.3), or all of it, and more than half \
         in slow start (Linux)",
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
        "estimator: RFC 6298, ns-2's ticks, one gain (Kounavis 1996), Linux (min bounds the deviation; a sample from nearly every ACK, to \
         the microsecond and finer; the oldest segment sent again restarts it; a single lost SYN costs neither window nor 3 s)",
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
