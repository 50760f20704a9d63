"""The runs behind the page: off the event loop, the newest wish first."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from airhop.comparison import Comparison
from airhop.results import Result
from airhop.simulate import cores, run, run_many
from airhop.view.curves import Curves
from airhop.view.state import State

PATIENCE_S = 0.25
"""How long a wish may still be worked on when a newer one has come.

With less, a slider that is moved steadily would show nothing until it rests.
"""

Wish = TypeVar("Wish")


class OvertakenError(Exception):
    """A newer wish has come, and this one took too long to be worth finishing."""


class Newest(Generic[Wish]):
    """Works on one wish at a time, always the newest; those that were overtaken meanwhile are never begun.

    `work` runs on the event loop on which `ask` is called, and tells its errors itself.
    """

    def __init__(self, work: Callable[[Wish], Awaitable[None]]) -> None:
        self._work = work
        self._next: Wish | None = None
        self._task: asyncio.Task[None] | None = None

    def ask(self, wish: Wish) -> None:
        """Put this wish in the place of whatever waits."""
        self._next = wish
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._drain())

    @property
    def overtaken(self) -> bool:
        """Whether a newer wish waits than the one at work. May be asked from any thread."""
        return self._next is not None

    def close(self) -> None:
        """Forget what waits, and abandon what is going on."""
        self._next = None
        if self._task is not None:
            self._task.cancel()

    async def _drain(self) -> None:
        while self._next is not None:
            wish, self._next = self._next, None
            await self._work(wish)


class Runs:
    """Makes the runs of a state on threads of its own, so that the page keeps answering."""

    def __init__(self) -> None:
        # One that waits for the bars, and one per core for the traces.
        self._pool = ThreadPoolExecutor(cores() + 1, thread_name_prefix="airhop-view")
        self._closed = False

    async def compare(self, state: State, overtaken: Callable[[], bool]) -> Comparison:
        """Run every scheme and replication untraced: all that the bars need, in a few milliseconds.

        Raises OvertakenError once `overtaken()` says that a newer wish has come and PATIENCE_S is over, or
        when all is closed; ScenarioError and RunError as runs do.
        """
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._compare, state, overtaken)

    async def trace(self, state: State, rep: int) -> dict[str, Curves]:
        """Run one replication of every scheme again with its trace: equal to that of the bars to the bit."""
        loop = asyncio.get_running_loop()
        runs = [loop.run_in_executor(self._pool, _trace, state, scheme, rep) for scheme in state.schemes]
        return dict(zip(state.schemes, await asyncio.gather(*runs), strict=True))

    def close(self) -> None:
        """Let the threads end, each with the run that it is in."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _compare(self, state: State, overtaken: Callable[[], bool]) -> Comparison:
        patient_until = time.monotonic() + PATIENCE_S

        def give_way(_index: int, _result: Result) -> None:
            if (overtaken() and time.monotonic() > patient_until) or self._closed:
                raise OvertakenError

        jobs = state.jobs()
        results = run_many(list(jobs.values()), on_done=give_way)
        by_key = dict(zip(jobs, results, strict=True))
        return Comparison(state.scenario, state.schemes, state.seed, state.reps, by_key, state.under)


def _trace(state: State, scheme: str, rep: int) -> Curves:
    return Curves.of(run(state.scenario, scheme=scheme, seed=state.seed, rep=rep, trace=True))
