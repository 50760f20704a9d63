"""Validity of an emulation: the possible effect of its lateness on a result.

The twin is the same network with simulated hosts that send the traffic of the real hosts. It runs with equal
seeds with and without the measured lateness and turnaround; the result is the change of the goodput.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from airhop import _core
from airhop.errors import InputError
from airhop.progress import SILENT, Reporter, Task
from airhop.simulate import cores
from airhop.stats import Ratio, ratio

LIMIT_PERCENT = 3.0
"""Largest valid shift of the goodput, per cent: the median half-width of the intervals with which
docs/real-packets.md compares a kernel's goodput with a simulated one. Smaller shifts cannot be told from
chance there."""
PRECISE = 0.01
"""Half-width of the result at which replication stops: a third of the limit."""
FIRST_PAIRS, MOST_PAIRS = 4, 1024
"""Numbers of pairs of runs at first and at most. The number doubles until the result is precise enough."""
MOST_EVENTS = 16_000_000
"""Maximum number of events of all runs together: about five seconds of one core."""


class Emulated(Protocol):
    """Data of an emulation for its twin: `_core.Emulated`."""

    def twin(
        self, length_s: float, /
    ) -> tuple[
        _core.Scenario, _core.Scenario, Sequence[tuple[str, float, str | None, tuple[str, str | None] | None]]
    ]:
        """Return the twin of the first seconds, the same with lateness, and the flows to compare."""


@dataclass(frozen=True)
class Compared:
    """A flow of the twin."""

    name: str
    start_s: float
    scheme: str | None
    """Congestion control of the flow; None for UDP."""
    real: tuple[str, str | None] | None
    """Name and congestion control, if known, of the real flow; None if the scenario's own flow is compared.
    """

    def goodput_mbps(self, document: dict[str, Any], length_s: float) -> float:
        """Goodput of the flow from its start to its completion, or to the end of the run."""
        flow = next(flow for flow in document["flows"] if flow["name"] == self.name)
        took = flow["completion_s"] or length_s - self.start_s
        return 8e-6 * float(flow["delivered_bytes"]) / took

    @property
    def told(self) -> str:
        """Return the phrase that names the compared flows."""
        if self.real is None:
            return f"{self.name} of the scenario{f' ({self.scheme})' if self.scheme else ''}"
        name, control = self.real
        if self.scheme is None or self.scheme == control:
            return name if control is None else f"{name} ({control})"
        why = "its sender's is not known" if control is None else f"Airhop has no {control}"
        return f"{name} ({self.scheme}, for {why})"


@dataclass(frozen=True)
class Shift:
    """Shift of the twin's goodput by lateness and turnaround."""

    moved: Ratio
    """Ratio of the goodput with lateness and turnaround to the goodput without."""
    limit_percent: float
    length_s: float
    flows: tuple[Compared, ...]

    @property
    def percents(self) -> tuple[float | None, float | None, float | None]:
        """The change in per cent with its 95 % interval; None without deliveries or with too few runs."""
        found = (self.moved.value, self.moved.low, self.moved.high)
        percent, low, high = (None if v is None or v != v else 100 * (v - 1) for v in found)
        return percent, low, high

    @property
    def is_small(self) -> bool:
        """True if the goodput changes by no more than the limit."""
        percent = self.percents[0]
        return percent is None or abs(percent) <= self.limit_percent

    def to_dict(self) -> dict[str, Any]:
        """Return the value of `goodput_shift` in `live`."""
        percent, low, high = self.percents
        return {
            "percent": percent,
            "low": low,
            "high": high,
            "limit": self.limit_percent,
            "pairs": self.moved.n,
            "length_s": self.length_s,
            "compared": ", ".join(flow.told for flow in self.flows),
        }


def told(shift: dict[str, Any]) -> str:
    """Format the result: `-0.4 % (-1.1 to 0.3)`."""
    percent, low, high = shift["percent"], shift["low"], shift["high"]
    if percent is None:
        return "nothing was delivered that could move"
    interval = "" if low is None or high is None else f" ({_signed(low)} to {_signed(high)})"
    return f"{_signed(percent)} %{interval}"


def _signed(percent: float) -> str:
    return f"{percent:+.1f}" if abs(percent) >= 0.05 else "0.0"


def shift_of(
    document: dict[str, Any],
    emulated: Emulated,
    *,
    limit_percent: float = LIMIT_PERCENT,
    reporter: Reporter = SILENT,
) -> Shift:
    """Estimate the change of the twin's goodput due to lateness and turnaround.

    Parameters
    ----------
    document
        The run document of the emulation.
    emulated
        Data of its twin.
    limit_percent
        Largest valid shift of the goodput, per cent.
    reporter
        Receives the progress.

    Returns
    -------
    Shift
        The change with its interval, and the compared flows.
    """
    share = MOST_EVENTS / (2 * FIRST_PAIRS * max(document["events"], 1))
    length_s = document["duration_s"] * min(1.0, share)
    punctual, late, flows = emulated.twin(length_s)
    compared = tuple(Compared(*flow) for flow in flows)
    seed, rep = document["seed"], document["rep"]
    runs = _Runs()

    def simulate(reps: range, task: Task) -> None:
        jobs = [(scenario, seed, r % 2**63) for r in reps for scenario in (late, punctual)]
        found = [0.0] * len(jobs)

        def take(index: int, text: str) -> None:
            run = json.loads(text)
            found[index] = sum(flow.goodput_mbps(run, length_s) for flow in compared)
            runs.events += run["events"]
            task.advance()

        _core.run_many(jobs, cores(), take)
        runs.late += found[::2]
        runs.punctual += found[1::2]

    with reporter.task("lateness of the emulation, simulated", 2 * FIRST_PAIRS) as task:
        simulate(range(rep, rep + FIRST_PAIRS), task)
        while more := runs.more:
            task.total += 2 * more
            simulate(range(rep + len(runs.late), rep + len(runs.late) + more), task)
    return Shift(runs.moved, limit_percent, length_s, compared)


@dataclass
class _Runs:
    """Goodput of the twin with and without lateness, by pair, Mbit/s."""

    late: list[float] = field(default_factory=list)
    punctual: list[float] = field(default_factory=list)
    events: int = 0

    @property
    def moved(self) -> Ratio:
        return ratio(self.late, self.punctual)

    @property
    def more(self) -> int:
        """Number of pairs still to simulate: as many as so far, until the result is precise."""
        moved, pairs = self.moved, len(self.late)
        if moved.low is not None and moved.high is not None and moved.high - moved.low <= 2 * PRECISE:
            return 0
        affordable = int((MOST_EVENTS - self.events) * pairs / max(self.events, 1))
        return max(0, min(pairs, MOST_PAIRS - pairs, affordable))


def check_limit(percent: float) -> None:
    """Raise InputError for an invalid limit."""
    if not 0 < percent <= 100:
        raise InputError(f"tolerance is {percent:g}; expected per cent above 0 and up to 100, as in 3")
