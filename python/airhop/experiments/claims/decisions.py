"""Decisions about ratios, means and differences with 95 % intervals, from which checks are made.

A statement holds when the 95 % intervals exclude its opposite, fails when they exclude the statement, and
stays open otherwise: more replications may decide it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Protocol, Self, TypeVar

from airhop import stats
from airhop.experiments.experiment import X
from airhop.stats import Difference, Estimate, Ratio

Decision = bool | None
"""None: the intervals do not decide."""
Cell = tuple[str, X]
"""A curve at a value of the axis."""


class Measured(Protocol):
    """A ratio, a mean or a difference with an interval."""

    def at(self, confidence: float) -> Self:
        """Return the quantity with an interval at another confidence."""


Tried = TypeVar("Tried", bound=Measured)


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


def some(tries: Iterable[Tried], decide: Callable[[Tried], Decision]) -> Decision:
    """Check whether a statement holds of any of several quantities, corrected for the number of tries."""
    found = list(tries)
    confidence = stats.simultaneous(len(found))
    return any_of((decide(one.at(confidence)) for one in found), map(decide, found))


def any_of(together: Iterable[Decision], alone: Iterable[Decision]) -> Decision:
    """Check whether any of several statements holds.

    Parameters
    ----------
    together
        Decision on each statement by intervals that all hold together at 95 % (`stats.simultaneous`): one of
        many intervals of 95 % excludes the opposite by chance.
    alone
        Decision on each by its own 95 % interval. If all statements fail, all of these would have to err
        (an intersection-union test, Berger 1982), so that failure needs no correction.
    """
    if True in set(together):
        return True
    return False if set(alone) == {False} else None


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
