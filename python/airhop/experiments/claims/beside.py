"""Checks that compare an experiment with its companion, another experiment on the same axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.claims.comparisons import check_each, not_run
from airhop.experiments.claims.decisions import above, below, low_end, minus_high_end, within
from airhop.experiments.decision import Decision
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.stats import Ratio


@worded("{measure} with {schemes} is below {share:times}its value in {beside} at {at}")
def each_below_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], at: Sequence[X], share: float = 1.0
) -> ClaimResult:
    """Check whether each scheme is below a share of its value in the experiment's companion."""
    ratios = {scheme: {x: samples.ratio_to_beside(scheme, x) for x in at} for scheme in schemes}
    return check_each(axis, ratios, lambda ratio: below(ratio, share), minus_high_end, "most, times that")


@worded("{measure} with {schemes} exceeds {share:times}its value in {beside} at {at}")
def each_above_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], at: Sequence[X], share: float = 1.0
) -> ClaimResult:
    """Check whether each scheme is above a share of its value in the experiment's companion."""
    ratios = {scheme: {x: samples.ratio_to_beside(scheme, x) for x in at} for scheme in schemes}
    return check_each(axis, ratios, lambda ratio: above(ratio, share), low_end, "least, times that")


@worded(
    "at {at}, the ratio of {measure} with {schemes} to that with {other} differs from the same ratio in "
    "{beside} by a factor of less than {factor}"
)
def stands_as_beside(
    samples: Samples, axis: PlottedAxis, schemes: Sequence[str], other: str, at: Sequence[X], factor: float
) -> ClaimResult:
    """Check whether each scheme's ratio to `other` equals the companion's ratio, within a factor."""
    ratios = {
        scheme: {x: ratio_of_ratios(samples, scheme, other, x) for x in at if x in samples.xs}
        for scheme in schemes
    }

    def decide(ratio: Ratio) -> Decision:
        return within(ratio, 1.0 / factor, factor)

    def margin(ratio: Ratio) -> float:
        return min(low_end(ratio) - 1.0 / factor, factor + minus_high_end(ratio))

    found = check_each(axis, ratios, decide, margin, f"furthest from 1, times its ratio to {other} there")
    return replace(found, measured="; ".join([found.measured, *not_run(samples, axis, at)]))


@worded(
    "at {at}, the ratio of {measure} with {scheme} to that with {other} is below {share:times}the same ratio "
    "in {beside}"
)
def falls_behind_beside(
    samples: Samples, axis: PlottedAxis, scheme: str, other: str, at: Sequence[X], share: float
) -> ClaimResult:
    """Check whether the ratio of `scheme` to `other` is below a share of the companion's ratio."""
    ratios = {f"{scheme}/{other}": {x: ratio_of_ratios(samples, scheme, other, x) for x in at}}
    return check_each(
        axis, ratios, lambda ratio: below(ratio, share), minus_high_end, "most, times that beside"
    )


def ratio_of_ratios(samples: Samples, scheme: str, other: str, x: X) -> Ratio:
    """Return the ratio of `scheme` to `other`, divided by the same ratio in the companion experiment.

    The replications are paired.
    """
    beside = samples.beside or Samples(samples.metric)
    here, there = samples.cells, beside.cells
    cells = (here[scheme, x], there[other, x], here[other, x], there[scheme, x])
    common = sorted(set.intersection(*(set(cell) for cell in cells)))
    a, b, c, d = ([cell[rep] for rep in common] for cell in cells)
    # (a / c) / (d / b), written as one paired ratio.
    return stats.ratio(np.multiply(a, b).tolist(), np.multiply(c, d).tolist())
