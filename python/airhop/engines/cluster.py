"""Engine on a dask cluster, with tasks of about a second."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pkgutil import resolve_name
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from airhop import _core, plugins
from airhop.added import added
from airhop.engines.chunks import Costs, Plan
from airhop.engines.worker import Finished, run_chunk
from airhop.errors import InputError, RunError, ScenarioError
from airhop.simulate import Job

if TYPE_CHECKING:
    from distributed import Client, Future

CONNECT_S = 10.0
"""Time limit for the answer of a scheduler, in seconds."""
FIRST_WORKER_S = 10.0
"""Time limit for the first worker of a cluster, in seconds. The cluster may just have started."""
PATIENCE_S = 60.0
"""Time limit for a new worker after the loss of all workers, in seconds. A nanny restarts a worker in
seconds.
"""
TASKS_PER_THREAD = 4
"""Maximum number of submitted tasks per thread. The next tasks wait at the worker, so that the worker never
waits for the client. All other runs of the study, perhaps a million, stay at the client and need no memory of
the scheduler.
"""
LOOK_EVERY_S = 1.0
"""Minimum seconds between counts of the workers, and maximum seconds between checks of the cluster."""
FETCH_S = 30.0
"""Time limit for the transfer of a finished result, in seconds. After the limit, the client requests the
result again.
"""
SALVAGE_S = 5.0
"""Time limit for stopping the runs, in seconds."""

_RUNS_ARE_KEPT = "The finished runs are kept; the same command computes the missing runs."


class ClusterError(RunError):
    """Failure of the cluster during the runs; all finished runs have been reported."""


@contextmanager
def connected(place: str) -> Iterator[DaskEngine]:
    """Connect to the scheduler at `place`, HOST:PORT, for the duration of the context.

    Raises InputError if `distributed` is not installed, if the scheduler does not answer, or if there are no
    workers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            f"a dask cluster needs one more package: {sys.executable} -m pip install distributed"
        ) from None
    try:
        client = Client(f"tcp://{place}", timeout=CONNECT_S, set_as_default=False)
    except OSError as error:  # TimeoutError is an OSError
        raise InputError(
            f"no dask scheduler answers at {place} within {CONNECT_S:g} s: is it running, and can this"
            " machine reach it? `dask scheduler` prints its address when it starts"
        ) from error
    with _logger_disabled("distributed.client"), client:
        try:
            client.wait_for_workers(1, timeout=FIRST_WORKER_S)
        except TimeoutError:
            raise InputError(
                f"the dask scheduler at {place} has no workers; start some: dask worker tcp://{place}"
            ) from None
        yield DaskEngine(client, patience_s=PATIENCE_S)


def _check_installed(client: Client) -> None:
    """Raise an error for workers without Airhop; dask itself would only report that workers die."""
    found = client.run(resolve_name, f"{run_chunk.__module__}:{run_chunk.__name__}", on_error="return")
    for worker, what in found.items():
        if isinstance(what, (ImportError, AttributeError)):
            raise InputError(
                f"the worker {worker} cannot import Airhop ({what}): install the same build there"
            )


@contextmanager
def _logger_disabled(logger: str) -> Iterator[None]:
    """Suppress dask's tracebacks on stderr, because the engine reports the error in one sentence."""
    log = logging.getLogger(logger)
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)


class DaskEngine:
    """Engine that computes runs on the cluster of a dask client.

    The workers need the same build of Airhop.

    Workers may join, leave and fail. Dask repeats the tasks of a lost worker on other workers. Without
    workers, the engine waits for `patience_s` seconds. With None, the engine waits for ever, because a batch
    system may take hours to start a worker. The number of submitted tasks depends on the number of workers.
    An adaptive cluster therefore needs a minimum number of workers, or a call of `scale`.
    """

    name = "dask"

    def __init__(self, client: Client, *, patience_s: float | None = None) -> None:
        if client.asynchronous:
            raise InputError("the dask client is asynchronous; make one with Client(…, asynchronous=False)")
        _check_installed(client)
        self._client = client
        self._staff = _Workers(client, patience_s)
        # for all calls of `run`, because successive calls of a study use the same scenarios
        self._costs = Costs()

    @property
    def workers(self) -> int:
        """Number of threads of all workers at the last count."""
        return self._staff.threads

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        """Run all jobs; see Engine.run. Raises ClusterError if the scheduler or all workers are lost.

        Ctrl-C cancels waiting tasks. Running tasks continue to the end, and their results are discarded.
        """
        self._staff.expect()
        _Tasks(self._client, self._staff, self._costs, jobs, on_done).run()


class _Workers:
    """Workers of the cluster."""

    def __init__(self, client: Client, patience_s: float | None) -> None:
        self._client = client
        self._patience_s = patience_s
        self.threads: int = sum(client.nthreads().values())
        self.expect()

    def expect(self) -> None:
        """Restart the time limit for workers."""
        self._counted = self._seen = time.monotonic()

    def count(self) -> int:
        """Count the threads of all workers, at most once in LOOK_EVERY_S.

        Raises ClusterError if the scheduler is lost, or if no worker has existed for the time limit.
        """
        now = time.monotonic()
        if now - self._counted >= LOOK_EVERY_S:
            self._counted = now
            self.threads = self._ask()
            if self.threads:
                self._seen = now
            elif self._patience_s is not None and now - self._seen > self._patience_s:
                raise ClusterError(
                    f"the dask cluster has had no worker for {self._patience_s:g} s. {_RUNS_ARE_KEPT}"
                )
        return self.threads

    def _ask(self) -> int:
        if self._client.status != "running":
            raise _scheduler_lost()
        try:
            threads: int = sum(self._client.nthreads().values())
        except OSError as error:
            raise _scheduler_lost() from error
        return threads


