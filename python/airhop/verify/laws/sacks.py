"""Law of selective acknowledgements: SACK blocks report only data that arrived before the ACK."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from airhop.verify.laws.receivers import LONGEST_TURNAROUND
from airhop.verify.trace import Finding, Trace


class _SackContents(NamedTuple):
    """Data that an ACK may report: number of blocks, bytes in the blocks, and duplicate bytes.

    Duplicate bytes are reported in a D-SACK block (RFC 2883 §4).
    """

    blocks: int
    octets: int
    twice: int
    """Bytes of the D-SACK block, or 0 without a D-SACK block."""

    def allows(self, sacked: int, unit: int) -> bool:
        """Return whether an ACK may report `sacked` bytes.

        Options may lack space for all blocks.
        """
        if self.blocks > 1:
            return 0 < sacked <= self.octets + self.twice and sacked % unit == 0
        return sacked in (self.octets, self.twice, self.octets + self.twice)


class _Beyond:
    """Bytes that arrived beyond the first missing byte."""

    def __init__(self) -> None:
        self._next = 1
        self._starts: list[int] = []
        self._ends: list[int] = []
        """Ends of the received blocks beyond the cumulative ACK, ascending.

        `_starts` has the starts. The blocks do not touch.
        """
        self._octets = 0
        """Number of bytes in the received blocks beyond the cumulative ACK."""
        self._twice = 0
        """Length of the first contiguous part of the last segment that had arrived before (RFC 2883 §4.2)."""
        self._time = 0
        """Arrival time of the last segment in ns."""

    def add(self, time: int, start: int, end: int) -> None:
        """Add the received bytes [start, end)."""
        self._time = time
        self._twice = self._duplicate(start, end)
        touched = slice(bisect_left(self._ends, start), bisect_right(self._starts, end))
        start = min([start, *self._starts[touched]])
        end = max([end, *self._ends[touched]])
        self._octets -= sum(self._ends[touched]) - sum(self._starts[touched])
        is_next = start <= self._next
        self._starts[touched] = [] if is_next else [start]
        self._ends[touched] = [] if is_next else [end]
        if is_next:
            self._next = max(self._next, end)
        else:
            self._octets += end - start

    def _duplicate(self, start: int, end: int) -> int:
        """Return the length of the first contiguous part of [start, end) that has already arrived."""
        if start < self._next:
            return min(end, self._next) - start
        block = bisect_right(self._ends, start)
        if block == len(self._ends):
            return 0
        return max(0, min(end, self._ends[block]) - max(start, self._starts[block]))

    @property
    def next(self) -> int:
        """First byte that is missing."""
        return self._next

    def sack_contents(self, time: int) -> _SackContents:
        """Return the possible contents of an ACK at this time: blocks, their bytes, and duplicate bytes.

        A change of CE releases a delayed ACK before the ACK of the segment (RFC 8257 §3.2).
        """
        return _SackContents(len(self._starts), self._octets, self._twice if time == self._time else 0)


def check(trace: Trace) -> Iterator[Finding]:
    """Compare the SACK blocks of each ACK with the data that had arrived at the receiver (RFC 2018 §4)."""
    for name, flow in trace.flows.items():
        rows = trace.rows_of(name, "acks", "ack", "sacked_bytes") if flow["transport"] == "tcp" else []
        if not any(sacked for *_, sacked in rows):
            continue  # the receiver does not use SACK
        sizes = {size + fin for _, size, fin in trace.rows_of(name, "segments", "bytes", "fin")}
        unit = sizes.pop() if len(sizes) == 1 else 1
        known = _known(trace, name, flow)
        for time, ack, sacked in rows:
            made = list(chain.from_iterable(known.get((time, ack), ())))
            if made and not any(contents.allows(sacked, unit) for contents in made):
                text = f"ACK {ack} reports {sacked} bytes beyond it, and {made[0].octets} had arrived"
                yield Finding("sack", time / 1e9, name, text)


@dataclass(frozen=True)
class _Part:
    """Part of a list of SACK contents without a copy, because thousands of ACKs share a long list."""

    contents: list[_SackContents]
    first: int
    end: int

    def __iter__(self) -> Iterator[_SackContents]:
        return (self.contents[place] for place in range(self.first, self.end))


class _Held:
    """Possible SACK contents while segments wait for TCP in the receiver's host."""

    def __init__(self) -> None:
        self._contents: defaultdict[int, list[_SackContents]] = defaultdict(list)
        """SACK contents after each arrival, by cumulative ACK."""
        self._ends: defaultdict[int, list[float]] = defaultdict(list)
        """End of validity of each entry in `_contents`, in ns: the time of the next arrival."""
        self._latest: list[float] = []

    def add(self, time: int, ack: int, contents: _SackContents) -> None:
        """Add the contents after an arrival."""
        if self._latest:
            self._latest[-1] = time
        self._latest = self._ends[ack]
        self._latest.append(math.inf)
        self._contents[ack].append(contents)

    def since(self, time: int, ack: int) -> _Part:
        """Return the contents with a cumulative ACK that were valid at `time` or later."""
        contents = self._contents[ack]
        return _Part(contents, bisect_left(self._ends[ack], time), len(contents))


def _known(trace: Trace, name: str, flow: Mapping[str, Any]) -> dict[tuple[int, int], list[_Part]]:
    """Return the SACK contents that each ACK may have, by time and number of the ACK."""
    beyond = _Beyond()
    held = _Held() if flow["tcp"]["turnaround"] else None
    made: dict[int, _Part] = {}
    known: defaultdict[tuple[int, int], list[_Part]] = defaultdict(list)
    for step in trace.steps_of(name):
        if step.step == "delivered" and step.kind == "data" and step.place == flow["to"] and not step.damaged:
            beyond.add(step.time, step.seq, step.end)
            if held:
                held.add(step.time, beyond.next, beyond.sack_contents(step.time))
        elif step.step == "made" and step.kind == "ack" and step.place == flow["to"]:
            made[step.packet] = (
                held.since(step.time - LONGEST_TURNAROUND, step.seq)
                if held
                else _Part([beyond.sack_contents(step.time)], 0, 1)
            )
        elif step.step == "delivered" and step.packet in made and step.place == flow["from"]:
            known[step.time, step.seq].append(made[step.packet])
    return known
