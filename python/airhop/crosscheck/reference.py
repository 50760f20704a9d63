"""What ns-2.35, ns-3 and Linux 6.18 measured: the CSV files beside this module, a row per run."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources

from airhop.stats import Estimate, estimate

FILES: Mapping[str, tuple[str, ...]] = {
    "ns2": (
        "scheme",
        "fer",
        "d_off_ms",
        "attempts",
        "control_rate_mbps",
        "flows",
        "direction",
        "duration_s",
    ),
    "ns3": ("scenario", "scheme", "params", "ns3"),
    "linux": ("cc", "p"),
    "emulated": ("scheme", "attempts", "fer"),
}
"""Each file, and the columns that say what was run; runs that agree in them are replications of a point."""

GOODPUT = "goodput_mbps"

Point = tuple[str, ...]
"""What was run: the words of a file's columns, as the file has them."""


@cache
def points(file: str) -> Mapping[Point, Estimate]:
    """Give the points of a file in its order, with the mean goodput of their runs in Mbit/s."""
    columns = FILES[file]
    runs: dict[Point, list[float]] = {}
    for row in csv.DictReader(_lines(file)):
        runs.setdefault(tuple(row[column] for column in columns), []).append(float(row[GOODPUT]))
    return {point: estimate(values) for point, values in runs.items()}


def parameters(words: str) -> dict[str, str]:
    """Read ns-3's column `params`: `loss=0.01;mss=1000` and so on."""
    pairs = (word.partition("=") for word in words.split(";"))
    return {name: value for name, _, value in pairs}


def _lines(file: str) -> Iterator[str]:
    path = resources.files(__package__) / "reference" / f"{file}.csv"
    return iter(path.read_text(encoding="utf-8").splitlines())
