"""Validity of an emulation, by the effect that late packets could have on its results.

The twin is a simulation of the emulated network. Simulated hosts send the traffic of the real hosts. The twin
runs twice with equal seeds: once with the measured lateness of packets and turnaround of hosts, and once
without. The effect is the change of goodput and delays between the two runs.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from airhop import _core
from airhop.errors import InputError
from airhop.progress import SILENT, Reporter, Task
from airhop.simulate import cores
from airhop.stats import Ratio, ratio

LIMIT_PERCENT = 3.0
"""Maximum change of goodput and delays in a valid emulation, in per cent. docs/real-packets.md compares the
goodput of a kernel and of the simulation; the value is the median half-width of the intervals there.
"""
PRECISE = 0.01
"""Half-width of both changes that ends replication, a third of the limit."""
FIRST_PAIRS, MOST_PAIRS = 4, 1024
"""First and maximum number of pairs of runs. The number doubles until both changes are precise enough."""
MOST_EVENTS = 16_000_000
"""Maximum number of events in all runs together, about five seconds of one core."""


class Emulated(Protocol):
    """Data of an emulation for the twin, a simulation of the same scenario: `_core.Emulated`."""

    def twin(
        self, length_s: float, /
    ) -> tuple[
        _core.Scenario, _core.Scenario, Sequence[tuple[str, float, str | None, tuple[str, str | None] | None]]
    ]:
        """Return scenarios without and with lateness, of `length_s` seconds each, and the compared flows."""


@dataclass(frozen=True)
class Compared:
    """Flow to compare with and without lateness."""

    name: str
    start_s: float
    scheme: str | None
    """Congestion control of the flow in the simulation; None for UDP."""
    real: tuple[str, str | None] | None
    """Name of the real flow, and its congestion control if known; None if the compared flow is simulated."""

    def goodput_mbps(self, document: dict[str, Any], length_s: float) -> float:
        """Return the goodput in Mbit/s from the flow's start to its completion, or to the end of the run."""
        flow = next(flow for flow in document["flows"] if flow["name"] == self.name)
        took = flow["completion_s"] or length_s - self.start_s
        return 8e-6 * float(flow["delivered_bytes"]) / took

    def delay_ms(self, document: dict[str, Any]) -> float | None:
        """Return the median delay in milliseconds: round trip of a TCP flow, or one-way delay of a UDP flow.

        None without a sample. The median varies less between runs than the mean, because the mean depends on
        the few packets that meet a long queue or a recovery.
        """
        flow = next(flow for flow in document["flows"] if flow["name"] == self.name)
        delays = flow["delay_ms" if self.scheme is None else "rtt_ms"]
        return None if delays is None else float(delays["p50"])

    @property
    def told(self) -> str:
        """Name of the flow for readers, with the congestion control."""
        if self.real is None:
            return f"{self.name} of the scenario{f' ({self.scheme})' if self.scheme else ''}"
        name, control = self.real
        if self.scheme is None or self.scheme == control:
            return name if control is None else f"{name} ({control})"
        why = "the real sender's control is unknown" if control is None else f"Airhop has no {control}"
        return f"{name} ({self.scheme}, because {why})"


@dataclass(frozen=True)
class Shift:
    """Change of a quantity due to lateness and turnaround, in simulations of an emulation."""

    quantity: str
    """Name of the quantity: goodput or a delay."""
    moved: Ratio
    """Ratio of the quantity with lateness and turnaround to that without."""

    @property
    def percents(self) -> tuple[float | None, float | None, float | None]:
        """Change in per cent, and both ends of its 95 % interval.

        None without deliveries or with too few runs.
        """
        found = (self.moved.value, self.moved.low, self.moved.high)
        percent, low, high = (None if v is None or v != v else 100 * (v - 1) for v in found)
        return percent, low, high

    def exceeds(self, limit_percent: float) -> bool:
        """Return whether the quantity changes by more than `limit_percent`."""
        percent = self.percents[0]
        return percent is not None and abs(percent) > limit_percent

    @property
    def is_precise(self) -> bool:
        """True if the interval of the ratio is narrow enough, or nothing was measured."""
        low, high = self.moved.low, self.moved.high
        return self.moved.n == 0 or (low is not None and high is not None and high - low <= 2 * PRECISE)


@dataclass(frozen=True)
class Effect:
    """Effect of an emulation's lateness and turnaround, measured in simulations of the same scenario."""

    goodput: Shift
    delay: Shift
    limit_percent: float
    length_s: float
    flows: tuple[Compared, ...]

    @property
    def too_large(self) -> list[Shift]:
        """Changes that exceed the limit."""
        return [shift for shift in (self.goodput, self.delay) if shift.exceeds(self.limit_percent)]

    def to_dict(self, shift: Shift) -> dict[str, Any]:
        """Return a change as data of `Emulation.live`."""
        percent, low, high = shift.percents
        return {
            "quantity": shift.quantity,
            "percent": percent,
            "low": low,
            "high": high,
            "limit": self.limit_percent,
            "pairs": shift.moved.n,
            "length_s": self.length_s,
            "compared": ", ".join(flow.told for flow in self.flows),
        }


