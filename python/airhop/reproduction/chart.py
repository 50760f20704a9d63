"""Printed figure of an experiment on the axes of its paper's figure, with 95 % intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import TYPE_CHECKING

from airhop.experiments.frame import Frame, frame
from airhop.hints import sent_once
from airhop.plots.paper import PRINT_STYLE, caption, curve, legend, panels, published, write
from airhop.plots.style import styles

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.experiments.outcome import Outcome


FEW_WORDS = 4
"""Maximum number of words as tick labels of the x axis. If there are more, the labels are slanted."""
SLANT = 40
BESIDE = 0.12
"""Distance between the marks of two curves on an axis of words, as a share of the distance of two ticks."""


def draw(outcome: Outcome, stem: Path) -> list[Path]:
    """Write `stem.pdf`, `stem.svg` and `stem.png` and print their paths."""
    import matplotlib as mpl

    with mpl.rc_context(PRINT_STYLE):
        return write(goodput_figure(outcome), stem, outcome.experiment.title)


def goodput_figure(outcome: Outcome) -> Figure:
    """Draw the experiment's figure on the axes of the paper's figure, with panels below each other."""
    experiment = outcome.experiment
    axis, metric = experiment.axis, experiment.metric
    drawn = frame(outcome)
    split = experiment.panels or (tuple(experiment.labels),)
    figure, made = panels(len(split))
    for axes, curves, letter in zip(made, split, ascii_lowercase, strict=False):
        _draw_curves(axes, outcome, drawn, curves)
        axes.set_ylim(*drawn.y_limits)
        axes.set_yticks(drawn.y_ticks)
        axes.set_ylabel(metric.title)
        if len(split) > 1:
            axes.text(0.97, 0.95, f"({letter})", transform=axes.transAxes, ha="right", va="top")
    last = made[-1]
    if axis.log:
        last.set_xscale("log")
    last.set_xlim(*drawn.x_limits)
    if axis.of_words:
        words = [axis.text(x) for x in axis.full]
        last.set_xticks(range(len(words)), words, rotation=SLANT if len(words) > FEW_WORDS else 0)
    elif axis.ticks:
        last.set_xticks(axis.ticks)
    last.set_xlabel(axis.label)
    once = sent_once(point.scenario for point in outcome.table.study.points())
    if told := " ".join(filter(None, (drawn.note, f"{once[:1].upper()}{once[1:]}." if once else ""))):
        caption(figure, told)
    legend(figure)
    return figure


def _draw_curves(axes: Axes, outcome: Outcome, drawn: Frame, curves: Sequence[str]) -> None:
    experiment = outcome.experiment
    look = styles(experiment.labels)
    for place, scheme in enumerate(curves):
        shown = drawn.of(scheme)
        # On an axis of words (categories), no line joins the points, and the marks of curves are side by
        # side.
        aside = BESIDE * (place - (len(curves) - 1) / 2) if experiment.axis.of_words else 0.0
        curve(
            axes,
            [experiment.axis.place(row.x) + aside for row in shown],
            [row.value.mean for row in shown],
            [row.value.half_width for row in shown],
            label=experiment.labels[scheme],
            style=look[scheme],
            joined=not experiment.axis.of_words,
        )
        printed = [(experiment.axis.place(row.x) + aside, row.published) for row in shown if row.published]
        if printed:
            published(axes, *zip(*printed, strict=True), ink=look[scheme].color)
