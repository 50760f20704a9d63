"""Law of videos: playback, stalls and bitrates follow from the times of requests and deliveries."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from airhop.verify.trace import Finding, Trace, quantity

_CLOSE = 1e-9
"""Largest relative difference of sums of 64-bit floats."""
_LOW_NS = 10_000_000_000
"""Buffer level in ns at which the hybrid rule switches."""
_SUMS = ("stalls", "stalled_s", "played_s", "switches", "segments")
"""Numbers of a class that are sums over its flows; the other numbers are means."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare the quality of each video, and of each class with videos, with the trace."""
    for plan in trace.scenario.get("flow", ()):
        flow = trace.lines.get(plan["name"])
        if flow is None or plan["app"]["kind"] != "video":
            continue
        video = _Video(trace, flow)
        yield from video.replay()
        yield from _contradictions(flow["name"], flow.get("video"), video.quality())
    for one in trace.document["classes"]:
        found = [flow["video"] for flow in trace.document["flows"]
                 if flow["class"] == one["name"] and "video" in flow]  # fmt: skip
        if found or "video" in one:
            yield from _contradictions(f"class {one['name']}", one.get("video"), _of_class(found))


def _of_class(videos: Sequence[Mapping[str, float | None]]) -> dict[str, float | None]:
    keys = dict.fromkeys(key for video in videos for key in video)
    values = {key: [value for video in videos if (value := video[key]) is not None] for key in keys}
    return {
        key: sum(of_key) if key in _SUMS else sum(of_key) / len(of_key) if of_key else None
        for key, of_key in values.items()
    }


def _contradictions(
    place: str, said: Mapping[str, float | None] | None, found: Mapping[str, float | None]
) -> Iterator[Finding]:
    if said is None or said.keys() != found.keys():
        yield _finding(place, f"the document has the quality {said}, expected {', '.join(found)}")
        return
    for key, value in found.items():
        other = said[key]
        if value is None or other is None:
            same = value is other
        else:
            same = abs(value - other) <= _CLOSE * max(1.0, abs(value))
        if not same:
            yield _finding(place, f"video.{key} is {other}, and {value} by the trace")


@dataclass
class _Chooser:
    """Choice of bitrates by buffer level and throughput."""

    ladder: Sequence[int]
    """Available bitrates in bit/s."""
    segment: int
    buffer: int
    rule: str
    safety: float
    times_per_bit: deque[float] = field(default_factory=lambda: deque(maxlen=20))
    """Download times of the last segments in s/bit."""
    is_by_buffer: bool = False

    def choose(self, level: int) -> int:
        """Return the bitrate of a segment requested at this buffer level (ns)."""
        buffer, throughput = self._by_buffer(level), self._by_throughput()
        if self.rule != "hybrid":
            return buffer if self.rule == "buffer" else throughput
        if self.is_by_buffer and level < _LOW_NS and buffer < throughput:
            self.is_by_buffer = False
        elif not self.is_by_buffer and level > _LOW_NS and buffer >= throughput:
            self.is_by_buffer = True
        return buffer if self.is_by_buffer else throughput

    def _by_buffer(self, level: int) -> int:
        """BOLA-BASIC (Spiteri, Urgaonkar and Sitaraman, INFOCOM 2016), with γp = 5."""
        utilities = [math.log(rate / self.ladder[0]) + 5 for rate in self.ladder]
        weight = (self.buffer / self.segment - 1) / utilities[-1]
        held = level / self.segment
        scores = [
            (weight * utility - held) / (rate / self.ladder[0])
            for utility, rate in zip(utilities, self.ladder, strict=True)
        ]
        return self.ladder[scores.index(max(scores))]

    def _by_throughput(self) -> int:
        """Harmonic mean over 20 segments (Jiang, Sekar and Zhang, CoNEXT 2012), times a safety factor."""
        if not self.times_per_bit:
            return self.ladder[0]
        most = self.safety * len(self.times_per_bit) / sum(self.times_per_bit)
        return max((rate for rate in self.ladder if rate <= most), default=self.ladder[0])


