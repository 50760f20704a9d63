"""What schemes took losses for, against what had happened: the confusion matrix of a sender.

A sender sees duplicate ACKs and silence, never the cause of a loss. Each loss it notices it takes for
congestion, for a loss of the wireless link, or leaves undecided; the simulator knows which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airhop import stats

TAKEN_FOR = ("congestion", "wireless", "undecided")
"""What a loss can be taken for."""
TRUE_CAUSES = ("queue", "aqm", "channel", "collision", "none")
"""What can have happened; `none`: the segment was not lost, only its ACK was, or it was late."""
RIGHT = {
    ("congestion", "queue"),
    ("congestion", "aqm"),
    ("wireless", "channel"),
    ("wireless", "collision"),
}
"""The judgements that are right. Of what was not lost none is, and one that is undecided never is."""
COLUMNS = {f"judged_{judged}_{cause}": (judged, cause) for judged in TAKEN_FOR for cause in TRUE_CAUSES}
"""The cells of the matrix by the names of their columns in frames."""
RIGHT_COLUMNS = tuple(column for column, cell in COLUMNS.items() if cell in RIGHT)


@dataclass(frozen=True)
class LossClassifications:
    """How many losses a sender took for what, by what had happened to them."""

    counts: Mapping[tuple[str, str], int]
    """By what they were taken for and true cause; a cell that is not there is 0."""

    @classmethod
    def of_flows(cls, flows: Iterable[Mapping[str, Any]]) -> LossClassifications:
        """Add up the flows of run documents; what a real kernel takes a loss for nobody knows."""
        found = dict.fromkeys(COLUMNS.values(), 0)
        for flow in flows:
            for judged, row in (flow["judgements"] or {}).items():
                for cause, count in row.items():
                    found[judged, cause] += count
        return cls(found)

    @classmethod
    def of_columns(cls, row: Mapping[str, Any]) -> LossClassifications:
        """Take the columns of a row of a frame."""
        return cls({cell: row[column] or 0 for column, cell in COLUMNS.items()})

    @classmethod
    def sum(cls, sample: Iterable[LossClassifications]) -> LossClassifications:
        """Add up the losses of several."""
        found = dict.fromkeys(COLUMNS.values(), 0)
        for one in sample:
            for cell, count in one.counts.items():
                found[cell] += count
        return cls(found)

    @property
    def columns(self) -> dict[str, int]:
        """Give the counts by the names of their columns."""
        return {column: self.counts.get(cell, 0) for column, cell in COLUMNS.items()}

    @property
    def total(self) -> int:
        """How many losses were judged."""
        return sum(self.counts.values())

    @property
    def right(self) -> int:
        """How many of them were judged right."""
        return sum(count for cell, count in self.counts.items() if cell in RIGHT)

    @property
    def judged(self) -> tuple[str, ...]:
        """What losses were taken for at all."""
        return tuple(
            judged for judged in TAKEN_FOR if any(self.count(judged, cause) for cause in TRUE_CAUSES)
        )

    def count(self, judged: str, cause: str) -> int:
        """Count the losses that were judged so and had that cause."""
        return self.counts.get((judged, cause), 0)

    def share(self, judged: str, cause: str) -> float:
        """Give their share of all losses judged, 0 to 1."""
        return self.count(judged, cause) / self.total if self.total else 0.0


def share_right(sample: Iterable[LossClassifications]) -> stats.Ratio | None:
    """Give the share of losses judged right, 0 to 1, over replications; None where none was judged.

    A ratio of means (Fieller's interval): every loss counts alike, and a replication with few of them little.
    """
    from airhop import stats

    counts = [(found.right, found.total) for found in sample]
    if not any(total for _, total in counts):
        return None
    found = stats.ratio([right for right, _ in counts], [total for _, total in counts])
    if found.low is None or found.high is None:
        return found
    return stats.Ratio(found.value, max(found.low, 0.0), min(found.high, 1.0), found.n)
