use super::{
    Layout, MAX_STATIONS, PREFIX_KEY, SPACING_KEY, accept_any_values, layout_variant, scale_to_grid,
};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Required;
use crate::grammar::key::{Key, ValueKind, key};
use airhop_net::placement::Position;

pub(super) static KIND: Layout = Layout {
    variant: layout_variant(
        "cross",
        "two perpendicular chains with a common station in the middle. With `arm` = 2, n0 to n4 lie along x from [0, 0], n2 is \
         in the middle, and n5 to n8 lie along y, two on each side of n2",
        &KEYS,
        r#"arm = 2, spacing = "30 m""#,
    ),
    positions,
    check: accept_any_values,
    line: |layout| layout.count("arm").map(|arm| 2 * arm + 1),
    drawn_in: None,
};

static KEYS: [Key; 3] = [
    key(
        "arm",
        ValueKind::Count { least: 1, most: (MAX_STATIONS - 1) / 4 },
        Required,
        "number of stations in each of the four arms, excluding the station in the middle",
    ),
    SPACING_KEY,
    PREFIX_KEY,
];

fn positions(layout: &Fields) -> Option<Vec<Position>> {
    let arm = layout.count("arm")?;
    let along = (0..=2 * arm).map(|x| (x, 0));
    let above = (1..=arm).map(|y| (arm, y as i64));
    let below = (1..=arm).rev().map(|y| (arm, -(y as i64)));
    scale_to_grid(layout, along.chain(below).chain(above))
}
