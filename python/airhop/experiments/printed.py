"""Checks of measured means and gains against the numbers that a paper prints.

A printed number is compared in its printed unit, in both directions. The tolerance is half of the last
printed digit plus the 95 % scatter of the printed number. The printed number counts as the mean of the
paper's runs, or as a single run if the paper states no number of runs. The scatter of a single run was
measured in Airhop's runs with the default reading (`spreads.csv`).

For a printed gain, the scatter is that of the logarithm of the ratio: a factor around the printed ratio. (In
per cent, a ratio to a goodput near zero would scatter without bound.) If a gain follows from two printed
columns, the tolerance contains the gain of any two numbers within the tolerances of the columns.
`paired_gains_met` instead compares the ratio of two columns within the scatter of a ratio of paired runs.
That is a different statement, because no paper states that its runs are paired.

The measured value meets the printed number if the whole 95 % interval lies within the tolerance, and misses
the number if the whole interval lies outside. If the tolerance is more than half of the printed number, an
interval within the tolerance is no evidence, and the claim is undecided. An interval outside always refutes
the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from airhop.experiments.asked import worded
from airhop.experiments.claims import Cell, Decision, between, ends, every
from airhop.experiments.experiment import ClaimResult, PlottedAxis, X
from airhop.experiments.samples import Samples
from airhop.experiments.spreads import run_half_width
from airhop.stats import CONFIDENCE, Ratio

Printed = Mapping[Cell, float]
"""Printed numbers by curve and x."""
Gain = tuple[str, str, X]
"""Key of a gain: a curve, the curve to compare with, and a value of the axis."""
COUNT = "how many runs each number is the mean of"
"""Missing information if the paper does not state the number of runs."""
SCATTER = "the interval of each number, or more runs than it has"
"""Missing information if the paper's runs are so few that the scatter is too large."""


def columns(xs: Sequence[X], **printed: Sequence[float]) -> dict[Cell, float]:
    """Return a printed table as numbers by curve and x.

    Each keyword names a curve, with `_` for `-`. The value is the column of this curve.
    """
    return {
        (curve.replace("_", "-"), x): number
        for curve, column in printed.items()
        for x, number in zip(xs, column, strict=True)
    }


@dataclass(frozen=True)
class Source:
    """Precision of the printed numbers in a figure or table. The tolerance follows from this precision."""

    experiment: str
    """Experiment in `spreads.csv` from which the scatter is taken."""
    digit: float
    """Last printed digit in its unit, such as 0.01 Mbit/s or 1 percentage point."""
    runs: int | None = None
    """Number of runs of each printed mean. If None, the paper states no number, and the tolerance assumes one
    run.
    """

    def tolerance(self, scatter: float, digit: float | None = None) -> float:
        """Return the tolerance of a printed number in the unit of the number."""
        return (self.digit if digit is None else digit) / 2 + scatter / math.sqrt(self.runs or 1)

    def factor(self, scatter: float) -> float:
        """Return the factor by which a ratio may differ, from the scatter of its logarithm."""
        return math.exp(scatter / math.sqrt(self.runs or 1))

    def __str__(self) -> str:
        """Format the scatter that the tolerance allows."""
        of = "a single run" if self.runs is None else f"the mean of {self.runs} runs"
        return f"the 95 % scatter of {of}"

    def __format__(self, spec: str) -> str:
        """Format half of the last digit if `spec` is `half`, and the scatter otherwise."""
        return f"{self.digit / 2:g}" if spec == "half" else str(self)

    @property
    def needs(self) -> str:
        """Missing information if the tolerance is too large."""
        return COUNT if self.runs is None else SCATTER


@dataclass(frozen=True)
class PrintedCheck:
    """Comparison of a measured value with a printed number, in the printed unit."""

    printed: float
    mean: float
    low: float
    """Lower end of the interval. Without an interval, `low` is -inf and `high` is inf."""
    high: float
    tolerance: float
    unit: str
    upward: float | None = None
    """Tolerance above the printed number; inf if unbounded, None if equal to `tolerance`."""
    wider: Callable[[float], tuple[float, float]] | None = None
    """Function that returns the ends of the interval at another confidence; None if only `low` and `high` are
    known.
    """

    @property
    def allowed(self) -> tuple[float, float]:
        """Least and greatest tolerated value."""
        upward = self.tolerance if self.upward is None else self.upward
        return self.printed - self.tolerance, self.printed + upward

    @property
    def met(self) -> Decision:
        """Decision on whether the interval lies within the tolerance; open if only a part does."""
        return Decision(self._met)

    def _met(self, confidence: float) -> bool | None:
        low, high = (
            self.wider(confidence) if self.wider and confidence != CONFIDENCE else (self.low, self.high)
        )
        decision = between(low, high, *self.allowed)
        return None if decision and not self.is_decisive else decision

    @property
    def is_decisive(self) -> bool:
        """True if the tolerance is at most half of the number, so that agreement is evidence."""
        least, most = self.allowed
        return max(self.printed - least, most - self.printed) <= abs(self.printed) / 2

    @property
    def off(self) -> float:
        """Relative difference of the mean from the printed number."""
        return self.mean / self.printed - 1.0

    @property
    def tolerated(self) -> str:
        """Tolerance as text: `± 0.5`, `56 to 194`, `at least 12`."""
        least, most = self.allowed
        if self.upward is None:
            return f"± {self.tolerance:.2g}"
        return f"{_short(least)} to {_short(most)}" if math.isfinite(most) else f"at least {_short(least)}"

    def __str__(self) -> str:
        tolerated = self.tolerated if self.upward is None else f"[{self.tolerated}]"
        return f"{self.mean:.3g} (printed {self.printed:.3g} {tolerated}) {self.unit}".replace("-", "−")


