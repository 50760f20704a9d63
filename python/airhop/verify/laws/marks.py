"""Law of ECN marks (RFC 3168): ECN-capable packets, queues that mark, and counts of the run document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airhop.analysis.topology import BEST_EFFORT
from airhop.catalogue import flagged_schemes
from airhop.verify.laws.handshakes import uses_ecn
from airhop.verify.trace import ACTS, Finding, Step, Trace, ways

_MARKS = {"congestion-warning", "step-marking"}
"""Services that replace the queues on a flow's path by queues that mark packets."""
_CAPABLE = ("ect0", "ect1")

_Mark = tuple[int, int]
"""Time at which the packet was offered to the marking queue, and time of its first step with the mark."""


class _Queues:
    """Queues of a scenario that mark packets."""

    def __init__(self, trace: Trace) -> None:
        self._queue_at = trace.queue_at
        queues = list(_queues(trace))
        marking = {name for name, queue in queues if _marks(queue)}
        replaced = any(_MARKS & set(flow.get("services", ())) for flow in trace.plans.values())
        self.certain = set() if replaced else marking
        """Names of the queues that certainly mark; empty if a flow's service may replace queues."""
        self._marking = marking | ({name for name, _ in queues} if replaced else set())

    def marking(self, step: Step) -> str | None:
        """Return the name of the queue to which the packet is offered.

        None if the queue cannot mark packets.
        """
        name = self._queue_at(step.place, step.flow)
        return name if name in self._marking else None


def _queues(trace: Trace) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and keys of each queue of a scenario."""
    for kind in ("wired", "radio"):
        for link in trace.scenario.get(kind, []):
            for place, way in ways(link):
                yield place, way["queue"]
    for cell, plan in zip(trace.cells, trace.scenario.get("wlan", []), strict=True):
        for station in cell.places:
            for category in (BEST_EFFORT, *set(trace.categories.values())):
                yield cell.queue(station, category), plan["queue"]


def _marks(queue: Mapping[str, Any]) -> bool:
    return bool(queue["kind"] == "congestion-warning" or queue.get("ecn"))


@dataclass
class _Seen:
    """Marks in a trace, and packets that may carry a mark that the trace does not show."""

    queues: _Queues
    last: dict[int, Step] = field(default_factory=dict)
    """Last step of each packet."""
    by_queue: defaultdict[str, list[_Mark]] = field(default_factory=lambda: defaultdict(list))
    by_flow: defaultdict[str, list[_Mark]] = field(default_factory=lambda: defaultdict(list))

    def on_step(self, step: Step) -> str | None:
        """Process a step; return the error in the packet's codepoint or control bits, or None."""
        before = self.last.get(step.packet)
        self.last[step.packet] = step
        if before is None or step[11:] == before[11:] or before.step in ("delivered", "dropped"):
            return None
        if step.flags != before.flags:
            return f"control bits {before.flags} become {step.flags}"
        queue = self.queues.marking(before) if before.step == "offered" else None
        if before.ecn not in _CAPABLE or step.ecn != "ce" or queue is None:
            return f"{before.ecn} becomes {step.ecn} ({before.step} at {before.place} before)"
        mark = (before.time, step.time)
        self.by_queue[queue].append(mark)
        self.by_flow[step.flow].append(mark)
        return None

    def unseen(self) -> Iterator[tuple[str, str]]:
        """Yield queue and flow of each packet that may still be marked in its queue at the end of the run."""
        for step in self.last.values():
            queue = self.queues.marking(step) if step.step == "offered" else None
            if queue is not None and step.ecn in _CAPABLE:
                yield queue, step.flow


def check(trace: Trace) -> Iterator[Finding]:
    """Check the ECN codepoints of packets at the sender and on the path (RFC 3168), and the mark counts."""
    seen = _Seen(_Queues(trace))
    ends = {
        name: _Sender(flow)
        for name, flow in trace.flows.items()
        if flow["transport"] == "tcp" and not ACTS & set(flow["services"])
    }
    for step in trace.steps:
        text = seen.on_step(step)
        if text is None and step.step == "made" and step.flow in ends and not step.damaged:
            text = ends[step.flow].on_made(step)
        if text is not None:
            yield Finding("mark", step.time / 1e9, step.place, text)
    yield from _counts(trace, seen, ends)


