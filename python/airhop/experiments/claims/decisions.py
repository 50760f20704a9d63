"""Decisions about ratios, means and differences with 95 % intervals, from which checks are made.

A statement holds when the 95 % intervals exclude its opposite, fails when they exclude the statement, and
stays open otherwise: more replications may decide it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from airhop.experiments.experiment import X
from airhop.stats import Difference, Estimate, Ratio

Decision = bool | None
"""None: the intervals do not decide."""
Cell = tuple[str, X]
"""A curve at a value of the axis."""


def above(found: Ratio | Estimate, level: float) -> Decision:
    """Check whether a ratio or a mean is above this level."""
    ends = found if isinstance(found, Ratio) else found.interval()
    if ends is None or ends.low is None or ends.high is None:
        return None
    return True if ends.low > level else False if ends.high <= level else None


def below(found: Ratio | Estimate, level: float) -> Decision:
    """Check whether a ratio or a mean is below this level."""
    decision = above(found, level)
    return None if decision is None else not decision


def within(low: float, high: float, least: float, most: float) -> Decision:
    """Check whether a quantity whose interval is low to high lies between least and most."""
    if least < low and high < most:
        return True
    return False if high <= least or low >= most else None


def every(decisions: Iterable[Decision]) -> Decision:
    """Check whether all decisions hold; one failed decision makes the claim fail."""
    found = set(decisions)
    return False if False in found else None if None in found else True


def some(decisions: Iterable[Decision]) -> Decision:
    """Check whether any of it is so."""
    found = set(decisions)
    return True if True in found else None if None in found else False


def not_shown(decisions: Iterable[tuple[str, Decision]]) -> tuple[str, ...]:
    """List the curves with a decision that is not True, each once."""
    return tuple(dict.fromkeys(curve for curve, decision in decisions if not decision))


def positive(found: Difference) -> Decision:
    """Check whether a difference is above zero."""
    if found.half_width is None:
        return None
    return True if found.mean > found.half_width else False if found.mean <= -found.half_width else None


def low_end(ratio: Ratio) -> float:
    """Return the lower end of the interval; -inf without an interval."""
    return -math.inf if ratio.low is None else ratio.low


def minus_high_end(ratio: Ratio) -> float:
    """Return the upper end of the interval with its sign changed; -inf without an interval."""
    return -math.inf if ratio.high is None else -ratio.high
