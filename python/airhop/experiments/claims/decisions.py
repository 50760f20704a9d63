"""Decisions about ratios, means and differences, by their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial

from airhop.experiments.decision import Decision
from airhop.experiments.experiment import X
from airhop.stats import CONFIDENCE, Difference, Estimate, Ratio

Cell = tuple[str, X]
"""Cell of an experiment: a curve at a value of the axis."""


def above(found: Ratio | Estimate | Difference, level: float) -> Decision:
    """Check whether a quantity is above this level."""
    return Decision(partial(_above, found, level))


def below(found: Ratio | Estimate | Difference, level: float) -> Decision:
    """Check whether a quantity is below this level."""
    return Decision(partial(_below, found, level))


def within(found: Ratio | Estimate | Difference, least: float, most: float) -> Decision:
    """Check whether a quantity lies between least and most."""

    def by(confidence: float) -> bool | None:
        return between(*ends(found, confidence), least, most)

    return Decision(by)


def _above(found: Ratio | Estimate | Difference, level: float, confidence: float) -> bool | None:
    low, high = ends(found, confidence)
    return True if low > level else False if high <= level else None


def _below(found: Ratio | Estimate | Difference, level: float, confidence: float) -> bool | None:
    low, high = ends(found, confidence)
    return True if high < level else False if low >= level else None


def ends(found: Ratio | Estimate | Difference, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return the ends of a quantity's interval; -inf and inf without an interval."""
    if confidence != CONFIDENCE:
        found = found.at(confidence)
    if isinstance(found, Ratio):
        unknown = found.low is None or found.high is None
        return (-math.inf, math.inf) if unknown else (found.low, found.high)  # type: ignore[return-value]
    half = math.inf if found.half_width is None else found.half_width
    return found.mean - half, found.mean + half


def between(low: float, high: float, least: float, most: float) -> bool | None:
    """Check whether a quantity with the interval low to high lies between least and most; None: open."""
    if least < low and high < most:
        return True
    return False if high <= least or low >= most else None


def differs(found: Ratio, value: float) -> Decision:
    """Check whether a ratio differs from this value; equality cannot be shown, and stays open."""

    def by(confidence: float) -> bool | None:
        low, high = ends(found, confidence)
        # the ratio of equal shares is 1 up to rounding
        return True if not low <= value <= high and not math.isclose(found.value, value) else None

    return Decision(by)


def exceeds(found: Estimate, other: Estimate) -> Decision:
    """Check whether a mean exceeds the mean of other runs; the decision is open if the intervals overlap."""

    def by(confidence: float) -> bool | None:
        (low, high), (other_low, other_high) = ends(found, confidence), ends(other, confidence)
        return True if low > other_high else False if high <= other_low else None

    return Decision(by)


def not_shown(decisions: Iterable[tuple[str, Decision]]) -> tuple[str, ...]:
    """List the curves with a false or open decision, each once."""
    return tuple(dict.fromkeys(curve for curve, decision in decisions if not decision))


def low_end(ratio: Ratio) -> float:
    """Return the lower end of a ratio's interval; -inf without an interval."""
    return -math.inf if ratio.low is None else ratio.low


def minus_high_end(ratio: Ratio) -> float:
    """Return minus the upper end of a ratio's interval; -inf without an interval."""
    return -math.inf if ratio.high is None else -ratio.high
