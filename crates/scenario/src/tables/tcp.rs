//! Parameters of a connection: conversion between the keys of `tcp = { … }` and [`Config`].

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{self, Derived, Value};
use crate::grammar::key::{Key, UNLIMITED_WINDOW, ValueKind, key};
use crate::grammar::problem::{Problems, SourcePosition};
use crate::grammar::words::{value_of_word, word_of};
use airhop_base::{Span, TCP_IP_HEADER_BYTES};
use airhop_tcp::{
    Config, CwndValidation, DelayedAck, HalveFrom, IdleRestartWindow, LossDetection, NoticeHandling, Preset,
    RtoConfig, RtoKind, SackRecovery, Turnaround, WindowGrowth,
};

/// Delayed ACKs of ns-2's DelAck sink: an ACK for every second segment or after 100 ms (`interval_`).
const NS2_DELAYED_ACK: DelayedAck = DelayedAck { segments: 2, timeout: Span::from_millis(100) };
/// Length of the timestamps option with padding, in bytes (RFC 7323 appendix A).
const TIMESTAMPS_BYTES: u32 = 12;

const HALVE_FROM_WORDS: [(&str, HalveFrom); 4] = [
    ("flight", HalveFrom::Flight),
    ("pipe", HalveFrom::Pipe),
    ("cwnd", HalveFrom::Cwnd),
    ("whole-cwnd", HalveFrom::WholeCwnd),
];
const RTO_KIND_WORDS: [(&str, RtoKind); 4] = [
    ("rfc6298", RtoKind::Rfc6298),
    ("ns2", RtoKind::Ns2),
    ("single-gain", RtoKind::SingleGain),
    ("linux", RtoKind::Linux),
];
const LOSS_DETECTION_WORDS: [(&str, LossDetection); 3] = [
    ("duplicates", LossDetection::Duplicates),
    ("rfc6675", LossDetection::Rfc6675),
    ("rack", LossDetection::Rack),
];
const GROWTH_WORDS: [(&str, WindowGrowth); 2] =
    [("per-ack", WindowGrowth::PerAck), ("per-byte", WindowGrowth::PerByte)];
const CWND_VALIDATION_WORDS: [(&str, CwndValidation); 3] =
    [("never", CwndValidation::Never), ("half", CwndValidation::Half), ("full", CwndValidation::Full)];
const IDLE_RESTART_WORDS: [(&str, IdleRestartWindow); 4] = [
    ("keep", IdleRestartWindow::Keep),
    ("initial", IdleRestartWindow::Initial),
    ("halve", IdleRestartWindow::Halve),
    ("decay", IdleRestartWindow::Decay),
];
const SACK_RECOVERY_WORDS: [(&str, SackRecovery); 3] = [
    ("rfc6675", SackRecovery::Rfc6675),
    ("pipe", SackRecovery::Pipe),
    ("rate-halving", SackRecovery::RateHalving),
];

/// Sets the defaults of the preset. `mss` is the payload of a full segment in bytes.
pub(crate) fn set_defaults(tcp: &mut Fields, mss: u32) {
    let Some(preset) = tcp.word("preset").and_then(|word| value_of_word(&Preset::ALL, word)) else { return };
    for (name, val) in preset_dependent_values(&preset.config(mss)) {
        tcp.set_default(name, val);
    }
    let timeout = preset.config(mss).delayed_ack.unwrap_or(NS2_DELAYED_ACK).timeout;
    if let Some(Val::Table(delayed_ack)) = tcp.get_mut("delayed_ack") {
        delayed_ack.set_default("timeout", Val::Span(timeout));
    }
    if let Some(Val::Table(rto)) = tcp.get_mut("rto") {
        for (name, val) in preset_dependent_rto_values(&preset.config(mss).rto) {
            rto.set_default(name, val);
        }
    }
}

