"""Law of the one-way delays in the run document, by flow and by class of flows.

For TCP, the delay of a byte is the time from first transmission to in-order delivery to the application. For
datagrams, it is the time from creation to delivery.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from airhop.verify.trace import Finding, Trace

_CLOSE = 1e-9
"""Maximum relative difference of sums of 64-bit floats."""
_PART = 1 / 128
"""Maximum relative error of a percentile in the run document. The exact percentile is never larger."""
_PERCENTS = (50, 95, 99)

_Delays = Counter[int]
"""Number of bytes or datagrams, by delay in ns."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare the delays of flows and classes with the delays of delivered bytes and datagrams."""
    found: dict[str, _Delays] = {}
    for name, flow in trace.lines.items():
        is_stream = flow["transport"] == "tcp"
        found[name] = _of_bytes(trace, name) if is_stream else _of_datagrams(trace, name)
        yield from _contradictions(name, flow["delay_ms"], found[name])
    for one in trace.document["classes"]:
        names = [flow["name"] for flow in trace.document["flows"] if flow["class"] == one["name"]]
        if found.keys() >= set(names):
            whole = sum((found[name] for name in names), _Delays())
            yield from _contradictions(f"class {one['name']}", one["delay_ms"], whole)


def _of_bytes(trace: Trace, line: str) -> _Delays:
    """Return the delays of the bytes that were delivered after the warm-up, on all connections of a flow."""
    delays = _Delays()
    for name in trace.connections(line):
        firsts = _first_sent(trace.rows_of(name, "segments", "seq", "bytes"))
        end, sent = next(firsts, (0, 0))
        for (_, at), (time, total) in pairwise([(0, 0), *trace.rows_of(name, "deliveries", "bytes")]):
            while at < total:
                while end <= at and end:
                    end, sent = next(firsts, (0, 0))
                upto = min(end, total) if end else total  # never sent; the law `receiver` reports this
                if time > trace.warmup:
                    delays[time - sent] += upto - at
                at = upto
    return delays


def _first_sent(rows: list[tuple[Any, ...]]) -> Iterator[tuple[int, int]]:
    """Yield the total number of bytes sent and the time in ns, for each transmission of new bytes."""
    top = 0
    for time, seq, size in rows:
        if seq + size - 1 > top:
            top = seq + size - 1
            yield top, time


def _of_datagrams(trace: Trace, name: str) -> _Delays:
    """Return the delays of the datagrams that were delivered after the warm-up."""
    made: dict[int, int] = {}
    delays = _Delays()
    begins = trace.warmup or -1  # without a warm-up everything counts, from time 0 on
    for step in trace.steps_of(name):
        if step.kind == "datagram":
            if step.step == "made":
                made[step.packet] = step.time
            elif step.step == "delivered" and step.time > begins and step.packet in made:
                delays[step.time - made[step.packet]] += 1
    return delays


def _contradictions(place: str, said: Mapping[str, float] | None, delays: _Delays) -> Iterator[Finding]:
    """Compare mean and maximum exactly.

    Percentiles in the document may be slightly too large.
    """
    total = delays.total()
    if (said is None) != (total == 0):
        yield Finding("delay", 0.0, place, f"delay_ms is {said}, and the trace has {total} delays")
    if said is None or not total:
        return
    exact = {"mean": sum(delay * count for delay, count in delays.items()) / total, "max": max(delays)}
    excess = dict.fromkeys(exact, 0.0)
    for percent, delay in _percentiles(delays, total).items():
        exact[f"p{percent}"], excess[f"p{percent}"] = delay, _PART
    for key, nanoseconds in exact.items():
        value = nanoseconds / 1e6
        close = _CLOSE * max(1.0, value)
        if not value - close <= said[key] <= value * (1 + excess[key]) + close:
            yield Finding("delay", 0.0, place, f"delay_ms.{key} is {said[key]}, and {value} by the trace")


def _percentiles(delays: _Delays, total: int) -> dict[int, int]:
    """Return the nearest-rank percentiles in ns."""
    ranks = {percent: -(-total * percent // 100) for percent in _PERCENTS}
    found: dict[int, int] = {}
    below = 0
    for delay in sorted(delays):
        below += delays[delay]
        for percent, rank in ranks.items():
            if below >= rank:
                found.setdefault(percent, delay)
    return found
