"""Axes of a reproduced figure: the paper's axes, extended to contain all measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from airhop.numerals import half_width_text
from airhop.stats import Interval

if TYPE_CHECKING:
    from airhop.experiments.experiment import Metric, PlottedAxis
    from airhop.experiments.outcome import Outcome, Row


@dataclass(frozen=True)
class Frame:
    """Contents of a figure and the ends of its axes, for print, terminal and report."""

    rows: list[Row]
    """Cells between the ends of the x axis, curve by curve."""
    x_limits: tuple[float, float]
    y_ticks: tuple[float, ...]
    """Ticks of the y axis. The first and the last tick are the ends of the axis."""
    title: str
    note: str | None
    """Note with the upper end of the paper's y axis; None if both axes end at the same value."""
    beyond: str | None
    """Sentence on the curves above the paper's y axis, with the largest mean of each; None without such
    curves.
    """

    @property
    def y_limits(self) -> tuple[float, float]:
        """The ends of the y axis."""
        return self.y_ticks[0], self.y_ticks[-1]

    def of(self, scheme: str) -> list[Row]:
        """Select the cells of one curve."""
        return [row for row in self.rows if row.scheme == scheme]


def frame(outcome: Outcome) -> Frame:
    """Return the axes of the experiment's figure, extended to contain every interval and printed number."""
    axis, metric = outcome.experiment.axis, outcome.experiment.metric
    rows = [row for row in outcome.rows if axis.shows(row.x)]
    spans = [row.interval or Interval(row.value.mean, row.value.mean) for row in rows]
    spans += [Interval(row.published, row.published) for row in rows if row.published is not None]
    ticks = ticks_around(min(span.low for span in spans), max(span.high for span in spans), metric)
    longer = metric.printed and len(ticks) > len(metric.ticks)
    ends = f"{metric.ticks[-1]:g} {metric.unit}".rstrip()
    return Frame(
        rows=rows,
        x_limits=_ends(axis, [axis.place(row.x) for row in rows]),
        y_ticks=ticks,
        title=f"{metric.title} against {axis.label[0].lower()}{axis.label[1:]}",
        note=f"The paper's axis ends at {ends}." if longer else None,
        beyond=_beyond(outcome, rows, ends) if metric.printed else None,
    )


def _beyond(outcome: Outcome, rows: list[Row], ends: str) -> str | None:
    """Describe curves above the end of the printed axis; None without such curves.

    Curves with printed numbers are left out.
    """
    experiment = outcome.experiment
    most: dict[str, Row] = {}
    for row in rows:
        known = most.get(row.scheme)
        above = row.value.mean > experiment.metric.ticks[-1] and row.published is None
        if above and (known is None or row.value.mean > known.value.mean):
            most[row.scheme] = row
    if not most:
        return None
    digits = experiment.metric.digits
    told = ", ".join(
        f"{experiment.labels[curve]} {row.value.mean:.{digits}f} {half_width_text(row.value, digits)} at "
        f"{experiment.axis.text(row.x)}"
        for curve, row in most.items()
    )
    return f"Above the paper's axis, which ends at {ends}: {told}."


def _ends(axis: PlottedAxis, places: list[float]) -> tuple[float, float]:
    """Return the printed ends of the x axis, or else the ends of the data; words have a margin."""
    if axis.of_words:
        return -0.5, len(axis.full) - 0.5
    return axis.limits or (min(places), max(places))


def ticks_around(low: float, high: float, metric: Metric) -> tuple[float, ...]:
    """Return the metric's ticks, extended until they enclose all data, but not below zero."""
    ticks = list(metric.ticks)
    step = ticks[-1] - ticks[-2]
    while ticks[-1] < high:
        ticks.append(ticks[-1] + step)
    while ticks[0] > max(low, 0.0):
        ticks.insert(0, max(ticks[0] - step, 0.0))
    return tuple(ticks)
