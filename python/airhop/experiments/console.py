"""An outcome in the terminal: table, chart, verdicts, files."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from airhop.experiments.numerals import NO_BREAK, plus_minus, tie_units
from airhop.plots.frame import frame
from airhop.plots.style import styles
from airhop.plots.terminal import Series, chart

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from airhop.experiments.experiment import Metric
    from airhop.experiments.outcome import Outcome, Row


MARKS = {
    "holds": ("✓ holds ", "green"),
    "fails": ("✗ fails ", "bold red"),
    "open": ("? open  ", "yellow"),
}
WIDEST = 96
"""Columns used at most: longer lines are hard to read, and a wider chart tells no more."""


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Print headline, table, chart, claims and files, in this order; 80 columns are enough."""
    experiment = outcome.experiment
    width = min(console.width, WIDEST)
    parts = [
        _wrapped(f"{experiment.id}  {experiment.title}", width, "bold"),
        _wrapped(experiment.source, width, "dim"),
        "",
        _wrapped(outcome.headline, width, "bold"),
        "",
        table(outcome),
        _wrapped(legend(outcome), width, "dim"),
        "",
        _chart(outcome, width),
        "",
        claims(outcome, width),
    ]
    console.print()
    for part in parts:
        console.print(part, width=width)
    if outcome.files:
        console.print()
        for path in outcome.files:
            # Never wrapped: a path is there to be copied.
            console.print(Text(str(path), style="dim"), soft_wrap=True)


def _wrapped(text: str, width: int, style: str = "", indent: int = 0) -> Text:
    """Break into lines, all but the first indented, and none between a number and its unit."""
    lines = textwrap.wrap(tie_units(text), width - indent, break_on_hyphens=False)
    return Text(("\n" + " " * indent).join(lines).replace(NO_BREAK, " "), style=style)


def table(outcome: Outcome) -> RenderableType:
    """Lay out a row per x and a column per scheme: mean ± half-width, ratio to the baseline."""
    experiment = outcome.experiment
    cells = {(row.scheme, row.x): row for row in outcome.rows}
    grid = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
    )
    grid.add_column(experiment.axis.name, justify="right", no_wrap=True)
    look = styles(experiment.schemes)
    for scheme, label in experiment.schemes.items():
        grid.add_column(
            Text(f"{look[scheme].glyph} {label}", style=look[scheme].color), justify="right", no_wrap=True
        )
    for x in outcome.samples.xs:
        best = max(experiment.schemes, key=lambda scheme: cells[scheme, x].value.mean)
        grid.add_row(
            experiment.axis.text(x),
            *(_cell(cells[scheme, x], scheme == best, experiment.metric) for scheme in experiment.schemes),
        )
    return grid


def _cell(row: Row, best: bool, metric: Metric) -> Text:
    text = Text(f"{row.value.mean:.{metric.digits}f}", style="bold" if best else "")
    text.append(f" {plus_minus(row.value, metric.digits)}", style="dim")
    if row.ratio is not None and not metric.bounded:
        text.append(f" {row.ratio.value:4.2f}×", style="bold" if best else "")
    return text


def legend(outcome: Outcome) -> str:
    """Say what the numbers of the table are."""
    experiment = outcome.experiment
    counts = sorted({row.reps for row in outcome.rows})
    reps = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
    metric = experiment.metric
    ratio = f"; × ratio to {experiment.schemes[experiment.baseline]}" if not metric.bounded else ""
    return (
        f"{metric.label}{f' in {metric.unit}' if metric.unit else ''}: mean ± 95 % half-width of {reps} "
        f"replications{ratio}"
    )


def _chart(outcome: Outcome, width: int) -> Text:
    experiment = outcome.experiment
    drawn, look = frame(outcome), styles(experiment.schemes)
    lines = [
        Series(
            label=label,
            glyph=look[scheme].glyph,
            color=look[scheme].color,
            points=[(row.x, row.value.mean) for row in drawn.of(scheme)],
        )
        for scheme, label in experiment.schemes.items()
    ]
    drawing = chart(
        lines,
        title=drawn.title,
        x_limits=drawn.x_limits,
        x_log=experiment.axis.log,
        x_ticks=experiment.axis.ticks,
        y_ticks=drawn.y_ticks,
        width=width - 1,
    )
    if drawn.note:
        drawing.append(f"\n{drawn.note}", style="dim")
    return drawing


def claims(outcome: Outcome, width: int) -> Text:
    """Write verdict, statement and measurement of each claim, the latter two indented below the verdict."""
    blocks = []
    for claim in outcome.experiment.claims:
        judgement = outcome.claims[claim.id]
        mark = Text(*MARKS[judgement.verdict])
        indent = len(mark)
        measured = _wrapped(f"{claim.id}: {judgement.measured}", width, "dim", indent)
        blocks.append(
            Text.assemble(mark, _wrapped(claim.text, width, "", indent), "\n" + " " * indent, measured)
        )
    return Text("\n").join(blocks)
