"""Means, differences and ratios with 95 % confidence intervals over replications.

Each replication counts as one observation, because packets of the same run are not independent. Means and
paired differences have Student's t intervals, ratios of means have Fieller's intervals, and other statistics
have intervals of the BCa bootstrap.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:  # only functions import numpy, because its import would delay commands that only print
    import numpy as np
    from numpy.typing import NDArray

CONFIDENCE = 0.95
SHOWN = 6
"""Maximum number of names that a warning lists; further names are only counted."""
FEW_REPS = 3
"""Minimum number of replications for a useful interval."""
FEW_PAIRS = 4
"""Minimum number of pairs for an interval of the correlation: Fisher's z has variance 1/(n - 3)."""
RESAMPLES = 9999
"""Number of bootstrap resamples. The interval's ends then vary with the seed by about 1 % of its width."""


@dataclass(frozen=True)
class Interval:
    """A confidence interval, both ends included."""

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """A mean over `n` replications; `half_width` of the interval is None for a single replication."""

    mean: float
    half_width: float | None
    n: int

    @property
    def relative(self) -> float | None:
        """Half-width divided by the absolute value of the mean.

        A stopping rule compares this value with its limit. None for a single replication, or if the mean is
        0.
        """
        if self.half_width is None or self.mean == 0.0:
            return None
        return self.half_width / abs(self.mean)

    @property
    def vague(self) -> bool:
        """True if the half-width exceeds the mean although there are at least `FEW_REPS` replications."""
        return self.n >= FEW_REPS and self.relative is not None and self.relative > 1.0

    def scaled(self, factor: float) -> Self:
        """Return the estimate multiplied by `factor`, for instance by 100 for per cent."""
        half = None if self.half_width is None else factor * self.half_width
        return replace(self, mean=factor * self.mean, half_width=half)

    def at(self, confidence: float) -> Self:
        """Return the estimate with the half-width of a t interval at this confidence."""
        return replace(self, half_width=_at_confidence(self.half_width, self.n, confidence))

    @property
    def ends(self) -> Interval | None:
        """Interval of a quantity that cannot be negative; None for a single replication.

        The t interval is cut at zero. Coverage stays the same, because the mean is never negative.

        A t interval of the logarithm is no alternative. That interval covers the geometric mean, but tables
        show the arithmetic mean. It also fails if a replication has the value 0, such as the goodput of a
        starved flow.
        """
        return self.interval(least=0.0)

    @property
    def drawn(self) -> Interval:
        """Interval that a figure draws; for a single replication both ends are the mean."""
        return self.ends or Interval(self.mean, self.mean)

    def interval(self, least: float = -math.inf, most: float = math.inf) -> Interval | None:
        """Return the interval, limited to the range `least` to `most`; None for a single replication."""
        if self.half_width is None:
            return None
        return Interval(max(self.mean - self.half_width, least), min(self.mean + self.half_width, most))


@dataclass(frozen=True)
class Difference:
    """Mean difference over `n` pairs of runs with equal channel errors; `half_width` is None for one pair."""

    mean: float
    half_width: float | None
    n: int
    correlation: float | None
    """Pearson's correlation over the pairs; None if a sample has no variance.

    A correlation of 0.9 makes the interval a third as wide as without pairing.
    """

    def excludes(self, value: float) -> bool:
        """Return whether the interval is known and excludes `value`."""
        return self.half_width is not None and abs(self.mean - value) > self.half_width

    def at(self, confidence: float) -> Self:
        """Return the difference with the half-width of a t interval at this confidence."""
        return replace(self, half_width=_at_confidence(self.half_width, self.n, confidence))


@dataclass(frozen=True)
class Moments:
    """Mean numerator and mean denominator of a ratio, with the variances and the covariance of the means."""

    numerator: float
    """Mean of the numerator."""
    denominator: float
    """Mean of the denominator."""
    variance: float
    """Variance of the numerator's mean."""
    denominator_variance: float
    """Variance of the denominator's mean."""
    covariance: float
    """Covariance of the two means."""

    def ends(self, quantile: float) -> tuple[float, float] | None:
        """Return the ends of Fieller's interval of the ratio for a quantile of Student's t.

        None if the denominator's mean does not differ significantly from 0. The interval is then unbounded.
        """
        # All r with (x - r y)^2 <= t^2 var(x - r y): a quadratic A r^2 - 2 B r + C <= 0.
        t2 = quantile**2
        a2 = self.denominator**2 - t2 * self.denominator_variance
        b1 = self.numerator * self.denominator - t2 * self.covariance
        c0 = self.numerator**2 - t2 * self.variance
        if a2 <= 0.0:
            return None
        root = math.sqrt(max(b1**2 - a2 * c0, 0.0))
        return (b1 - root) / a2, (b1 + root) / a2


