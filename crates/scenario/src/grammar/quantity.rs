//! Single values: reader and formatter. Formatted values read back unchanged.

use crate::grammar::fields::{Direction, Val};
use crate::grammar::key::{
    DISABLED_THRESHOLD, MAX_COPIES, MAX_COUNT, MAX_SPAN_S, UNLIMITED_WINDOW, ValueKind,
};
use crate::grammar::problem::{did_you_mean, format_alternatives};
use crate::grammar::tree::{Item, Value};
use airhop_base::{Rate, Span, units};
use airhop_radio::phy::{Phy, PpduFormat};
use std::fmt;

type Refusal = String;

/// Maximum coordinate of a station in metres.
pub(crate) const MAX_COORDINATE: f64 = 1e6;

/// Returns a description of the values that a key accepts. Used in messages about a missing key and on the
/// reference page.
pub(crate) fn describe_expected(kind: &ValueKind) -> String {
    let text = match kind {
        ValueKind::Title => "a line of text",
        ValueKind::WordOrFile { words, .. } => {
            let file = "the path of a file, relative to the folder of the scenario";
            return format!("expected {}, or {file}", format_alternatives(words()));
        }
        ValueKind::File { .. } => "the path of a file, relative to the folder of the scenario",
        ValueKind::Digest => "16 hexadecimal digits",
        ValueKind::Name => "a name such as \"w1\"",
        ValueKind::Ends => "two different nodes, such as [\"s\", \"r1\"]",
        ValueKind::Stations => {
            "a table of stations with positions in metres, such as { bs = [0, 0], d = [30, 0] }"
        }
        ValueKind::Direction => "a direction such as \"bs->d\"",
        ValueKind::Span { .. } => "a duration with a unit, such as \"10 ms\"",
        ValueKind::Rate | ValueKind::LinkRate => "a data rate with a unit, such as \"10 Mbit/s\"",
        ValueKind::Rates { longest } => {
            return format!(
                "expected a list of 1 to {longest} data rates with units, such as [\"1 Mbit/s\"]"
            );
        }
        ValueKind::RateOrTable(keys) => {
            let known = keys.iter().filter(|key| !matches!(key.kind, ValueKind::NotYet(_)));
            let names: Vec<_> = known.map(|key| key.name).collect();
            return format!("{}, or a table of {}", describe_expected(&ValueKind::Rate), names.join(", "));
        }
        ValueKind::Bytes { most: UNLIMITED_WINDOW, .. } => {
            "a size with a unit, such as \"64 kB\", or \"unlimited\""
        }
        ValueKind::Bytes { .. } => "a size with a unit, such as \"1000 B\"",
        ValueKind::Threshold { .. } => "a size with a unit, such as \"256 B\", or \"off\"",
        ValueKind::Metres => "a distance with a unit, such as \"40 m\"",
        ValueKind::Power => "a power with a unit, such as \"24.5 dBm\"",
        ValueKind::Ratio => "a ratio of powers with a unit, such as \"10 dB\"",
        ValueKind::Frequency => "a frequency with a unit, such as \"2.4 GHz\"",
        ValueKind::Count { least, most } => return format!("expected a whole number from {least} to {most}"),
        ValueKind::CountOrMax { most } => {
            return format!("expected a whole number from 0 to {most}, or \"max\"");
        }
        ValueKind::Counts { least, most, longest } => {
            return format!("expected a list of 1 to {longest} whole numbers from {least} to {most}");
        }
        ValueKind::Number { least, most } => return format!("expected a number from {least} to {most}"),
        ValueKind::Probability => "a probability from 0 to 1",
        ValueKind::Segments { unbounded: None } => "a number of segments from 1 to 1e6",
        ValueKind::Segments { unbounded: Some(_) } => "a number of segments from 1 to 1e6, or \"infinite\"",
        ValueKind::Flag => "true or false",
        ValueKind::Word(words) => return format!("expected {}", format_alternatives(words())),
        ValueKind::NotYet(_) => "nothing so far",
        ValueKind::Standard => return format!("expected {}", format_alternatives(standards())),
        ValueKind::Words(words) => return format!("expected a list of {}", format_alternatives(words())),
        ValueKind::Scheme => "a scheme such as \"reno\", or a table { name = \"reno\" }",
        ValueKind::Switch(_) => "true, false or a table",
        ValueKind::Section(_) => "a table",
        ValueKind::Sections(_) => "a table, or a list of them",
        ValueKind::EachWay(kind) => {
            return format!(
                "{}, or a value for each direction, such as {{ \"a->b\" = … }}",
                describe_expected(kind)
            );
        }
        ValueKind::Drawn { plain, .. } => {
            return format!("{}, or a distribution with a kind", describe_expected(plain));
        }
        ValueKind::Choice(_) => "a table with a kind",
        ValueKind::Choices(_) => "a table with a kind, or a list of them",
        ValueKind::Tables(_) => "at least one table, with double brackets",
    };
    format!("expected {text}")
}