def means(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Printed, curves: Iterable[str], unit: str
) -> dict[str, PrintedCheck]:
    """Compare the measured mean of each curve with the printed number, at each x that has both."""
    found = {}
    for curve, x in _cells(samples, printed, curves):
        estimate = samples.estimate(curve, x)
        low, high = ends(estimate)
        number = printed[curve, x]
        tolerance = source.tolerance(run_half_width(source.experiment, curve, x))
        found[_cell(axis, curve, x)] = PrintedCheck(
            number, estimate.mean, low, high, tolerance, unit, wider=partial(ends, estimate)
        )
    return found


def gains(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Mapping[Gain, float]
) -> dict[str, PrintedCheck]:
    """Compare measured gains of paired runs with printed gains, in per cent."""
    return {
        _cell(axis, f"{curve} over {other}", x): gained(
            source, samples.ratio(curve, other, x), gain, curve, other, x
        )
        for (curve, other, x), gain in printed.items()
        if x in samples.xs
    }


def gained(source: Source, ratio: Ratio, printed: float, curve: str, other: str, x: X) -> PrintedCheck:
    """Compare one measured gain of paired runs (ratio - 1) with a printed gain, in per cent."""
    factor, half = source.factor(run_half_width(source.experiment, curve, x, other)), source.digit / 2
    kept = 1.0 + printed / 100.0
    return _gain(ratio, printed, _percent(kept / factor) - half, _percent(kept * factor) + half)


def _gain(ratio: Ratio, printed: float, least: float, most: float) -> PrintedCheck:
    """Compare a paired ratio, as a gain in per cent, with a printed gain and the tolerated range."""

    def wider(confidence: float) -> tuple[float, float]:
        low, high = ends(ratio, confidence)
        return _percent(low), _percent(high)

    low, high = wider(CONFIDENCE)
    return PrintedCheck(
        printed, _percent(ratio.value), low, high, printed - least, "%", most - printed, wider
    )


def gains_of(
    samples: Samples,
    axis: PlottedAxis,
    source: Source,
    printed: Printed,
    curve: str,
    other: str,
    xs: Sequence[X] | None = None,
) -> dict[str, PrintedCheck]:
    """Compare the gain of one column over another with the gain computed from the printed columns.

    The tolerance contains the gain of any two nonnegative goodputs within the tolerances of the columns.
    """
    found = {}
    for x in _rows(samples, printed, curve, xs):
        over, under = printed[curve, x], printed[other, x]
        wide, deep = (source.tolerance(run_half_width(source.experiment, one, x)) for one in (curve, other))
        least = max(over - wide, 0.0) / (under + deep)
        most = (over + wide) / (under - deep) if under > deep else math.inf
        found[_cell(axis, f"{curve} over {other}", x)] = _gain(
            samples.ratio(curve, other, x), _percent(over / under), _percent(least), _percent(most)
        )
    return found


def paired_gains_of(
    samples: Samples,
    axis: PlottedAxis,
    source: Source,
    printed: Printed,
    curve: str,
    other: str,
    xs: Sequence[X] | None = None,
) -> dict[str, PrintedCheck]:
    """Compare the gain of one column over another with the printed gain, as if the paper's runs were paired.

    The tolerance is the scatter of the logarithm of the ratio, plus the rounding of both numbers.
    """
    found = {}
    for x in _rows(samples, printed, curve, xs):
        over, under, half = printed[curve, x], printed[other, x], source.digit / 2
        factor = source.factor(run_half_width(source.experiment, curve, x, other))
        least, most = (over - half) / (under + half) / factor, (over + half) / (under - half) * factor
        found[_cell(axis, f"{curve} over {other}", x)] = _gain(
            samples.ratio(curve, other, x), _percent(over / under), _percent(least), _percent(most)
        )
    return found


def _rows(samples: Samples, printed: Printed, curve: str, xs: Sequence[X] | None) -> list[X]:
    return [x for _, x in _cells(samples, printed, (curve,)) if xs is None or x in xs]


def _short(number: float) -> str:
    return f"{number:.3g}" if abs(number) < 1000.0 else f"{number:.0f}"


def _percent(ratio: float) -> float:
    return 100.0 * (ratio - 1.0)


