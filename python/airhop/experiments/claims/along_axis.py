"""Checks of changes along the axis, of a curve or of the ratio of two curves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise, permutations

import numpy as np

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.claims.decisions import above, below, differs, low_end, not_shown
from airhop.experiments.decision import Decision, every, some
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio


@worded(
    "from the smallest to the largest {noun}{from_x:bounds} {scheme} keeps a larger share of its {quantity} "
    "than {others}"
)
def keeps_most(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether a scheme keeps a larger share of its value than each other scheme, up to the last x."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    decisions = [above(growth(samples, scheme, other, first, last), 1.0) for other in others]
    parts = [f"{name} {interval(along(samples, name, first, last))}" for name in (scheme, *others)]
    return ClaimResult(
        every(decisions), f"kept from {axis.text(first)} to {axis.text(last)}: {', '.join(parts)}"
    )


@worded("{measure} with {schemes} falls from each {noun} to the next{from_x:bounds}")
def falls_all_along(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether each scheme falls at every step of the axis from `from_x` up."""
    xs = samples.from_x(from_x)
    first, last = xs[0], xs[-1]
    steps = {(scheme, x, y): along(samples, scheme, x, y) for scheme in schemes for x, y in pairwise(xs)}
    kept = ", ".join(f"{scheme} {interval(along(samples, scheme, first, last))}" for scheme in schemes)
    parts = [f"kept from {axis.text(first)} to {axis.text(last)}: {kept}"]
    parts += [
        f"no fall of {scheme} shown from {axis.text(x)} to {axis.text(y)}: {interval(ratio)}"
        for (scheme, x, y), ratio in steps.items()
        if not below(ratio, 1.0)
    ]
    return ClaimResult(every(below(ratio, 1.0) for ratio in steps.values()), "; ".join(parts))


@worded(
    "the ratio of {measure} with {scheme} to that with {other} falls from each {noun} to the "
    "next{from_x:bounds}"
)
def falls_behind_all_along(
    samples: Samples, axis: PlottedAxis, scheme: str, other: str, from_x: float = -math.inf
) -> ClaimResult:
    """Check whether a scheme falls by a larger share than another scheme at every step of the axis."""
    steps = {(x, y): growth(samples, scheme, other, x, y) for x, y in pairwise(samples.from_x(from_x))}
    told = ", ".join(
        f"{interval(ratio)} from {axis.text(x)} to {axis.text(y)}" for (x, y), ratio in steps.items()
    )
    return ClaimResult(
        every(below(ratio, 1.0) for ratio in steps.values()), f"{scheme}/{other} changes by: {told}"
    )


@worded("{measure} with {schemes} is lower at the largest than at the smallest {noun}{from_x:bounds}")
def falls_from(samples: Samples, axis: PlottedAxis, schemes: Sequence[str], from_x: float) -> ClaimResult:
    """Check whether each scheme is lower at the last x than at the first x from `from_x` up."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    kept = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    told = ", ".join(f"{scheme} {interval(ratio)}" for scheme, ratio in kept.items())
    decision = every(below(ratio, 1.0) for ratio in kept.values())
    return ClaimResult(decision, f"kept from {axis.text(first)} to {axis.text(last)}: {told}")


@worded("at every {noun}, {measure} with {scheme} exceeds {share:times}its value at every other {noun}")
def steady(samples: Samples, axis: PlottedAxis, scheme: str, share: float) -> ClaimResult:
    """Check whether no value of a scheme falls below a share of any other value of the scheme."""
    changes = {(x, y): along(samples, scheme, x, y) for x, y in permutations(samples.xs, 2)}
    x, y = min(changes, key=lambda pair: low_end(changes[pair]))
    measured = f"least: {interval(changes[x, y])} at {axis.text(y)} of what it is at {axis.text(x)}"
    return ClaimResult(every(above(ratio, share) for ratio in changes.values()), measured)


@worded(
    "from {first} to {last}, some scheme keeps a larger share of its {quantity} than another, by "
    "simultaneous intervals (schemes compared: {schemes})"
)
def sensitivities_differ(samples: Samples, axis: PlottedAxis, schemes: Sequence[str]) -> ClaimResult:
    """Check whether some scheme keeps a larger share of its value than another, from the first x to the last.

    Intervals cannot show equality, so the claim either holds or stays open.
    """
    first, last = samples.xs[0], samples.xs[-1]
    kept = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    most, least = (end(kept, key=lambda scheme: kept[scheme].value) for end in (max, min))
    return ClaimResult(
        some(differs(growth(samples, a, b, first, last), 1.0) for a, b in combinations(schemes, 2)),
        f"kept from {axis.text(first)} to {axis.text(last)}: most by {most} {interval(kept[most])}, least by "
        f"{least} {interval(kept[least])}",
    )


@worded(
    "{measure} with {schemes} is below {share:times}that with {leader} at {first}, and exceeds "
    "{share:times}that with {leader} at {last}. A scheme that is still below at {last} is undecided, unless "
    "its ratio to {leader} has decreased by the 95 % interval: the paper does not state {unknown}"
)
def catches_up(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], leader: str, share: float, unknown: str
) -> ClaimResult:
    """Check whether each scheme rises from below to above a share of the leader, from first to last x.

    A scheme below the share at the last x may exceed the share at a larger x, so the decision stays open. The
    claim fails only if the scheme's ratio to the leader falls significantly along the axis. An open decision
    reports `unknown`, the information that the paper lacks.
    """
    first, last = samples.xs[0], samples.xs[-1]
    decisions: list[tuple[str, Decision]] = []
    parts, nearer = [], []
    for scheme in schemes:
        start, end = samples.ratio(scheme, leader, first), samples.ratio(scheme, leader, last)
        arrived = above(end, share)
        if arrived.holds is False and not below(growth(samples, scheme, leader, first, last), 1.0):
            arrived = Decision.of(None)
            nearer.append(scheme)
        decisions += [(scheme, below(start, share)), (scheme, arrived)]
        parts.append(f"{scheme} {interval(start)} and {interval(end)}")
    measured = f"share of {leader} at {axis.text(first)} and at {axis.text(last)}: {', '.join(parts)}"
    decision = every(decision for _, decision in decisions)
    needs = unknown if nearer and decision.holds is None else ""
    return ClaimResult(decision, measured, not_shown(decisions), needs=needs)


def along(samples: Samples, scheme: str, x: X, y: X) -> Ratio:
    """Return the ratio of a scheme's value at y to its value at x, paired by replication."""
    return stats.ratio(*samples.paired((scheme, y), (scheme, x)))


def growth(samples: Samples, scheme: str, other: str, x: X, y: X) -> Ratio:
    """Return the ratio of `scheme` to `other` at y, divided by the ratio at x, paired by replication."""
    at_x, at_y, other_x, other_y = samples.paired((scheme, x), (scheme, y), (other, x), (other, y))
    return stats.ratio(np.multiply(at_y, other_x).tolist(), np.multiply(other_y, at_x).tolist())
