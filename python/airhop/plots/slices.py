"""Slices of a grid: the dimension along which a figure runs, and the fixed values of other dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airhop.errors import InputError, did_you_mean
from airhop.plots.quantities import Dimension, dimensions

if TYPE_CHECKING:
    from airhop.study import Cell, Table


@dataclass(frozen=True)
class Slice:
    """Points of a study along some dimensions, with fixed values of all other dimensions."""

    along: tuple[Dimension, ...]
    held: Mapping[str, object]
    """Fixed values by column."""
    cells: tuple[Cell, ...]
    where: str
    """Text with the fixed values; empty if no other dimension varies."""

    def of(self, scheme: str) -> list[Cell]:
        """Return the points of one scheme, sorted by index along the first dimension."""
        mine = [cell for cell in self.cells if cell.point.scheme == scheme]
        if not self.along:
            return mine
        first = self.along[0]
        return sorted(mine, key=lambda cell: first.place(cell.point.values[first.column]))


def cut(
    table: Table, metric: str, along: tuple[str | None, ...], at: Mapping[str, object] | None = None
) -> Slice:
    """Select the points along the named columns (None: the first column that varies).

    All other columns are fixed at the values in `at`, or else at the middle of their values. Raises
    InputError for a column or a value that the study does not have.
    """
    known = [d for d in dimensions([point.values for point in table.study.points()]) if len(d.values) > 1]
    columns = {d.column: d for d in known}
    for column in (*filter(None, along), *(at or {})):
        if column not in columns:
            raise InputError(
                f"`{column}` does not vary in {table.study.name}.{did_you_mean(column, columns)} "
                f"Varied columns: {', '.join(columns) or 'nothing'}."
            )
    chosen = _along(known, along)
    groups = {d.group for d in chosen}
    held: dict[str, object] = {}
    for group in dict.fromkeys(d.group for d in known if d.group not in groups):
        members = [d for d in known if d.group == group]
        held |= _held(table, members, at or {})
    cells = tuple(
        cell
        for cell in table.cells(metric)
        if all(cell.point.values[column] == value for column, value in held.items())
    )
    where = ", ".join(
        f"{columns[column].label} = {columns[column].text(value)}" for column, value in held.items()
    )
    return Slice(chosen, held, cells, where)


def _along(known: list[Dimension], wanted: tuple[str | None, ...]) -> tuple[Dimension, ...]:
    """Select the requested dimensions; each None selects the first dimension that is still unused."""
    chosen: list[Dimension] = []
    named = [column for column in wanted if column is not None]
    free = (d for d in known if d.column not in named)
    for column in wanted:
        found = next((d for d in known if d.column == column), None) if column else next(free, None)
        if found is not None:
            chosen.append(found)
    return tuple(chosen)


def _held(table: Table, members: list[Dimension], at: Mapping[str, object]) -> dict[str, object]:
    """Fix dimensions that vary together at the requested values, or in the middle."""
    columns = [d.column for d in members]
    settings = list(
        dict.fromkeys(tuple(point.values[column] for column in columns) for point in table.study.points())
    )
    fitting = [
        setting
        for setting in settings
        if all(at.get(column, value) == value for column, value in zip(columns, setting, strict=True))
    ]
    if not fitting:
        told = ", ".join(f"{column} = {at[column]!r}" for column in columns if column in at)
        values = ", ".join(
            f"{value:g}" if isinstance(value, float) else str(value) for value in members[0].values
        )
        raise InputError(f"{table.study.name} has no point with {told}; it has {values}")
    return dict(zip(columns, fitting[len(fitting) // 2], strict=True))
