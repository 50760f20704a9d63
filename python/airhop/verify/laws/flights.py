"""Law of the bytes in flight.

The flight is a sum of whole segments. Before any loss, the flight is all outstanding data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from airhop.verify.trace import Finding, Trace, backs_off

_TABLES = (
    ("acks", ("ack", "duplicate", "sacked_bytes")),
    ("segments", ("seq", "bytes", "cause", "fin", "flight")),
    ("window", ("rto_ms", "flight")),
)


@dataclass
class _Stream:
    """State of a sender, updated instant by instant."""

    timer: Mapping[str, Any]
    una: int = 1
    top: int = 1
    rto: float = math.inf
    """Retransmission timeout in milliseconds."""
    recover: int = 0
    """Highest byte sent when data was last missing or retransmitted."""
    outstanding: set[int] = field(default_factory=set)
    """Possible values of the outstanding data at this instant."""
    is_smooth: bool = True
    """True if no data is missing or retransmitted at this instant."""

    def take(self, rows: list[tuple[str, tuple[Any, ...]]]) -> None:
        """Process the records of one instant."""
        self.is_smooth = self.una >= self.recover
        unas, tops = {self.una}, {self.top}
        for table, row in rows:
            if table == "acks":
                self.una = max(self.una, row[0])
                self.is_smooth &= not row[1] and not row[2]
            elif table == "segments":
                self.top = max(self.top, row[0] + row[1] + row[3])
                self.is_smooth &= row[2] == "new"
            elif table == "window":
                # The RTO grows at a timeout, but pacing may delay the retransmission.
                self.is_smooth &= not backs_off(self.timer, self.rto, row[0])
                self.rto = row[0]
            unas.add(self.una)
            tops.add(self.top)
        self.outstanding = {top - una for top in tops for una in unas}
        if not self.is_smooth and self.una < self.top:
            self.recover = self.top


def check(trace: Trace) -> Iterator[Finding]:
    """Follow every sender from instant to instant."""
    for name, flow in trace.flows.items():
        if flow["transport"] != "tcp":
            continue
        sizes = {size + fin for _, _, size, _, fin, _ in trace.rows_of(name, "segments", *_TABLES[1][1])}
        size = sizes.pop() if len(sizes) == 1 else 1
        stream = _Stream(flow["tcp"]["rto"])
        for time, rows in groupby(_rows(trace, name), key=itemgetter(0)):
            now = [(table, row) for _, table, row in rows]
            opens = stream.top == 1
            stream.take(now)
            if stream.top == 1:
                continue  # the handshake
            # bytes of the SYN, whose timer may expire at the instant of the SYN-ACK
            unit = 1 if opens else size
            most = max(stream.outstanding)
            for table, row in now:
                for text in _contradictions(stream, most, unit, table, row):
                    yield Finding("flight", time / 1e9, name, text)


def _rows(trace: Trace, name: str) -> list[tuple[int, str, tuple[Any, ...]]]:
    found = [
        (time, table, tuple(row))
        for table, columns in _TABLES
        for time, *row in trace.rows_of(name, table, *columns)
    ]
    return sorted(found, key=itemgetter(0))


def _contradictions(stream: _Stream, most: int, unit: int, table: str, row: tuple[Any, ...]) -> Iterator[str]:
    """Yield each reason against the recorded flight."""
    if table == "acks":
        return
    # After a timeout, a notice may cause the retransmission of a segment before its turn. This retransmission
    # counts as in flight only when the segment's turn comes.
    is_counted = table == "segments" and row[2] != "notice"
    flight, least = row[-1], row[1] + row[3] if is_counted else 0
    if flight < least:
        yield f"{flight} bytes in flight, and {least} were sent just then"
    if unit > 1 and flight % unit:
        yield f"{flight} bytes in flight, and all segments have {unit}"
    if flight > most:
        yield f"{flight} bytes in flight, and {most} are outstanding"
    if stream.is_smooth and flight not in stream.outstanding:
        yield f"{flight} bytes in flight, and nothing of {most} was lost or repeated"
