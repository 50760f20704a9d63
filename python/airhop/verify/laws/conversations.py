"""Law of calls and games: packet intervals, deadlines at the receivers, and the rating of calls.

Packets of a call are played a constant time after transmission. The first arrival determines this time. The
rating is the E-model of ITU-T G.107 (06/2015) with default values and without echo.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Any

from airhop.verify.trace import ROUNDING, Finding, Trace, quantity

_CLOSE = 1e-9
"""Maximum relative difference of two sums that are computed in different orders."""
_SUMS = {"played", "in_time", "late", "lost"}
"""Numbers of a class that are sums over its flows; the other numbers are means."""
_BACK = " reverse"
"""Suffix of the name of the flow in the reverse direction."""


@dataclass(frozen=True)
class _Packets:
    """Packets of one direction; times in nanoseconds."""

    sent: Sequence[int]
    arrived: Sequence[int | None]
    """Times of arrival, in the order of transmission."""
    first_delay: int | None
    """One-way delay of the packet that arrived first; None without an arrival."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare packet intervals with the scenario, and the numbers of the run document with the trace."""
    if trace.duration <= trace.warmup:
        return  # a run that ends during its warm-up has no measures
    for name, flow in trace.lines.items():
        if (kind := flow["app"]["kind"]) in ("call", "game"):
            packets = _packets(trace, name)
            yield from _off_beat(name, flow, packets.sent)
            expected = _call(trace, flow, packets) if kind == "call" else _game(trace, flow, packets)
            yield from _differences(f"{name}, {kind}", flow.get(kind), expected)
    for one in trace.document["classes"]:
        for kind in ("call", "game"):
            mine = [
                flow[kind]
                for flow in trace.document["flows"]
                if flow["class"] == one["name"] and kind in flow
            ]
            if mine or kind in one:
                yield from _differences(f"class {one['name']}, {kind}", one.get(kind), _in_class(mine))


def _packets(trace: Trace, name: str) -> _Packets:
    """Return the packets of a flow in the order of their transmission."""
    steps = trace.steps_of(name)
    sent = {step.packet: step.time for step in steps if step.step == "made"}
    arrived = {step.packet: step.time for step in steps if step.step == "delivered"}
    first = next((at - sent[packet] for packet, at in arrived.items() if packet in sent), None)
    return _Packets(list(sent.values()), [arrived.get(packet) for packet in sent], first)


def _off_beat(name: str, flow: Mapping[str, Any], sent: Sequence[int]) -> Iterator[Finding]:
    """Find packets that were not sent at the application's intervals.

    The first packet is sent at the start of the flow. In the reverse direction, it follows within an
    interval.
    """
    every, start = quantity(flow["app"]["every"]), quantity(flow["start"])
    latest = start + every if name.endswith(_BACK) else start
    if sent and not start - ROUNDING <= sent[0] <= latest + ROUNDING:
        yield _finding(name, f"the first packet is sent at {sent[0] / 1e9} s", sent[0])
    for before, time in pairwise(sent):
        if abs(time - before - every) > ROUNDING:
            yield _finding(name, f"a packet is sent {(time - before) / 1e6} ms after another", time)


def _counts(trace: Trace, packets: _Packets, bound: int) -> tuple[list[bool], int]:
    """Return for each deadline whether the packet arrived in time, and the number of late packets.

    Only deadlines after the warm-up and before the end of the run count.
    """
    counted = [
        (at, sent + bound)
        for sent, at in zip(packets.sent, packets.arrived, strict=True)
        if trace.warmup <= sent + bound < trace.duration
    ]
    late = sum(at is not None and at > deadline for at, deadline in counted)
    return [at is not None and at <= deadline for at, deadline in counted], late


def _shares(in_time: Sequence[bool], late: int, key: str) -> dict[str, float | None]:
    """Return counts, and percentages of late and lost packets.

    Percentages are None without packets.
    """
    played, every = sum(in_time), len(in_time)
    lost = every - played - late
    percent = {"late_pct": late, "lost_pct": lost}
    shares = {name: 100 * count / every if every else None for name, count in percent.items()}
    return {key: played, "late": late, "lost": lost, **shares}


