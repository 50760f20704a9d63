"""Law of 802.11 exchanges.

A received frame has a response, a response has a request, and a collision has two frames.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from airhop.verify.capture import survives_overlap
from airhop.verify.medium import ANSWERS, RECEIVED, Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace

_OFFSETS = sorted(range(-ROUNDING, ROUNDING + 1), key=abs)
"""Possible deviations of a recorded time from the exact time in ns."""
_NAMES = {"data": "link ACK", "a-mpdu": "BlockAck", "block-ack-req": "BlockAck"}
"""Names of the responses to data frames and BlockAckReqs."""
_REQUESTS = {"cts": ("rts",), "ack": ("data",), "block-ack": ("a-mpdu", "block-ack-req")}
"""Kinds of frames that elicit a frame, by kind of frame."""


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel of the scenario."""
    for medium in media(trace):
        exchanges = _Exchanges(medium, trace.duration)
        seen_until = trace.duration - medium.longest
        for frame in medium.frames:
            if (text := exchanges.answered(frame) or exchanges.elicited(frame)) is not None:
                yield finding("exchange", frame, text)
            if frame.receiver != "*" and frame.end < seen_until:
                yield from exchanges.outcome(frame)
        yield from exchanges.reservations()
        yield from exchanges.timeouts()


def _packet(frame: Frame) -> tuple[str, str, str, int, int]:
    """Return the category, flow, kind and number of a frame's packet, and the attempt number.

    An RTS or CTS has the values of the packet that it announces.
    """
    return frame.category, frame.flow, frame.packet, frame.seq, frame.attempt


def _near(frames: Mapping[tuple[str, int], Frame], station: str, time: int) -> Frame | None:
    """Return a station's frame at a time, with a tolerance for rounding; None if there is none."""
    for off in _OFFSETS:
        if (frame := frames.get((station, time + off))) is not None:
            return frame
    return None


