"""Running scenarios: a single run, or many runs on all cores."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from airhop import _core
from airhop.boundary.arguments import check_keys, check_threads, checked
from airhop.files import filling
from airhop.results import Result
from airhop.scenario import SCHEME, Scenario


@checked
@dataclass(frozen=True)
class Job:
    """Scenario, scheme, seed and replication of a run.

    Runs with equal seed and rep have the same channel errors.
    """

    scenario: Scenario
    seed: int = 1
    rep: int = 0

    @property
    def run_id(self) -> str:
        """Digest (32 hex digits) of simulator, scenario, seed and replication.

        Runs with equal ids have equal results, bit for bit.
        """
        content = f"{model()} {self.scenario.digest} {self.seed} {self.rep}"
        return hashlib.sha256(content.encode()).hexdigest()[:32]


class Interrupted(KeyboardInterrupt):
    """Interruption by Ctrl-C; `results` contains the results of the finished runs by index of the job."""

    def __init__(self, results: dict[int, Result], total: int) -> None:
        super().__init__(f"interrupted: {len(results)} of {total} runs had finished")
        self.results = results


@checked
def run(
    scenario: Scenario,
    *,
    scheme: str | None = None,
    seed: int = 1,
    rep: int = 0,
    trace: bool = False,
    pcap_dir: str | Path | None = None,
) -> Result:
    """Run a scenario once.

    Parameters
    ----------
    scenario
        Scenario to simulate.
    scheme
        Scheme of all TCP flows. With None, each flow keeps its own scheme.
    seed, rep
        Seed of every random stream, and number of the replication, each from 0 to 2**63 - 1. Runs with equal
        seed and rep have the same channel errors under any scheme.
    trace
        Record the tables (`Result.tables`); a traced run takes more time and memory.
    pcap_dir
        Folder for captures, written at the end of the run. NODE.pcapng has the packets at a node, and
        CELL.air.pcapng the frames on the air of an 802.11 cell. Existing captures are replaced.

    Returns
    -------
    Result
        Run document, its data frames, and the trace tables if `trace` is set.

    Raises
    ------
    InputError
        When seed or rep is out of range.
    ScenarioError
        When the scheme does not exist, or is invalid for the scenario.
    RunError
        When the run fails. The subclass SchemeError is raised when a scheme written in Python fails.
    Interrupted
        On Ctrl-C.
    """
    if scheme is not None:
        scenario = scenario.with_({SCHEME: scheme})
    check_keys(seed, rep)
    if not trace and pcap_dir is None:
        return run_many([Job(scenario, seed, rep)], threads=1)[0]
    with nullcontext() if pcap_dir is None else filling(pcap_dir) as folder:
        try:
            outcome = _core.run(scenario.core, seed, rep, trace, None if folder is None else str(folder))
        except KeyboardInterrupt:
            raise Interrupted({}, 1) from None
    return Result(outcome.json(), outcome if trace else None, scenario=scenario)


@checked
def run_many(
    jobs: Sequence[Job], *, threads: int | None = None, on_done: Callable[[int, Result], None] | None = None
) -> list[Result]:
    """Run all jobs on all cores.

    Parameters
    ----------
    jobs
        Runs to do.
    threads
        Worker threads; by default one per core that this process may use.
    on_done
        Callback `on_done(index, result)` after each run, called in this thread as runs finish.

    Returns
    -------
    list[Result]
        One result per job, in the order of `jobs`.

    Raises
    ------
    InputError
        When a seed or rep is out of range, before any run starts.
    RunError
        When a run fails.
    Interrupted
        On Ctrl-C; the exception contains the results of the finished runs.
    """
    threads = cores() if threads is None else threads
    check_threads(threads)
    for job in jobs:
        check_keys(job.seed, job.rep)
    done: dict[int, Result] = {}

    def take(index: int, document: str) -> None:
        done[index] = Result(document, scenario=jobs[index].scenario)
        if on_done is not None:
            on_done(index, done[index])

    core_jobs = [(job.scenario.core, job.seed, job.rep) for job in jobs]
    try:
        _core.run_many(core_jobs, threads, take)
    except KeyboardInterrupt:
        raise Interrupted(done, len(jobs)) from None
    return [done[index] for index in range(len(jobs))]


@cache
def model() -> str:
    """Return a digest (16 hex digits) of the simulator's sources."""
    return _core.build_info()["model"]


def cores() -> int:
    """Return the number of cores that this process may use; the machine may have more."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
