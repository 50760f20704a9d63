"""Running the grid of an experiment: which replications each cell needs, and their run documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from airhop.experiments.experiment import Experiment, Mode
from airhop.experiments.samples import Samples
from airhop.progress import Reporter
from airhop.results import Result
from airhop.scenario import SCHEME, Scenario
from airhop.simulate import Job, run_many

Run = tuple[str, float, int]
"""(scheme, x, replication)."""


class Grid:
    """The scenarios of an experiment, one per cell, and the runs made of them."""

    def __init__(self, experiment: Experiment, mode: Mode, seed: int) -> None:
        """Load and check every scenario of the grid."""
        self.experiment = experiment
        self.seed = seed
        self.samples = Samples(experiment.metric.name)
        self.xs = experiment.axis.grid(mode)
        base = Scenario.load(experiment.scenario).with_(dict(experiment.settings))
        self.scenarios: dict[tuple[str, float], Scenario] = {
            (scheme, x): base.with_({experiment.axis.path: x, SCHEME: scheme})
            for x in self.xs
            for scheme in experiment.schemes
        }

    def measure(self, mode: Mode, progress: Reporter) -> Samples:
        """Run all replications this mode asks for. What finished before an interrupt stays in `samples`."""
        plan = self.experiment.replications
        if mode == "default":
            self._until_narrow(progress)
        else:
            self._run(
                self._replications(self.xs, range(plan.quick if mode == "quick" else plan.full)), progress
            )
        return self.samples

    def _until_narrow(self, progress: Reporter) -> None:
        """Run batches at every x until all its intervals are narrow; schemes stay paired."""
        plan = self.experiment.replications
        wide, reps = self.xs, 0
        while wide and reps < plan.most:
            batch = range(reps, min(reps + plan.batch, plan.most))
            self._run(self._replications(wide, batch), progress)
            reps = batch.stop
            wide = tuple(x for x in wide if self._widest(x) >= plan.half_width)

    def _widest(self, x: float) -> float:
        """Find the widest relative 95 % half-width of any scheme at this x."""
        widths = [self.samples.estimate(scheme, x).relative for scheme in self.experiment.schemes]
        return max(math.inf if width is None else width for width in widths)

    def _replications(self, xs: Iterable[float], reps: range) -> Iterator[Run]:
        # Replication outermost: after an interrupt the finished runs are spread over the whole grid.
        return ((scheme, x, rep) for rep in reps for x in xs for scheme in self.experiment.schemes)

    def _run(self, runs: Iterable[Run], progress: Reporter) -> None:
        """Run on all cores, recording each as it finishes."""
        batch = list(runs)
        with progress.task(self.experiment.id, len(batch)) as task:

            def record(index: int, result: Result) -> None:
                self.samples.add(*batch[index], result.document)
                task.advance()

            run_many(
                [Job(self.scenarios[scheme, x], self.seed, rep) for scheme, x, rep in batch], on_done=record
            )
