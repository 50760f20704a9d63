//! Converts connection parameters between the keys of `tcp = { … }` and [`Config`].

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::Without::{self, Derived, Value};
use crate::grammar::key::{Key, Kind, UNLIMITED, key};
use crate::grammar::problem::{At, Problems};
use crate::grammar::words::{of_word, word_of};
use airhop_base::{HEADER_BYTES, Span};
use airhop_tcp::{
    AfterPause, Config, DelayedAck, Growth, HalveFrom, LossDetection, Notices, Preset, RtoConfig, RtoKind,
    SackRecovery, Turnaround, Validation,
};

/// ns-2's DelAck sink acknowledges every second segment, or after 100 ms (its `interval_`).
const NS2_DELAYED_ACK: DelayedAck = DelayedAck { segments: 2, timeout: Span::from_millis(100) };
/// Length of the timestamps option with its padding (RFC 7323 appendix A), bytes.
const TIMESTAMPS_BYTES: u32 = 12;

const HALVE_FROM: [(&str, HalveFrom); 4] = [
    ("flight", HalveFrom::Flight),
    ("pipe", HalveFrom::Pipe),
    ("cwnd", HalveFrom::Cwnd),
    ("whole-cwnd", HalveFrom::WholeCwnd),
];
const RTO_KIND: [(&str, RtoKind); 4] = [
    ("rfc6298", RtoKind::Rfc6298),
    ("ns2", RtoKind::Ns2),
    ("single-gain", RtoKind::SingleGain),
    ("linux", RtoKind::Linux),
];
const LOSS_DETECTION: [(&str, LossDetection); 3] = [
    ("duplicates", LossDetection::Duplicates),
    ("rfc6675", LossDetection::Rfc6675),
    ("rack", LossDetection::Rack),
];
const GROWTH: [(&str, Growth); 2] = [("per-ack", Growth::PerAck), ("per-byte", Growth::PerByte)];
const VALIDATION: [(&str, Validation); 3] =
    [("never", Validation::Never), ("half", Validation::Half), ("full", Validation::Full)];
const AFTER_PAUSE: [(&str, AfterPause); 4] = [
    ("keep", AfterPause::Keep),
    ("initial", AfterPause::Initial),
    ("halve", AfterPause::Halve),
    ("decay", AfterPause::Decay),
];
const SACK_RECOVERY: [(&str, SackRecovery); 3] = [
    ("rfc6675", SackRecovery::Rfc6675),
    ("pipe", SackRecovery::Pipe),
    ("rate-halving", SackRecovery::RateHalving),
];

/// Fills in the defaults of the preset.
pub(crate) fn fill(tcp: &mut Fields, mss: u32) {
    let Some(preset) = tcp.word("preset").and_then(|word| of_word(&Preset::ALL, word)) else { return };
    for (name, val) in values(&preset.config(mss)) {
        tcp.fill(name, val);
    }
    let timeout = preset.config(mss).delayed_ack.unwrap_or(NS2_DELAYED_ACK).timeout;
    if let Some(Val::Table(delayed_ack)) = tcp.get_mut("delayed_ack") {
        delayed_ack.fill("timeout", Val::Span(timeout));
    }
    if let Some(Val::Table(rto)) = tcp.get_mut("rto") {
        for (name, val) in rto_values(&preset.config(mss).rto) {
            rto.fill(name, val);
        }
    }
}

