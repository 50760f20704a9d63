"""Comparisons of two curves at each value of an axis: the higher curve, the ratio, and undecided values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from airhop.experiments.asked import worded
from airhop.experiments.claims import Decision, above, below, ends, every
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio


@worded("{measure} with {curves} exceeds {share:times}that with {other} at {at}")
def has_more(
    samples: Samples,
    axis: PlottedAxis,
    curves: Sequence[str],
    other: str,
    share: float = 1.0,
    at: Iterable[X] | None = None,
) -> ClaimResult:
    """Check whether each curve is above `share` times the value of `other`, at each of the given x."""
    return _duels(samples, axis, curves, other, at, lambda ratio: above(ratio, share))


@worded("{measure} with {curves} is below {share:times}that with {other} at {at}")
def has_less(
    samples: Samples,
    axis: PlottedAxis,
    curves: Sequence[str],
    other: str,
    share: float = 1.0,
    at: Iterable[X] | None = None,
) -> ClaimResult:
    """Check whether each curve is below `share` times the value of `other`, at each of the given x."""
    return _duels(samples, axis, curves, other, at, lambda ratio: below(ratio, share))


def word(ratio: Ratio) -> str:
    """Return the outcome of a comparison: `more`, `less`, or `tied` if the interval contains 1."""
    return {True: "more", False: "less", None: "tied"}[_ahead(ratio)]


def _ahead(ratio: Ratio) -> bool | None:
    low, high = ends(ratio)
    return None if low <= 1.0 <= high else low > 1.0


def _duels(
    samples: Samples,
    axis: PlottedAxis,
    curves: Sequence[str],
    other: str,
    at: Iterable[X] | None,
    decide: Callable[[Ratio], Decision],
) -> ClaimResult:
    chosen = samples.xs if at is None else [x for x in at if x in samples.xs]
    decisions, told = [], []
    for curve in curves:
        ratios = {x: samples.ratio(curve, other, x) for x in chosen}
        decisions += [decide(ratio) for ratio in ratios.values()]
        found = ", ".join(
            f"{interval(ratio)} at {axis.text(x)} ({word(ratio)})" for x, ratio in ratios.items()
        )
        told.append(f"{curve} {found}")
    return ClaimResult(every(decisions) if decisions else None, f"times that of {other}: {'; '.join(told)}")
