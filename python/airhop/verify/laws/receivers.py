"""The receiving end of TCP, derived from the segments that reached it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from airhop.catalogue import flagged_schemes
from airhop.verify.trace import ROUNDING, Finding, Trace, quantity


class _Reassembly:
    """Bytes that arrived, as the stream that they make."""

    def __init__(self) -> None:
        self.next = 1
        """First byte that is missing; the SYN is byte 0."""
        self.before = (0, 1)
        """When a segment last arrived, and the first byte that was missing before it."""
        self._beyond: dict[int, int] = {}
        """Segments beyond it: where they begin, and where they end."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing between segments."""
        return not self._beyond

    def add(self, time: int, start: int, end: int) -> None:
        """Take the bytes [start, end) in."""
        self.before = (time, self.next)
        self._beyond[start] = max(end, self._beyond.get(start, end))
        if start > self.next:
            return
        for begin in sorted(self._beyond):
            if begin > self.next:
                break
            self.next = max(self.next, self._beyond.pop(begin))


LONGEST_TURNAROUND = 1_000_000_000
"""What the receiver's host takes at most from a segment to its ACK, ns, where it takes anything."""


class _Promise:
    """The ACK that a receiver owes (RFC 9293 §3.8.6.3, RFC 5681 §4.2)."""

    def __init__(self, flow: Mapping[str, Any]) -> None:
        delay = flow["tcp"]["delayed_ack"]
        self._enough = delay["segments"] * quantity(flow["segment"]) if delay else 0.0
        self._timeout = round(quantity(delay["timeout"])) if delay else 0
        self._host = LONGEST_TURNAROUND if flow["tcp"]["turnaround"] else 0
        self._owed = 0
        """Bytes that came since the last one."""
        self.due: int | None = None
        """When it has to be made at the latest."""

    def on_data(self, time: int, payload: int, is_next: bool) -> None:
        """Take in a segment; what is not the next one, or fills a gap, is acknowledged at once."""
        self._owed += payload
        at_once = self._owed >= self._enough or not is_next
        due = (time if at_once else time + self._timeout) + self._host
        self.due = due if self.due is None else min(self.due, due)

    def on_ack(self) -> None:
        """Take in the ACK."""
        self._owed, self.due = 0, None

    def is_broken(self, now: int) -> bool:
        """Whether it should have come by now; it is then no longer waited for."""
        if self.due is None or now <= self.due + ROUNDING:
            return False
        self.on_ack()
        return True


def check(trace: Trace) -> Iterator[Finding]:
    """Hold each ACK that a receiver makes, and each delivery, against the stream that has arrived."""
    flows = {name: flow for name, flow in trace.flows.items() if flow["transport"] == "tcp"}
    streams = {name: _Reassembly() for name in flows}
    promises = {name: _Promise(flow) for name, flow in flows.items()}
    grown: dict[str, list[tuple[int, int]]] = {name: [] for name in flows}
    for step in trace.steps:
        flow = flows.get(step.flow)
        if flow is None:
            continue
        stream, promise = streams[step.flow], promises[step.flow]
        if promise.is_broken(step.time):
            yield Finding("receiver", step.time / 1e9, flow["to"], "a segment arrived, and its ACK is late")
        if step.step == "delivered" and step.kind == "data" and step.place == flow["to"] and not step.damaged:
            before = stream.next
            promise.on_data(step.time, step.payload, step.seq == before and stream.is_whole)
            stream.add(step.time, step.seq, step.seq + step.payload)
            if stream.next > before:
                grown[step.flow].append((step.time, stream.next - 1))
        elif step.step == "made" and step.kind == "ack" and step.place == flow["to"]:
            promise.on_ack()
            # RFC 8257 §3.2: when marks begin or end, it first acknowledges what came before.
            tells = flow["scheme"] in flagged_schemes("echoes-each-byte") and stream.before == (
                step.time,
                step.seq,
            )
            if step.seq != stream.next and not tells:
                text = f"ACK {step.seq} although {stream.next} is the first byte that is missing"
                yield Finding("receiver", step.time / 1e9, step.place, text)
    for name, promise in promises.items():
        if promise.is_broken(trace.duration):
            yield Finding("receiver", trace.duration / 1e9, name, "a segment arrived, and no ACK followed")
    recorded: dict[str, list[tuple[int, int]]] = {name: [] for name in flows}
    for time, name, total in trace.rows("deliveries", "flow", "bytes"):
        if name not in recorded and name not in trace.real:
            yield Finding("receiver", time / 1e9, name, "a delivery, and it has no stream")
        recorded.setdefault(name, []).append((time, total))
    for name in flows:
        yield from _deliveries(name, recorded[name], grown[name])


def _deliveries(
    name: str, recorded: list[tuple[int, int]], grown: list[tuple[int, int]]
) -> Iterator[Finding]:
    for (time, total), (arrived, stream) in zip(recorded, grown, strict=False):
        if (time, total) != (arrived, stream):
            text = f"{total} bytes handed over, and the stream has {stream} since {arrived / 1e9:.9f} s"
            yield Finding("receiver", time / 1e9, name, text)
    if len(recorded) != len(grown):
        text = f"{len(recorded)} deliveries recorded, and the stream grew {len(grown)} times"
        yield Finding("receiver", _last(recorded, grown), name, text)


def _last(*lists: list[tuple[int, int]]) -> float:
    """Give the last time in lists of times, seconds."""
    return max((entries[-1][0] for entries in lists if entries), default=0) / 1e9
