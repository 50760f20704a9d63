"""Checks of Kounavis 1996 that compare counts of a run."""

from __future__ import annotations

from dataclasses import replace

from airhop import stats
from airhop.experiments.asked import worded
from airhop.experiments.claims import above, below
from airhop.experiments.experiment import ClaimResult, Metric, PlottedAxis, X
from airhop.experiments.kounavis1996 import SECONDS, TIMEOUTS
from airhop.experiments.samples import Samples
from airhop.numerals import half_width_text, interval
from airhop.stats import Ratio


def count(samples: Samples, metric: Metric) -> Samples:
    """Return the samples of one of the further metrics."""
    return samples.also[metric.name]


def timeouts_left(samples: Samples, *curves: str) -> list[float]:
    """Return the mean number of timeouts per run of each curve, at the paper's setting."""
    return [count(samples, TIMEOUTS).estimate(curve, SECONDS).mean for curve in curves]


def share(samples: Samples, part: Metric, whole: Metric, curve: str, x: X = SECONDS) -> Ratio:
    """Return the ratio of two counts over all replications of a cell."""
    parts, wholes = count(samples, part).cells[curve, x], count(samples, whole).cells[curve, x]
    common = sorted(parts.keys() & wholes.keys())
    return stats.ratio([parts[rep] for rep in common], [wholes[rep] for rep in common])


@worded("with {curve} at the paper's setting, {part} exceeds {level:times}{whole}")
def mostly(samples: Samples, part: Metric, whole: Metric, curve: str, level: float = 0.5) -> ClaimResult:
    """Check whether one count exceeds this share of another, at the paper's setting."""
    found = share(samples, part, whole, curve)
    return ClaimResult(above(found, level), _share_of(samples, part, whole, curve, found))


@worded("with {curve} at the paper's setting, {part} is below {level:times}{whole}")
def seldom(samples: Samples, part: Metric, whole: Metric, curve: str, level: float = 0.5) -> ClaimResult:
    """Check whether one count is below this share of another, at the paper's setting."""
    found = share(samples, part, whole, curve)
    return ClaimResult(below(found, level), _share_of(samples, part, whole, curve, found))


@worded("with {curve} at the paper's setting, the mean of {metric} in a run exceeds {level}")
def more_than(samples: Samples, metric: Metric, curve: str, level: float) -> ClaimResult:
    """Check whether the mean of a count per run exceeds a number, at the paper's setting."""
    found = count(samples, metric).estimate(curve, SECONDS)
    return ClaimResult(
        above(found, level),
        f"{metric.label.lower()}: {found.mean:.1f} {half_width_text(found, 1)} in 100 s",
    )


@worded("with {curve} at the paper's setting, the mean of {metric} in a run is below {level}")
def less_than(samples: Samples, metric: Metric, curve: str, level: float) -> ClaimResult:
    """Check whether the mean of a count per run is below a number, at the paper's setting."""
    found = more_than(samples, metric, curve, level)
    return replace(found, decision=below(count(samples, metric).estimate(curve, SECONDS), level))


def ratio_text(samples: Samples, curve: str, other: str, x: X = SECONDS) -> str:
    """Format the ratio of a curve's goodput to the goodput of another curve."""
    return interval(samples.ratio(curve, other, x))


def at(axis: PlottedAxis, samples: Samples, curve: str, other: str) -> str:
    """Format the ratio of two curves at each value of an axis."""
    return ", ".join(f"{interval(samples.ratio(curve, other, x))} at {axis.text(x)}" for x in samples.xs)


def _share_of(samples: Samples, part: Metric, whole: Metric, curve: str, found: Ratio) -> str:
    parts, wholes = (count(samples, one).estimate(curve, SECONDS).mean for one in (part, whole))
    return (
        f"{interval(found)} of them: {parts:.1f} of {wholes:.1f} in 100 s "
        f"({part.label.lower()}; {whole.label.lower()})"
    )
