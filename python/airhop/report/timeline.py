"""The time-line of one run: time-sequence graph, window, and timer, sharing one time axis.

Every renderer is named `group:NAME`; the page's legend buttons show and hide the renderers of a group.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
from bokeh.models import (
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

if TYPE_CHECKING:
    from airhop.report.traced import TracedRun

TIME = "@x{0.000000} s"
KILOBYTE = 1000.0
NUMBER_OR_NONE = "return isFinite(value) ? value.toFixed(1) : value > 0 ? '∞' : '–'"
"""The threshold starts infinite; before the first sample there is no round-trip time."""
TIMER_TICKS_MS = [step * 10.0**decade for decade in range(6) for step in (1, 2, 5)]


@dataclass(frozen=True)
class Mark:
    """One kind of packet event and how it is drawn."""

    group: str
    text: str
    """What the legend and the hover card call it."""
    marker: str
    color: str
    size: int
    filled: bool = True
    shown: bool = True
    """Whether the page shows it before the reader asks: what merely repeats a loss mark waits."""
    height: str | None = "first byte"
    """What the hover card calls the height; None where the packet has no number of its own."""


NEW_DATA = Mark("new", "new data", "circle", "#5b87b5", 4)
RETRANSMISSIONS = {
    "fast": Mark("fast", "fast retransmission", "triangle", "#c77700", 7),
    "recovery": Mark("recovery", "retransmission in recovery", "inverted_triangle", "#c77700", 7),
    "timeout": Mark("timeout", "retransmission after timeout", "hex", "#e03131", 9),
    "notice": Mark("notice", "retransmission on ELN", "triangle", "#1f9d63", 7),
}
DATA_DROPS = {
    "channel": Mark("channel", "data lost: channel error", "x", "#e03131", 8),
    "collision": Mark("collision", "data lost: collision", "asterisk", "#8b5cf6", 8),
    "queue": Mark("queue", "data lost: queue full", "square_x", "#a8643c", 9, filled=False),
    "aqm": Mark("aqm", "data lost: AQM", "square_cross", "#a8643c", 9, filled=False),
    "agent": Mark("agent", "data lost: agent", "circle_x", "#a8643c", 9, filled=False),
    "retries": Mark(
        "retries", "data given up by the link", "circle", "#e03131", 13, filled=False, shown=False
    ),
}
ACK_LOST = Mark("ack-lost", "ACK lost", "y", "#0d9aa8", 9, filled=False, height="acknowledges")
ACK_HELD_BACK = Mark(
    "ack-held-back", "ACK held back by the agent", "dash", "#c77700", 8, filled=False, height="acknowledges"
)
NOTICE_LOST = Mark("notice-lost", "notice lost", "diamond_cross", "#e03131", 9, filled=False)
LINK_ACK_LOST = Mark("control-lost", "link ACK lost", "y", "#e03131", 9, filled=False, height=None)
DUPLICATE = Mark("dupack", "duplicate ACK", "dash", "#7d8794", 6, filled=False, height="acknowledges")
NOTICES = {
    ("eln", "sent"): Mark("eln-sent", "ELN sent", "diamond", "#1f9d63", 8, filled=False, shown=False),
    ("eln", "received"): Mark("eln-received", "ELN received", "diamond", "#1f9d63", 7),
    ("ersn", "sent"): Mark("ersn-sent", "ERSN sent", "square_pin", "#0d9aa8", 8, filled=False, shown=False),
    ("ersn", "received"): Mark("ersn-received", "ERSN received", "square_pin", "#0d9aa8", 8),
}


@dataclass(frozen=True)
class LegendEntry:
    """A legend button: a group of renderers, its look and how many events it holds (None for a line)."""

    group: str
    text: str
    color: str
    symbol: str
    count: int | None
    shown: bool = True


@dataclass(frozen=True)
class Timeline:
    """The three figures of a run, their legends, and where data was lost."""

    sequence: figure
    window: figure
    timer: figure
    legends: dict[str, list[LegendEntry]]
    """By figure: `sequence`, `window`, `timer`."""
    losses: list[float]
    """Times at which a data packet was lost, in seconds, ascending."""


def shared_time(duration_s: float, opening_s: float) -> Range1d:
    """Make the time axis that all schemes and figures share; it opens on the first `opening_s`."""
    return Range1d(0.0, opening_s, bounds=(0.0, duration_s), min_interval=1e-4, name="time")


def timeline(run: TracedRun, time: Range1d) -> Timeline:
    """Draw one traced run on the shared time axis."""
    crosshair = Span(dimension="height", line_dash="dotted", line_width=1, line_color="#7d8794")
    window_source = ColumnDataSource(_columns(_window(run)))
    sequence, sequence_legend = _sequence(run, time)
    window, window_legend = _window_figure(run, window_source, time)
    timer, timer_legend = _timer_figure(run, window_source, time)
    for plot in (sequence, window, timer):
        plot.add_tools(
            CrosshairTool(overlay=crosshair),
            PanTool(dimensions="width"),
            WheelZoomTool(dimensions="width", modifiers="ctrl"),
        )
        zoom = BoxZoomTool(dimensions="width")
        plot.add_tools(zoom)
        plot.toolbar.active_drag = zoom
        plot.toolbar.active_scroll = plot.select_one(WheelZoomTool)
    return Timeline(
        sequence,
        window,
        timer,
        {"sequence": sequence_legend, "window": window_legend, "timer": timer_legend},
        _loss_times(run),
    )


def _loss_times(run: TracedRun) -> list[float]:
    """List when data was lost; the link giving a packet up follows a lost frame and is not counted again."""
    lost = run.table("drops").filter((_word("kind") == "data") & (_word("cause") != "retries"))
    return [round(float(t), 6) for t in lost["time_s"].sort()]


def _sequence(run: TracedRun, time: Range1d) -> tuple[figure, list[LegendEntry]]:
    """Draw segments, ACKs, losses and notices over time, at the height of their sequence number in kB."""
    plot = _linked_figure(run, time, "sequence", 460, "Sequence number (kB)")
    legend = []
    acks = run.table("acks").select(x="time_s", y=_kilobytes("ack"), duplicate="duplicate")
    advancing = acks.filter(~pl.col("duplicate")).drop("duplicate")
    plot.step(
        "x", "y", source=_columns(advancing), mode="after", color="#7d8794", width=1.2, name="group:ack"
    )
    legend.append(LegendEntry("ack", "cumulative ACK", "#7d8794", "line", advancing.height))
    for mark, points in _marks(run, acks):
        if points.is_empty():
            continue
        _scatter(plot, mark, points)
        symbol = mark.marker if mark.filled else f"{mark.marker}-open"
        legend.append(LegendEntry(mark.group, mark.text, mark.color, symbol, points.height, mark.shown))
    return plot, legend


def _marks(run: TracedRun, acks: pl.DataFrame) -> Iterator[tuple[Mark, pl.DataFrame]]:
    """Yield every kind of event with its points (x in s, y in kB), in drawing order."""
    segments = run.table("segments").select(
        "retransmission", x="time_s", y=_kilobytes("seq"), cause=_word("cause")
    )
    yield NEW_DATA, segments.filter(~pl.col("retransmission")).select("x", "y")
    for cause, mark in RETRANSMISSIONS.items():
        yield mark, segments.filter(pl.col("retransmission") & (pl.col("cause") == cause)).select("x", "y")
    yield DUPLICATE, acks.filter(pl.col("duplicate")).drop("duplicate")
    drops = run.table("drops").select(
        x="time_s", y=_kilobytes("seq"), place=_word("place"), cause=_word("cause"), kind=_word("kind")
    )
    for cause, mark in DATA_DROPS.items():
        yield mark, drops.filter((pl.col("kind") == "data") & (pl.col("cause") == cause)).drop("kind")
    # The link giving up an ACK or a notice repeats the loss of its last frame.
    lost = {
        kind: drops.filter((pl.col("kind") == kind) & (pl.col("cause") != "retries")).drop("kind")
        for kind in ("ack", "notice", "control")
    }
    held_back = pl.col("cause") == "agent"
    yield ACK_HELD_BACK, lost["ack"].filter(held_back)
    yield ACK_LOST, lost["ack"].filter(~held_back)
    yield NOTICE_LOST, lost["notice"]
    yield LINK_ACK_LOST, _on_the_ack_line(lost["control"], acks)
    notices = run.table("notices").select(
        x="time_s", y=_kilobytes("seq"), kind=_word("kind"), event=_word("event")
    )
    for (kind, event), mark in NOTICES.items():
        yield mark, notices.filter((pl.col("kind") == kind) & (pl.col("event") == event)).select("x", "y")


def _on_the_ack_line(points: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """Lift points without a sequence number to the cumulative ACK of their time."""
    line = acks.select("x", y=pl.col("y").cum_max())
    return points.drop("y").sort("x").join_asof(line, on="x").with_columns(pl.col("y").fill_null(0.0))


def _scatter(plot: figure, mark: Mark, points: pl.DataFrame) -> None:
    renderer = plot.scatter(
        "x",
        "y",
        source=_columns(points),
        marker=mark.marker,
        size=mark.size,
        line_color=mark.color,
        line_width=1.5 if mark.size > 4 else 0,
        fill_color=mark.color if mark.filled else None,
        name=f"group:{mark.group}",
        visible=mark.shown,
    )
    rows = [("time", TIME)]
    if mark.height:
        rows.append((mark.height, "@y{0,0.000} kB"))
    if "place" in points.columns:
        rows += [("cause", "@cause"), ("at", "@place")]
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=tooltip(mark.text, *rows)))


def _window_figure(
    run: TracedRun, source: ColumnDataSource, time: Range1d
) -> tuple[figure, list[LegendEntry]]:
    """Draw congestion window, threshold and flight in segments."""
    plot = _linked_figure(run, time, "window", 230, "Segments")
    # Points, not a line: the trace samples the flight when one of the others changes, and not in between.
    plot.scatter("x", "flight", source=source, size=3, color="#7d8794", line_width=0, name="group:flight")
    plot.step(
        "x",
        "ssthresh",
        source=source,
        mode="after",
        color="#c77700",
        width=1.5,
        line_dash=[5, 3],
        name="group:ssthresh",
    ).tags = ["unfitted"]  # it starts far above everything and must not stretch the axis
    plot.step("x", "cwnd", source=source, mode="after", color="#2f7fd6", width=2, name="group:cwnd")
    plot.y_range.tags = ["zero"]
    _hover_along(
        plot,
        source,
        "cwnd",
        tooltip(
            "window",
            ("time", TIME),
            ("cwnd", "@cwnd{0.00}"),
            ("ssthresh", "@ssthresh{custom}"),
            ("in flight", "@flight{0.00}"),
        ),
    )
    return plot, [
        LegendEntry("cwnd", "cwnd", "#2f7fd6", "line", None),
        LegendEntry("ssthresh", "ssthresh", "#c77700", "dashed", None),
        LegendEntry("flight", "in flight", "#7d8794", "circle", None),
    ]


def _timer_figure(
    run: TracedRun, source: ColumnDataSource, time: Range1d
) -> tuple[figure, list[LegendEntry]]:
    """Draw smoothed round-trip time and retransmission timeout in ms, on a log axis: backoff doubles it."""
    plot = _linked_figure(run, time, "timer", 220, "Milliseconds", y_axis_type="log", x_axis_label="Time (s)")
    # Bokeh's own ticker falls back to equal steps below two decades, whose labels then overlap.
    plot.yaxis.ticker = plot.ygrid.ticker = FixedTicker(ticks=TIMER_TICKS_MS)
    plot.yaxis.formatter = NumeralTickFormatter(format="0,0")
    plot.step("x", "rto_ms", source=source, mode="after", color="#d6336c", width=1.5, name="group:rto")
    plot.step("x", "srtt_ms", source=source, mode="after", color="#0d9aa8", width=2, name="group:srtt")
    card = tooltip("timer", ("time", TIME), ("srtt", "@srtt_ms{custom} ms"), ("rto", "@rto_ms{0.0} ms"))
    _hover_along(plot, source, "rto_ms", card)
    return plot, [
        LegendEntry("rto", "retransmission timeout", "#d6336c", "line", None),
        LegendEntry("srtt", "smoothed RTT", "#0d9aa8", "line", None),
    ]


def _hover_along(plot: figure, source: ColumnDataSource, y: str, card: str) -> None:
    """Show the card of the last change before the pointer. Bokeh does not hit steps: an unseen line does."""
    unseen = plot.line("x", y, source=source, line_alpha=0.0)
    unseen.tags = ["unfitted"]
    words = dict.fromkeys(("@ssthresh", "@srtt_ms"), CustomJSHover(code=NUMBER_OR_NONE))
    plot.add_tools(
        HoverTool(renderers=[unseen], tooltips=card, formatters=words, mode="vline", line_policy="prev")
    )


def _linked_figure(
    run: TracedRun, time: Range1d, name: str, height: int, label: str, **options: Any
) -> figure:
    """Make a figure on the shared time axis; page.js fits its height to what the time window shows."""
    return plain_figure(
        name=f"{run.scheme}:{name}",
        height=height,
        x_range=time,
        y_range=Range1d(1.0, 2.0),
        y_axis_label=label,
        **options,
    )


def _window(run: TracedRun) -> pl.DataFrame:
    segment_bytes = run.table("segments")["bytes"].max() or 1
    return run.table("window").select(
        x="time_s",
        cwnd="cwnd",
        ssthresh="ssthresh",
        flight=pl.col("flight").cast(pl.Float64) / float(segment_bytes),  # type: ignore[arg-type]
        # No sample yet is a gap in the line, not a zero on a log axis.
        srtt_ms=pl.when(pl.col("srtt_ms") > 0).then("srtt_ms").otherwise(float("nan")),
        rto_ms="rto_ms",
    )


def _kilobytes(column: str) -> pl.Expr:
    """Turn a sequence number (the first data byte is 1) into an offset in kB."""
    return (pl.col(column).cast(pl.Float64) - 1.0) / KILOBYTE


def _word(column: str) -> pl.Expr:
    """Take a category as text."""
    return pl.col(column).cast(pl.String)


def _columns(table: pl.DataFrame) -> dict[str, Any]:
    """Give columns as Bokeh takes them: numbers as binary arrays, words as lists."""
    return {c.name: c.to_list() if c.dtype == pl.String else c.to_numpy() for c in table}
