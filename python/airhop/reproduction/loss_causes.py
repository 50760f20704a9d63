"""Share of losses that each curve's sender classified correctly, as a table in the terminal."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from airhop.analysis.loss_classifications import share_right
from airhop.plots.style import styles
from airhop.terminal import percent_pm

if TYPE_CHECKING:
    from airhop.experiments.experiment import X
    from airhop.experiments.outcome import Outcome
    from airhop.stats import Ratio

CELL = 13
"""Width of a column in characters: the longest text `99.79 ± 0.29` and a blank."""
LEGEND = (
    "Correct loss classifications, % ± 95 % half-width: congestion if a queue was full or its AQM dropped"
    " the packet, wireless if the cause was the channel or a collision."
)


def judged_right(outcome: Outcome, width: int) -> Table | None:
    """Return the table with a row per curve and as many columns (x) as fit in `width`.

    None if there were no losses.
    """
    labels, axis = outcome.experiment.labels, outcome.experiment.axis
    rights = _rights(outcome)
    if not any(rights.values()):
        return None
    look = styles(labels)
    names = {curve: f"{look[curve].glyph} {label}" for curve, label in labels.items()}
    xs = _spread(outcome.samples.xs, (width - max(map(len, names.values()))) // CELL)
    grid = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    grid.add_column(axis.name, no_wrap=True)
    for x in xs:
        grid.add_column(axis.text(x), justify="right", no_wrap=True)
    for curve, name in names.items():
        cells = (_cell(rights.get((curve, x))) for x in xs)
        grid.add_row(Text(name, style=look[curve].color), *cells)
    return grid


def _rights(outcome: Outcome) -> dict[tuple[str, X], Ratio | None]:
    """Return the share of correctly classified losses by curve and x.

    None if no loss was classified.
    """
    found = outcome.table.judgements()
    cells = product(outcome.experiment.axis.grid(outcome.mode), outcome.experiment.labels)
    return {(curve, x): share_right(found.get(i, {}).values()) for i, (x, curve) in enumerate(cells)}


def _spread(xs: list[X], most: int) -> list[X]:
    """Return at most `most` evenly spaced values, including the first and the last."""
    if len(xs) <= most:
        return xs
    steps = max(most - 1, 1)
    return [xs[round(place * (len(xs) - 1) / steps)] for place in range(max(most, 1))]


def _cell(right: Ratio | None) -> str:
    return "–" if right is None else percent_pm(right)