/// Returns the keys with preset-dependent defaults, each with the value in a preset's configuration `c`. The
/// values have the form that [`connection_config`] reads.
fn preset_dependent_values(c: &Config) -> [(&'static str, Val); 27] {
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
        ("halve_from", word_of(&HALVE_FROM_WORDS, &c.halve_from)),
        ("exit_to_flight", Val::Flag(c.exit_to_flight)),
        ("ecn", Val::Flag(c.ecn)),
        ("sack_recovery", word_of(&SACK_RECOVERY_WORDS, &c.sack_recovery)),
        ("loss_detection", word_of(&LOSS_DETECTION_WORDS, &c.loss_detection)),
        ("growth", word_of(&GROWTH_WORDS, &c.growth)),
        ("validation", word_of(&CWND_VALIDATION_WORDS, &c.cwnd_validation)),
        ("after_pause", word_of(&IDLE_RESTART_WORDS, &c.idle_restart_window)),
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

/// Returns the keys of `rto = { … }` with preset-dependent defaults, each with the value in the preset.
fn preset_dependent_rto_values(rto: &RtoConfig) -> [(&'static str, Val); 5] {
    [
        ("kind", word_of(&RTO_KIND_WORDS, &rto.kind)),
        ("min", Val::Span(rto.min)),
        ("max", Val::Span(rto.max)),
        ("initial", Val::Span(rto.initial)),
        ("tick", Val::Span(rto.tick)),
    ]
}

fn delayed_ack(delayed_ack: Option<DelayedAck>) -> Val {
    let Some(DelayedAck { segments, timeout }) = delayed_ack else { return Val::Flag(false) };
    let mut fields = Fields::new("delayed_ack".to_string(), SourcePosition::Default, None, &DELAYED_ACK_KEYS);
    fields.set_default("segments", Val::Count(segments.into()));
    fields.set_default("timeout", Val::Span(timeout));
    Val::Table(fields)
}

/// Reports parameters that contradict each other.
pub(crate) fn check(tcp: &Fields, problems: &mut Problems) {
    let timestamps = tcp.flag("timestamps") == Some(true);
    if let Some(blocks) = tcp.count("sack_blocks").filter(|&blocks| timestamps && blocks > 3) {
        let what = format!(
            "expected at most 3 blocks with timestamps (options have at most 40 bytes, RFC 2018 §3), got {blocks}"
        );
        problems.add(tcp.position_of("sack_blocks"), tcp.path_of("sack_blocks"), what);
    }
    let Some(rto) = tcp.table("rto") else { return };
    if let (Some(min), Some(max)) = (rto.span("min"), rto.span("max"))
        && min > max
    {
        let what = format!("expected at least rto.min = \"{min}\", got \"{max}\"");
        problems.add(rto.position_of("max"), rto.path_of("max"), what);
    }
}

/// Returns the configuration of a connection; `None` if a key has no value.
pub(crate) fn connection_config(tcp: &Fields, mss: u32) -> Option<Config> {
    let rto = tcp.table("rto")?;
    let stack = value_of_word(&Preset::ALL, tcp.word("preset")?)?;
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
            kind: value_of_word(&RTO_KIND_WORDS, rto.word("kind")?)?,
            min: rto.span("min")?,
            max: rto.span("max")?,
            initial: rto.span("initial")?,
            tick: rto.span("tick")?,
        },
        halve_from: value_of_word(&HALVE_FROM_WORDS, tcp.word("halve_from")?)?,
        exit_to_flight: tcp.flag("exit_to_flight")?,
        ecn: tcp.flag("ecn")?,
        sack_recovery: value_of_word(&SACK_RECOVERY_WORDS, tcp.word("sack_recovery")?)?,
        loss_detection: value_of_word(&LOSS_DETECTION_WORDS, tcp.word("loss_detection")?)?,
        growth: value_of_word(&GROWTH_WORDS, tcp.word("growth")?)?,
        cwnd_validation: value_of_word(&CWND_VALIDATION_WORDS, tcp.word("validation")?)?,
        idle_restart_window: value_of_word(&IDLE_RESTART_WORDS, tcp.word("after_pause")?)?,
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
        notice_reaction: NoticeHandling::Scheme,
    })
}

/// Returns the length in bytes of the IP packet with a full data segment.
pub(crate) fn datagram_bytes(tcp: &Fields, mss: u32) -> Option<u32> {
    Some(TCP_IP_HEADER_BYTES + mss + if tcp.flag("timestamps")? { TIMESTAMPS_BYTES } else { 0 })
}

/// Returns the length in bytes of the IP packet with a full data segment of a planned connection.
pub(crate) fn config_datagram_bytes(config: &Config) -> u32 {
    TCP_IP_HEADER_BYTES + config.mss + if config.timestamps { TIMESTAMPS_BYTES } else { 0 }
}

const fn preset_key(name: &'static str, kind: ValueKind, about: &'static str) -> Key {
    key(name, kind, OmittedValue::Preset(preset_values), about)
}

/// Returns the name of each preset with the value of a key, for segments of 1000 bytes.
fn preset_values(name: &str) -> Vec<(&'static str, Val)> {
    let one = |(preset, of): (&'static str, Preset)| {
        let config = of.config(1000);
        let mut values =
            preset_dependent_values(&config).into_iter().chain(preset_dependent_rto_values(&config.rto));
        values.find(|(key, _)| *key == name).map(|(_, val)| (preset, val))
    };
    Preset::ALL.into_iter().filter_map(one).collect()
}

