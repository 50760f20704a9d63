"""Checks that papers' claims share.

A statement holds when the 95 % intervals exclude its opposite, fails when they exclude the statement, and
stays open otherwise: more replications may decide it. Ratios are paired: numerator and denominator met the
same channel in every replication.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.numerals import interval, plus_minus
from airhop.stats import Difference, Estimate, Ratio

Decision = bool | None
"""None: the intervals do not decide."""
Cell = tuple[str, X]
"""A curve at a value of the axis."""


# ---- decisions --------------------------------------------------------------------------------------------


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


# ---- checks ----------------------------------------------------------------------------------------------


@worded("somewhere in the grid, {measure} with {scheme} exceeds {factors}")
def exceeds_somewhere(
    samples: Samples, axis: PlottedAxis, scheme: str, factors: Mapping[str, float]
) -> ClaimResult:
    """Check whether scheme reaches more than each factor times that scheme, each somewhere in the grid."""
    decisions, parts = [], []
    for other, factor in factors.items():
        decisions.append(some(above(samples.ratio(scheme, other, x), factor) for x in samples.xs))
        x, ratio = best_ratio(samples, scheme, other)
        short = "" if decisions[-1] else f", not above {factor:g}"
        parts.append(f"{interval(ratio)} × {other} at {axis.text(x)}{short}")
    return ClaimResult(every(decisions), "; ".join(parts))


@worded("at {at}, {measure} with {scheme} exceeds {factors}")
def exceeds_everywhere(
    samples: Samples, axis: PlottedAxis, scheme: str, factors: Mapping[str, float], at: Sequence[X]
) -> ClaimResult:
    """Check whether scheme has more than each factor times what that scheme has, at each of these x."""
    decisions: list[Decision] = []
    parts = []
    for other, factor in factors.items():
        ratios = {x: samples.ratio(scheme, other, x) for x in at}
        met = {x: above(ratio, factor) for x, ratio in ratios.items()}
        decisions += met.values()
        least = min(ratios, key=lambda x: _low(ratios[x]))
        missed = ", ".join(axis.text(x) for x, decision in met.items() if not decision)
        parts.append(f"{other} {interval(ratios[least])} at {axis.text(least)}")
        parts[-1] += f" (not above {factor:g} at {missed})" if missed else ""
    return ClaimResult(every(decisions), f"least, times that of {'; '.join(parts)}")


@worded("at {from_x}, {measure} with {scheme} is below {factors}")
def nowhere_exceeds(
    samples: Samples, axis: PlottedAxis, scheme: str, factors: Mapping[str, float], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether scheme reaches less than each factor times that scheme at every x from `from_x` up."""
    decisions, parts = [], []
    for other, factor in factors.items():
        ratios = {x: samples.ratio(scheme, other, x) for x in samples.from_x(from_x)}
        decisions += [below(ratio, factor) for ratio in ratios.values()]
        told = ", ".join(f"{interval(ratio)} at {axis.text(x)}" for x, ratio in ratios.items())
        parts.append(f"times {other}: {told}")
    return ClaimResult(every(decisions), "; ".join(parts))


@worded("{measure} with {curves} is below {top} {unit}, the end of the printed axis, at {from_x}")
def within_axis(
    samples: Samples, axis: PlottedAxis, curves: Sequence[str], top: float, from_x: float = -math.inf
) -> ClaimResult:
    """Check whether no mean lies beyond the end of the printed axis, at any x from `from_x` up."""
    found = {(curve, x): samples.estimate(curve, x) for curve in curves for x in samples.from_x(from_x)}
    decisions = {cell: below(estimate, top) for cell, estimate in found.items()}
    curve, x = max(found, key=lambda cell: found[cell].mean)
    highest = found[curve, x]
    return ClaimResult(
        every(decisions.values()),
        f"highest: {curve} {highest.mean:.2f} {plus_minus(highest)} at {axis.text(x)}, the axis ends at "
        f"{top:g}",
        not_shown((curve, decision) for (curve, _), decision in decisions.items()),
    )


