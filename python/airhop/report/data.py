"""Data of a chapter for the page's script: points, cells and runs, as plain columns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from airhop.plots.quantities import Dimension
    from airhop.report.chapter import Chapter
    from airhop.report.packets.timeline import Timeline
    from airhop.study.study import Point
    from airhop.study.table import Cell

DIGITS = 6
"""Number of significant digits of the numbers in a page, more than the intervals distinguish."""


def chapter_data(chapter: Chapter) -> dict[str, Any]:
    """Return the grid, the metrics of each point, and the command that repeats a run of each point.

    `points` are the points with rows. The command repeats replication 0; commands of other replications
    differ only in `--rep`.
    """
    table = chapter.table
    cells = chapter.cells
    points = [cell.point for cell in cells[chapter.main.column]]
    place = {point.index: i for i, point in enumerate(points)}
    order = list(chapter.labels)
    return {
        "schemes": [
            {"name": scheme, "label": label, "color": chapter.scheme_styles[scheme].color}
            for scheme, label in chapter.labels.items()
        ],
        "baseline": order.index(table.study.baseline) if table.study.baseline in order else None,
        "dimensions": [_dimension(dimension) for dimension in chapter.dimensions],
        "metrics": [
            {
                "column": found.column,
                "label": found.label,
                "unit": found.unit,
                "most": found.most if math.isfinite(found.most) else None,
            }
            for found in chapter.quantities
        ],
        "fairness": chapter.fairness and chapter.fairness.column,
        "points": {
            "scheme": [order.index(point.scheme) for point in points],
            "places": [
                [dimension.rank(point.values[dimension.column]) for point in points]
                for dimension in chapter.dimensions
            ],
            "command": [table.command(point, 0) for point in points],
        },
        "cells": {column: _cells(found, place) for column, found in cells.items()},
        "plane": [chapter.dimensions.index(d) for d in chapter.plane] if chapter.plane else None,
        "published": (published := _published(chapter, points)),
        "publishedRatio": published and _published_ratios(chapter, points, published),
        "frame": _frame(chapter),
        "traced": {
            str(place[run.point]): place_of for place_of, run in enumerate(chapter.runs) if run.point in place
        },
        "tracedRep": chapter.runs[0].rep if chapter.runs else None,
    }


def runs_data(chapter: Chapter) -> dict[str, Any]:
    """Return columns over all runs: index of the point in `chapter_data`, replication, and metrics."""
    frame = chapter.frame
    points = [cell.point for cell in chapter.cells[chapter.main.column]]
    columns = [dimension.column for dimension in chapter.dimensions]
    keys = [*columns, "scheme"]
    place = {
        (*(point.values[column] for column in columns), point.scheme): i for i, point in enumerate(points)
    }
    blocks = frame.select(pl.struct(keys).rle_id().alias("block"), *keys)
    starts = blocks.unique("block", keep="first", maintain_order=True)
    of_block = pl.Series([place[row] for row in starts.select(keys).iter_rows()], dtype=pl.UInt32)
    return {
        "point": of_block.gather(blocks["block"]).to_list(),
        "rep": frame["rep"].to_list(),
        "metrics": {found.column: _numbers(frame[found.column]) for found in chapter.quantities},
    }


def sources_data(shown: Timeline) -> dict[str, dict[str, list[float | str | None]]]:
    """Return the data sources of a time-line as columns.

    NaN and -∞ become null. +∞ becomes the string "Infinity".
    """
    return {name: {column.name: _exact(column) for column in rows} for name, rows in shown.sources.items()}


def _exact(column: pl.Series) -> list[float | str | None]:
    """Convert a column to a list with six decimals per number.

    NaN and -∞ become None. +∞ becomes "Infinity".
    """
    if not column.dtype.is_float():
        return column.to_list()
    return [
        value if value == value and abs(value) != math.inf else "Infinity" if value > 0 else None
        for value in column.round(6).to_list()
    ]


def _dimension(dimension: Dimension) -> dict[str, Any]:
    return {
        "label": dimension.label,
        "scale": dimension.scale,
        "values": list(dimension.values),
        "texts": list(dimension.texts),
        "group": dimension.group,
        "ticks": dimension.ticks,
    }


def _cells(cells: list[Cell], place: dict[int, int]) -> dict[str, list[float | None]]:
    """Convert cells (summaries of points) to columns in the order of the points; missing values are null."""
    found: dict[str, list[float | None]] = {
        name: [None] * len(place)
        for name in (
            "n",
            "mean",
            "half",
            "difference",
            "differenceHalf",
            "correlation",
            "ratio",
            "low",
            "high",
        )
    }
    for cell in cells:
        i = place.get(cell.point.index)
        if i is None:
            continue
        found["n"][i] = cell.n
        found["mean"][i], found["half"][i] = _number(cell.value.mean), _number(cell.value.half_width)
        if cell.difference is not None:
            found["difference"][i] = _number(cell.difference.mean)
            found["differenceHalf"][i] = _number(cell.difference.half_width)
            found["correlation"][i] = _number(cell.difference.correlation)
        if cell.ratio is not None:
            found["ratio"][i] = _number(cell.ratio.value)
            found["low"][i], found["high"][i] = _number(cell.ratio.low), _number(cell.ratio.high)
    return found


def _published(chapter: Chapter, points: list[Point]) -> list[float | None] | None:
    """Return the number that the paper prints for each point; None for a point without a printed number.

    If the paper prints no number at all, returns None instead of the list.
    """
    if chapter.printed is None or not chapter.printed.published:
        return None
    first, published = chapter.dimensions[0], chapter.printed.published
    return [published.get((point.scheme, first.rank(point.values[first.column]))) for point in points]


def _published_ratios(
    chapter: Chapter, points: list[Point], published: list[float | None]
) -> list[float | None]:
    """Return the printed ratio of each point to the baseline at the same setting.

    None for a point if the paper lacks one of the numbers.
    """
    study = chapter.table.study
    pairs = list(zip(points, published, strict=True))
    of_baseline = {point.setting: number for point, number in pairs if point.scheme == study.baseline}
    return [
        _number(number / beside)
        if number and point.scheme != study.baseline and (beside := of_baseline.get(point.setting))
        else None
        for point, number in pairs
    ]


def _frame(chapter: Chapter) -> dict[str, Any] | None:
    """Return the axes of the paper's figure, for printed numbers on the page; None without a figure."""
    if chapter.printed is None:
        return None
    return {"ticks": list(chapter.printed.ticks), "limits": chapter.printed.limits}


def _number(value: float | None) -> float | None:
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}")


def _numbers(column: pl.Series) -> list[float | None]:
    if column.dtype.is_integer():
        return column.to_list()
    finite = pl.when(column.is_finite()).then(column.round_sig_figs(DIGITS))
    return pl.select(finite).to_series().to_list()
