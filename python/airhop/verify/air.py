"""802.11: who may begin when, how long a frame lasts, and that nothing arrives that was not received."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from airhop.topology import Cell, cells
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace, quantity

_TIMING = {"802.11": (28_000, 50_000), "802.11b": (10_000, 20_000), "802.11g": (10_000, 9_000)}
"""SIFS and slot in nanoseconds: FHSS (802.11-1999 clause 14), DSSS and ERP (802.11-2016 clauses 15, 18)."""
_ANSWERS = {"cts": "rts", "data": "cts", "ack": "data"}
"""What a frame a SIFS later answers, by its kind."""


@dataclass(frozen=True)
class _Medium:
    """A channel and what was sent on it."""

    plan: Mapping[str, Any]
    cell: Cell
    frames: list[Frame]
    """By their start."""
    fragmented: frozenset[str]
    """Flows whose data goes in fragments, each with attempts of its own."""

    @cached_property
    def starts(self) -> list[int]:
        """When the frames began."""
        return [frame.start for frame in self.frames]

    @cached_property
    def longest(self) -> int:
        """The longest time that a frame was on the air."""
        return max((frame.end - frame.start for frame in self.frames), default=0)

    @cached_property
    def sifs(self) -> int:
        """Between a frame and its answer."""
        return _TIMING[self.plan["standard"]][0]

    @cached_property
    def difs(self) -> int:
        """Between a frame and what is no answer to it, at least (IEEE 802.11-2016 §10.3.7)."""
        sifs, slot = _TIMING[self.plan["standard"]]
        return sifs + 2 * slot

    def senses(self, a: str, b: str) -> bool:
        """Whether two stations sense each other."""
        return self.cell.distance(a, b) <= self.cell.sense

    def before(self, time: int, reach: int) -> Iterator[Frame]:
        """Frames that began before `time`, from `reach` nanoseconds and the longest frame earlier on."""
        for number in range(bisect_left(self.starts, time - reach - self.longest), len(self.frames)):
            if self.frames[number].start >= time:
                return
            yield self.frames[number]


def check(trace: Trace) -> Iterator[Finding]:
    """Look at every channel of the scenario."""
    plans = {plan["name"]: plan for plan in trace.scenario.get("wlan", [])}
    fragmented = frozenset(
        name for name, flow in trace.flows.items() if "fragments" in flow.get("services", ())
    )
    for cell in cells(trace.scenario, trace.tables):
        frames = [frame for frame in trace.frames if frame.sender in cell.places and _is_on(frame, cell)]
        medium = _Medium(plans[cell.name], cell, frames, fragmented)
        for frame in frames:
            yield from _lasts(medium, frame)
            yield from _begins(medium, frame)
        yield from _attempts(medium)
        yield from _arrivals(trace, medium)


def _is_on(frame: Frame, cell: Cell) -> bool:
    return frame.receiver == "*" or frame.receiver in cell.places


def _lasts(medium: _Medium, frame: Frame) -> Iterator[Finding]:
    """Hold a frame against its preamble and its bits at the rate of its kind."""
    is_data = frame.kind == "data"
    rate = quantity(medium.plan["rate" if is_data else "control_rate"])
    least = quantity(medium.plan["phy"]["header"]) + frame.bytes * 8e9 / rate
    if frame.end - frame.start < least - ROUNDING:
        text = f"{frame.bytes} bytes in {frame.end - frame.start} ns, at least {least:.0f} needed"
        yield _finding(frame, text)


def _attempts(medium: _Medium) -> Iterator[Finding]:
    """Count how often each packet is sent; RTS frames are numbered with it, and 1 begins a packet."""
    first = "rts" if medium.plan["access"] == "rts-cts" else "data"
    sent: Counter[str] = Counter()
    for frame in medium.frames:
        if frame.kind == first and frame.attempt == 1:
            sent[frame.sender] = 0
        if frame.kind == "data" and frame.flow not in medium.fragmented:
            sent[frame.sender] += 1
            if sent[frame.sender] > medium.plan["attempts"]:
                text = f"transmission {sent[frame.sender]} of a packet, of {medium.plan['attempts']}"
                yield _finding(frame, text)


def _begins(medium: _Medium, frame: Frame) -> Iterator[Finding]:
    """Find frames beside one that their sender sends or senses, save answers and what began with it."""
    is_answer = _is_answer(medium, frame)
    for other in medium.before(frame.start, medium.difs):
        is_over = other.end <= frame.start
        if other.sender == frame.sender:
            if not is_over:
                yield _finding(frame, f"begins while its own {other.kind} is on the air")
        elif is_answer or not medium.senses(frame.sender, other.sender):
            continue
        elif not is_over:
            yield _finding(frame, f"begins although it senses the {other.kind} of {other.sender}")
        elif frame.start < other.end + medium.difs - ROUNDING:
            gap = frame.start - other.end
            text = f"begins {gap} ns after the {other.kind} of {other.sender}: less than DIFS"
            yield _finding(frame, text)


def _is_answer(medium: _Medium, frame: Frame) -> bool:
    """Whether it follows a SIFS on the frame that it answers, or on a fragment's link ACK."""
    asked = _ANSWERS.get(frame.kind)
    return any(
        abs(other.end + medium.sifs - frame.start) <= ROUNDING
        and other.receiver == frame.sender
        and (other.kind == asked or (frame.kind == "data" and other.kind == "ack"))
        for other in medium.before(frame.start, medium.sifs)
    )


def _arrivals(trace: Trace, medium: _Medium) -> Iterator[Finding]:
    """Look for the frame that bore each packet, received at the instant at which that arrives."""
    received = {
        (frame.end, frame.sender, frame.receiver, frame.flow, frame.packet, frame.seq)
        for frame in medium.frames
        if frame.kind == "data" and frame.outcome in ("received", "captured")
    }
    for a in medium.cell.places:
        for b in medium.cell.hearers[a]:
            for step in trace.steps_at(f"{a}->{b}", "arrived"):
                if (step.time, a, b, step.flow, step.kind, step.seq) not in received:
                    text = f"{step.kind} {step.seq} arrives, and no frame with it was received then"
                    yield Finding("air", step.time / 1e9, step.place, text)


def _finding(frame: Frame, text: str) -> Finding:
    return Finding("air", frame.start / 1e9, f"{frame.sender}->{frame.receiver}", f"{frame.kind}: {text}")
