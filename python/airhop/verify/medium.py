"""802.11 channel as the laws see it: stations, timing, and transmitted frames."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from airhop.analysis.topology import BEST_EFFORT, Cell
from airhop.verify.ppdus import AIFSN, FORMATS, LONGEST, Ppdus
from airhop.verify.trace import Finding, Frame, Mpdu, Step, Trace, quantity

_TIMING = {"802.11": (28_000, 50_000), "802.11b": (10_000, 20_000), "802.11g": (10_000, 9_000)}
"""SIFS and slot in nanoseconds: FHSS (802.11-1999 clause 14), DSSS and ERP (802.11-2016 clauses 15, 18)."""
_ACK_BYTES = 14
"""Length of a link ACK in bytes (IEEE 802.11-2016 §9.3.1.4)."""
_MAC_BYTES = 28
"""Length of the MAC header and FCS in bytes. Each fragment has both (IEEE 802.11-2016 §9.3.2.1)."""
ANSWERS = {"rts": "cts", "data": "ack", "a-mpdu": "block-ack", "block-ack-req": "block-ack"}
"""Kind of the response by kind of the frame. The response follows after a SIFS."""
RECEIVED = ("received", "captured")
"""Outcomes of frames that arrived."""
RTS_LIMIT = 7
"""Number of RTS frames without a CTS before a packet is given up.

