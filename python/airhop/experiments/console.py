"""An outcome in the terminal: table, chart, verdicts, files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from airhop.experiments.numerals import plus_minus
from airhop.plots.style import styles
from airhop.plots.terminal import Series, chart

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from airhop.experiments.outcome import Outcome, Row


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Print headline, table, chart and claims, in this order; 80 columns are enough."""
    experiment = outcome.experiment
    console.print()
    console.print(Text(f"{experiment.id}  {experiment.title}", style="bold"))
    console.print(Text(experiment.source, style="dim"))
    console.print()
    console.print(Text(outcome.headline, style="bold"))
    for part in (table(outcome), _chart(outcome, console.width), claims(outcome)):
        console.print()
        console.print(Padding(part, (0, 0, 0, 1)))
    if outcome.files:
        console.print()
        for path in outcome.files:
            console.print(Text(f" {path}", style="dim"), soft_wrap=True)


def table(outcome: Outcome) -> RenderableType:
    """Lay out a row per x and a column per scheme: mean ± half-width, ratio to the baseline."""
    experiment = outcome.experiment
    cells = {(row.scheme, row.x): row for row in outcome.rows}
    grid = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        caption=f"{experiment.metric.label} in {experiment.metric.unit}: mean ± 95 % half-width, "
        f"{_reps(outcome)}; × = paired ratio to {experiment.schemes[experiment.baseline]}",
        caption_justify="left",
        caption_style="dim",
    )
    grid.add_column(experiment.axis.key.upper(), justify="right", no_wrap=True)
    look = styles(experiment.schemes)
    for scheme, label in experiment.schemes.items():
        grid.add_column(
            Text(f"{look[scheme].glyph} {label}", style=look[scheme].color), justify="right", no_wrap=True
        )
    for x in outcome.samples.xs:
        best = max(experiment.schemes, key=lambda scheme: cells[scheme, x].value.mean)
        grid.add_row(
            experiment.axis.text(x),
            *(_cell(cells[scheme, x], scheme == best) for scheme in experiment.schemes),
        )
    return grid


def _cell(row: Row, best: bool) -> Text:
    text = Text(f"{row.value.mean:.2f}", style="bold" if best else "")
    text.append(f" {plus_minus(row.value)}", style="dim")
    if row.ratio is not None:
        text.append(f" {row.ratio.value:4.2f}×", style="bold" if best else "")
    return text


def _reps(outcome: Outcome) -> str:
    counts = sorted({row.reps for row in outcome.rows})
    return f"{counts[0]} replications" if len(counts) == 1 else f"{counts[0]} to {counts[-1]} replications"


def _chart(outcome: Outcome, width: int) -> RenderableType:
    experiment = outcome.experiment
    axis, metric = experiment.axis, experiment.metric
    look = styles(experiment.schemes)
    lines = [
        Series(
            label=label,
            glyph=look[scheme].glyph,
            color=look[scheme].color,
            points=[
                (row.x, row.value.mean) for row in outcome.rows if row.scheme == scheme and axis.shows(row.x)
            ],
        )
        for scheme, label in experiment.schemes.items()
    ]
    return chart(
        lines,
        title=f"{metric.label} ({metric.unit}) against {axis.label[0].lower()}{axis.label[1:]}",
        x_limits=axis.limits or (outcome.samples.xs[0], outcome.samples.xs[-1]),
        x_log=axis.log,
        y_limits=metric.limits,
        y_ticks=metric.ticks,
        width=min(width - 2, 78),
    )


def claims(outcome: Outcome) -> RenderableType:
    """Lay out one line of verdict and one of measurement for each claim."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column()
    for claim in outcome.experiment.claims:
        judgement = outcome.claims[claim.id]
        mark = Text("✓ holds", style="green") if judgement.holds else Text("✗ fails", style="bold red")
        grid.add_row(mark, Text(claim.text))
        grid.add_row("", Text(f"{claim.id}: {judgement.measured}", style="dim"))
    return grid
