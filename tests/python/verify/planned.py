"""Faults in the tables whose contents are known before the run: `stations`, `links` and `fades`."""

from __future__ import annotations

import polars as pl
from forged import Recorded


def elsewhere(run: Recorded) -> None:
    run.add("stations", "x_m", 1, 1)


def changes_one_way(run: Recorded) -> None:
    run.add("links", "rate_mbps", 2, 1)


def changes_late(run: Recorded) -> None:
    links = run.tables["links"]
    late = pl.when(pl.col("time_s") > 0).then(pl.col("time_s") + 1e-6).otherwise(0.0)
    run.tables["links"] = links.with_columns(late.alias("time_s"))


def outages_unrecorded(run: Recorded) -> None:
    outage = {"kind": "outage", "at": "1500 ms", "lasts": "200 ms", "fate": "lost"}
    run.scenario["wired"][0]["changes"] = [outage]
    run.tables["links"] = run.tables["links"][:0]


def fades_one_way(run: Recorded) -> None:
    run.add("fades", "begin_s", 1, 1e-6)
