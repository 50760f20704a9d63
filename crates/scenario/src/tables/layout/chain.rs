use super::{Layout, NODES, PREFIX, SPACING, is_bounded, made_of, on_grid};

pub(super) static KIND: Layout = Layout {
    variant: made_of(
        "chain",
        "line of stations along x from [0, 0]: n0, n1, …",
        &[NODES, SPACING, PREFIX],
        r#"nodes = 3, spacing = "30 m""#,
    ),
    places: |layout| on_grid(layout, (0..layout.count("nodes")?).map(|x| (x, 0))),
    check: is_bounded,
    line: |layout| layout.count("nodes"),
    drawn_in: None,
};
