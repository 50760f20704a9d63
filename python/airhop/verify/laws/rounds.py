"""Law of RLP: a NAK precedes each retransmission, and a frame is discarded only after all NAK rounds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

from airhop.verify.trace import ROUNDING, Finding, Frame, Trace, quantity


def asked(
    trace: Trace, place: str, answers: list[Frame], transits: set[int], recovery: Mapping[str, Any]
) -> Iterator[Finding]:
    """Compare retransmissions and discarded frames at one end with the NAKs of the other end.

    `transits` are the delays of the link. `recovery` is the link's ARQ table.
    """
    naks = sorted(frame.end for frame in answers if frame.kind == "ack" and frame.outcome == "received")
    for frame in trace.frames_at(place):
        # Each NAK causes at most one copy of a frame.
        came = bisect_right(naks, frame.start - min(transits) + ROUNDING)
        if frame.kind == "data" and frame.attempt - 1 > came:
            text = f"attempt {frame.attempt} at a packet, and {came} NAKs came"
            yield Finding("radio", frame.start / 1e9, place, text)
    first: dict[tuple[str, str, int], int] = {}
    for frame in trace.frames_at(place):
        if frame.kind == "data":
            first.setdefault((frame.flow, frame.packet, frame.seq), frame.end)
    # The receiver detects the gap when a later frame arrives; each round lasts at least a timeout.
    rounds = round(quantity(recovery["timeout"])) * len(recovery["rounds"])
    for step in trace.steps_at(place, "dropped"):
        sent = first.get((step.flow, step.kind, step.seq))
        if step.cause == "retries" and (sent is None or step.time < sent + min(transits) + rounds - ROUNDING):
            text = f"{step.kind} {step.seq} is given up before {len(recovery['rounds'])} rounds are over"
            yield Finding("radio", step.time / 1e9, place, text)
