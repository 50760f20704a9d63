"""Responsiveness of a scenario's network under working conditions, over several replications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from airhop.boundary.arguments import checked
from airhop.errors import InputError
from airhop.progress import SILENT, Reporter
from airhop.responsiveness.draft import (
    INTERVAL_S,
    MAD,
    Confidence,
    Samples,
    final,
    pooled,
    responsiveness,
    trimmed_mean,
)
from airhop.responsiveness.network import Direction, loaded, path, probed, rate_of_probes
from airhop.responsiveness.samples import intervals
from airhop.scenario import Scenario
from airhop.simulate import run
from airhop.stats import Estimate, estimate

DIRECTIONS: tuple[Direction, ...] = ("down", "up")
IDLE_S = MAD * INTERVAL_S
"""Duration of the measurement without load in seconds."""


@dataclass(frozen=True)
class Test:
    """Result of one replication in one direction."""

    rpm: float | None
    """Responsiveness in round trips per minute."""
    goodput_mbps: float
    tcp_f_ms: float | None
    http_f_ms: float | None
    http_l_ms: float | None
    intervals: int
    """Number of intervals until the responsiveness was stable, or until the time limit."""
    goodput_confidence: Confidence
    confidence: Confidence


@dataclass(frozen=True)
class Loaded:
    """Responsiveness under load in one direction."""

    direction: Direction
    tests: Sequence[Test]
    """Results, one per replication."""

    def of(self, name: str) -> Estimate | None:
        """Return the mean of the field `name` over all tests, with its confidence interval.

        None if no test has a value.
        """
        return _estimate(getattr(test, name) for test in self.tests)

    @property
    def confidence(self) -> Confidence:
        """Lowest confidence among the tests."""
        order: tuple[Confidence, ...] = ("low", "medium", "high")
        return min((test.confidence for test in self.tests), key=order.index)


@dataclass(frozen=True)
class Responsiveness:
    """Latency of a network without load, and responsiveness under load."""

    scenario: str
    flow: str
    scheme: str
    seed: int
    reps: int
    idle: Sequence[Samples]
    """Probes without load, for each replication."""
    loaded: Sequence[Loaded]

    def idle_of(self, name: Literal["tcp_f", "http_f"]) -> Estimate | None:
        """Return the mean time in ms of a handshake or request without load; None without a sample."""
        return _estimate(trimmed_mean(getattr(one, name)) for one in self.idle)

    def to_dict(self) -> dict[str, Any]:
        """Return the results as plain data for JSON."""
        columns = ("rpm", "goodput_mbps", "tcp_f_ms", "http_f_ms", "http_l_ms")
        return {
            "scenario": self.scenario,
            "flow": self.flow,
            "scheme": self.scheme,
            "seed": self.seed,
            "reps": self.reps,
            "idle": {"tcp_f_ms": _plain(self.idle_of("tcp_f")), "http_f_ms": _plain(self.idle_of("http_f"))},
            "loaded": [
                {
                    "direction": one.direction,
                    **{name: _plain(one.of(name)) for name in columns},
                    "confidence": one.confidence,
                    "tests": [asdict(test) for test in one.tests],
                }
                for one in self.loaded
            ],
        }


@checked
def measure(
    scenario: Scenario,
    *,
    flow: str | None = None,
    directions: Sequence[str] = DIRECTIONS,
    reps: int = 3,
    seed: int = 1,
    limit_s: float = 100.0,
    reporter: Reporter = SILENT,
) -> Responsiveness:
    """Measure the responsiveness of a scenario's network (draft-ietf-ippm-responsiveness without TLS).

    A load-generating connection opens every 5 s, up to 16 connections. Probes on separate connections measure
    handshakes and requests. A test ends once the goodput and then the responsiveness are stable.

    Parameters
    ----------
    scenario
        Network of the test. The scenario's own flows are left out.
    flow
        Name of a TCP flow. The test uses its path, scheme and TCP parameters; by default those of the first.
    directions
        Directions of the tests: "down" is the direction of the flow, and "up" the opposite direction. Each
        direction has its own test.
    reps
        Replications, at least one.
    seed
        Seed of every random stream.
    limit_s
        Time limit of a test, seconds: at least four intervals of 5 s.
    reporter
        Receives the progress.

    Raises
    ------
    InputError
        When the scenario has no such flow, or an argument is out of range.
    """
    _check(directions, reps, limit_s)
    tested = path(scenario, flow)
    chosen: list[Direction] = [word for word in DIRECTIONS if word in directions]
    idle: list[Samples] = []
    tests: dict[Direction, list[Test]] = {direction: [] for direction in chosen}
    with reporter.task("responsiveness", reps * (1 + len(chosen))) as task:
        for rep in range(reps):
            rates = {
                direction: rate_of_probes(
                    run(loaded(scenario, tested, direction, IDLE_S), seed=seed, rep=rep).goodput_mbps
                )
                for direction in chosen
            }
            alone = probed(scenario, tested, None, min(rates.values()), IDLE_S)
            parts = intervals(run(alone, seed=seed, rep=rep, trace=True).tables, IDLE_S)
            idle.append(pooled(parts, final(parts)))
            task.advance()
            for direction in chosen:
                network = probed(scenario, tested, direction, rates[direction], limit_s)
                tests[direction].append(_test(run(network, seed=seed, rep=rep, trace=True).tables, limit_s))
                task.advance()
    return Responsiveness(
        scenario=scenario.name,
        flow=str(tested["name"]),
        scheme=_scheme(tested["scheme"]),
        seed=seed,
        reps=reps,
        idle=idle,
        loaded=[Loaded(direction, found) for direction, found in tests.items()],
    )


def _check(directions: Sequence[str], reps: int, limit_s: float) -> None:
    unknown = [word for word in directions if word not in DIRECTIONS]
    if unknown or not directions:
        found = f"`{unknown[0]}`" if unknown else "none"
        raise InputError(f'directions: {found}; expected "down", "up", or both')
    if reps < 1:
        raise InputError(f"reps is {reps}; at least one replication is needed")
    if not IDLE_S <= limit_s <= 3600:
        raise InputError(
            f"limit_s is {limit_s:g}; expected at least {IDLE_S:g} s, four intervals, and an hour at most"
        )


def _test(tables: Any, limit_s: float) -> Test:
    parts = intervals(tables, limit_s)
    result = final(parts)
    samples = pooled(parts, result)
    return Test(
        rpm=responsiveness(samples),
        goodput_mbps=result.goodput_mbps,
        tcp_f_ms=trimmed_mean(samples.tcp_f),
        http_f_ms=trimmed_mean(samples.http_f),
        http_l_ms=trimmed_mean(samples.http_l),
        intervals=result.intervals,
        goodput_confidence=result.goodput_confidence,
        confidence=result.confidence,
    )


def _scheme(scheme: Any) -> str:
    return str(scheme["name"]) if isinstance(scheme, dict) else str(scheme)


def _estimate(values: Iterable[float | None]) -> Estimate | None:
    known = [value for value in values if value is not None]
    return estimate(known) if known else None


def _plain(value: Estimate | None) -> dict[str, Any] | None:
    if value is None:
        return None
    ends = value.ends
    low, high = (None, None) if ends is None else (ends.low, ends.high)
    return {"mean": value.mean, "half_width": value.half_width, "low": low, "high": high, "n": value.n}
