"""Terminal output of an outcome: table, chart, verdicts, files."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from airhop.experiments.calculation import Calculated
from airhop.experiments.frame import frame
from airhop.experiments.outcome import Outcome
from airhop.experiments.reproduced import CheckedClaim
from airhop.numerals import NO_BREAK, half_width_text, tie_units
from airhop.plots.style import styles
from airhop.plots.terminal import Series, chart
from airhop.reproduction.loss_causes import LEGEND, judged_right

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from airhop.experiments.experiment import Metric
    from airhop.experiments.outcome import Row
    from airhop.experiments.reproduced import Reproduced


MARKS = {
    "holds": ("✓ holds ", "green"),
    "fails": ("✗ fails ", "bold red"),
    "open": ("? open  ", "yellow"),
}
BETWEEN = 2
"""Number of blanks between columns of a table."""
WIDEST = 96
"""Maximum width of the output in characters. Longer lines are hard to read."""


def print_outcome(outcome: Reproduced, console: Console) -> None:
    """Print headline, tables, chart, claims and files, in this order, for terminals of 80 columns or more."""
    width = min(console.width, WIDEST)
    if isinstance(outcome, Calculated):
        shown = _of_calculation(outcome, width)
    else:
        assert isinstance(outcome, Outcome)
        shown = _of_experiment(outcome, width)
    _print(outcome, shown, console, width)


def _of_experiment(outcome: Outcome, width: int) -> list[RenderableType]:
    """Format one table per metric, the loss classifications, and the chart."""
    parts: list[RenderableType] = []
    for metric, rows in _measured(outcome):
        parts += tables(outcome, metric, rows, width)
        parts += [_wrapped(legend(outcome, metric, rows), width, "dim"), ""]
    if right := judged_right(outcome, width):
        parts += [right, _wrapped(LEGEND, width, "dim"), ""]
    if not outcome.experiment.axis.of_words:
        parts += [_chart(outcome, width), ""]
    return parts


def _of_calculation(outcome: Calculated, width: int) -> list[RenderableType]:
    """Format the tables of a calculation."""
    parts: list[RenderableType] = []
    for table in outcome.experiment.tables(outcome.values):
        grid = _grid()
        for place, name in enumerate(table.head):
            grid.add_column(name, justify="right" if place else "left", no_wrap=place > 0)
        for row in table.rows:
            grid.add_row(*row)
        parts += [_wrapped(table.title, width), grid]
        parts += [_wrapped(table.note, width, "dim"), ""] if table.note else [""]
    return parts


def _print(outcome: Reproduced, shown: Sequence[RenderableType], console: Console, width: int) -> None:
    experiment = outcome.experiment
    parts = [
        _wrapped(f"{experiment.id}  {experiment.title}", width, "bold"),
        _wrapped(experiment.source, width, "dim"),
        "",
        _wrapped(outcome.headline, width, "bold"),
        "",
        *shown,
        *_beyond(outcome, width),
        claims(outcome, width),
        *(matrix(outcome, width) if len(outcome.judged_readings) > 1 else ()),
    ]
    console.print()
    for part in parts:
        console.print(part, width=width)
    if outcome.files:
        console.print()
        for path in outcome.files:
            # Paths are never wrapped, so that users can copy them.
            console.print(Text(str(path), style="dim"), soft_wrap=True)


def _beyond(outcome: Reproduced, width: int) -> list[RenderableType]:
    """Return a note on values beyond the paper's axis.

    Verdicts on ratios hide such values, so the note precedes the verdicts.
    """
    told = frame(outcome).beyond if isinstance(outcome, Outcome) else None
    return [_wrapped(told, width, "yellow"), ""] if told else []


def _measured(outcome: Outcome) -> list[tuple[Metric, list[Row]]]:
    experiment = outcome.experiment
    measured = [
        (experiment.metric, outcome.rows),
        *((metric, outcome.also[metric.name]) for metric in experiment.also),
    ]
    return [(metric, rows) for metric, rows in measured if rows]


def _wrapped(text: str, width: int, style: str = "", indent: int = 0) -> Text:
    """Wrap a text with a hanging indent.

    A number and its unit stay on one line.
    """
    lines = textwrap.wrap(tie_units(text), width - indent, break_on_hyphens=False)
    return Text(("\n" + " " * indent).join(lines).replace(NO_BREAK, " "), style=style)


def tables(outcome: Outcome, metric: Metric, rows: list[Row], width: int) -> list[RenderableType]:
    """Return tables with a row per x.

    Each curve has its mean ± half-width, its ratio to the baseline, and the paper's number. Curves that do
    not fit into `width` columns go into a further table.
    """
    experiment = outcome.experiment
    names = [Text(experiment.axis.name), *(Text(experiment.axis.text(x)) for x in outcome.samples.xs)]
    blocks: list[list[list[Text]]] = []
    room = 0
    for columns in _columns(outcome, metric, rows):
        taken = sum(map(_width, columns))
        if not blocks or taken > room:
            blocks.append([names])
            room = width + BETWEEN - _width(names)  # the last column needs no blanks after it
        blocks[-1] += columns
        room -= taken
    return [_table(block) for block in blocks]


def _columns(outcome: Outcome, metric: Metric, rows: list[Row]) -> Iterator[list[list[Text]]]:
    """Yield the columns of each curve, heading first: measured values, then the paper's values."""
    labels, xs = outcome.experiment.labels, outcome.samples.xs
    look = styles(labels)
    best = [max((row for row in rows if row.x == x), key=_mean, default=None) for x in xs]
    for curve in dict.fromkeys(row.scheme for row in rows):
        heading = Text(f"{look[curve].glyph} {labels[curve]}", style=look[curve].color)
        found = {row.x: row for row in rows if row.scheme == curve}
        cells = [found.get(x) for x in xs]
        columns = [
            [heading, *(_cell(row, row is most, metric) for row, most in zip(cells, best, strict=True))]
        ]
        if any(row.published for row in found.values()):
            columns.append([Text("printed", style="dim"), *(_printed(row, metric) for row in cells)])
        yield columns


