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


FEW_WORDS = 4
"""More words than this below an axis are slanted."""
SLANT = 40
BESIDE = 0.12
"""Between curves on an axis of words, in places."""


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
    look = styles(experiment.labels)
    for place, (scheme, label) in enumerate(experiment.labels.items()):
        shown = drawn.of(scheme)
        # Words are places with nothing between them: no line, and curves stand side by side.
        aside = BESIDE * (place - (len(look) - 1) / 2) if axis.of_words else 0.0
        curve(
            axes,
            [axis.place(row.x) + aside for row in shown],
            [row.value.mean for row in shown],
            [row.value.half_width for row in shown],
            label=label,
            style=look[scheme],
            joined=not axis.of_words,
        )
    if axis.log:
        axes.set_xscale("log")
    axes.set_xlim(*drawn.x_limits)
    if axis.of_words:
        words = [axis.text(x) for x in axis.full]
        axes.set_xticks(range(len(words)), words, rotation=SLANT if len(words) > FEW_WORDS else 0)
    elif axis.ticks:
        axes.set_xticks(axis.ticks)
    axes.set_ylim(*drawn.y_limits)
    axes.set_yticks(drawn.y_ticks)
    axes.set_xlabel(axis.label)
    axes.set_ylabel(metric.title)
    if drawn.note:
        figure.supxlabel(drawn.note, x=0.99, ha="right", fontsize=6.5, color="0.4")
    legend(figure)
    return figure
