"""Arithmetic of draft-ietf-ippm-responsiveness: parameters, aggregation, and stability.

Only TCP and HTTP without TLS are implemented. Results are aggregated as in the draft's TCP-only case.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MAD = 4
"""Moving average distance: number of intervals of a moving average."""
INTERVAL_S = 5.0
"""ID: interval duration in seconds."""
KEPT = 0.95
"""TMP: share of the samples that a trimmed mean keeps. The largest samples are trimmed."""
TOLERANCE = 0.05
"""SDT: maximum standard deviation of stable values, as a share of the last value."""
MOST_CONNECTIONS = 16
"""MNP: maximum number of load-generating connections."""
MOST_PROBES_PER_S = 100.0
"""MPS: maximum number of probes per second."""
MOST_OF_CAPACITY = 0.05
"""PTC: maximum share of the capacity that probes use."""
MS_PER_MINUTE = 60_000.0

Confidence = Literal["low", "medium", "high"]
"""Confidence in a result.

"low" after fewer than MAD intervals; "medium" if the time limit came before stability; "high" if stable.
"""


@dataclass(frozen=True)
class Samples:
    """Latencies in ms that the probes of an interval measured."""

    tcp_f: Sequence[float] = ()
    """TCP handshakes of new connections."""
    http_f: Sequence[float] = ()
    """Requests on new connections, from the request to the whole response."""
    http_l: Sequence[float] = ()
    """Round trips on load-generating connections."""


@dataclass(frozen=True)
class Interval:
    """Measurements in one interval of a test."""

    goodput_mbps: float
    samples: Samples


@dataclass(frozen=True)
class Stable:
    """Final result of a test."""

    intervals: int
    """Number of intervals until the result."""
    goodput_mbps: float
    """Moving average of the goodput at the result, in Mbit/s."""
    rpm: float | None
    """Responsiveness in round trips per minute. None if a kind of probe has no sample."""
    goodput_confidence: Confidence
    confidence: Confidence


def trimmed_mean(values: Sequence[float]) -> float | None:
    """Return the mean of the smallest 95 % of the values (single-sided trimmed mean); None without values."""
    kept = sorted(values)[: math.ceil(KEPT * len(values))]
    return statistics.fmean(kept) if kept else None


def foreign_ms(samples: Samples) -> float | None:
    """Return the mean round trip on separate connections in ms: the mean of TM(tcp_f) and TM(http_f).

    None if neither kind of probe has samples.
    """
    handshake, request = trimmed_mean(samples.tcp_f), trimmed_mean(samples.http_f)
    return None if handshake is None or request is None else (handshake + request) / 2


def responsiveness(samples: Samples) -> float | None:
    """Return the responsiveness of the draft's TCP-only case in round trips per minute.

    Foreign_Responsiveness = 60000 / ((TM(tcp_f) + TM(http_f)) / 2), Loaded_Responsiveness = 60000 /
    TM(http_l), Responsiveness = (Foreign_Responsiveness + Loaded_Responsiveness) / 2. None if a kind of probe
    has no sample.
    """
    foreign, loaded = foreign_ms(samples), trimmed_mean(samples.http_l)
    if foreign is None or loaded is None:
        return None
    return (MS_PER_MINUTE / foreign + MS_PER_MINUTE / loaded) / 2


def final(intervals: Sequence[Interval]) -> Stable:
    """Apply the draft's final algorithm to the intervals of a test.

    The responsiveness can become stable only after the goodput. The result is the value at the first stable
    interval, or else at the last interval.

    Raises
    ------
    ValueError
        When `intervals` is empty.
    """
    if not intervals:
        raise ValueError("a test has one interval at least")
    goodputs = [
        statistics.fmean(one.goodput_mbps for one in _window(intervals, i)) for i in range(len(intervals))
    ]
    rpms = [responsiveness(_pooled(_window(intervals, i))) for i in range(len(intervals))]
    saturated = _first_stable(goodputs, 0)
    stable = None if saturated is None else _first_stable(rpms, saturated + 1)
    last = len(intervals) - 1 if stable is None else stable
    return Stable(
        intervals=last + 1,
        goodput_mbps=goodputs[last],
        rpm=rpms[last],
        goodput_confidence=_confidence(len(intervals), saturated),
        confidence=_confidence(0 if saturated is None else last - saturated, stable),
    )


def pooled(intervals: Sequence[Interval], result: Stable) -> Samples:
    """Return the samples of the intervals from which the result was computed."""
    return _pooled(_window(intervals, result.intervals - 1))


def _window(intervals: Sequence[Interval], i: int) -> Sequence[Interval]:
    return intervals[max(0, i + 1 - MAD) : i + 1]


def _pooled(intervals: Sequence[Interval]) -> Samples:
    of = [one.samples for one in intervals]
    return Samples(
        [value for one in of for value in one.tcp_f],
        [value for one in of for value in one.http_f],
        [value for one in of for value in one.http_l],
    )


def _first_stable(values: Sequence[float | None], begin: int) -> int | None:
    """Return the first index, from `begin` on, at which the last MAD values are stable.

    None if the values never become stable.
    """
    for i in range(begin + MAD - 1, len(values)):
        last = [value for value in values[i + 1 - MAD : i + 1] if value is not None]
        if len(last) == MAD and statistics.pstdev(last) < TOLERANCE * last[-1]:
            return i
    return None


def _confidence(executed: int, stable: int | None) -> Confidence:
    if stable is not None:
        return "high"
    return "medium" if executed >= MAD else "low"