/// Reads a value that is not a table, for a key of this kind.
pub(crate) fn read_value(kind: &ValueKind, item: &Item) -> Result<Val, Refusal> {
    let mismatch = || format!("{}, got {}", describe_expected(kind), item.describe());
    match (kind, &item.value) {
        (ValueKind::Count { least, most }, &Value::Number(n, true)) => {
            match n >= *least as f64 && n <= *most as f64 {
                true => Ok(Val::Count(n as u64)),
                false => Err(mismatch()),
            }
        }
        (ValueKind::CountOrMax { .. }, Value::Text(text)) if text == "max" => Ok(Val::Count(MAX_COUNT)),
        (ValueKind::CountOrMax { most }, &Value::Number(n, true)) if n >= 0.0 && n <= *most as f64 => {
            Ok(Val::Count(n as u64))
        }
        (ValueKind::Counts { least, most, longest }, Value::List(items))
            if (1..=*longest).contains(&items.len()) =>
        {
            let one = |item: &Item| match item.value {
                Value::Number(n, true) if n >= *least as f64 && n <= *most as f64 => Some(n as u64),
                _ => None,
            };
            items.iter().map(one).collect::<Option<_>>().map(Val::Counts).ok_or_else(mismatch)
        }
        (ValueKind::Number { least, most }, &Value::Number(n, _)) if (*least..=*most).contains(&n) => {
            Ok(Val::Number(n))
        }
        (ValueKind::Probability, &Value::Number(p, _)) if (0.0..=1.0).contains(&p) => {
            Ok(Val::Number(p.abs()))
        }
        (ValueKind::Probability, Value::Text(text)) => {
            Err(format!("{}{}", mismatch(), suggest_probability(text)))
        }
        (ValueKind::Segments { .. }, &Value::Number(n, _)) if (1.0..=1e6).contains(&n) => Ok(Val::Number(n)),
        (ValueKind::Segments { unbounded: Some(word) }, Value::Text(text)) if text == word => {
            Ok(Val::Number(f64::INFINITY))
        }
        (ValueKind::Flag, &Value::Flag(flag)) => Ok(Val::Flag(flag)),
        (ValueKind::Word(words), Value::Text(text)) => parse_word(&words(), text).map(Val::Word),
        (ValueKind::NotYet(why), _) => Err((*why).to_string()),
        (ValueKind::Standard, Value::Text(text)) => parse_standard(text).map(Val::Word),
        (ValueKind::Standard, Value::Number(..)) => {
            Err(format!("{}, in quotes, got the number {}", describe_expected(kind), item.describe()))
        }
        (ValueKind::Words(known), Value::List(items)) => parse_words(&known(), items),
        (ValueKind::Title, Value::Text(text)) => parse_title(text),
        (ValueKind::WordOrFile { words, .. }, Value::Text(text)) if words().contains(&text.as_str()) => {
            parse_word(&words(), text).map(Val::Word)
        }
        (ValueKind::File { .. } | ValueKind::WordOrFile { .. }, Value::Text(text))
            if !text.is_empty() && !text.contains('\0') =>
        {
            Ok(Val::Text(text.clone()))
        }
        (ValueKind::Digest, Value::Text(text)) if is_digest(text) => Ok(Val::Text(text.clone())),
        (ValueKind::Name, Value::Text(text)) => check_name(text).map(|()| Val::Text(text.clone())),
        (ValueKind::Direction, Value::Text(text)) => parse_direction(text).map(Val::Direction),
        (ValueKind::Ends, Value::List(items)) => parse_ends(items).ok_or_else(mismatch)?.map(Val::Ends),
        (ValueKind::Span { least_ns }, Value::Text(text)) => parse_span(text, *least_ns),
        (ValueKind::Rate | ValueKind::RateOrTable(_), Value::Text(text)) => {
            units::parse_rate(text).map(Val::Rate)
        }
        (ValueKind::Rates { longest }, Value::List(items)) if (1..=*longest).contains(&items.len()) => {
            let one = |item: &Item| match read_value(&ValueKind::Rate, item)? {
                Val::Rate(rate) => Ok(rate),
                _ => Err(mismatch()),
            };
            items.iter().map(one).collect::<Result<_, _>>().map(Val::Rates)
        }
        (ValueKind::LinkRate, Value::Text(text)) => parse_link_rate(text).map(Val::Rate),
        (ValueKind::Bytes { most: UNLIMITED_WINDOW, .. }, Value::Text(text)) if text == "unlimited" => {
            Ok(Val::Bytes(UNLIMITED_WINDOW))
        }
        (ValueKind::Bytes { least, most }, Value::Text(text)) => parse_bytes(text, *least, *most),
        (ValueKind::Threshold { .. }, Value::Text(text)) if text == "off" => {
            Ok(Val::Bytes(DISABLED_THRESHOLD))
        }
        (ValueKind::Threshold { least, most }, Value::Text(text)) => parse_bytes(text, *least, *most),
        (ValueKind::Metres, Value::Text(text)) => parse_metres(text),
        (ValueKind::Power, Value::Text(text)) => units::parse_power(text).map(Val::Power),
        (ValueKind::Ratio, Value::Text(text)) => units::parse_ratio(text).map(Val::Ratio),
        (ValueKind::Frequency, Value::Text(text)) => units::parse_frequency(text).map(Val::Frequency),
        (
            ValueKind::Span { .. }
            | ValueKind::Rate
            | ValueKind::RateOrTable(_)
            | ValueKind::LinkRate
            | ValueKind::Bytes { .. }
            | ValueKind::Threshold { .. }
            | ValueKind::Metres
            | ValueKind::Power
            | ValueKind::Ratio
            | ValueKind::Frequency,
            &Value::Number(..),
        ) => Err(format!("{} without a unit", mismatch())),
        _ => Err(mismatch()),
    }
}

