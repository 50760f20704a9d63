"""Figures of the page, created once; new runs replace only the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import polars as pl
from bokeh.core.properties import value
from bokeh.events import DoubleTap
from bokeh.models import (
    BoxZoomTool,
    ColumnDataSource,
    CrosshairTool,
    CustomJS,
    DataRange1d,
    FactorRange,
    HoverTool,
    LabelSet,
    PanTool,
    Range1d,
    Span,
    TeeHead,
    WheelZoomTool,
    Whisker,
)
from bokeh.plotting import figure

from airhop.comparison import Row
from airhop.plots.style import SchemeStyle
from airhop.report.look import FONT, LIGHT_TEXT, plain_figure, tooltip
from airhop.terminal import mean_pm, number, ratio
from airhop.view.curves import Curves, Line

DASHES = ("solid", "dashed", "dotted", "dotdash")
TIME = "@x{0.000000} s"
ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
"""Possible ends of an axis, times a power of ten."""
WIDTH, WIDTH_OF_FEW = 0.62, 0.2
"""Width of a bar as a share of the bar spacing.

WIDTH, or WIDTH_OF_FEW times the number of bars if smaller.
"""
HEADROOM = 1.15
"""Ratio of the axis' end to the highest bar. The space is for an error bar and a number."""


def dashes(look: Mapping[str, SchemeStyle]) -> dict[str, str]:
    """Return Bokeh's line dashes by scheme.

    The first scheme of each colour is solid.
    """
    rank: Counter[str] = Counter()
    found = {}
    for scheme, style in look.items():
        found[scheme] = DASHES[rank[style.color] % len(DASHES)]
        rank[style.color] += 1
    return found


class Bars:
    """Goodput by scheme, with the mean's 95 % interval if there are several replications."""

    def __init__(self) -> None:
        self._source = ColumnDataSource(
            {key: [] for key in ("scheme", "mean", "high", "text", "interval", "color", "ratio")}, name="bars"
        )
        self._intervals = ColumnDataSource({"scheme": [], "low": [], "high": []})
        self.figure = plain_figure(
            height=340,
            x_range=FactorRange(),
            y_range=Range1d(0.0, 1.0),
            y_axis_label="Goodput (Mbit/s)",
            name="goodput",
        )
        self._draw()

    def show(self, rows: Sequence[Row], look: Mapping[str, SchemeStyle]) -> None:
        """Show the goodput of these rows, in the colours of the schemes."""
        goodput = [row.goodput for row in rows]
        ends = [value.drawn for value in goodput]
        highs = [one.high for one in ends]
        schemes = [row.scheme for row in rows]
        if self.figure.x_range.factors != schemes:
            self.figure.x_range.factors = schemes
        self._source.data = {
            "scheme": schemes,
            "mean": [value.mean for value in goodput],
            "high": highs,
            "text": [number(value.mean) for value in goodput],
            "interval": [mean_pm(value) for value in goodput],
            "color": [look[scheme].color for scheme in schemes],
            "ratio": ["× 1" if row is rows[0] else ratio(row.goodput_ratio, least=0.0) for row in rows],
        }
        sure = [(row.scheme, one) for row, one in zip(rows, ends, strict=True) if one.low < one.high]
        self._intervals.data = {
            "scheme": [scheme for scheme, _ in sure],
            "low": [one.low for _, one in sure],
            "high": [one.high for _, one in sure],
        }
        self._glyph.width = min(WIDTH, WIDTH_OF_FEW * len(schemes))
        self.figure.y_range.end = axis_top(HEADROOM * max(highs, default=0.0), self.figure.y_range.end)

    def _draw(self) -> None:
        plot = self.figure
        bars = plot.vbar("scheme", top="mean", width=WIDTH, source=self._source, color="color", name="bars")
        self._glyph = bars.glyph
        plot.add_layout(
            Whisker(
                base="scheme",
                lower="low",
                upper="high",
                source=self._intervals,
                line_color=LIGHT_TEXT,
                line_width=1.5,
                level="annotation",
                tags=["ink"],
                upper_head=TeeHead(size=14, line_color=LIGHT_TEXT, line_width=1.5, tags=["ink"]),
                lower_head=TeeHead(size=14, line_color=LIGHT_TEXT, line_width=1.5, tags=["ink"]),
            )
        )
        plot.add_layout(
            LabelSet(
                x="scheme",
                y="high",
                text="text",
                source=self._source,
                text_align="center",
                y_offset=5,
                text_font=value(FONT),
                text_font_size="14px",
                text_color=LIGHT_TEXT,
                tags=["ink"],
            )
        )
        card = tooltip("@scheme", ("goodput", "@interval Mbit/s"), ("to the first", "@ratio"))
        plot.add_tools(HoverTool(renderers=[bars], tooltips=card))
        plot.xgrid.visible = False
        plot.xaxis.major_label_text_font_size = "14px"


