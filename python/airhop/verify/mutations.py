"""Sensitivity of the laws: share of single edits of correct traces that a law detects.

An edit changes one record of a trace, as a fault of the simulator might. The table, the type of edit, the
column and the row are drawn in this order with equal probabilities. Short and long tables thus have equal
weight. Every edit changes a value.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from airhop.verify.trace import Trace

if TYPE_CHECKING:
    import polars as pl

    from airhop.results import Result
    from airhop.scenario import Scenario

EDITS = ("delete", "duplicate", "shift", "one", "zero", "swap", "relabel")
"""Types of edits: delete or duplicate a row, shift a time by 1 µs, change a number by one or to 0, exchange a
value between two rows, replace a word or a flag.
"""
UNKNOWABLE: Mapping[tuple[str, str], str] = {
    ("notices", "lateness_ms"): "lateness of a notice relative to a timer, whose expiry is not recorded",
}
"""Columns that no law can check, with the reason. These columns are not edited."""
_SHIFT_S = 1e-6


@dataclass(frozen=True)
class Edit:
    """Change of one table."""

    table: str
    kind: str
    column: str
    """Column of the change. Empty if the edit concerns a whole row."""
    row: int


@dataclass
class Tally:
    """Number of edits made and detected, by table and type; missed edits also by column."""

    made: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.made + other.made, self.found + other.found, self.missed + other.missed)

    def __str__(self) -> str:
        """Format the counts as a Markdown table, with the missed edits."""
        tables = sorted({table for table, _ in self.made})
        rows = [("table", *EDITS, "all"), ("---",) * (len(EDITS) + 2)]
        for table in (*tables, "all"):
            chosen = tables if table == "all" else [table]
            cells = [self._cell(chosen, kinds) for kinds in (*([kind] for kind in EDITS), EDITS)]
            rows.append((f"`{table}`" if table != "all" else table, *cells))
        made, found = self.made.total(), self.found.total()
        low, high = wilson(found, made)
        told = ", ".join(f"{what} {number}" for what, number in sorted(self.missed.items()))
        return "\n".join(
            [
                *(f"| {' | '.join(row)} |" for row in rows),
                "",
                f"{found:,} of {made:,} edits found: {found / made:.1%} (95 %: {low:.1%} to {high:.1%})",
                f"missed: {told or 'none'}",
            ]
        )

    def _cell(self, tables: Sequence[str], kinds: Sequence[str]) -> str:
        made, found = (
            sum(count[table, kind] for table in tables for kind in kinds) for count in (self.made, self.found)
        )
        return f"{found} of {made}" if made else "–"


def wilson(found: int, made: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    z = 1.959964
    centre, spread = found + z * z / 2, z * math.sqrt(found * (made - found) / made + z * z / 4)
    return (centre - spread) / (made + z * z), (centre + spread) / (made + z * z)


def measure(scenario: Scenario, result: Result, *, seed: int, edits: int) -> Tally:
    """Make `edits` single edits of a run's trace, and count the edits that a law finds."""
    random, tally = Random(seed), Tally()
    sound = Trace(scenario.to_dict(), result.document, result.tables)
    is_found(sound)  # also reads and caches all tables
    for _ in range(edits):
        edit, tables = draw(random, result.tables)
        tally.made[edit.table, edit.kind] += 1
        if is_found(sound.with_table(edit.table, tables[edit.table])):
            tally.found[edit.table, edit.kind] += 1
        else:
            tally.missed[f"{edit.kind} {edit.table}.{edit.column}".rstrip(".")] += 1
    return tally


def draw(random: Random, tables: Mapping[str, pl.DataFrame]) -> tuple[Edit, dict[str, pl.DataFrame]]:
    """Choose an edit at random, and return the edit and the tables after the edit."""
    while True:
        table = random.choice(sorted(name for name in tables if tables[name].height))
        kind = random.choice(EDITS)
        frame = tables[table]
        columns = [""] if kind in ("delete", "duplicate") else _columns(frame, kind)
        known = [column for column in columns if (table, column) not in UNKNOWABLE]
        if not known:
            continue
        edit = Edit(table, kind, random.choice(known), random.randrange(frame.height))
        changed = _made(random, frame, edit)
        if changed is not None:
            return edit, {**tables, table: changed}


def is_found(trace: Trace) -> bool:
    """Return whether a trace breaks any law."""
    from airhop.verify import LAWS

    return any(next(iter(law.check(trace)), None) is not None for law in LAWS.values())


def _columns(frame: pl.DataFrame, kind: str) -> list[str]:
    """Return the columns that an edit of this kind may change."""
    schema = frame.schema
    match kind:
        case "shift":
            return [name for name in schema if name.endswith("_s")]
        case "one":
            return [name for name in schema if schema[name].is_numeric() and not name.endswith("_s")]
        case "zero":
            return [name for name in schema if schema[name].is_numeric()]
        case "relabel":
            return [name for name in schema if not schema[name].is_numeric()]
        case _:
            return list(schema)


def _made(random: Random, frame: pl.DataFrame, edit: Edit) -> pl.DataFrame | None:
    """Return the edited table; None if the edit changes nothing."""
    import polars as pl

    row = edit.row
    if edit.kind == "delete":
        return pl.concat([frame[:row], frame[row + 1 :]])
    if edit.kind == "duplicate":
        return pl.concat([frame[: row + 1], frame[row:]])
    cells = frame[edit.column].to_list()
    if edit.kind == "swap":
        other = next((at for at in range(row + 1, len(cells)) if cells[at] != cells[row]), None)
        if other is None or not _is_number(cells[row]) or not _is_number(cells[other]):
            return None
        cells[row], cells[other] = cells[other], cells[row]
    else:
        value = _other(random, frame[edit.column], edit.kind, cells[row])
        if value is None:
            return None
        cells[row] = value
    return frame.with_columns(pl.Series(edit.column, cells, dtype=frame[edit.column].dtype))


def _is_number(value: Any) -> bool:
    """Return whether a value is a number, not NaN."""
    return bool(value == value)


def _other(random: Random, column: pl.Series, kind: str, value: Any) -> Any:
    """Return a replacement for a value; None if every replacement is equal."""
    if kind == "relabel":
        if isinstance(value, bool):
            return not value
        words = [word for word in column.drop_nulls().unique(maintain_order=True) if word != value]
        return random.choice(words) if words else None
    if kind == "zero":
        return None if value == 0 else 0
    if not math.isfinite(value):
        return None
    step = random.choice([-1, 1]) if value >= 1 or (kind == "shift" and value > _SHIFT_S) else 1
    return value + step * (_SHIFT_S if kind == "shift" else 1)
