"""Template of the space-time diagram of a time-line.

The script assets/js/on_air.js adds the visible frames. A Bokeh source is named after its role and its group,
as in `bars:data`. Renderers are named after their group, so that a legend button can show and hide them.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    HoverTool,
    Range1d,
)
from bokeh.plotting import figure

from airhop.plots.frames import STYLES
from airhop.report.look import plain_figure, tooltip
from airhop.report.packets.air_marks import (
    COLLISION_COLOR,
    COLLISIONS,
    FRAME_PX,
    LOST_COLOR,
    MPDUS,
    OUTCOMES,
    RETRIED_COLOR,
)
from airhop.report.packets.marks import Mark

BOX = ("left", "right", "bottom", "top")
STEM = ("x0", "y0", "x1", "y1")
INK = "#7d8794"
"""Colour of arrows and strips, visible on light and dark pages and in print."""
WAITING_ALPHA, STRIP_ALPHA, OVERLAP_ALPHA = 0.22, 0.6, 0.15


def on_air_figure(time: Range1d) -> figure:
    """Make the figure `air`: a lane per station on the time axis of the other figures."""
    plot = plain_figure(
        name="air", height=FRAME_PX, x_range=time, y_range=Range1d(0.5, -0.5), y_axis_label="Station"
    )
    plot.yaxis.ticker = FixedTicker(ticks=[])
    plot.yaxis.major_tick_line_alpha = 0
    # The grid lines separate the lanes; a label is at the middle of each lane.
    plot.ygrid.ticker = FixedTicker(ticks=[], name="borders")
    _boxes(plot, "waiting", "waiting", color=INK, alpha=WAITING_ALPHA)
    for group in ("heard", "only-sensed"):
        _boxes(plot, "strips", group, color=INK, alpha=STRIP_ALPHA)
    _boxes(plot, "bars", "many", color=INK, alpha=1.0)
    for group in (*COLLISIONS, "captured"):
        _overlap(plot, group)
    for kind, style in STYLES.items():
        bars = _boxes(plot, "bars", kind, "from", "to", "tells", color=style.color, alpha=1.0)
        card = tooltip(f"{style.text} @from → @to", ("", "@tells"), ("time", "@left{0.0000000} s"))
        plot.add_tools(HoverTool(renderers=[bars], tooltips=card, attachment="vertical"))
        if kind == "a-mpdu":
            _mpdus(plot)
        stems, tips = _source("stems", kind, *STEM), _source("tips", kind, "x", "y", "marker")
        plot.segment(*STEM, source=stems, line_color=INK, line_width=1, name=kind)
        plot.scatter("x", "y", marker="marker", source=tips, size=6, color=INK, line_width=0, name=kind)
    for mark in (*OUTCOMES.values(), *COLLISIONS.values()):
        _mark(plot, mark)
    return plot


def _mpdus(plot: figure) -> None:
    """Draw the MPDUs in the bars of A-MPDUs: borders, lost MPDUs, and strips of retransmitted ones."""
    borders = _source("borders", "a-mpdu", *STEM)
    plot.segment(*STEM, source=borders, line_color="white", line_width=1, line_alpha=0.8, name="a-mpdu")
    lost = _boxes(plot, "cells", MPDUS["lost"].group, color="white", alpha=1.0)
    lost.glyph.update(line_color=LOST_COLOR, line_width=1)
    lost.glyph.update(hatch_pattern="x", hatch_color=LOST_COLOR, hatch_scale=6, hatch_weight=1.5)
    _boxes(plot, "cells", MPDUS["retried"].group, color=RETRIED_COLOR, alpha=1.0)


def _overlap(plot: figure, group: str) -> None:
    """Draw a box where frames overlap, with a line from the interfering frame to the box."""
    captured = group == "captured"
    color = OUTCOMES["captured"].color if captured else COLLISION_COLOR
    boxes = _boxes(plot, "overlaps", group, "tells", color=color, alpha=0 if captured else OVERLAP_ALPHA)
    boxes.glyph.update(line_color=color, line_width=1, line_dash="dashed" if captured else "solid")
    if not captured:
        boxes.glyph.update(hatch_pattern="/", hatch_color=color, hatch_alpha=0.6, hatch_scale=10)
    plot.add_tools(HoverTool(renderers=[boxes], tooltips=tooltip("@tells"), attachment="vertical"))
    lines = _source("lines", group, *STEM)
    plot.segment(*STEM, source=lines, line_color=color, line_width=2, line_dash="dotted", name=group)


def _mark(plot: figure, mark: Mark) -> None:
    plot.scatter(
        "x",
        "y",
        source=_source("marks", mark.group, "x", "y"),
        marker=mark.marker,
        size=mark.size,
        line_color=mark.color,
        line_width=2.5 if mark.group in COLLISIONS else 1.5,
        fill_color=mark.color if mark.filled else None,
        name=mark.group,
    )


def _boxes(plot: figure, role: str, group: str, *columns: str, color: str, alpha: float) -> Any:
    source = _source(role, group, *BOX, *columns)
    return plot.quad(
        **{side: side for side in BOX},
        source=source,
        line_color=None,
        fill_color=color,
        fill_alpha=alpha,
        name=group,
    )


def _source(role: str, group: str, *columns: str) -> ColumnDataSource:
    return ColumnDataSource({column: [] for column in columns}, name=f"{role}:{group}")
