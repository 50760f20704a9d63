"""Interface of engines, and construction of an engine by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

from airhop.engines.cluster import connected
from airhop.engines.local import LocalEngine
from airhop.errors import InputError, did_you_mean
from airhop.simulate import Job

DASK_PORT = 8786
"""Default port of a dask scheduler."""


class Engine(Protocol):
    """Engine that computes runs. A job has the same document with any engine, except for `wall_s`."""

    name: str

    @property
    def workers(self) -> int:
        """Number of runs computed at the same time."""

    def run(self, jobs: Sequence[Job], on_done: Callable[[int, str], None]) -> None:
        """Run all jobs in any order; call `on_done(index, document)` in this thread after each job.

        Raises RunError if a run fails, KeyboardInterrupt on Ctrl-C, and exceptions of `on_done`. After an
        exception no further run starts. All finished runs are then already reported, except after an
        exception of `on_done`.
        """


def open_engine(spec: str, threads: int | None = None) -> AbstractContextManager[Engine]:
    """Open the engine "local" (`threads` threads, one per core by default) or "dask://HOST:PORT".

    The engine is connected to the cluster inside the `with` block. Raises InputError for any other text. The
    begin of the block raises InputError if the scheduler does not answer, if there are no workers, or if
    `distributed` is missing.
    """
    if spec == "local":
        return nullcontext(LocalEngine(threads))
    place = spec.removeprefix("dask://")
    if place == spec or not _is_host_and_port(place):
        raise InputError(
            f"there is no engine `{spec}`: it is `local` or `dask://HOST:PORT`.{_suggestion(spec)}"
        )
    if threads is not None:
        raise InputError(
            f"the workers of {spec} determine the number of threads; expected no number of "
            f"threads, got {threads}"
        )
    return connected(place)


def _is_host_and_port(text: str) -> bool:
    """Return whether the text is HOST:PORT; HOST may be an IPv6 address in brackets."""
    match = re.fullmatch(r"(?:[\w.-]+|\[[\da-fA-F:.]+\]):(\d{1,5})", text, re.ASCII)
    return match is not None and 0 < int(match[1]) < 2**16


def _suggestion(spec: str) -> str:
    kind, _, place = spec.rpartition("://")
    place = place.removesuffix("/")
    if _is_host_and_port(place):
        return f" Did you mean `dask://{place}`?"
    if kind and _is_host_and_port(f"{place}:{DASK_PORT}"):
        return f" Did you mean `dask://{place}:{DASK_PORT}`?"
    return did_you_mean(spec, ["local"])