/// Returns a suggestion for a percentage: for "1 %" the probability 0.01.
fn suggest_probability(text: &str) -> String {
    let number = text.trim_end().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match number {
        Some(n) if (0.0..=100.0).contains(&n) => format!("; did you mean {}?", n / 100.0),
        _ => String::new(),
    }
}

fn parse_word(words: &[&'static str], text: &str) -> Result<&'static str, Refusal> {
    words.iter().find(|w| **w == text).copied().ok_or_else(|| {
        let hint = did_you_mean(text, words.iter().copied());
        format!("expected {}, got {text:?}{hint}", format_alternatives(words.iter().copied()))
    })
}

/// Common 802.11 amendment that Airhop does not model.
const UNSUPPORTED_STANDARD: &str = "802.11be";

/// Returns the names of the standards that Airhop models.
pub(crate) fn standards() -> Vec<&'static str> {
    Phy::names().into_iter().chain(PpduFormat::ALL.map(PpduFormat::name)).collect()
}

fn parse_standard(text: &str) -> Result<&'static str, Refusal> {
    match text.eq_ignore_ascii_case(UNSUPPORTED_STANDARD) {
        true => Err(format!(
            "{UNSUPPORTED_STANDARD} is not modelled yet (320 MHz, 4096-QAM, several links at once); expected {}; the most similar is \"802.11ax\"",
            format_alternatives(standards())
        )),
        false => parse_word(&standards(), text),
    }
}