def told(shift: dict[str, Any]) -> str:
    """Format a change: `-0.4 % (-1.1 to 0.3)`."""
    percent, low, high = shift["percent"], shift["low"], shift["high"]
    if percent is None:
        return "no change, because nothing was delivered"
    interval = "" if low is None or high is None else f" ({_signed(low)} to {_signed(high)})"
    return f"{_signed(percent)} %{interval}"


def _signed(percent: float) -> str:
    return f"{percent:+.1f}" if abs(percent) >= 0.05 else "0.0"


def effect_of(
    document: dict[str, Any],
    emulated: Emulated,
    *,
    limit_percent: float = LIMIT_PERCENT,
    reporter: Reporter = SILENT,
) -> Effect:
    """Estimate the changes of goodput and delays due to lateness and turnaround, by simulations.

    Parameters
    ----------
    document
        The run document of the emulation.
    emulated
        Data of the simulations.
    limit_percent
        Maximum change of goodput and delays in a valid emulation, in per cent.
    reporter
        Receives the progress.

    Returns
    -------
    Effect
        Both changes with their intervals, and the compared flows.
    """
    share = MOST_EVENTS / (2 * FIRST_PAIRS * max(document["events"], 1))
    length_s = document["duration_s"] * min(1.0, share)
    punctual, late, flows = emulated.twin(length_s)
    compared = tuple(Compared(*flow) for flow in flows)
    seed, rep = document["seed"], document["rep"]
    runs = _Runs(compared, length_s)

    def simulate(reps: range, task: Task) -> None:
        jobs = [(scenario, seed, r % 2**63) for r in reps for scenario in (late, punctual)]
        found: list[dict[str, Any]] = [{} for _ in jobs]

        def take(index: int, text: str) -> None:
            found[index] = json.loads(text)
            task.advance()

        _core.run_many(jobs, cores(), take)
        for pair in zip(found[::2], found[1::2], strict=True):
            runs.add(*pair)

    with reporter.task("lateness of the emulation, simulated", 2 * FIRST_PAIRS) as task:
        simulate(range(rep, rep + FIRST_PAIRS), task)
        while more := runs.more:
            task.total += 2 * more
            simulate(range(rep + len(runs.late), rep + len(runs.late) + more), task)
    return Effect(runs.goodput, runs.delay, limit_percent, length_s, compared)


@dataclass
class _Runs:
    """Pairs of simulations of an emulation's scenario, with and without lateness."""

    flows: tuple[Compared, ...]
    length_s: float
    late: list[float] = field(default_factory=list)
    """Goodput in Mbit/s with lateness, for each pair."""
    punctual: list[float] = field(default_factory=list)
    """Goodput in Mbit/s without lateness, for each pair."""
    delays: list[list[tuple[float | None, float | None]]] = field(default_factory=list)
    """Delays in milliseconds with and without lateness, for each pair and flow."""
    events: int = 0

    def add(self, late: dict[str, Any], punctual: dict[str, Any]) -> None:
        """Add a pair of run documents."""
        for goodputs, run in ((self.late, late), (self.punctual, punctual)):
            goodputs.append(sum(flow.goodput_mbps(run, self.length_s) for flow in self.flows))
            self.events += run["events"]
        self.delays.append([(flow.delay_ms(late), flow.delay_ms(punctual)) for flow in self.flows])

    @property
    def goodput(self) -> Shift:
        return Shift("goodput", ratio(self.late, self.punctual))

    @property
    def delay(self) -> Shift:
        """Change of the delays. All flows with a sample in each run have equal weight."""
        kinds = {"one-way delay" if flow.scheme is None else "round trip" for flow in self.flows}
        quantity = f"median {kinds.pop()}" if len(kinds) == 1 else "median delays"
        weighted = []
        for flow in zip(*self.delays, strict=True):
            known = [(late, punctual) for late, punctual in flow if late and punctual]
            if len(known) == len(flow):
                mean = statistics.fmean(punctual for _, punctual in known)
                weighted.append([(late / mean, punctual / mean) for late, punctual in known])
        if not weighted:
            return Shift(quantity, Ratio(math.nan, None, None, 0))
        sums = [[sum(side) for side in zip(*pair, strict=True)] for pair in zip(*weighted, strict=True)]
        late, punctual = zip(*sums, strict=True)
        return Shift(quantity, ratio(late, punctual))

    @property
    def more(self) -> int:
        """Number of further pairs to simulate, 0 if the changes are precise enough."""
        pairs = len(self.late)
        if self.goodput.is_precise and self.delay.is_precise:
            return 0
        affordable = int((MOST_EVENTS - self.events) * pairs / max(self.events, 1))
        return max(0, min(pairs, MOST_PAIRS - pairs, affordable))


def check_limit(percent: float) -> None:
    """Raise InputError for an invalid limit."""
    if not 0 < percent <= 100:
        raise InputError(f"tolerance is {percent:g}; expected per cent above 0 and up to 100, as in 3")