pub(super) static TCP_KEYS: [Key; 29] = [
    key(
        "preset",
        ValueKind::Word(|| Preset::ALL.map(|(name, _)| name).to_vec()),
        Value(r#""rfc""#),
        "source of the defaults of the other keys: the RFCs, ns-2.35's one-way agents (except window_ = 20: see receive_window), or Linux \
         6",
    ),
    preset_key("handshake", ValueKind::Flag, "handshake of SYN, SYN-ACK and ACK before data (RFC 9293 §3.5)"),
    preset_key(
        "initial_window",
        ValueKind::Segments { unbounded: None },
        "initial cwnd, segments (RFC 6928 §2)",
    ),
    preset_key(
        "initial_ssthresh",
        ValueKind::Segments { unbounded: Some("infinite") },
        "initial ssthresh, segments (RFC 5681 §3.1)",
    ),
    preset_key(
        "receive_window",
        ValueKind::Bytes { least: 1, most: UNLIMITED_WINDOW },
        "receive window that the receiver advertises, or \"unlimited\" (Yun 2009 §5.1: very large)",
    ),
    preset_key(
        "dupthresh",
        ValueKind::Count { least: 1, most: 255 },
        "duplicate ACK threshold: number of duplicate ACKs that signal a loss (RFC 5681 §3.2)",
    ),
    preset_key(
        "limited_transmit",
        ValueKind::Flag,
        "new segments on the first two duplicate ACKs (RFC 3042)",
    ),
    preset_key("timestamps", ValueKind::Flag, "timestamps on every segment, 12 bytes (RFC 7323)"),
    preset_key(
        "sack_blocks",
        ValueKind::Count { least: 1, most: 4 },
        "maximum number of SACK blocks in an ACK (RFC 2018 §3)",
    ),
    preset_key("dsack", ValueKind::Flag, "report duplicate data in the first SACK block (RFC 2883)"),
    preset_key("delayed_ack", ValueKind::Switch(&DELAYED_ACK_KEYS), "delay ACKs (RFC 9293 §3.8.6.3)"),
    preset_key(
        "quick_acks",
        ValueKind::Count { least: 0, most: 255 },
        "number of ACKs without delay at the beginning of a connection, after a pause, and after a duplicate segment (quick ACKs; Linux \
         16)",
    ),
    key("rto", ValueKind::Section(&RTO_KEYS), Value("{}"), "retransmission timeout"),
    preset_key(
        "halve_from",
        ValueKind::Word(|| HALVE_FROM_WORDS.map(|(word, _)| word).to_vec()),
        "quantity that a loss halves: flight = data in flight (RFC 5681 §3.1); pipe = data that is neither delivered nor lost \
         (ns-3); cwnd = the minimum of cwnd and receive window (ns-2); whole-cwnd = cwnd in whole segments (Linux)",
    ),
    preset_key(
        "exit_to_flight",
        ValueKind::Flag,
        "cwnd at the end of fast recovery: true = at most the flight plus one segment (RFC 6582 §3.2 step 3, option 1); false = ssthresh",
    ),
    preset_key(
        "ecn",
        ValueKind::Flag,
        "ECN (RFC 3168): data is ECN-capable, routers may set CE, and the receiver echoes CE by ECE",
    ),
    preset_key(
        "sack_recovery",
        ValueKind::Word(|| SACK_RECOVERY_WORDS.map(|(word, _)| word).to_vec()),
        "loss recovery of scheme \"sack\": rfc6675; pipe = the pipe counter of ns-2's Sack1; rate-halving = forward acknowledgement with \
         rate halving (Mathis and Mahdavi 1996)",
    ),
    preset_key(
        "loss_detection",
        ValueKind::Word(|| LOSS_DETECTION_WORDS.map(|(word, _)| word).to_vec()),
        "loss detection of the Reno family: duplicates = duplicate ACKs, with the recovery of each scheme; rfc6675 = SACK for all schemes \
         (RFC 6675; ns-3); rack = transmission times and SACK for all schemes (RACK, RFC 8985)",
    ),
    preset_key(
        "growth",
        ValueKind::Word(|| GROWTH_WORDS.map(|(word, _)| word).to_vec()),
        "unit of window growth: per-ack = each ACK; per-byte = each MSS of acknowledged bytes (RFC 3465, Linux)",
    ),
    preset_key(
        "validation",
        ValueKind::Word(|| CWND_VALIDATION_WORDS.map(|(word, _)| word).to_vec()),
        "congestion window validation: share of cwnd that must be in use before an ACK increases cwnd. never = no share (ns-2); half = \
         half of cwnd (RFC 7661 §4.3); full = all of cwnd, in slow start more than half (Linux)",
    ),
    preset_key(
        "after_pause",
        ValueKind::Word(|| IDLE_RESTART_WORDS.map(|(word, _)| word).to_vec()),
        "cwnd after a pause of more than one RTO: keep = unchanged (ns-2); initial = at most the initial window (RFC 5681 §4.1); halve = \
         halved for each RTO (Linux, except schemes that pace); decay = halved for each five minutes (RFC 7661 §4.4.3)",
    ),
    preset_key(
        "prr",
        ValueKind::Flag,
        "proportional rate reduction (RFC 9937): recovery with SACK reduces the flight to the new window evenly over the recovery",
    ),
    preset_key(
        "tlp",
        ValueKind::Flag,
        "tail loss probe after two round trips without an ACK (RFC 8985 §7); requires loss_detection = \"rack\"",
    ),
    preset_key(
        "frto",
        ValueKind::Flag,
        "F-RTO, detection of spurious timeouts by new data (RFC 5682 §3.1); requires loss_detection = \"rack\"",
    ),
    preset_key(
        "undo",
        ValueKind::Flag,
        "undo of a spurious window reduction, by timestamps or D-SACK (RFC 3522, RFC 3708)",
    ),
    preset_key(
        "pacing",
        ValueKind::Flag,
        "pacing at twice cwnd per round trip in slow start and 1.2 times cwnd after it, as on a Linux host whose default is BBR or whose \
         queueing discipline is fq; a scheme that sets a pacing rate is always paced",
    ),
    preset_key(
        "push",
        ValueKind::Flag,
        "PSH flag on the last segment of each paced burst; a receiver with delayed ACKs acknowledges such a segment immediately (Linux \
         from 6.6 on)",
    ),
    preset_key(
        "nagle",
        ValueKind::Flag,
        "Nagle's algorithm (RFC 9293 §3.7.4): a segment of less than MSS waits until all data is acknowledged, or under preset linux until \
         the previous segment of less than MSS is acknowledged (Minshall); false = the application sets TCP_NODELAY, as browsers and \
         iperf3 do",
    ),
    preset_key(
        "turnaround",
        ValueKind::Switch(&TURNAROUND_KEYS),
        "wake-up time of the receiver's host: time from the arrival of a segment at an idle host to its processing by TCP, and so to the \
         resulting ACK, as measured by `airhop emulate`; TCP then processes all segments that have arrived, and one ACK acknowledges those \
         in order",
    ),
];

static TURNAROUND_KEYS: [Key; 2] = [
    key("median", ValueKind::Span { least_ns: 0 }, Value(r#""100 us""#), "median of the turnaround"),
    key(
        "p90",
        ValueKind::Span { least_ns: 0 },
        Value(r#""100 us""#),
        "90th percentile of the turnaround, whose distribution is log-logistic; a value of at most `median` makes the turnaround constant",
    ),
];

static DELAYED_ACK_KEYS: [Key; 2] = [
    key(
        "segments",
        ValueKind::Count { least: 1, most: 255 },
        Value("2"),
        "number of received segments after which the receiver sends an ACK without further delay",
    ),
    key(
        "timeout",
        ValueKind::Span { least_ns: 1_000 },
        Derived("the value of the preset: rfc 200 ms, linux 40 ms, ns2 100 ms (ns-2 interval_)"),
        "maximum delay of an ACK, from the arrival of the first segment without an ACK",
    ),
];

static RTO_KEYS: [Key; 5] = [
    preset_key(
        "kind",
        ValueKind::Word(|| RTO_KIND_WORDS.map(|(word, _)| word).to_vec()),
        "RTO estimator: rfc6298; ns2 = clock ticks of ns-2; single-gain = equal gains for mean and deviation (Kounavis 1996); linux = min \
         bounds the deviation, nearly every ACK yields a sample, in microseconds, a retransmission of the oldest segment restarts the \
         timer, and a single lost SYN neither reduces the window nor sets the RTO to 3 s",
    ),
    preset_key(
        "min",
        ValueKind::Span { least_ns: 1_000 },
        "lower bound of the RTO (RFC 6298 §2.4; ns-2 minrto_)",
    ),
    preset_key(
        "max",
        ValueKind::Span { least_ns: 1_000 },
        "upper bound of the RTO, backoff included (RFC 6298 §2.5; ns-2 maxrto_)",
    ),
    preset_key(
        "initial",
        ValueKind::Span { least_ns: 1_000 },
        "RTO before the first RTT sample; may be less than `min`, which bounds computed timeouts only (RFC 6298 §2.1, §2.4; ns-2 \
         rtxcur_init_)",
    ),
    preset_key(
        "tick",
        ValueKind::Span { least_ns: 1_000 },
        "clock granularity G (RFC 6298 §2; ns-2 tcpTick_)",
    ),
];