@worded("at {at}, {measure} with {scheme} exceeds that with {other}")
def outnumbers(samples: Samples, axis: PlottedAxis, scheme: str, other: str, at: Sequence[X]) -> ClaimResult:
    """Check whether scheme has more than other at each of these x; by differences, as counts may be zero."""
    leads = {x: samples.difference(scheme, other, x) for x in at}
    told = [
        f"{scheme} {samples.estimate(scheme, x).mean:.1f}, {other} {samples.estimate(other, x).mean:.1f}, "
        f"difference {leads[x].mean:.1f} ± {leads[x].half_width or math.nan:.1f}, at {axis.text(x)}"
        for x in at
    ]
    return ClaimResult(every(map(_positive, leads.values())), "; ".join(told))


def best_ratio(samples: Samples, scheme: str, other: str) -> tuple[X, Ratio]:
    """Find the x at which the interval of scheme/other begins highest, and that ratio."""
    ratios = {x: samples.ratio(scheme, other, x) for x in samples.xs}
    best = max(ratios, key=lambda x: _low(ratios[x]))
    return best, ratios[best]


@worded("{measure} with {scheme} exceeds that with {others} at {from_x}")
def ahead_everywhere(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether scheme beats all others at every x from `from_x` up; measured by the closest race."""
    races = {(x, other): samples.ratio(scheme, other, x) for x in samples.from_x(from_x) for other in others}
    x, other = min(races, key=lambda race: _low(races[race]))
    measured = f"closest: {interval(races[x, other])} × {other} at {axis.text(x)}"
    decisions = {race: above(ratio, 1.0) for race, ratio in races.items()}
    if lost := list(dict.fromkeys(x for (x, _), decision in decisions.items() if not decision)):
        measured += f"; not ahead at {', '.join(axis.text(x) for x in lost)}"
    short = not_shown((other, decision) for (_, other), decision in decisions.items())
    return ClaimResult(every(decisions.values()), measured, short)


@worded("{measure} with {schemes} exceeds {share:times}that with {other} at {at}")
def each_above(
    samples: Samples,
    axis: PlottedAxis,
    schemes: Sequence[str],
    other: str,
    at: Sequence[X],
    share: float = 1.0,
) -> ClaimResult:
    """Check whether each scheme has more than this share of what other has, at each of these x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}
    return _each(axis, ratios, lambda ratio: above(ratio, share), _low, f"least, times that of {other}")


@worded("{measure} with {schemes} is below {share:times}that with {other} at {at}")
def each_below(
    samples: Samples,
    axis: PlottedAxis,
    schemes: Sequence[str],
    other: str,
    at: Sequence[X],
    share: float = 1.0,
) -> ClaimResult:
    """Check whether each scheme has less than this share of what other has, at each of these x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}
    return _each(axis, ratios, lambda ratio: below(ratio, share), _minus_high, f"most, times that of {other}")


@worded("{measure} with {schemes} is within {tolerance:percent} of that with {other} at {at}")
def each_within(
    samples: Samples,
    axis: PlottedAxis,
    schemes: Sequence[str],
    other: str,
    at: Sequence[X],
    tolerance: float,
) -> ClaimResult:
    """Check whether each scheme has what other has, within this tolerance, at each of these x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}

    def decide(ratio: Ratio) -> Decision:
        return every((above(ratio, 1.0 - tolerance), below(ratio, 1.0 + tolerance)))

    def margin(ratio: Ratio) -> float:
        return min(_low(ratio) - 1.0, 1.0 + _minus_high(ratio))

    return _each(axis, ratios, decide, margin, f"furthest from 1, times that of {other}")


@worded("{measure} with {schemes} is below {share:times}that in {beside} at {at}")
def each_below_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], at: Sequence[X], share: float = 1.0
) -> ClaimResult:
    """Check whether each scheme is below this share of its own value in the experiment beside this one."""
    ratios = {scheme: {x: samples.ratio_to_beside(scheme, x) for x in at} for scheme in schemes}
    return _each(axis, ratios, lambda ratio: below(ratio, share), _minus_high, "most, times that")


@worded("{measure} with {schemes} exceeds {share:times}that in {beside} at {at}")
def each_above_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], at: Sequence[X], share: float = 1.0
) -> ClaimResult:
    """Check whether each scheme is above this share of its own value in the experiment beside this one."""
    ratios = {scheme: {x: samples.ratio_to_beside(scheme, x) for x in at} for scheme in schemes}
    return _each(axis, ratios, lambda ratio: above(ratio, share), _low, "least, times that")


