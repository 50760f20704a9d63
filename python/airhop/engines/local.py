"""Engine that computes runs on threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airhop import _core
from airhop.boundary.arguments import check_threads
from airhop.simulate import Job, cores


class LocalEngine:
    """Engine on `threads` threads without the GIL, by default one thread per available core."""

    name = "local"

    def __init__(self, threads: int | None = None) -> None:
        self._threads = cores() if threads is None else threads
        check_threads(self._threads)

    @property
    def workers(self) -> int:
        """The number of threads."""
        return self._threads

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        """Run all jobs; see Engine.run."""
        _core.run_many([(job.scenario.core, job.seed, job.rep) for job in jobs], self._threads, on_done)
