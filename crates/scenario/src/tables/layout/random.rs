use super::{Layout, NODES_KEY, PREFIX_KEY, accept_any_values, layout_variant};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use airhop_net::plan::Area;

pub(super) static KIND: Layout = Layout {
    variant: layout_variant(
        "random",
        "random positions, uniform in a rectangle, drawn for each seed and replication and equal for every \
         scheme; if a draw is not `connected`, all positions are drawn again, at most 10000 times (random stream \
         `<wlan>.layout`)",
        &KEYS,
        r#"nodes = 3, width = "30 m", height = "30 m""#,
    ),
    positions: |layout| Some(vec![[0.0, 0.0]; usize::try_from(layout.count("nodes")?).ok()?]),
    check: accept_any_values,
    line: |_| None,
    drawn_in: Some(area),
};

static KEYS: [Key; 5] = [
    NODES_KEY,
    key("width", ValueKind::Metres, Required, "extent of the rectangle in x, from 0"),
    key("height", ValueKind::Metres, Required, "extent of the rectangle in y, from 0"),
    key(
        "connected",
        ValueKind::Flag,
        Value("true"),
        "true = accept only positions from which all stations can reach each other over one or more hops",
    ),
    PREFIX_KEY,
];

fn area(layout: &Fields) -> Option<Area> {
    Some(Area {
        width: layout.metres("width")?,
        height: layout.metres("height")?,
        must_be_connected: layout.flag("connected")?,
    })
}
