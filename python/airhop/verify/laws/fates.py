"""Law of the causes of drops: full queue, channel errors, attempt limit."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airhop.analysis.topology import Cell
from airhop.catalogue import flagged
from airhop.verify.ppdus import FORMATS, Ppdus
from airhop.verify.snr import BySnr
from airhop.verify.trace import Finding, Frame, Mpdu, Trace, listed, model_at, quantity, ways

_DEVIATIONS, _FEW = 7.0, 6
"""Tolerance of a channel's number of losses: 7 standard deviations plus 6 frames.

The false-alarm rate is 10⁻¹⁰.
"""
_HEADERS = {"tcp": (40, 80), "udp": (28, 28)}
"""Minimum and maximum bytes of headers, including options and bytes added by agents."""


@dataclass(frozen=True)
class _Hop:
    """Directed link of any type; in a wlan, the transmissions of one station."""

    kind: str
    plan: Mapping[str, Any]
    place: str
    cell: Cell | None = None
    """Stations of a wlan."""

    @property
    def recoveries(self) -> list[Mapping[str, Any]]:
        """ARQs of the link that discard packets."""
        plans = [self.plan.get("arq", {}), self.plan.get("arq_back", {})]
        return [plan for plan in plans if "attempts" in plan or plan.get("kind") == "rlp"]

    def model(self, place: str) -> Mapping[str, Any] | None:
        """Return the channel model of a directed link; None if the link has no errors."""
        model = model_at(self.plan["errors"], place)
        return None if model is None or model["kind"] == "clean" else model

    @property
    def loses_at_times(self) -> bool:
        """True if outages or handoffs lose frames in transmission."""
        return any(change.get("fate") == "lost" for change in listed(self.plan.get("changes", [])))


class _Hops:
    """All directed links of a scenario."""

    def __init__(self, trace: Trace) -> None:
        self.links = {}
        for kind in ("wired", "radio"):
            for plan in trace.scenario.get(kind, []):
                for place, way in ways(plan):
                    self.links[place] = _Hop(kind, way, place)
        self._stations = {}
        for cell, plan in zip(trace.cells, trace.scenario.get("wlan", []), strict=True):
            for name in cell.places:
                self._stations[name] = _Hop("wlan", plan, f"{name}->*", cell)

    def at(self, place: str) -> _Hop | None:
        """Return the directed link of this name; None if the place is no link."""
        return self.links.get(place) or self._stations.get(place.partition("->")[0])


def check(trace: Trace) -> Iterator[Finding]:
    """Compare drops with queue lengths and channels, and loss rates with error models."""
    hops = _Hops(trace)
    lengths: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for time, place, waiting in trace.rows("queue", "place", "packets"):
        hop = hops.at(place)
        if hop is None:
            continue
        lengths[place].append((time, waiting))
        if waiting > hop.plan["queue"]["packets"]:
            room = hop.plan["queue"]["packets"]
            yield Finding("fate", time / 1e9, place, f"{waiting} packets wait, and there is room for {room}")
    full: dict[tuple[str, int], bool] = {}
    for time, place, cause, flow in trace.rows("drops", "place", "cause", "flow"):
        hop = hops.at(place)
        text = None if hop is None else _contradiction(hop, place, cause)
        if hop is not None and cause == "queue":
            queue = trace.queue_at(place, flow)
            if (queue, time) not in full:
                full[queue, time] = _is_full(lengths[queue], time, hop.plan["queue"])
            text = text if full[queue, time] else "dropped for want of room, and there is room"
        if text is not None:
            yield Finding("fate", time / 1e9, place, text)
    yield from _shares(trace, hops)


def _contradiction(hop: _Hop, place: str, cause: str) -> str | None:
    """Return an error if no packet can be dropped at the place by this cause; None otherwise."""
    match cause:
        case "aqm":
            is_right = hop.plan["queue"]["kind"] in flagged("queue", "drops-early")
        case "channel":
            is_right = hop.loses_at_times or hop.model(place) is not None
        case "collision":
            is_right = hop.kind == "wlan"
        case "retries":
            is_right = hop.kind == "wlan" or bool(hop.recoveries)
        case _:
            is_right = True
    return None if is_right else f"nothing can be dropped there as `{cause}`"


def _is_full(lengths: list[tuple[int, int]], time: int, queue: Mapping[str, Any]) -> bool:
    """Return whether the queue was full at this instant, or immediately before."""
    first = max(bisect_left(lengths, (time, -1)) - 1, 0)
    then = lengths[first : bisect_right(lengths, (time, 1 << 30))]
    return any(waiting == queue["packets"] for _, waiting in then)


def _shares(trace: Trace, hops: _Hops) -> Iterator[Finding]:
    """Compare the frame loss rates with the configured rates, for channels with independent errors."""
    if any({"damaged-frames", "fragments"} & services for services in trace.services.values()):
        return  # with LHP or HACK, a receiver uses parts of damaged frames
    wired = [place for place, hop in hops.links.items() if hop.kind == "wired"]
    for place in (*wired, *trace.frames_by_place):
        hop = hops.at(place)
        model = None if hop is None else hop.model(place)
        if hop is None or hop.loses_at_times or model is None or model["kind"] not in _INDEPENDENT:
            continue
        frames = _of_packets(trace, place) if place in wired else _of_frames(trace, hop, place)
        least, most = _INDEPENDENT[model["kind"]](frames, model, hop, trace, place)
        lost = sum(is_lost for _, is_lost in frames)
        if not least - _DEVIATIONS * least**0.5 - _FEW <= lost <= most + _DEVIATIONS * most**0.5 + _FEW:
            text = f"{lost} of {len(frames)} frames lost by the channel, {least:.1f} to {most:.1f} expected"
            yield Finding("fate", trace.duration / 1e9, place, text)


def _of_packets(trace: Trace, place: str) -> list[tuple[int, bool]]:
    """List the packets at the end of a wire as (length, lost).

    `lost` is True for a channel error.
    """
    steps = (*trace.steps_at(place, "arrived"), *trace.steps_at(place, "dropped"))
    reached = (step for step in steps if step.step == "arrived" or step.cause == "channel")
    return [(step.bytes, step.cause == "channel") for step in reached]


def _of_frames(trace: Trace, hop: _Hop, place: str) -> list[tuple[int, bool]]:
    """List the frames and MPDUs that only the channel could lose, as (length, lost)."""
    spares_control = hop.plan.get("standard") in FORMATS
    return [
        (one.bytes, one.outcome == "channel")
        for frame in trace.frames_at(place)
        for one in _parts(trace, frame, spares_control=spares_control)
        if one.outcome in ("received", "captured", "channel")
    ]


def _parts(trace: Trace, frame: Frame, *, spares_control: bool) -> Sequence[Frame | Mpdu]:
    """Return the parts of a frame that the channel loses independently."""
    if frame.kind == "data" or (frame.kind == "ack" and not spares_control):
        return [frame]
    return () if frame.kind == "ack" else trace.mpdus.get(frame.row, ())


def _by_rate(
    frames: list[tuple[int, bool]], model: Mapping[str, Any], hop: _Hop, trace: Trace, _: str
) -> tuple[float, float]:
    """Return the range of expected losses.

    A range is needed because the reference length of `fer` is not known exactly.
    """
    if "loss" in model:
        return (len(frames) * model["loss"],) * 2
    overhead = quantity(hop.plan["overhead"]) if "overhead" in hop.plan else 0.0
    sizes = [
        quantity(flow["segment"]) + overhead + header
        for flow in trace.plans.values()
        for header in _HEADERS[flow["transport"]]
    ]
    references = [min(sizes), max(sizes)]
    if "reference" in model:
        references = [quantity(model["reference"])]
    spared = 1 - model["fer"]
    sums = [sum(1 - spared ** (octets / reference) for octets, _ in frames) for reference in references]
    return min(sums), max(sums)


def _by_snr(
    frames: list[tuple[int, bool]], model: Mapping[str, Any], hop: _Hop, _: Trace, place: str
) -> tuple[float, float]:
    """Return the expected losses at the distance of the two stations."""
    if hop.cell is None or not frames:  # broadcasts have no receiver, and their losses are not recorded
        return 0.0, 0.0
    errors = BySnr(Ppdus(hop.plan), model, hop.cell.distance(*place.split("->")))
    lengths = Counter(octets for octets, _ in frames)
    return (sum(many * errors.per(octets) for octets, many in lengths.items()),) * 2


_INDEPENDENT = {"bernoulli": _by_rate, "snr": _by_snr}
"""Functions that compute the expected losses of channels with independent errors, by kind of error."""