@worded(
    "for {schemes}, the ratio of {measure} to that with {other} is within a factor of {factor} of that in"
    " {beside}, at {at}"
)
def stands_as_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], other: str, at: Sequence[X], factor: float
) -> ClaimResult:
    """Check whether each scheme's ratio to other is that of the experiment beside, within a factor."""
    ratios = {
        scheme: {x: ratio_of_ratios(samples, scheme, other, x) for x in at if x in samples.xs}
        for scheme in schemes
    }

    def decide(ratio: Ratio) -> Decision:
        return every((above(ratio, 1.0 / factor), below(ratio, factor)))

    def margin(ratio: Ratio) -> float:
        return min(_low(ratio) - 1.0 / factor, factor + _minus_high(ratio))

    found = _each(axis, ratios, decide, margin, f"furthest from 1, times its ratio to {other} there")
    return replace(found, measured="; ".join([found.measured, *_not_run(samples, axis, at)]))


@worded(
    "the ratio of {measure} with {scheme} to that with {other} is below {share:times}that ratio in"
    " {beside} at {at}"
)
def falls_behind_beside(
    samples: Samples, axis: PlottedAxis, scheme: str, other: str, at: Sequence[X], share: float
) -> ClaimResult:
    """Check whether scheme/other is below this share of the same ratio in the experiment beside this one."""
    ratios = {f"{scheme}/{other}": {x: ratio_of_ratios(samples, scheme, other, x) for x in at}}
    return _each(axis, ratios, lambda ratio: below(ratio, share), _minus_high, "most, times that beside")


def ratio_of_ratios(samples: Samples, scheme: str, other: str, x: X) -> Ratio:
    """Compare scheme / other here with scheme / other in the experiment beside this one, paired."""
    beside = samples.beside or Samples(samples.metric)
    here, there = samples.cells, beside.cells
    cells = (here[scheme, x], there[other, x], here[other, x], there[scheme, x])
    common = sorted(set.intersection(*(set(cell) for cell in cells)))
    a, b, c, d = ([cell[rep] for rep in common] for cell in cells)
    # (a / c) / (d / b), written as one paired ratio.
    return stats.ratio(np.multiply(a, b).tolist(), np.multiply(c, d).tolist())


def _each(
    axis: PlottedAxis,
    ratios: Mapping[str, Mapping[X, Ratio]],
    decide: Callable[[Ratio], Decision],
    margin: Callable[[Ratio], float],
    what: str,
) -> ClaimResult:
    """Decide on every ratio; report each scheme's ratio of least margin, and the failed ratios."""
    parts = []
    for scheme, found in ratios.items():
        x = min(found, key=lambda x: margin(found[x]))
        missed = [axis.text(x) for x, ratio in found.items() if not decide(ratio)]
        parts.append(f"{scheme} {interval(found[x])} at {axis.text(x)}")
        parts[-1] += f" (not so at {', '.join(missed)})" if missed else ""
    decisions = [(scheme, decide(ratio)) for scheme, found in ratios.items() for ratio in found.values()]
    return ClaimResult(
        every(decision for _, decision in decisions), f"{what}: {'; '.join(parts)}", not_shown(decisions)
    )


@worded("at {at}, {measure} falls in this order: {order}")
def order_at(
    samples: Samples, axis: PlottedAxis, order: Sequence[Sequence[str]], at: Sequence[X]
) -> ClaimResult:
    """Check whether at each given x every scheme of a group is ahead of every scheme of the next group."""
    decisions, parts, broken, short = [], [], [], []
    for x in (x for x in at if x in samples.xs):
        closest = []
        for ahead, behind in pairwise(order):
            races = {(a, b): samples.ratio(a, b, x) for a in ahead for b in behind}
            a, b = min(races, key=lambda race: _low(races[race]))
            closest.append(f"{a}/{b} {interval(races[a, b])}")
            decisions += [above(ratio, 1.0) for ratio in races.values()]
            lost = [race for race, ratio in races.items() if not above(ratio, 1.0)]
            short += [curve for race in lost for curve in race]
            behind = ", ".join(f"{a} of {b}" for a, b in lost)
            broken += [f"not ahead at {axis.text(x)}: {behind}"] if lost else []
        parts.append(f"closest at {axis.text(x)}: {', '.join(closest)}")
    told = "; ".join(parts + broken + _not_run(samples, axis, at))
    return ClaimResult(every(decisions) if decisions else None, told, tuple(short))


