"""Task of a dask worker: a list of runs. Workers import this module from their own installation."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache

from airhop import _core
from airhop.errors import InputError, SchemeError, users_traceback
from airhop.plugins import load_source
from airhop.scenario import Scenario

Plugins = tuple[tuple[str, str], ...]
"""Value of `airhop.plugins.loaded`: the sources of schemes in Python."""
Finished = list[tuple[str, float]]
"""Run document and seconds of each run of a task."""

PARSED = 1024
"""Maximum number of parsed scenarios in a worker's cache; the tasks of a study use the same scenarios
repeatedly.
"""

_loading = threading.Lock()
"""Lock for loading schemes and then parsing a scenario. A scenario uses the schemes loaded last."""


def run_chunk(
    build: Mapping[str, str],
    plugins: Plugins,
    scenarios: Sequence[tuple[str, str]],
    runs: Sequence[tuple[int, int, int]],
) -> Finished:
    """Run `runs`, triples (index of the scenario, seed, rep), in order.

    All arguments are plain data that any Airhop version can read. `build` is the client's `build_info`, and
    `scenarios` are pairs (digest, canonical JSON). Raises InputError if the worker has another build of the
    simulator or other schemes. Results could then differ. Also raises the exceptions of `_core.run_many`.
    """
    _check_model(build)
    checked = [_scenario(plugins, digest, text) for digest, text in scenarios]
    finished: Finished = [("", 0.0)] * len(runs)
    last = time.perf_counter()

    def take(index: int, document: str) -> None:
        nonlocal last
        now = time.perf_counter()
        finished[index] = (document, now - last)
        last = now

    jobs = [(checked[index].core, seed, rep) for index, seed, rep in runs]
    try:
        # one thread, because dask calls this function on every thread of the worker
        _core.run_many(jobs, 1, take)
    except SchemeError as error:
        # Pickle omits the cause of an exception; the message therefore contains the traceback as text.
        told = SchemeError(f"{error}\n\n{users_traceback(error.__cause__ or error)}")
        told.job = error.job
        raise told from None
    return finished


def _check_model(build: Mapping[str, str]) -> None:
    here = _core.build_info()
    if here["model"] != build["model"]:
        raise InputError(
            f"the worker {_address()} has Airhop {here['version']} (model {here['model']}), this machine"
            f" {build['version']} (model {build['model']}): install the same build on both"
        )


@lru_cache(PARSED)
def _scenario(plugins: Plugins, digest: str, text: str) -> Scenario:
    with _loading:
        for name, source in plugins:
            load_source(name, source)
        scenario = Scenario.load(json.loads(text))
    if scenario.digest != digest:
        raise InputError(
            f"on the worker {_address()} a scheme of `{scenario.name}` has other code than on this machine:"
            " install the same packages on both"
        )
    return scenario


def _address() -> str:
    from distributed import get_worker

    address: str = get_worker().address
    return address