class _Exchanges:
    """Frames of a channel and the responses to the frames."""

    def __init__(self, medium: Medium, duration: int) -> None:
        self._medium = medium
        self._duration = duration
        needs_cts = medium.plan["access"] == "rts-cts"
        self._requests = _REQUESTS | (dict.fromkeys(("data", "a-mpdu"), ("cts",)) if needs_cts else {})
        self._received = {
            (frame.receiver, frame.end): frame for frame in medium.frames if frame.outcome in RECEIVED
        }

    def answer(self, frame: Frame) -> Frame | None:
        """Return the receiver's frame that begins a SIFS after this frame.

        None if there is none.
        """
        return _near(self._medium.begun, frame.receiver, frame.end + self._medium.sifs)

    def answered(self, frame: Frame) -> str | None:
        """Return an error if no link ACK or BlockAck follows a data frame after a SIFS.

        None if the response is correct (IEEE 802.11-2016 §10.3.2.9).
        """
        wanted = _NAMES.get(frame.kind)
        if wanted is None or frame.outcome not in RECEIVED:
            return None
        answer = self.answer(frame)
        if answer is not None and answer.kind == ANSWERS[frame.kind] and answer.receiver == frame.sender:
            return None
        if frame.end + self._medium.sifs + self._medium.answer_time(frame.kind) > self._duration:
            return None  # the run ends before the answer
        return f"received, and no {wanted} follows after a SIFS"

    def elicited(self, frame: Frame) -> str | None:
        """Return an error if a response was not elicited; None otherwise.

        Responses are CTS, link ACKs, and data after RTS and CTS. The station must have received a frame that
        elicits the response a SIFS earlier.
        """
        wanted = self._requests.get(frame.kind)
        if wanted is None:
            return None
        asked = _near(self._received, frame.sender, frame.start - self._medium.sifs)
        is_data = frame.kind in ("data", "a-mpdu")
        if is_data and asked is not None and self._medium.may_follow(frame, asked):
            return None  # laws/wifi/txop.py checks for the CTS of the TXOP
        if asked is None or asked.sender != frame.receiver:
            return f"answers no {wanted[0]} that its sender received"
        if asked.kind not in wanted and not (
            is_data and asked.kind == "ack" and self._medium.may_be_cut(frame)
        ):
            return f"answers no {wanted[0]} that its sender received"
        if not is_data and _packet(asked) != _packet(frame):
            return f"answers the {asked.kind} of another packet, or attempt at it"
        return None

    def outcome(self, frame: Frame) -> Iterator[Finding]:
        """Compare the outcome of a frame with the other frames on the air around its receiver."""
        medium = self._medium
        others = medium.beside(frame, frame.receiver)
        if (frame.outcome == "unheard") == medium.hears(frame.sender, frame.receiver):
            yield finding("exchange", frame, f"{frame.outcome}, at such a distance")
        if frame.outcome == "received" and others:
            yield finding("exchange", frame, f"received beside a frame of {others[0].sender}")
        if frame.outcome not in ("captured", "collision"):
            return
        if not others:
            yield finding("exchange", frame, f"{frame.outcome}, and nothing else was on the air there")
            return
        may, must = survives_overlap(medium, frame, others)
        if frame.outcome == "captured" and not may:
            yield finding("exchange", frame, f"received beside a frame of {others[0].sender}: too strong")
        if frame.outcome == "collision" and must:
            yield finding("exchange", frame, f"lost beside a frame of {others[0].sender}: too weak for that")

    def timeouts(self) -> Iterator[Finding]:
        """Find stations that retransmit a frame before the response timeout."""
        medium = self._medium
        waits: dict[str, Frame] = {}
        for frame in medium.frames:
            if frame.kind in ANSWERS.values():
                continue
            last = waits.pop(frame.sender, None)
            if last is not None and frame.start < last.end + medium.answer_timeout - ROUNDING:
                text = f"begins {frame.start - last.end} ns after a {last.kind} without an answer"
                yield finding("exchange", frame, text)
            if frame.receiver != "*" and not self._is_answered(frame):
                waits[frame.sender] = frame

    def _is_answered(self, frame: Frame) -> bool:
        """Return whether the sender received a response to this frame.

        At the same time the receiver may respond to a frame of another station.
        """
        answer = self.answer(frame)
        return answer is not None and answer.receiver == frame.sender and answer.outcome in RECEIVED

    def reservations(self) -> Iterator[Finding]:
        """Find stations that send although another station's CTS reserves the medium (802.11-2016 §10.3.2.4).

        The link ACK of a fragment sets the NAV for the next fragment in the same way (§10.3.4.6).
        """
        medium = self._medium
        if medium.plan["errors"] != {"kind": "clean"}:
            return  # the trace does not record which other stations decoded the frame
        for cts in medium.frames:
            is_heard = cts.kind in ("cts", "ack") and cts.outcome in RECEIVED
            data = self.answer(cts) if is_heard else None
            if data is None or data.kind not in ("data", "a-mpdu"):
                continue
            if cts.kind == "ack" and not medium.may_be_cut(data):
                continue  # the next exchange of a TXOP, which the ACK does not reserve
            until = data.end + medium.sifs + medium.answer_time(data.kind)
            readers = self._readers(cts)
            for other in medium.before(int(until), int(until) - cts.end):
                begins = cts.end < other.start and other.sender in readers
                if begins and other.receiver not in (cts.sender, cts.receiver) and not self._is_answer(other):
                    yield finding(
                        "exchange", other, f"begins while {cts.sender}'s {cts.kind} reserves the medium"
                    )

    def _readers(self, cts: Frame) -> set[str]:
        """Return the stations that must have decoded a CTS or link ACK addressed to another station."""
        stations = set(self._medium.cell.hearers[cts.sender]) - {cts.receiver}
        return {name for name in stations if not self._medium.beside(cts, name)}

    def _is_answer(self, frame: Frame) -> bool:
        return frame.kind in ANSWERS.values() and self.elicited(frame) is None
