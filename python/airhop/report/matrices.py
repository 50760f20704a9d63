"""Loss classifications against true causes: a matrix per scheme, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airhop.analysis.loss_classifications import (
    COLUMNS,
    LOSS_CLASSES,
    RIGHT,
    TRUE_CAUSES,
    LossClassifications,
    share_right,
)
from airhop.stats import Ratio
from airhop.terminal import percent, percent_interval

if TYPE_CHECKING:
    from airhop.report.chapter import Chapter

CAUSES = {
    "queue": "queue full",
    "aqm": "AQM",
    "channel": "channel",
    "collision": "collision",
    "none": "not lost",
}
"""True causes as heads of columns."""


@dataclass(frozen=True)
class Matrix:
    """The matrix of one scheme at one setting."""

    place: int
    """Index of the scheme in the chapter."""
    scheme: str
    label: str
    found: LossClassifications
    """Counts by classification and true cause, summed over replications."""
    right: Ratio | None
    """Share of correct classifications; None if the scheme classifies no loss."""

    def cell(self, judged: str, cause: str) -> Mapping[str, str]:
        """Return a matrix cell: text, tooltip, colour intensity, and whether the class is correct."""
        count, share = self.found.count(judged, cause), self.found.share(judged, cause)
        return {
            "text": percent(share) if count else "",
            "title": f"{count:,} of {self.found.total:,} losses",
            "share": f"{share:.3f}",
            "right": "right" if (judged, cause) in RIGHT else "",
        }

    @property
    def summary(self) -> str:
        """State the share of correct classifications."""
        if not self.found.total:
            return "no loss detected"
        if self.right is None:
            return f"{self.found.total:,} losses, no classification"
        return f"{percent_interval(self.right)} % of {self.found.total:,} correct"


@dataclass(frozen=True)
class Matrices:
    """The matrices of a chapter."""

    judged: tuple[str, ...]
    """Rows of the matrices: classes that occur for any scheme at any setting."""
    causes: tuple[str, ...]
    """Columns of the matrices: true causes that occur."""
    at: str
    """Setting shown initially, in words."""
    shown: list[Matrix]
    data: dict[str, Any]
    """Columns with one value per point of `chapter_data`: count in each matrix cell, share of correct
    classifications, and the interval of this share.
    """


def matrices(chapter: Chapter) -> Matrices | None:
    """Collect the classifications at every point of a chapter; None without losses."""
    samples = {point: list(sample.values()) for point, sample in chapter.table.judgements().items()}
    points = [cell.point for cell in chapter.cells[chapter.main.column]]
    sums = [LossClassifications.sum(samples[point.index]) for point in points]
    whole = LossClassifications.sum(sums)
    if not whole.total:
        return None
    rights = [share_right(samples[point.index]) for point in points]
    settings = list(dict.fromkeys(point.setting for point in points))
    first = settings[len(settings) // 2]
    shown = [place for place, point in enumerate(points) if point.setting == first]
    return Matrices(
        judged=whole.judged,
        causes=tuple(
            cause for cause in TRUE_CAUSES if any(whole.count(judged, cause) for judged in LOSS_CLASSES)
        ),
        at=chapter.setting(points[shown[0]].values),
        shown=[
            Matrix(place, scheme, label, sums[i], rights[i])
            for place, (scheme, label) in enumerate(chapter.labels.items())
            for i in shown
            if points[i].scheme == scheme
        ],
        data={
            "counts": {
                f"{judged}:{cause}": [found.count(judged, cause) for found in sums]
                for judged, cause in COLUMNS.values()
            },
            "right": [None if right is None else _share(right.value) for right in rights],
            "low": [None if right is None else _share(right.low) for right in rights],
            "high": [None if right is None else _share(right.high) for right in rights],
        },
    )


def _share(value: float | None) -> float | None:
    return None if value is None else round(value, 9)
