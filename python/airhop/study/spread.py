"""Widths of the confidence intervals, shown while a study runs."""

from __future__ import annotations

import math

from airhop.stats import t_quantile


class Spread:
    """Mean and variance of the goodput at every point (Welford 1962, Technometrics 4, 419)."""

    def __init__(self, points: int) -> None:
        self._n = [0] * points
        self._mean = [0.0] * points
        self._squares = [0.0] * points

    def add(self, point: int, value: float) -> None:
        """Add the goodput of a replication."""
        self._n[point] += 1
        off = value - self._mean[point]
        self._mean[point] += off / self._n[point]
        self._squares[point] += off * (value - self._mean[point])

    def widest(self) -> float | None:
        """Return the largest half-width of any point, in per cent of the point's mean.

        None until a point has two replications.
        """
        found = None
        quantiles = {n: t_quantile(n - 1) for n in set(self._n) if n > 1}
        for n, mean, squares in zip(self._n, self._mean, self._squares, strict=True):
            if n > 1 and mean:
                half_width = quantiles[n] * math.sqrt(squares / (n - 1) / n)
                found = max(found or 0.0, 100.0 * half_width / abs(mean))
        return found
