"""Exchanges between two stations under Block Ack, and the packets in their MPDUs."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from airhop.verify.medium import ANSWERS, RECEIVED, Medium
from airhop.verify.trace import ROUNDING, Frame, Mpdu, Step, Trace

Pair = tuple[str, str]
"""Sender and receiver."""


@dataclass(frozen=True)
class Exchange:
    """Channel access of a station, by its first frame; times in nanoseconds."""

    start: int
    first: Frame
    main: Frame | None
    """Frame with data, or BlockAckReq; None without a CTS."""
    answer: Frame | None
    """Response to the main frame, if the station received it."""

    @property
    def is_heard(self) -> bool:
        """Return whether the receiver received the frame, or a part of it."""
        return self.main is not None and self.main.outcome in RECEIVED


@dataclass(frozen=True)
class Packet:
    """Packet in an MPDU; times in nanoseconds."""

    number: int
    """Number of the packet in the trace."""
    offered: int
    dropped: int | None
    """Time of its discard by the station."""
    arrived: int | None


class Exchanges:
    """Exchanges of a channel."""

    def __init__(self, medium: Medium) -> None:
        self._sifs = medium.sifs
        self._begun = {(frame.sender, frame.start): frame for frame in medium.frames}
        self.frames = medium.frames

    def answer(self, frame: Frame) -> Frame | None:
        """Find the frame that the receiver of a frame sends a SIFS later."""
        return self._at(frame.receiver, frame.end + self._sifs)

    def _at(self, sender: str, start: int) -> Frame | None:
        near = (self._begun.get((sender, start + off)) for off in range(-ROUNDING, ROUNDING + 1))
        return next(filter(None, near), None)

    def answered(self, frame: Frame) -> Frame | None:
        """Return the response to a frame if the frame's sender received it."""
        answer = self.answer(frame)
        right = answer is not None and answer.kind == ANSWERS.get(frame.kind) and answer.outcome in RECEIVED
        return answer if right and answer is not None and answer.receiver == frame.sender else None

    def of(self) -> Mapping[Pair, list[Exchange]]:
        """List the exchanges of each pair of stations, in their order."""
        found: defaultdict[Pair, list[Exchange]] = defaultdict(list)
        cleared: set[tuple[str, int]] = set()
        for frame in self.frames:
            if frame.kind not in ANSWERS or (frame.sender, frame.start) in cleared:
                continue
            main: Frame | None = frame
            if frame.kind == "rts":
                cts = self.answered(frame)
                main = None if cts is None else self._at(frame.sender, cts.end + self._sifs)
            if main is not None:
                cleared.add((main.sender, main.start))
            answer = None if main is None else self.answered(main)
            found[frame.sender, frame.receiver].append(Exchange(frame.start, frame, main, answer))
        return found


def packets(trace: Trace, medium: Medium, pair: Pair, exchanges: list[Exchange]) -> dict[int, list[Packet]]:
    """Return the packets of each MPDU by its sequence number, as far as they are known.

    Packets of equal flow and kind are in MPDUs in the order of their offers. An MPDU contains no packet that
    the station dropped before the transmission, for its lifetime or because of a broken route, none that was
    offered after the transmission, and none that a router had taken back: one that was offered again, or that
    was offered before a packet of an earlier MPDU.
    """
    place = "->".join(pair)
    arrived = _last(trace.steps_at(place, "arrived"))
    # A router that loses its next hop takes packets out of the queue to all.
    dropped = _last([*trace.steps_at(f"{pair[0]}->*", "dropped"), *trace.steps_at(place, "dropped")])
    waiting: defaultdict[tuple[str, str, int], deque[tuple[int, Step]]] = defaultdict(deque)
    offered = trace.steps_at(place, "offered")
    again = _again(offered)
    for turn, step in enumerate(offered):
        drop = dropped.get(step.packet)
        if drop is None or drop.cause in ("retries", "route"):
            waiting[step.flow, step.kind, step.seq].append((turn, step))
    newest: defaultdict[tuple[str, str], int] = defaultdict(int)
    found: dict[int, list[Packet]] = {}
    for frame, mpdu in sent(medium, exchanges):
        if mpdu.sequence in found:
            continue
        inside = []
        for row in mpdu.packets:
            alike = waiting[row.flow, row.packet, row.seq]
            while alike and (
                again.get(alike[0][0], math.inf) <= frame.start
                or _is_gone(alike[0], newest[row.flow, row.packet], dropped, frame.start)
            ):
                alike.popleft()
            if alike and alike[0][1].time <= frame.start:
                newest[row.flow, row.packet], step = alike.popleft()
                times = [of[step.packet].time if step.packet in of else None for of in (dropped, arrived)]
                inside.append(Packet(step.packet, step.time, *times))
        if inside:
            found[mpdu.sequence] = inside
    return found


def _again(offered: list[Step]) -> dict[int, int]:
    """Return the time of the next offer of a packet, by index of its first offer."""
    found: dict[int, int] = {}
    last: dict[int, int] = {}
    for turn, step in enumerate(offered):
        if step.packet in last:
            found[last[step.packet]] = step.time
        last[step.packet] = turn
    return found


def _is_gone(offered: tuple[int, Step], newest: int, dropped: Mapping[int, Step], now: int) -> bool:
    """Return whether a packet left the station before `now` without a transmission of its MPDU."""
    turn, step = offered
    drop = dropped.get(step.packet)
    return turn < newest or (drop is not None and drop.time <= now)


def sent(medium: Medium, exchanges: list[Exchange]) -> Iterator[tuple[Frame, Mpdu]]:
    """List the MPDUs that were sent, each time, with their PPDUs."""
    for exchange in exchanges:
        if exchange.main is not None:
            for mpdu in medium.mpdus.get(exchange.main.row, ()):
                yield exchange.main, mpdu


def _last(steps: list[Step]) -> dict[int, Step]:
    return {step.packet: step for step in steps}
