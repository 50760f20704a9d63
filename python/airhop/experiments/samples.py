"""What an experiment measured, as its claims see it: one number a run, by scheme, x and replication."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from airhop import stats
from airhop.stats import Difference, Estimate, Ratio

if TYPE_CHECKING:
    from airhop.experiments.experiment import Experiment, Mode
    from airhop.study import Table


@dataclass
class Samples:
    """One metric of an experiment's runs. Schemes are paired: replication r of each met the same channel."""

    metric: str
    cells: dict[tuple[str, float], dict[int, float]] = field(default_factory=dict)
    """By (scheme, x): the metric of each replication."""
    beside: Samples | None = None
    """Those of the experiment beside this one."""

    @classmethod
    def of(cls, experiment: Experiment, mode: Mode, table: Table) -> Samples:
        """Take the experiment's metric from the rows of its study."""
        metric = experiment.metric.name
        grid = product(experiment.axis.grid(mode), experiment.schemes)
        return cls(
            metric,
            {
                (scheme, x): table.values(point, metric)
                for point, (x, scheme) in zip(table.study.points(), grid, strict=True)
            },
        )

    @property
    def xs(self) -> list[float]:
        """Values of the axis, ascending."""
        return sorted({x for _, x in self.cells})

    @property
    def reps(self) -> int:
        """The smallest number of replications of any cell."""
        return min((len(cell) for cell in self.cells.values()), default=0)

    def values(self, scheme: str, x: float) -> list[float]:
        """Give the metric of each replication, in order of replication."""
        cell = self.cells[scheme, x]
        return [cell[rep] for rep in sorted(cell)]

    def estimate(self, scheme: str, x: float) -> Estimate:
        """Estimate a cell."""
        return stats.estimate(self.values(scheme, x))

    def ratio(self, scheme: str, other: str, x: float) -> Ratio:
        """Compare two schemes at one x, paired."""
        return stats.ratio(*self.paired((scheme, x), (other, x)))

    def difference(self, scheme: str, other: str, x: float) -> Difference:
        """Give what scheme has more than other at one x, paired."""
        return stats.difference(*self.paired((scheme, x), (other, x)))

    def ratio_to_beside(self, scheme: str, x: float) -> Ratio:
        """Compare a scheme with itself in the experiment beside this one, paired by replication."""
        here, there = self.cells[scheme, x], self.beside.cells[scheme, x] if self.beside else {}
        common = sorted(set(here) & set(there))
        return stats.ratio([here[rep] for rep in common], [there[rep] for rep in common])

    def paired(self, *cells: tuple[str, float]) -> list[list[float]]:
        """Give the metric of several cells, restricted to the replications that all of them have."""
        common = sorted(set.intersection(*(set(self.cells[cell]) for cell in cells)))
        return [[self.cells[cell][rep] for rep in common] for cell in cells]
