"""CSV file with the results of the checks; docs/cross-checks.md is generated from the file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from airhop.crosscheck.check import Check, Row
from airhop.errors import InputError
from airhop.files import filling, read_text
from airhop.stats import Estimate

COLUMNS = ("id", "n", "mean", "half_width")
"""Columns of the file. The checks themselves contain bounds, reasons and the peers' numbers."""


@contextmanager
def recording(path: Path) -> Iterator[list[Row]]:
    """Yield an empty list; rows added to the list are written as CSV at the end of the `with` block.

    Numbers have six significant digits. An error or Ctrl-C leaves the file unchanged. Raises InputError at
    the begin of the block if the file cannot be written.
    """
    if path.is_dir():
        raise InputError(f"{path} is a folder; --out names a file, such as {path / 'cross-checks.csv'}")
    with filling(path.parent) as hidden:
        rows: list[Row] = []
        yield rows
        lines = [
            (row.check.id, str(row.ours.n), f"{row.ours.mean:.6g}", f"{row.ours.half_width or 0.0:.6g}")
            for row in rows
        ]
        with (hidden / path.name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([COLUMNS, *lines])


def recorded(path: Path, checks: Sequence[Check]) -> list[Row]:
    """Read the results of these checks from a file.

    Raises InputError if the file has another format, lacks a check, or has a row of another check.
    """
    reader = csv.DictReader(read_text(path, "a table of cross-checks", ()).splitlines())
    if tuple(reader.fieldnames or ()) != COLUMNS:
        raise InputError(f"{path} begins with {reader.fieldnames}; expected the columns {', '.join(COLUMNS)}")
    found = {line["id"]: _estimate(path, line) for line in reader}
    known = {check.id for check in checks}
    if stray := [*(known - found.keys()), *(found.keys() - known)]:
        raise InputError(
            f"{path} and the checks differ in {len(stray)}, such as `{min(stray)}`;"
            f" `airhop doctor --cross-check --out {path}` writes a new file"
        )
    return [Row(check, found[check.id]) for check in checks]


def _estimate(path: Path, line: dict[str, str]) -> Estimate:
    try:
        return Estimate(float(line["mean"]), float(line["half_width"]), int(line["n"]))
    except (TypeError, ValueError):
        raise InputError(f"{path}: the row of `{line['id']}` needs a number in each column") from None
