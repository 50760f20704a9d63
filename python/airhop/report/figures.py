"""Templates of a chapter's interactive figures: axes, style and tools, but no data.

The page's script assets/js/chapter.js adds the data that the reader selects. The data of scheme number i are
in the Bokeh source named `data:i`. All renderers of that scheme are named `scheme:i`, so that the legend can
show and hide them.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import (
    BoxZoomTool,
    ColorBar,
    ColumnDataSource,
    FactorRange,
    FixedTicker,
    GlyphRenderer,
    HoverTool,
    LinearColorMapper,
    PanTool,
    Range1d,
    Span,
    TapTool,
    TeeHead,
    WheelZoomTool,
    Whisker,
)
from bokeh.palettes import Cividis256
from bokeh.plotting import figure

from airhop.plots.quantities import Scale
from airhop.plots.style import SchemeStyle
from airhop.report.chapter import Chapter
from airhop.report.look import plain_figure, tooltip

CARD = ("@metric", "@value @unit")
CURVE_COLUMNS = (
    "x",
    "y",
    "joined",
    "low",
    "high",
    "where",
    "metric",
    "unit",
    "value",
    "reps",
    "difference",
    "correlation",
    "ratio",
    "point",
)
"""Columns of the source of a curve; the page's script fills these columns."""


def means(chapter: Chapter, scale: Scale) -> figure:
    """Return the figure of a metric against a dimension: a curve per scheme, with 95 % intervals."""
    plot = _against(scale, "means", 460)
    baseline = chapter.table.study.baseline
    rows = [CARD]
    if baseline is not None:
        other = chapter.labels.get(baseline, baseline)
        rows += [
            (f"less that of {other}", "@difference"),
            ("correlation of the pairs", "@correlation"),
            (f"ratio to {other}", "@ratio"),
        ]
    _curves(plot, chapter, [*rows, ("replications", "@reps")])
    if chapter.printed is not None and chapter.printed.published:
        for place, style in enumerate(chapter.scheme_styles.values()):
            source = ColumnDataSource({"x": [], "y": []}, name=f"published:{place}")
            plot.scatter(
                "x",
                "y",
                source=source,
                marker=style.bokeh_marker,
                size=13,
                fill_color=None,
                line_color=style.color,
                line_width=1.2,
                name=f"scheme:{place}",
            )
    return plot


def differences(chapter: Chapter, scale: Scale) -> figure:
    """Make the figure of the paired difference to the baseline, with a line at zero."""
    plot = _against(scale, "differences", 340)
    plot.add_layout(Span(location=0, dimension="width", line_color="#7d8794", line_width=1.2))
    _curves(
        plot,
        chapter,
        [("difference", "@difference"), ("correlation of the pairs", "@correlation"), ("pairs", "@reps")],
    )
    return plot


def fairness(chapter: Chapter, scale: Scale) -> figure:
    """Return the figure of Jain's index against a dimension: a curve per scheme, with 95 % intervals."""
    plot = _against(scale, "fairness", 340)
    _curves(plot, chapter, [CARD, ("replications", "@reps")])
    return plot


def distribution(chapter: Chapter) -> figure:
    """Return the figure of a metric's empirical distribution over replications at one setting, per scheme."""
    plot = _empty("distribution", 340)
    plot.yaxis.axis_label = "Share of replications"
    plot.y_range.update(start=0.0, end=1.04)
    points = []
    for place, (label, style) in enumerate(_schemes(chapter)):
        steps = ColumnDataSource({"x": [], "y": []}, name=f"steps:{place}")
        plot.step(
            "x",
            "y",
            source=steps,
            mode="after",
            color=style.color,
            width=1.8,
            line_dash=_dashes(style),
            name=f"scheme:{place}",
        )
        source = ColumnDataSource(
            {key: [] for key in ("x", "y", "value", "unit", "rep", "point")}, name=f"data:{place}"
        )
        renderer = _points(plot, source, style, place, 7)
        points.append(renderer)
        card = tooltip(
            label,
            ("value", "@value @unit"),
            ("replication", "@rep"),
            ("share of replications up to this value", "@y{0.00}"),
        )
        plot.add_tools(HoverTool(renderers=[renderer], tooltips=card))
    plot.add_tools(TapTool(renderers=points))
    return plot


