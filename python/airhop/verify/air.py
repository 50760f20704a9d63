"""802.11: who may begin when, how long a frame lasts, and that nothing arrives that was not received."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from airhop.verify.medium import Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace

_ANSWERS = {"cts": "rts", "data": "cts", "ack": "data"}
"""What a frame a SIFS later answers, by its kind."""


def check(trace: Trace) -> Iterator[Finding]:
    """Look at every channel of the scenario."""
    for medium in media(trace):
        for frame in medium.frames:
            yield from _lasts(medium, frame)
            yield from _begins(medium, frame)
        yield from _attempts(medium)
        yield from _arrivals(trace, medium)


def _lasts(medium: Medium, frame: Frame) -> Iterator[Finding]:
    """Hold a frame against its preamble and its bits at the rate of its kind."""
    due = medium.airtime(frame.kind, frame.bytes)
    if abs(frame.end - frame.start - due) > ROUNDING:
        yield finding("air", frame, f"{frame.bytes} bytes in {frame.end - frame.start} ns, not {due:.0f}")


def _attempts(medium: Medium) -> Iterator[Finding]:
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
                yield finding("air", frame, text)


def _begins(medium: Medium, frame: Frame) -> Iterator[Finding]:
    """Find frames beside one that their sender sends or senses, save answers and what began with it."""
    is_answer = _is_answer(medium, frame)
    for other in medium.before(frame.start, medium.difs):
        is_over = other.end <= frame.start
        if other.sender == frame.sender:
            if not is_over:
                yield finding("air", frame, f"begins while its own {other.kind} is on the air")
        elif is_answer or not medium.senses(frame.sender, other.sender):
            continue
        elif not is_over:
            yield finding("air", frame, f"begins although it senses the {other.kind} of {other.sender}")
        elif frame.start < other.end + medium.difs - ROUNDING:
            gap = frame.start - other.end
            text = f"begins {gap} ns after the {other.kind} of {other.sender}: less than DIFS"
            yield finding("air", frame, text)


def _is_answer(medium: Medium, frame: Frame) -> bool:
    """Whether it follows a SIFS on the frame that it answers, or on a fragment's link ACK."""
    asked = _ANSWERS.get(frame.kind)
    return any(
        abs(other.end + medium.sifs - frame.start) <= ROUNDING
        and other.receiver == frame.sender
        and (other.kind == asked or (frame.kind == "data" and other.kind == "ack"))
        for other in medium.before(frame.start, medium.sifs)
    )


def _arrivals(trace: Trace, medium: Medium) -> Iterator[Finding]:
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
