"""Exchanges between two stations under Block Ack, and the packets in their MPDUs."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from airhop.verify.medium import ANSWERS, RECEIVED, Medium, media
from airhop.verify.trace import ROUNDING, Frame, Mpdu, Step, Trace, keeps_order

Pair = tuple[str, str]
"""Sender and receiver."""


@dataclass(frozen=True)
class Exchange:
    """Channel access of a station; times in nanoseconds."""

    start: int
    first: Frame
    main: Frame | None
    """Data frame or BlockAckReq. None if the RTS got no CTS."""
    answer: Frame | None
    """Response to the main frame, if the station received it."""

    @property
    def is_heard(self) -> bool:
        """Return whether the receiver received the main frame, or some of its MPDUs."""
        return self.main is not None and self.main.outcome in RECEIVED


@dataclass(frozen=True)
class Packet:
    """Packet in an MPDU; times in nanoseconds."""

    number: int
    """Number of the packet in the trace."""
    offered: int
    dropped: int | None
    """Time at which the station discarded the packet. None without a discard."""
    arrived: int | None


@dataclass(frozen=True)
class Conversation:
    """Exchanges of a station with one receiver in one access category, and the packets of their MPDUs.

    Packets are listed by sequence number. Each access category has its own Block Ack agreement.
    """

    medium: Medium
    pair: Pair
    category: str
    exchanges: list[Exchange]
    packets: dict[int, list[Packet]]


def conversations(trace: Trace) -> Mapping[tuple[str, Pair, str], Conversation]:
    """Return the conversations under Block Ack, by channel, pair and access category."""
    return trace.derived(_conversations)


def _conversations(trace: Trace) -> Mapping[tuple[str, Pair, str], Conversation]:
    return {
        (medium.cell.name, pair, category): Conversation(
            medium, pair, category, exchanges, _packets(trace, medium, pair, category, exchanges)
        )
        for medium in media(trace)
        if medium.aggregates
        for (pair, category), exchanges in Exchanges(medium).of().items()
    }


class Exchanges:
    """Exchanges of a channel."""

    def __init__(self, medium: Medium) -> None:
        self._sifs = medium.sifs
        self._begun = medium.begun
        self.frames = medium.frames

    def answer(self, frame: Frame) -> Frame | None:
        """Return the receiver's frame that begins a SIFS after this frame.

        None if there is none.
        """
        return self._at(frame.receiver, frame.end + self._sifs)

    def _at(self, sender: str, start: int) -> Frame | None:
        near = (self._begun.get((sender, start + off)) for off in range(-ROUNDING, ROUNDING + 1))
        return next(filter(None, near), None)

    def response(self, frame: Frame) -> Frame | None:
        """Return the response to a frame; None without a response to this frame's sender."""
        answer = self.answer(frame)
        return answer if answer is not None and answer.receiver == frame.sender else None

    def answered(self, frame: Frame) -> Frame | None:
        """Return the response to a frame; None if the frame's sender received no response."""
        answer = self.response(frame)
        right = answer is not None and answer.kind == ANSWERS.get(frame.kind) and answer.outcome in RECEIVED
        return answer if right else None

    def first(self, exchange: Exchange) -> Frame | None:
        """Return the frame with which the sender continues a SIFS after the response.

        None if the sender does not continue.
        """
        return None if exchange.answer is None else self.answer(exchange.answer)

    def of(self) -> Mapping[tuple[Pair, str], list[Exchange]]:
        """List the exchanges of each pair of stations in each access category, in order of time."""
        found: defaultdict[tuple[Pair, str], list[Exchange]] = defaultdict(list)
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
            found[(frame.sender, frame.receiver), frame.category].append(
                Exchange(frame.start, frame, main, answer)
            )
        return found


def txops(medium: Medium) -> Iterator[list[Exchange]]:
    """Yield the exchanges of each TXOP, for categories with a TXOP limit."""
    exchanges = Exchanges(medium)
    of_station: defaultdict[str, list[Exchange]] = defaultdict(list)
    for (pair, category), found in exchanges.of().items():
        if category in medium.txop:
            of_station[pair[0]] += found
    for found in of_station.values():
        txop: list[Exchange] = []
        for exchange in sorted(found, key=lambda one: one.start):
            if txop and exchanges.first(txop[-1]) != exchange.first:
                yield txop
                txop = []
            txop.append(exchange)
        if txop:
            yield txop


