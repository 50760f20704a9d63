"""Law of wired links: one packet at a time at the rate, then the delay; queue capacity.

A link is never idle while packets wait.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple

from airhop.verify.trace import ROUNDING, Finding, Step, Trace, keeps_order, listed, quantity, ways


class _Pace:
    """Number of bits that a link could have sent by a given time, at rates known before the run."""

    def __init__(self, link: Mapping[str, Any], duration: int) -> None:
        rates, outages = [(0, quantity(link["rate"]))], []
        for change in listed(link.get("changes", [])):
            every = round(quantity(change["every"])) if "every" in change else duration
            for at in range(round(quantity(change["at"])), duration, every):
                if change["kind"] == "rate":
                    rates.append((at, quantity(change["rate"])))
                elif change["fate"] == "wait":
                    outages.append((at, at + round(quantity(change["lasts"]))))
        rates.sort(key=lambda change: change[0])  # the last change of an instant applies
        self._times = sorted({time for time, _ in rates}.union(*outages))
        begins, ends = (sorted(outage[which] for outage in outages) for which in (0, 1))
        self._rates = [
            0.0 if bisect_right(begins, time) > bisect_right(ends, time) else _latest(rates, time)
            for time in self._times
        ]
        self._bits = [0.0]
        for (time, after), rate in zip(pairwise(self._times), self._rates, strict=False):
            self._bits.append(self._bits[-1] + (after - time) * rate / 1e9)
        self.fastest = max(self._rates)
        """Highest rate in bits per second."""

    def bits(self, time: int) -> float:
        """Return the number of bits that could have been sent by `time`."""
        place = bisect_right(self._times, time) - 1 if len(self._times) > 1 else 0
        return self._bits[place] + (time - self._times[place]) * self._rates[place] / 1e9


def _latest(rates: list[tuple[int, float]], time: int) -> float:
    return rates[bisect_right(rates, (time, math.inf)) - 1][1]


@dataclass
class _Port:
    """Direction of a link, with the packets that crossed the link."""

    place: str
    pace: _Pace
    delay: int
    queue: Mapping[str, Any]
    offered: dict[int, Step] = field(default_factory=dict)
    departed: list[Step] = field(default_factory=list)
    """Packets in the order of arrival at the far end, including packets lost on the wire."""
    dropped: list[Step] = field(default_factory=list)
    """Packets dropped by the queue."""

    @cached_property
    def smallest(self) -> int:
        """Length of the smallest packet in bytes."""
        return min(step.bytes for step in self.offered.values())

    @cached_property
    def passages(self) -> list[Passage]:
        """Start and end of each packet's transmission.

        Derived from the packet's offer and its arrival at the far end.
        """
        found, free = [], 0
        for step in self.departed:
            if step.packet in self.offered:  # the law `walks` reports packets without an offer
                offered, end = self.offered[step.packet].time, step.time - self.delay
                found.append(Passage(step, offered, max(offered, free), end))
                free = end
        return found


class Passage(NamedTuple):
    """A packet through a port, times in nanoseconds."""

    step: Step
    offered: int
    start: int
    """Start of transmission in ns: the packet's offer or the end of the previous transmission, if later."""
    end: int


def check(trace: Trace) -> Iterator[Finding]:
    """Derive the transmission times of every packet.

    Compare them with rate, queue and order.
    """
    for port in ports(trace).values():
        yield from _check_service(port)
        yield from _waiting(port)
        if keeps_order(port.queue):
            yield from _order(port)


def ports(trace: Trace) -> dict[str, _Port]:
    """Return the directions of wires with a known rate, by place.

    Each direction has the packets that crossed the wire.
    """
    return trace.derived(_ports)


def _ports(trace: Trace) -> dict[str, _Port]:
    found = {}
    for link in trace.scenario.get("wired", []):
        for place, way in ways(link):
            if "rate" not in way or _hands_over(way):
                continue  # a file defines the rate, or a handoff replaces the link
            pace = _Pace(way, trace.duration)
            found[place] = _Port(place, pace, round(quantity(way["delay"])), way["queue"])
    for step in trace.steps:
        port = found.get(step.place)
        if port is None:
            continue
        if step.step == "offered":
            port.offered[step.packet] = step
        elif step.step == "dropped" and step.cause != "channel":
            port.dropped.append(step)
    for place, port in found.items():
        port.departed = trace.came_through(place)
    return found


def _hands_over(link: Mapping[str, Any]) -> bool:
    return any(change["kind"] == "handoff" for change in listed(link.get("changes", [])))


def _check_service(port: _Port) -> Iterator[Finding]:
    """Compare each packet's end of transmission with its start plus its transmission time."""
    for passage in port.passages:
        left = port.pace.bits(passage.end) - port.pace.bits(passage.start) - passage.step.bytes * 8
        nanoseconds = left * 1e9 / port.pace.fastest
        if nanoseconds < -ROUNDING:
            text = f"arrives {-nanoseconds:.0f} ns before serialisation and delay allow"
            yield _finding(port, passage.step, text)
        elif nanoseconds > ROUNDING:
            yield _finding(port, passage.step, f"waits {nanoseconds:.0f} ns for a free serialiser")


def _waiting(port: _Port) -> Iterator[Finding]:
    """Count the queued packets; at one instant, departures precede arrivals."""
    served = {passage.step.packet: passage for passage in port.passages}
    gone = {step.packet: step.time for step in port.dropped}
    changes: list[tuple[int, int, Step]] = []
    for packet, step in port.offered.items():
        until = gone.get(packet) if packet in gone else served[packet].start if packet in served else None
        if until is not None and until <= step.time + ROUNDING:
            continue  # the packet was sent, or dropped, at once
        changes.append((step.time, 1, step))
        if until is not None:
            changes.append((until - ROUNDING, -1, step))
    waiting = 0
    for _, change, step in sorted(changes, key=itemgetter(0, 1)):
        waiting += change
        if change > 0 and waiting > port.queue["packets"] + _on_the_wire(port, step):
            yield _finding(
                port, step, f"{waiting} packets wait, and there is room for {port.queue['packets']}"
            )


def _on_the_wire(port: _Port, step: Step) -> int:
    """Return the number of packets that may be on the wire at the end of the run."""
    served_until = port.passages[-1].end if port.passages else 0
    if step.time <= served_until - ROUNDING:
        return 0
    elapsed = step.time - served_until
    return int(elapsed * port.pace.fastest / 8e9 / port.smallest) + 1


def _order(port: _Port) -> Iterator[Finding]:
    place = {packet: number for number, packet in enumerate(port.offered)}
    last = -1
    for passage in port.passages:
        number = place[passage.step.packet]
        if number < last:
            yield _finding(port, passage.step, "overtook another one in a queue that keeps the order")
        last = max(last, number)


def _finding(port: _Port, step: Step, text: str) -> Finding:
    return Finding("wire", step.time / 1e9, port.place, f"{step.kind} {step.seq}: {text}")