class Graphs:
    """Window, sequence numbers, round-trip time and queue of one run per scheme, on one time axis."""

    def __init__(self, duration_s: float) -> None:
        self._time = Range1d(0.0, duration_s, bounds=(0.0, duration_s), min_interval=1e-3, name="time")
        self._crosshair = Span(dimension="height", line_dash="dotted", line_width=1, line_color="#7d8794")
        self.window = self._figure("window", 250, "Window (segments)")
        self.sequence = self._figure("sequence", 320, "Sequence number (kB)")
        self.rtt = self._figure("rtt", 230, "Smoothed RTT (ms)")
        self.queue = self._figure("queue", 230, "Queue (packets)", x_axis_label="Time (s)")
        self._lines = {
            "window": self._draw_lines(self.window),
            "acks": self._draw_lines(self.sequence),
            "rtt": self._draw_lines(self.rtt),
            "queue": self._draw_lines(self.queue),
        }
        self._resent = self._draw_marks("retransmission", "triangle", 6, 0.0, ())
        self._lost = self._draw_marks("data lost", "x", 7, 1.5, ("place",))

    def show(
        self, curves: Mapping[str, Curves], look: Mapping[str, SchemeStyle], duration_s: float, of_class: bool
    ) -> None:
        """Show runs by scheme.

        The reader's time window stays if the new runs have it. The curves of a class are sums over its flows,
        except the round-trip times.
        """
        if duration_s != self._time.bounds[1]:
            # Set the bounds with the range, because the browser clips each value to the bounds.
            self._time.update(bounds=(0.0, duration_s), start=0.0, end=duration_s)
        places = ", ".join(
            dict.fromkeys(run.place.replace("->", "→") for run in curves.values() if run.place)
        )
        self.window.yaxis.axis_label = "Sum of windows (segments)" if of_class else "Window (segments)"
        self.sequence.yaxis.axis_label = "Acknowledged, sum (kB)" if of_class else "Sequence number (kB)"
        self.rtt.yaxis.axis_label = "Smoothed RTT of each flow (ms)" if of_class else "Smoothed RTT (ms)"
        self.queue.yaxis.axis_label = f"Queue {places} (packets)" if places else "Queue (packets)"
        dash = dashes(look)
        colors = {scheme: look[scheme].color for scheme in curves}
        for name, source in self._lines.items():
            lines = [(scheme, line) for scheme, run in curves.items() for line in _lines(getattr(run, name))]
            source.data = {
                "xs": [line.x for _, line in lines],
                "ys": [line.y for _, line in lines],
                "color": [colors[scheme] for scheme, _ in lines],
                "dash": [dash[scheme] for scheme, _ in lines],
                "scheme": [scheme for scheme, _ in lines],
            }
        self._resent.data = _marks({scheme: run.resent for scheme, run in curves.items()}, colors)
        self._lost.data = _marks({scheme: run.lost for scheme, run in curves.items()}, colors)

    def _draw_lines(self, plot: figure) -> ColumnDataSource:
        """Draw the lines of all schemes as one glyph, because a page with many Bokeh models opens slowly."""
        source = ColumnDataSource(
            {key: [] for key in ("xs", "ys", "color", "dash", "scheme")}, name=f"{plot.name}-lines"
        )
        plot.multi_line(
            "xs", "ys", source=source, color="color", line_dash="dash", line_width=1.8, line_join="round"
        )
        return source

    def _draw_marks(
        self, what: str, marker: str, size: int, width: float, more: Sequence[str]
    ) -> ColumnDataSource:
        """Draw packet events of all schemes."""
        keys = ("x", "y", "flow", "first", "cause", "color", "scheme", *more)
        source = ColumnDataSource({key: [] for key in keys})
        marks = self.sequence.scatter(
            "x", "y", source=source, marker=marker, size=size, color="color", line_width=width
        )
        rows = [
            ("time", TIME),
            ("flow", "@flow"),
            ("first byte", "@first{0,0.000} kB"),
            *((key, f"@{key}") for key in ("cause", *more)),
        ]
        self.sequence.add_tools(HoverTool(renderers=[marks], tooltips=tooltip(f"@scheme: {what}", *rows)))
        return source

    def _figure(self, name: str, height: int, label: str, **options: Any) -> figure:
        plot = plain_figure(
            name=name,
            height=height,
            x_range=self._time,
            y_range=DataRange1d(start=0.0, range_padding=0.06),
            window_axis="x",
            y_axis_label=label,
            **options,
        )
        zoom, wheel = BoxZoomTool(dimensions="width"), WheelZoomTool(dimensions="width", modifiers="ctrl")
        plot.add_tools(CrosshairTool(overlay=self._crosshair), PanTool(dimensions="width"), zoom, wheel)
        plot.toolbar.active_drag, plot.toolbar.active_scroll = zoom, wheel
        whole = "const [start, end] = time.bounds; time.setv({ start, end })"
        plot.js_on_event(DoubleTap, CustomJS(args={"time": self._time}, code=whole))
        return plot


def _lines(found: Line | Sequence[Line]) -> Sequence[Line]:
    """Return one line or several as a list."""
    return [found] if isinstance(found, Line) else found


def _marks(by_scheme: Mapping[str, pl.DataFrame], colors: Mapping[str, str]) -> dict[str, Any]:
    """Collect the marks of all schemes in one table, numbers as arrays, texts as lists."""
    table = pl.concat(
        marks.with_columns(scheme=pl.lit(scheme), color=pl.lit(colors[scheme]))
        for scheme, marks in by_scheme.items()
    )
    return {c.name: c.to_list() if c.dtype == pl.String else c.to_numpy() for c in table}


def axis_top(needed: float, current: float) -> float:
    """Return the upper end of an axis.

    The end stays unchanged while the bars fit and fill the axis, so that their changes are visible.
    """
    if 0.4 * current <= needed <= current:
        return current
    decade = 10.0 ** floor(log10(needed)) if needed > 0 else 1.0
    return next(step * decade for step in ROUND if step * decade >= needed)
