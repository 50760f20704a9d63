"""An outcome in the terminal: table, chart, verdicts, files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
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

    from airhop.experiments.calculation import Calculated
    from airhop.experiments.experiment import Metric
    from airhop.experiments.judged import Judged
    from airhop.experiments.outcome import Outcome, Row


MARKS = {
    "holds": ("✓ holds ", "green"),
    "fails": ("✗ fails ", "bold red"),
    "open": ("? open  ", "yellow"),
}
WIDEST = 96
"""Columns used at most: longer lines are hard to read, and a wider chart tells no more."""


COLUMNS_AT_ONCE = 4
"""Curves beside each other in a table: more do not fit in 80 columns."""


def print_outcome(outcome: Outcome, console: Console) -> None:
    """Print headline, table, chart, claims and files, in this order; 80 columns are enough."""
    width = min(console.width, WIDEST)
    parts: list[RenderableType] = []
    for metric, rows in _measured(outcome):
        parts += [*tables(outcome, metric, rows), _wrapped(legend(outcome, metric, rows), width, "dim"), ""]
    if not outcome.experiment.axis.of_words:
        parts += [_chart(outcome, width), ""]
    _print(outcome, parts, console, width)


def print_calculated(outcome: Calculated, console: Console) -> None:
    """Print headline, tables, claims and files, in this order."""
    width = min(console.width, WIDEST)
    parts: list[RenderableType] = []
    for table in outcome.experiment.tables(outcome.values):
        grid = _grid()
        for place, name in enumerate(table.head):
            grid.add_column(name, justify="right" if place else "left", no_wrap=place > 0)
        for row in table.rows:
            grid.add_row(*row)
        parts += [_wrapped(table.title, width), grid]
        parts += [_wrapped(table.note, width, "dim"), ""] if table.note else [""]
    _print(outcome, parts, console, width)


def _print(outcome: Judged, shown: Sequence[RenderableType], console: Console, width: int) -> None:
    experiment = outcome.experiment
    parts = [
        _wrapped(f"{experiment.id}  {experiment.title}", width, "bold"),
        _wrapped(experiment.source, width, "dim"),
        "",
        _wrapped(outcome.headline, width, "bold"),
        "",
        *shown,
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


def _measured(outcome: Outcome) -> list[tuple[Metric, list[Row]]]:
    experiment = outcome.experiment
    return [
        (experiment.metric, outcome.rows),
        *((metric, outcome.also[metric.name]) for metric in experiment.also),
    ]


def _wrapped(text: str, width: int, style: str = "", indent: int = 0) -> Text:
    """Break into lines, all but the first indented, and none between a number and its unit."""
    lines = textwrap.wrap(tie_units(text), width - indent, break_on_hyphens=False)
    return Text(("\n" + " " * indent).join(lines).replace(NO_BREAK, " "), style=style)


def tables(outcome: Outcome, metric: Metric, rows: list[Row]) -> list[RenderableType]:
    """Lay out a row per x and a column per curve: mean ± half-width, ratio to the baseline."""
    curves = list(outcome.experiment.labels)
    return [
        _table(outcome, metric, rows, curves[first : first + COLUMNS_AT_ONCE])
        for first in range(0, len(curves), COLUMNS_AT_ONCE)
    ]


def _table(outcome: Outcome, metric: Metric, rows: list[Row], shown: Sequence[str]) -> Table:
    experiment = outcome.experiment
    cells = {(row.scheme, row.x): row for row in rows}
    look, grid = styles(experiment.labels), _grid()
    grid.add_column(experiment.axis.name, justify="right", no_wrap=True)
    for curve in shown:
        heading = Text(f"{look[curve].glyph} {experiment.labels[curve]}", style=look[curve].color)
        grid.add_column(heading, justify="right", no_wrap=True)
    for x in outcome.samples.xs:
        best = max(experiment.labels, key=lambda curve: cells[curve, x].value.mean)
        grid.add_row(
            experiment.axis.text(x),
            *(_cell(cells[curve, x], curve == best, metric) for curve in shown),
        )
    return grid


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def _cell(row: Row, best: bool, metric: Metric) -> Text:
    text = Text(f"{row.value.mean:.{metric.digits}f}", style="bold" if best else "")
    text.append(f" {plus_minus(row.value, metric.digits)}", style="dim")
    if row.ratio is not None and not metric.bounded:
        text.append(f" {row.ratio.value:4.2f}×", style="bold" if best else "")
    return text


def legend(outcome: Outcome, metric: Metric, rows: list[Row]) -> str:
    """Say what the numbers of the table are."""
    experiment = outcome.experiment
    counts = sorted({row.reps for row in rows})
    reps = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
    ratio = f"; × ratio to {experiment.labels[experiment.baseline]}" if not metric.bounded else ""
    return (
        f"{metric.label}{f' in {metric.unit}' if metric.unit else ''}: mean ± 95 % half-width of {reps} "
        f"replications{ratio}"
    )


def _chart(outcome: Outcome, width: int) -> Text:
    experiment = outcome.experiment
    drawn, look = frame(outcome), styles(experiment.labels)
    lines = [
        Series(
            label=label,
            glyph=look[scheme].glyph,
            color=look[scheme].color,
            points=[(experiment.axis.place(row.x), row.value.mean) for row in drawn.of(scheme)],
        )
        for scheme, label in experiment.labels.items()
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


def claims(outcome: Judged, width: int) -> Text:
    """Write verdict, statement and measurement of each claim, and why it does not hold where that is known."""
    blocks = []
    for verdict in outcome.verdicts:
        mark = Text(*MARKS[verdict.word])
        indent = len(mark)
        claim = verdict.claim
        parts = [mark, _wrapped(claim.text, width, "", indent)]
        told = [(f"{claim.id}: {verdict.judgement.measured}", "dim"), (verdict.reason, "italic")]
        for text, style in told:
            if text:
                parts += ["\n" + " " * indent, _wrapped(text, width, style, indent)]
        blocks.append(Text.assemble(*parts))
    return Text("\n").join(blocks)