def _packets(
    trace: Trace, medium: Medium, pair: Pair, category: str, exchanges: list[Exchange]
) -> dict[int, list[Packet]]:
    """Return the packets of each MPDU by sequence number, as far as known.

    MPDUs contain packets in the order of their offers. If the queue does not keep this order, the order holds
    within each flow and kind. Some offered packets are in no MPDU: packets that the station dropped before
    (lifetime or broken route), packets offered after the transmission, and packets that a router had taken
    back. A packet was taken back if it was offered again, if it was offered before a packet of an earlier
    MPDU, or if a later packet arrived in its place.
    """
    waiting = _waiting(trace, pair, category)
    in_order = keeps_order(medium.plan["queue"])
    newest: defaultdict[tuple[str, str] | None, int] = defaultdict(int)
    """Largest index of a sent packet among the offers."""
    received = _received(medium, exchanges)
    found: dict[int, list[Packet]] = {}
    for frame, mpdu in sent(medium, exchanges):
        if mpdu.sequence in found:
            continue
        inside = []
        for row in mpdu.packets:
            order = None if in_order else (row.flow, row.packet)
            alike = waiting[row.flow, row.packet, row.seq]
            while alike and alike[0].is_gone(newest[order], frame.start):
                alike.popleft()
            _skip_taken_back(alike, received.get(mpdu.sequence), frame.start)
            if alike and alike[0].step.time <= frame.start:
                offer = alike.popleft()
                newest[order] = offer.turn
                inside.append(Packet(offer.step.packet, offer.step.time, offer.dropped, offer.arrived))
        if inside:
            found[mpdu.sequence] = inside
    return found


@dataclass(frozen=True)
class _Offer:
    """Packet offered to a pair of stations; times in nanoseconds."""

    turn: int
    """Index among the offers to the pair."""
    step: Step
    again: int | None
    """Time at which the packet is offered again. None without another offer."""
    dropped: int | None
    lacks_route: bool
    """True if the packet is dropped because of a broken route."""
    arrived: int | None

    def is_gone(self, newest: int, now: int) -> bool:
        """Return whether the packet left the station before `now` without being in an MPDU."""
        lefts = (self.again, self.dropped)
        return self.turn < newest or any(left is not None and left <= now for left in lefts)

    def is_taken_back(self, received: int) -> bool:
        """Return whether a router took the packet back, given that its MPDU was received at `received`."""
        left = self.dropped if self.again is None and self.lacks_route else self.again
        return left is not None and not (self.arrived is not None and received <= self.arrived < left)


def _waiting(trace: Trace, pair: Pair, category: str) -> defaultdict[tuple[str, str, int], deque[_Offer]]:
    """List the packets that may be in MPDUs of a pair and category, by flow, kind and number."""
    place = "->".join(pair)
    arrived = _last(trace.steps_at(place, "arrived"))
    # A router that loses its next hop removes packets from the queue `*` of all neighbours.
    dropped = _last([*trace.steps_at(f"{pair[0]}->*", "dropped"), *trace.steps_at(place, "dropped")])
    offered = of_category(trace, category, trace.steps_at(place, "offered"))
    again = _again(offered)
    found: defaultdict[tuple[str, str, int], deque[_Offer]] = defaultdict(deque)
    for turn, step in enumerate(offered):
        drop, arrival = dropped.get(step.packet), arrived.get(step.packet)
        if drop is not None and arrival is not None and step.time <= arrival.time < drop.time:
            # this arrival belongs to a later visit, because the packet returned to the station over a routing
            # loop
            drop = None
        if drop is None or drop.cause in ("retries", "route"):
            offer = _Offer(
                turn,
                step,
                again=again.get(turn),
                dropped=None if drop is None else drop.time,
                lacks_route=drop is not None and drop.cause == "route",
                arrived=None if arrival is None else arrival.time,
            )
            found[step.flow, step.kind, step.seq].append(offer)
    return found


def _received(medium: Medium, exchanges: list[Exchange]) -> dict[int, int]:
    """Return the time in ns at which each MPDU was first received."""
    found: dict[int, int] = {}
    for frame, mpdu in sent(medium, exchanges):
        if mpdu.outcome in RECEIVED:
            found.setdefault(mpdu.sequence, frame.end)
    return found


def _skip_taken_back(alike: deque[_Offer], received: int | None, now: int) -> None:
    """Remove the packets that a router took back, if a later packet arrived from the MPDU."""
    if received is None or len(alike) < 2 or not alike[0].is_taken_back(received):
        return
    later = next((at for at, offer in enumerate(alike) if not offer.is_taken_back(received)), 0)
    arrived = alike[later].arrived
    if later and alike[later].step.time <= now and arrived is not None and arrived >= received:
        for _ in range(later):
            alike.popleft()


def _again(offered: list[Step]) -> dict[int, int]:
    """Return the time of a packet's next offer, by index of the previous offer."""
    found: dict[int, int] = {}
    last: dict[int, int] = {}
    for turn, step in enumerate(offered):
        if step.packet in last:
            found[last[step.packet]] = step.time
        last[step.packet] = turn
    return found


def sent(medium: Medium, exchanges: list[Exchange]) -> Iterator[tuple[Frame, Mpdu]]:
    """Yield each transmission of an MPDU, with its PPDU."""
    for exchange in exchanges:
        if exchange.main is not None:
            for mpdu in medium.mpdus.get(exchange.main.row, ()):
                yield exchange.main, mpdu


def of_category(trace: Trace, category: str, steps: Iterable[Step]) -> list[Step]:
    """Select the steps of packets of an access category."""
    return [step for step in steps if trace.category_of(step.flow) == category]


def _last(steps: list[Step]) -> dict[int, Step]:
    return {step.packet: step for step in steps}
