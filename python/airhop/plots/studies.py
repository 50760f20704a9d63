"""Figures of studies: a metric against an axis, differences, fairness, distributions, heat maps.

Every function `draw_…` writes `stem.pdf`, `stem.svg` and `stem.png` for print and returns their paths.
`means`, `differences` and `distribution` return the figure, and draw on `ax` if it is given. `along` is a
column of the study's data frame, by default the first column that varies. Other columns are fixed at the
values in `at`, or else at the middle of their values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.errors import InputError
from airhop.hints import sent_once
from airhop.plots.confusion import draw_confusion
from airhop.plots.paper import PRINT_STYLE, canvas, curve, dashes, face, finish, page, write
from airhop.plots.quantities import FAIRNESS, GOODPUT, Dimension, fairness, measured, quantity
from airhop.plots.slices import Slice, cut
from airhop.plots.style import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.study import Cell, Table


def draw_means(
    table: Table,
    stem: str | Path,
    *,
    metric: str = GOODPUT.column,
    along: str | None = None,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw a metric against an axis: mean and 95 % interval per scheme.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    metric
        Column of `Table.frame`, such as `goodput_mbps` (Mbit/s) or `srtt_ms` (ms).
    along
        Column of the axis; by default the first that varies.
    at
        Fixed values by column of the grid; other columns are fixed at the middle of their values.
    labels
        Other names for schemes.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.
    """
    return _written(
        means(table, metric=metric, along=along, at=at, labels=labels), stem, quantity(metric).title
    )


