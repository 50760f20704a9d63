//! `layout = { … }`: rule that places the stations, instead of a table of stations. Each layout has an entry
//! in the list, and a file in this folder with its keys and its rule.

mod chain;
mod cross;
mod grid;
mod random;

use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required, Value};
use crate::grammar::key::{Choice, Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use crate::grammar::quantity::{self, MAX_COORDINATE, format_number};
use airhop_net::placement::{Position, are_connected};
use airhop_net::plan::Area;

/// Declaration of a layout.
struct Layout {
    variant: Variant,
    /// Function that returns the positions of the stations in the order of station numbers. All positions are
    /// [0, 0] if each replication draws them.
    positions: fn(&Fields) -> Option<Vec<Position>>,
    /// Function that reports an excessive number of stations.
    check: fn(&Fields, &mut Problems),
    /// Function that returns the number of stations in the longest line of the layout.
    line: fn(&Fields) -> Option<u64>,
    /// Function that returns the rectangle in which each replication draws the positions; `None` if the
    /// positions are fixed.
    drawn_in: Option<fn(&Fields) -> Option<Area>>,
}

super::kinds! {
    /// List of the layouts.
    LAYOUT, "layout", Layout:
    chain, grid, cross, random
}

/// Maximum number of stations: association ids up to 2007 (IEEE 802.11-2016 §9.4.1.8), plus the access point.
pub(crate) const MAX_STATIONS: u64 = 2008;

const PREFIX_KEY: Key = key(
    "prefix",
    ValueKind::Name,
    Value(r#""n""#),
    "prefix of the stations' names, before numbers from 0. Two cells whose layouts have the same prefix consist \
     of the same nodes",
);
const NODES_KEY: Key =
    key("nodes", ValueKind::Count { least: 2, most: MAX_STATIONS }, Required, "number of stations");
const SPACING_KEY: Key = key("spacing", ValueKind::Metres, Required, "distance between neighbours");

/// Key `layout`, used instead of positions of stations.
pub(crate) const LAYOUT_KEY: Key = key(
    "layout",
    ValueKind::Choice(&LAYOUT),
    Nothing("none; `stations` has the positions"),
    "rule that places the stations, instead of `stations`",
);

/// Keys that [`crate::station_positions()`] reads.
pub(crate) static PLACEMENT_KEYS: [Key; 3] = [
    Key { when_omitted: Required, ..LAYOUT_KEY },
    key(
        "receive",
        ValueKind::Metres,
        Nothing("none; each station receives all others"),
        "receive range: frames can be decoded up to this distance",
    ),
    key("wlan", ValueKind::Name, Required, "wlan that draws the same positions"),
];

/// Accepts any values: the keys of the layout already limit the number of stations.
fn accept_any_values(_: &Fields, _: &mut Problems) {}

/// Returns grid coordinates scaled by the layout's spacing.
fn scale_to_grid(layout: &Fields, places: impl Iterator<Item = (u64, i64)>) -> Option<Vec<Position>> {
    let spacing = layout.metres("spacing")?;
    Some(places.map(|(x, y)| [x as f64 * spacing, y as f64 * spacing]).collect())
}

/// Creates a kind of layout. Its comment in the effective scenario lists the stations.
const fn layout_variant(
    kind: &'static str,
    about: &'static str,
    keys: &'static [Key],
    example: &'static str,
) -> Variant {
    Variant { example, comment: Some(comment), ..Variant::new(kind, about, keys) }
}

/// Returns the stations of a wlan, from the file or from the layout. All positions are [0, 0] if each
/// replication draws them.
pub(crate) fn stations(wlan: &Fields) -> Option<Vec<(String, Position)>> {
    match wlan.table("layout") {
        Some(layout) => layout_stations(layout),
        None => wlan.stations("stations").map(<[_]>::to_vec),
    }
}

/// Returns the stations of a layout.
pub(crate) fn layout_stations(layout: &Fields) -> Option<Vec<(String, Position)>> {
    let prefix = layout.text("prefix")?;
    let named = |(i, place)| (format!("{prefix}{i}"), place);
    Some(positions(layout)?.into_iter().enumerate().map(named).collect())
}

fn positions(layout: &Fields) -> Option<Vec<Position>> {
    (declared(layout)?.positions)(layout)
}

/// Returns the rectangle in which each replication draws the positions; `None` if the positions are fixed.
pub(crate) fn wlan_area(wlan: &Fields) -> Option<Area> {
    wlan.table("layout").and_then(layout_area)
}

/// Returns the rectangle in which each replication draws the positions; `None` if the layout fixes the
/// positions.
pub(crate) fn layout_area(layout: &Fields) -> Option<Area> {
    (declared(layout)?.drawn_in?)(layout)
}

/// Checks that a wlan has either stations or a layout, not both.
pub(crate) fn check_wlan(wlan: &Fields, problems: &mut Problems) {
    let (got, key) = match (wlan.get("stations").is_some(), wlan.get("layout").is_some()) {
        (true, true) => ("both", "layout"),
        (false, false)
            if wlan.is_missing_not_misspelt("stations") && wlan.is_missing_not_misspelt("layout") =>
        {
            ("neither", "stations")
        }
        _ => return,
    };
    let what = format!(
        "expected either `stations`, such as {{ bs = [0, 0], d = [30, 0] }}, or `layout`, such as {{ kind = \"chain\", nodes = \
         3, spacing = \"30 m\" }}, got {got}"
    );
    problems.add(wlan.position_of(key), wlan.path_of(key), what);
}

/// Checks the number, names and connectivity of a layout's stations. `reach` is the receive range in metres;
/// `None` if it is unlimited.
pub(crate) fn check(layout: &Fields, reach: Option<f64>, problems: &mut Problems) {
    let before = problems.len();
    check_prefix(layout, problems);
    if declared(layout).is_some_and(|declared| declared.drawn_in.is_some()) {
        return; // whether connected positions exist is known only at the draw
    }
    check_station_limits(layout, problems);
    if problems.len() == before
        && let (Some(reach), Some(spacing), Some(places)) =
            (reach, layout.metres("spacing"), positions(layout))
        && !are_connected(&places, Some(reach))
    {
        // The message has one decimal, because a range computed from powers has many digits.
        let reach = (10.0 * reach).floor() / 10.0;
        let what = format!(
            "the stations are out of range of each other: expected at most receive = \"{reach} m\", got \"{spacing} m\""
        );
        problems.add(layout.position_of("spacing"), layout.path_of("spacing"), what);
    }
}

/// Reports an excessive number of stations, and lines that exceed the maximum coordinate.
fn check_station_limits(layout: &Fields, problems: &mut Problems) {
    let Some(declared) = declared(layout) else { return };
    (declared.check)(layout, problems);
    if let (Some(line), Some(spacing)) = ((declared.line)(layout), layout.metres("spacing"))
        && (line - 1) as f64 * spacing > MAX_COORDINATE
    {
        let what = format!(
            "a line of {line} stations is too long: expected at most {MAX_COORDINATE:e} m in total, got \"{spacing} m\" between neighbours"
        );
        problems.add(layout.position_of("spacing"), layout.path_of("spacing"), what);
    }
}

fn check_prefix(layout: &Fields, problems: &mut Problems) {
    let Some(prefix) = layout.text("prefix") else { return };
    let what = if prefix.contains('*') {
        "expected a \"*\" also in the name of the wlan: each copy has its own layout".to_string()
    } else if quantity::check_name(&format!("{prefix}{MAX_STATIONS}")).is_err() {
        format!("expected room for a number in a name of 64 letters, got {prefix:?}")
    } else {
        return;
    };
    problems.add(layout.position_of("prefix"), layout.path_of("prefix"), what);
}

/// Returns a one-line comment that lists a layout's stations, for the effective scenario.
fn comment(layout: &Fields) -> Option<String> {
    /// Maximum number of stations in the comment. A longer list would be harder to read than the rule.
    const MAX_LISTED_STATIONS: usize = 20;
    let stations = layout_stations(layout)?;
    let drawn = layout_area(layout).is_some();
    let one = |(name, [x, y]): &(String, Position)| match drawn {
        true => name.clone(),
        false => format!("{name} = [{}, {}]", format_number(*x), format_number(*y)),
    };
    let mut shown: Vec<String> = stations.iter().take(MAX_LISTED_STATIONS).map(one).collect();
    if let Some(last) = stations.get(MAX_LISTED_STATIONS..).and_then(<[_]>::last) {
        shown.extend(["…".to_string(), one(last)]);
    }
    let when = if drawn { ", at new positions for each seed and replication" } else { "" };
    Some(format!("makes: {}{when}", shown.join(", ")))
}
