"""Parts of run documents without measurements; tests fill in the values that they need."""

from __future__ import annotations

from typing import Any

from airhop.analysis.measures import OF_FLOWS, OF_RUNS, Measure


def blank_flow() -> dict[str, Any]:
    """Make the measures of a flow: counts are 0, everything else is null."""
    return _blank(OF_FLOWS)


def blank_run() -> dict[str, Any]:
    """Make the measures of a run, all 0."""
    return _blank(OF_RUNS)


def _blank(measures: tuple[Measure, ...]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for measure in measures:
        at = made
        for key in measure.path[:-1]:
            at = at.setdefault(key, {})
        at[measure.path[-1]] = 0 if measure.is_count else None
    return made
