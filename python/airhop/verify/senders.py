"""The sending end of TCP: its sequence space, its flight and its window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from airhop.verify.trace import Finding, Trace, quantity

_BEYOND = 3
"""Segments beyond the window: two of limited transmit (RFC 3042), and one that was begun below it."""


@dataclass
class _Sender:
    """What a sender has sent and heard, as the trace has it."""

    flow: Mapping[str, Any]
    una: int = 0
    heard_at: int = -1
    una_before: int = 0
    """What was acknowledged before the time of the last ACK."""
    top: int = 1
    """First byte never sent."""
    duplicates: float = 0
    """Segments that duplicate ACKs say have left the network, and no ACK has acknowledged since."""
    recover: int = 0
    """What was sent when recovery began, if it did: it ends when that is acknowledged."""
    flight: int = 0
    """In flight when the last segment was sent before duplicate ACKs, or when recovery began."""
    heard: int = 0
    """Duplicate ACKs since then."""

    def on_ack(self, time: int, ack: int, duplicate: bool) -> Iterator[str]:
        """Take in an ACK that was processed."""
        if ack > max(self.top, 1):
            yield f"ACK {ack} of what was never sent; {self.top} is next"
        if time > self.heard_at:
            self.una_before = self.una
        self.heard_at = time
        self._count(ack, duplicate)
        self.una = max(self.una, ack)

    def _count(self, ack: int, duplicate: bool) -> None:
        """Each duplicate is a segment that may be replaced (RFC 5681 §3.2 step 4, RFC 6582 §3.2 step 3)."""
        if duplicate:
            self.duplicates += 1
            self.heard += 1
        elif ack >= self.recover:
            self.duplicates = self.heard = self.recover = 0
        elif self.duplicates:
            self.duplicates = max(1.0, self.duplicates + 1 - (ack - self.una) / self.segment)

    @cached_property
    def segment(self) -> float:
        """Payload of a full segment, bytes."""
        return quantity(self.flow["segment"])

    def acknowledged(self, time: int) -> int:
        """All below this was acknowledged before `time`: what came at that instant may have been later."""
        return self.una if time > self.heard_at else self.una_before

    def on_segment(self, time: int, row: tuple[Any, ...]) -> Iterator[str]:
        """Take in a segment that was handed to IP."""
        seq, size, again, cause, cwnd, flight = row
        end = seq + size
        if again != (seq < self.top):
            yield f"segment {seq} counts as {'sent again' if again else 'new'}, and {self.top} is next"
        elif not again and seq != self.top:
            yield f"segment {seq} leaves a gap: {self.top} is next"
        if seq + size <= self.acknowledged(time) and again:
            yield f"segment {seq} is sent again, and all below {self.acknowledged(time)} is acknowledged"
        if cause == "fast":
            self.recover = self.top
            self.flight = max(self.flight, flight)
        self.top = max(self.top, end)
        outstanding = self.top - self.acknowledged(time)
        if flight > outstanding:
            yield f"{flight} bytes in flight, and only {outstanding} are outstanding"
        allowed = (cwnd + self.duplicates + _BEYOND) * self.segment
        if self.heard or self.recover:
            # It sends no more than has left the network: some come down to the window slowly.
            allowed = max(allowed, self.flight + self.heard * self.segment)
        else:
            self.flight = flight
        if cause == "new" and flight > allowed:
            yield f"new data makes {flight} bytes in flight at a window of {cwnd:.3f} segments"
        window = self.flow["tcp"]["receive_window"]
        if window != "unlimited" and end > max(self.una, 1) + quantity(window):
            yield f"segment {seq} ends beyond the receive window"


def check(trace: Trace) -> Iterator[Finding]:
    """Replay ACKs and segments of every TCP flow in the order of time."""
    senders = {name: _Sender(flow) for name, flow in trace.flows.items() if flow["transport"] == "tcp"}
    acks = [(time, 0, name, row) for time, name, *row in trace.rows("acks", "flow", "ack", "duplicate")]
    columns = ("flow", "seq", "bytes", "retransmission", "cause", "cwnd", "flight")
    segments = [(time, 1, name, row) for time, name, *row in trace.rows("segments", *columns)]
    for time, is_segment, name, row in sorted(acks + segments, key=lambda event: event[:2]):
        sender = senders[name]
        found = sender.on_segment(time, tuple(row)) if is_segment else sender.on_ack(time, *row)
        for text in found:
            yield Finding("sender", time / 1e9, name, text)
