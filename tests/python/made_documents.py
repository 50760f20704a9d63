"""Empty parts of run documents, which tests fill with the values that they need."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from airhop.analysis.measures import OF_FLOWS, OF_RUNS, Measure

QUALITIES = ("call", "game", "video")
"""Groups of measures that only flows of calls, games or videos have."""


def blank_flow() -> dict[str, Any]:
    """Return the measures of a flow without these groups: counts are 0, everything else is null."""
    return _blank([measure for measure in OF_FLOWS if measure.path[0] not in QUALITIES])


def blank_run() -> dict[str, Any]:
    """Make the measures of a run, all 0."""
    return _blank(OF_RUNS)


def _blank(measures: Iterable[Measure]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for measure in measures:
        at = made
        for key in measure.path[:-1]:
            at = at.setdefault(key, {})
        at[measure.path[-1]] = 0 if measure.is_count else None
    return made
