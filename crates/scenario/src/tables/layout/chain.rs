use super::{Layout, NODES_KEY, PREFIX_KEY, SPACING_KEY, accept_any_values, layout_variant, scale_to_grid};

pub(super) static KIND: Layout = Layout {
    variant: layout_variant(
        "chain",
        "line of stations along x from [0, 0]: n0, n1, …",
        &[NODES_KEY, SPACING_KEY, PREFIX_KEY],
        r#"nodes = 3, spacing = "30 m""#,
    ),
    positions: |layout| scale_to_grid(layout, (0..layout.count("nodes")?).map(|x| (x, 0))),
    check: accept_any_values,
    line: |layout| layout.count("nodes"),
    drawn_in: None,
};
