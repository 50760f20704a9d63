"""Division of a list of runs into tasks with little overhead and a balanced load."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airhop.scenario import Scenario
from airhop.simulate import Job

TASK_S = 1.0
"""Target duration of a task in seconds. A scheduler spends about a millisecond per task."""
LEAST_TASK_S = 0.05
"""Minimum duration of a task near the end, in seconds."""
SHARES = 2
"""Number of remaining tasks per thread at which tasks become shorter. All threads then end at about the same
time (guided self-scheduling, Polychronopoulos and Kuck 1987), and a small study uses the whole cluster.
"""
MOST_RUNS = 1000
"""Maximum number of runs per task, so that a message has at most about a megabyte."""


class Costs:
    """Estimator of the duration of runs from finished runs."""

    def __init__(self) -> None:
        # total seconds and number of finished runs, by digest of the scenario
        self._known: dict[str, tuple[float, int]] = {}
        self._seconds = 0.0
        self._simulated_s = 0.0

    def learn(self, scenario: Scenario, seconds: float) -> None:
        """Record the duration of a run of this scenario."""
        known, runs = self._known.get(scenario.digest, (0.0, 0))
        self._known[scenario.digest] = (known + seconds, runs + 1)
        self._seconds += seconds
        self._simulated_s += scenario.duration_s

    @property
    def rate(self) -> float:
        """Return wall-clock seconds per simulated second over all runs; infinite before the first run."""
        return self._seconds / self._simulated_s if self._simulated_s else math.inf

    def of(self, scenario: Scenario) -> float:
        """Return the mean duration of this scenario's runs in seconds.

        Without a finished run of the scenario, return an estimate from the simulated time.
        """
        if known := self._known.get(scenario.digest):
            return known[0] / known[1]
        return self.rate * scenario.duration_s


class Plan:
    """Division of jobs into tasks, one task at a time, in the order of the jobs."""

    def __init__(self, jobs: Sequence[Job], costs: Costs) -> None:
        self._jobs = jobs
        self._costs = costs
        self._next = 0
        # simulated time of the jobs without a task
        self._simulated_s = math.fsum(job.scenario.duration_s for job in jobs)

    def cut(self, threads: int) -> range:
        """Return the next task for a cluster of `threads` threads, as indices of jobs; empty at the end.

        Before the first run has finished, a task is a single run.
        """
        first = self._next
        share = self._costs.rate * self._simulated_s / (SHARES * threads)
        left = min(TASK_S, max(LEAST_TASK_S, share))
        for index in range(first, min(len(self._jobs), first + MOST_RUNS)):
            scenario = self._jobs[index].scenario
            left -= self._costs.of(scenario)
            if left < 0 and index > first:
                break
            self._simulated_s -= scenario.duration_s
            self._next = index + 1
        return range(first, self._next)
