"""Scatter of single runs, the tolerance in comparisons with a printed number.

`tools/spreads.py` writes `spreads.csv`, with one row per printed number. The scatter is half of the 95 %
range: t(0.975, n - 1) times the standard deviation of n runs of Airhop with the default reading. The unit is
Mbit/s. For a printed gain, the row has the scatter of the natural logarithm of the ratio of two curves, and
is inf if a run has no goodput.
"""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from airhop.errors import InputError
from airhop.experiments.experiment import X

FILE = "spreads.csv"


def run_half_width(experiment: str, curve: str, x: X, other: str = "") -> float:
    """Return the half-width of the 95 % interval of a single run around the mean.

    With `other`, return the half-width for the natural logarithm of the ratio to `other`.

    Raises InputError if `spreads.csv` has no such row.
    """
    key = (experiment, curve, other, x if isinstance(x, str) else f"{x:g}")
    try:
        return _spreads()[key]
    except KeyError:
        raise InputError(f"{FILE} has no row {', '.join(filter(None, key))}: run tools/spreads.py") from None


@cache
def _spreads() -> dict[tuple[str, str, str, str], float]:
    """Return the contents of spreads.csv, which is read at the first call."""
    text = (files("airhop.experiments") / FILE).read_text(encoding="utf-8")
    return {
        (row["experiment"], row["curve"], row["other"], row["x"]): float(row["spread"])
        for row in csv.DictReader(text.splitlines())
    }
