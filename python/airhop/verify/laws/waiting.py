"""Law of the table `queue`: each change of a queue's length comes with a packet that arrives or leaves."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from airhop.verify.categories import guessed
from airhop.verify.laws.wires import ports
from airhop.verify.medium import Medium, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Step, Trace, delays, ways

_Times = defaultdict[str, set[int]]
"""Times by place."""
_Spans = defaultdict[str, list[tuple[int, int]]]


def check(trace: Trace) -> Iterator[Finding]:
    """Check each queue length: an offered packet increases it, and a departure decreases it."""
    offered, dropped, left, given_up, several = _instants(trace)
    late = _late(trace)
    patient = _discards_at_unknown_times(trace)
    grown: Counter[tuple[str, int]] = Counter()
    lengths: defaultdict[str, int] = defaultdict(int)
    for time, place, waiting in trace.rows("queue", "place", "packets"):
        change, lengths[place] = waiting - lengths[place], waiting
        grown[place, time] += max(change, 0)
        if change == 0:
            text = f"{waiting} packets wait, as before"
        elif change > 1:
            text = f"{change} packets begin to wait at once"
        elif change > 0 and time not in offered[place]:
            text = "a packet begins to wait, and none is offered then"
        elif change < -1 and time not in dropped[place] and place not in several:
            text = f"{-change} packets leave at once"
        elif (
            change < 0
            and time <= late.get(place, trace.duration)
            and place not in patient
            and not _near(time, left[place])
            and not any(begin < time <= end for begin, end in given_up[place])
        ):
            text = "a packet leaves, and nothing makes room for it then"
        else:
            continue
        yield Finding("queue", time / 1e9, place, text)
    for (place, time), number in (Counter(_waited(trace)) - grown).items():
        yield Finding("queue", time / 1e9, place, f"{number} packets begin to wait, unrecorded")


def _waited(trace: Trace) -> Iterator[tuple[str, int]]:
    """Yield place and time of each packet that waited before a wire.

    A packet that arrived just when another left or was dropped is excluded. The queue length did not change
    then.
    """
    for place, port in ports(trace).items():
        ends = {passage.end for passage in port.passages} | {step.time for step in port.dropped}
        for passage in port.passages:
            if passage.start > passage.offered + ROUNDING and not _near(passage.offered, ends):
                yield place, passage.offered


def _instants(trace: Trace) -> tuple[_Times, _Times, _Times, _Spans, set[str]]:
    """Return the times of offers, drops and departures, and the queues with several departures at once."""
    offered, dropped, left = _Times(set), _Times(set), _Times(set)
    given_up: _Spans = defaultdict(list)
    several: set[str] = set()
    for medium in media(trace):
        queue = medium.queue
        if medium.plan["routing"]["kind"] != "static" or medium.aggregates:
            # Packets to a lost neighbour return to the router.
            several.update(name for station in medium.cell.places for name in medium.queues(station))
        patience = medium.difs + medium.sifs + round(medium.ack)
        for frame in medium.frames:
            if frame.kind in ("ack", "block-ack"):
                left[queue(frame.receiver, frame.category)].add(frame.end)
            elif frame.kind == "broadcast":
                left[queue(frame.sender, frame.category)].add(frame.end)
            elif medium.aggregates or _may_be_last(medium, frame):
                # The packet is discarded after the last timeout, even if it had arrived before; RTS frames
                # have a separate count, and each fragment of a packet has its own.
                given_up[queue(frame.sender, frame.category)].append((frame.end, frame.end + patience))
            if frame.kind not in ("ack", "block-ack", "cts"):
                # A lower category may lose its last attempt in an internal collision.
                for category in medium.lower(frame.category):
                    left[queue(frame.sender, category)].add(frame.start)
    for step in trace.steps:
        if step.step not in ("offered", "dropped"):
            continue
        for place in _queues(trace, step):
            (offered if step.step == "offered" else dropped)[place].add(step.time)
            left[place].add(step.time)
    for place, transits in _transits(trace).items():
        before = -1
        for step in trace.came_through(place):
            times = {step.time - delay for delay in transits}
            left[place] |= times
            if before == step.time and len(times) > 1:
                # The packet waited for its predecessor on the longer path, because packets do not overtake.
                given_up[place].append((min(times), max(times)))
            before = step.time
    several |= {place for link, place in _places(trace, "wired") if "rate" not in link}
    for link in trace.scenario.get("radio", []):
        there, back = (place for place, _ in ways(link))
        several |= {there, back}
        for place, way in ways(link):
            ends = [frame.end for frame in trace.frames_at(place)]
            for delay in {0, *delays(way)}:
                times = {end + delay for end in ends}
                left[there] |= times
                left[back] |= times
    return offered, dropped, left, given_up, several


def _queues(trace: Trace, step: Step) -> Iterable[str]:
    """Return the queue of a packet, or all queues of the station if the packet's category is a guess."""
    alike = trace.categories if step.flow in guessed(trace) else (step.flow,)
    return {trace.queue_at(step.place, flow) for flow in alike}


def _may_be_last(medium: Medium, frame: Frame) -> bool:
    return bool(frame.attempt >= medium.plan["attempts"] or medium.plan["access"] == "rts-cts")


def _transits(trace: Trace) -> dict[str, set[int]]:
    """Return the possible times from departure to arrival, for each direction of a wire."""
    return {place: delays(link) for link, place in _places(trace, "wired")}


def _late(trace: Trace) -> dict[str, int]:
    """Return the departure time in ns of the last packet that still arrives within the trace, by place."""
    late = {place: trace.duration - max(delays(link)) for link, place in _places(trace, "radio")}
    for link, place in _places(trace, "wired"):
        gone = [*trace.came_through(place), *trace.steps_at(place, "dropped")]
        late[place] = max((step.time for step in gone), default=0) - max(delays(link))
    return late


def _discards_at_unknown_times(trace: Trace) -> set[str]:
    """Return the directions where the link layer discards packets at unrecorded times.

    Fragmented packets and MPDUs have a lifetime. It may end after the last fragment arrived, but before the
    sender knows. With hidden stations, a reception of milliseconds may defer a timeout.
    """
    cut = [
        medium
        for medium in media(trace)
        if medium.threshold is not None
        or (medium.aggregates and ("lifetime" in medium.plan or medium.cell.limited))
    ]
    stations = {name for medium in cut for station in medium.cell.places for name in medium.queues(station)}
    return stations | {
        place
        for link, place in _places(trace, "radio")
        if "attempts" in link["arq" if place.startswith(f"{link['ends'][0]}->") else "arq_back"]
    }


def _places(trace: Trace, kind: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    for link in trace.scenario.get(kind, []):
        for place, way in ways(link):
            yield way, place


def _near(time: int, times: set[int]) -> bool:
    return time in times or any(time + off in times for off in range(-ROUNDING, ROUNDING + 1))
