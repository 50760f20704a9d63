"""Where packets go: nearer to their end with each hop where routes are static, and never round in circles."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain

from airhop.topology import cells
from airhop.verify.trace import Finding, Trace, is_handshake

_HOPS = 64
"""Time to live of a packet as it is made (RFC 1700)."""


def check(trace: Trace) -> Iterator[Finding]:
    """Look where each packet is offered."""
    is_static = all(plan["routing"]["kind"] == "static" for plan in trace.scenario.get("wlan", []))
    neighbours = _neighbours(trace)
    ends = {name: {"data": flow["to"], "datagram": flow["to"], "ack": flow["from"]}
            for name, flow in trace.flows.items()}  # fmt: skip

    @cache
    def distances(end: str) -> Mapping[str, int]:
        return _distances(neighbours, end)

    hops: Counter[int] = Counter()
    for step in trace.steps:
        hops[step.packet] += step.step == "arrived"
        if hops[step.packet] > _HOPS:
            yield _finding(step.time, step.place, f"{step.kind} {step.seq} goes on after {_HOPS} hops")
        end = ends.get(step.flow, {}).get(step.kind)
        if is_static and end is not None and step.step == "offered" and not is_handshake(step):
            here, _, there = step.place.partition("->")
            away = distances(end)
            if away.get(there, len(away)) != away[here] - 1:
                yield _finding(step.time, step.place, f"{step.kind} {step.seq} comes no nearer to {end}")


def _neighbours(trace: Trace) -> dict[str, set[str]]:
    wires = (link["ends"] for kind in ("wired", "radio") for link in trace.scenario.get(kind, ()))
    found: dict[str, set[str]] = {}
    for a, b in chain(wires, *(cell.links for cell in cells(trace.scenario, trace.tables))):
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return found


def _distances(neighbours: Mapping[str, set[str]], end: str) -> Mapping[str, int]:
    """Count the hops from each node to an end."""
    away, frontier = {end: 0}, deque([end])
    while frontier:
        node = frontier.popleft()
        for other in neighbours.get(node, ()):
            if other not in away:
                away[other] = away[node] + 1
                frontier.append(other)
    return away


def _finding(time: int, place: str, text: str) -> Finding:
    return Finding("route", time / 1e9, place, text)
