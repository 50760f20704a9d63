"""Scatter of single runs: half of the 95 % range of one run, for the comparison with printed numbers.

`spreads.csv` has a row per printed number: t(0.975, n - 1) times the standard deviation of n runs of Airhop
under the default reading. The unit is the unit of the printed number, Mbit/s; for a gain of one curve over
another it is the natural logarithm of the ratio, and inf if a run of one of the curves has no goodput.
`tools/spreads.py` writes the file.
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

    With `other`: the half-width for the natural logarithm of the ratio to `other`.

    Raises InputError if `spreads.csv` has no such row.
    """
    key = (experiment, curve, other, x if isinstance(x, str) else f"{x:g}")
    try:
        return _spreads()[key]
    except KeyError:
        raise InputError(f"{FILE} has no row {', '.join(filter(None, key))}: run tools/spreads.py") from None


@cache
def _spreads() -> dict[tuple[str, str, str, str], float]:
    """Read the file once."""
    text = (files("airhop.experiments") / FILE).read_text(encoding="utf-8")
    return {
        (row["experiment"], row["curve"], row["other"], row["x"]): float(row["spread"])
        for row in csv.DictReader(text.splitlines())
    }
