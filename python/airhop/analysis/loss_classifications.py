"""Confusion matrix of a TCP sender: classified cause of each loss against the true cause.

A sender detects a loss by duplicate ACKs or a timeout, and does not know the cause. The sender classifies
each detected loss as congestion, as a loss of the wireless link, or as undecided. The simulator knows the
true cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airhop.analysis.measures import JUDGEMENTS, MEASURES

if TYPE_CHECKING:
    from airhop import stats


def _cell(column: str) -> tuple[str, str]:
    _, judged, cause = MEASURES[column].path
    return judged, cause


COLUMNS = {column: _cell(column) for column in JUDGEMENTS}
"""Cells of the matrix as (class, true cause), by column in data frames."""
LOSS_CLASSES = tuple(dict.fromkeys(judged for judged, _ in COLUMNS.values()))
"""Classes to which senders assign losses."""
UNDECIDED = "undecided"
"""Class of a loss if the sender does not classify losses."""
TRUE_CAUSES = tuple(dict.fromkeys(cause for _, cause in COLUMNS.values()))
"""True causes of detected losses. `none` means that the segment was not lost: either the segment was late, or
the ACK was lost.
"""
RIGHT = {
    ("congestion", "queue"),
    ("congestion", "aqm"),
    ("wireless", "channel"),
    ("wireless", "collision"),
}
"""Correct classifications as pairs of class and true cause. With the cause `none`, no class is correct. The
class `undecided` is never correct.
"""
DECIDED_COLUMNS = tuple(column for column, (judged, _) in COLUMNS.items() if judged != UNDECIDED)
RIGHT_COLUMNS = tuple(column for column, cell in COLUMNS.items() if cell in RIGHT)


@dataclass(frozen=True)
class LossClassifications:
    """Counts of a sender's losses by classification and true cause."""

    counts: Mapping[tuple[str, str], int]
    """Counts by class and true cause; a missing cell is 0."""

    @classmethod
    def of_flows(cls, flows: Iterable[Mapping[str, Any]]) -> LossClassifications:
        """Sum the classifications over the flows of run documents; real senders have no classifications."""
        found = dict.fromkeys(COLUMNS.values(), 0)
        for flow in flows:
            for judged, row in (flow["judgements"] or {}).items():
                for cause, count in row.items():
                    found[judged, cause] += count
        return cls(found)

    @classmethod
    def of_columns(cls, row: Mapping[str, Any]) -> LossClassifications:
        """Read the counts from the columns `COLUMNS` of a row of a data frame."""
        return cls({cell: row[column] or 0 for column, cell in COLUMNS.items()})

    @classmethod
    def sum(cls, sample: Iterable[LossClassifications]) -> LossClassifications:
        """Sum up several counts."""
        found = dict.fromkeys(COLUMNS.values(), 0)
        for one in sample:
            for cell, count in one.counts.items():
                found[cell] += count
        return cls(found)

    @property
    def columns(self) -> dict[str, int]:
        """Return the counts by column, as in data frames."""
        return {column: self.counts.get(cell, 0) for column, cell in COLUMNS.items()}

    @property
    def total(self) -> int:
        """Number of classified losses."""
        return sum(self.counts.values())

    @property
    def decided(self) -> int:
        """Number of losses with a class other than undecided."""
        return self.total - sum(self.count(UNDECIDED, cause) for cause in TRUE_CAUSES)

    @property
    def right(self) -> int:
        """Number of correctly classified losses."""
        return sum(count for cell, count in self.counts.items() if cell in RIGHT)

    @property
    def judged(self) -> tuple[str, ...]:
        """Classes with at least one loss."""
        return tuple(
            judged for judged in LOSS_CLASSES if any(self.count(judged, cause) for cause in TRUE_CAUSES)
        )

    def count(self, judged: str, cause: str) -> int:
        """Return the number of losses with this class and this true cause."""
        return self.counts.get((judged, cause), 0)

    def share(self, judged: str, cause: str) -> float:
        """Return the share of this class and this cause among all losses in the matrix, 0 to 1."""
        return self.count(judged, cause) / self.total if self.total else 0.0


def share_right(sample: Iterable[LossClassifications]) -> stats.Ratio | None:
    """Return the share of correct classifications over replications, 0 to 1; None if no loss was classified.

    A sender that leaves each loss undecided, such as BBR or a BPF object, has no classified loss. The share
    is a ratio of means with Fieller's interval. Each loss therefore has the same weight.
    """
    from airhop import stats

    runs = list(sample)
    if not any(run.decided for run in runs):
        return None
    found = stats.ratio([run.right for run in runs], [run.total for run in runs])
    if found.low is None or found.high is None:
        return found
    return stats.Ratio(found.value, max(found.low, 0.0), min(found.high, 1.0), found.n)