/// Returns the keys whose default depends on the preset, each with the preset's value, as [`config`] reads
/// them.
fn values(c: &Config) -> [(&'static str, Val); 27] {
    [
        ("handshake", Val::Flag(c.handshake)),
        ("initial_window", Val::Number(c.initial_window)),
        ("initial_ssthresh", Val::Number(c.initial_ssthresh)),
        ("receive_window", Val::Bytes(c.receive_window)),
        ("dupthresh", Val::Count(c.dupthresh.into())),
        ("limited_transmit", Val::Flag(c.limited_transmit)),
        ("timestamps", Val::Flag(c.timestamps)),
        ("sack_blocks", Val::Count(c.sack_blocks.into())),
        ("dsack", Val::Flag(c.dsack)),
        ("delayed_ack", delayed_ack(c.delayed_ack)),
        ("quick_acks", Val::Count(c.quick_acks.into())),
        ("halve_from", word_of(&HALVE_FROM, &c.halve_from)),
        ("exit_to_flight", Val::Flag(c.exit_to_flight)),
        ("ecn", Val::Flag(c.ecn)),
        ("sack_recovery", word_of(&SACK_RECOVERY, &c.sack_recovery)),
        ("loss_detection", word_of(&LOSS_DETECTION, &c.loss_detection)),
        ("growth", word_of(&GROWTH, &c.growth)),
        ("validation", word_of(&VALIDATION, &c.validation)),
        ("after_pause", word_of(&AFTER_PAUSE, &c.after_pause)),
        ("prr", Val::Flag(c.prr)),
        ("tlp", Val::Flag(c.tlp)),
        ("frto", Val::Flag(c.frto)),
        ("undo", Val::Flag(c.undo)),
        ("pacing", Val::Flag(c.pacing)),
        ("push", Val::Flag(c.push)),
        ("nagle", Val::Flag(c.nagle)),
        ("turnaround", Val::Flag(false)),
    ]
}

/// Returns the same as [`values`] for the keys of `rto = { … }`.
fn rto_values(rto: &RtoConfig) -> [(&'static str, Val); 5] {
    [
        ("kind", word_of(&RTO_KIND, &rto.kind)),
        ("min", Val::Span(rto.min)),
        ("max", Val::Span(rto.max)),
        ("initial", Val::Span(rto.initial)),
        ("tick", Val::Span(rto.tick)),
    ]
}

fn delayed_ack(delayed_ack: Option<DelayedAck>) -> Val {
    let Some(DelayedAck { segments, timeout }) = delayed_ack else { return Val::Flag(false) };
    let mut fields = Fields::new("delayed_ack".to_string(), At::Default, None, &DELAYED_ACK);
    fields.fill("segments", Val::Count(segments.into()));
    fields.fill("timeout", Val::Span(timeout));
    Val::Table(fields)
}

/// Reports parameters that contradict each other.
pub(crate) fn check(tcp: &Fields, problems: &mut Problems) {
    let timestamps = tcp.flag("timestamps") == Some(true);
    if let Some(blocks) = tcp.count("sack_blocks").filter(|&blocks| timestamps && blocks > 3) {
        let what = format!(
            "expected at most 3 beside timestamps (the options take 40 bytes, RFC 2018 §3), got {blocks}"
        );
        problems.add(tcp.at("sack_blocks"), tcp.path_of("sack_blocks"), what);
    }
    let Some(rto) = tcp.table("rto") else { return };
    if let (Some(min), Some(max)) = (rto.span("min"), rto.span("max"))
        && min > max
    {
        let what = format!("expected at least rto.min = \"{min}\", got \"{max}\"");
        problems.add(rto.at("max"), rto.path_of("max"), what);
    }
}

/// Returns the configuration of a connection, if every key has a value.
pub(crate) fn config(tcp: &Fields, mss: u32) -> Option<Config> {
    let rto = tcp.table("rto")?;
    let stack = of_word(&Preset::ALL, tcp.word("preset")?)?;
    Some(Config {
        stack,
        mss,
        handshake: tcp.flag("handshake")?,
        linear_syn_timeouts: stack.config(mss).linear_syn_timeouts,
        initial_window: tcp.number("initial_window")?,
        initial_ssthresh: tcp.number("initial_ssthresh")?,
        receive_window: tcp.bytes("receive_window")?,
        dupthresh: u32::try_from(tcp.count("dupthresh")?).ok()?,
        limited_transmit: tcp.flag("limited_transmit")?,
        timestamps: tcp.flag("timestamps")?,
        sack_blocks: u8::try_from(tcp.count("sack_blocks")?).ok()?,
        dsack: tcp.flag("dsack")?,
        delayed_ack: match tcp.get("delayed_ack")? {
            Val::Table(fields) => Some(DelayedAck {
                segments: u32::try_from(fields.count("segments")?).ok()?,
                timeout: fields.span("timeout")?,
            }),
            _ => None,
        },
        quick_acks: u32::try_from(tcp.count("quick_acks")?).ok()?,
        rto: RtoConfig {
            kind: of_word(&RTO_KIND, rto.word("kind")?)?,
            min: rto.span("min")?,
            max: rto.span("max")?,
            initial: rto.span("initial")?,
            tick: rto.span("tick")?,
        },
        halve_from: of_word(&HALVE_FROM, tcp.word("halve_from")?)?,
        exit_to_flight: tcp.flag("exit_to_flight")?,
        ecn: tcp.flag("ecn")?,
        sack_recovery: of_word(&SACK_RECOVERY, tcp.word("sack_recovery")?)?,
        loss_detection: of_word(&LOSS_DETECTION, tcp.word("loss_detection")?)?,
        growth: of_word(&GROWTH, tcp.word("growth")?)?,
        validation: of_word(&VALIDATION, tcp.word("validation")?)?,
        after_pause: of_word(&AFTER_PAUSE, tcp.word("after_pause")?)?,
        prr: tcp.flag("prr")?,
        tlp: tcp.flag("tlp")?,
        frto: tcp.flag("frto")?,
        undo: tcp.flag("undo")?,
        pacing: tcp.flag("pacing")?,
        push: tcp.flag("push")?,
        nagle: tcp.flag("nagle")?,
        turnaround: match tcp.get("turnaround")? {
            Val::Table(fields) => {
                Some(Turnaround { median: fields.span("median")?, p90: fields.span("p90")? })
            }
            _ => None,
        },
        notices: Notices::Scheme,
    })
}

/// Returns the length of the IP datagram of a full data segment, bytes.
pub(crate) fn datagram_bytes(tcp: &Fields, mss: u32) -> Option<u32> {
    Some(HEADER_BYTES + mss + if tcp.flag("timestamps")? { TIMESTAMPS_BYTES } else { 0 })
}

/// Returns the size of a full IP datagram of a planned connection, bytes.
pub(crate) fn datagram(config: &Config) -> u32 {
    HEADER_BYTES + config.mss + if config.timestamps { TIMESTAMPS_BYTES } else { 0 }
}

const fn preset(name: &'static str, kind: Kind, about: &'static str) -> Key {
    key(name, kind, Without::Preset(of_presets), about)
}

/// Returns the values of a key in all presets, for segments of 1000 B.
fn of_presets(name: &str) -> Vec<(&'static str, Val)> {
    let one = |(preset, of): (&'static str, Preset)| {
        let config = of.config(1000);
        let mut values = values(&config).into_iter().chain(rto_values(&config.rto));
        values.find(|(key, _)| *key == name).map(|(_, val)| (preset, val))
    };
    Preset::ALL.into_iter().filter_map(one).collect()
}

pub(super) static TCP: [Key; 29] = [
    key(
        "preset",
        Kind::Word(|| Preset::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""rfc""#),
        "source of the other defaults: the RFCs, ns-2.35's one-way agents (but for window_ = 20: see receive_window), Linux 6",
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
        "window that the receiver advertises, or \"unlimited\" (Yun 2009 §5.1: very large)",
    ),
    preset(
        "dupthresh",
        Kind::Count { least: 1, most: 255 },
        "duplicate ACKs that signal a loss (RFC 5681 §3.2)",
    ),
    preset("limited_transmit", Kind::Flag, "new segments on the first two duplicate ACKs (RFC 3042)"),
    preset("timestamps", Kind::Flag, "timestamps on every segment, 12 bytes (RFC 7323)"),
    preset(
        "sack_blocks",
        Kind::Count { least: 1, most: 4 },
        "maximum number of SACK blocks in an ACK (RFC 2018 §3)",
    ),
    preset("dsack", Kind::Flag, "report duplicate data in the first SACK block (RFC 2883)"),
    preset("delayed_ack", Kind::Switch(&DELAYED_ACK), "delay ACKs (RFC 9293 §3.8.6.3)"),
    preset(
        "quick_acks",
        Kind::Count { least: 0, most: 255 },
        "number of ACKs that are not delayed: first, after a pause, after a duplicate (Linux 16)",
    ),
    key("rto", Kind::Section(&RTO), Value("{}"), "retransmission timeout"),
    preset(
        "halve_from",
        Kind::Word(|| HALVE_FROM.map(|(word, _)| word).to_vec()),
        "quantity that a loss halves: data in flight (RFC 5681 §3.1), the part of it that has neither arrived nor got lost (ns-3), cwnd or \
         the receiver's window if that is smaller (ns-2), or cwnd in whole segments (Linux)",
    ),
    preset(
        "exit_to_flight",
        Kind::Flag,
        "leave fast recovery with at most the flight plus one segment (RFC 6582 §3.2 step 3, option 1), or with ssthresh",
    ),
    preset("ecn", Kind::Flag, "ECN: routers may mark data, and marks are echoed (RFC 3168)"),
    preset(
        "sack_recovery",
        Kind::Word(|| SACK_RECOVERY.map(|(word, _)| word).to_vec()),
        "recovery of scheme \"sack\": RFC 6675, or ns-2's Sack1 with its pipe counter",
    ),
    preset(
        "loss_detection",
        Kind::Word(|| LOSS_DETECTION.map(|(word, _)| word).to_vec()),
        "loss detection of schemes of Reno's family: by duplicate ACKs, each with its own recovery; all by SACK (RFC 6675; ns-3); or all by \
         time, with SACK (RACK, RFC 8985)",
    ),
    preset(
        "growth",
        Kind::Word(|| GROWTH.map(|(word, _)| word).to_vec()),
        "unit of window growth: each ACK, or each segment's worth of delivered bytes (RFC 3465, Linux)",
    ),
    preset(
        "validation",
        Kind::Word(|| VALIDATION.map(|(word, _)| word).to_vec()),
        "share of cwnd that must be in use for an ACK to grow it: nothing (ns-2), half of it (RFC 7661 §4.3), or all of it, and more than \
         half in slow start (Linux)",
    ),
    preset(
        "after_pause",
        Kind::Word(|| AFTER_PAUSE.map(|(word, _)| word).to_vec()),
        "cwnd after a pause of more than a retransmission timeout: the same (ns-2), the initial window at most (RFC 5681 §4.1), half of it for \
         each timeout (Linux, but not of schemes that pace), or half of it for each five minutes (RFC 7661 §4.4.3)",
    ),
    preset(
        "prr",
        Kind::Flag,
        "proportional rate reduction: recovery with SACK reduces the flight to the new window evenly (RFC 9937)",
    ),
    preset(
        "tlp",
        Kind::Flag,
        "tail loss probe, with rack: a probe after two round trips of silence (RFC 8985 §7)",
    ),
    preset("frto", Kind::Flag, "F-RTO, with rack: new data reveals a spurious timeout (RFC 5682 §3.1)"),
    preset(
        "undo",
        Kind::Flag,
        "undo of a spurious window reduction, by timestamps or D-SACK (RFC 3522, RFC 3708)",
    ),
    preset(
        "pacing",
        Kind::Flag,
        "pacing at twice cwnd per round trip in slow start, 1.2 after: Linux, where BBR is the system's default or fq the queueing \
         discipline; a scheme with a rate of its own is paced in any case",
    ),
    preset(
        "push",
        Kind::Flag,
        "push of the last segment that pacing sends together; a pushed segment is acknowledged at once: Linux from 6.6 on, where ACKs are \
         delayed",
    ),
    preset(
        "nagle",
        Kind::Flag,
        "Nagle's algorithm (RFC 9293 §3.7.4): a segment of less than MSS waits until all data is acknowledged, with preset linux until the \
         last such segment is (Minshall); false where applications set TCP_NODELAY, as browsers and iperf3 do",
    ),
    preset(
        "turnaround",
        Kind::Switch(&TURNAROUND),
        "time from a segment's arrival at the receiver's host to its TCP, so to the ACK that it causes, as `airhop emulate` measures it; \
         segments stay in order",
    ),
];

static TURNAROUND: [Key; 2] = [
    key("median", Kind::Span { least_ns: 0 }, Value(r#""100 us""#), "median of the turnaround"),
    key(
        "p90",
        Kind::Span { least_ns: 0 },
        Value(r#""100 us""#),
        "90th percentile of the turnaround; the distribution is log-logistic, and constant if this is not above the median",
    ),
];

static DELAYED_ACK: [Key; 2] = [
    key(
        "segments",
        Kind::Count { least: 1, most: 255 },
        Value("2"),
        "number of segments after which an ACK is sent at the latest",
    ),
    key(
        "timeout",
        Kind::Span { least_ns: 1_000 },
        Derived("as the preset has it: rfc 200 ms, linux 40 ms; with ns2 100 ms, ns-2's interval_"),
        "delay after which an ACK is sent at the latest, from the first of these segments",
    ),
];

static RTO: [Key; 5] = [
    preset(
        "kind",
        Kind::Word(|| RTO_KIND.map(|(word, _)| word).to_vec()),
        "estimator: RFC 6298, ns-2's ticks, one gain (Kounavis 1996), Linux (min bounds the deviation; a sample from nearly every ACK, to \
         the microsecond and finer; the oldest segment sent again restarts it; a single lost SYN costs neither window nor 3 s)",
    ),
    preset("min", Kind::Span { least_ns: 1_000 }, "lower bound (RFC 6298 §2.4; ns-2 minrto_)"),
    preset("max", Kind::Span { least_ns: 1_000 }, "upper bound, with backoff (RFC 6298 §2.5; ns-2 maxrto_)"),
    preset(
        "initial",
        Kind::Span { least_ns: 1_000 },
        "timeout before the first sample, also below `min`, which bounds computed timeouts (RFC 6298 §2.1, §2.4; ns-2 rtxcur_init_)",
    ),
    preset("tick", Kind::Span { least_ns: 1_000 }, "clock granularity G (RFC 6298 §2; ns-2 tcpTick_)"),
];
