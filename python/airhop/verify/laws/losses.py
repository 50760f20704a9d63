"""Law of losses: the table `drops`, the last step of a packet and the outcome of a frame must agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from airhop.verify.medium import media
from airhop.verify.trace import Finding, Frame, Trace, delays, ways

_LOST = ("channel", "collision")
"""Frame outcomes with a row in `drops`."""


class _Loss(NamedTuple):
    """Loss of a packet or frame, as recorded in `drops` or elsewhere; times in nanoseconds."""

    time: int
    place: str
    cause: str
    flow: str
    kind: str
    seq: int
    bytes: int


def check(trace: Trace) -> Iterator[Finding]:
    """Match the rows of `drops` with the lost packets and frames, one to one."""
    recorded = Counter(
        _Loss(*row) for row in trace.rows("drops", "place", "cause", "flow", "kind", "seq", "bytes")
    )
    packets = Counter(
        _Loss(step.time, step.place, step.cause, step.flow, step.kind, step.seq, step.bytes)
        for step in trace.steps
        if step.step == "dropped"
    )
    for loss in packets - recorded:
        yield _finding(loss, "the packet is dropped, and no loss is recorded")
    left = recorded - packets
    of_frames = Counter(map(_of_frame, left.elements()))
    lost = Counter(map(_of_frame, _of_cells(trace)))
    for loss in lost - of_frames:
        yield _finding(loss, "a frame is lost, and no loss is recorded")
    of_frames -= lost
    for link in trace.scenario.get("radio", []):
        for place, way in ways(link):
            yield from _on_radio(trace, place, delays(way), of_frames, packets)
    for loss in of_frames:
        yield _finding(loss, "a loss is recorded, and neither a packet nor a frame is lost")


def _of_frame(loss: _Loss) -> _Loss:
    """Return the loss record of a frame.

    Control frames have no packet number.
    """
    return loss._replace(seq=0) if loss.kind == "control" else loss


def _of_cells(trace: Trace) -> Iterator[_Loss]:
    """List the lost frames and MPDUs of 802.11 cells."""
    for medium in media(trace):
        for frame in medium.frames:
            if frame.kind == "a-mpdu":
                place = f"{frame.sender}->{frame.receiver}"
                for mpdu in medium.mpdus.get(frame.row, ()):
                    if mpdu.outcome in _LOST:
                        of = (mpdu.outcome, mpdu.flow, mpdu.packet, mpdu.seq, mpdu.bytes)
                        yield _Loss(frame.end, place, *of)
            elif frame.outcome in _LOST and frame.receiver != "*":
                yield _loss(frame, frame.end, frame.packet if frame.kind == "data" else "control")


def _on_radio(
    trace: Trace,
    place: str,
    transits: set[int],
    recorded: Counter[_Loss],
    packets: Mapping[_Loss, int],
) -> Iterator[Finding]:
    """Match the lost frames of a radio link with recorded losses.

    A loss is recorded at the time when the frame would have arrived. Without ARQ, the packet is lost with its
    frame, and the trace has a step of the packet. After a handoff to a shorter path, frames do not overtake
    each other: a frame may arrive together with its predecessor.
    """
    dropped = Counter(
        (loss.time, loss.flow, loss.kind, loss.seq)
        for loss in packets
        if loss.place == place and loss.cause == "channel"
    )
    arrivals: list[int] = []
    for frame in trace.frames_at(place):
        own = [frame.end + delay for delay in transits]
        arrivals = own + [time for time in arrivals if time > min(own)]
        if frame.outcome not in _LOST:
            continue
        kind = frame.packet if frame.kind == "data" else "control"
        ways = [_of_frame(_loss(frame, time, kind)) for time in arrivals]
        way = next((way for way in ways if recorded[way]), None)
        if way is not None:
            recorded[way] -= 1
            continue
        has_packet = any(dropped[way.time, frame.flow, kind, frame.seq] for way in ways)
        if not has_packet and frame.end + max(transits) <= trace.duration:
            yield _finding(ways[0], "a frame is lost, and no loss is recorded")
    recorded += Counter()


def _loss(frame: Frame, time: int, kind: str) -> _Loss:
    place = f"{frame.sender}->{frame.receiver}"
    return _Loss(time, place, frame.outcome, frame.flow, kind, frame.seq, frame.bytes)


def _finding(loss: _Loss, text: str) -> Finding:
    return Finding("loss", loss.time / 1e9, loss.place, f"{loss.kind} {loss.seq}, {loss.cause}: {text}")
