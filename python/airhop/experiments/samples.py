"""The measurements of an experiment: run documents by scheme, x and replication."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from airhop import stats
from airhop.stats import Estimate, Ratio

RunDocument = dict[str, Any]
"""One run as `airhop run --json` prints it."""


@dataclass
class Samples:
    """Run documents of one experiment. Schemes are paired: replication r of each met the same channel."""

    metric: str
    runs: dict[tuple[str, float], dict[int, RunDocument]] = field(default_factory=dict)

    def add(self, scheme: str, x: float, rep: int, run: RunDocument) -> None:
        """Record one finished run."""
        self.runs.setdefault((scheme, x), {})[rep] = run

    @property
    def schemes(self) -> list[str]:
        """Schemes measured, in order of first appearance."""
        return list(dict.fromkeys(scheme for scheme, _ in self.runs))

    @property
    def xs(self) -> list[float]:
        """Values of the axis, ascending."""
        return sorted({x for _, x in self.runs})

    @property
    def reps(self) -> int:
        """The smallest number of replications of any cell."""
        return min((len(runs) for runs in self.runs.values()), default=0)

    def values(self, scheme: str, x: float) -> list[float]:
        """Give the metric of each replication, summed over TCP flows, in order of replication."""
        cell = self.runs[scheme, x]
        return [total(cell[rep], self.metric) for rep in sorted(cell)]

    def estimate(self, scheme: str, x: float) -> Estimate:
        """Estimate a cell."""
        return stats.estimate(self.values(scheme, x))

    def ratio(self, scheme: str, other: str, x: float) -> Ratio:
        """Compare two schemes at one x, paired."""
        return stats.ratio(*self.paired((scheme, x), (other, x)))

    def paired(self, *cells: tuple[str, float]) -> list[list[float]]:
        """Give the metric of several cells, restricted to the replications that all of them have."""
        common = sorted(set.intersection(*(set(self.runs[cell]) for cell in cells)))
        return [[total(self.runs[cell][rep], self.metric) for rep in common] for cell in cells]

    def documents(self) -> Iterator[tuple[str, float, int, RunDocument]]:
        """Yield every run as (scheme, x, rep, document)."""
        for (scheme, x), cell in self.runs.items():
            for rep in sorted(cell):
                yield scheme, x, rep, cell[rep]


def total(run: RunDocument, metric: str) -> float:
    """Sum a flow metric over the TCP flows of a run."""
    return float(sum(flow[metric] for flow in run["flows"] if flow["transport"] == "tcp"))
