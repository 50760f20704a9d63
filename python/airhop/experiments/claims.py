"""Checks that papers' claims share. A statement holds only when the 95 % interval excludes its opposite.

Ratios are paired: numerator and denominator met the same channel in every replication. When an estimate
satisfies a claim but its interval does not, the claim is not held: more replications may decide it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from airhop import stats
from airhop.experiments.experiment import Axis, Judgement
from airhop.experiments.numerals import interval
from airhop.experiments.samples import Samples
from airhop.stats import Ratio


def low(ratio: Ratio) -> float:
    """Lower end of the interval; without an interval nothing is excluded."""
    return -math.inf if ratio.low is None else ratio.low


def best_ratio(samples: Samples, scheme: str, other: str) -> tuple[float, Ratio]:
    """Find the x at which the interval of scheme/other begins highest, and that ratio."""
    ratios = {x: samples.ratio(scheme, other, x) for x in samples.xs}
    best = max(ratios, key=lambda x: low(ratios[x]))
    return best, ratios[best]


def exceeds_somewhere(samples: Samples, axis: Axis, scheme: str, factors: Mapping[str, float]) -> Judgement:
    """Judge whether scheme reaches more than each factor times that scheme, each somewhere in the grid."""
    holds, parts = True, []
    for other, factor in factors.items():
        x, ratio = best_ratio(samples, scheme, other)
        reached = low(ratio) > factor
        holds = holds and reached
        parts.append(
            f"{interval(ratio)} × {other} at {axis.text(x)}" + ("" if reached else f", not above {factor:g}")
        )
    return Judgement(holds, "; ".join(parts))


def ahead_everywhere(
    samples: Samples, axis: Axis, scheme: str, others: Sequence[str], from_x: float
) -> Judgement:
    """Judge whether scheme beats all others at every x from `from_x` up; measured by the closest race."""
    races = [
        (x, other, samples.ratio(scheme, other, x)) for x in samples.xs if x >= from_x for other in others
    ]
    x, other, closest = min(races, key=lambda race: low(race[2]))
    lost = sorted({x for x, _, ratio in races if low(ratio) <= 1.0})
    measured = f"closest: {interval(closest)} × {other} at {axis.text(x)}"
    if lost:
        measured += f"; not ahead at {', '.join(axis.text(x) for x in lost)}"
    return Judgement(not lost, measured)


def falls_faster(samples: Samples, axis: Axis, scheme: str, other: str, from_x: float) -> Judgement:
    """Judge whether scheme keeps a smaller share of its value than other, from `from_x` to the last x."""
    first, last = min(x for x in samples.xs if x >= from_x), samples.xs[-1]
    start, end, other_start, other_end = samples.paired(
        (scheme, first), (scheme, last), (other, first), (other, last)
    )
    # (other_end / other_start) / (end / start) > 1, written as one paired ratio.
    advantage = stats.ratio(
        [a * b for a, b in zip(other_end, start, strict=True)],
        [a * b for a, b in zip(end, other_start, strict=True)],
    )
    kept, other_kept = stats.ratio(end, start), stats.ratio(other_end, other_start)
    measured = (
        f"from {axis.text(first)} to {axis.text(last)} {scheme} keeps {interval(kept)} of its goodput, "
        f"{other} {interval(other_kept)}"
    )
    return Judgement(low(advantage) > 1.0, measured)


def order_at(samples: Samples, axis: Axis, order: Sequence[str], at: Sequence[float]) -> Judgement:
    """Judge whether every scheme is ahead of the next one of the order at each given x that was measured."""
    parts, broken = [], []
    for x in (x for x in at if x in samples.xs):
        races = [(a, b, samples.ratio(a, b, x)) for a, b in pairwise(order)]
        parts.append(f"{axis.text(x)}: " + ", ".join(f"{a}/{b} {interval(ratio)}" for a, b, ratio in races))
        broken += [f"{a} not ahead of {b} at {axis.text(x)}" for a, b, ratio in races if low(ratio) <= 1.0]
    return Judgement(bool(parts) and not broken, "; ".join(parts + broken))
