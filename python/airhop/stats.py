"""Means and ratios with the intervals they deserve: 95 %, Student's t, replications as the sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over `n` replications; `half_width` of its interval is None for a single one."""

    mean: float
    half_width: float | None
    n: int

    @property
    def relative(self) -> float | None:
        """The half-width as a share of the mean: what a stopping rule compares."""
        if self.half_width is None or self.mean == 0.0:
            return None
        return self.half_width / abs(self.mean)


@dataclass(frozen=True)
class Ratio:
    """A ratio of two means; `low` and `high` are None when the data leave it unbounded or n < 2."""

    value: float
    low: float | None
    high: float | None
    n: int

    def excludes(self, value: float) -> bool:
        """Tell whether the interval is known and does not hold `value`."""
        return self.low is not None and self.high is not None and not self.low <= value <= self.high


def t_quantile(degrees: int) -> float:
    """Two-sided quantile of Student's t at the confidence of this module."""
    from scipy.special import stdtrit  # scipy.stats would say the same after a second of imports

    return float(stdtrit(degrees, 0.5 + CONFIDENCE / 2))


def estimate(values: Sequence[float] | NDArray[np.float64]) -> Estimate:
    """Mean of independent replications and the half-width of its t interval."""
    sample = _sample(values)
    n = len(sample)
    if n < 2:
        return Estimate(float(sample.mean()), None, n)
    return Estimate(float(sample.mean()), t_quantile(n - 1) * float(sample.std(ddof=1)) / math.sqrt(n), n)


def difference(a: Sequence[float], b: Sequence[float]) -> Estimate:
    """Mean of a - b over pairs that met the same channel, which takes the channel's own variance out."""
    x, y = _pair(a, b)
    return estimate(x - y)


def ratio(a: Sequence[float], b: Sequence[float]) -> Ratio:
    """Ratio of the means of a and b over pairs, with Fieller's interval.

    Fieller (1954) and not a t interval of log ratios: it belongs to the ratio of the two means that stand in
    the table (papers say "400 % of Reno" of means), and a replication in which a flow starved is no obstacle.
    The interval has no end when the mean of `b` cannot be told from zero; then there is none.
    """
    x, y = _pair(a, b)
    n = len(x)
    mean_x, mean_y = float(x.mean()), float(y.mean())
    if mean_y == 0.0:
        return Ratio(math.nan, None, None, n)
    value = mean_x / mean_y
    if n < 2:
        return Ratio(value, None, None, n)
    t2 = t_quantile(n - 1) ** 2
    covariance = np.cov(x, y) / n
    # All r with (mean_x - r mean_y)^2 <= t^2 var(mean_x - r mean_y): a quadratic A r^2 - 2 B r + C <= 0.
    a2 = mean_y**2 - t2 * float(covariance[1, 1])
    b1 = mean_x * mean_y - t2 * float(covariance[0, 1])
    c0 = mean_x**2 - t2 * float(covariance[0, 0])
    if a2 <= 0.0:
        return Ratio(value, None, None, n)
    root = math.sqrt(max(b1**2 - a2 * c0, 0.0))
    return Ratio(value, (b1 - root) / a2, (b1 + root) / a2, n)


def jain(shares: Sequence[float]) -> float:
    """Jain's fairness index: 1 when all shares are equal, 1/n when one takes everything, nan without any."""
    sample = _sample(shares)
    squares = float((sample**2).sum())
    return float(sample.sum()) ** 2 / (len(sample) * squares) if squares else math.nan


def _sample(values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or not len(sample):
        raise ValueError("a sample of at least one number is needed")
    return sample


def _pair(a: Sequence[float], b: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = _sample(a), _sample(b)
    if len(x) != len(y):
        raise ValueError(f"paired samples must have the same length, not {len(x)} and {len(y)}")
    return x, y