class _Sender:
    """State of a sender that determines whether packets may be ECN-capable."""

    def __init__(self, flow: Mapping[str, Any]) -> None:
        self._uses = uses_ecn(flow)
        self._is_dctcp = flow["scheme"] in flagged_schemes("echoes-each-byte")
        self._all = self._is_dctcp and flow["tcp"]["preset"] == "linux"
        self._top = 1
        self.ect0: list[int] = []
        """Times in ns at which data was sent with ECT(0)."""

    def on_made(self, step: Step) -> str | None:
        """Process the creation of a packet; return the error in the packet's codepoint, or None."""
        expected = "ect0" if self._uses and self._may_be_marked(step) else "not-ect"
        if step.kind == "data":
            self._top = max(self._top, step.end)
            self.ect0 += [step.time] if step.ecn == "ect0" and step.payload else []
        return None if step.ecn == expected else f"{step.kind} {step.seq} is made {step.ecn}, not {expected}"

    def _may_be_marked(self, step: Step) -> bool:
        """Return whether a packet may be ECN-capable.

        New data may be ECN-capable; under DCTCP, the handshake as well, and with preset linux all packets.
        RFC 3168 §6.1.4 and §6.1.5; RFC 8257 §3.6. A FIN without data is not new data. Notices are never
        ECN-capable.
        """
        if step.kind == "notice":
            return False
        if step.kind == "data":
            return self._all or (step.payload > 0 and step.seq >= self._top)
        return self._all or (self._is_dctcp and "S" in step.flags)


def _counts(trace: Trace, seen: _Seen, ends: Mapping[str, _Sender]) -> Iterator[Finding]:
    """Compare the counts of the document with the trace."""
    unseen = list(seen.unseen())
    for name, flow in trace.lines.items():
        said, names = flow["marks"], trace.connections(name)
        maybe = sum(of in names for _, of in unseen)
        marked = [mark for one in names for mark in seen.by_flow[one]]
        yield from _counted(trace, name, "ce", said["ce"], marked, maybe)
        if ends.keys() & set(names):
            sent = [time for one in names for time in ends[one].ect0]
            yield from _counted(trace, name, "ect0", said["ect0"], _instants(sent))
            echoes = [time for time, ece in trace.rows_of(name, "acks", "ece") if ece]
            yield from _counted(trace, name, "ece", said["ece"], _instants(echoes))
        if said["ect1"]:
            yield Finding("mark", 0.0, name, f"{said['ect1']} packets with ECT(1), which no sender here uses")
    queues = trace.document.get("queues", [])
    counted = {queue["name"]: queue["marked"] for queue in queues if queue["marked"] is not None}
    for name in seen.queues.certain - counted.keys():
        yield Finding("mark", 0.0, name, "its queue marks, and the document does not count it")
    for name in {*counted, *seen.by_queue}:
        maybe = sum(of == name for of, _ in unseen)
        yield from _counted(trace, name, "marked", counted.get(name, 0), seen.by_queue[name], maybe)


def _instants(times: Iterable[int]) -> list[_Mark]:
    return [(time, time) for time in times]


def _counted(
    trace: Trace, place: str, key: str, number: int, marks: Iterable[_Mark], unseen: int = 0
) -> Iterator[Finding]:
    """Compare a count with the marks; marks close to the end of the warm-up may or may not be counted."""
    warmup, marks = trace.warmup, list(marks)
    least = sum(begin > warmup or not warmup for begin, _ in marks)
    most = sum(end >= warmup for _, end in marks) + unseen
    if not least <= number <= most:
        text = f"{key} is {number}, and the trace has {least}{f' to {most}' if most > least else ''}"
        yield Finding("mark", 0.0, place, text)
