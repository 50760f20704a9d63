"""Law of TCP receivers: ACKs and deliveries follow from the arrived segments."""

from __future__ import annotations

import sys
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

from airhop.catalogue import flagged_schemes
from airhop.verify.trace import ROUNDING, Finding, Step, Trace, quantity


class _Reassembly:
    """Reassembly of arrived bytes into a stream."""

    def __init__(self) -> None:
        self.next = 1
        """First byte that is missing; the SYN is byte 0."""
        self.before = (0, 1)
        """Time of the last segment's arrival, and the first missing byte before this arrival."""
        self._beyond: dict[int, int] = {}
        """End of each segment beyond the first gap, by the segment's first byte."""
        self._begins: list[int] = []
        """First byte of each segment beyond the first gap, as a heap."""

    @property
    def is_whole(self) -> bool:
        """True if no gap remains between segments."""
        return not self._beyond

    def add(self, time: int, start: int, end: int) -> None:
        """Add the bytes [start, end)."""
        self.before = (time, self.next)
        if start not in self._beyond:
            heappush(self._begins, start)
        self._beyond[start] = max(end, self._beyond.get(start, end))
        while self._begins and self._begins[0] <= self.next:
            self.next = max(self.next, self._beyond.pop(heappop(self._begins)))


LONGEST_TURNAROUND = 1_000_000_000
"""Maximum processing time of a segment, in ns, if the receiver's host has a processing time."""


class _PendingAck:
    """Pending ACK of a receiver (RFC 9293 §3.8.6.3, RFC 5681 §4.2)."""

    def __init__(self, flow: Mapping[str, Any]) -> None:
        delay = flow["tcp"]["delayed_ack"]
        self._enough = delay["segments"] * quantity(flow["segment"]) if delay else 0.0
        self._timeout = round(quantity(delay["timeout"])) if delay else 0
        self._host = LONGEST_TURNAROUND if flow["tcp"]["turnaround"] else 0
        self._owed = 0
        """Bytes received since the last ACK."""
        self.due: int | None = None
        """Latest time of the delayed ACK in ns."""

    def on_data(self, time: int, payload: int, is_next: bool) -> None:
        """Process a segment; a segment out of order, in a gap or with a FIN requires an immediate ACK."""
        self._owed += payload
        at_once = self._owed >= self._enough or not is_next
        due = (time if at_once else time + self._timeout) + self._host
        self.due = due if self.due is None else min(self.due, due)

    def on_ack(self) -> None:
        """Process the ACK."""
        self._owed, self.due = 0, None

    def is_broken(self, now: int) -> bool:
        """Return whether the delayed ACK is overdue.

        An overdue ACK is reported only once.
        """
        if self.due is None or now <= self.due + ROUNDING:
            return False
        self.on_ack()
        return True


class _Host:
    """Receiver's host with a processing time: segments wait for TCP, in order.

    When TCP processes a segment that advances the stream, the trace records a delivery.
    """

    def __init__(self, stream: _Reassembly, rows: list[tuple[int, int]]) -> None:
        self._stream = stream
        self._rows = deque(rows)
        self._waiting: deque[tuple[int, int, int]] = deque()
        self._next = {1}
        self._at = 0
        self.fin = sys.maxsize
        """Sequence number of the FIN. The trace does not show when TCP processes the FIN."""
        self.grown: list[tuple[int, int]] = []
        """Times at which the stream grew, and the stream's length after each."""

    def on_data(self, time: int, start: int, end: int) -> None:
        """Queue the bytes [start, end)."""
        self._waiting.append((time, start, end))

    def pass_to_tcp(self, now: int) -> Iterator[tuple[int, str]]:
        """Pass segments to TCP as the deliveries up to `now` require.

        Yield errors in the delivery times. Deliveries at `now` are compared later, because their segments may
        be in later rows of the trace.
        """
        while self._rows and self._rows[0][0] <= now:
            time, total = self._rows[0]
            before = self._stream.next
            self._next, self._at = ({before} if time > self._at else self._next), time
            while self._waiting and self._waiting[0][0] <= time and self._stream.next - 1 < total:
                arrived, start, end = self._waiting.popleft()
                self._stream.add(time, start, end)
                if self._stream.next > before and time > arrived + LONGEST_TURNAROUND + ROUNDING:
                    yield time, f"{total} bytes handed over {(time - arrived) / 1e9:.3f} s after they arrived"
            self._next.add(self._stream.next)
            if time == now and self._stream.next - 1 < total:
                return
            self._rows.popleft()
            self.grown.append((time, self._stream.next - 1))

    def may_acknowledge(self, now: int, number: int) -> bool:
        """Return whether an ACK at this instant may have this number.

        The ACK may be made before or after the segments of the same instant.
        """
        expected = self._next if now == self._at else {self._stream.next}
        return number in expected or (number == self.fin + 1 and self.fin in expected)


