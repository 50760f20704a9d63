"""Law of packets' paths: a step begins at the node where the previous step ended; a path ends once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache

from airhop.verify.trace import Finding, Step, Trace

_WORD, _HEADERS = 4, (28, 120)
"""Length of a word, and range of header lengths, in bytes."""
_IP = 20
"""Minimum length of an IP header in bytes (RFC 791 §3.1)."""
_ENDS = ("delivered", "dropped")


def check(trace: Trace) -> Iterator[Finding]:
    """Follow every packet; a step that contradicts the previous step is a finding."""
    # RFC 3561 §6.12: a router keeps the packets for a destination while the router repairs the route.
    repairs = any(plan["routing"].get("repair") for plan in trace.scenario.get("wlan", []))
    real, helped = trace.real, trace.helped
    last: dict[int, Step] = {}
    now = 0
    for step in trace.steps:
        before = last.get(step.packet)
        if step.time < now:
            yield _finding(step, "time runs backwards")
        elif (text := _contradiction(before, step, may_wait=repairs)) is not None:
            yield _finding(step, text)
        elif before is None or step.bytes != before.bytes:
            if not _can_be_headers(step, is_real=step.flow in real):
                yield _finding(step, f"{step.bytes - step.payload} bytes of headers")
            if before is not None:
                yield from _lengths(before, step, may_grow=step.flow in helped)
        now = step.time
        last[step.packet] = step


def _can_be_headers(step: Step, *, is_real: bool) -> bool:
    """Return whether a packet can have this number of header bytes.

    IP and TCP headers are whole words, 20 to 60 bytes each (RFC 791 §3.1, RFC 9293 §3.1). A UDP header has 8
    bytes. A real host may add extension headers (RFC 8200 §4), and send datagrams of other protocols. For
    other protocols, up to 8 bytes after the IP header count as header.
    """
    header = step.bytes - step.payload
    if is_real and step.kind == "datagram" and not step.payload:
        return header >= _IP
    most = math.inf if is_real else _HEADERS[1]
    return header % _WORD == 0 and _HEADERS[0] <= header <= most


def _lengths(before: Step, step: Step, *, may_grow: bool) -> Iterator[Finding]:
    """Yield a finding for a changed length; a packet may grow if `may_grow`."""
    grown = step.bytes - before.bytes
    if not may_grow or grown < 0:
        yield _finding(step, f"its length grows by {grown} bytes")


def _contradiction(before: Step | None, step: Step, *, may_wait: bool) -> str | None:
    """Return an error if a step cannot follow the previous step; None otherwise."""
    if before is None:
        if step.step != "made" or step.cause != "-":
            return f"{step.step} before it was made, or made with a cause of its loss"
        return None
    if step.step == "made":
        return "made twice"
    if before.step in _ENDS:
        return f"{step.step} after it was {before.step}"
    # Flow, kind and number, payload and damage: agents may lengthen a packet.
    if step[5:8] != before[5:8] or step[9:11] != before[9:11]:
        return "it became another packet on its way"
    if (step.step == "dropped") != (step.cause != "-"):
        return f"{step.step}, and the cause is {step.cause}"
    if not _may_follow(before.step, before.place, step.step, step.place):
        return f"{step.step} at {step.place} after it was {before.step} at {before.place}"
    return _time_error(before, step, may_wait=may_wait)


def _time_error(before: Step, step: Step, *, may_wait: bool) -> str | None:
    """Return the error in the time of a step, or None; nodes forward packets without processing delay."""
    is_at_once = step.time == before.time
    if is_at_once and before.step == step.step == "offered" and step.place == before.place:
        return "offered twice at once"
    if before.step != "arrived" or is_at_once or step.step == "dropped":
        return None
    if step.step == "offered" and may_wait:
        return None
    return f"{step.step} {step.time - before.time} ns after it arrived"


@lru_cache(maxsize=1 << 16)
def _may_follow(before: str, origin: str, step: str, place: str) -> bool:
    """Return whether a step at `place` may follow the previous step at `origin`."""
    on_link = before in ("offered", "late")
    begin, end = _link(origin) if on_link else (_node(before, origin), "")
    match step:
        case "offered":
            # A router may offer a packet to another neighbour after the link layer has given the packet up.
            return _link(place)[0] == begin and before != "late"
        case "arrived" | "late":
            return on_link and place == origin
        case "delivered":
            return place == begin and (not on_link or end == "*")
        case _:
            return place == "agent" or _link(place)[0] == begin


def _node(step: str, place: str) -> str:
    """Return the node that has the packet after this step."""
    return _link(place)[1] if step == "arrived" else place


def _link(place: str) -> tuple[str, str]:
    """Return the first and the last node of a link."""
    begin, _, end = place.partition("->")
    return begin, end


def _finding(step: Step, text: str) -> Finding:
    return Finding("walk", step.time / 1e9, step.place, f"{step.kind} {step.seq}: {text}")