def _not_run(samples: Samples, axis: PlottedAxis, at: Sequence[X]) -> list[str]:
    """State which values of a claim the grid of this mode does not have."""
    missing = [axis.text(x) for x in at if x not in samples.xs]
    return [f"not run: {', '.join(missing)}"] if missing else []


@worded(
    "{scheme} keeps a larger share of its {quantity} than {others}, between the ends of the axis ({from_x})"
)
def keeps_most(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether scheme keeps a larger share of its value than each other, from `from_x` to the last x."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    decisions = [above(growth(samples, scheme, other, first, last), 1.0) for other in others]
    parts = [f"{name} {interval(along(samples, name, first, last))}" for name in (scheme, *others)]
    return ClaimResult(
        every(decisions), f"kept from {axis.text(first)} to {axis.text(last)}: {', '.join(parts)}"
    )


@worded("{measure} with {schemes} falls from each value of the axis to the next ({from_x})")
def falls_all_along(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether each scheme loses with every step of the axis from `from_x` up."""
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
    "the ratio of {measure} with {scheme} to that with {other} falls from each value of the axis to the next "
    "({from_x})"
)
def falls_behind_all_along(
    samples: Samples, axis: PlottedAxis, scheme: str, other: str, from_x: float = -math.inf
) -> ClaimResult:
    """Check whether a scheme loses a larger part than another with every step of the axis."""
    steps = {(x, y): growth(samples, scheme, other, x, y) for x, y in pairwise(samples.from_x(from_x))}
    told = ", ".join(
        f"{interval(ratio)} from {axis.text(x)} to {axis.text(y)}" for (x, y), ratio in steps.items()
    )
    return ClaimResult(
        every(below(ratio, 1.0) for ratio in steps.values()), f"{scheme}/{other} changes by: {told}"
    )


@worded("{measure} with {schemes} falls between the ends of the axis ({from_x})")
def falls_from(samples: Samples, axis: PlottedAxis, schemes: Sequence[str], from_x: float) -> ClaimResult:
    """Check whether each scheme has less at the last x than at the first from `from_x` up."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    kept = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    told = ", ".join(f"{scheme} {interval(ratio)}" for scheme, ratio in kept.items())
    decision = every(below(ratio, 1.0) for ratio in kept.values())
    return ClaimResult(decision, f"kept from {axis.text(first)} to {axis.text(last)}: {told}")


@worded("{measure} with {scheme} at every value of the axis exceeds {share:times}that at any other value")
def steady(samples: Samples, axis: PlottedAxis, scheme: str, share: float) -> ClaimResult:
    """Check whether scheme has at every x more than this share of what it has at any other."""
    changes = {(x, y): along(samples, scheme, x, y) for x, y in permutations(samples.xs, 2)}
    x, y = min(changes, key=lambda pair: _low(changes[pair]))
    measured = f"least: {interval(changes[x, y])} at {axis.text(y)} of what it is at {axis.text(x)}"
    return ClaimResult(every(above(ratio, share) for ratio in changes.values()), measured)


@worded(
    "from {first} to {last}, one scheme keeps a larger share of its {quantity} than another "
    "(schemes compared: {schemes})"
)
def sensitivities_differ(samples: Samples, axis: PlottedAxis, schemes: Sequence[str]) -> ClaimResult:
    """Check whether one of two schemes keeps a larger part of its value between the first and the last x."""
    first, last = samples.xs[0], samples.xs[-1]
    kept = {scheme: along(samples, scheme, first, last) for scheme in schemes}
    most, least = (end(kept, key=lambda scheme: kept[scheme].value) for end in (max, min))
    return ClaimResult(
        above(growth(samples, most, least, first, last), 1.0),
        f"kept from {axis.text(first)} to {axis.text(last)}: most by {most} {interval(kept[most])}, least by "
        f"{least} {interval(kept[least])}",
    )


@worded(
    "{measure} with {schemes} is below {share:times}that with {leader} at {first}, and above it at {last}; "
    "undecided for a scheme that stays below it, unless it is shown not to come nearer (not known: {unknown})"
)
def catches_up(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], leader: str, share: float, unknown: str
) -> ClaimResult:
    """Check whether each scheme is below this share of the leader at the first x and above it at the last.

    A scheme that does not get there may with a larger x: that is open, for `unknown` is, unless the scheme is
    shown not to come nearer.
    """
    first, last = samples.xs[0], samples.xs[-1]
    decisions: list[tuple[str, Decision]] = []
    parts, nearer = [], []
    for scheme in schemes:
        start, end = samples.ratio(scheme, leader, first), samples.ratio(scheme, leader, last)
        arrived = above(end, share)
        if arrived is False and not below(growth(samples, scheme, leader, first, last), 1.0):
            arrived = None
            nearer.append(scheme)
        decisions += [(scheme, below(start, share)), (scheme, arrived)]
        parts.append(f"{scheme} {interval(start)} and {interval(end)}")
    measured = f"share of {leader} at {axis.text(first)} and at {axis.text(last)}: {', '.join(parts)}"
    decision = every(decision for _, decision in decisions)
    needs = unknown if nearer and decision is None else ""
    return ClaimResult(decision, measured, not_shown(decisions), needs=needs)


@worded("{measure} is above {level} at {every} with more than half of the schemes tested ({schemes})")
def most_stay_above(samples: Samples, axis: PlottedAxis, schemes: Sequence[str], level: float) -> ClaimResult:
    """Check whether more than half of the schemes have a mean above this level at every x."""
    decisions, parts = [], []
    for scheme in schemes:
        estimates = {x: samples.estimate(scheme, x) for x in samples.xs}
        decisions.append(every(above(found, level) for found in estimates.values()))
        x = min(estimates, key=lambda x: estimates[x].mean)
        parts.append(f"{scheme} {estimates[x].mean:.3f} {plus_minus(estimates[x], 3)} at {axis.text(x)}")
    holding, failing = decisions.count(True), decisions.count(False)
    most = True if 2 * holding > len(schemes) else False if 2 * failing >= len(schemes) else None
    return ClaimResult(most, f"least: {', '.join(parts)}")


def near_best(
    samples: Samples, axis: PlottedAxis, rivals: Mapping[Cell, Iterable[Cell]], share: float
) -> ClaimResult:
    """Check whether each of the cells has more than this share of every rival of its own.

    By paired differences: a rival that starved has no ratio to it, and is no rival.
    """
    races = {
        (cell, rival): _lead(samples, cell, rival, share)
        for cell, those in rivals.items()
        for rival in those
        if rival != cell
    }
    decisions = {race: _positive(lead) for race, lead in races.items()}
    cell, rival = min(races, key=lambda race: races[race].mean)
    measured = f"least: {_at(axis, cell)} has {interval(stats.ratio(*samples.paired(cell, rival)))} of "
    measured += _at(axis, rival)
    if missed := dict.fromkeys(cell for (cell, _), decision in decisions.items() if not decision):
        measured += f"; not above {share:g}: {'; '.join(_at(axis, cell) for cell in missed)}"
    return ClaimResult(every(decisions.values()), measured)


@worded("{measure} with {scheme} exceeds {share:times}that with {others} at {every}")
def near_each(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], share: float
) -> ClaimResult:
    """Check whether scheme has at every x more than this share of what each of the others has there."""
    return near_best(
        samples, axis, {(scheme, x): [(other, x) for other in others] for x in samples.xs}, share
    )


