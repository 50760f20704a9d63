"""Measurements of an experiment, to check its claims: one number per run, by curve, x and replication."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from airhop import stats
from airhop.stats import Difference, Estimate, Ratio

if TYPE_CHECKING:
    from airhop.experiments.experiment import Experiment, Mode, X
    from airhop.study import Table


@dataclass
class Samples:
    """Values of a metric in an experiment's runs.

    Replication r has the same channel errors for all curves.
    """

    metric: str
    cells: dict[tuple[str, X], dict[int, float]] = field(default_factory=dict)
    """Values by (curve, x) and replication."""
    beside: Samples | None = None
    """Samples of the companion: an experiment on the same axis with which claims compare this experiment."""
    also: dict[str, Samples] = field(default_factory=dict)
    """Samples of additional metrics of the same runs, by metric name."""

    @classmethod
    def of(cls, experiment: Experiment, mode: Mode, table: Table) -> Samples:
        """Read an experiment's metrics from the rows of a study."""
        found = cls._of(experiment.metric.name, experiment, mode, table)
        found.also = {
            metric.name: cls._of(metric.name, experiment, mode, table) for metric in experiment.also
        }
        return found

    @classmethod
    def _of(cls, metric: str, experiment: Experiment, mode: Mode, table: Table) -> Samples:
        grid = list(product(experiment.axis.grid(mode), experiment.labels))
        values = table.samples(metric)
        return cls(metric, {(curve, x): values.get(i, {}) for i, (x, curve) in enumerate(grid)})

    def put_beside(self, beside: Samples) -> None:
        """Set the samples of the companion, an experiment with which claims compare this experiment."""
        self.beside = beside
        for name, one in self.also.items():
            one.beside = beside.also.get(name)

    @property
    def xs(self) -> list[X]:
        """Values of the axis: numbers ascending, words in the order of the grid."""
        found = list(dict.fromkeys(x for _, x in self.cells))
        return found if any(isinstance(x, str) for x in found) else sorted(found)

    def from_x(self, least: float) -> list[X]:
        """Return the values of the axis from `least` up; all values if the axis has words."""
        return [x for x in self.xs if isinstance(x, str) or x >= least]

    @property
    def reps(self) -> int:
        """Smallest number of replications of any scheme at any x."""
        return min((len(cell) for cell in self.cells.values()), default=0)

    def values(self, scheme: str, x: X) -> list[float]:
        """Return the metric of each replication, in order of replication."""
        cell = self.cells[scheme, x]
        return [cell[rep] for rep in sorted(cell)]

    def estimate(self, scheme: str, x: X) -> Estimate:
        """Return the mean of a scheme at one x, with its interval."""
        return stats.estimate(self.values(scheme, x))

    def ratio(self, scheme: str, other: str, x: X) -> Ratio:
        """Return the ratio of two schemes at one x, over paired replications."""
        return stats.ratio(*self.paired((scheme, x), (other, x)))

    def difference(self, scheme: str, other: str, x: X) -> Difference:
        """Return the difference of two schemes at one x, over paired replications."""
        return stats.difference(*self.paired((scheme, x), (other, x)))

    def ratio_to_beside(self, scheme: str, x: X) -> Ratio:
        """Return the ratio of a scheme's value here to that in the companion, over paired replications."""
        here, there = self.cells[scheme, x], self.beside.cells[scheme, x] if self.beside else {}
        common = sorted(set(here) & set(there))
        return stats.ratio([here[rep] for rep in common], [there[rep] for rep in common])

    def paired(self, *cells: tuple[str, X]) -> list[list[float]]:
        """Return the values of each cell (scheme, x), in the replications that all of these cells have."""
        common = sorted(set.intersection(*(set(self.cells[cell]) for cell in cells)))
        return [[self.cells[cell][rep] for rep in common] for cell in cells]
