//! Physical layer of a wlan: the parameters of the standard with the scenario's changes, and the rates.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::Derived;
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_base::Rate;
use airhop_radio::phy::{Coding, Phy};

const SERIAL: &str = "serial";
const OFDM: &str = "ofdm";

/// Sets the defaults of the standard: the rate of control frames, and the timing parameters that the file
/// omits.
pub(crate) fn set_defaults(wlan: &mut Fields) {
    let Some(standard) = standard(wlan) else { return };
    if let Some(control) = wlan.rate("rate").and_then(|rate| control_rate(&standard, rate)) {
        wlan.set_default("control_rate", Val::Rate(control));
    }
    if let Some(Val::Table(phy)) = wlan.get_mut("phy") {
        phy.set_default("header", Val::Span(standard.plcp_duration));
        phy.set_default("cw_min", Val::Count(standard.cw_min.into()));
        phy.set_default("cw_max", Val::Count(standard.cw_max.into()));
        phy.set_default("coding", Val::Word(coding_name(standard.coding)));
    }
}

/// Reports rates that the standard does not have, and parameters that contradict each other.
pub(crate) fn check(wlan: &Fields, problems: &mut Problems) {
    let Some(standard) = standard(wlan) else { return };
    for name in ["rate", "control_rate"] {
        check_rate(wlan, name, &standard, problems);
    }
    let Some(phy) = wlan.table("phy") else { return };
    if let (Some(least), Some(most)) = (phy.count("cw_min"), phy.count("cw_max"))
        && most < least
    {
        let what = format!("expected at least cw_min = {least}, got {most}");
        problems.add(phy.position_of("cw_max"), phy.path_of("cw_max"), what);
    }
    if phy.word("coding") == Some(OFDM) && coding_name(standard.coding) != OFDM {
        let what = format!("{} has no OFDM symbols; expected \"{SERIAL}\"", standard.name);
        problems.add(phy.position_of("coding"), phy.path_of("coding"), what);
    }
}

/// Returns the timing of a wlan; `None` if a value is missing.
pub(crate) fn plan(wlan: &Fields) -> Option<Phy> {
    let (standard, phy) = (standard(wlan)?, wlan.table("phy")?);
    Some(Phy {
        plcp_duration: phy.span("header")?,
        cw_min: u32::try_from(phy.count("cw_min")?).ok()?,
        cw_max: u32::try_from(phy.count("cw_max")?).ok()?,
        coding: match phy.word("coding")? {
            SERIAL => Coding::Serial,
            OFDM => standard.coding,
            _ => return None,
        },
        ..standard
    })
}

fn standard(wlan: &Fields) -> Option<Phy> {
    wlan.word("standard").and_then(Phy::find)
}

fn coding_name(coding: Coding) -> &'static str {
    match coding {
        Coding::Serial => SERIAL,
        Coding::Ofdm { .. } => OFDM,
    }
}

/// Returns the rate of control frames: the highest mandatory rate not above the data rate (IEEE 802.11-2016
/// §10.7.6.5.2). All rates of 802.11 and 802.11b are mandatory. The mandatory rates of ERP-OFDM are 6, 12 and
/// 24 Mbit/s (§18.2.2.3).
fn control_rate(standard: &Phy, rate: Rate) -> Option<Rate> {
    let mandatory = |r: &&Rate| match standard.coding {
        Coding::Serial => true,
        Coding::Ofdm { .. } => matches!(r.bps(), 6_000_000 | 12_000_000 | 24_000_000),
    };
    standard.rates.iter().filter(mandatory).filter(|r| **r <= rate).max().copied()
}

fn check_rate(wlan: &Fields, name: &str, standard: &Phy, problems: &mut Problems) {
    let Some(rate) = wlan.rate(name).filter(|rate| !standard.rates.contains(rate)) else { return };
    let known: Vec<_> = standard.rates.iter().map(Rate::to_string).collect();
    let near = standard.rates.iter().min_by_key(|r| r.bps().abs_diff(rate.bps()));
    let hint = near.map(|r| format!("; the nearest is \"{r}\"")).unwrap_or_default();
    let what = format!("{} has {}, not \"{rate}\"{hint}", standard.name, known.join(", "));
    problems.add(wlan.position_of(name), wlan.path_of(name), what);
}

/// Largest contention window (IEEE 802.11-2016, dot11EDCATableCWmax).
const MAX_CONTENTION_WINDOW: u64 = 65_535;

/// Keys of `[wlan.phy]`.
pub(super) static PHY_KEYS: [Key; 4] = [
    key(
        "header",
        ValueKind::Span { least_ns: 0 },
        Derived("the value of the standard"),
        "duration of PLCP preamble and header, equal for every frame rate",
    ),
    key(
        "cw_min",
        ValueKind::Count { least: 0, most: MAX_CONTENTION_WINDOW },
        Derived("the value of the standard"),
        "smallest contention window: a backoff is uniform in {0, …, CW} slots (IEEE 802.11-2016 §10.3.3)",
    ),
    key(
        "cw_max",
        ValueKind::Count { least: 0, most: MAX_CONTENTION_WINDOW },
        Derived("the value of the standard"),
        "largest contention window, at least `cw_min`",
    ),
    key(
        "coding",
        ValueKind::Word(|| vec![SERIAL, OFDM]),
        Derived("the value of the standard"),
        "mapping of a frame's bits to time: serial = bits / rate, as in ns-2; ofdm = symbols of 4 µs with a signal extension of 6 µs \
         (802.11g only)",
    ),
];
