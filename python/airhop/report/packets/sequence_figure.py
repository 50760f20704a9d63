"""Template of the sequence graph of a time-line, with fades and timeouts as in the other figures."""

from __future__ import annotations

from bokeh.models import CustomJSHover, FixedTicker, HoverTool, LinearScale, Range1d
from bokeh.plotting import figure

from airhop.analysis.arrivals import MODULO, ticks
from airhop.report.look import tooltip
from airhop.report.packets.linked import TIME, UNFITTED, linked, source
from airhop.report.packets.marks import GREY
from airhop.report.packets.sequence import (
    ARRIVALS,
    COLUMNS,
    FADE_ALPHA,
    FADE_COLUMNS,
    HOP_FADES,
    HOP_TIMEOUTS,
    TIMEOUTS,
)

EDGES = "edges"
"""Name of the extra y axis from 0 to 1, for marks at a fixed height in the figure."""
COPY = "return value > 1 ? `sending ${value} of the source` : value ? 'first sending' : 'copy of an agent'"


def sequence_figure(time: Range1d) -> figure:
    """Return the figure `arrivals`: segments at the receiver's radio interface, by number modulo 90."""
    plot = linked(time, "arrivals", f"Segment number mod {MODULO}")
    plot.yaxis.ticker = plot.ygrid.ticker = FixedTicker(ticks=ticks(MODULO))
    plot.y_range.update(start=-0.04 * MODULO, end=1.06 * MODULO, tags=["fixed"])
    shade(plot, HOP_FADES)
    for mark in ARRIVALS.values():
        drawn = plot.scatter(
            "x",
            "y",
            source=source(mark.group, *COLUMNS),
            marker=mark.marker,
            size=mark.size,
            line_color=mark.color,
            line_width=1.5 if mark.size > 4 else 0,
            fill_color=mark.color if mark.filled else None,
            name=mark.group,
        )
        card = tooltip(
            mark.text,
            ("time", TIME),
            ("first byte", "@kilobytes{0,0.000} kB"),
            ("number", f"@y mod {MODULO}"),
            ("source", "@copy{custom}"),
            ("link", "attempt @attempt"),
            ("frame", "@cause"),
        )
        words = {"@copy": CustomJSHover(code=COPY)}
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=card, formatters=words))
    mark_timeouts(plot, HOP_TIMEOUTS)
    return plot


def shade(plot: figure, name: str) -> None:
    """Shade the fades of the source `name` over the whole height."""
    rows = source(name, *FADE_COLUMNS)
    strips = plot.vstrip("begin", "end", source=rows, color=GREY, alpha=FADE_ALPHA, line_width=0)
    strips.update(name=name, tags=UNFITTED, level="underlay")
    card = tooltip("fade of @place", ("from", "@begin{0.000} s"), ("to", "@end{0.000} s"))
    plot.add_tools(HoverTool(renderers=[strips], tooltips=card))


def mark_timeouts(plot: figure, name: str) -> None:
    """Mark the RTO expiries in the source `name` at the upper edge."""
    add_edges(plot)
    drawn = plot.scatter(
        "x",
        "y",
        source=source(name, "x", "y"),
        y_range_name=EDGES,
        marker=TIMEOUTS.marker,
        size=TIMEOUTS.size,
        color=TIMEOUTS.color,
        line_width=0,
        name=name,
    )
    drawn.tags = UNFITTED
    plot.add_tools(HoverTool(renderers=[drawn], tooltips=tooltip(TIMEOUTS.text, ("time", TIME))))


def add_edges(plot: figure) -> None:
    """Add a y axis from 0 (lower edge) to 1 (upper edge)."""
    plot.extra_y_ranges = {EDGES: Range1d(0.0, 1.0)}
    plot.extra_y_scales = {EDGES: LinearScale()}