def _lead(samples: Samples, cell: Cell, rival: Cell, share: float) -> Difference:
    """Return what a cell has beyond this share of its rival, paired."""
    values, rivals = samples.paired(cell, rival)
    return stats.difference(values, [share * value for value in rivals])


def _positive(found: Difference) -> Decision:
    if found.half_width is None:
        return None
    return True if found.mean > found.half_width else False if found.mean <= -found.half_width else None


def along(samples: Samples, scheme: str, x: X, y: X) -> Ratio:
    """Compare a scheme with itself: its value at y over its value at x, paired by replication."""
    return stats.ratio(*samples.paired((scheme, y), (scheme, x)))


def growth(samples: Samples, scheme: str, other: str, x: X, y: X) -> Ratio:
    """Return scheme / other at y over scheme / other at x, paired."""
    at_x, at_y, other_x, other_y = samples.paired((scheme, x), (scheme, y), (other, x), (other, y))
    return stats.ratio(np.multiply(at_y, other_x).tolist(), np.multiply(other_y, at_x).tolist())


def _at(axis: PlottedAxis, cell: Cell) -> str:
    curve, x = cell
    return f"{curve} at {axis.name} {axis.text(x)}"


def _low(ratio: Ratio) -> float:
    return -math.inf if ratio.low is None else ratio.low


def _minus_high(ratio: Ratio) -> float:
    return -math.inf if ratio.high is None else -ratio.high
