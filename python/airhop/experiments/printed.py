"""Checks of measured means and ratios against the numbers that a paper prints.

A printed number has no interval that is known, so ours alone decides: it is met when the whole interval of
what is measured lies within a tolerance around it, missed when none of it does, and open otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from airhop.experiments.claims import Cell, Decision, every, within
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples

Printed = Mapping[Cell, float]
"""Printed numbers by curve and x."""


def columns(xs: Sequence[X], **printed: Sequence[float]) -> dict[Cell, float]:
    """Take a printed table apart: a column per curve, whose name has `_` here where it has `-`."""
    return {
        (curve.replace("_", "-"), x): number
        for curve, column in printed.items()
        for x, number in zip(xs, column, strict=True)
    }


@dataclass(frozen=True)
class Off:
    """How far a measured quantity is above a printed one, as a share of that."""

    mean: float
    low: float
    """-inf and inf where the measurement has no interval."""
    high: float

    @classmethod
    def of(cls, mean: float, low: float | None, high: float | None, printed: float) -> Off:
        """Compare a quantity and the ends of its interval with what is printed."""
        ends = (-math.inf, math.inf) if low is None or high is None else (low, high)
        return cls(*(end / printed - 1.0 for end in (mean, *ends)))

    def meets(self, tolerance: float) -> Decision:
        """Judge whether it lies within the tolerance."""
        return within(self.low, self.high, -tolerance, tolerance)

    def __str__(self) -> str:
        return f"{100 * self.mean:+.0f} %".replace("-", "−")


def means(samples: Samples, printed: Printed, curves: Iterable[str]) -> dict[Cell, Off]:
    """Compare what each of these curves measured with what is printed, wherever both are there."""
    found = {}
    for cell in _cells(samples, printed, curves):
        estimate = samples.estimate(*cell)
        ends = estimate.interval()
        low, high = (ends.low, ends.high) if ends else (None, None)
        found[cell] = Off.of(estimate.mean, low, high, printed[cell])
    return found


def ratios(samples: Samples, printed: Printed, curves: Iterable[str], other: str) -> dict[Cell, Off]:
    """Compare each curve's paired ratio to another with the printed ratio."""
    found = {}
    for curve, x in _cells(samples, printed, curves):
        ratio = samples.ratio(curve, other, x)
        found[curve, x] = Off.of(ratio.value, ratio.low, ratio.high, printed[curve, x] / printed[other, x])
    return found


def _cells(samples: Samples, printed: Printed, curves: Iterable[str]) -> list[Cell]:
    return [(curve, x) for curve in curves for x in samples.xs if (curve, x) in printed]


def all_met(axis: PlottedAxis, off: Mapping[Cell, Off], tolerance: float) -> ClaimResult:
    """Judge whether every printed number is met within the tolerance; tell how far off the others are."""
    decisions = {cell: found.meets(tolerance) for cell, found in off.items()}
    told = [f"within {100 * tolerance:g} % in {list(decisions.values()).count(True)} of {len(off)} cells"]
    for word, decision in (("off", False), ("open", None)):
        cells = [cell for cell, known in decisions.items() if known is decision]
        if cells:
            told.append(f"{word}: {', '.join(f'{_at(axis, cell)} {off[cell]}' for cell in cells)}")
    return ClaimResult(every(decisions.values()), "; ".join(told))


def mean_error(off: Mapping[Cell, Off]) -> tuple[float, float]:
    """Give the mean of the absolute errors of these cells, and a half-width that covers it.

    No mean of absolute values moves more than that of the values: so the half-width is that of the mean of
    the errors, whose cells are independent (different settings draw different channels).
    """
    halves = [(found.high - found.low) / 2 for found in off.values()]
    return (
        sum(abs(found.mean) for found in off.values()) / len(off),
        math.sqrt(sum(half**2 for half in halves)) / len(off),
    )


def mean_error_below(axis: PlottedAxis, off: Mapping[Cell, Off], most: float) -> ClaimResult:
    """Judge whether the mean error over these cells is below this share."""
    error, half = mean_error(off)
    decision = within(error - half, error + half, -math.inf, most) if math.isfinite(half) else None
    furthest = max(off, key=lambda cell: abs(off[cell].mean))
    text = f"{100 * error:.1f} ± {100 * half:.1f} %" if math.isfinite(half) else f"{100 * error:.1f} % ± ?"
    return ClaimResult(
        decision, f"{text} over {len(off)} cells; furthest {_at(axis, furthest)} {off[furthest]}"
    )


def _at(axis: PlottedAxis, cell: Cell) -> str:
    curve, x = cell
    return f"{curve} at {axis.text(x)}"
