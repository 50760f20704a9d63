"""The figures of a time-line, as templates on one time axis; page.js fills them with a run.

The rows of a group of events are in the source of its name, and what draws them bears the same name.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import (
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    CrosshairTool,
    CustomJSHover,
    FixedTicker,
    HoverTool,
    NumeralTickFormatter,
    PanTool,
    Range1d,
    Span,
    WheelZoomTool,
)
from bokeh.plotting import figure

from airhop.report.look import plain_figure, tooltip
from airhop.report.marks import (
    ACK_COLOR,
    AIR_LOSSES,
    HEIGHTS_PX,
    QUEUE_COLORS,
    SEQUENCE,
    TIMER_COLORS,
    WINDOW_COLORS,
    Mark,
)
from airhop.report.on_air_figure import on_air_figure

TIME = "@x{0.000000} s"
NUMBER_OR_NONE = "return isFinite(value) ? value.toFixed(1) : value > 0 ? '∞' : '–'"
"""The threshold starts infinite; before the first sample there is no round-trip time."""
TIMER_TICKS_MS = [step * 10.0**decade for decade in range(6) for step in (1, 2, 5)]
WINDOW_COLUMNS = ("x", "cwnd", "ssthresh", "flight", "srtt_ms", "rto_ms")
UNFITTED = ["unfitted"]
"""Tag of what must not stretch the vertical axis."""


def timeline_figures() -> dict[str, figure]:
    """Make the figures `sequence`, `window`, `timer`, `queue` and `air`."""
    time = Range1d(0.0, 1.0, bounds=(0.0, 1.0), min_interval=1e-4, name="time")
    window = ColumnDataSource({name: [] for name in WINDOW_COLUMNS}, name="window")
    made = {
        "sequence": _sequence(time),
        "window": _window(time, window),
        "timer": _timer(time, window),
        "queue": _queue(time),
        "air": on_air_figure(time),
    }
    crosshair = Span(dimension="height", line_dash="dotted", line_width=1, line_color="#7d8794")
    for plot in made.values():
        zoom, wheel = BoxZoomTool(dimensions="width"), WheelZoomTool(dimensions="width", modifiers="ctrl")
        plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)  # or 1 ms is 1.000e-3
        plot.add_tools(CrosshairTool(overlay=crosshair), PanTool(dimensions="width"), wheel, zoom)
        plot.toolbar.active_drag, plot.toolbar.active_scroll = zoom, wheel
    return made


def _sequence(time: Range1d) -> figure:
    """Draw segments, ACKs, losses and notices over time, at the height of their sequence number."""
    plot = _linked(time, "sequence", "Sequence number (kB)")
    plot.step("x", "y", source=_source("ack"), mode="after", color=ACK_COLOR, width=1.2, name="ack")
    for mark in SEQUENCE:
        _scatter(plot, mark)
    return plot


def _window(time: Range1d, source: ColumnDataSource) -> figure:
    """Draw congestion window, threshold and flight in segments."""
    plot = _linked(time, "window", "Segments")
    # Points, not a line: the trace samples the flight when one of the others changes, and not in between.
    plot.scatter(
        "x", "flight", source=source, size=3, color=WINDOW_COLORS["flight"], line_width=0, name="flight"
    )
    plot.step(
        "x",
        "ssthresh",
        source=source,
        mode="after",
        color=WINDOW_COLORS["ssthresh"],
        width=1.5,
        line_dash=[5, 3],
        name="ssthresh",
    ).tags = UNFITTED  # it starts far above everything
    plot.step("x", "cwnd", source=source, mode="after", color=WINDOW_COLORS["cwnd"], width=2, name="cwnd")
    plot.y_range.tags = ["zero"]
    card = tooltip(
        "window",
        ("time", TIME),
        ("cwnd", "@cwnd{0.00}"),
        ("ssthresh", "@ssthresh{custom}"),
        ("in flight", "@flight{0.00}"),
    )
    _hover_along(plot, source, "cwnd", card)
    return plot


def _timer(time: Range1d, source: ColumnDataSource) -> figure:
    """Draw smoothed round-trip time and retransmission timeout in ms, on a log axis: backoff doubles it."""
    plot = _linked(time, "timer", "Milliseconds", y_axis_type="log")
    # Bokeh's own ticker falls back to equal steps below two decades, whose labels then overlap.
    plot.yaxis.ticker = plot.ygrid.ticker = FixedTicker(ticks=TIMER_TICKS_MS)
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    plot.step("x", "rto_ms", source=source, mode="after", color=TIMER_COLORS["rto"], width=1.5, name="rto")
    plot.step("x", "srtt_ms", source=source, mode="after", color=TIMER_COLORS["srtt"], width=2, name="srtt")
    card = tooltip("timer", ("time", TIME), ("srtt", "@srtt_ms{custom} ms"), ("rto", "@rto_ms{0.0} ms"))
    _hover_along(plot, source, "rto_ms", card)
    return plot


def _queue(time: Range1d) -> figure:
    """Draw the packets waiting at each place, and frames lost in the air on the floor."""
    plot = _linked(time, "queue", "Packets")
    for number, color in enumerate(QUEUE_COLORS):
        name = f"queue-{number}"
        plot.step("x", "y", source=_source(name), mode="after", color=color, width=1.5, name=name)
    for mark in AIR_LOSSES:
        _scatter(plot, mark)
    return plot


def _scatter(plot: figure, mark: Mark) -> None:
    renderer = plot.scatter(
        "x",
        "y",
        source=_source(mark.group, *(["place", "cause"] if mark.dropped else [])),
        marker=mark.marker,
        size=mark.size,
        line_color=mark.color,
        line_width=1.5 if mark.size > 4 else 0,
        fill_color=mark.color if mark.filled else None,
        name=mark.group,
        visible=mark.shown,
    )
    rows = [("time", TIME)]
    if mark.height:
        rows.append((mark.height, "@y{0,0.000} kB"))
    if mark.dropped:
        rows += [("cause", "@cause"), ("at", "@place")]
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=tooltip(mark.text, *rows)))


def _hover_along(plot: figure, source: ColumnDataSource, y: str, card: str) -> None:
    """Show the card of the last change before the pointer. Bokeh does not hit steps: an unseen line does."""
    unseen = plot.line("x", y, source=source, line_alpha=0.0)
    unseen.tags = UNFITTED
    words = dict.fromkeys(("@ssthresh", "@srtt_ms"), CustomJSHover(code=NUMBER_OR_NONE))
    plot.add_tools(
        HoverTool(renderers=[unseen], tooltips=card, formatters=words, mode="vline", line_policy="prev")
    )


def _source(name: str, *columns: str) -> ColumnDataSource:
    return ColumnDataSource({column: [] for column in ("x", "y", *columns)}, name=name)


def _linked(time: Range1d, name: str, label: str, **options: Any) -> figure:
    """Make a figure on the shared time axis; page.js fits its height to what the time window shows."""
    return plain_figure(
        name=name,
        height=HEIGHTS_PX[name],
        x_range=time,
        y_range=Range1d(1.0, 2.0),
        y_axis_label=label,
        **options,
    )
