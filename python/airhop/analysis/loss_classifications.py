"""Loss classifications by true cause: the confusion matrix of a sender.

A sender sees duplicate ACKs and silence, never the cause of a loss. It classifies each detected loss as
congestion, as a loss of the wireless link, or as undecided; the simulator knows the true cause.
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
"""Cells of the matrix (class and true cause) by their columns in frames."""
LOSS_CLASSES = tuple(dict.fromkeys(judged for judged, _ in COLUMNS.values()))
"""Classes of a loss."""
UNDECIDED = "undecided"
"""Class of a loss by a sender that does not classify."""
TRUE_CAUSES = tuple(dict.fromkeys(cause for _, cause in COLUMNS.values()))
"""True causes; `none` means that the segment was not lost: its ACK was lost, or the segment was late."""
RIGHT = {
    ("congestion", "queue"),
    ("congestion", "aqm"),
    ("wireless", "channel"),
    ("wireless", "collision"),
}
"""Correct classifications. If no segment was lost, no class is correct; `undecided` is never correct."""
DECIDED_COLUMNS = tuple(column for column, (judged, _) in COLUMNS.items() if judged != UNDECIDED)
RIGHT_COLUMNS = tuple(column for column, cell in COLUMNS.items() if cell in RIGHT)


@dataclass(frozen=True)
class LossClassifications:
    """Counts of a sender's losses by classification and true cause."""

    counts: Mapping[tuple[str, str], int]
    """Counts by class and true cause; a missing cell is 0."""

    @classmethod
    def of_flows(cls, flows: Iterable[Mapping[str, Any]]) -> LossClassifications:
        """Sum up the flows of run documents; the classifications of a real kernel are unknown."""
        found = dict.fromkeys(COLUMNS.values(), 0)
        for flow in flows:
            for judged, row in (flow["judgements"] or {}).items():
                for cause, count in row.items():
                    found[judged, cause] += count
        return cls(found)

    @classmethod
    def of_columns(cls, row: Mapping[str, Any]) -> LossClassifications:
        """Read the columns of a row of a frame."""
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
        """Return the counts by the names of their columns."""
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
        """Number of correct classifications."""
        return sum(count for cell, count in self.counts.items() if cell in RIGHT)

    @property
    def judged(self) -> tuple[str, ...]:
        """Classes that occur."""
        return tuple(
            judged for judged in LOSS_CLASSES if any(self.count(judged, cause) for cause in TRUE_CAUSES)
        )

    def count(self, judged: str, cause: str) -> int:
        """Return the number of losses with this class and this true cause."""
        return self.counts.get((judged, cause), 0)

    def share(self, judged: str, cause: str) -> float:
        """Return the share of losses with this class and this cause among all classified losses, 0 to 1."""
        return self.count(judged, cause) / self.total if self.total else 0.0


def share_right(sample: Iterable[LossClassifications]) -> stats.Ratio | None:
    """Return the share of correct classifications over replications, 0 to 1; None if no loss was classified.

    The result is None without losses, and for a sender that leaves each loss undecided, such as BBR or a BPF
    object, whose interface does not report a class. The share is a ratio of means (Fieller's interval), so
    every loss has the same weight, and replications have the weight of their number of losses.
    """
    from airhop import stats

    runs = list(sample)
    if not any(run.decided for run in runs):
        return None
    found = stats.ratio([run.right for run in runs], [run.total for run in runs])
    if found.low is None or found.high is None:
        return found
    return stats.Ratio(found.value, max(found.low, 0.0), min(found.high, 1.0), found.n)
