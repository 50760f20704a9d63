"""Reproduction of experiments: runs, checks of claims, figures, reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airhop.experiments.calculation import DOCUMENT, Calculated, Calculation
from airhop.experiments.experiment import Experiment, Mode
from airhop.experiments.outcome import Outcome
from airhop.experiments.reading import MARK, otherwise
from airhop.experiments.reproduced import Reproduced
from airhop.progress import SILENT, Reporter
from airhop.reproduction.files import is_current, write_document, write_outcome
from airhop.reproduction.writer import Writer

if TYPE_CHECKING:
    from airhop.engines import Engine
    from airhop.store import Store
    from airhop.study import Study, Table


def reproduce(
    experiments: Sequence[Experiment | Calculation],
    mode: Mode = "default",
    out: str | Path = "airhop-out",
    reporter: Reporter = SILENT,
    *,
    readings: bool = False,
    seed: int = 1,
    engine: str = "local",
    workers: int | None = None,
) -> Iterator[Reproduced]:
    """Run experiments and calculations in order, write their files below `out`, and yield the outcomes.

    An outcome is yielded once its files are complete. The next experiment may then already be running. With
    `readings`, each claim is checked under every reading of its paper. A reading is one interpretation.

    All experiments share one store in `out`. After Ctrl-C, a second call simulates only the missing runs. A
    claim that does not hold is a result and not an error.
    """
    from airhop.engines import open_engine
    from airhop.store import Store

    out = Path(out)
    with open_engine(engine, workers) as pool, Store.open(out) as store, Writer[Reproduced]() as writer:
        work = _Work(mode, seed, out, store, pool, reporter)
        for experiment in experiments:
            try:
                others = otherwise(experiment) if readings else []
                if others:
                    work.simulate([experiment, *(one for _, one in others)])
                outcome = work.judge(experiment)
                if readings:
                    outcome.read_otherwise([(reading, work.judge(one)) for reading, one in others])
                writer.submit(partial(write_outcome, outcome, out / experiment.id))
                yield from writer.done() if experiment is not experiments[-1] else writer.rest()
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    f"interrupted in {experiment.id}; the finished runs are kept in {out}; the same command "
                    "computes the missing runs"
                ) from None


@dataclass(frozen=True)
class _Work:
    """Common settings of all experiments of a call."""

    mode: Mode
    seed: int
    out: Path
    store: Store
    engine: Engine
    reporter: Reporter
    ahead: set[str] = field(default_factory=set)
    """Ids of runs that `simulate` has computed, and that no experiment counts yet."""

    def simulate(self, experiments: Sequence[Experiment | Calculation]) -> None:
        """Simulate the missing runs of experiments at once, so that no worker waits between experiments."""
        from airhop.study.together import run_together

        simulated = [one for one in experiments if isinstance(one, Experiment)]
        ahead = run_together(
            f"{experiments[0].id} and its readings",
            [study for one in simulated for study in self._studies(one)],
            store=self.store,
            engine=self.engine,
            reporter=self.reporter,
        )
        self.ahead.update(ahead)

    def judge(self, experiment: Experiment | Calculation) -> Reproduced:
        if isinstance(experiment, Calculation):
            return self._calculate(experiment)
        return self._measure(experiment)

    def _calculate(self, calculation: Calculation) -> Calculated:
        folder = self.out / calculation.id
        if is_current(calculation, folder, self.mode, self.seed):
            self.reporter.say(f"{calculation.id}: reused")
            return Calculated.read(calculation, folder / DOCUMENT)
        outcome = Calculated.of(calculation, self.mode, self.seed, self.reporter)
        if MARK in calculation.id:
            write_document(outcome, folder)
        return outcome

    def _measure(self, experiment: Experiment) -> Outcome:
        from airhop.study.manifest import save_manifest

        studies = self._studies(experiment)
        save_manifest(studies[0], self.out)
        tables = [self._table(study) for study in studies]
        computed, reused = sum(table.computed for table in tables), sum(table.reused for table in tables)
        self.reporter.say(f"{experiment.id}: computed {computed}, reused {reused}")
        return Outcome.of(experiment, self.mode, self.seed, *tables)

    def _studies(self, experiment: Experiment) -> list[Study]:
        """Return the study of an experiment, and that of its companion."""
        beside = [experiment.beside] if experiment.beside else []
        return [one.study(self.mode, self.seed) for one in (experiment, *beside)]

    def _table(self, study: Study) -> Table:
        """Return the table of a study. Runs that were simulated ahead count as computed once."""
        from airhop.study import run_study

        table = run_study(study, store=self.store, engine=self.engine, reporter=self.reporter)
        if self.ahead:
            ahead = self.ahead.intersection(run_id for *_, run_id in study.runs())
            self.ahead.difference_update(ahead)
            table.computed += len(ahead)
            table.reused -= len(ahead)
        return table
