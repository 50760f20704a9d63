"""Columns of data frames with means and bounds of confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from airhop import stats
from airhop.analysis.measures import MEASURES

if TYPE_CHECKING:
    import polars as pl

    from airhop.study.table import Cell

SHARES = ("jain", "judged_right")
"""Metrics from 0 to 1 that are computed from other measures."""
RATIO = "goodput_ratio"
DIFFERENCE = "goodput_difference_mbps"


def bounds(
    name: str, value: stats.Estimate | stats.Ratio | stats.Difference | None
) -> dict[str, float | None]:
    """Return an estimate as the columns NAME, NAME_low and NAME_high.

    Unknown values are null.
    """
    columns = (name, f"{name}_low", f"{name}_high")
    if value is None:
        return dict.fromkeys(columns)
    if isinstance(value, stats.Ratio):
        found = (value.value if value.value == value.value else None, value.low, value.high)
    elif isinstance(value, stats.Difference):
        half = value.half_width
        found = (
            (value.mean, None, None) if half is None else (value.mean, value.mean - half, value.mean + half)
        )
    else:
        ends = value.interval(0.0, _most(name))
        found = (value.mean, *((ends.low, ends.high) if ends else (None, None)))
    return dict(zip(columns, found, strict=True))


def compared(cells: Sequence[Cell], by: str) -> pl.DataFrame:
    """Return each cell's paired difference and ratio.

    The column `by` has the index of the cell's point.
    """
    import polars as pl

    rows = [
        {by: cell.point.index, **bounds(DIFFERENCE, cell.difference), **bounds(RATIO, cell.ratio)}
        for cell in cells
    ]
    columns = (*bounds(DIFFERENCE, None), *bounds(RATIO, None))
    return pl.DataFrame(rows, schema={by: pl.Int64, **dict.fromkeys(columns, pl.Float64)})


def estimated(runs: pl.DataFrame, by: str, names: Sequence[str]) -> pl.DataFrame:
    """Estimate the means of columns over the runs of each group, as `stats.estimate` does.

    Columns: `by`, the number of runs `n`, and the columns of `bounds` for each name.
    """
    import polars as pl

    values = {name: pl.col(name).cast(pl.Float64) for name in names}
    finite = runs.select(
        by, **{name: pl.when(value.is_finite()).then(value) for name, value in values.items()}
    )
    groups = finite.group_by(by, maintain_order=True)
    mean, spread, least, most, count = (
        groups.agg(of(pl.col(*names)))
        for of in (pl.Expr.mean, pl.Expr.std, pl.Expr.min, pl.Expr.max, pl.Expr.count)
    )
    columns: list[pl.Series] = [mean[by], groups.len("n")["n"].cast(pl.Int64)]
    for name in names:
        low, high, n = (frame[name].to_numpy() for frame in (least, most, count))
        # Because of rounding, the computed mean of equal numbers may differ from the numbers, and their
        # deviation from 0.
        middle = np.where(low == high, low, mean[name].to_numpy())
        quantile = {size: stats.t_quantile(size - 1) if size > 1 else math.nan for size in set(n.tolist())}
        with np.errstate(divide="ignore", invalid="ignore"):
            half = np.array([quantile[size] for size in n.tolist()]) * spread[name].to_numpy() / np.sqrt(n)
        half = np.where((low == high) & (n > 1), 0.0, half)
        lower = np.where(low >= 0.0, np.maximum(middle - half, 0.0), middle - half)
        upper = np.minimum(middle + half, _most(name))
        columns += [
            pl.Series(column, values).fill_nan(None)
            for column, values in ((name, middle), (f"{name}_low", lower), (f"{name}_high", upper))
        ]
    return pl.DataFrame(columns)


def _most(name: str) -> float:
    """Return the largest possible value of a metric.

    Intervals are cut there.
    """
    if name in SHARES:
        return 1.0
    return MEASURES[name].most if name in MEASURES else math.inf