def means(
    table: Table,
    *,
    metric: str = GOODPUT.column,
    along: str | None = None,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the figure of `draw_means`."""
    part = cut(table, metric, (along,), at)
    with canvas(ax) as (figure, axes):
        for scheme, label, style in _schemes(table, labels):
            cells = part.of(scheme)
            curve(
                axes,
                _positions(part, cells),
                [cell.value.mean for cell in cells],
                [cell.value.half_width for cell in cells],
                least=0.0,
                label=label,
                style=style,
                joined=_is_trend(part),
            )
        axes.set_ylabel(quantity(metric).title)
        # The index of n flows is at least 1/n, and mostly near 1.
        if not metric.endswith(FAIRNESS.column) and all(cell.value.mean >= 0 for cell in part.cells):
            axes.set_ylim(bottom=0.0)
        return _finish(figure, axes, part, own=ax is None)


def draw_differences(
    table: Table,
    stem: str | Path,
    *,
    metric: str = GOODPUT.column,
    along: str | None = None,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw each scheme's difference to the baseline, paired by replication, with its 95 % interval.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    metric
        Column of `Table.frame`, such as `goodput_mbps` (Mbit/s) or `srtt_ms` (ms).
    along
        Column of the axis; by default the first that varies.
    at
        Fixed values by column of the grid; other columns are fixed at the middle of their values.
    labels
        Other names for schemes.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When the study has no baseline.
    """
    drawn = differences(table, metric=metric, along=along, at=at, labels=labels)
    return _written(drawn, stem, f"Difference of {quantity(metric).title}")


def differences(
    table: Table,
    *,
    metric: str = GOODPUT.column,
    along: str | None = None,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the figure of `draw_differences`."""
    baseline = table.study.baseline
    if baseline is None:
        raise InputError(f"{table.study.name} has no baseline scheme, which a difference needs")
    part = cut(table, metric, (along,), at)
    named = dict(labels or {})
    with canvas(ax) as (figure, axes):
        axes.axhline(0.0, color="0.3", linewidth=0.6)
        for scheme, label, style in _schemes(table, labels):
            pairs = [(cell, cell.difference) for cell in part.of(scheme) if cell.difference is not None]
            if not pairs:
                continue
            curve(
                axes,
                _positions(part, [cell for cell, _ in pairs]),
                [difference.mean for _, difference in pairs],
                [difference.half_width for _, difference in pairs],
                label=label,
                style=style,
                joined=_is_trend(part),
            )
        drawn = quantity(metric)
        less = f"{drawn.label} less that of {named.get(baseline, baseline)}"
        axes.set_ylabel(replace(drawn, label=less).title)
        return _finish(figure, axes, part, own=ax is None)


def draw_fairness(table: Table, stem: str | Path, **choices: Any) -> list[Path]:
    """Draw Jain's fairness index of the flows' goodputs.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    **choices
        As for `draw_means`.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.
    """
    return draw_means(table, stem, metric=FAIRNESS.column, **choices)


def draw_distribution(
    table: Table,
    stem: str | Path,
    *,
    metric: str = GOODPUT.column,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw the empirical distribution of a metric over the replications of one setting.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    metric
        Column of `Table.frame`, such as `goodput_mbps` (Mbit/s) or `srtt_ms` (ms).
    at
        Fixed values by column of the grid; other columns are fixed at the middle of their values.
    labels
        Other names for schemes.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.
    """
    drawn = distribution(table, metric=metric, at=at, labels=labels)
    return _written(drawn, stem, f"Distribution of {quantity(metric).title}")


def distribution(
    table: Table,
    *,
    metric: str = GOODPUT.column,
    at: Mapping[str, object] | None = None,
    labels: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw the figure of `draw_distribution`."""
    part = cut(table, metric, (), at)
    with canvas(ax) as (figure, axes):
        for scheme, label, style in _schemes(table, labels):
            for cell in part.of(scheme):
                values = sorted(table.values(cell.point, metric).values())
                shares = [(place + 1) / len(values) for place in range(len(values))]
                axes.step(
                    [values[0], *values],
                    [0.0, *shares],
                    where="post",
                    label=label,
                    color=style.color,
                    linestyle=dashes(style),
                    marker=style.marker,
                    markerfacecolor=face(style),
                    markevery=max(1, len(values) // 8),
                )
        axes.set_xlabel(quantity(metric).title)
        axes.set_ylabel("Share of replications")
        axes.set_ylim(0.0, 1.0)
        return _finish(figure, axes, part, own=ax is None)


def draw_map(
    table: Table,
    stem: str | Path,
    *,
    scheme: str,
    metric: str = GOODPUT.column,
    across: str | None = None,
    up: str | None = None,
    at: Mapping[str, object] | None = None,
) -> list[Path]:
    """Draw a heat map of one scheme's metric over two axes; light colours are high values.

    Parameters
    ----------
    table
        Results of a study.
    stem
        Path of the files, without a suffix.
    scheme
        Name of the scheme.
    metric
        Column of `Table.frame`, such as `goodput_mbps` (Mbit/s) or `srtt_ms` (ms).
    across, up
        Columns of the x and y axis; by default the first two columns that vary.
    at
        Fixed values by column of the grid; other columns are fixed at the middle of their values.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When fewer than two columns vary.
    """
    import numpy as np

    part = cut(table, metric, (across, up), at)
    if len(part.along) < 2 or part.along[0].group == part.along[1].group:
        raise InputError(f"a map needs two axes that vary independently, which {table.study.name} lacks")
    first, second = part.along
    values = np.full((len(second.values), len(first.values)), np.nan)
    for cell in part.of(scheme):
        row, column = (d.rank(cell.point.values[d.column]) for d in (second, first))
        values[row, column] = cell.value.mean
    with _style():
        figure, axes = page()
        axes.grid(visible=False)
        image = axes.imshow(values, origin="lower", aspect="auto", cmap="gray", interpolation="nearest")
        axes.set_xticks(range(len(first.values)), first.texts)
        axes.set_yticks(range(len(second.values)), second.texts)
        axes.tick_params(length=0)
        axes.set_xlabel(first.label)
        axes.set_ylabel(second.label)
        bar = figure.colorbar(image, ax=axes)
        bar.set_label(f"{quantity(metric).title} of {scheme}")
        return write(figure, Path(stem), f"{quantity(metric).title} of {scheme}")


def draw_study(table: Table, folder: Path) -> list[Path]:
    """Draw all figures of a study: goodput, differences, distribution, fairness, classifications, maps."""
    files = [*draw_means(table, folder / "goodput"), *draw_distribution(table, folder / "distribution")]
    if table.study.baseline is not None:
        files += draw_differences(table, folder / "difference")
    fair = fairness(table)
    if fair is not None and (fair is not FAIRNESS or fair in measured(table.frame())):
        files += draw_means(table, folder / "fairness", metric=fair.column)
    files += draw_confusion(table, folder / "confusion")
    groups = {d.group: d for d in reversed(cut(table, GOODPUT.column, (None,) * 8).along) if d.numeric}
    if len(groups) > 1:
        across, up = list(reversed(groups.values()))[:2]
        for scheme in table.study.schemes:
            name = "".join(c if c.isalnum() else "-" for c in scheme)
            files += draw_map(
                table, folder / f"map-{name}", scheme=scheme, across=across.column, up=up.column
            )
    return files


def _style() -> Any:
    import matplotlib as mpl

    return mpl.rc_context(PRINT_STYLE)


def _schemes(table: Table, labels: Mapping[str, str] | None) -> list[tuple[str, str, Any]]:
    names = table.study.schemes
    look = styles(names)
    return [(name, (labels or {}).get(name, name), look[name]) for name in names]


def _is_trend(part: Slice) -> bool:
    """Return whether lines join the points; this requires more than two numeric points."""
    return bool(part.along) and part.along[0].numeric and len(part.along[0].values) > 2


def _positions(part: Slice, cells: list[Cell]) -> list[float]:
    if not part.along:
        return [0.0 for _ in cells]
    first = part.along[0]
    return [first.place(cell.point.values[first.column]) for cell in cells]


def _finish(figure: Figure, axes: Axes, part: Slice, *, own: bool) -> Figure:
    """Label the axis, state the fixed values, and add the legend."""
    if part.along:
        _name_axis(axes, part.along[0])
    once = sent_once(cell.point.scenario for cell in part.cells)
    return finish(figure, axes, "; ".join(filter(None, (part.where, once))), own=own)


def _written(figure: Figure, stem: str | Path, title: str) -> list[Path]:
    with _style():
        return write(figure, Path(stem), title)


def _name_axis(axes: Axes, dimension: Dimension) -> None:
    axes.set_xlabel(dimension.label)
    if dimension.scale == "log":
        axes.set_xscale("log")
    elif dimension.ticks:
        axes.set_xticks(dimension.ticks)
    elif dimension.scale == "category":
        axes.set_xticks(range(len(dimension.texts)), dimension.texts)
