"""Reproducing experiments: make the rows exist, judge, draw, report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airhop.experiments.calculation import Calculated, Calculation
from airhop.experiments.experiment import Experiment, Mode
from airhop.experiments.outcome import Outcome
from airhop.experiments.reproduced import Reproduced
from airhop.files import filling
from airhop.progress import SILENT, Reporter
from airhop.reproduction.files import write_outcome
from airhop.reproduction.writer import Writer

if TYPE_CHECKING:
    from airhop.engines import Engine
    from airhop.store import Store


def reproduce(
    experiments: Sequence[Experiment | Calculation],
    mode: Mode = "default",
    out: str | Path = "airhop-out",
    reporter: Reporter = SILENT,
    *,
    seed: int = 1,
    engine: str = "local",
    workers: int | None = None,
) -> Iterator[Reproduced]:
    """Do experiments and calculations one after the other, and write each one's files below `out`.

    An outcome is given once its files are there, which may be when the next one has been computed.

    Experiments run as studies on the store of `out` and share it: what an earlier one, or an earlier call,
    has computed is reused. A claim that fails is a result, not an error. Ctrl-C keeps the runs that had
    finished; the same call goes on from there.
    """
    from airhop.engines import open_engine
    from airhop.store import Store

    out = Path(out)
    with open_engine(engine, workers) as pool, Store.open(out) as store, Writer[Reproduced]() as writer:
        for experiment in experiments:
            try:
                outcome = _judge(experiment, mode, seed, out, store, pool, reporter)
                writer.submit(partial(_write, outcome, out / experiment.id))
                yield from writer.done() if experiment is not experiments[-1] else writer.rest()
            except KeyboardInterrupt:
                raise KeyboardInterrupt(
                    f"interrupted in {experiment.id}; what had finished is kept in {out}, "
                    "and the same command goes on from there"
                ) from None


def _judge(
    experiment: Experiment | Calculation,
    mode: Mode,
    seed: int,
    out: Path,
    store: Store,
    engine: Engine,
    reporter: Reporter,
) -> Reproduced:
    if isinstance(experiment, Calculation):
        return Calculated.of(experiment, mode, seed, reporter)
    return _measure(experiment, mode, seed, out, store, engine, reporter)


def _write(outcome: Reproduced, folder: Path) -> Reproduced:
    with filling(folder) as hidden:
        written = write_outcome(outcome, hidden)
    outcome.files = [folder / path.name for path in written]
    return outcome


def _measure(
    experiment: Experiment,
    mode: Mode,
    seed: int,
    out: Path,
    store: Store,
    engine: Engine,
    reporter: Reporter,
) -> Outcome:
    from airhop.study import run_study
    from airhop.study.manifest import save_manifest

    study = experiment.study(mode, seed)
    save_manifest(study, out)
    studies = [study, experiment.beside.study(mode, seed)] if experiment.beside else [study]
    tables = [run_study(one, store=store, engine=engine, reporter=reporter) for one in studies]
    computed, reused = sum(table.computed for table in tables), sum(table.reused for table in tables)
    reporter.say(f"{experiment.id}: computed {computed}, reused {reused}")
    return Outcome.of(experiment, mode, seed, *tables)
