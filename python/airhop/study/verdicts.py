"""Verdicts of a study: the best schemes at each setting, for goals such as throughput and delay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airhop.analysis.goals import ClassSeen, Goal, Share, goals, starved
from airhop.analysis.measures import GOODPUT
from airhop.analysis.verdict import Samples, Verdict, verdict

if TYPE_CHECKING:
    import polars as pl

    from airhop.study.study import Point
    from airhop.study.table import Table

COMPLETED, UNFINISHED = "class_completion_count", "class_completion_unfinished"
OF_LIMITED = ("class_call_played", "class_game_in_time", "class_video_segments")
"""Columns that only classes with calls, games or videos have."""


@dataclass(frozen=True)
class Outcome:
    """Verdict on the schemes of one setting, with the values of its goals."""

    points: Sequence[Point]
    verdict: Verdict
    samples: Mapping[Goal, Samples]
    """Values of the runs by goal, scheme and replication."""


def outcomes(table: Table) -> list[Outcome]:
    """Return the outcome of each setting that has runs, in grid order."""
    rows = table.rows()
    if rows.is_empty():
        return []
    seen = classes(rows)
    samples = {goal: table.samples(goal.metric) for goal in goals(seen)}
    by_point = rows.partition_by("point", as_dict=True)
    found = []
    for setting in table.study.settings:
        points = [point for point in setting if (point.index,) in by_point]
        of_schemes = {point.scheme: by_point[(point.index,)] for point in points}
        if of_schemes:
            values = {
                goal: {point.scheme: of_points.get(point.index, {}) for point in points}
                for goal, of_points in samples.items()
            }
            found.append(Outcome(points, _verdict(values, of_schemes, seen), values))
    return found


def _verdict(
    samples: Mapping[Goal, Samples], rows: Mapping[str, pl.DataFrame], seen: Sequence[ClassSeen]
) -> Verdict:
    ends = {goal.of for goal in samples if goal.kind == "completion" and goal.of is not None}
    unfinished = {
        of: {scheme: _unfinished(of_scheme, of) for scheme, of_scheme in rows.items()} for of in ends
    }
    others = [one.name for one in seen if not one.competes]
    shares = {scheme: _shares(of_scheme, others) for scheme, of_scheme in rows.items()}
    return verdict(samples, unfinished, {scheme: starved(runs) for scheme, runs in shares.items()})


def classes(rows: pl.DataFrame) -> list[ClassSeen]:
    """List the classes of flows in rows of a store, in the order of flows; empty for rows of old versions."""
    import polars as pl

    if rows.is_empty():
        return []
    limited = [name for name in OF_LIMITED if name in rows.columns]
    found = (
        rows.filter(pl.col("class").is_not_null())
        .group_by("class", maintain_order=True)
        .agg(
            pl.col("class_flows").max(),
            ((pl.col(COMPLETED) + pl.col(UNFINISHED)) > 0).any().alias("ends"),
            (pl.col("transport") == "udp").all().alias("datagrams"),
            pl.any_horizontal(pl.lit(value=False), *(pl.col(name).is_not_null() for name in limited))
            .any()
            .alias("limited"),
        )
    )
    return [ClassSeen(*row) for row in found.iter_rows()]


def _unfinished(rows: pl.DataFrame, of: str) -> float:
    """Return the share of the transfers and requests of class `of` that remain unfinished."""
    import polars as pl

    runs = rows.filter(pl.col("class") == of).unique("run_id")
    completed, unfinished = (int(runs[column].sum()) for column in (COMPLETED, UNFINISHED))
    return unfinished / max(completed + unfinished, 1)


def _shares(rows: pl.DataFrame, others: Sequence[str]) -> list[list[Share]]:
    """Return the goodputs of the TCP flows of each run, without those of the classes `others`."""
    import polars as pl

    competing = rows.filter(
        (pl.col("transport") == "tcp") & pl.col("class").is_not_null() & ~pl.col("class").is_in(others)
    )
    runs = competing.select("run_id", "flow", "class", GOODPUT).partition_by("run_id", include_key=False)
    return [[Share(*row) for row in run.iter_rows()] for run in runs]
