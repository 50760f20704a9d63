//! Connection parameters between the keys of `tcp = { … }` and [`Config`].

use crate::fields::{Fields, Val};
use crate::keys::DELAYED_ACK;
use crate::problem::{At, Problems};
use airhop_base::{HEADER_BYTES, Span};
use airhop_tcp::{
    Config, DelayedAck, Growth, HalveFrom, LossDetection, Notices, Preset, RtoConfig, RtoKind, SackRecovery,
    Validation,
};

/// ns-2's DelAck sink acknowledges every second segment, or after 100 ms (its `interval_`).
const NS2_DELAYED_ACK: DelayedAck = DelayedAck { segments: 2, timeout: Span::from_millis(100) };
/// Timestamps option with its padding (RFC 7323 appendix A).
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
const SACK_RECOVERY: [(&str, SackRecovery); 3] = [
    ("rfc6675", SackRecovery::Rfc6675),
    ("pipe", SackRecovery::Pipe),
    ("rate-halving", SackRecovery::RateHalving),
];

pub(crate) fn word_of<T: PartialEq>(words: &[(&'static str, T)], value: &T) -> Val {
    let found = words.iter().find(|(_, v)| v == value);
    Val::Word(found.expect("every variant has a word").0)
}

pub(crate) fn of_word<T: Copy>(words: &[(&'static str, T)], word: &str) -> Option<T> {
    words.iter().find(|(w, _)| *w == word).map(|(_, v)| *v)
}

/// Fills what the file leaves to the preset.
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

/// The keys whose default the preset has, with its value; what [`config`] reads.
pub(crate) fn values(c: &Config) -> [(&'static str, Val); 23] {
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
        ("prr", Val::Flag(c.prr)),
        ("tlp", Val::Flag(c.tlp)),
        ("frto", Val::Flag(c.frto)),
        ("undo", Val::Flag(c.undo)),
        ("pacing", Val::Flag(c.pacing)),
    ]
}

/// As [`values`], for `rto = { … }`.
pub(crate) fn rto_values(rto: &RtoConfig) -> [(&'static str, Val); 5] {
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

/// Refuses parameters that contradict each other.
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

/// The configuration of a connection, if every key has a value.
pub(crate) fn config(tcp: &Fields, mss: u32) -> Option<Config> {
    let rto = tcp.table("rto")?;
    Some(Config {
        stack: of_word(&Preset::ALL, tcp.word("preset")?)?,
        mss,
        handshake: tcp.flag("handshake")?,
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
        prr: tcp.flag("prr")?,
        tlp: tcp.flag("tlp")?,
        frto: tcp.flag("frto")?,
        undo: tcp.flag("undo")?,
        pacing: tcp.flag("pacing")?,
        notices: Notices::Scheme,
    })
}

/// The IP datagram of a full data segment, bytes.
pub(crate) fn datagram_bytes(tcp: &Fields, mss: u32) -> Option<u32> {
    Some(HEADER_BYTES + mss + if tcp.flag("timestamps")? { TIMESTAMPS_BYTES } else { 0 })
}

/// The same of a planned connection.
pub(crate) fn datagram(config: &Config) -> u32 {
    HEADER_BYTES + config.mss + if config.timestamps { TIMESTAMPS_BYTES } else { 0 }
}
