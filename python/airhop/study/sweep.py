"""Execution of a study: runs in the store are reused, and missing runs are simulated."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from airhop.analysis.measures import GOODPUT
from airhop.boundary.arguments import checked
from airhop.engines import Engine, Shard, open_engine
from airhop.errors import RunError
from airhop.progress import SILENT, Reporter, Task
from airhop.scenario import Scenario
from airhop.simulate import Interrupted, Job
from airhop.study.axis import Axis, flattened
from airhop.study.manifest import save_manifest
from airhop.study.measure import per_run
from airhop.study.metric import measured, with_flows
from airhop.study.spread import Spread
from airhop.study.study import Point, Study, run_command
from airhop.study.table import Table
from airhop.study.until import Until

if TYPE_CHECKING:
    from airhop.store import MemoryStore, Store

ROUND = 50_000
"""Maximum number of runs passed to an engine at once. Limits memory, but the engine idles briefly between
batches.
"""

Key = tuple[Point, int]
"""Point and replication."""


class InterruptedSweep(Interrupted):
    """Interruption by Ctrl-C; `table` contains the finished runs, and `results` is empty."""

    def __init__(self, table: Table) -> None:
        super().__init__({}, 0)
        self.args = (
            f"interrupted: {table.computed:,} runs computed, {table.reused:,} reused; they are kept",
        )
        self.table = table


@checked
def sweep(
    scenario: Scenario | str | Path,
    vary: Mapping[str, Iterable[object] | Mapping[str, object]],
    *,
    zip: Sequence[Mapping[str, Iterable[object] | Mapping[str, object]]] = (),  # noqa: A002 - as in study files
    reps: int = 10,
    until: Until | Mapping[str, object] | None = None,
    seed: int = 1,
    name: str | None = None,
    out: str | Path | None = None,
    engine: str | Engine = "local",
    threads: int | None = None,
    baseline: str | None = None,
    reporter: Reporter = SILENT,
) -> Table:
    """Simulate a scenario over a grid of values, `reps` times each, and return the table of all runs.

    Parameters
    ----------
    scenario
        A scenario, or an argument of `Scenario.load`.
    vary
        Values by path, as a list or as a range such as {"log": [1e-4, 1e-1], "points": 7}. Every combination
        is simulated. Quantities are text with a unit. The path "scheme" sets the scheme of every TCP flow.
    zip
        Further dimensions of the grid. The paths within each table vary together.
    reps
        Replications of every point. Replication k of every scheme has the same channel errors.
    until
        Stopping rule instead of `reps`, such as {"half_width": "2 %", "of": "goodput_mbps", "max": 200}:
        replicate until the metric's interval is narrow enough, but at most `max` times.
    seed
        Seed of every random stream.
    name
        Name of the study; by default the name of the scenario.
    out
        Folder of the store. Finished runs there are reused, and new runs are added. None keeps the runs in
        memory.
    engine
        "local", "dask://HOST:PORT", or an `Engine`.
    threads
        Threads of the local engine; by default one per core.
    baseline
        Scheme with which all others are compared; by default the first.
    reporter
        Receives the progress.

    Returns
    -------
    Table
        All runs; methods of the table return means, intervals and paired differences.

    Raises
    ------
    InputError
        When the study is invalid.
    RunError
        When a run fails.
    InterruptedSweep
        On Ctrl-C; contains the finished runs.
    """
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    axes = [Axis.of(path, values) for path, values in flattened(vary).items()]
    axes += [Axis.zipped(flattened(table), f"zip[{place}]") for place, table in enumerate(zip)]
    if until is not None and not isinstance(until, Until):
        until = Until.read(until)
    study = Study(name or base.name, base, tuple(axes), until or reps, seed, baseline)
    return run_in(study, out, engine=engine, threads=threads, reporter=reporter)


def run_in(
    study: Study,
    out: str | Path | None,
    *,
    engine: str | Engine = "local",
    threads: int | None = None,
    shard: Shard | None = None,
    reporter: Reporter = SILENT,
) -> Table:
    """Run a study.

    Rows and manifest are written to a folder, or the rows stay in memory.

    Parameters
    ----------
    study
        Study to run.
    out
        Folder of the store, created if missing. Existing rows are reused. None keeps the rows in memory.
    engine
        "local", "dask://HOST:PORT", or an engine.
    threads
        Threads of the local engine; by default one per core.
    shard
        Simulate only this part of the study.
    reporter
        Receives the progress.

    Returns
    -------
    Table
        The finished runs of the study.

    Raises
    ------
    InputError
        When the folder cannot contain a store.
    RunError
        When a run fails.
    InterruptedSweep
        On Ctrl-C; contains the finished runs.
    """
    from airhop.store import MemoryStore, Store

    with ExitStack() as stack:
        opened = stack.enter_context(
            open_engine(engine, threads) if isinstance(engine, str) else nullcontext(engine)
        )
        store: Store | MemoryStore
        if out is None:
            store = MemoryStore()
        else:
            store = stack.enter_context(
                Store.open(Path(out), None if shard is None else f"{shard.index}-of-{shard.count}")
            )
            save_manifest(study, out)
        return run_study(study, store=store, engine=opened, reporter=reporter, shard=shard)


def run_study(
    study: Study,
    *,
    store: Store | MemoryStore,
    engine: Engine,
    reporter: Reporter = SILENT,
    shard: Shard | None = None,
) -> Table:
    """Complete a study: reuse rows of the store, and simulate the missing runs.

    All points finish a replication before the next one begins. An interrupted study then has complete pairs.

    Parameters
    ----------
    study
        Study to run.
    store
        Store of the rows. Finished runs survive an error or interruption.
    engine
        Engine of the runs.
    reporter
        Receives the progress.
    shard
        Part of the study to simulate: some of the settings with `until`, otherwise some replications of every
        setting.

    Returns
    -------
    Table
        The finished runs of the study.

    Raises
    ------
    RunError
        When a run fails.
    InterruptedSweep
        On Ctrl-C; contains the finished runs.
    """
    running = _Running(study, store, engine, shard)
    with reporter.task(study.name, running.total, running.status) as task:
        try:
            for keys in running.rounds():
                running.simulate(keys, task)
        except KeyboardInterrupt:
            raise InterruptedSweep(running.table()) from None
        finally:
            store.save()
    return running.table()


class _Running:
    """State of a running study."""

    def __init__(self, study: Study, store: Store | MemoryStore, engine: Engine, shard: Shard | None) -> None:
        self._study = study
        self._store = store
        self._engine = engine
        self._shard = shard
        self._spread = Spread(len(study.points()))
        self._unmeasured: list[Key] = []
        """Reused runs that are not yet part of `_spread`. The spread is only updated while runs are
        simulated.
        """
        self._computed = 0
        self._reused = 0

    @property
    def total(self) -> int:
        """Number of runs; 0 if a stopping rule decides on the number."""
        rule = self._study.reps
        if isinstance(rule, Until):
            return 0
        if self._shard is None:
            return len(self._study.points()) * rule
        return sum(len(keys) for keys in self._fixed(rule))

    def table(self) -> Table:
        """Return the table of the runs finished so far."""
        rows = self._store.rows(run_id for *_, run_id in self._study.runs())
        return Table(self._study, rows, computed=self._computed, reused=self._reused)

    def status(self) -> str:
        """Return a text with the widest interval so far, and the number of workers."""
        widest = self._spread.widest()
        workers = f"{self._engine.workers} worker{'' if self._engine.workers == 1 else 's'}"
        return workers if widest is None else f"widest interval ± {widest:.2g} %, {workers}"

    def rounds(self) -> Iterator[list[Key]]:
        """Yield lists of runs.

        Each list must be completed before the next is requested.
        """
        rule = self._study.reps
        return self._rounds_until(rule) if isinstance(rule, Until) else self._fixed(rule)

    def simulate(self, keys: Sequence[Key], task: Task) -> None:
        """Add these runs to the table: reuse stored runs, and simulate the others."""
        known = self._store.known()
        jobs = [Job(point.scenario, self._study.seed, rep) for point, rep in keys]
        is_there = [job.run_id in known for job in jobs]
        todo = [job for job, there in zip(jobs, is_there, strict=True) if not there]
        points = [point for (point, _), there in zip(keys, is_there, strict=True) if not there]
        task.total = max(task.total, self._computed + self._reused + len(keys))
        self._reuse([key for key, there in zip(keys, is_there, strict=True) if there], task)

        def take(index: int, document: str) -> None:
            self._store.add(todo[index], document, points[index].values)
            self._computed += 1
            self._spread.add(points[index].index, _goodput(document))
            task.advance()

        if todo:
            self._measure_reused()
            try:
                self._engine.run(todo, take)
            except RunError as error:
                if error.job is not None:
                    told = run_command(self._study, points[error.job], todo[error.job].rep)
                    error.args = (f"{error}\n\nTo repeat only that run: {told}",)
                raise

    def _reuse(self, keys: Sequence[Key], task: Task) -> None:
        self._reused += len(keys)
        task.reuse(len(keys))
        self._unmeasured += keys

    def _measure_reused(self) -> None:
        for (point, _), value in zip(
            self._unmeasured, self._measured(self._unmeasured, GOODPUT), strict=True
        ):
            self._spread.add(point.index, value)
        self._unmeasured = []

    def _fixed(self, reps: int) -> Iterator[list[Key]]:
        settings = self._study.settings
        step = max(1, ROUND // len(self._study.points()))
        for first in range(0, reps, step):
            yield [
                (point, rep)
                for rep in range(first, min(first + step, reps))
                for place, setting in enumerate(settings)
                if self._is_in_shard(rep * len(settings) + place)
                for point in setting
            ]

    def _rounds_until(self, rule: Until) -> Iterator[list[Key]]:
        settings = [setting for place, setting in enumerate(self._study.settings) if self._is_in_shard(place)]
        samples: dict[int, dict[int, float]] = {point.index: {} for point in self._study.points()}
        first = 0
        for count in rule.checkpoints():
            if not settings:
                return
            keys = [(point, rep) for rep in range(first, count) for setting in settings for point in setting]
            yield keys
            for (point, rep), value in zip(keys, self._measured(keys, rule.of), strict=True):
                samples[point.index][rep] = value
            settings = [s for s in settings if rule.count([samples[point.index] for point in s]) is None]
            first = count

    def _is_in_shard(self, key: int) -> bool:
        return self._shard is None or self._shard.owns(key)

    def _measured(self, keys: Sequence[Key], metric: str) -> list[float]:
        """Return the metric of finished runs."""
        if not keys:
            return []
        run_ids = [Job(point.scenario, self._study.seed, rep).run_id for point, rep in keys]
        rows = self._store.rows(run_ids)
        runs = with_flows(per_run(rows), rows, metric)
        values = dict(zip(runs["run_id"], measured(runs, metric), strict=True))
        return [values[run_id] for run_id in run_ids]


def _goodput(document: str) -> float:
    flows = json.loads(document)["flows"]
    return float(sum(flow[GOODPUT] for flow in flows if flow["transport"] == "tcp"))
