"""Law of 802.11 frames: start times, durations, attempt numbers, and packets that arrive.

A packet arrives with a received frame.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain

from airhop.verify.medium import RTS_LIMIT, Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Step, Trace

_ANSWERED = {
    "cts": ("rts",), "data": ("cts", "ack"), "a-mpdu": ("cts",), "ack": ("data",),
    "block-ack": ("a-mpdu", "block-ack-req"),
}  # fmt: skip
"""Kinds of frames that may precede a frame by a SIFS, by kind of frame. Data also follow a fragment's ACK."""
_ANSWERS = ("cts", "ack", "block-ack")
"""Kinds of frames that respond to another station's frame."""
_BYTES = {"rts": 20, "cts": 14, "ack": 14, "cf-end": 20}
"""Lengths of control frames in bytes."""


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel of the scenario."""
    for medium in media(trace):
        yield from _check_durations(medium)
        yield from _begins(medium)
        yield from _once(medium)
        yield from _airtimes(trace, medium)
        if medium.aggregates:
            continue  # laws/wifi checks MPDUs
        yield from _contents(trace, medium)
        yield from _attempts(medium)
        yield from _numbers(medium)
        yield from _discarded(trace, medium)
        yield from _arrivals(trace, medium)


def _check_durations(medium: Medium) -> Iterator[Finding]:
    """Compare the duration of each frame with the duration of its preamble and bits."""
    for frame in medium.frames:
        due = medium.airtime(frame.kind, frame.bytes)
        if abs(frame.end - frame.start - due) > ROUNDING:
            yield finding("air", frame, f"{frame.bytes} bytes in {frame.end - frame.start} ns, not {due:.0f}")


def _attempts(medium: Medium) -> Iterator[Finding]:
    """Compare the number of attempts per packet, including RTS frames, with the limit."""
    first = _first_kind(medium)
    sent: Counter[tuple[str, str]] = Counter()
    last: dict[tuple[str, str], tuple[str, str, str, int]] = {}
    for frame in medium.frames:
        function = (frame.sender, frame.category)
        if frame.kind == first and (frame.attempt == 1 or last.get(function) != _packet(frame)):
            sent[function], last[function] = 0, _packet(frame)
        if frame.kind == "data" and not medium.may_be_cut(frame):
            sent[function] += 1
            if sent[function] > medium.plan["attempts"]:
                text = f"transmission {sent[function]} of a packet, of {medium.plan['attempts']}"
                yield finding("air", frame, text)


def _once(medium: Medium) -> Iterator[Finding]:
    """Yield frames of one station that begin at the same instant."""
    if len(medium.begun) == len(medium.frames):
        return
    for (sender, start), number in Counter((frame.sender, frame.start) for frame in medium.frames).items():
        if number > 1:
            text = f"{number} frames of one station begin at once"
            yield Finding("air", start / 1e9, sender, text)


def _airtimes(trace: Trace, medium: Medium) -> Iterator[Finding]:
    """Compare the airtime of stations with the durations of their frames and the responses to these frames.

    A frame may end exactly at the end of the warm-up. Such a frame may or may not be counted.
    """
    ended: Counter[tuple[str, bool]] = Counter()
    for frame in medium.frames:
        if frame.end >= trace.warmup:
            holder = frame.receiver if frame.kind in _ANSWERS else frame.sender
            ended[holder, frame.end == trace.warmup and trace.warmup > 0] += frame.end - frame.start
    measured = trace.duration - trace.warmup
    for one in trace.document.get("stations", ()):
        if one["cell"] != medium.plan["name"]:
            continue
        found, late, then = one["airtime"] * measured, ended[one["name"], False], ended[one["name"], True]
        rounding = ROUNDING * (len(medium.frames) + 1)
        if not late - rounding <= found <= late + then + rounding:
            text = f"airtime is {found:.0f} ns, and its exchanges take {late} ns"
            yield Finding("air", 0.0, one["name"], text)


def _contents(trace: Trace, medium: Medium) -> Iterator[Finding]:
    """Compare data frames with offered packets, and control frames with the lengths in the standard.

    IEEE 802.11-2016 §9.3.1.2 to §9.3.1.4. Fragments are checked in `fragments.py`. Agents may lengthen a
    queued packet.
    """
    helped, overhead = trace.helped, medium.overhead
    offered = {
        (step.place, step.flow, step.kind, step.seq, 0 if step.flow in helped else step.bytes)
        for step in chain(
            (step for *_, step in medium.steps(trace, "offered")),
            *(trace.steps_at(f"{station}->*", "offered") for station in medium.cell.places),
        )
    }
    for frame in medium.frames:
        if frame.kind in _BYTES:
            if frame.bytes != _BYTES[frame.kind]:
                yield finding("air", frame, f"{frame.bytes} bytes, and it has {_BYTES[frame.kind]}")
        elif not medium.may_be_cut(frame):
            place = f"{frame.sender}->{frame.receiver}"
            octets = 0 if frame.flow in helped else frame.bytes - overhead
            if (place, frame.flow, frame.packet, frame.seq, octets) not in offered:
                yield finding("air", frame, f"no such packet was offered to {place}")


def _numbers(medium: Medium) -> Iterator[Finding]:
    """Check that the attempt numbers of each packet count from 1 without gaps.

    An internal collision also counts as an attempt (IEEE 802.11-2020 §10.23.2.12.1).
    """
    last: dict[tuple[str, str], Frame] = {}
    for frame in medium.frames:
        if frame.attempt < 1 or (frame.kind == "broadcast" and frame.attempt > 1):
            yield finding("air", frame, f"attempt {frame.attempt}")
        if frame.kind not in ("rts", "data") or medium.may_be_cut(frame):
            continue
        before = last.get((frame.sender, frame.category))
        last[frame.sender, frame.category] = frame
        if frame.attempt == 1:
            continue
        same = before is not None and _packet(before) == _packet(frame)
        if same and before is not None and (before.kind, frame.kind) == ("rts", "data"):
            is_next = frame.attempt == before.attempt
        elif medium.may_lose_internally(frame.category):
            is_next = before is None or not same or frame.attempt > before.attempt
        else:
            is_next = same and before is not None and frame.attempt == before.attempt + 1
        if not is_next:
            yield finding("air", frame, f"attempt {frame.attempt}, and the one before is not on the air")


def _discarded(trace: Trace, medium: Medium) -> Iterator[Finding]:
    """Check that every discarded packet had its last allowed attempt."""
    given_up: defaultdict[tuple[str, tuple[str, str, str, int]], list[Step]] = defaultdict(list)
    for sender, receiver, step in medium.steps(trace, "dropped"):
        if step.cause == "retries" and not _may_lose_internally(trace, medium, step):
            given_up[sender, (receiver, step.flow, step.kind, step.seq)].append(step)
    numbers = {seq for _, (*_, seq) in given_up}
    tries: defaultdict[tuple[str, tuple[str, str, str, int]], list[Frame]] = defaultdict(list)
    for frame in medium.frames:
        if frame.seq in numbers and frame.kind in ("rts", "data") and not medium.may_be_cut(frame):
            tries[frame.sender, _packet(frame)].append(frame)
    for packet, frames in tries.items():
        starts = [frame.start for frame in frames]
        for step in given_up.get(packet, ()):
            kinds = _kinds_of_last_attempts(medium, frames[: bisect_left(starts, step.time)])
            sent, most = kinds.count("data"), medium.plan["attempts"]
            # IEEE 802.11-2016 §10.3.4.4: consecutive RTS frames without a CTS have a separate limit.
            if sent < most and kinds[-RTS_LIMIT:] != ["rts"] * RTS_LIMIT:
                text = f"{step.kind} {step.seq} is given up after {sent} of {most} attempts"
                yield Finding("air", step.time / 1e9, step.place, text)


def _may_lose_internally(trace: Trace, medium: Medium, step: Step) -> bool:
    """Return whether internal collisions may count as attempts at a packet."""
    return medium.ppdus is not None and medium.may_lose_internally(trace.category_of(step.flow))


def _kinds_of_last_attempts(medium: Medium, frames: list[Frame]) -> list[str]:
    """Return the kinds of a packet's last frames, from the latest first attempt on."""
    first = _first_kind(medium)
    begins = (n for n, frame in enumerate(frames) if (frame.kind, frame.attempt) == (first, 1))
    return [frame.kind for frame in frames[max(begins, default=0) :]]


