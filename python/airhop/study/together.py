"""Simulation of the missing runs of several studies at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from airhop.engines import Engine
from airhop.errors import RunError
from airhop.progress import Reporter
from airhop.simulate import Job
from airhop.study.study import Point, Study, run_command
from airhop.study.sweep import ROUND
from airhop.study.until import Until

if TYPE_CHECKING:
    from airhop.store import MemoryStore, Store


def run_together(
    label: str,
    studies: Iterable[Study],
    *,
    store: Store | MemoryStore,
    engine: Engine,
    reporter: Reporter,
) -> set[str]:
    """Simulate all runs that the store lacks of studies with a fixed number of replications.

    No worker idles before the last run of the last study begins. Studies with a stopping rule are left out,
    because their number of runs depends on results.

    Parameters
    ----------
    label
        Name of the job for the progress.
    studies
        Studies; a run that two studies share is simulated once.
    store
        Store of the rows. Finished runs survive an error or interruption.
    engine
        Engine of the runs.
    reporter
        Receives the progress.

    Returns
    -------
    set[str]
        Ids of the simulated runs.

    Raises
    ------
    RunError
        When a run fails.
    """
    wanted: dict[str, tuple[Study, Point, Job]] = {}
    for study in studies:
        if not isinstance(study.reps, Until):
            for point, rep, run_id in study.runs():
                if run_id not in store.known():
                    wanted.setdefault(run_id, (study, point, Job(point.scenario, study.seed, rep)))
    missing = list(wanted.values())
    workers = f"{engine.workers} worker{'' if engine.workers == 1 else 's'}"
    with reporter.task(label, len(missing), lambda: workers) as task:
        for first in range(0, len(missing), ROUND):
            batch = missing[first : first + ROUND]

            def take(index: int, document: str, batch: list[tuple[Study, Point, Job]] = batch) -> None:
                _, point, job = batch[index]
                store.add(job, document, point.values)
                task.advance()

            try:
                engine.run([job for _, _, job in batch], take)
            except RunError as error:
                if error.job is not None:
                    study, point, job = batch[error.job]
                    error.args = (
                        f"{error}\n\nTo repeat only that run: {run_command(study, point, job.rep)}",
                    )
                raise
            finally:
                store.save()
    return set(wanted)
