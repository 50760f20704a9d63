"""Law of TCP senders: sequence numbers, bytes in flight and congestion window."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from typing import Any

from airhop.verify.trace import Finding, Trace, is_prompt, quantity

_BEYOND = 3
"""Segments that may be sent beyond the window.

Two by limited transmit (RFC 3042), and one that begins within the window.
"""
_TABLES = (
    ("acks", ("ack", "duplicate")),
    ("window", ("cwnd",)),
    ("segments", ("seq", "bytes", "retransmission", "cause", "cwnd", "flight", "fin")),
)
"""Tables of a sender, in the processing order of rows with the same time."""
_CAUSES_OF_NEW_DATA = ("new", "recovery", "probe")
_REPEATS = ("fast", "timeout", "notice", "recovery", "probe")
"""Causes of retransmissions."""


@dataclass
class _Leave:
    """Allowance for the flight beyond the window at an instant."""

    duplicates: float = 0
    """Number of segments that duplicate ACKs report as delivered, and that no cumulative ACK covers yet."""
    flight: float = 0
    """Flight at the begin of the recovery plus the bytes delivered since, in bytes."""

    def also(self, other: _Leave) -> _Leave:
        """Return the larger of two allowances."""
        return _Leave(max(self.duplicates, other.duplicates), max(self.flight, other.flight))


@dataclass
class _Sender:
    """State of a sender, derived from the trace."""

    flow: Mapping[str, Any]
    una: int = 1
    """First byte that is not acknowledged."""
    heard_at: int = -1
    una_before: int = 1
    """First byte not acknowledged before the time of the last ACK."""
    top: int = 1
    """First byte never sent."""
    end: int = 0
    """First sequence number after the FIN. 0 before the FIN is sent.

    No data follows a FIN (RFC 9293 §3.6).
    """
    window: float | None = None
    """Last recorded congestion window in segments."""
    window_at: int = -1
    windows: set[float] = field(default_factory=set)
    """All windows recorded at the time of the last record."""
    duplicates: float = 0
    as_in_recovery: float = 0
    """Number of duplicate ACKs if the recovery began before the ACKs of this instant.

    The trace lacks the order of events at one instant.
    """
    most_in_recovery: float = 0
    """Largest value of `as_in_recovery` at this instant."""
    recover: int = 0
    """Highest byte sent when the recovery began. An ACK of this byte ends the recovery."""
    expired: int = 0
    """Highest byte sent at the last timeout. Data up to this byte counts as lost until acknowledged."""
    expired_at: int = -1
    """Time of the last timeout in ns."""
    flight: int = 0
    """Flight at the last segment before the duplicate ACKs, or at the begin of the recovery."""
    latest: int = 0
    """Flight at the latest segment."""
    latest_at: int = -1
    """Time of the latest segment in ns."""
    heard: int = 0
    """Number of duplicate ACKs since the recovery began, or since the last new ACK outside a recovery."""
    first_heard_at: int = 0
    """Time in ns of the first duplicate ACK that `heard` counts."""
    moved_at: int = 0
    """Time of the last ACK of new data."""
    sent_by: Mapping[int, int] = field(default_factory=dict)
    """First unsent byte at the end of each instant. Links without delay may return an ACK at the same
    instant.
    """
    first_sent: dict[int, int] = field(default_factory=dict)
    """Time of the first transmission of each outstanding segment, by its first byte."""
    leave: _Leave = field(default_factory=_Leave)
    """Allowance before the last ACK of this instant, because the trace lacks the order of ACKs and segments.
    """

    def on_ack(self, time: int, row: tuple[Any, ...]) -> Iterator[str]:
        """Process an ACK that the sender processed."""
        ack, duplicate = row
        sent = max(self.top, self.sent_by.get(time, 0))
        if ack > sent:
            yield f"ACK {ack} of what was never sent; {sent} is next"
        # RFC 5681 §2, except the order of ACKs and segments at one instant, which is not recorded.
        is_open = time == self.heard_at or ack == self.top < sent
        if not is_open and ((duplicate and ack > self.una) or (not duplicate and ack == self.una < sent)):
            yield f"ACK {ack} counts as {'a' if duplicate else 'no'} duplicate, and {self.una} is expected"
        if time > self.heard_at:
            self.una_before = self.una
            self.as_in_recovery = self.most_in_recovery = self.duplicates
            self.leave = _Leave()
        self.heard_at = time
        self.leave = self.leave.also(self._current_allowance())
        self._count(ack, duplicate)
        if ack > self.una:
            self.una, self.moved_at = ack, time

    def _count(self, ack: int, duplicate: bool) -> None:
        """Count an ACK.

        Each duplicate permits a new segment (RFC 5681 §3.2 step 4, RFC 6582 §3.2 step 3).
        """
        if duplicate:
            self.duplicates += 1
            self.as_in_recovery += 1
            self.most_in_recovery = max(self.most_in_recovery, self.as_in_recovery)
            self.first_heard_at = self.first_heard_at if self.heard else self.heard_at
            self.heard += 1
            return
        self.as_in_recovery = self._deflated(self.as_in_recovery, ack)
        if ack >= self.recover:
            self.duplicates = self.heard = self.recover = 0
            return
        self.duplicates = self._deflated(self.duplicates, ack)
        if self.flow["tcp"]["sack_recovery"] == "pipe":
            # A partial ACK counts for two segments (Fall and Floyd 1996 §4), also if just one has arrived.
            self.flight += max(0, round(2 * self.segment) - (ack - self.una))

    def _deflated(self, duplicates: float, ack: int) -> float:
        """Return the duplicate ACKs left after a partial ACK: minus the acknowledged segments, plus one."""
        return max(1.0, duplicates + 1 - (ack - self.una) / self.segment) if duplicates else 0

    def _current_allowance(self) -> _Leave:
        # In recovery, a sender sends at most the amount of data that has left the network, because some
        # senders reduce the flight slowly.
        is_recovering = self.heard or self.recover
        flight = self.flight + self.heard * self.segment if is_recovering else 0
        return _Leave(self.duplicates, flight)

    @cached_property
    def segment(self) -> float:
        """Payload of a full segment in bytes."""
        return quantity(self.flow["segment"])

    @cached_property
    def size(self) -> float:
        """Number of bytes to send."""
        app = self.flow["app"]
        return quantity(app["size"]) if app["kind"] == "transfer" else math.inf

    def acknowledged(self, time: int) -> int:
        """Return the first byte not acknowledged before `time`.

        ACKs at `time` may follow the transmission.
        """
        return self.una if time > self.heard_at else self.una_before

    def on_window(self, time: int, row: tuple[Any, ...]) -> Iterator[str]:
        """Process a record of the window."""
        (cwnd,) = row
        if time > self.window_at:
            self.windows = set() if self.window is None else {self.window}
        is_cut = self.window is not None and 1 < cwnd < self.window
        if is_cut and self.flow["tcp"]["prr"]:
            # Recovery has begun, even if no lost data remains: with each ACK the flight decreases by less
            # than a segment (RFC 9937 §6).
            self.recover, self.flight = self.top, max(self.flight, self.latest)
        self.windows.add(cwnd)
        self.window, self.window_at = cwnd, time
        if cwnd < 1:
            yield f"a window of {cwnd} segments, with which nothing could be sent"

    def on_segment(self, time: int, row: tuple[Any, ...]) -> Iterator[str]:
        """Process a segment passed to IP."""
        seq, size, again, cause, cwnd, flight, fin = row
        end = seq + size + fin
        if self.end and end > self.end:
            yield f"segment {seq} ends beyond the FIN, which is {self.end - 1}"
        self.end = end if fin else self.end
        if again != (seq < self.top):
            yield f"segment {seq} counts as {'sent again' if again else 'new'}, and {self.top} is next"
        elif not again and seq != self.top:
            yield f"segment {seq} leaves a gap: {self.top} is next"
        if cause not in (_REPEATS if again else _CAUSES_OF_NEW_DATA):
            yield f"segment {seq} is sent {'again' if again else 'first'} because of `{cause}`"
        if end <= self.acknowledged(time) and again:
            yield f"segment {seq} is sent again, and all below {self.acknowledged(time)} is acknowledged"
        if size > self.segment or seq + size > self.size + 1:
            yield f"{size} bytes from {seq} on: more than fit into a segment, or than there are to send"
        if self.windows and cwnd not in (self.windows if time == self.window_at else {self.window}):
            yield f"segment {seq} is sent at a window of {cwnd} segments, and it is {self.window}"
        self.first_sent.setdefault(seq, time)
        if cause == "timeout" and is_prompt(self.flow) and not self.recover and time > self._last_release():
            yield from self._expired(time, seq)
        if cause == "timeout":
            self.expired, self.expired_at = self.top, time
        # If pacing delays the fast retransmit until its segment is acknowledged, the recovery's first
        # retransmission fills a later hole.
        if cause == "fast" or (cause == "recovery" and not self.recover):
            self.recover = self.top
            if time == self.heard_at:
                self.duplicates = max(self.duplicates, self.as_in_recovery)
                self.leave = self.leave.also(_Leave(self.most_in_recovery))
            out = self.top - self.acknowledged(time) if self.una < self.expired else flight
            # Segments may have been sent since the first duplicate ACK by pacing, or at this instant before
            # the ACK.
            before = self.latest if self.latest_at >= self.first_heard_at else 0
            self.flight = max(self.flight, out, before)
        self.top = max(self.top, end)
        if self.flow["tcp"]["prr"] and time == self.window_at and self.recover and cwnd > (self.window or 0):
            # The segment was sent before the reduction of this instant, and belongs to the flight before it.
            self.recover, self.flight = self.top, max(self.flight, flight)
        yield from self._in_flight(time, cause, cwnd, flight)
        window = self.flow["tcp"]["receive_window"]
        if window != "unlimited" and end > self.una + quantity(window):
            yield f"segment {seq} ends beyond the receive window"

    def _last_release(self) -> int:
        """Return the time in ns of the last event that released segments: an ACK or a timeout."""
        return max(self.heard_at, self.expired_at)

    def _expired(self, time: int, seq: int) -> Iterator[str]:
        """Compare a timeout with the least RTO since the last start of the timer (RFC 6298 §5.3).

        In recovery the timer may run from the first partial ACK on (RFC 6582 §4).
        """
        waited = time - max(self.moved_at, self.first_sent[seq])
        rto = self.flow["tcp"]["rto"]
        least = min(rto["min"], rto["initial"], key=quantity)
        if waited < quantity(least) - quantity(rto["tick"]):
            yield f"segment {seq} times out after {waited / 1e6:.3f} ms, and {least} is the least"

    def _in_flight(self, time: int, cause: str, cwnd: float, flight: int) -> Iterator[str]:
        """Compare the flight with the outstanding data and, for new data, with the window."""
        outstanding = self.top - self.acknowledged(time)
        if flight > outstanding:
            yield f"{flight} bytes in flight, and only {outstanding} are outstanding"
        leave = self._current_allowance()
        if time == self.heard_at:
            leave = leave.also(self.leave)
        self.latest, self.latest_at = flight, time
        if not self.heard and not self.recover:
            self.flight = flight
        if cause == "new" and flight > max((cwnd + leave.duplicates + _BEYOND) * self.segment, leave.flight):
            yield f"new data makes {flight} bytes in flight at a window of {cwnd:.3f} segments"


def check(trace: Trace) -> Iterator[Finding]:
    """Replay ACKs, windows and segments of every TCP flow in the order of time."""
    sent_by = _sent_by(trace)
    senders = {
        name: _Sender(flow, sent_by=sent_by[name])
        for name, flow in trace.flows.items()
        if flow["transport"] == "tcp"
    }
    events: list[tuple[int, int, str, tuple[Any, ...]]] = []
    for rank, (table, columns) in enumerate(_TABLES):
        rows = trace.rows(table, "flow", *columns)
        events += [(time, rank, name, tuple(row)) for time, name, *row in rows if name not in trace.real]
    for time, rank, name, row in sorted(events, key=itemgetter(0, 1)):
        if name not in senders:
            yield Finding("sender", time / 1e9, name, f"a record in {_TABLES[rank][0]}, and it has no sender")
            continue
        sender = senders[name]
        take = (sender.on_ack, sender.on_window, sender.on_segment)[rank]
        for text in take(time, row):
            yield Finding("sender", time / 1e9, name, text)


def _sent_by(trace: Trace) -> dict[str, dict[int, int]]:
    """Return the first unsent byte after each instant with a transmission, by flow and instant."""
    tops: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for time, name, seq, size, fin in trace.rows("segments", "flow", "seq", "bytes", "fin"):
        top = tops[name].get(time, 1)
        tops[name][time] = max(top, seq + size + fin)
    return tops
