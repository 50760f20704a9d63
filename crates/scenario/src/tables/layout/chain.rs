use super::{Layout, NODES, PREFIX, SPACING, accept_any_values, layout_variant, on_grid};

pub(super) static KIND: Layout = Layout {
    variant: layout_variant(
        "chain",
        "line of stations along x from [0, 0]: n0, n1, …",
        &[NODES, SPACING, PREFIX],
        r#"nodes = 3, spacing = "30 m""#,
    ),
    places: |layout| on_grid(layout, (0..layout.count("nodes")?).map(|x| (x, 0))),
    check: accept_any_values,
    line: |layout| layout.count("nodes"),
    drawn_in: None,
};
