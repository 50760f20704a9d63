"""Checks that papers' claims share.

A statement holds when the 95 % intervals exclude its opposite, fails when they exclude the statement, and
stays open otherwise: more replications may decide it. Ratios are paired: numerator and denominator met the
same channel in every replication.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations

import numpy as np

from airhop import stats
from airhop.experiments.experiment import X, Axis, Judgement
from airhop.experiments.numerals import interval, plus_minus
from airhop.experiments.samples import Samples
from airhop.stats import Estimate, Ratio

Verdict = bool | None
"""None: the intervals do not decide."""


# ---- verdicts --------------------------------------------------------------------------------------------


def above(found: Ratio | Estimate, level: float) -> Verdict:
    """Judge whether a ratio or a mean is above this level."""
    ends = found if isinstance(found, Ratio) else found.interval()
    if ends is None or ends.low is None or ends.high is None:
        return None
    return True if ends.low > level else False if ends.high <= level else None


def below(found: Ratio | Estimate, level: float) -> Verdict:
    """Judge whether a ratio or a mean is below this level."""
    verdict = above(found, level)
    return None if verdict is None else not verdict


def every(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge whether all of it is so; one that fails is enough to fail."""
    found = set(verdicts)
    return False if False in found else None if None in found else True


def some(verdicts: Iterable[Verdict]) -> Verdict:
    """Judge whether any of it is so."""
    found = set(verdicts)
    return True if True in found else None if None in found else False


# ---- checks ----------------------------------------------------------------------------------------------


def exceeds_somewhere(samples: Samples, axis: Axis, scheme: str, factors: Mapping[str, float]) -> Judgement:
    """Judge whether scheme reaches more than each factor times that scheme, each somewhere in the grid."""
    verdicts, parts = [], []
    for other, factor in factors.items():
        verdicts.append(some(above(samples.ratio(scheme, other, x), factor) for x in samples.xs))
        x, ratio = best_ratio(samples, scheme, other)
        short = "" if verdicts[-1] else f", not above {factor:g}"
        parts.append(f"{interval(ratio)} × {other} at {axis.text(x)}{short}")
    return Judgement(every(verdicts), "; ".join(parts))


def best_ratio(samples: Samples, scheme: str, other: str) -> tuple[X, Ratio]:
    """Find the x at which the interval of scheme/other begins highest, and that ratio."""
    ratios = {x: samples.ratio(scheme, other, x) for x in samples.xs}
    best = max(ratios, key=lambda x: _low(ratios[x]))
    return best, ratios[best]


