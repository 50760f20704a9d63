"""Template of the round-trip figure of a time-line: RTT of each segment, SRTT, RTO, and notices."""

from __future__ import annotations

from bokeh.models import ColumnDataSource, CustomJSTickFormatter, FixedTicker, HoverTool, Range1d
from bokeh.plotting import figure

from airhop.report.look import tooltip
from airhop.report.packets.linked import TIME, UNFITTED, hover_along, linked, source
from airhop.report.packets.marks import TIMER_COLORS
from airhop.report.packets.round_trip import NOTICE_COLUMNS, TIMELY, TRIP_COLUMNS, TRIPS
from airhop.report.packets.sequence import TIMEOUTS
from airhop.report.packets.sequence_figure import EDGES, mark_timeouts, shade

TICKS_MS = [step * 10.0**decade for decade in range(6) for step in (1, 2, 5)]
IN_SECONDS = "return String(tick / 1000)"
"""JavaScript format of the ticks of the y axis. It converts ms to s; hover cards show ms."""
STRIP = "strip"
"""Tag of renderers in the strip at the lower edge. The figure reserves space for this strip."""


def round_trip_figure(time: Range1d, window: ColumnDataSource) -> figure:
    """Return the figure `timer`; its y axis is logarithmic, because backoff doubles the RTO."""
    plot = linked(time, "timer", "Round-trip time (s)", y_axis_type="log")
    # Bokeh's own ticker falls back to equal steps below two decades, whose labels then overlap.
    plot.yaxis.ticker = plot.ygrid.ticker = FixedTicker(ticks=TICKS_MS)
    plot.yaxis.formatter = CustomJSTickFormatter(code=IN_SECONDS)
    shade(plot, "fades")
    for mark in TRIPS.values():
        drawn = plot.scatter(
            "x",
            "y",
            source=source(mark.group, *TRIP_COLUMNS),
            size=mark.size,
            line_color=mark.color,
            line_width=0 if mark.filled else 1.2,
            fill_color=mark.color if mark.filled else None,
            name=mark.group,
        )
        rows = ("acknowledged", TIME), ("took", "@y{0.0} ms"), ("first byte", "@kilobytes{0,0.000} kB")
        card = tooltip(mark.text, *rows, ("sendings", "@sendings"))
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=card))
    plot.step("x", "rto_ms", source=window, mode="after", color=TIMER_COLORS["rto"], width=1.5, name="rto")
    plot.step("x", "srtt_ms", source=window, mode="after", color=TIMER_COLORS["srtt"], width=2, name="srtt")
    card = tooltip("timer", ("time", TIME), ("srtt", "@srtt_ms{custom} ms"), ("rto", "@rto_ms{0.0} ms"))
    hover_along(plot, window, "rto_ms", card)
    mark_timeouts(plot, TIMEOUTS.group)
    _notices(plot)
    return plot


def _notices(plot: figure) -> None:
    """Mark the notices at the lower edge.

    Notices that came after the RTO expiry have their own style.
    """
    for mark in TIMELY.values():
        drawn = plot.scatter(
            "x",
            "y",
            source=source(mark.group, *NOTICE_COLUMNS),
            y_range_name=EDGES,
            marker=mark.marker,
            size=mark.size,
            color=mark.color,
            line_width=1.5,
            name=mark.group,
        )
        drawn.tags = [*UNFITTED, STRIP]
        card = tooltip(
            f"@kind: {mark.text}", ("time", TIME), ("after the timer's expiry", "@lateness{0.0} ms")
        )
        plot.add_tools(HoverTool(renderers=[drawn], tooltips=card))
