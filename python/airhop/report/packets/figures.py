"""Templates of a time-line's figures with a common time axis; page.js adds the data of a run.

The rows of a group of events are in the Bokeh source with the group's name. The renderers of the group also
have this name.
"""

from __future__ import annotations

from bokeh.models import (
    BasicTickFormatter,
    BoxZoomTool,
    ColumnDataSource,
    CrosshairTool,
    HoverTool,
    PanTool,
    Range1d,
    Span,
    WheelZoomTool,
)
from bokeh.plotting import figure

from airhop.report.look import tooltip
from airhop.report.packets.linked import TIME, UNFITTED, hover_along, linked, source
from airhop.report.packets.marks import (
    ACK_COLOR,
    AIR_LOSSES,
    QUEUE_COLORS,
    SEQUENCE,
    WINDOW_COLORS,
    Mark,
)
from airhop.report.packets.on_air_figure import on_air_figure
from airhop.report.packets.round_trip_figure import round_trip_figure
from airhop.report.packets.sequence_figure import sequence_figure

WINDOW_COLUMNS = ("x", "cwnd", "ssthresh", "flight", "srtt_ms", "rto_ms")


def timeline_figures() -> dict[str, figure]:
    """Make the figures `sequence`, `arrivals`, `window`, `timer`, `queue` and `air`."""
    time = Range1d(0.0, 1.0, bounds=(0.0, 1.0), min_interval=1e-4, name="time")
    window = source("window", *WINDOW_COLUMNS)
    made = {
        "sequence": _sequence(time),
        "arrivals": sequence_figure(time),
        "window": _window(time, window),
        "timer": round_trip_figure(time, window),
        "queue": _queue(time),
        "air": on_air_figure(time),
    }
    crosshair = Span(dimension="height", line_dash="dotted", line_width=1, line_color="#7d8794")
    for plot in made.values():
        zoom, wheel = BoxZoomTool(dimensions="width"), WheelZoomTool(dimensions="width", modifiers="ctrl")
        # without this format 1 ms would be 1.000e-3
        plot.xaxis.formatter = BasicTickFormatter(use_scientific=False)
        plot.add_tools(CrosshairTool(overlay=crosshair), PanTool(dimensions="width"), wheel, zoom)
        plot.toolbar.active_drag, plot.toolbar.active_scroll = zoom, wheel
    return made


def _sequence(time: Range1d) -> figure:
    """Draw segments, ACKs, losses and notices over time; the height is the sequence number."""
    plot = linked(time, "sequence", "Sequence number (kB)")
    plot.step("x", "y", source=source("ack", "x", "y"), mode="after", color=ACK_COLOR, width=1.2, name="ack")
    for mark in SEQUENCE:
        _scatter(plot, mark)
    return plot


def _window(time: Range1d, rows: ColumnDataSource) -> figure:
    """Draw congestion window, slow-start threshold and flight size, in segments."""
    plot = linked(time, "window", "Segments")
    # Draw points, not a line, because the trace samples the flight only when cwnd, ssthresh or the timer
    # changes.
    plot.scatter(
        "x", "flight", source=rows, size=3, color=WINDOW_COLORS["flight"], line_width=0, name="flight"
    )
    plot.step(
        "x",
        "ssthresh",
        source=rows,
        mode="after",
        color=WINDOW_COLORS["ssthresh"],
        width=1.5,
        line_dash=[5, 3],
        name="ssthresh",
    ).tags = UNFITTED  # ssthresh starts far above all other values
    plot.step("x", "cwnd", source=rows, mode="after", color=WINDOW_COLORS["cwnd"], width=2, name="cwnd")
    plot.y_range.tags = ["zero"]
    card = tooltip(
        "window",
        ("time", TIME),
        ("cwnd", "@cwnd{0.00}"),
        ("ssthresh", "@ssthresh{custom}"),
        ("in flight", "@flight{0.00}"),
    )
    hover_along(plot, rows, "cwnd", card)
    return plot


def _queue(time: Range1d) -> figure:
    """Draw the number of packets in each queue; marks at the lower edge are frames lost in the air."""
    plot = linked(time, "queue", "Packets")
    for number, color in enumerate(QUEUE_COLORS):
        name = f"queue-{number}"
        plot.step("x", "y", source=source(name, "x", "y"), mode="after", color=color, width=1.5, name=name)
    for mark in AIR_LOSSES:
        _scatter(plot, mark)
    return plot


def _scatter(plot: figure, mark: Mark) -> None:
    renderer = plot.scatter(
        "x",
        "y",
        source=source(mark.group, "x", "y", *(["place", "cause"] if mark.dropped else [])),
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
