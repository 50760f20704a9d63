"""Summary of a comparison: a sentence on the best arms, and goodput, ratio and delays of each arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.analysis.measures import MEASURES
from airhop.display import MOST_ROWS, Summary
from airhop.hints import pointer
from airhop.stats import replications
from airhop.terminal import mean_pm, ratio

if TYPE_CHECKING:
    from airhop.comparison.comparison import Comparison

SHOWN = ("rtt_p50_ms", "delay_p95_ms", "completion_p95_ms", "retransmissions")
"""Measures in addition to goodput. The summary omits a measure that no arm has."""


def summary(comparison: Comparison) -> Summary:
    """Summarize a comparison over its paired replications."""
    rows = comparison.rows()
    reps = len(comparison.paired_reps)
    more = len(rows) - MOST_ROWS
    shown = [MEASURES[name] for name in SHOWN if any(row.metrics[name] for row in rows)]
    return Summary(
        f"{comparison.scenario.name}: {replications(reps)}, seed {comparison.seed}"
        f"{'' if comparison.complete else ', not complete'}{pointer(comparison.hints)}",
        [
            comparison.heading,
            "goodput\nMbit/s",
            f"goodput\nto {comparison.schemes[0]}",
            *(measure.heading for measure in shown),
        ],
        [
            [
                row.scheme,
                mean_pm(row.goodput),
                "× 1" if row is rows[0] else ratio(row.goodput_ratio),
                *(mean_pm(row.metrics[measure.column]) for measure in shown),
            ]
            for row in rows[:MOST_ROWS]
        ],
        lead=comparison.verdict.headline if len(rows) > 1 and reps > 1 else "",
        notes=[f"… and {more:,} more arms: .rows()"] if more > 0 else [],
    )
