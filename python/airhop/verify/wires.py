"""A wired link: one packet at a time at its rate, then its delay; a queue that has room and does not idle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airhop.verify.trace import FIFO, ROUNDING, Finding, Step, Trace, quantity


@dataclass
class _Port:
    """One direction of a link, and what passed it."""

    place: str
    rate: float
    delay: int
    queue: Mapping[str, Any]
    offered: dict[int, Step] = field(default_factory=dict)
    departed: list[Step] = field(default_factory=list)
    """In the order of arrival at the far end, whether lost on the way or not."""
    dropped: list[Step] = field(default_factory=list)
    """By the queue."""


@dataclass(frozen=True)
class _Passage:
    """A packet through a port, times in nanoseconds."""

    step: Step
    offered: int
    start: int
    end: int


def check(trace: Trace) -> Iterator[Finding]:
    """Derive when every packet was served, and hold that against the rate, the queue and the order."""
    ports = _ports(trace)
    for port in ports.values():
        passages = list(_passages(port))
        yield from _served(port, passages)
        yield from _waiting(port, passages)
        if port.queue["kind"] in FIFO:
            yield from _order(port, passages)


def _ports(trace: Trace) -> dict[str, _Port]:
    ports = {}
    for link in trace.scenario.get("wired", []):
        if "rate" not in link or any(key in link for key in ("deliveries", "rates", "outages", "handoffs")):
            continue  # its rate varies
        for a, b in (link["ends"], link["ends"][::-1]):
            place = f"{a}->{b}"
            ports[place] = _Port(place, quantity(link["rate"]), round(quantity(link["delay"])), link["queue"])
    for step in trace.steps:
        port = ports.get(step.place)
        if port is None:
            continue
        if step.step == "offered":
            port.offered[step.packet] = step
        elif step.step == "arrived" or step.cause == "channel":
            port.departed.append(step)
        else:
            port.dropped.append(step)
    return ports


def _passages(port: _Port) -> Iterator[_Passage]:
    for step in port.departed:
        end = step.time - port.delay
        start = end - round(step.bytes * 8e9 / port.rate)
        if step.packet in port.offered:  # if not, its walk is wrong
            yield _Passage(step, port.offered[step.packet].time, start, end)


def _served(port: _Port, passages: list[_Passage]) -> Iterator[Finding]:
    """Hold each start against when it was offered and when the one before was done: the later of both."""
    free = 0
    for passage in passages:
        due = max(passage.offered, free)
        if passage.start < due - ROUNDING:
            early = due - passage.start
            yield _finding(port, passage.step, f"arrives {early} ns before serialisation and delay allow")
        elif passage.start > due + ROUNDING:
            yield _finding(port, passage.step, f"waits {passage.start - due} ns for a free serialiser")
        free = passage.end


def _waiting(port: _Port, passages: list[_Passage]) -> Iterator[Finding]:
    """Count those that wait; at one instant, who leaves is counted first."""
    served = {passage.step.packet: passage for passage in passages}
    gone = {step.packet: step.time for step in port.dropped}
    changes: list[tuple[int, int, Step]] = []
    for packet, step in port.offered.items():
        until = gone.get(packet) if packet in gone else served[packet].start if packet in served else None
        if until is not None and until <= step.time + ROUNDING:
            continue  # it passed, or was refused, at once
        changes.append((step.time, 1, step))
        if until is not None:
            changes.append((until - ROUNDING, -1, step))
    waiting = 0
    for _, change, step in sorted(changes, key=lambda item: item[:2]):
        waiting += change
        if change > 0 and waiting > port.queue["packets"] + _on_the_wire(port, passages, step):
            yield _finding(
                port, step, f"{waiting} packets wait, and there is room for {port.queue['packets']}"
            )


def _on_the_wire(port: _Port, passages: list[_Passage], step: Step) -> int:
    """Packets that were served before the end of the run and arrive after it: their start is not known."""
    if not passages or step.time <= passages[-1].end - ROUNDING:
        return 0
    smallest = min(other.bytes for other in port.offered.values())
    elapsed = step.time - passages[-1].end
    return int(elapsed * port.rate / 8e9 / smallest) + 1


def _order(port: _Port, passages: list[_Passage]) -> Iterator[Finding]:
    place = {packet: number for number, packet in enumerate(port.offered)}
    last = -1
    for passage in passages:
        number = place[passage.step.packet]
        if number < last:
            yield _finding(port, passage.step, "overtook another one in a queue that keeps the order")
        last = max(last, number)


def _finding(port: _Port, step: Step, text: str) -> Finding:
    return Finding("wire", step.time / 1e9, port.place, f"{step.kind} {step.seq}: {text}")