def _game(trace: Trace, flow: Mapping[str, Any], packets: _Packets) -> dict[str, float | None]:
    return _shares(*_counts(trace, packets, round(quantity(flow["app"]["deadline"]))), "in_time")


def _call(trace: Trace, flow: Mapping[str, Any], packets: _Packets) -> dict[str, float | None]:
    """Return the numbers of a call: packet counts by playout, and the values of the E-model.

    The values of the E-model are None if no packet was due.
    """
    app = flow["app"]
    in_time: list[bool] = []
    bound = late = 0
    if packets.first_delay is not None:
        bound = packets.first_delay + round(quantity(app["playout"]))
        in_time, late = _counts(trace, packets, bound)
    rated = dict.fromkeys(("mouth_to_ear_ms", "burst_ratio", "idd", "ie_eff", "r", "mos"))
    numbers: dict[str, float | None] = {**_shares(in_time, late, "played"), **rated}
    if in_time:
        delay_ms = (bound + quantity(app["every"])) / 1e6
        ratio = _burst_ratio(in_time)
        ppl = 100 * (1 - sum(in_time) / len(in_time))
        idd = _delay_impairment(delay_ms)
        ie_eff = min(app["ie"] + (95 - app["ie"]) * ppl / (ppl / max(ratio or 1, 1) + app["bpl"]), 95)
        r = min(max(93.2 - idd - ie_eff, 0), 100)
        mos = max(1 + 0.035 * r + 7e-6 * r * (r - 60) * (100 - r), 1)
        numbers |= {"mouth_to_ear_ms": delay_ms, "burst_ratio": ratio, "idd": idd, "ie_eff": ie_eff, "r": r}
        numbers["mos"] = mos
    return numbers


def _burst_ratio(in_time: Sequence[bool]) -> float | None:
    """Return the burst ratio: mean length of loss bursts, divided by the mean length under random loss.

    None if no packet was missed.
    """
    bursts = [len(list(run)) for arrived, run in groupby(in_time) if not arrived]
    if not bursts:
        return None
    return sum(bursts) / len(bursts) * sum(in_time) / len(in_time)


def _delay_impairment(delay_ms: float) -> float:
    """Return the impairment Idd for a mouth-to-ear delay (G.107 §7.4)."""
    if delay_ms <= 100:
        return 0.0
    x = math.log2(delay_ms / 100)
    roots = ((1 + x**6) ** (1 / 6), (1 + (x / 3) ** 6) ** (1 / 6))
    return float(25 * (roots[0] - 3 * roots[1] + 2))


def _in_class(flows: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Combine the numbers of flows: sums of counts, means of other numbers, and the lowest rating.

    A mean or a rating is None if no flow has a value.
    """
    found: dict[str, float | None] = {}
    for key in flows[0] if flows else ():
        values = [value for flow in flows if (value := flow[key]) is not None]
        if key in _SUMS:
            found[key] = sum(values)
        else:
            found[key] = sum(values) / len(values) if values else None
        if key == "r":
            found["r_min"] = min(values, default=None)
    return found


def _differences(
    place: str, said: Mapping[str, float | None] | None, expected: Mapping[str, float | None]
) -> Iterator[Finding]:
    """Yield the numbers of the document that differ from the numbers of the trace."""
    if said is None or list(said) != list(expected):
        yield _finding(place, f"the document has {said}, and the trace {dict(expected)}")
        return
    for key, value in expected.items():
        told = said[key]
        if (told is None) != (value is None) or (
            told is not None and value is not None and abs(told - value) > _CLOSE * max(1.0, abs(value))
        ):
            yield _finding(place, f"{key} is {told}, and {value} by the trace")


def _finding(place: str, text: str, time: int = 0) -> Finding:
    return Finding("conversation", time / 1e9, place, text)