@dataclass(frozen=True)
class Ratio:
    """A ratio of two means; `low` and `high` are None if the interval is unbounded, or if n < 2."""

    value: float
    low: float | None
    high: float | None
    n: int
    moments: Moments | None = field(default=None, repr=False, compare=False)
    """Moments of the pairs; None if the moments are unknown, or if n < 2."""

    @property
    def vague(self) -> bool:
        """True if the interval reaches below 0 or is unbounded despite at least `FEW_REPS` replications."""
        return self.n >= FEW_REPS and (self.low is None or self.low < 0.0)

    def excludes(self, value: float) -> bool:
        """Return whether the interval is known and excludes `value`."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high

    def at(self, confidence: float) -> Self:
        """Return the ratio with Fieller's interval at this confidence.

        `low` and `high` are None if the moments are unknown, or if the interval is unbounded.
        """
        ends = self.moments and self.moments.ends(t_quantile(self.n - 1, confidence))
        low, high = ends or (None, None)
        return replace(self, low=low, high=high)


@cache
def t_quantile(degrees: int, confidence: float = CONFIDENCE) -> float:
    """Two-sided quantile of Student's t: 12.706 for one degree of freedom, 1.96 for infinitely many.

    Infinite at confidence 1; NaN without a degree of freedom, or if the confidence is no probability.

    Newton's method solves a finite series of the distribution function. This function is concave above 0, so
    the iteration approaches the root from below. Scipy also has this quantile, but importing scipy takes half
    a second.
    """
    if degrees < 1 or not 0.0 <= confidence <= 1.0:
        return math.nan
    if confidence == 1.0:
        return math.inf
    before, t = -1.0, 0.0
    while t > before and (density := _t_density(t, degrees)) > 0.0:
        before, t = t, t + (confidence - _t_within(t, degrees)) / (2 * density)
    return before


def _t_density(t: float, degrees: int) -> float:
    """Density of Student's t."""
    gammas = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)
    power = (degrees + 1) / 2 * math.log1p(t * t / degrees)
    return math.exp(gammas - power) / math.sqrt(degrees * math.pi)


def _t_within(t: float, degrees: int) -> float:
    """Probability that Student's t is between -t and t (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    sine, cosine2 = t / math.sqrt(degrees + t * t), degrees / (degrees + t * t)
    odd = degrees % 2
    term = sine * math.sqrt(cosine2) if odd else sine
    total = term if degrees > 1 else 0.0
    for k in range(1 + odd, degrees - 2, 2):
        term *= cosine2 * k / (k + 1)
        total += term
    return 2 / math.pi * (math.atan(t / math.sqrt(degrees)) + total) if odd else total


def simultaneous(tries: int, confidence: float = CONFIDENCE) -> float:
    """Return the confidence of each of `tries` intervals for a joint confidence of `confidence`.

    Bonferroni's correction (Dunn 1961): the probability of any error is at most the sum of the single
    probabilities, even if the intervals are dependent.
    """
    return confidence if tries <= 1 else 1.0 - (1.0 - confidence) / tries


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Mean of independent replications and the half-width of its t interval."""
    import numpy as np

    sample = _sample(values)
    n = len(sample)
    if n < 2:
        return Estimate(float(sample[0]), None, n)
    # Because of rounding, the computed mean of equal numbers may differ from the numbers, and their deviation
    # from 0.
    if np.ptp(sample) == 0.0:
        return Estimate(float(sample[0]), 0.0, n)
    return Estimate(float(sample.mean()), t_quantile(n - 1) * float(sample.std(ddof=1)) / math.sqrt(n), n)


def difference(a: Sequence[float], b: Sequence[float]) -> Difference:
    """Mean of a - b over pairs of runs with the same channel errors.

    Parameters
    ----------
    a, b
        Samples of equal length n; entry k of both is replication k.

    Returns
    -------
    Difference
        Mean, half-width of its 95 % t interval, and the correlation of the pairs.

    Raises
    ------
    ValueError
        When the samples are empty, or have different lengths.
    """
    import numpy as np

    x, y = _pair(a, b)
    found = estimate(x - y)
    scatters = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
    correlation = float(np.corrcoef(x, y)[0, 1]) if scatters else None
    return Difference(found.mean, found.half_width, found.n, correlation)


