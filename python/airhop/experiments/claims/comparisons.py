"""Checks that compare curves at values of the axis."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.claims.decisions import Cell, above, below, low_end, minus_high_end, not_shown, within
from airhop.experiments.decision import Decision, every, most, some
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.numerals import half_width_text, interval
from airhop.stats import Difference, Ratio


@worded("somewhere in the grid, {measure} with {scheme} exceeds {factors}, by simultaneous intervals")
def exceeds_somewhere(
    samples: Samples, axis: PlottedAxis, scheme: str, factors: Mapping[str, float]
) -> ClaimResult:
    """Check whether a scheme exceeds each rival, times a factor per rival, somewhere in the grid."""
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
    """Check whether a scheme exceeds each rival, times a factor per rival, at each given x."""
    decisions: list[Decision] = []
    parts = []
    for other, factor in factors.items():
        ratios = {x: samples.ratio(scheme, other, x) for x in at}
        met = {x: above(ratio, factor) for x, ratio in ratios.items()}
        decisions += met.values()
        least = min(ratios, key=lambda x: low_end(ratios[x]))
        missed = ", ".join(axis.text(x) for x, decision in met.items() if not decision)
        parts.append(f"{other} {interval(ratios[least])} at {axis.text(least)}")
        parts[-1] += f" (not above {factor:g} at {missed})" if missed else ""
    return ClaimResult(every(decisions), f"least, times that of {'; '.join(parts)}")


@worded("at {from_x}, {measure} with {scheme} is below {factors}")
def nowhere_exceeds(
    samples: Samples, axis: PlottedAxis, scheme: str, factors: Mapping[str, float], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether a scheme is below each rival, times a factor per rival, at every x from `from_x` up."""
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
    """Check whether every mean lies within the printed axis, at every x from `from_x` up."""
    found = {(curve, x): samples.estimate(curve, x) for curve in curves for x in samples.from_x(from_x)}
    decisions = {cell: below(estimate, top) for cell, estimate in found.items()}
    curve, x = max(found, key=lambda cell: found[cell].mean)
    highest = found[curve, x]
    return ClaimResult(
        every(decisions.values()),
        f"highest: {curve} {highest.mean:.2f} {half_width_text(highest)} at {axis.text(x)}, the axis ends at "
        f"{top:g}",
        not_shown((curve, decision) for (curve, _), decision in decisions.items()),
    )


@worded("at {at}, {measure} with {scheme} exceeds that with {other}")
def outnumbers(samples: Samples, axis: PlottedAxis, scheme: str, other: str, at: Sequence[X]) -> ClaimResult:
    """Check whether a scheme's count exceeds another's at each given x.

    The test uses differences, because counts may be zero.
    """
    leads = {x: samples.difference(scheme, other, x) for x in at}
    told = [
        f"{scheme} {samples.estimate(scheme, x).mean:.1f}, {other} {samples.estimate(other, x).mean:.1f}, "
        f"difference {leads[x].mean:.1f} ± {leads[x].half_width or math.nan:.1f}, at {axis.text(x)}"
        for x in at
    ]
    return ClaimResult(every(above(lead, 0.0) for lead in leads.values()), "; ".join(told))


def best_ratio(samples: Samples, scheme: str, other: str) -> tuple[X, Ratio]:
    """Return the x with the highest lower end of the ratio of `scheme` to `other`, and the ratio."""
    ratios = {x: samples.ratio(scheme, other, x) for x in samples.xs}
    best = max(ratios, key=lambda x: low_end(ratios[x]))
    return best, ratios[best]


@worded("{measure} with {scheme} exceeds that with {others} at {from_x}")
def ahead_everywhere(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> ClaimResult:
    """Check whether a scheme exceeds all others at every x from `from_x` up; reports the smallest ratio."""
    races = {(x, other): samples.ratio(scheme, other, x) for x in samples.from_x(from_x) for other in others}
    x, other = min(races, key=lambda race: low_end(races[race]))
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
    """Check whether each scheme exceeds a share of `other` at each given x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}
    return check_each(
        axis, ratios, lambda ratio: above(ratio, share), low_end, f"least, times that of {other}"
    )


@worded("{measure} with {schemes} is below {share:times}that with {other} at {at}")
def each_below(
    samples: Samples,
    axis: PlottedAxis,
    schemes: Sequence[str],
    other: str,
    at: Sequence[X],
    share: float = 1.0,
) -> ClaimResult:
    """Check whether each scheme is below a share of `other` at each given x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}
    return check_each(
        axis, ratios, lambda ratio: below(ratio, share), minus_high_end, f"most, times that of {other}"
    )


