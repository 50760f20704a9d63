"""Figures of an emulation and its simulated twin: delivered bytes and losses, goodput over time, cwnd.

Unlike other figure templates, these figures contain their data. Each renderer is tagged with its run or its
cause of loss. Legend buttons show and hide renderers by tag (assets/js/twin.js).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log10

import polars as pl
from bokeh.models import (
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    CrosshairTool,
    DataRange1d,
    HoverTool,
    PanTool,
    Range1d,
    Span,
    WheelZoomTool,
)
from bokeh.plotting import figure

from airhop.report.look import plain_figure, tooltip
from airhop.report.packets.linked import TIME
from airhop.report.packets.marks import BLUE, DATA_DROPS, GOLD

MEGABYTE = 1e6
MOST_POINTS = 4000
"""Maximum number of points in a curve of delivered bytes, more than the pixel columns of a screen."""
LEAST_WINDOWS = 25
"""Minimum number of averaging intervals in the graph of goodput."""
HEIGHTS_PX = {"delivered": 440, "goodput": 260, "cwnd": 260}


@dataclass(frozen=True)
class TwinStyle:
    """Style of a run."""

    color: str
    symbol: str
    """Drawing of the line in the legend. It also selects Bokeh's dash pattern."""


LOOKS = {"kernel": TwinStyle(BLUE, "line"), "twin": TwinStyle(GOLD, "dashed")}
DASHES = {"line": "solid", "dashed": "dashed"}


@dataclass(frozen=True)
class Curves:
    """Delivered bytes of a flow over time."""

    delivered: pl.DataFrame
    """`x` in seconds, `y` in MB."""
    goodput: pl.DataFrame
    """Mean goodput `y` (Mbit/s) over the averaging interval that begins at `x` (seconds).

    The last row repeats `y` at the end of the run.
    """
    window_s: float


def curves(deliveries: pl.DataFrame, duration_s: float) -> Curves:
    """Make the curves of a flow from its rows of the table `deliveries`."""
    rows = deliveries.select(x="time_s", y=pl.col("bytes") / MEGABYTE)
    tick = duration_s / MOST_POINTS
    last_of_each = rows.group_by(pl.col("x") // tick, maintain_order=True).last()
    delivered = pl.concat(
        [
            pl.DataFrame({"x": [0.0], "y": [0.0]}),
            last_of_each.select(rows.columns) if rows.height > MOST_POINTS else rows,
            pl.DataFrame({"x": [duration_s], "y": [rows["y"].max() or 0.0]}),
        ],
        how="vertical_relaxed",
    )
    window_s = window(duration_s)
    edges = [place * window_s for place in range(int(duration_s / window_s + 1e-9) + 1)]
    at = pl.DataFrame({"x": edges}).join_asof(rows.sort("x"), on="x").fill_null(0.0)
    rates = (8 * MEGABYTE / 1e6 * at["y"].diff() / window_s)[1:].to_list()
    goodput = pl.DataFrame({"x": edges, "y": [*rates, *rates[-1:]] or [0.0]})
    return Curves(delivered, goodput, window_s)


def window(duration_s: float) -> float:
    """Return the averaging interval of goodput in seconds.

    The interval is 1, 2 or 5 times a power of ten. It is the longest that divides the run into
    `LEAST_WINDOWS` intervals or more.
    """
    longest = duration_s / LEAST_WINDOWS
    power = 10.0 ** (ceil(log10(longest) - 1e-9) - 1)
    return max(factor * power for factor in (1, 2, 5, 10) if factor * power <= longest * (1 + 1e-9))


def losses(drops: pl.DataFrame, deliveries: pl.DataFrame) -> pl.DataFrame:
    """Return the losses of a flow's data as points on its curve: `x`, `y`, `place`, `cause`."""
    curve = deliveries.select(x="time_s", y=pl.col("bytes") / MEGABYTE).sort("x")
    lost = drops.filter(pl.col("kind") == "data").sort("time_s")
    return (
        lost.select("place", "cause", x="time_s")
        .join_asof(curve, on="x")
        .with_columns(pl.col("y").fill_null(0.0))
    )


def figures(
    shown: Mapping[str, Curves],
    lost: Mapping[str, pl.DataFrame],
    windows: Mapping[str, pl.DataFrame],
    labels: Mapping[str, str],
    duration_s: float,
) -> dict[str, figure]:
    """Return the figures `delivered`, `goodput` and `cwnd` on one time axis.

    `cwnd` is omitted if `windows` is empty.
    """
    time = Range1d(0.0, duration_s, bounds=(0.0, duration_s), name="time")
    width = f"{next(iter(shown.values())).window_s:g}"
    made = {
        "delivered": _empty("delivered", time, "Delivered (MB)"),
        "goodput": _empty("goodput", time, f"Goodput in {width} s (Mbit/s)"),
    }
    for name, one in shown.items():
        _curve(made["delivered"], name, one.delivered, labels[name], "@y{0.000} MB")
        _curve(made["goodput"], name, one.goodput, labels[name], "@y{0.00} Mbit/s")
    if windows:
        made["cwnd"] = _empty("cwnd", time, "cwnd (segments)")
    for name, rows in windows.items():
        _curve(made["cwnd"], name, rows, labels[name], "@y{0.0} segments")
    for name, rows in lost.items():
        _losses(made["delivered"], name, rows, labels[name])
    crosshair = Span(dimension="height", line_dash="dotted", line_width=1, line_color="#7d8794")
    for plot in made.values():
        zoom, wheel = BoxZoomTool(dimensions="width"), WheelZoomTool(dimensions="width", modifiers="ctrl")
        plot.add_tools(CrosshairTool(overlay=crosshair), PanTool(dimensions="width"), wheel, zoom)
        plot.toolbar.active_drag, plot.toolbar.active_scroll = zoom, wheel
        plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)
    list(made.values())[-1].xaxis.axis_label = "Time (s)"
    return made


def _empty(name: str, time: Range1d, label: str) -> figure:
    return plain_figure(
        name=name,
        height=HEIGHTS_PX[name],
        x_range=time,
        y_range=DataRange1d(start=0.0, only_visible=True),
        y_axis_label=label,
    )


def _curve(plot: figure, run: str, rows: pl.DataFrame, label: str, value: str) -> None:
    """Draw a run as steps.

    Hover cards use an invisible line, because Bokeh's steps have none.
    """
    look, source = LOOKS[run], ColumnDataSource(rows.to_dict(as_series=False))
    drawn = plot.step(
        "x",
        "y",
        source=source,
        mode="after",
        color=look.color,
        width=2,
        line_dash=DASHES[look.symbol],
    )
    unseen = plot.line("x", "y", source=source, line_alpha=0.0)
    drawn.tags = unseen.tags = [run]
    card = tooltip(label, ("", value), ("time", TIME))
    plot.add_tools(HoverTool(renderers=[unseen], tooltips=card, mode="vline", line_policy="prev"))


def _losses(plot: figure, run: str, rows: pl.DataFrame, label: str) -> None:
    for cause, mark in DATA_DROPS.items():
        found = rows.filter(cause=cause)
        if found.is_empty():
            continue
        drawn = plot.scatter(
            "x",
            "y",
            source=ColumnDataSource(found.to_dict(as_series=False)),
            marker=mark.marker,
            size=mark.size,
            line_color=mark.color,
            line_width=1.5,
            fill_color=mark.color if mark.filled else None,
            visible=mark.shown,
        )
        drawn.tags = [run, mark.group]
        card = tooltip(f"{label}: {mark.text}", ("at", "@place"), ("time", TIME))
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=card))
