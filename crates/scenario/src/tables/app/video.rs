use super::{App, TCP};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use crate::grammar::quantity::quote;
use airhop_base::units::format_rate;
use airhop_net::apps::{AppPlan, BitrateRule, VideoPlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"ladder = ["1 Mbit/s", "2.5 Mbit/s"]"#,
        ..Variant::new(
            "video",
            "endless adaptive video stream (DASH, HLS): `to` is the player, and `from` the server. The player requests one segment \
             after the other on one connection (HTTP/1.1, RFC 9112), as soon as the buffer has room for a segment, and plays the \
             segments in order (TCP)",
            &KEYS,
        )
    },
    transport: TCP,
    check,
    plan,
};

static BITRATE_CHOICES: [(&str, BitrateRule); 3] = [
    ("hybrid", BitrateRule::Hybrid),
    ("buffer", BitrateRule::Buffer),
    ("throughput", BitrateRule::Throughput),
];

static KEYS: [Key; 7] = [
    key(
        "ladder",
        ValueKind::Rates { longest: 64 },
        Required,
        "bitrates of the video, ascending; a segment has bitrate * `segment` / 8 bytes, without headers of HTTP",
    ),
    key(
        "segment",
        ValueKind::Span { least_ns: 1_000_000 },
        Value(r#""4 s""#),
        "duration of a segment (4 s: Huang et al., SIGCOMM 2014)",
    ),
    key(
        "buffer",
        ValueKind::Span { least_ns: 1 },
        Value(r#""30 s""#),
        "capacity of the player's buffer, at least two segments: a request waits until the buffer level plus `segment` is at \
         most this time",
    ),
    key(
        "startup",
        ValueKind::Span { least_ns: 1 },
        Nothing("one segment"),
        "buffer level at which playback begins, and at which it resumes after a stall; a buffer without video stalls playback",
    ),
    key(
        "request",
        ValueKind::Bytes { least: 1, most: u32::MAX as u64 },
        Value(r#""700 B""#),
        "size of a request: headers of 700 to 800 bytes are common (SPDY whitepaper, The Chromium Projects 2009)",
    ),
    key(
        "choice",
        ValueKind::Word(|| BITRATE_CHOICES.map(|(word, _)| word).into()),
        Value(r#""hybrid""#),
        "choice of a segment's bitrate: buffer = by the buffer level (BOLA: Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016); \
         throughput = by the throughput of the last segments (FESTIVE: Jiang, Sekar and Zhang, CoNEXT 2012); hybrid = throughput at \
         a low buffer level, else buffer (DYNAMIC: Spiteri, Sitaraman and Sparacio, MMSys 2018)",
    ),
    key(
        "safety",
        ValueKind::Number { least: 0.01, most: 1.0 },
        Value("0.9"),
        "safety factor of `throughput` and `hybrid` (0.9: dash.js; FESTIVE has 0.85)",
    ),
];

/// Checks that the bitrates ascend, and that the buffer holds two segments and the startup level.
fn check(_: &Fields, app: &Fields, problems: &mut Problems) {
    if let Some(ladder) = app.rates("ladder")
        && !ladder.is_sorted_by(|lower, higher| lower < higher)
    {
        let mut ascending = ladder.to_vec();
        ascending.sort_unstable();
        ascending.dedup();
        let ascending: Vec<_> = ascending.into_iter().map(|rate| quote(&format_rate(rate))).collect();
        let what = format!(
            "expected different bitrates in ascending order; did you mean [{}]?",
            ascending.join(", ")
        );
        problems.add(app.position_of("ladder"), app.path_of("ladder"), what);
    }
    let (Some(segment), Some(buffer)) = (app.span("segment"), app.span("buffer")) else { return };
    if buffer < segment * 2 {
        let what = format!("expected room for at least two segments, \"{}\", got \"{buffer}\"", segment * 2);
        return problems.add(app.position_of("buffer"), app.path_of("buffer"), what);
    }
    let most = segment * buffer.whole_multiples(segment);
    if let Some(startup) = app.span("startup").filter(|startup| *startup > most) {
        let what =
            format!("expected at most the segments that fit into the buffer, \"{most}\", got \"{startup}\"");
        problems.add(app.position_of("startup"), app.path_of("startup"), what);
    }
}

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    let segment = app.span("segment")?;
    let choice = app.word("choice")?;
    let &(_, choice) = BITRATE_CHOICES.iter().find(|(word, _)| *word == choice)?;
    Some(Arc::new(VideoPlan {
        bitrate_ladder: app.rates("ladder")?.into(),
        segment_duration: segment,
        buffer_capacity: app.span("buffer")?,
        startup_level: app.span("startup").unwrap_or(segment),
        request_bytes: app.bytes("request")?,
        bitrate_rule: choice,
        safety_factor: app.number("safety")?,
    }))
}