@worded("{measure} with {schemes} is within {tolerance:percent} of that with {other} at {at}")
def each_within(
    samples: Samples,
    axis: PlottedAxis,
    schemes: Sequence[str],
    other: str,
    at: Sequence[X],
    tolerance: float,
) -> ClaimResult:
    """Check whether each scheme equals `other` within a tolerance, at each given x."""
    ratios = {scheme: {x: samples.ratio(scheme, other, x) for x in at} for scheme in schemes}

    def decide(ratio: Ratio) -> Decision:
        return within(ratio, 1.0 - tolerance, 1.0 + tolerance)

    def margin(ratio: Ratio) -> float:
        return min(low_end(ratio) - 1.0, 1.0 + minus_high_end(ratio))

    return check_each(axis, ratios, decide, margin, f"furthest from 1, times that of {other}")


@worded("at {every}, {measure} with more than half of the schemes ({schemes}) is above {level}")
def most_stay_above(samples: Samples, axis: PlottedAxis, schemes: Sequence[str], level: float) -> ClaimResult:
    """Check whether more than half of the schemes have a mean above this level at every x."""
    decisions, parts = [], []
    for scheme in schemes:
        estimates = {x: samples.estimate(scheme, x) for x in samples.xs}
        decisions.append(every(above(found, level) for found in estimates.values()))
        x = min(estimates, key=lambda x: estimates[x].mean)
        parts.append(f"{scheme} {estimates[x].mean:.3f} {half_width_text(estimates[x], 3)} at {axis.text(x)}")
    return ClaimResult(most(decisions), f"least: {', '.join(parts)}")


def near_best(
    samples: Samples,
    axis: PlottedAxis,
    rivals: Mapping[Cell, Iterable[Cell]],
    share: float,
) -> ClaimResult:
    """Check whether each cell exceeds a share of each of its rivals.

    The test uses paired differences. Rivals with a starved flow have no ratio, and are ignored.
    """
    races = {
        (cell, rival): _paired_lead(samples, cell, rival, share)
        for cell, those in rivals.items()
        for rival in those
        if rival != cell
    }
    decisions = {race: above(lead, 0.0) for race, lead in races.items()}
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
    """Check whether a scheme exceeds a share of each other scheme at every x."""
    return near_best(
        samples, axis, {(scheme, x): [(other, x) for other in others] for x in samples.xs}, share
    )


def _paired_lead(samples: Samples, cell: Cell, rival: Cell, share: float) -> Difference:
    """Return the paired difference between a cell and a share of the rival cell."""
    values, rivals = samples.paired(cell, rival)
    return stats.difference(values, [share * value for value in rivals])


@worded("at {at}, the schemes have this order by {quantity}: {order}")
def order_at(
    samples: Samples, axis: PlottedAxis, order: Sequence[Sequence[str]], at: Sequence[X]
) -> ClaimResult:
    """Check whether every scheme of a group is ahead of every scheme of the next group, at each given x."""
    decisions, parts, broken, short = [], [], [], []
    for x in (x for x in at if x in samples.xs):
        closest = []
        for ahead, behind in pairwise(order):
            races = {(a, b): samples.ratio(a, b, x) for a in ahead for b in behind}
            a, b = min(races, key=lambda race: low_end(races[race]))
            closest.append(f"{a}/{b} {interval(races[a, b])}")
            decisions += [above(ratio, 1.0) for ratio in races.values()]
            lost = [race for race, ratio in races.items() if not above(ratio, 1.0)]
            short += [curve for race in lost for curve in race]
            behind = ", ".join(f"{a} of {b}" for a, b in lost)
            broken += [f"not ahead at {axis.text(x)}: {behind}"] if lost else []
        parts.append(f"closest at {axis.text(x)}: {', '.join(closest)}")
    told = "; ".join(parts + broken + not_run(samples, axis, at))
    return ClaimResult(every(decisions) if decisions else None, told, tuple(short))


def check_each(
    axis: PlottedAxis,
    ratios: Mapping[str, Mapping[X, Ratio]],
    decide: Callable[[Ratio], Decision],
    margin: Callable[[Ratio], float],
    what: str,
) -> ClaimResult:
    """Decide on every ratio.

    The result reports each scheme's ratio with the smallest margin, and the failed ratios.
    """
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


def not_run(samples: Samples, axis: PlottedAxis, at: Sequence[X]) -> list[str]:
    """List the axis values of a claim that are missing in the grid of this mode."""
    missing = [axis.text(x) for x in at if x not in samples.xs]
    return [f"not run: {', '.join(missing)}"] if missing else []


def _at(axis: PlottedAxis, cell: Cell) -> str:
    curve, x = cell
    return f"{curve} at {axis.name} {axis.text(x)}"
