"""Figure of a comparison: one metric of each arm (compared setting), with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.errors import InputError, did_you_mean
from airhop.hints import sent_once
from airhop.plots.paper import canvas, face, finish
from airhop.plots.quantities import quantity
from airhop.plots.style import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.comparison import Comparison

ROW_IN, FOOT_IN = 0.24, 0.75
"""Heights in inches of an arm's row, and of the axis below all rows."""


def means(comparison: Comparison, *, metric: str, ax: Axes | None = None) -> Figure:
    """Draw the mean of a metric with its 95 % interval, one row per arm; the first arm is at the top."""
    found = {row.scheme: row.metrics.get(metric) for row in comparison.rows()}
    drawn = [(place, name, value) for place, (name, value) in enumerate(found.items()) if value is not None]
    if not drawn:
        known = {
            name for row in comparison.rows() for name, value in row.metrics.items() if value is not None
        }
        raise InputError(f"no arm has the metric `{metric}`.{did_you_mean(metric, known)}")
    look = styles(found)
    with canvas(ax, FOOT_IN + ROW_IN * len(found)) as (figure, axes):
        for place, name, value in drawn:
            ends = value.drawn
            axes.errorbar(
                [value.mean],
                [place],
                xerr=[[value.mean - ends.low], [ends.high - value.mean]],
                color=look[name].color,
                marker=look[name].marker,
                markerfacecolor=face(look[name]),
                capsize=2.0,
                clip_on=False,
                zorder=3,
            )
        axes.set_yticks(range(len(found)), list(found))
        axes.set_ylim(len(found) - 0.5, -0.5)
        axes.set_xlim(left=0.0)
        axes.set_xlabel(quantity(metric).title)
        return finish(figure, axes, sent_once(arm.scenario for arm in comparison.arms), own=ax is None)