dot11ShortRetryLimit (IEEE 802.11-2016 §10.3.4.4).
"""
_MOST_FRAGMENTS = 16
"""Maximum number of fragments; the fragment number has four bits (IEEE 802.11-2016 §9.2.4.4.3)."""


@dataclass(frozen=True)
class Medium:
    """Channel with its transmitted frames."""

    plan: Mapping[str, Any]
    cell: Cell
    frames: list[Frame]
    """Transmitted frames by start time."""
    fragmented: frozenset[str]
    """Flows that LHP fragments. All fragments of a packet share one attempt limit."""
    largest: int
    """Largest packet of the run in bytes."""
    mpdus: Mapping[int, list[Mpdu]]
    """MPDUs of PPDUs, by row of `air`, in cells with Block Ack."""
    used: frozenset[str]
    """Access categories of the run's flows."""

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """Access categories of the stations, by ascending priority; `-` without EDCA."""
        return ("-",) if self.ppdus is None else tuple(name for name in AIFSN if name in self.used)

    @cached_property
    def txop(self) -> dict[str, int]:
        """TXOP limits above 0, in ns, by access category (IEEE 802.11-2020 §10.23.2.9)."""
        limits = {category: round(quantity(limit)) for category, limit in self.plan.get("txop", {}).items()}
        return {category: limit for category, limit in limits.items() if limit > 0}

    @property
    def reserves_limits(self) -> bool:
        """True if frames of a TXOP with a limit reserve the medium until the limit."""
        return self.plan.get("nav") == "limit"

    def may_follow(self, frame: Frame, response: Frame) -> bool:
        """Return whether a frame may follow a response by a SIFS, as the next exchange of a TXOP."""
        is_own = response.kind in ("ack", "block-ack") and response.receiver == frame.sender
        return is_own and frame.category == response.category and frame.category in self.txop

    def lower(self, category: str) -> tuple[str, ...]:
        """List the categories that may lose internal collisions against this category."""
        return self.categories[: self.categories.index(category)]

    def may_lose_internally(self, category: str) -> bool:
        """Return whether a category may lose internal collisions.

        The trace does not record these.
        """
        return category != self.categories[-1]

    def queues(self, station: str) -> list[str]:
        """List the names of a station's queues, one for each access category."""
        return [self.queue(station, category) for category in self.categories]

    def queue(self, station: str, category: str) -> str:
        """Return the name of a station's queue for the packets of an access category."""
        return self.cell.queue(station, BEST_EFFORT if category == "-" else category)

    @cached_property
    def ppdus(self) -> Ppdus | None:
        """PPDUs of 802.11n, ac and ax; None for other standards."""
        return Ppdus(self.plan) if self.plan["standard"] in FORMATS else None

    @property
    def aggregates(self) -> bool:
        """True if MPDUs are sent under a Block Ack agreement."""
        return self.ppdus is not None and self.ppdus.aggregates

    @cached_property
    def threshold(self) -> int | None:
        """Fragmentation threshold: length of the longest data frame in bytes.

        None without fragmentation.
        """
        given = self.plan.get("fragmentation", "off")
        return None if given == "off" else int(quantity(given))

    @cached_property
    def overhead(self) -> int:
        """Bytes that a data frame adds to a packet."""
        return int(quantity(self.plan["overhead"]))

    def may_be_cut(self, frame: Frame) -> bool:
        """Return whether a frame may contain only a part of a packet.

        The trace does not record this.
        """
        return frame.flow in self.fragmented or (self.threshold is not None and frame.kind != "broadcast")

    def lengths(self, octets: int) -> list[int]:
        """Return the lengths of a packet's fragments in bytes (IEEE 802.11-2016 §10.5).

        All fragments but the last are equal.
        """
        whole, own = octets + self.overhead, min(self.overhead, _MAC_BYTES)
        if self.threshold is None or whole <= self.threshold:
            return [whole]
        body = whole - own
        least = math.ceil(body / _MOST_FRAGMENTS)
        part = max((self.threshold - own) // 2 * 2, least + least % 2)
        return [own + min(part, body - at) for at in range(0, body, part)]

    @cached_property
    def _starts(self) -> list[int]:
        return [frame.start for frame in self.frames]

    @cached_property
    def begun(self) -> dict[tuple[str, int], Frame]:
        """Frames by sender and start time."""
        return {(frame.sender, frame.start): frame for frame in self.frames}

    @cached_property
    def longest(self) -> int:
        """Longest possible duration of a frame in ns.

        The end of the run may have cut a frame short.
        """
        if self.aggregates:
            return LONGEST
        whole = math.ceil(self.airtime("data", self.largest + self.overhead))
        return max([whole, *(frame.end - frame.start for frame in self.frames)])

    @cached_property
    def sifs(self) -> int:
        """Interval in ns between a frame and its response."""
        if self.ppdus is not None:
            return self.ppdus.sifs
        return _TIMING[self.plan["standard"]][0]

    @cached_property
    def difs(self) -> int:
        """Minimum interval in ns before a frame that is no response.

        DIFS (IEEE 802.11-2016 §10.3.7), or AIFS for 802.11n, ac and ax.
        """
        if self.ppdus is not None:
            return min(map(self.ppdus.aifs, self.categories))
        sifs, slot = _TIMING[self.plan["standard"]]
        return sifs + 2 * slot

    @cached_property
    def answer_timeout(self) -> float:
        """Minimum time in ns from the end of an unanswered frame to the sender's backoff."""
        if self.ppdus is not None:
            return self.ppdus.timeout
        sifs, slot = _TIMING[self.plan["standard"]]
        if self.plan["ack_timeout"] == "802.11":
            # IEEE 802.11-2016 §10.3.2.9; aRxPHYStartDelay is preamble and header. DIFS elapses meanwhile.
            return sifs + slot + quantity(self.plan["phy"]["header"])
        return sifs + self.ack + slot + self.difs  # CTS and link ACK are equally long

    @cached_property
    def capture(self) -> float:
        """Capture ratio."""
        reach = self.plan.get("range") or self.plan.get("propagation") or {"capture": "10 dB"}
        return float(10 ** (float(reach["capture"].split()[0]) / 10))

    @cached_property
    def ack(self) -> float:
        """Duration of a link ACK in ns."""
        return self.airtime("ack", _ACK_BYTES)

    def airtime(self, kind: str, octets: int) -> float:
        """Return the airtime of a frame (IEEE 802.11-2016 §17.4.3, §18.5.3.2)."""
        if (kind, octets) not in self._airtimes:
            self._airtimes[kind, octets] = self._airtime(kind, octets)
        return self._airtimes[kind, octets]

    @cached_property
    def _airtimes(self) -> dict[tuple[str, int], float]:
        """Durations of frames in ns, by kind and length (a cache)."""
        return {}

    def _airtime(self, kind: str, octets: int) -> float:
        if self.ppdus is not None:
            return self.ppdus.airtime(kind, octets)
        rate = quantity(self.plan["rate" if kind == "data" else "control_rate"])
        header = quantity(self.plan["phy"]["header"])
        if self.plan["phy"]["coding"] == "serial":
            return header + octets * 8e9 / rate
        symbols = math.ceil((16 + 8 * octets + 6) / (rate * 4e-6))
        return header + 4_000 * symbols + 6_000

    def answer_time(self, kind: str) -> float:
        """Return the duration of the response to a frame of this kind."""
        answer = ANSWERS[kind]
        if self.ppdus is None:
            return self.ack  # CTS and link ACK have equal durations
        return self.ppdus.airtime(answer, self.ppdus.length(answer) or 0)

    def senses(self, a: str, b: str) -> bool:
        """Return whether two stations sense each other."""
        return b in self._sensing[a]

    @cached_property
    def _sensing(self) -> _Within:
        return _Within(self.cell, self.cell.sense)

    @cached_property
    def _stations_in_range(self) -> _Within:
        return _Within(self.cell, self.cell.receive)

    def power(self, frame: Frame, station: str) -> float:
        """Return the power of a frame at a station."""
        return self.cell.power(frame.sender, station)

    def hears(self, a: str, b: str) -> bool:
        """Return whether two stations can receive each other's frames."""
        return b in self._stations_in_range[a]

    def steps(self, trace: Trace, kind: str) -> Iterator[tuple[str, str, Step]]:
        """Yield the steps of one kind between stations in range, with sender and receiver."""
        for place in trace.places_of(kind):
            sender, _, receiver = place.partition("->")
            if receiver in self._hearers.get(sender, ()):
                for step in trace.steps_at(place, kind):
                    yield sender, receiver, step

    @cached_property
    def _hearers(self) -> dict[str, frozenset[str]]:
        return {station: frozenset(others) for station, others in self.cell.hearers.items()}

    def before(self, time: int, reach: int) -> list[Frame]:
        """Return the frames that may have been on the air in the `reach` ns before `time`."""
        first = bisect_left(self._starts, time - reach - self.longest)
        return self.frames[first : bisect_left(self._starts, time, first)]

    def beside(self, frame: Frame, station: str) -> list[Frame]:
        """List the overlapping frames of a frame that a station sends or senses."""
        sensed = self._sensing[station]
        return [other for other in self._overlaps.get(frame.row, ()) if other.sender in sensed]

    @cached_property
    def _overlaps(self) -> dict[int, list[Frame]]:
        """Overlapping frames of each frame, by row and in order of start time."""
        found: defaultdict[int, list[Frame]] = defaultdict(list)
        active: list[Frame] = []
        for frame in self.frames:
            active = [other for other in active if other.end > frame.start]
            for other in active:
                is_same = (other.start, other.sender) == (frame.start, frame.sender)
                if other.start < frame.end and not is_same:
                    found[other.row].append(frame)
                    found[frame.row].append(other)
            active.append(frame)
        return found


class _Within(dict[str, frozenset[str]]):
    """Stations within a distance of a station, including the station.

    Each set is computed on first access.
    """

    def __init__(self, cell: Cell, distance: float) -> None:
        self._cell = cell
        self._distance = distance

    def __missing__(self, station: str) -> frozenset[str]:
        cell = self._cell
        near = frozenset(other for other in cell.places if cell.distance(station, other) <= self._distance)
        self[station] = near
        return near


def media(trace: Trace) -> list[Medium]:
    """List the channels of a run."""
    return trace.derived(_media)


def _media(trace: Trace) -> list[Medium]:
    plans = {plan["name"]: plan for plan in trace.scenario.get("wlan", [])}
    fragmented = frozenset(name for name, services in trace.services.items() if "fragments" in services)
    largest = max((step.bytes for step in trace.steps), default=0) if trace.cells else 0
    used = frozenset([BEST_EFFORT, *trace.categories.values()])
    found = []
    for cell in trace.cells:
        frames = [frame for frame in trace.frames if frame.sender in cell.places and _is_on(frame, cell)]
        found.append(Medium(plans[cell.name], cell, frames, fragmented, largest, trace.mpdus, used))
    return found


def _is_on(frame: Frame, cell: Cell) -> bool:
    return frame.receiver == "*" or frame.receiver in cell.places


def finding(law: str, frame: Frame, text: str) -> Finding:
    """Make a finding about a frame."""
    return Finding(law, frame.start / 1e9, f"{frame.sender}->{frame.receiver}", f"{frame.kind}: {text}")