/// Reads a list of words without repetitions.
fn parse_words(known: &[&'static str], items: &[Item]) -> Result<Val, Refusal> {
    let mut chosen = Vec::new();
    for item in items {
        let Value::Text(text) = &item.value else {
            return Err(format!("expected {}, got {}", format_alternatives(known.to_vec()), item.describe()));
        };
        let one = parse_word(known, text)?;
        if chosen.contains(&one) {
            return Err(format!("expected different values, got {text:?} twice"));
        }
        chosen.push(one);
    }
    Ok(Val::Words(chosen))
}

fn parse_title(text: &str) -> Result<Val, Refusal> {
    let fits = (1..=100).contains(&text.chars().count()) && text.trim() == text;
    match fits && !text.chars().any(char::is_control) {
        true => Ok(Val::Text(text.to_string())),
        false => {
            Err(format!("expected a line of 1 to 100 characters without spaces around it, got {text:?}"))
        }
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// Checks a name of a table or node. Names are part of paths (`wlan.cell.errors`), directions (`bs->d`) and
/// file names (`bs.pcapng`). In the name of a copied table, `*` stands for the number of the copy. A bare `*`
/// is not a valid name, because it means all nodes in a direction.
pub(crate) fn check_name(text: &str) -> Result<(), Refusal> {
    let longest = text.replace('*', &MAX_COPIES.to_string());
    let fits = (1..=64).contains(&longest.len()) && text != "*";
    let letters = longest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    match fits && letters && !text.starts_with('-') && !text.ends_with('-') {
        true => Ok(()),
        false => Err(format!(
            "expected a name of 1 to 64 letters, digits, \"_\" or \"-\" (not at its ends), such as \"w1\", got {text:?}"
        )),
    }
}

pub(crate) fn parse_direction(text: &str) -> Result<Direction, Refusal> {
    let end = |side: &str| match side {
        "*" => Ok(None),
        side => check_name(side).map(|()| Some(side.to_string())),
    };
    let refusal = |_| format!("expected a direction such as \"bs->d\", got {text:?}");
    let (from, to) = text.split_once("->").ok_or(()).map_err(|()| refusal(String::new()))?;
    Ok(Direction { from: end(from.trim()).map_err(refusal)?, to: end(to.trim()).map_err(refusal)? })
}

/// Reads the two ends of a link; `None` unless the items are two strings.
fn parse_ends(items: &[Item]) -> Option<Result<[String; 2], Refusal>> {
    let [Value::Text(a), Value::Text(b)] = [&items.first()?.value, &items.get(1)?.value] else { return None };
    if items.len() != 2 {
        return None;
    }
    Some(check_name(a).and(check_name(b)).and_then(|()| match a == b {
        true => Err(format!("expected two different nodes, got {a:?} twice")),
        false => Ok([a.clone(), b.clone()]),
    }))
}

fn parse_span(text: &str, least_ns: u64) -> Result<Val, Refusal> {
    let span = units::parse_span(text)?;
    if span > Span::from_secs(MAX_SPAN_S) {
        return Err(format!("expected a duration of at most {MAX_SPAN_S} s, got {text:?}"));
    }
    if span.nanos() < least_ns {
        let least = units::format_span(Span::from_nanos(least_ns));
        return Err(format!("expected a duration of at least {least}, such as \"10 ms\", got {text:?}"));
    }
    Ok(Val::Span(span))
}

/// Reads the rate of a link. The message for a rate of zero suggests an outage, which the author probably
/// meant.
fn parse_link_rate(text: &str) -> Result<Rate, Refusal> {
    let digits = text.trim_start().split(|c: char| !"+0.".contains(c)).next().unwrap_or_default();
    units::parse_rate(text).map_err(|refusal| match digits.contains('0') {
        true => format!(
            "{refusal}; a period without transmissions is an outage: changes = {{ kind = \"outage\", at = \"10 s\", lasts = \"2 s\" }}"
        ),
        false => refusal,
    })
}

fn parse_bytes(text: &str, least: u64, most: u64) -> Result<Val, Refusal> {
    let bytes = u64::from(units::parse_bytes(text)?);
    match (least..=most).contains(&bytes) {
        true => Ok(Val::Bytes(bytes)),
        false => Err(format!("expected a size from {least} B to {most} B, got {text:?}")),
    }
}

fn parse_metres(text: &str) -> Result<Val, Refusal> {
    let metres = units::parse_metres(text)?;
    match metres > 0.0 && metres <= 1e6 {
        true => Ok(Val::Metres(metres)),
        false => Err(format!("expected a distance over 0 m and up to 1000 km, got {text:?}")),
    }
}

/// Reads a position in metres, a list of two plain numbers.
pub(crate) fn parse_position(item: &Item) -> Result<[f64; 2], Refusal> {
    if let Value::List(items) = &item.value
        && let [Value::Number(x, _), Value::Number(y, _)] =
            items.iter().map(|i| &i.value).collect::<Vec<_>>()[..]
    {
        // The sum with 0.0 converts -0.0 to 0.0, so that both are formatted alike.
        let position = [x + 0.0, y + 0.0];
        if position.iter().all(|c| c.is_finite() && c.abs() <= MAX_COORDINATE) {
            return Ok(position);
        }
        return Err("expected coordinates from -1e6 to 1e6 metres".to_string());
    }
    Err(format!("expected a position [x, y] in metres, such as [30, 0], got {}", item.describe()))
}

/// Formats a size so that [`units::parse_bytes`] reads the same size.
fn format_bytes(bytes: u64) -> String {
    match bytes {
        UNLIMITED_WINDOW => "unlimited".to_string(),
        DISABLED_THRESHOLD => "off".to_string(),
        b if b >= 1_000_000 && b % 1_000_000 == 0 => format!("{} MB", b / 1_000_000),
        b if b >= 10_000 && b % 1_000 == 0 => format!("{} kB", b / 1_000),
        b => format!("{b} B"),
    }
}

impl fmt::Display for Direction {
    /// Formats a direction as written in a file: `a->b`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = [&self.from, &self.to].map(|end| end.as_deref().unwrap_or("*"));
        write!(f, "{from}->{to}")
    }
}

/// Quotes a text, for both TOML and JSON.
pub(crate) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Formats a number, for both TOML and JSON.
pub(crate) fn format_number(x: f64) -> String {
    match x.is_infinite() {
        true => quote("infinite"),
        false => format!("{x:?}"),
    }
}

/// Formats a single value, for both TOML and JSON; `None` for a table.
pub(crate) fn format_value(val: &Val) -> Option<String> {
    Some(match val {
        Val::Text(text) => quote(text),
        Val::File(file) => quote(&file.path),
        Val::Word(word) => quote(word),
        Val::Words(words) => {
            format!("[{}]", words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(", "))
        }
        Val::Ends([a, b]) => format!("[{}, {}]", quote(a), quote(b)),
        Val::Direction(direction) => quote(&direction.to_string()),
        Val::Span(span) => quote(&units::format_span(*span)),
        Val::Rate(rate) => quote(&units::format_rate(*rate)),
        Val::Rates(rates) => {
            let rates: Vec<_> = rates.iter().map(|rate| quote(&units::format_rate(*rate))).collect();
            format!("[{}]", rates.join(", "))
        }
        Val::Bytes(bytes) => quote(&format_bytes(*bytes)),
        Val::Metres(metres) => quote(&format!("{metres} m")),
        Val::Power(dbm) => quote(&format!("{dbm} dBm")),
        Val::Ratio(db) => quote(&format!("{db} dB")),
        Val::Frequency(hz) => quote(&units::format_frequency(*hz)),
        Val::Count(MAX_COUNT) => quote("max"),
        Val::Count(count) => count.to_string(),
        Val::Counts(counts) => format!("{counts:?}"),
        Val::Number(x) => format_number(*x),
        Val::Flag(flag) => flag.to_string(),
        Val::Scheme(scheme, params) if params.iter().next().is_none() => quote(scheme.name),
        Val::Scheme(..) | Val::Stations(_) | Val::Table(_) | Val::Tables(_) | Val::EachWay(_) => return None,
    })
}