@dataclass
class _Task:
    """Submitted task: jobs, and number of reported jobs."""

    jobs: range
    reported: int = 0


class _Tasks:
    """State of one call of `run`: submitted tasks and results."""

    def __init__(
        self,
        client: Client,
        staff: _Workers,
        costs: Costs,
        jobs: Sequence[Job],
        on_done: Callable[[int, str], None],
    ) -> None:
        self._client = client
        self._staff = staff
        self._costs = costs
        self._jobs = jobs
        self._on_done = on_done
        self._plan = Plan(jobs, costs)
        self._plugins = tuple(plugins.loaded())
        self._out: dict[Future[Finished], _Task] = {}
        # finished tasks, which dask adds in the order of their results' arrival
        self._over: SimpleQueue[Future[Finished]] = SimpleQueue()
        self._refused = False  # true after an exception of `on_done`, which is then never called again

    def run(self) -> None:
        """Submit tasks and receive results until all runs are reported or an error occurs."""
        try:
            while self._send():
                self._receive()
        except BaseException:
            self._report_finished()
            raise
        finally:
            if self._out and self._client.status == "running":
                self._client.cancel(list(self._out))

    def _send(self) -> bool:
        """Submit tasks until the cluster is full; return whether any task is in progress."""
        threads = max(1, self._staff.count())
        while len(self._out) < TASKS_PER_THREAD * threads and (jobs := self._plan.cut(threads)):
            future = self._submit([self._jobs[index] for index in jobs])
            self._out[future] = _Task(jobs)
            future.add_done_callback(self._over.put)
        return bool(self._out)

    def _submit(self, jobs: Sequence[Job]) -> Future[Finished]:
        # Each distinct scenario is sent once.
        distinct = {job.scenario.digest: job.scenario for job in jobs}
        number = {digest: index for index, digest in enumerate(distinct)}
        scenarios = [(digest, scenario.core.json()) for digest, scenario in distinct.items()]
        runs = [(number[job.scenario.digest], job.seed, job.rep) for job in jobs]
        build = _core.build_info()
        return self._client.submit(run_chunk, build, self._plugins, scenarios, runs, pure=False)

    def _receive(self) -> None:
        """Wait for a finished task, at most until the next check of the workers; report the results."""
        try:
            future = self._over.get(timeout=LOOK_EVERY_S)
        except Empty:
            return
        finished = self._fetch(future, FETCH_S)
        if finished is None:
            future.add_done_callback(self._over.put)
        else:
            self._report(future, finished)

    def _fetch(self, future: Future[Finished], timeout_s: float) -> Finished | None:
        """Return the result of a finished task; None if the worker died and dask repeats the task.

        Raises the exception of the task.
        """
        if future.status == "error":
            raise self._failure(future)
        try:
            finished: Finished = future.result(timeout=timeout_s)
        except TimeoutError:
            return None
        except (OSError, CancelledError) as error:
            raise _scheduler_lost() from error
        return finished

    def _failure(self, future: Future[Finished]) -> BaseException:
        from distributed import KilledWorker

        error: BaseException = future.exception()
        if isinstance(error, KilledWorker):
            first = self._jobs[self._out[future].jobs[0]]
            return ClusterError(
                f"{error.allowed_failures + 1} workers died during the same task. The first run of the task "
                f"is `{first.scenario.name}`, seed {first.seed}, rep {first.rep}. The workers may have too "
                f"little memory; their logs show the reason. {_RUNS_ARE_KEPT}"
            )
        if isinstance(error, ScenarioError) and added():
            return ScenarioError(
                f"{error}\n\nThe error is from a worker. A worker has the built-in schemes, the schemes of "
                "packages installed there, and the schemes of files. Move a scheme of a notebook or script "
                "into its own file, for airhop.plugins.load or --with"
            )
        if isinstance(error, RunError) and error.job is not None:
            error.job = self._out[future].jobs[error.job]
        return error.with_traceback(future.traceback())

    def _report(self, future: Future[Finished], finished: Finished) -> None:
        task = self._out[future]
        while task.reported < len(task.jobs):
            index, (document, seconds) = task.jobs[task.reported], finished[task.reported]
            # Count the run before the call, so that Ctrl-C during the call causes no second report.
            task.reported += 1
            self._costs.learn(self._jobs[index].scenario, seconds)
            try:
                self._on_done(index, document)
            except Exception:
                self._refused = True
                raise
        del self._out[future]

    def _report_finished(self) -> None:
        """Report the finished tasks after an error.

        Further errors are ignored, so that the first error stays visible.
        """
        if self._refused or self._client.status != "running":
            return
        with suppress(Exception):
            for future in [future for future in self._out if future.status == "finished"]:
                finished = self._fetch(future, SALVAGE_S)
                if finished is None:
                    return
                self._report(future, finished)


def _scheduler_lost() -> ClusterError:
    return ClusterError(f"the connection to the dask scheduler was lost. {_RUNS_ARE_KEPT}")
