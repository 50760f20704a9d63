"""Law of radio links.

Each direction sends one frame at a time. Each packet arrives once, after its frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from airhop.verify.laws.rounds import asked
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace, delays, keeps_order, listed, quantity, ways


def check(trace: Trace) -> Iterator[Finding]:
    """Compare frames with the rate, and arrivals of packets against frames."""
    for link in trace.scenario.get("radio", []):
        for place, way in ways(link):
            changes = listed(way.get("changes", []))
            rate = quantity(way["rate"]) if "rate" in way and not changes else None
            transits = {round(quantity(of["delay"])) for of in [way, *changes] if "delay" in of}
            a, b = place.split("->")
            frames = trace.frames_at(place)
            yield from _one_at_a_time(place, frames, rate)
            yield from _contents(trace, place, frames, link)
            recovery = link["arq" if a == link["ends"][0] else "arq_back"]
            yield from _attempts(place, frames, recovery)
            if recovery["kind"] == "rlp":
                yield from asked(trace, place, trace.frames_at(f"{b}->{a}"), delays(link), recovery)
            yield from _arrivals(trace, place, frames, min(transits))
            yield from _instants(trace, place, frames, transits)
            if keeps_order(way["queue"]):
                yield from _order(trace, place)


def _one_at_a_time(place: str, frames: list[Frame], rate: float | None) -> Iterator[Finding]:
    free = 0
    for frame in frames:
        if frame.start < free - ROUNDING:
            yield _finding(
                place, frame.start, f"a frame begins {free - frame.start} ns before the last is over"
            )
        if rate is not None and abs(frame.end - frame.start - frame.bytes * 8e9 / rate) > ROUNDING:
            yield _finding(place, frame.start, f"{frame.bytes} bytes in {frame.end - frame.start} ns")
        free = max(free, frame.end)


def _contents(trace: Trace, place: str, frames: list[Frame], link: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the length of each frame with an offered packet, or with the length of a link ACK."""
    # A frame without a packet is a link ACK, a NAK or a request of either ARQ.
    control = {
        quantity(link[key][name])
        for key in ("arq", "arq_back")
        for name in ("ack", "nak")
        if name in link[key]
    }
    overhead = quantity(link["overhead"]) if "overhead" in link else 0
    offered: dict[tuple[str, str, int, float], int] = {}
    for step in trace.steps_at(place, "offered"):
        offered.setdefault((step.flow, step.kind, step.seq, step.bytes), step.time)
    for frame in frames:
        if frame.kind == "ack":
            if (frame.packet, frame.attempt) != ("control", 1) or frame.bytes not in control:
                yield _finding(place, frame.start, f"a link ACK of {frame.bytes} bytes, or none of a link")
            continue
        first = offered.get((frame.flow, frame.packet, frame.seq, frame.bytes - overhead))
        if frame.kind != "data" or first is None or frame.start < first:
            yield _finding(place, frame.start, f"{frame.packet} {frame.seq} is sent, and was not offered")


def _attempts(place: str, frames: list[Frame], recovery: Mapping[str, Any]) -> Iterator[Finding]:
    """Compare the number of transmissions of each packet with the limit (one without ARQ)."""
    match recovery["kind"]:
        case "none":
            most = 1
        case "rlp":
            most = 1 + sum(recovery["rounds"])
        case _:
            most = recovery.get("attempts", math.inf)
    for frame in frames:
        if frame.kind == "data" and not 1 <= frame.attempt <= most:
            yield _finding(place, frame.start, f"attempt {frame.attempt} at a packet, of {most}")


def _arrivals(trace: Trace, place: str, frames: list[Frame], delay: int) -> Iterator[Finding]:
    """Check that a frame with the packet was received before each arrival."""
    received: dict[tuple[str, str, int], int] = {}
    for frame in frames:
        if frame.outcome == "received" and frame.kind == "data":
            received.setdefault((frame.flow, frame.packet, frame.seq), frame.end)
    for step in trace.steps_at(place, "arrived"):
        first = received.get((step.flow, step.kind, step.seq))
        if first is None or step.time < first + delay - ROUNDING:
            yield _finding(
                place, step.time, f"{step.kind} {step.seq} arrives, and no frame brought it by then"
            )


def _instants(trace: Trace, place: str, frames: list[Frame], transits: set[int]) -> Iterator[Finding]:
    """Check that each packet arrives when a frame ends.

    The frame carries the packet, or fills a gap before the packet. A receiver that stops waiting for missing
    frames releases packets at the end of the wait. If the delay decreases, frames do not overtake each other,
    so that the frame may be an earlier, lost one.
    """
    waits = len(transits) > 1
    ends = {
        frame.end + delay for frame in frames if waits or frame.outcome == "received" for delay in transits
    }
    ends |= {step.time for step in trace.steps_at(place, "dropped") if step.cause == "retries"}
    for step in trace.steps_at(place, "arrived"):
        if not any(step.time + off in ends for off in range(-ROUNDING, ROUNDING + 1)):
            yield _finding(place, step.time, f"{step.kind} {step.seq} arrives, and no frame does then")


def _order(trace: Trace, place: str) -> Iterator[Finding]:
    offered = {step.packet: number for number, step in enumerate(trace.steps_at(place, "offered"))}
    last = -1
    for step in trace.steps_at(place, "arrived"):
        number = offered.get(step.packet, last)  # the law `walks` reports packets that were not offered
        if number < last:
            yield _finding(place, step.time, f"{step.kind} {step.seq} arrives out of order")
        last = max(last, number)


def _finding(place: str, time: int, text: str) -> Finding:
    return Finding("radio", time / 1e9, place, text)
