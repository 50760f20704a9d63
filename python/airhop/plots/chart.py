"""An experiment's printed figure: its metric on its paper's axes, with 95 % intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from airhop.plots.frame import frame
from airhop.plots.paper import PRINT_STYLE, curve, legend, page, write
from airhop.plots.style import styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop.experiments.outcome import Outcome


def draw(outcome: Outcome, stem: Path) -> list[Path]:
    """Write `stem.pdf`, `stem.svg` and `stem.png` and say where they are."""
    import matplotlib as mpl

    with mpl.rc_context(PRINT_STYLE):
        return write(goodput_figure(outcome), stem, outcome.experiment.title)


def goodput_figure(outcome: Outcome) -> Figure:
    """Draw the figure on the paper's axes."""
    experiment = outcome.experiment
    axis, metric = experiment.axis, experiment.metric
    drawn = frame(outcome)
    figure, axes = page()
    look = styles(experiment.schemes)
    for scheme, label in experiment.schemes.items():
        shown = drawn.of(scheme)
        curve(
            axes,
            [row.x for row in shown],
            [row.value.mean for row in shown],
            [row.value.half_width for row in shown],
            label=label,
            style=look[scheme],
        )
    if axis.log:
        axes.set_xscale("log")
    axes.set_xlim(*drawn.x_limits)
    if axis.ticks:
        axes.set_xticks(axis.ticks)
    axes.set_ylim(*drawn.y_limits)
    axes.set_yticks(drawn.y_ticks)
    axes.set_xlabel(axis.label)
    axes.set_ylabel(metric.title)
    if drawn.note:
        figure.supxlabel(drawn.note, x=0.99, ha="right", fontsize=6.5, color="0.4")
    legend(figure)
    return figure
