"""Decisions on single statements and on several statements, by confidence intervals.

A statement holds if the interval excludes its opposite, and fails if the interval excludes the statement.
Otherwise the statement stays open, and more replications may decide. One of several 95 % intervals may miss
the true value by chance. If a single statement can decide on all statements together, the decision therefore
uses wider intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from airhop.stats import CONFIDENCE, simultaneous


@dataclass(frozen=True)
class Decision:
    """Decision on a statement by intervals of any confidence.

    `bool(decision)` is True if the statement holds at 95 %.
    """

    by: Callable[[float], bool | None]
    """Function that decides by intervals of a given confidence. The result is None if the intervals do not
    decide.
    """

    @classmethod
    def of(cls, known: Decision | bool | None) -> Decision:
        """Return a Decision unchanged; convert True, False or None into a decision for any confidence."""
        return known if isinstance(known, Decision) else cls(lambda _: known)

    @property
    def holds(self) -> bool | None:
        """Decision by 95 % intervals; None if open."""
        return self.by(CONFIDENCE)

    def __bool__(self) -> bool:
        return self.holds is True


def at_least(count: int, decisions: Iterable[Decision | bool | None]) -> Decision:
    """Check whether at least `count` of several statements hold.

    This is a test of a partial conjunction (Benjamini and Heller 2008) of n statements. Intervals with a
    joint confidence over n - count + 1 statements show that `count` statements hold. Intervals with a joint
    confidence over `count` statements show that n - count + 1 statements fail. For any dependence, the
    probability of an error is at most that of a single interval.
    """
    found = tuple(map(Decision.of, decisions))
    return Decision(partial(_at_least, count, found))


def _at_least(count: int, found: tuple[Decision, ...], confidence: float) -> bool | None:
    enough, refuting = simultaneous(len(found) - count + 1, confidence), simultaneous(count, confidence)
    if sum(one.by(enough) is True for one in found) >= count:
        return True
    return False if sum(one.by(refuting) is False for one in found) > len(found) - count else None


def every(decisions: Iterable[Decision | bool | None]) -> Decision:
    """Check whether each of several statements holds.

    Each statement must hold at 95 %, an intersection-union test (Berger 1982). The conjunction fails only by
    simultaneous intervals, because one of many 95 % intervals would refute its statement by chance.
    """
    found = list(decisions)
    return at_least(len(found), found)


def some(decisions: Iterable[Decision | bool | None]) -> Decision:
    """Check whether any of several statements holds, by simultaneous intervals; fails if all fail at 95 %."""
    return at_least(1, decisions)


def most(decisions: Iterable[Decision | bool | None]) -> Decision:
    """Check whether more than half of several statements hold."""
    found = list(decisions)
    return at_least(len(found) // 2 + 1, found)
