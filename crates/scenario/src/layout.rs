//! Layouts: stations that a rule places, in place of a table of them.

use crate::fields::Fields;
use crate::keys::MAX_STATIONS;
use crate::problem::Problems;
use crate::quantity::{self, MAX_COORDINATE, number};
use airhop_net::placement::{Place, connected};
use airhop_net::plan::Area;

/// The stations of a wlan: those of the file, or those that its layout makes. Places that are drawn are [0, 0] until then.
pub(crate) fn stations(wlan: &Fields) -> Option<Vec<(String, Place)>> {
    match wlan.table("layout") {
        Some(layout) => made(layout),
        None => wlan.stations("stations").map(<[_]>::to_vec),
    }
}

/// The stations that a layout makes.
pub(crate) fn made(layout: &Fields) -> Option<Vec<(String, Place)>> {
    let prefix = layout.text("prefix")?;
    let named = |(i, place)| (format!("{prefix}{i}"), place);
    Some(places(layout)?.into_iter().enumerate().map(named).collect())
}

fn places(layout: &Fields) -> Option<Vec<Place>> {
    let on_grid = |x: u64, y: u64| layout.metres("spacing").map(|s| [x as f64 * s, y as f64 * s]);
    match layout.kind? {
        "chain" => (0..layout.count("nodes")?).map(|i| on_grid(i, 0)).collect(),
        "grid" => {
            let (columns, rows) = (layout.count("columns")?, layout.count("rows")?);
            // More than there can be are not worth making, only for a message.
            (columns * rows <= MAX_STATIONS).then_some(())?;
            (0..columns * rows).map(|i| on_grid(i % columns, i / columns)).collect()
        }
        "cross" => {
            let arm = layout.count("arm")?;
            let along = (0..=2 * arm).map(|i| on_grid(i, 0));
            let above = (1..=arm).map(|i| on_grid(arm, i));
            let below = (1..=arm).rev().map(|i| on_grid(arm, i).map(|[x, y]| [x, -y]));
            along.chain(below).chain(above).collect()
        }
        "random" => Some(vec![[0.0, 0.0]; usize::try_from(layout.count("nodes")?).ok()?]),
        _ => None,
    }
}

/// The rectangle that places are drawn in; `None` if they are known.
pub(crate) fn area(wlan: &Fields) -> Option<Area> {
    wlan.table("layout").and_then(area_of)
}

/// The same of a layout.
pub(crate) fn area_of(layout: &Fields) -> Option<Area> {
    (layout.kind == Some("random")).then_some(())?;
    Some(Area {
        width: layout.metres("width")?,
        height: layout.metres("height")?,
        connected: layout.flag("connected")?,
    })
}

/// Checks that a wlan has either stations or a layout.
pub(crate) fn check_wlan(wlan: &Fields, problems: &mut Problems) {
    let (got, key) = match (wlan.get("stations").is_some(), wlan.get("layout").is_some()) {
        (true, true) => ("both", "layout"),
        (false, false) if wlan.misses("stations") && wlan.misses("layout") => ("neither", "stations"),
        _ => return,
    };
    let what = format!(
        "expected either `stations`, such as {{ bs = [0, 0], d = [30, 0] }}, or `layout`, such as {{ kind = \"chain\", nodes = 3, spacing = \"30 m\" }}, got {got}"
    );
    problems.add(wlan.at(key), wlan.path_of(key), what);
}

/// Checks the numbers and the names of a layout. `reach`: how far its stations are heard, if not everywhere.
pub(crate) fn check(layout: &Fields, reach: Option<f64>, problems: &mut Problems) {
    let before = problems.len();
    check_prefix(layout, problems);
    if layout.kind == Some("random") {
        return; // whether there is such a draw only draws can tell
    }
    check_room(layout, problems);
    if problems.len() == before
        && let (Some(reach), Some(spacing), Some(places)) = (reach, layout.metres("spacing"), places(layout))
        && !connected(&places, Some(reach))
    {
        // A range that follows from powers has many digits.
        let reach = (10.0 * reach).floor() / 10.0;
        let what = format!(
            "out of range of each other: expected at most receive = \"{reach} m\", got \"{spacing} m\""
        );
        problems.add(layout.at("spacing"), layout.path_of("spacing"), what);
    }
}

/// Refuses what would be too many stations, and lines of them that would be too long.
fn check_room(layout: &Fields, problems: &mut Problems) {
    let line = match layout.kind {
        Some("grid") => {
            let (Some(columns), Some(rows)) = (layout.count("columns"), layout.count("rows")) else { return };
            let stations = columns * rows;
            if !(2..=MAX_STATIONS).contains(&stations) {
                let what =
                    format!("expected 2 to {MAX_STATIONS} stations, got {columns} × {rows} = {stations}");
                problems.add(layout.at("rows"), layout.path_of("rows"), what);
            }
            Some(columns.max(rows))
        }
        Some("cross") => layout.count("arm").map(|arm| 2 * arm + 1),
        Some("chain") => layout.count("nodes"),
        _ => None,
    };
    if let (Some(line), Some(spacing)) = (line, layout.metres("spacing"))
        && (line - 1) as f64 * spacing > MAX_COORDINATE
    {
        let what = format!(
            "no room for {line} stations in a line: expected at most {MAX_COORDINATE:e} m for all of it, got \"{spacing} m\" to each next one"
        );
        problems.add(layout.at("spacing"), layout.path_of("spacing"), what);
    }
}

fn check_prefix(layout: &Fields, problems: &mut Problems) {
    let Some(prefix) = layout.text("prefix") else { return };
    let what = if prefix.contains('*') {
        "expected a \"*\" in the name of the wlan too: each copy of it has a layout of its own".to_string()
    } else if quantity::name(&format!("{prefix}{MAX_STATIONS}")).is_err() {
        format!("expected room for a number in a name of 64 letters, got {prefix:?}")
    } else {
        return;
    };
    problems.add(layout.at("prefix"), layout.path_of("prefix"), what);
}

/// What a layout makes, in a line for readers of the effective scenario.
pub(crate) fn comment(layout: &Fields) -> Option<String> {
    /// More stations than these would be more to read than the rule.
    const SHOWN: usize = 20;
    let stations = made(layout)?;
    let drawn = area_of(layout).is_some();
    let one = |(name, [x, y]): &(String, Place)| match drawn {
        true => name.clone(),
        false => format!("{name} = [{}, {}]", number(*x), number(*y)),
    };
    let mut shown: Vec<String> = stations.iter().take(SHOWN).map(one).collect();
    if let Some(last) = stations.get(SHOWN..).and_then(<[_]>::last) {
        shown.extend(["…".to_string(), one(last)]);
    }
    let when = if drawn { ", placed anew for each seed and replication" } else { "" };
    Some(format!("{}{when}", shown.join(", ")))
}
