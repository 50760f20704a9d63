"""Tables of a comparison by class of flows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from airhop.analysis.measures import MEASURES, Measure
from airhop.comparison.comparison import Row
from airhop.stats import Estimate

SHOWN = (
    "class_goodput_mbps", "class_jain", "class_delay_p95_ms", "class_completion_p50_ms",
    "class_completion_p95_ms", "class_completion_unfinished", "class_call_r", "class_call_r_min",
    "class_call_late_pct", "class_call_lost_pct", "class_call_mouth_to_ear_ms", "class_game_late_pct",
    "class_game_lost_pct", "class_video_startup_s", "class_video_stalls", "class_video_stalled_pct",
    "class_video_bitrate_mbps", "class_video_switches",
)  # fmt: skip
"""Columns of a class; columns without a value for any arm are omitted."""
FAIRNESS = "class_jain"
"""Column for fairness, in classes of several flows without a rate limit."""
OF_COMPLETIONS = ("class_completion_p50_ms", "class_completion_p95_ms", "class_completion_unfinished")
"""Columns of classes with transfers or requests."""
OF_QUALITY = ("class_call_played", "class_game_in_time", "class_video_segments")
"""Columns that a class has only if the class contains calls, games or videos."""


@dataclass(frozen=True)
class ClassTable:
    """Results of the arms in one class of flows."""

    title: str
    measures: Sequence[Measure]
    """Columns."""
    cells: Mapping[str, Sequence[Estimate | None]]
    """Values of the columns by arm."""


def class_tables(rows: Sequence[Row]) -> list[ClassTable]:
    """Return a table for each class of flows.

    Returns an empty list for a single class without transfers, requests, calls, games or videos.
    """
    names = list(dict.fromkeys(name for row in rows for name in row.classes))
    of_rows = [found for row in rows for found in row.classes.values()]
    if len(names) < 2 and not any(_begun(found) or any(map(found.get, OF_QUALITY)) for found in of_rows):
        return []
    return [_table(name, {row.scheme: row.classes.get(name, {}) for row in rows}) for name in names]


def _table(name: str, of_arms: Mapping[str, Mapping[str, Estimate | None]]) -> ClassTable:
    ends = any(map(_begun, of_arms.values()))
    flows = max(
        (value.mean for found in of_arms.values() if (value := found.get("class_flows"))), default=0.0
    )
    limited = any(any(map(found.get, OF_QUALITY)) for found in of_arms.values())
    without = {*(() if ends else OF_COMPLETIONS), *((FAIRNESS,) if flows < 2 or limited else ())}
    known = (column for column in SHOWN if column not in without)
    shown = [column for column in known if any(found.get(column) for found in of_arms.values())]
    return ClassTable(
        f"class {name}, {flows:.0f} flow{'' if flows == 1 else 's'}",
        [MEASURES[column] for column in shown],
        {arm: [found.get(column) for column in shown] for arm, found in of_arms.items()},
    )


def _begun(found: Mapping[str, Estimate | None]) -> bool:
    """Return whether a class has transfers or requests, complete or incomplete."""
    counts = (found.get(f"class_completion_{which}") for which in ("count", "unfinished"))
    return any(count is not None and count.mean > 0 for count in counts)
