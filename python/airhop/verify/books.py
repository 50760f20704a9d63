"""The run document against the trace."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from airhop.verify.trace import Finding, Trace, quantity

_COUNTED_ONCE = ("queue", "aqm", "agent")
"""Reasons that drop packets and nothing else: frames are counted under others."""


def check(trace: Trace) -> Iterator[Finding]:
    """Goodput is what was handed over after the warm-up; counters are numbers of rows."""
    duration, warmup = (quantity(trace.scenario[key]) for key in ("duration", "warmup"))
    delivered: dict[str, list[int]] = {name: [0, 0] for name in trace.flows}
    for time, name, total in trace.rows("deliveries", "flow", "bytes"):
        delivered[name][time > warmup :] = [total] * (2 - (time > warmup))
    datagrams = Counter(
        step.flow
        for step in trace.steps
        if step.step == "delivered" and step.kind == "datagram" and step.time > warmup
    )
    sizes = {step.flow: step.payload for step in trace.steps if step.kind == "datagram"}
    for name, flow in trace.flows.items():
        early, late = delivered[name]
        total = late - early if flow["transport"] == "tcp" else datagrams[name] * sizes.get(name, 0)
        goodput = total * 8 / ((duration - warmup) / 1e9) / 1e6
        if abs(goodput - flow["goodput_mbps"]) > 1e-9 * max(1.0, goodput):
            yield _finding(name, f"goodput {flow['goodput_mbps']} Mbit/s, and {goodput} were delivered")
    if not trace.has_warmup:
        yield from _counters(trace)


def _counters(trace: Trace) -> Iterator[Finding]:
    sent: Counter[str] = Counter()
    again: Counter[str] = Counter()
    for _, name, retransmission in trace.rows("segments", "flow", "retransmission"):
        sent[name] += 1
        again[name] += retransmission
    for name, flow in trace.flows.items():
        if flow["transport"] == "tcp":
            yield from _equal(name, "sent_segments", flow, sent[name])
            yield from _equal(name, "retransmissions", flow, again[name])
    drops = Counter(step.cause for step in trace.steps if step.step == "dropped")
    for cause in _COUNTED_ONCE:
        yield from _equal("drops", cause, trace.document["drops"], drops[cause])


def _equal(place: str, key: str, document: Mapping[str, Any], rows: int) -> Iterator[Finding]:
    if document[key] != rows:
        yield _finding(place, f"{key} is {document[key]}, and the trace has {rows}")


def _finding(place: str, text: str) -> Finding:
    return Finding("books", 0.0, place, text)
