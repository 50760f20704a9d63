"""The experiment's figure, interactive: a curve per scheme, whiskers for the intervals, values on hover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bokeh.models import ColumnDataSource, FixedTicker, HoverTool, Range1d, TeeHead, Whisker
from bokeh.plotting import figure

from airhop.experiments.numerals import interval, plus_minus
from airhop.plots.frame import frame
from airhop.plots.style import styles
from airhop.report.look import plain_figure, tooltip

if TYPE_CHECKING:
    from airhop.experiments.outcome import Outcome


def goodput_figure(outcome: Outcome) -> figure:
    """Draw the metric on the paper's axes. Every model of a scheme is named `scheme:NAME`."""
    experiment = outcome.experiment
    axis, metric = experiment.axis, experiment.metric
    drawn = frame(outcome)
    (left, right), (bottom, top) = drawn.x_limits, drawn.y_limits
    plot = plain_figure(
        height=480,
        x_axis_type="log" if axis.log else "linear",
        # A little room beside the outermost points, whose markers would be cut.
        x_range=Range1d(left * 0.88, right * 1.08) if axis.log else Range1d(left, right),
        y_range=Range1d(bottom, top),
        x_axis_label=axis.label,
        y_axis_label=f"{metric.label} ({metric.unit})",
        name="goodput",
    )
    plot.yaxis.ticker = FixedTicker(ticks=list(drawn.y_ticks))
    look = styles(experiment.schemes)
    for scheme, label in experiment.schemes.items():
        rows = drawn.of(scheme)
        source = ColumnDataSource(
            {
                "x": [row.x for row in rows],
                "x_text": [axis.text(row.x) for row in rows],
                "mean": [row.value.mean for row in rows],
                "interval": [plus_minus(row.value, 3) for row in rows],
                "low": [row.value.mean - (row.value.half_width or 0.0) for row in rows],
                "high": [row.value.mean + (row.value.half_width or 0.0) for row in rows],
                "reps": [row.reps for row in rows],
                "ratio": [interval(row.ratio) if row.ratio else "1" for row in rows],
            }
        )
        style, name = look[scheme], f"scheme:{scheme}"
        plot.line(
            "x",
            "mean",
            source=source,
            color=style.color,
            width=2,
            line_dash=[2 * dot for dot in style.dash],
            name=name,
        )
        whisker = Whisker(
            base="x",
            lower="low",
            upper="high",
            source=source,
            line_color=style.color,
            line_width=1.5,
            name=name,
        )
        whisker.lower_head = TeeHead(size=8, line_color=style.color, line_width=1.5)
        whisker.upper_head = TeeHead(size=8, line_color=style.color, line_width=1.5)
        plot.add_layout(whisker)
        points = plot.scatter(
            "x",
            "mean",
            source=source,
            marker=style.bokeh_marker,
            size=9,
            color=style.color,
            line_width=1.5,
            name=name,
        )
        card = tooltip(
            f"{label} at @x_text",
            (metric.label, f"@mean{{0.000}} @interval {metric.unit}"),
            (f"ratio to {experiment.schemes[experiment.baseline]}", "@ratio"),
            ("replications", "@reps"),
        )
        plot.add_tools(HoverTool(renderers=[points], tooltips=card, mode="mouse"))
    return plot
