"""Axes of a study: the varied paths, their values, and their column names."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import Any

from airhop.errors import InputError, did_you_mean
from airhop.scenario import SCHEME, toml_literal
from airhop.study.quantity import Quantity, read_quantity

RANGE_KEYS = ("log", "linear", "points")
MOST_VALUES = 100_000
"""Maximum number of values of an axis; a larger number is probably a typing error."""
EXPECTED = "expected a list of values, or a range such as { log = [1e-4, 1e-1], points = 7 }"

Scalar = str | int | float | bool
"""Value of a table's column."""


@dataclass(frozen=True)
class Axis:
    """Dimension of a study's grid: a path of the scenario, or several paths that vary together.

    `values[i]` has the i-th value of each path, written as in a scenario.
    """

    paths: tuple[str, ...]
    values: tuple[tuple[object, ...], ...]
    names: tuple[str, ...] = ()
    """Names of the values, for an axis of schemes with settings of their own; otherwise empty.

    A named axis has the single column `scheme` with these names.
    """

    @classmethod
    def of(cls, path: str, values: object, where: str = "vary") -> Axis:
        """Create the axis of one path from a list or a range.

        Parameters
        ----------
        path
            Varied path, as in `--set`.
        values
            A list, or a range such as {"log": [1e-4, 1e-1], "points": 7}.
        where
            Table of the study file with this path, named in messages.

        Returns
        -------
        Axis
            Axis with one column.

        Raises
        ------
        InputError
            For an empty list, a duplicate value, or an invalid range.
        """
        return cls.zipped({path: values}, where)

    @classmethod
    def zipped(cls, columns: Mapping[str, object], where: str = "zip") -> Axis:
        """Create an axis of paths that vary together.

        Raises InputError for lists of unequal length, and in the same cases as `of`.
        """
        lists = {path: _values(values, f"{where}.{path}") for path, values in columns.items()}
        if not lists:
            raise InputError(f"{where}: expected at least one path with its values")
        lengths = {path: len(values) for path, values in lists.items()}
        if len(set(lengths.values())) > 1:
            told = ", ".join(f"{path} has {count}" for path, count in lengths.items())
            raise InputError(
                f"{where}: paths that vary together need lists of equal length, but {told} values"
            )
        axis = cls(tuple(lists), tuple(zip(*lists.values(), strict=True)))
        axis._refuse_repeated(where)
        return axis

    @cached_property
    def columns(self) -> dict[str, tuple[Scalar, ...]]:
        """Values by column name, with one type per column.

        Quantities become numbers in the unit of the first value, and this unit becomes the suffix of the
        column. For example, `wired.w1.delay` with "2 ms" and "1 s" becomes the column `wired.w1.delay_ms`
        with 2.0 and 1000.0. A table becomes a text such as `ll-elsn(n=3)`.
        """
        if self.names:
            return {SCHEME: self.names}
        lists = zip(*self.values, strict=True)
        return dict(_column(path, values) for path, values in zip(self.paths, lists, strict=True))

    def __len__(self) -> int:
        return len(self.values)

    def _refuse_repeated(self, where: str) -> None:
        seen: dict[object, tuple[object, ...]] = {}
        for row, given in zip(zip(*self.columns.values(), strict=True), self.values, strict=True):
            first = seen.setdefault(row, given)
            if first is not given:
                both = [", ".join(map(text, values)) for values in (first, given)]
                told = (
                    f"{both[0]} is listed twice"
                    if both[0] == both[1]
                    else " and ".join(both) + " are the same value"
                )
                raise InputError(f"{where}.{', '.join(self.paths)}: {told}")


def flattened(table: Mapping[str, object]) -> dict[str, object]:
    """Join the keys of nested tables to paths, because TOML parses `wlan.cell.errors.fer = …` as four keys.

    A table with a name, a kind or the keys of a range is a value: its keys are not joined.
    """
    flat: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, Mapping) and value and not {"name", "kind", *RANGE_KEYS} & set(value):
            flat |= {f"{key}.{below}": inner for below, inner in flattened(value).items()}
        else:
            flat[key] = value
    return flat


