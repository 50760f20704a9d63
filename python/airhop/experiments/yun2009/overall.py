"""Checks of sums of a curve's values over the printed axis.

A sum is over values of the grid, for each replication. If a sentence of the paper names no value of the axis,
the weakest interpretation is a statement about sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.claims import Decision, above, below, every, most, not_shown, ratio_of_ratios
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio


def total(samples: Samples, scheme: str, at: Sequence[X]) -> Mapping[int, float]:
    """Sum a scheme's values over these x, for each replication that all of these x have."""
    cells = [samples.cells[scheme, x] for x in at]
    return {rep: sum(cell[rep] for cell in cells) for rep in sorted(set.intersection(*map(set, cells)))}


def ratio_over(samples: Samples, scheme: str, other: str, at: Sequence[X]) -> Ratio:
    """Return the ratio of two schemes' sums over these x."""
    return _paired(total(samples, scheme, at), total(samples, other, at))


@worded("summed over {at}, {measure} with {schemes} exceeds {factor:times}that with {others}")
def above_over(
    samples: Samples, schemes: Sequence[str], others: Sequence[str], at: Sequence[X], factor: float = 1.0
) -> ClaimResult:
    """Check whether the sum of each of `schemes` exceeds `factor` times the sum of each of `others`."""
    races = {(one, other): ratio_over(samples, one, other, at) for one in schemes for other in others}
    return _told(races, [above(ratio, factor) for ratio in races.values()])


@worded("summed over {at}, {measure} with {schemes} is below {factor:times}that with {other}")
def sum_below(
    samples: Samples, schemes: Sequence[str], other: str, at: Sequence[X], factor: float = 1.0
) -> ClaimResult:
    """Check whether the sum of each of `schemes` is below `factor` times the sum of `other`."""
    races = {(scheme, other): ratio_over(samples, scheme, other, at) for scheme in schemes}
    return _told(races, [below(ratio, factor) for ratio in races.values()])


@worded("summed over {at}, {measure} with {scheme} is below {factor:times}its sum in {beside}")
def sum_below_companion(samples: Samples, scheme: str, at: Sequence[X], factor: float) -> ClaimResult:
    """Check whether a scheme's sum over these x is below `factor` times the sum in the companion."""
    beside = samples.beside or Samples(samples.metric)
    ratio = _paired(total(samples, scheme, at), total(beside, scheme, at))
    return ClaimResult(below(ratio, factor), f"over the axis {interval(ratio)} times that of {scheme} there")


@worded(
    "the ratio of {measure} with {scheme} to that with {other}, both summed over {at}, is below"
    " {factor:times}the same ratio in {beside}"
)
def falls_behind_beside_over(
    samples: Samples, scheme: str, other: str, at: Sequence[X], factor: float
) -> ClaimResult:
    """Check whether the ratio of two schemes' sums is below `factor` times the companion's ratio."""
    beside = samples.beside or Samples(samples.metric)
    here, there = ({name: total(each, name, at) for name in (scheme, other)} for each in (samples, beside))
    sums = (here[scheme], there[other], here[other], there[scheme])
    common = sorted(set.intersection(*map(set, sums)))
    a, b, c, d = ([each[rep] for rep in common] for each in sums)
    ratio = stats.ratio(np.multiply(a, b).tolist(), np.multiply(c, d).tolist())
    return ClaimResult(
        below(ratio, factor), f"over the axis {scheme}/{other} is {interval(ratio)} times that beside"
    )


@worded("summed over {at}, {scheme} keeps a smaller share of its {quantity} in {beside} than {others}")
def keeps_least_beside_over(
    samples: Samples, scheme: str, others: Sequence[str], at: Sequence[X]
) -> ClaimResult:
    """Check whether a scheme has the smallest ratio of its sum over these x to the companion's sum."""
    found = {other: falls_behind_beside_over(samples, scheme, other, at, 1.0) for other in others}
    short = tuple(other for other, one in found.items() if not one.holds)
    missed = f"no smaller part than {', '.join(short)}; " if short else ""
    return ClaimResult(
        every(one.decision for one in found.values()),
        f"{missed}{'; '.join(one.measured for one in found.values())}",
    )


@worded(
    "at {at}, {scheme} keeps less than {share:percent} of its {quantity} in {beside}, and a smaller share "
    "than more than half of the other schemes ({others})"
)
def keeps_less_than_most_beside(
    samples: Samples, axis: PlottedAxis, scheme: str, others: Sequence[str], at: Sequence[X], share: float
) -> ClaimResult:
    """Check whether a scheme keeps less than `share` of the companion's value, and less than most others.

    The check applies at each of these x. The companion is the experiment beside this one.
    """
    decisions: list[Decision] = []
    parts = []
    for x in at:
        found = [below(ratio_of_ratios(samples, scheme, other, x), 1.0) for other in others]
        less, not_less = (sum(one.holds is word for one in found) for word in (True, False))
        kept = samples.ratio_to_beside(scheme, x)
        decisions += [below(kept, share), most(found)]
        parts.append(
            f"{interval(kept)} at {axis.text(x)}, less than {less} of {len(others)}, the reverse for "
            f"{not_less}"
        )
    return ClaimResult(every(decisions), f"{scheme} keeps {'; '.join(parts)}")


def _paired(one: Mapping[int, float], other: Mapping[int, float]) -> Ratio:
    common = sorted(one.keys() & other.keys())
    return stats.ratio([one[rep] for rep in common], [other[rep] for rep in common])


def _told(races: Mapping[tuple[str, str], Ratio], decisions: Sequence[Decision]) -> ClaimResult:
    told = ", ".join(f"{scheme} {interval(ratio)} × {other}" for (scheme, other), ratio in races.items())
    decided = zip((scheme for scheme, _ in races), decisions, strict=True)
    return ClaimResult(every(decisions), f"over the axis: {told}", not_shown(decided))