def heat_map() -> figure:
    """Create the heat map of one scheme over two dimensions; brightness increases with the value."""
    plot = plain_figure(
        height=420, x_range=FactorRange(factors=[]), y_range=FactorRange(factors=[]), name="map"
    )
    plot.grid.visible = False
    mapper = LinearColorMapper(palette=list(Cividis256), low=0, high=1, name="colours", nan_color="#00000000")
    source = ColumnDataSource(
        {key: [] for key in ("x", "y", "z", "text", "ink", "where", "value", "reps", "point")}, name="data:0"
    )
    cells = plot.rect(
        "x",
        "y",
        width=1,
        height=1,
        source=source,
        line_color=None,
        name="cells",
        fill_color={"field": "z", "transform": mapper},
        nonselection_fill_alpha=1,
        selection_line_color="#d6336c",
        selection_line_width=3,
    )
    plot.text(
        "x",
        "y",
        text="text",
        source=source,
        text_align="center",
        text_baseline="middle",
        text_color="ink",
        text_font_size="12px",
        nonselection_text_alpha=1,
    )
    card = tooltip("@where", ("value", "@value"), ("replications", "@reps"))
    plot.add_tools(HoverTool(renderers=[cells], tooltips=card), TapTool(renderers=[cells]))
    bar = ColorBar(color_mapper=mapper, width=10, padding=2, label_standoff=6, background_fill_alpha=0)
    bar.major_tick_line_color = None
    plot.add_layout(bar, "right")
    return plot


def _schemes(chapter: Chapter) -> list[tuple[str, SchemeStyle]]:
    return [(label, chapter.scheme_styles[scheme]) for scheme, label in chapter.labels.items()]


def _against(scale: Scale, name: str, height: int) -> figure:
    """Return a figure without data, with the name `name` and an x axis of this scale."""
    plot = _empty(name, height, x_axis_type="log" if scale == "log" else "linear")
    if scale == "category":
        plot.xaxis.ticker = FixedTicker(ticks=[])
    return plot


def _empty(name: str, height: int, **options: Any) -> figure:
    """Return a figure without ranges; the page sets the ranges, and the reader zooms by dragging."""
    plot = plain_figure(
        height=height,
        x_range=Range1d(0.1, 1),
        y_range=Range1d(0, 1),
        name=name,
        x_axis_label=" ",
        y_axis_label=" ",
        **options,
    )
    zoom, wheel = BoxZoomTool(), WheelZoomTool(modifiers="ctrl")
    plot.add_tools(zoom, wheel, PanTool())
    plot.toolbar.active_drag, plot.toolbar.active_scroll = zoom, wheel
    return plot


def _curves(plot: figure, chapter: Chapter, rows: list[tuple[str, str]]) -> None:
    points = []
    for place, (label, style) in enumerate(_schemes(chapter)):
        source = ColumnDataSource({column: [] for column in CURVE_COLUMNS}, name=f"data:{place}")
        name = f"scheme:{place}"
        plot.line(
            "x",
            "joined",
            source=source,
            color=style.color,
            width=2,
            line_dash=_dashes(style),
            name=name,
            nonselection_line_alpha=1,
        )
        heads = {"size": 8, "line_color": style.color, "line_width": 1.5}
        plot.add_layout(
            Whisker(
                base="x",
                lower="low",
                upper="high",
                source=source,
                line_color=style.color,
                line_width=1.5,
                name=name,
                lower_head=TeeHead(**heads),
                upper_head=TeeHead(**heads),
            )
        )
        renderer = _points(plot, source, style, place, 9)
        points.append(renderer)
        plot.add_tools(HoverTool(renderers=[renderer], tooltips=tooltip(f"{label} at @where", *rows)))
    plot.add_tools(TapTool(renderers=points))


def _points(
    plot: figure, source: ColumnDataSource, style: SchemeStyle, place: int, size: int
) -> GlyphRenderer:
    """Draw selectable markers, with an outline around selected markers."""
    return plot.scatter(
        "x",
        "y",
        source=source,
        marker=style.bokeh_marker,
        size=size,
        color=style.color,
        line_width=1.5,
        name=f"scheme:{place}",
        nonselection_fill_alpha=1,
        nonselection_line_alpha=1,
        nonselection_line_width=1.5,
        selection_line_width=7,
        selection_line_alpha=0.6,
    )


def _dashes(style: SchemeStyle) -> list[int]:
    return [2 * dot for dot in style.dash]
