"""Cutting a list of runs into tasks: long enough to hide what a task costs, short enough to share evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence

from airhop.scenario import Scenario
from airhop.simulate import Job

TASK_S = 1.0
"""A task aims at this. A scheduler spends about a millisecond on one."""
LEAST_TASK_S = 0.05
"""Nor is it cut shorter than this near the end."""
SHARES = 2
"""While there is work for fewer than so many tasks a thread, tasks get shorter (guided self-scheduling,
Polychronopoulos and Kuck 1987), so that a small study still uses the whole cluster and no thread is late."""
MOST_RUNS = 1000
"""Runs in one task, so that a message stays below about a megabyte."""


class Costs:
    """Costs of runs, learnt from the finished ones."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, int]] = {}  # by digest: seconds, runs
        self._seconds = 0.0
        self._simulated_s = 0.0

    def learn(self, scenario: Scenario, seconds: float) -> None:
        """Process that a run of this scenario took so long."""
        known, runs = self._known.get(scenario.digest, (0.0, 0))
        self._known[scenario.digest] = (known + seconds, runs + 1)
        self._seconds += seconds
        self._simulated_s += scenario.duration_s

    @property
    def rate(self) -> float:
        """Seconds per simulated second over all runs; infinite before the first."""
        return self._seconds / self._simulated_s if self._simulated_s else math.inf

    def of(self, scenario: Scenario) -> float:
        """Seconds that a run of this scenario takes: the mean of its runs, or else judged by its duration."""
        if known := self._known.get(scenario.digest):
            return known[0] / known[1]
        return self.rate * scenario.duration_s


class Plan:
    """Hands out jobs, in their order, a task at a time."""

    def __init__(self, jobs: Sequence[Job], costs: Costs) -> None:
        self._jobs = jobs
        self._costs = costs
        self._next = 0
        self._simulated_s = math.fsum(job.scenario.duration_s for job in jobs)  # of the jobs not handed out

    def cut(self, threads: int) -> range:
        """Return the next task for a cluster of `threads` threads: indices of jobs, empty when none is left.

        Before anything is known of the costs a task is a single run.
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
