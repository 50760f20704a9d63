use super::{Layout, MAX_STATIONS, PREFIX_KEY, SPACING_KEY, layout_variant, scale_to_grid};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_net::placement::Position;

pub(super) static KIND: Layout = Layout {
    variant: layout_variant(
        "grid",
        "grid of stations: rows along x, stacked along y, numbered row by row from [0, 0]",
        &KEYS,
        r#"columns = 2, rows = 2, spacing = "30 m""#,
    ),
    positions,
    check,
    line: |layout| Some(layout.count("columns")?.max(layout.count("rows")?)),
    drawn_in: None,
};

static KEYS: [Key; 4] = [
    key(
        "columns",
        ValueKind::Count { least: 1, most: MAX_STATIONS },
        Required,
        "number of stations in a row",
    ),
    key(
        "rows",
        ValueKind::Count { least: 1, most: MAX_STATIONS },
        Required,
        "number of stations in a column",
    ),
    SPACING_KEY,
    PREFIX_KEY,
];

fn positions(layout: &Fields) -> Option<Vec<Position>> {
    let (columns, rows) = (layout.count("columns")?, layout.count("rows")?);
    // If there are too many stations, no positions are computed; the file is only rejected.
    (columns * rows <= MAX_STATIONS).then_some(())?;
    scale_to_grid(layout, (0..columns * rows).map(|i| (i % columns, (i / columns) as i64)))
}

fn check(layout: &Fields, problems: &mut Problems) {
    let (Some(columns), Some(rows)) = (layout.count("columns"), layout.count("rows")) else { return };
    let stations = columns * rows;
    if !(2..=MAX_STATIONS).contains(&stations) {
        let what = format!("expected 2 to {MAX_STATIONS} stations, got {columns} × {rows} = {stations}");
        problems.add(layout.position_of("rows"), layout.path_of("rows"), what);
    }
}