def _first_kind(medium: Medium) -> str:
    """Return the kind of frame that begins each exchange."""
    return "rts" if medium.plan["access"] == "rts-cts" else "data"


def _packet(frame: Frame) -> tuple[str, str, str, int]:
    return frame.receiver, frame.flow, frame.packet, frame.seq


def _begins(medium: Medium) -> Iterator[Finding]:
    """Yield frames, except responses, that begin while their sender sends or senses another frame."""
    near: list[Frame] = []
    """Frames on the air, and frames that ended less than DIFS ago."""
    for frame in medium.frames:
        over = frame.start - medium.difs + ROUNDING
        near = [other for other in near if other.end > over]
        earlier = [other for other in near if other.start < frame.start]
        is_answer = bool(earlier) and _is_answer(medium, frame, earlier)
        for other in earlier:
            is_over = other.end <= frame.start
            if other.sender == frame.sender:
                if not is_over:
                    yield finding("air", frame, f"begins while its own {other.kind} is on the air")
            elif is_answer or not medium.senses(frame.sender, other.sender):
                continue
            elif not is_over:
                yield finding("air", frame, f"begins although it senses the {other.kind} of {other.sender}")
            else:
                gap = frame.start - other.end
                text = f"begins {gap} ns after the {other.kind} of {other.sender}: less than DIFS"
                yield finding("air", frame, text)
        near.append(frame)


def _is_answer(medium: Medium, frame: Frame, earlier: list[Frame]) -> bool:
    """Return whether a frame follows its cause by a SIFS.

    The cause is a request, a fragment's ACK, or a response within a TXOP.
    """
    asked = _ANSWERED.get(frame.kind, ())
    due = frame.start - medium.sifs
    return any(
        (other.kind in asked or medium.may_follow(frame, other))
        and other.receiver == frame.sender
        and abs(other.end - due) <= ROUNDING
        for other in earlier
    )


def _arrivals(trace: Trace, medium: Medium) -> Iterator[Finding]:
    """Check that a received frame ends at each packet's arrival."""
    received = {
        (frame.end, frame.sender, frame.receiver, frame.flow, frame.packet, frame.seq)
        for frame in medium.frames
        if frame.kind == "data" and frame.outcome in ("received", "captured")
    }
    for sender, receiver, step in medium.steps(trace, "arrived"):
        if (step.time, sender, receiver, step.flow, step.kind, step.seq) not in received:
            text = f"{step.kind} {step.seq} arrives, and no frame with it was received then"
            yield Finding("air", step.time / 1e9, step.place, text)
