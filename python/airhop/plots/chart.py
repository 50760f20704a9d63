"""The printed figure: a metric against an axis, with 95 % intervals, one column of a paper wide."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.plots.frame import frame
from airhop.plots.style import styles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airhop.experiments.outcome import Outcome

COLUMN_WIDTH_IN = 3.5
PRINT_STYLE: dict[str, Any] = {
    "font.family": "STIXGeneral",
    "mathtext.fontset": "stix",
    "font.size": 9,
    "axes.linewidth": 0.6,
    "xtick.direction": "in",
    "ytick.direction": "in",
    "xtick.top": True,
    "ytick.right": True,
    "legend.fontsize": 8,
    "lines.linewidth": 1.0,
    "lines.markersize": 4.0,
    "pdf.fonttype": 42,  # TrueType: journals refuse Type 3
}


def draw(outcome: Outcome, stem: Path) -> list[Path]:
    """Write `stem.pdf` and `stem.png` and say where they are."""
    import matplotlib as mpl

    with mpl.rc_context(PRINT_STYLE):
        figure = goodput_figure(outcome)
        pdf, png = stem.with_suffix(".pdf"), stem.with_suffix(".png")
        # Without a creation date the same data gives the same bytes.
        figure.savefig(pdf, metadata={"CreationDate": None, "Title": outcome.experiment.title})
        figure.savefig(png, dpi=300, metadata={"Title": outcome.experiment.title})
    return [pdf, png]


def goodput_figure(outcome: Outcome) -> Figure:
    """Draw the figure on the paper's axes. Built without pyplot: no global state, no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    experiment = outcome.experiment
    axis, metric = experiment.axis, experiment.metric
    drawn = frame(outcome)
    figure = Figure(figsize=(COLUMN_WIDTH_IN, 2.7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    look = styles(experiment.schemes)
    for scheme, label in experiment.schemes.items():
        shown, style = drawn.of(scheme), look[scheme]
        axes.errorbar(
            [row.x for row in shown],
            [row.value.mean for row in shown],
            yerr=[row.value.half_width or 0.0 for row in shown],
            label=label,
            color=style.color,
            marker=style.marker,
            linestyle=(0, style.dash) if style.dash else "-",
            markerfacecolor="white",
            markeredgewidth=0.9,
            capsize=2.0,
            elinewidth=0.7,
            clip_on=False,
            zorder=3,
        )
    if axis.log:
        axes.set_xscale("log")
    axes.set_xlim(*drawn.x_limits)
    axes.set_ylim(*drawn.y_limits)
    axes.set_yticks(drawn.y_ticks)
    axes.set_xlabel(axis.label)
    axes.set_ylabel(f"{metric.label} ({metric.unit})")
    axes.grid(visible=True, linewidth=0.3, color="0.85")
    if drawn.note:
        figure.supxlabel(drawn.note, x=0.99, ha="right", fontsize=6.5, color="0.4")
    figure.legend(frameon=False, ncols=4, handlelength=2.2, columnspacing=1.2, loc="outside upper center")
    return figure
