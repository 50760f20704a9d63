"""Quantities of a study: metrics of its runs and dimensions of its grid, with readable names."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from airhop.analysis.goals import goals
from airhop.analysis.measures import AIRTIME_JAIN, DROPS, MEANS, MEASURES, NOTICES, SUMS
from airhop.study.verdicts import classes

if TYPE_CHECKING:
    import polars as pl

    from airhop.study.table import Table

MOST_TICKS = 12
"""Maximum number of axis values with one tick per value."""

_OF_A_CLASS = re.compile(r"class\.([^.]+)\.(\w+)")

Scale = Literal["log", "linear", "category"]


@dataclass(frozen=True)
class Quantity:
    """A metric of a run: a column of a study's frame."""

    column: str
    label: str
    unit: str = ""
    most: float = math.inf
    """Largest possible value. Intervals are cut at this value."""

    @property
    def title(self) -> str:
        """Label and unit, for an axis."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def _declared(columns: Iterable[str]) -> list[Quantity]:
    found = [MEASURES[column] for column in columns]
    return [Quantity(m.column, m.label, m.unit, m.most) for m in found]


(GOODPUT,) = _declared(["goodput_mbps"])
FAIRNESS = Quantity("jain", "Jain's fairness index", most=1.0)
QUANTITIES = (
    GOODPUT,
    FAIRNESS,
    *_declared([AIRTIME_JAIN]),
    Quantity("judged_right", "Share of correct loss classifications", most=1.0),
    *_declared(MEANS),
    *_declared(column for column in SUMS if column not in (GOODPUT.column, "delivered_bytes")),
    *_declared((*NOTICES, *DROPS)),
)
"""Quantities in the order of menus."""


def measured(frame: pl.DataFrame) -> list[Quantity]:
    """List the metrics of a frame that differ between runs.

    Goodput is always the first.
    """
    return [
        quantity
        for quantity in QUANTITIES
        if quantity.column in frame.columns
        and (quantity is GOODPUT or frame[quantity.column].drop_nulls().n_unique() > 1)
    ]


def quantity(column: str) -> Quantity:
    """Return the metric of a column; an unknown metric is named after its column."""
    known = {quantity.column: quantity for quantity in QUANTITIES}
    of_class = _OF_A_CLASS.fullmatch(column)
    if of_class and (measure := MEASURES.get(f"class_{of_class[2]}")):
        return Quantity(column, f"{measure.label} of {of_class[1]}", measure.unit, measure.most)
    return known.get(column, Quantity(column, column))


def fairness(table: Table) -> Quantity | None:
    """Return the fairness of a study: Jain's index over the TCP flows.

    In a mix of applications, flows have different demands. The index is then that of the first class with
    several competing flows; None without such a class.
    """
    seen = [one for one in classes(table.rows()) if not one.is_datagrams]
    if len(seen) < 2 or all(one.competes for one in seen):
        return FAIRNESS
    goal = next((goal for goal in goals(seen) if goal.kind == "fairness"), None)
    return None if goal is None else quantity(goal.metric)


@dataclass(frozen=True)
class Dimension:
    """A column of a study's grid with its values, in the study's order."""

    column: str
    label: str
    values: tuple[float | str, ...]
    scale: Scale
    texts: tuple[str, ...]
    """Values, formatted."""
    group: int = 0
    """Number of the dimension's group. Dimensions of a group vary together (`zip` of a study), so fixing the
    value of one dimension fixes all.
    """

    @property
    def ticks(self) -> list[float] | None:
        """Return the values as ticks if they are few whole numbers on a linear axis; None otherwise."""
        whole = self.scale == "linear" and all(float(value).is_integer() for value in self.values)
        return sorted(map(float, self.values)) if whole and len(self.values) <= MOST_TICKS else None

    @property
    def numeric(self) -> bool:
        """True if the values are numbers."""
        return self.scale != "category"

    def rank(self, value: object) -> int:
        """Return the index of a point's value among the values."""
        return self.values.index(_scalar(value))

    def text(self, value: object) -> str:
        """Format a point's value."""
        return self.texts[self.rank(value)]

    def place(self, value: object) -> float:
        """Return the position of a point's value on its axis: the value, or the index of a category."""
        rank = self.rank(value)
        return float(self.values[rank]) if self.numeric else float(rank)