def ratio(a: Sequence[float], b: Sequence[float]) -> Ratio:
    """Ratio of the means of a and b over pairs, with Fieller's interval.

    Fieller's interval (1954) covers the ratio of two means, as in tables and in statements such as "400 % of
    Reno". Unlike a t interval of log ratios, it also exists if a flow starved in a replication.

    Parameters
    ----------
    a, b
        Samples of equal length n; entry k of both is replication k.

    Returns
    -------
    Ratio
        Ratio; without an interval if the mean of `b` does not differ significantly from zero, or if n < 2.

    Raises
    ------
    ValueError
        When the samples are empty, or have different lengths.
    """
    import numpy as np

    x, y = _pair(a, b)
    n = len(x)
    mean_x, mean_y = float(x.mean()), float(y.mean())
    if mean_y == 0.0:
        return Ratio(math.nan, None, None, n)
    value = mean_x / mean_y
    if n < 2:
        return Ratio(value, None, None, n)
    covariance = np.cov(x, y) / n
    moments = Moments(mean_x, mean_y, *(float(covariance[one]) for one in ((0, 0), (1, 1), (0, 1))))
    low, high = moments.ends(t_quantile(n - 1)) or (None, None)
    return Ratio(value, low, high, n, moments)


def bca(
    values: Sequence[float] | NDArray[np.float64], statistic: Callable[..., Any] | None = None
) -> Interval | None:
    """Interval of any statistic by the bias-corrected and accelerated bootstrap (Efron 1987).

    Parameters
    ----------
    values
        Independent replications.
    statistic
        A function of the sample, by default the mean. If the function has a parameter `axis` as in numpy, one
        call handles all resamples.

    Returns
    -------
    Interval | None
        Interval, always equal for equal data. None for a single value. Also None if omitting any one value
        leaves the statistic unchanged, as for the median of 1, 1, 1, 1, 5. The acceleration is then
        undefined.
    """
    import numpy as np

    sample, statistic = _sample(values), statistic or np.mean
    if len(sample) < 2:
        return None
    if np.ptp(sample) == 0.0:
        value = float(statistic(sample))
        return Interval(value, value)
    from scipy.stats import DegenerateDataWarning, bootstrap

    with warnings.catch_warnings(), np.errstate(invalid="ignore"):
        warnings.simplefilter("ignore", DegenerateDataWarning)  # the result is None
        found = bootstrap(
            (sample,),
            statistic,
            n_resamples=RESAMPLES,
            confidence_level=CONFIDENCE,
            method="BCa",
            rng=np.random.default_rng(0),
        ).confidence_interval
    low, high = float(found.low), float(found.high)
    return Interval(low, high) if math.isfinite(low) and math.isfinite(high) else None


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index: 1 if all shares are equal, 1/n if one flow takes everything, nan if all are 0.

    Source: Yun 2009, (5). Compute the index of each replication, and then the mean. The index of mean
    goodputs would be too large, because flows that starve in turn appear fair on average.
    """
    sample = _sample(shares)
    squares = float((sample**2).sum())
    return float(sample.sum()) ** 2 / (len(sample) * squares) if squares else math.nan


def doubts(cells: Collection[Sequence[Hashable]]) -> list[str]:
    """List warnings about unreliable intervals: few replications, or equal outcomes.

    Each cell has the outcomes of all replications at one setting, as numbers, tuples or fingerprints.
    """
    found = []
    least = min((len(cell) for cell in cells if cell), default=0)
    if 0 < least < FEW_REPS:
        few = [cell for cell in cells if 0 < len(cell) < FEW_REPS]
        where = "" if len(few) == len(cells) else f" at {len(few)} of {len(cells)} points"
        found.append(
            f"{replications(least)}{where}: too few for an interval; use at least {FEW_REPS}, better 10"
        )
    same = [cell for cell in cells if len(cell) > 1 and len(set(cell)) == 1]
    if same and len(same) == len(cells):
        found.append(
            "all replications are identical: nothing in this scenario is random, so one replication is enough"
        )
    elif same:
        found.append(
            f"at {len(same)} of {len(cells)} points all replications are identical: nothing is random at "
            "these points"
        )
    return found


def vague(found: Mapping[str, Estimate | Ratio]) -> list[str]:
    """Return a warning that names the estimates with too wide an interval."""
    names = [name for name, estimate in found.items() if estimate.vague]
    if not names:
        return []
    more = len(names) - SHOWN
    told = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    return [f"half-width above the mean: {told}; run more replications"]


def replications(count: int) -> str:
    """Format a number of replications: `1 replication`, `2 replications`."""
    return f"{count} replication{'' if count == 1 else 's'}"


def _sample(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    import numpy as np

    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not len(sample):
        raise ValueError("a sample of at least one number is needed")
    return sample


def _at_confidence(half_width: float | None, n: int, confidence: float) -> float | None:
    """Return the half-width of a t interval over `n` replications at another confidence; None stays None."""
    return half_width and half_width * (t_quantile(n - 1, confidence) / t_quantile(n - 1))


def _pair(a: Sequence[float], b: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = _sample(a), _sample(b)
    if len(x) != len(y):
        raise ValueError(f"paired samples must have the same length, not {len(x)} and {len(y)}")
    return x, y
