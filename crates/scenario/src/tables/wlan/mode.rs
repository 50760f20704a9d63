//! Transmission mode of a wlan of 802.11n, ac or ax: band, width, guard interval, MCS and spatial streams.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::{Problems, format_alternatives};
use crate::grammar::words::{value_of_word, word_of};
use airhop_base::Span;
use airhop_radio::phy::{BASIC_RATES, Band, ModeError, PpduFormat, TxMode, TxSettings};

pub(super) const BAND_WORDS: [(&str, Band); 2] =
    [(Band::Ghz5.name(), Band::Ghz5), (Band::Ghz2_4.name(), Band::Ghz2_4)];
/// Channel widths in MHz.
pub(super) const WIDTH_WORDS: [(&str, u32); 4] =
    [("20 MHz", 20), ("40 MHz", 40), ("80 MHz", 80), ("160 MHz", 160)];
const GUARD_INTERVAL: Span = Span::from_nanos(800);

/// Keys of `wlan.rate` for 802.11n, ac and ax.
pub(super) static RATE_KEYS: [Key; 3] = [
    key(
        "mcs",
        ValueKind::Count { least: 0, most: 31 },
        Required,
        "MCS of each spatial stream: 0 to 7 with 802.11n (whose MCS index is 8 (`streams` - 1) more), 0 to 9 with 802.11ac, 0 to 11 with \
         802.11ax (IEEE 802.11-2020 §19.5, §21.5; 802.11ax-2021 §27.5)",
    ),
    key(
        "streams",
        ValueKind::Count { least: 1, most: 8 },
        Value("1"),
        "number of spatial streams: up to 4 with 802.11n, up to 8 with 802.11ac and ax",
    ),
    key(
        "control",
        ValueKind::NotYet(
            "rate adaptation is not modelled yet; expected a fixed rate, such as { mcs = 7, streams = 1 }",
        ),
        Derived("a fixed rate"),
        "rate adaptation",
    ),
];

/// Returns the PPDU format of a wlan; `None` for 802.11, 802.11b and 802.11g, or if the standard is invalid.
pub(crate) fn format(wlan: &Fields) -> Option<PpduFormat> {
    wlan.word("standard").and_then(PpduFormat::find)
}

/// Returns the frequency band of a wlan of 802.11n, ac or ax.
pub(super) fn band(wlan: &Fields) -> Option<Band> {
    value_of_word(&BAND_WORDS, wlan.word("band")?)
}

/// Sets the defaults of a wlan of this format.
pub(super) fn set_defaults(wlan: &mut Fields, format: PpduFormat) {
    wlan.set_default("band", word_of(&BAND_WORDS, &Band::Ghz5));
    let usual = match format {
        PpduFormat::Ht => 20,
        PpduFormat::Vht | PpduFormat::He => 80,
    };
    // The usual width of 802.11ax, 80 MHz, does not exist at 2.4 GHz.
    let has_usual = band(wlan).is_none_or(|band| format.widths_mhz(band).contains(&usual));
    wlan.set_default("width", word_of(&WIDTH_WORDS, if has_usual { &usual } else { &20 }));
    wlan.set_default("guard_interval", Val::Span(GUARD_INTERVAL));
    wlan.set_default("control_rate", Val::Rate(BASIC_RATES[2]));
}

/// Reports settings that do not exist in the standard.
pub(super) fn check(wlan: &Fields, format: PpduFormat, problems: &mut Problems) {
    if let Some(rate) = wlan.rate("rate") {
        let what = format!(
            "expected MCS and spatial streams with {}, such as {{ mcs = 7, streams = 1 }}, got \"{rate}\"",
            format.name()
        );
        problems.add(wlan.position_of("rate"), wlan.path_of("rate"), what);
    }
    check_control_rate(wlan, problems);
    let Some(settings) = settings(wlan, format) else { return };
    let Err(error) = TxMode::new(settings) else { return };
    let (table, name) = match error {
        ModeError::Band { .. } => (wlan, "band"),
        ModeError::Width { .. } => (wlan, "width"),
        ModeError::Guard { .. } => (wlan, "guard_interval"),
        ModeError::Mcs { .. } | ModeError::LeftOut { .. } => (wlan.table("rate").unwrap_or(wlan), "mcs"),
        ModeError::Streams { .. } => (wlan.table("rate").unwrap_or(wlan), "streams"),
    };
    let what = format!("{error}{}", mcs_index_hint(&error));
    problems.add(table.position_of(name), table.path_of(name), what);
}

/// Returns a suggestion if the user probably meant the MCS index of 802.11n. This index also encodes the
/// number of streams.
fn mcs_index_hint(error: &ModeError) -> String {
    match *error {
        ModeError::Mcs { format: PpduFormat::Ht, mcs } if mcs < 8 * PpduFormat::Ht.max_streams() => {
            format!("; MCS index {mcs} is {{ mcs = {}, streams = {} }}", mcs % 8, mcs / 8 + 1)
        }
        _ => String::new(),
    }
}

fn check_control_rate(wlan: &Fields, problems: &mut Problems) {
    if let Some(rate) = wlan.rate("control_rate").filter(|rate| !BASIC_RATES.contains(rate)) {
        let basic = BASIC_RATES.map(|rate| rate.to_string());
        let what = format!(
            "expected a basic rate, {}, got \"{rate}\"",
            format_alternatives(basic.iter().map(String::as_str))
        );
        problems.add(wlan.position_of("control_rate"), wlan.path_of("control_rate"), what);
    }
}

/// Reports the keys `mcs` and `streams` in a wlan of 802.11, 802.11b or 802.11g.
pub(super) fn check_absent(wlan: &Fields, problems: &mut Problems) {
    if let (Some(table), Some(standard)) = (wlan.table("rate"), wlan.word("standard")) {
        let with = format_alternatives(PpduFormat::ALL.map(PpduFormat::name));
        let what = format!(
            "expected a data rate of {standard}, such as \"11 Mbit/s\", got a table; MCS and streams are for {with}"
        );
        problems.add(wlan.position_of("rate"), &table.path, what);
    }
}

fn settings(wlan: &Fields, format: PpduFormat) -> Option<TxSettings> {
    let rate = wlan.table("rate")?;
    let count = |name| rate.count(name).and_then(|count| u8::try_from(count).ok());
    Some(TxSettings {
        format,
        band: band(wlan)?,
        mcs: count("mcs")?,
        streams: count("streams")?,
        width_mhz: value_of_word(&WIDTH_WORDS, wlan.word("width")?)?,
        guard_interval: wlan.span("guard_interval")?,
    })
}

/// Returns the transmission mode of a checked wlan.
pub(super) fn plan(wlan: &Fields, format: PpduFormat) -> Option<TxMode> {
    TxMode::new(settings(wlan, format)?).ok()
}