def ahead_everywhere(
    samples: Samples, axis: Axis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> Judgement:
    """Judge whether scheme beats all others at every x from `from_x` up; measured by the closest race."""
    races = {
        (x, other): samples.ratio(scheme, other, x) for x in samples.from_x(from_x) for other in others
    }
    x, other = min(races, key=lambda race: _low(races[race]))
    measured = f"closest: {interval(races[x, other])} × {other} at {axis.text(x)}"
    if lost := list(dict.fromkeys(x for (x, _), ratio in races.items() if not above(ratio, 1.0))):
        measured += f"; not ahead at {', '.join(axis.text(x) for x in lost)}"
    return Judgement(every(above(ratio, 1.0) for ratio in races.values()), measured)


def behind_beside(samples: Samples, axis: Axis, scheme: str, from_x: float = -math.inf) -> Judgement:
    """Judge whether scheme has less than in the experiment beside this one, at every x from `from_x` up."""
    ratios = {x: samples.ratio_to_beside(scheme, x) for x in samples.from_x(from_x)}
    parts = [f"{interval(ratio)} at {axis.text(x)}" for x, ratio in ratios.items()]
    return Judgement(every(below(ratio, 1.0) for ratio in ratios.values()), f"times that: {', '.join(parts)}")


def order_at(samples: Samples, axis: Axis, order: Sequence[str], at: Sequence[X]) -> Judgement:
    """Judge whether every scheme is ahead of the next one of the order at each given x that was measured."""
    verdicts, parts, broken = [], [], []
    for x in (x for x in at if x in samples.xs):
        races = [(a, b, samples.ratio(a, b, x)) for a, b in pairwise(order)]
        verdicts += [above(ratio, 1.0) for _, _, ratio in races]
        parts.append(f"{axis.text(x)}: " + ", ".join(f"{a}/{b} {interval(ratio)}" for a, b, ratio in races))
        broken += [f"{a} not ahead of {b} at {axis.text(x)}" for a, b, r in races if not above(r, 1.0)]
    return Judgement(every(verdicts) if verdicts else None, "; ".join(parts + broken))


def keeps_most(
    samples: Samples, axis: Axis, scheme: str, others: Sequence[str], from_x: float = -math.inf
) -> Judgement:
    """Judge whether scheme keeps a larger share of its value than each other, from `from_x` to the last x."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    verdicts = []
    for other in others:
        start, end, others_start, others_end = samples.paired(
            (scheme, first), (scheme, last), (other, first), (other, last)
        )
        # (end / start) / (other's end / other's start) > 1, written as one paired ratio.
        kept, others_kept = np.multiply(end, others_start), np.multiply(others_end, start)
        verdicts.append(above(stats.ratio(kept.tolist(), others_kept.tolist()), 1.0))
    parts = [f"{name} {interval(along(samples, name, first, last))}" for name in (scheme, *others)]
    return Judgement(
        every(verdicts), f"kept from {axis.text(first)} to {axis.text(last)}: {', '.join(parts)}"
    )


def falls_all_along(samples: Samples, axis: Axis, schemes: Sequence[str]) -> Judgement:
    """Judge whether each scheme loses with every step of the axis."""
    first, last = samples.xs[0], samples.xs[-1]
    steps = {
        (scheme, x, y): along(samples, scheme, x, y) for scheme in schemes for x, y in pairwise(samples.xs)
    }
    kept = ", ".join(f"{scheme} {interval(along(samples, scheme, first, last))}" for scheme in schemes)
    parts = [f"kept from {axis.text(first)} to {axis.text(last)}: {kept}"]
    parts += [
        f"no fall of {scheme} shown from {axis.text(x)} to {axis.text(y)}: {interval(ratio)}"
        for (scheme, x, y), ratio in steps.items()
        if not below(ratio, 1.0)
    ]
    return Judgement(every(below(ratio, 1.0) for ratio in steps.values()), "; ".join(parts))


def steady(samples: Samples, axis: Axis, scheme: str, share: float) -> Judgement:
    """Judge whether scheme has at every x more than this share of what it has at any other."""
    changes = {(x, y): along(samples, scheme, x, y) for x, y in permutations(samples.xs, 2)}
    x, y = min(changes, key=lambda pair: _low(changes[pair]))
    measured = f"least: {interval(changes[x, y])} at {axis.text(y)} of what it is at {axis.text(x)}"
    return Judgement(every(above(ratio, share) for ratio in changes.values()), measured)


def catches_up(samples: Samples, axis: Axis, schemes: Sequence[str], leader: str, share: float) -> Judgement:
    """Judge whether each scheme is below this share of the leader at the first x and above it at the last."""
    first, last = samples.xs[0], samples.xs[-1]
    verdicts, parts = [], []
    for scheme in schemes:
        start, end = samples.ratio(scheme, leader, first), samples.ratio(scheme, leader, last)
        verdicts += [below(start, share), above(end, share)]
        parts.append(f"{scheme} {interval(start)} and {interval(end)}")
    measured = f"share of {leader} at {axis.text(first)} and at {axis.text(last)}: {', '.join(parts)}"
    return Judgement(every(verdicts), measured)


def most_stay_above(samples: Samples, axis: Axis, schemes: Sequence[str], level: float) -> Judgement:
    """Judge whether more than half of the schemes have a mean above this level at every x."""
    verdicts, parts = [], []
    for scheme in schemes:
        estimates = {x: samples.estimate(scheme, x) for x in samples.xs}
        verdicts.append(every(above(found, level) for found in estimates.values()))
        x = min(estimates, key=lambda x: estimates[x].mean)
        parts.append(f"{scheme} {estimates[x].mean:.3f} {plus_minus(estimates[x], 3)} at {axis.text(x)}")
    holding, failing = verdicts.count(True), verdicts.count(False)
    most = True if 2 * holding > len(schemes) else False if 2 * failing >= len(schemes) else None
    return Judgement(most, f"least: {', '.join(parts)}")


def along(samples: Samples, scheme: str, x: X, y: X) -> Ratio:
    """Compare a scheme with itself: what it has at y over what it has at x, paired by replication."""
    return stats.ratio(*samples.paired((scheme, y), (scheme, x)))


def _low(ratio: Ratio) -> float:
    return -math.inf if ratio.low is None else ratio.low
