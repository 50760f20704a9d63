"""Measurements of ns-2.35, ns-3 and Linux 6.18: CSV files in the folder `reference`, one row per run."""

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
    "emulated": ("link", "params", "scheme"),
    "chain": ("link", "params", "scheme"),
    "downloads": ("link", "params", "scheme"),
    "wifi": (
        "exp",
        "std",
        "mcs",
        "nss",
        "width_mhz",
        "gi_ns",
        "ampdu_cap",
        "amsdu_cap",
        "rts",
        "payload",
        "nsta",
        "mpdu_loss",
        "retry_counts_under_ba",
        "bar_after_missed_ba",
        "be_txop_us",
        "T_s",
        "seed",
        "mpdus_per_ppdu",
    ),
    "wifi_tcp": ("scheme", "dir", "nsta", "mpdu_loss", "T_s", "warm_s"),
    "edca": ("peer", "std", "mcs", "width_mhz", "ampdu_cap", "txop", "functions", "category"),
}
"""Columns that identify a point, by file. Runs with equal values in these columns are replications of one
point.
"""

GOODPUT = "goodput_mbps"
COMPLETION_S = "completion_s"

Point = tuple[str, ...]
"""Identity of a point: values of the identifying columns."""

Row = Mapping[str, str]
"""Identity of a point by column."""


@cache
def points(file: str, measured: str = GOODPUT) -> Mapping[Point, Estimate]:
    """Return the points of a file in file order, each with mean and interval of the column `measured`."""
    columns = FILES[file]
    runs: dict[Point, list[float]] = {}
    for row in csv.DictReader(_lines(file)):
        runs.setdefault(tuple(row[column] for column in columns), []).append(float(row[measured]))
    return {point: estimate(values) for point, values in runs.items()}


@cache
def runs(file: str) -> Mapping[Point, Mapping[int, float]]:
    """Return the goodput of each run in Mbit/s, by point and seed, for a file with the column `seed`."""
    found: dict[Point, dict[int, float]] = {}
    for row in csv.DictReader(_lines(file)):
        point = tuple(row[column] for column in FILES[file])
        found.setdefault(point, {})[int(row["seed"])] = float(row[GOODPUT])
    return found


def rows(file: str) -> Iterator[tuple[Row, Estimate]]:
    """Yield the points of a file as values by column, with mean and interval of the goodput in Mbit/s."""
    for point, measured in points(file).items():
        yield dict(zip(FILES[file], point, strict=True)), measured


def parameters(words: str) -> dict[str, str]:
    """Parse a value of the column `params`, such as `loss=0.01;mss=1000` or an empty text."""
    pairs = (word.partition("=") for word in words.split(";") if word)
    return {name: value for name, _, value in pairs}


def _lines(file: str) -> Iterator[str]:
    path = resources.files(__package__) / "reference" / f"{file}.csv"
    return iter(path.read_text(encoding="utf-8").splitlines())