def _mean(row: Row) -> float:
    return row.value.mean


def _printed(row: Row | None, metric: Metric) -> Text:
    """Format the paper's number, the deviation of the measured number, and the paper's ratio."""
    if row is None or row.published is None or row.off is None:
        return Text("")
    ratio = f" {row.published_ratio:4.2f}×" if row.published_ratio is not None else ""
    return Text(f"{row.published:.{metric.digits}f} {100 * row.off:+3.0f}%{ratio}".replace("-", "−"), "dim")


def _width(column: list[Text]) -> int:
    """Return the width of a column, with the blanks after it."""
    return max(text.cell_len for text in column) + BETWEEN


def _table(columns: list[list[Text]]) -> Table:
    grid = _grid()
    for heading, *_ in columns:
        grid.add_column(heading, justify="right", no_wrap=True)
    for row in zip(*(cells for _, *cells in columns), strict=True):
        grid.add_row(*row)
    return grid


def _grid() -> Table:
    return Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def _cell(row: Row | None, best: bool, metric: Metric) -> Text:
    """Format mean, half-width and ratio to the baseline; a dash if no run has the metric."""
    if row is None:
        return Text("–", style="dim")
    text = Text(f"{row.value.mean:.{metric.digits}f}", style="bold" if best else "")
    text.append(f" {half_width_text(row.value, metric.digits)}", style="dim")
    if row.ratio is not None and math.isfinite(row.ratio.value) and not metric.bounded:
        text.append(f" {row.ratio.value:4.2f}×", style="bold" if best else "")
    return text


def legend(outcome: Outcome, metric: Metric, rows: list[Row]) -> str:
    """Return a sentence that explains the numbers of the table."""
    experiment = outcome.experiment
    counts = sorted({row.reps for row in rows})
    reps = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]}–{counts[-1]}"
    ratio = f"; × ratio to {experiment.labels[experiment.baseline]}" if not metric.bounded else ""
    printed = "; printed: number, difference of ours, ratio" if any(row.published for row in rows) else ""
    return (
        f"{metric.label}{f' in {metric.unit}' if metric.unit else ''}: mean ± 95 % half-width of {reps} "
        f"replications{ratio}{printed}"
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


def matrix(outcome: Reproduced, width: int) -> list[RenderableType]:
    """Return the table of claims by reading of the paper.

    A key to the numbered readings follows.
    """
    grid = _grid()
    grid.add_column("claim", no_wrap=True)
    names = outcome.judged_readings
    for number in range(len(names)):
        grid.add_column(str(number), justify="center", no_wrap=True)
    grid.add_column("over all readings")
    for checked in outcome.claims:
        marks = [Text(MARKS[one.result.word][0][0], MARKS[one.result.word][1]) for one in checked.judged]
        grid.add_row(checked.claim.id, *marks, tie_units(checked.conclusion))
    told = "; ".join(f"{number}: {name}" for number, name in enumerate(names))
    title = _wrapped("Under every reading of the paper", width, "bold")
    return [Text(), title, grid, _wrapped(told, width, "dim")]


def _verdict(checked: CheckedClaim) -> str:
    """Return the verdict on a claim, and for an undecided claim the missing information."""
    return f"{checked.outcome} (a decision needs {checked.needs})" if checked.needs else checked.outcome


def claims(outcome: Reproduced, width: int) -> Text:
    """Return a text on each claim: verdict, statement, quotation, measured values, reason of a failure."""
    blocks = []
    for checked in outcome.claims:
        mark = Text(*MARKS[checked.word])
        indent = len(mark)
        claim = checked.claim
        parts = [mark, _wrapped(claim.text, width, "", indent)]
        told = [
            (f"“{claim.quote}”" if claim.quote else "", "italic dim"),
            (
                f"{claim.id}{' (own)' if claim.own else ''}, {_verdict(checked)}: {checked.result.measured}",
                "dim",
            ),
            (checked.reason, "italic"),
        ]
        for text, style in told:
            if text:
                parts += [Text("\n" + " " * indent), _wrapped(text, width, style, indent)]
        blocks.append(Text.assemble(*parts))
    return Text("\n").join(blocks)