def text(value: object) -> str:
    """Format a value for readers: `0.01`, `10 ms`, `ll-elsn(n=3)`."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, Mapping):
        head = next((key for key in ("name", "kind") if key in value), None)
        rest = ", ".join(f"{key}={text(inner)}" for key, inner in value.items() if key != head)
        if head is None:
            return f"{{{rest}}}"
        return f"{value[head]}({rest})" if rest else str(value[head])
    return toml_literal(value)


def _values(given: object, where: str) -> list[object]:
    if isinstance(given, Mapping):
        return _range(given, where)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{where}: {EXPECTED}, got {given!r}")
    values = [_plain(value) for value in given]
    if not values:
        raise InputError(f"{where}: the list is empty; {EXPECTED}")
    if len(values) > MOST_VALUES:
        raise InputError(f"{where}: {len(values):,} values; at most {MOST_VALUES:,}")
    return values


def _plain(value: object) -> object:
    """Convert numpy's numbers to Python's, for JSON."""
    if isinstance(value, str | bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    return value


def _range(spec: Mapping[str, Any], where: str) -> list[object]:
    for key in spec:
        if key not in RANGE_KEYS:
            known = "`log` or `linear`, and `points`"
            raise InputError(f"{where}: a range has {known}, not `{key}`.{did_you_mean(key, RANGE_KEYS)}")
    kinds = [kind for kind in ("log", "linear") if kind in spec]
    if len(kinds) != 1:
        raise InputError(
            f"{where}: a range has either `log` or `linear`, as in {{ log = [1e-4, 1e-1], points = 7 }}"
        )
    points = spec.get("points")
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= MOST_VALUES:
        got = "which is missing" if points is None else f"got {points!r}"
        raise InputError(f"{where}.points: expected a whole number from 2 to {MOST_VALUES:,}, {got}")
    return _divide(kinds[0], spec[kinds[0]], points, f"{where}.{kinds[0]}")


def _divide(kind: str, ends: object, points: int, where: str) -> list[object]:
    """Divide a range of numbers or quantities evenly, ends included.

    Results have the unit of the first end.
    """
    expected = f'{where}: expected two ends, such as [1e-4, 1e-1] or ["2 ms", "30 ms"]'
    if not isinstance(ends, Sequence) or isinstance(ends, str) or len(ends) != 2:
        raise InputError(f"{expected}, got {ends!r}")
    quantities = [quantity for end in ends if (quantity := read_quantity(end)) is not None]
    if len(quantities) == 2 and quantities[0].dimension == quantities[1].dimension:
        unit = quantities[0].unit
        first, last = (quantity.to(unit) for quantity in quantities)
    elif all(isinstance(end, Real) and not isinstance(end, bool) and math.isfinite(end) for end in ends):
        unit = None
        first, last = map(float, ends)
    else:
        raise InputError(f"{expected}, got {ends!r}")
    if first == last:
        raise InputError(f"{where}: the two ends are equal; write a list of one value instead")
    if kind == "log" and min(first, last) <= 0:
        raise InputError(
            f"{where}: a logarithmic range needs ends above 0, got {ends!r}; `linear` may hold 0"
        )
    steps = [_step(kind, first, last, index / (points - 1)) for index in range(points)]
    if unit is not None:
        return [f"{step:.10g} {unit}" for step in steps]
    whole = all(isinstance(end, Integral) for end in ends) and all(step.is_integer() for step in steps)
    return [int(step) if whole else step for step in steps]


def _step(kind: str, first: float, last: float, share: float) -> float:
    value = first * (last / first) ** share if kind == "log" else first + (last - first) * share
    # Rounding to ten digits, because powers differ in the last bit between machines, but the run id must not
    # differ.
    return float(f"{value:.10g}")


def _column(path: str, values: Sequence[object]) -> tuple[str, tuple[Scalar, ...]]:
    quantities = [read_quantity(value) for value in values]
    known = [quantity for quantity in quantities if quantity is not None]
    if len(known) == len(values) and len({quantity.dimension for quantity in known}) == 1:
        return _quantity_column(path, known)
    if all(isinstance(value, bool) for value in values):
        return path, tuple(bool(value) for value in values)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        whole = all(isinstance(value, int) for value in values)
        return path, tuple(value if whole else float(value) for value in values)  # type: ignore[arg-type, misc]
    return path, tuple(map(text, values))


def _quantity_column(path: str, quantities: Sequence[Quantity]) -> tuple[str, tuple[Scalar, ...]]:
    first = quantities[0]
    return f"{path}_{first.suffix}", tuple(quantity.to(first.unit) for quantity in quantities)
