"""Law of routes: each hop of a static route is nearer to the destination, and no route is a loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache

from airhop.analysis.topology import hops_to, neighbours_of
from airhop.verify.trace import Finding, Trace, is_handshake

_HOPS = 64
"""Initial time to live of a packet (RFC 1700)."""


def check(trace: Trace) -> Iterator[Finding]:
    """Check that packets take at most 64 hops, and that each static hop leads nearer to the destination."""
    is_static = all(plan["routing"]["kind"] == "static" for plan in trace.scenario.get("wlan", []))
    neighbours = neighbours_of(trace.scenario, trace.cells)
    ends = {name: {"data": flow["to"], "datagram": flow["to"], "ack": flow["from"]}
            for name, flow in trace.flows.items()}  # fmt: skip

    @cache
    def distances(end: str) -> Mapping[str, int]:
        return hops_to(end, neighbours)

    @cache
    def is_nearer(place: str, end: str) -> bool:
        here, _, there = place.partition("->")
        away = distances(end)
        return away.get(there, len(away)) == away[here] - 1

    hops: Counter[int] = Counter()
    for step in trace.steps:
        if step.step == "arrived":
            hops[step.packet] += 1
            if hops[step.packet] > _HOPS:
                yield _finding(step.time, step.place, f"{step.kind} {step.seq} goes on after {_HOPS} hops")
        elif is_static and step.step == "offered":
            end = ends.get(step.flow, {}).get(step.kind)
            if end is not None and not is_nearer(step.place, end) and not is_handshake(step):
                yield _finding(step.time, step.place, f"{step.kind} {step.seq} comes no nearer to {end}")


def _finding(time: int, place: str, text: str) -> Finding:
    return Finding("route", time / 1e9, place, text)