@dataclass
class _Receiver:
    """State of the receiving end of a flow."""

    flow: Mapping[str, Any]
    recorded: list[tuple[int, int]]
    """Deliveries, as times and cumulative bytes."""

    def __post_init__(self) -> None:
        self.arrived = _Reassembly()
        self.promise = _PendingAck(self.flow)
        self.host = _Host(_Reassembly(), self.recorded) if self.flow["tcp"]["turnaround"] else None
        self._grown: list[tuple[int, int]] = []
        self._fin = sys.maxsize
        """Sequence number of the FIN. The application does not count the FIN as a byte."""

    def on_step(self, step: Step) -> Iterator[Finding]:
        """Process a step of a packet of the flow."""
        if self.promise.is_broken(step.time):
            yield self._finding(step, "a segment arrived, and its ACK is late")
        if step.place != self.flow["to"]:
            return
        if step.step == "delivered" and step.kind == "data" and not step.damaged:
            self._on_data(step)
        elif step.step == "made" and step.kind == "ack":
            yield from self._on_ack(step)

    def _on_data(self, step: Step) -> None:
        before = self.arrived.next
        is_next = step.seq == before and self.arrived.is_whole and "F" not in step.flags
        self.promise.on_data(step.time, step.payload, is_next)
        if "F" in step.flags:
            self._fin = step.end - 1
        self.arrived.add(step.time, step.seq, step.end)
        if self.host is not None:
            self.host.fin = self._fin
            self.host.on_data(step.time, step.seq, step.seq + step.payload)
        elif min(self.arrived.next, self._fin) > before:
            self._grown.append((step.time, min(self.arrived.next, self._fin) - 1))

    def _on_ack(self, step: Step) -> Iterator[Finding]:
        self.promise.on_ack()
        if self.host is not None:
            yield from self._check_deliveries(step.time)
            is_right = self.host.may_acknowledge(step.time, step.seq)
        else:
            # RFC 8257 §3.2: when marks begin or end, the receiver first acknowledges the earlier data.
            tells = self.flow["scheme"] in flagged_schemes("echoes-each-byte")
            is_right = step.seq == self.arrived.next or (
                tells and self.arrived.before == (step.time, step.seq)
            )
        if not is_right:
            first = self.arrived.next
            yield self._finding(step, f"ACK {step.seq} although {first} is the first byte that is missing")

    def _check_deliveries(self, now: int) -> Iterator[Finding]:
        for time, text in self.host.pass_to_tcp(now) if self.host is not None else ():
            yield Finding("receiver", time / 1e9, self.flow["to"], text)

    def at_end(self, now: int) -> Iterator[Finding]:
        """Compare the pending ACK and the deliveries with the stream at the end of the run."""
        name = self.flow["name"]
        if self.promise.is_broken(now):
            yield Finding("receiver", now / 1e9, name, "a segment arrived, and no ACK followed")
        yield from self._check_deliveries(now)
        yield from _deliveries(name, self.recorded, self._grown if self.host is None else self.host.grown)

    def _finding(self, step: Step, text: str) -> Finding:
        return Finding("receiver", step.time / 1e9, self.flow["to"], text)


def check(trace: Trace) -> Iterator[Finding]:
    """Compare each ACK and each delivery of a receiver with the arrived stream."""
    recorded: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for time, name, total in trace.rows("deliveries", "flow", "bytes"):
        recorded[name].append((time, total))
    receivers = {
        name: _Receiver(flow, recorded[name])
        for name, flow in trace.flows.items()
        if flow["transport"] == "tcp"
    }
    for step in trace.steps:
        if step.flow in receivers:
            yield from receivers[step.flow].on_step(step)
    for receiver in receivers.values():
        yield from receiver.at_end(trace.duration)
    for name in recorded.keys() - receivers.keys() - trace.real:
        for time, _ in recorded[name]:
            yield Finding("receiver", time / 1e9, name, "a delivery, and it has no stream")


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
    """Return the latest time in these lists in seconds."""
    return max((entries[-1][0] for entries in lists if entries), default=0) / 1e9
