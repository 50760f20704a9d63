"""Execution of the page's runs on separate threads, where a new request replaces older requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Generic, TypeVar

from airhop.comparison import Comparison
from airhop.results import Result
from airhop.scenario import SCHEME
from airhop.simulate import Job, cores, run, run_many
from airhop.view.curves import Curves
from airhop.view.state import State

PATIENCE_S = 0.25
"""Time limit in s for an outdated request, after a newer request has arrived.

With a shorter limit, the figures would not change while the reader moves a slider.
"""

MOST_RESULTS = 2_000
"""Maximum number of stored runs, some kilobytes each. Tabs with the same state share the runs."""
MOST_CURVES = 32
"""Maximum number of stored traced runs, up to a megabyte each."""

Wish = TypeVar("Wish")
Made = TypeVar("Made")


class SupersededError(Exception):
    """Interruption of an outdated request whose time limit has passed."""


class Newest(Generic[Wish]):
    """Worker that processes one request at a time: always the newest.

    Older waiting requests are dropped. `work` runs on the event loop of the caller of `ask`, and must handle
    its own errors.
    """

    def __init__(self, work: Callable[[Wish], Awaitable[None]]) -> None:
        self._work = work
        self._next: Wish | None = None
        self._task: asyncio.Task[None] | None = None

    def ask(self, wish: Wish) -> None:
        """Replace the waiting request by a new request."""
        self._next = wish
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._drain())

    @property
    def superseded(self) -> bool:
        """True if a newer request waits.

        Callable from any thread.
        """
        return self._next is not None

    def close(self) -> None:
        """Drop the waiting request and cancel the current one."""
        self._next = None
        if self._task is not None:
            self._task.cancel()

    async def _drain(self) -> None:
        while self._next is not None:
            wish, self._next = self._next, None
            await self._work(wish)


class Runs:
    """Executor of a state's runs on separate threads, so that the page continues to respond."""

    def __init__(self) -> None:
        # One thread for the bars, and one per core for the traces.
        self._pool = ThreadPoolExecutor(cores() + 1, thread_name_prefix="airhop-view")
        self._closed = False
        self._results = Recent[Result](MOST_RESULTS)
        self._curves = Recent[Curves](MOST_CURVES)

    async def compare(self, state: State, superseded: Callable[[], bool]) -> Comparison:
        """Run every scheme and replication for the bars, without traces.

        Raises SupersededError if `superseded()` is true and PATIENCE_S has elapsed, or if the server closes.
        Also raises the ScenarioError or RunError of a run.
        """
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._compare, state, superseded)

    async def trace(self, state: State) -> dict[str, Curves]:
        """Run the shown replication of every scheme again with a trace; the runs equal the runs of the bars.

        Raises the errors of `compare`, after all runs have ended.
        """
        loop = asyncio.get_running_loop()
        runs = [loop.run_in_executor(self._pool, self._trace, state, scheme) for scheme in state.schemes]
        await asyncio.gather(*runs, return_exceptions=True)
        return {scheme: run.result() for scheme, run in zip(state.schemes, runs, strict=True)}

    def close(self) -> None:
        """Stop the threads, each after its current run."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _compare(self, state: State, superseded: Callable[[], bool]) -> Comparison:
        patient_until = time.monotonic() + PATIENCE_S

        def give_way(_index: int, _result: Result) -> None:
            if (superseded() and time.monotonic() > patient_until) or self._closed:
                raise SupersededError

        jobs = {key: (job.run_id, job) for key, job in state.jobs().items()}
        known = self._results.found(run_id for run_id, _ in jobs.values())
        new = {run_id: job for run_id, job in jobs.values() if run_id not in known}
        made = dict(zip(new, run_many(list(new.values()), on_done=give_way), strict=True))
        self._results.keep(made)
        by_key = {key: (known | made)[run_id] for key, (run_id, _) in jobs.items()}
        return Comparison(state.scenario, state.arms, state.seed, state.reps, by_key)

    def _trace(self, state: State, scheme: str) -> Curves:
        shown = state.shown
        job = Job(state.scenario.with_({SCHEME: scheme}), state.seed, shown.rep)
        key = f"{job.run_id} {shown.connection} {shown.of}"
        known = self._curves.found([key])
        if key not in known:
            traced = run(job.scenario, seed=job.seed, rep=job.rep, trace=True)
            known[key] = Curves.of(traced, shown)
            self._curves.keep(known)
        return known[key]


class Recent(Generic[Made]):
    """Cache of the latest results by run id, for all tabs; callable from any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[str, Made] = {}
        self._lock = Lock()

    def found(self, run_ids: Iterable[str]) -> dict[str, Made]:
        """Return the stored results of some runs."""
        with self._lock:
            found = {run_id: self._made[run_id] for run_id in run_ids if run_id in self._made}
        self.keep(found)
        return found

    def keep(self, made: Mapping[str, Made]) -> None:
        """Store results as the newest; the oldest results are dropped."""
        with self._lock:
            self._made = {run_id: one for run_id, one in self._made.items() if run_id not in made} | dict(
                made
            )
            for run_id in list(self._made)[: -self._most]:
                del self._made[run_id]