def dimensions(points: Sequence[Mapping[str, object]]) -> list[Dimension]:
    """Find the dimensions of a grid from the values of its points; the scheme is not a dimension."""
    columns = [column for column in points[0] if column != "scheme"] if points else []
    groups: list[list[str]] = []
    for column in columns:
        partners = next((group for group in groups if _vary_together(points, group[0], column)), None)
        if partners is None:
            groups.append([column])
        else:
            partners.append(column)
    return [
        _dimension(column, _distinct(point[column] for point in points), group)
        for group, members in enumerate(groups)
        for column in members
    ]


def _vary_together(points: Sequence[Mapping[str, object]], a: str, b: str) -> bool:
    """Return whether two columns vary together: some combinations of their values are missing."""
    combinations = {(point[a], point[b]) for point in points}
    return len(combinations) < len({x for x, _ in combinations}) * len({y for _, y in combinations})


def _distinct(values: Iterable[object]) -> tuple[float | str, ...]:
    return tuple(_scalar(value) for value in dict.fromkeys(values))


def _scalar(value: object) -> float | str:
    """Return numbers unchanged, and other values, including booleans, as text."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _dimension(column: str, values: tuple[float | str, ...], group: int) -> Dimension:
    numbers = [value for value in values if not isinstance(value, str)]
    scale: Scale = "category" if len(numbers) < len(values) else "log" if _geometric(numbers) else "linear"
    texts = _shares(numbers) if column.rpartition(".")[2] in SHARES else _texts(values)
    return Dimension(column, label(column), values, scale, texts, group)


def _shares(values: Sequence[float]) -> tuple[str, ...]:
    """Format shares in per cent, with enough digits to distinguish them."""
    texts = [tuple(f"{100 * value:.{digits}g} %" for value in values) for digits in (3, 6)]
    return texts[0] if len(set(texts[0])) == len(values) else texts[1]


def _texts(values: Sequence[str | float]) -> tuple[str, ...]:
    """Format values with four significant digits if these distinguish all values, else with all digits."""
    texts = tuple(
        value if isinstance(value, str) else f"{value:{'.4g' if value % 1 else 'g'}}" for value in values
    )
    if len(set(texts)) == len(texts):
        return texts
    return tuple(value if isinstance(value, str) else f"{value:g}" for value in values)


def _geometric(numbers: Sequence[float]) -> bool:
    """Return whether a log axis suits the numbers: more than a decade, with increasing steps."""
    ordered = sorted(numbers)
    if len(ordered) < 3 or ordered[0] <= 0 or ordered[-1] <= 10 * ordered[0]:
        return False
    steps = [b - a for a, b in pairwise(ordered)]
    return steps[-1] > 2 * steps[0]


SHARES = ("fer", "loss", "fer_good", "fer_bad", "loss_good", "loss_bad", "max_p")
"""Keys whose values are shown in per cent."""
NAMES = {
    "attempts": "attempts per frame",
    "app.rate": "sending rate",
    "app.size": "transfer size",
    "arq.attempts": "attempts per frame",
    "arq.timeout": "ARQ timeout",
    "arq.window": "ARQ window (frames)",
    "control_rate": "rate of control frames",
    "errors.bad": "mean fade",
    "errors.burst": "mean burst (frames)",
    "errors.fer": "frame error rate",
    "errors.good": "mean good time",
    "errors.loss": "loss rate",
    "queue.kind": "queueing discipline",
    "queue.packets": "queue length (packets)",
    "queue.target": "target delay of the queue",
    "segment": "segment size",
    "tcp.dupthresh": "duplicate-ACK threshold (segments)",
    "tcp.initial_window": "initial window (segments)",
    "tcp.preset": "TCP preset",
    "tcp.receive_window": "receive window",
    "tcp.rto.min": "least RTO",
}
"""Readable names, and the units of plain counts, for keys of scenarios."""


def label(column: str) -> str:
    """Format a column for readers: `wired.w1.delay_ms` becomes `delay of w1 (ms)`."""
    from airhop.study.quantity import UNITS

    path, _, suffix = column.rpartition("_")
    unit = {ending: written for written, (_, _, ending) in UNITS.items()}.get(suffix, "") if path else ""
    words = (path if unit else column).split(".")
    if len(words) < 3:
        return ".".join(words) + (f" ({unit})" if unit else "")
    what, of = ".".join(words[2:]), words[1]
    named, bracket, counted = NAMES.get(what, re.sub(r"[._]", " ", what)).partition(" (")
    return f"{named} of {of}{bracket}{counted}" + (f" ({unit})" if unit else "")