class _Video:
    """Video of a flow, played back as the segments arrive."""

    def __init__(self, trace: Trace, flow: Mapping[str, Any]) -> None:
        app = flow["app"]
        self._trace = trace
        self._name = flow["name"]
        self._begin = round(quantity(flow["start"]))
        self._segment = round(quantity(app["segment"]))
        self._buffer = round(quantity(app["buffer"]))
        self._startup = round(quantity(app["startup"])) if "startup" in app else self._segment
        self._request = round(quantity(app["request"]))
        self._chooser = _Chooser(
            [round(quantity(rate)) for rate in app["ladder"]],
            self._segment,
            self._buffer,
            app["choice"],
            app["safety"],
        )
        self._arrivals: list[int] = []
        """Arrival times of complete segments in ns."""
        self._plays: list[tuple[int, int]] = []
        """Begin of playback and bitrate of each segment. The begin may be after the end of the run."""
        self._held: list[int] = []
        """Bitrates of segments that wait for the startup level."""
        self._until: int | None = None
        """Time at which the buffer runs empty; None while playback waits."""
        self._stalls: list[list[int]] = []
        """Begins and ends of stalls; the last stall may have no end."""

    def replay(self) -> Iterator[Finding]:
        """Follow the requests and segments of the trace; yield contradictions to the rules of playback."""
        deliveries = self._trace.rows_of(self._name, "deliveries", "bytes")
        totals = [total for _, total in deliveries]
        begins = [time for time, _ in deliveries]
        sent = list(self._first_sent())
        at, done = self._begin, 0
        for number, (time, after) in enumerate(pairwise([*sent, None])):
            assert time is not None
            if time < at:
                yield self._finding(time, f"request {number + 1} is sent {at - time} ns early")
            bitrate = self._chooser.choose(self._level(at))
            size = max(1, (bitrate * self._segment + 4_000_000_000) // 8_000_000_000)
            done += size
            place = bisect_right(totals, done - 1)
            arrived = begins[place] if place < len(begins) else None
            if after is not None:
                whole = bisect_right(begins, after)
                total = totals[whole - 1] if whole else 0
                if total != done or arrived is None:
                    text = f"segment {number + 1} ends at byte {total}, and at {done} by its choice"
                    yield self._finding(after, text)
                    return
            if arrived is None:
                return
            self._chooser.times_per_bit.append((arrived - at) / 1e9 / (8 * size))
            self._arrive(arrived, bitrate)
            at = arrived + max(self._level(arrived) + self._segment - self._buffer, 0)

    def quality(self) -> dict[str, float | None]:
        """Return the numbers of the run document after the warm-up; a number without data is None."""
        begin, end = self._trace.warmup, self._trace.duration
        stalls = list(self._stalls)
        if self._until is not None and self._until < end:
            stalls.append([self._until])
        first = self._plays[0][0] if self._plays else None
        plays = [(start, min(start + self._segment, end), rate) for start, rate in self._plays]
        played = [(max(min(stop, end) - max(start, begin), 0), rate) for start, stop, rate in plays]
        played_ns = sum(span for span, _ in played)
        stalled_ns = sum(max(min([*stall[1:], end]) - max(stall[0], begin), 0) for stall in stalls)
        whole = played_ns + stalled_ns
        return {
            "startup_s": None if first is None else (first - self._begin) / 1e9,
            "stalls": sum(stall[0] >= begin for stall in stalls),
            "stalled_s": stalled_ns / 1e9,
            "stalled_pct": 100 * stalled_ns / whole if whole else None,
            "played_s": played_ns / 1e9,
            "bitrate_mbps": (
                sum(span * rate for span, rate in played) / played_ns / 1e6 if played_ns else None
            ),
            "switches": sum(
                before != rate and begin <= start < end
                for (_, before), (start, rate) in pairwise(self._plays)
            ),
            "segments": sum(time > (begin or -1) for time in self._arrivals),
        }

    def _first_sent(self) -> Iterator[int]:
        """Yield the time in ns at which each request's first byte was first sent."""
        rows = self._trace.rows_of(f"{self._name} requests", "segments", "seq", "bytes")
        written = [(time, seq + size) for time, seq, size in rows if size]
        first = next((seq for _, seq, size in rows if size), 0)
        number = 0
        for time, end in written:
            while end > first + number * self._request:
                yield time
                number += 1

    def _level(self, time: int) -> int:
        """Return the buffer level in ns."""
        if self._until is None:
            return self._segment * len(self._held)
        return max(self._until - time, 0)

    def _arrive(self, time: int, bitrate: int) -> None:
        """Schedule the playback of a segment: after the earlier segments, or at the begin of playback."""
        self._arrivals.append(time)
        if self._until is not None and self._until < time:
            self._stalls.append([self._until])
            self._until = None
        if self._until is not None:
            self._plays.append((self._until, bitrate))
            self._until += self._segment
            return
        self._held.append(bitrate)
        if self._segment * len(self._held) >= self._startup:
            if self._stalls:
                self._stalls[-1].append(time)
            self._plays += [(time + i * self._segment, rate) for i, rate in enumerate(self._held)]
            self._until = time + len(self._held) * self._segment
            self._held = []

    def _finding(self, time: int, text: str) -> Finding:
        return Finding("video", time / 1e9, self._name, text)


def _finding(place: str, text: str) -> Finding:
    return Finding("video", 0.0, place, text)