def _cells(samples: Samples, printed: Printed, curves: Iterable[str]) -> list[Cell]:
    return [(curve, x) for curve in curves for x in samples.xs if (curve, x) in printed]


def _cell(axis: PlottedAxis, curve: str, x: X) -> str:
    return f"{curve} at {axis.text(x)}"


def all_met(judged: Mapping[str, PrintedCheck], needs: str) -> ClaimResult:
    """Check whether every printed number is met, and report missed numbers with the tolerances."""
    decisions = {cell: one.met.holds for cell, one in judged.items()}
    told = [f"met in {list(decisions.values()).count(True)} of {len(judged)}"]
    groups = (
        ("missed", [cell for cell, met in decisions.items() if met is False]),
        (
            "undecided",
            [cell for cell, met in decisions.items() if met is None and not judged[cell].is_decisive],
        ),
        ("open", [cell for cell, met in decisions.items() if met is None and judged[cell].is_decisive]),
    )
    for word, cells in groups:
        if cells:
            told.append(f"{word}: {', '.join(f'{cell} {judged[cell]}' for cell in cells)}")
    undecided = bool(groups[1][1])
    return ClaimResult(
        every(one.met for one in judged.values()), "; ".join(told), needs=needs if undecided else ""
    )


@worded(
    "the 95 % interval of each mean of {curves} lies within the tolerance of the printed number: "
    "{source:half} {unit} (half of the last digit) plus {source}"
)
def numbers_met(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Printed, curves: Sequence[str], unit: str
) -> ClaimResult:
    """Check whether the measured means of these curves meet every printed number."""
    return all_met(means(samples, axis, source, printed, curves, unit), source.needs)


@worded(
    "the 95 % interval of each gain lies within the tolerance of the printed gain, {printed}: {source:half} "
    "percentage points (half of the last digit) plus {source}, computed for the logarithm of the ratio"
)
def gains_met(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Mapping[Gain, float]
) -> ClaimResult:
    """Check whether the measured gains meet every printed gain, in percentage points."""
    return all_met(gains(samples, axis, source, printed), source.needs)


@worded(
    "at {at}, the 95 % interval of the gain of {curve} over {other} lies between the smallest and the "
    "largest gain of two goodputs that are each within the tolerance of their printed number: {source:half} "
    "{unit} (half of the last digit) plus {source}. If the tolerance of a gain exceeds half of the printed "
    "gain, an interval within the tolerance leaves the claim undecided"
)
def column_gains_met(
    samples: Samples,
    axis: PlottedAxis,
    source: Source,
    printed: Printed,
    curve: str,
    other: str,
    at: Sequence[X] | None = None,
) -> ClaimResult:
    """Check whether the gain of one column over another meets the printed gain, in percentage points."""
    return all_met(gains_of(samples, axis, source, printed, curve, other, at), source.needs)


@worded(
    "at {at}, the 95 % interval of the ratio of {curve} to {other} lies within the tolerance of the printed "
    "ratio: the rounding of both numbers ({source:half} {unit} each), and {source}, computed for the "
    "logarithm of the ratio"
)
def paired_gains_met(
    samples: Samples,
    axis: PlottedAxis,
    source: Source,
    printed: Printed,
    curve: str,
    other: str,
    at: Sequence[X] | None = None,
) -> ClaimResult:
    """Check whether the paired ratio of two columns equals the printed ratio, within the scatter."""
    return all_met(paired_gains_of(samples, axis, source, printed, curve, other, at), source.needs)


def mean_error(judged: Mapping[str, PrintedCheck]) -> tuple[float, float]:
    """Return the mean absolute error relative to the printed numbers, and the half-width of this mean.

    The half-width is computed from the signed errors, because the absolute errors do not vary more. Errors at
    different points are independent, because different settings draw different channels.
    """
    halves = [(one.high - one.low) / 2 / one.printed for one in judged.values()]
    return (
        sum(abs(one.off) for one in judged.values()) / len(judged),
        math.sqrt(sum(half**2 for half in halves)) / len(judged),
    )


@worded(
    "the mean error of {curves}, relative to the printed numbers, is below the mean of their relative "
    "tolerances: {source:half} {unit} (half of the last digit) plus {source}"
)
def mean_error_met(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Printed, curves: Sequence[str], unit: str
) -> ClaimResult:
    """Check whether the mean error of these curves is below the mean tolerance of the printed numbers."""
    judged = means(samples, axis, source, printed, curves, unit)
    error, half = mean_error(judged)
    most = sum(one.tolerance / one.printed for one in judged.values()) / len(judged)
    decision = between(error - half, error + half, -math.inf, most)
    furthest = max(judged, key=lambda cell: abs(judged[cell].off))
    text = f"{100 * error:.1f} ± {100 * half:.1f} %" if math.isfinite(half) else f"{100 * error:.1f} % ± ?"
    return ClaimResult(
        decision,
        f"{text} over {len(judged)} cells, tolerated {100 * most:.1f} %; furthest {furthest} "
        f"{100 * judged[furthest].off:+.0f} %".replace("-", "−"),
    )
