"""Law of Block Ack originators: transmitted MPDUs, their attempts, and BlockAckReqs.

IEEE 802.11-2020 §10.25. An originator learns of the arrival of an MPDU only from an Ack or BlockAck. The
trace records the discard of an MPDU only if the MPDU had not arrived. If the MPDU had arrived, only the
earliest possible time of the discard is known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from airhop.verify.laws.wifi.pairs import Conversation, Exchange, Packet, conversations, of_category
from airhop.verify.laws.wifi.recipients import lifetime, most_requests
from airhop.verify.medium import RECEIVED
from airhop.verify.trace import Finding, Frame, Mpdu, Trace


@dataclass
class _PendingMpdu:
    """MPDU that may still be outstanding: not acknowledged, and not certainly discarded.

    Times are in nanoseconds.
    """

    packets: list[Packet]
    first: int
    """Start of the first exchange with the MPDU."""
    attempts: int = 0
    refused: int = 0
    """Number of RTS frames without a CTS since the MPDU's last transmission. Each may count as an attempt."""
    is_received: bool = False
    may_be_gone: bool = False


def check(trace: Trace) -> Iterator[Finding]:
    """Check every pair of stations of every channel with Block Ack."""
    for conversation in conversations(trace).values():
        yield from _Originator(trace, conversation).check()


class _Originator:
    """Originator in a station for one receiver and one access category."""

    def __init__(self, trace: Trace, conversation: Conversation) -> None:
        self._medium = medium = conversation.medium
        self._window = medium.ppdus.window if medium.ppdus else 0
        self._place = "->".join(conversation.pair)
        self._exchanges = conversation.exchanges
        self._packets = conversation.packets
        """Packets of each MPDU. All packets of an MPDU have the same outcome."""
        self._lifetime = lifetime(medium.plan)
        self._attempts = math.inf if self._lifetime is not None else medium.plan["attempts"]
        self._is_on_demand = medium.plan["routing"]["kind"] != "static"
        """True if discarded packets return to the router. The trace does not record these returns."""
        self._asks = medium.plan["lost_block_ack"] == "request"
        ids = {packet.number for inside in self._packets.values() for packet in inside}
        self._unsent = sorted(
            step.time
            for step in of_category(trace, conversation.category, trace.steps_at(self._place, "dropped"))
            if step.cause == "retries" and step.packet not in ids
        )
        """Times in ns at which never-sent packets were discarded."""
        self._open: dict[int, _PendingMpdu] = {}
        self._next = 0
        """Lowest sequence number that is neither sent nor skipped."""
        self._passed = 0
        """Count of skipped sequence numbers."""
        self._refused = 0
        """Number of RTS frames without a CTS since the last data frame."""
        self._flight: list[int] = []
        """MPDUs of unknown state, until a BlockAckReq is answered."""
        self._unanswered = 0
        self._board = 0
        """Start of the recipient's scoreboard."""
        self._told = [0, 0]
        """Bounds (low, high) of the lowest sequence number that is unfinished as far as the originator knows.
        """
        self._discarded = [0, 0]
        """Sequence numbers after the last MPDU that was certainly discarded, and after the last that may have
        been.
        """

    def check(self) -> Iterator[Finding]:
        """Check the exchanges in order."""
        for exchange in self._exchanges:
            yield from self._expire(exchange.start)
            match exchange.main:
                case None:
                    self._refuse()
                case Frame(kind="block-ack-req") as request:
                    yield from self._request(exchange, request)
                case main:
                    yield from self._data(exchange, main)
        yield from self._drops()

    # ---- discards ----------------------------------------------------------------------------------------

    def _expire(self, now: int) -> Iterator[Finding]:
        """Record the MPDUs that were, or may have been, discarded before an exchange."""
        for number, mpdu in list(self._open.items()):
            dropped = mpdu.packets[0].dropped if mpdu.packets else None
            if dropped is not None and dropped <= now:
                self._discard(number)
            elif (mpdu.is_received or self._is_on_demand) and self._may_expire(mpdu, now):
                mpdu.may_be_gone = True
                self._discarded[1] = max(self._discarded[1], number + 1)
            elif not mpdu.is_received and self._lifetime is not None and now >= mpdu.first + self._lifetime:
                yield self._finding(now, f"MPDU {number} waits, and its lifetime is over")

    def _may_expire(self, mpdu: _PendingMpdu, now: int) -> bool:
        if self._lifetime is not None:
            taken = max((packet.offered for packet in mpdu.packets), default=0)
            return now >= taken + self._lifetime
        return mpdu.refused > 0 and mpdu.attempts + mpdu.refused >= self._attempts

    def _discard(self, number: int) -> None:
        del self._open[number]
        self._discarded = [max(bound, number + 1) for bound in self._discarded]

    def _drops(self) -> Iterator[Finding]:
        """Check every discard: the MPDU had not arrived, and had reached the attempt limit or its lifetime.

        The packets of an MPDU are discarded together, unless a router keeps some of them for a new route.
        """
        for number, inside in self._packets.items():
            for packet in inside:
                if packet.dropped != inside[0].dropped and not self._is_on_demand:
                    time = packet.dropped or inside[0].dropped or 0
                    yield self._finding(time, f"packets of MPDU {number} are discarded without the others")
                if packet.dropped is None:
                    continue
                if packet.arrived is not None:
                    yield self._finding(packet.dropped, f"MPDU {number} is discarded, and arrives")
                if self._lifetime is not None and packet.dropped < packet.offered + self._lifetime:
                    text = f"MPDU {number} is discarded before its lifetime is over"
                    yield self._finding(packet.dropped, text)

    # ---- exchanges ---------------------------------------------------------------------------------------

    @property
    def _bounds(self) -> tuple[int, float]:
        """Bounds (low, high) of the oldest unfinished sequence number."""
        least = min(self._open, default=self._next)
        certain = [number for number, mpdu in self._open.items() if not mpdu.may_be_gone]
        return least, min(certain, default=math.inf)

    def _refuse(self) -> None:
        """Count an RTS without a CTS as an attempt at the MPDUs that would have been sent."""
        self._refused += 1
        for mpdu in self._open.values():
            mpdu.refused += 1

    def _request(self, exchange: Exchange, request: Frame) -> Iterator[Finding]:
        """Check reason and starting number of a BlockAckReq (§10.25.6.6.3), and process the response."""
        least, most = self._bounds
        if not least <= request.seq <= most:
            yield self._finding(exchange.start, f"BlockAckReq from {request.seq}, and {least} is the oldest")
        if not self._flight and self._discarded[1] <= self._told[0] and not self._has_expired(request.start):
            yield self._finding(exchange.start, "BlockAckReq, and no reason for it")
        if exchange.is_heard:
            self._board = max(self._board, request.seq)
        if exchange.answer is not None:
            self._process_response(exchange.answer)
            return
        self._unanswered += 1
        if self._unanswered >= most_requests(self._medium.plan):
            self._fail(self._flight)
            self._flight = []
            self._unanswered = 0
            self._told[0] = max(self._told[0], self._discarded[0])
            self._told[1] = max(self._told[1], request.seq, self._next + len(self._unsent))

    def _has_expired(self, now: int) -> bool:
        """Return whether MPDUs that were never sent may have been discarded by `now`."""
        return self._is_on_demand or any(time <= now for time in self._unsent)

    def _data(self, exchange: Exchange, main: Frame) -> Iterator[Finding]:
        """Check the MPDUs of a PPDU, and process the response."""
        mpdus = self._medium.mpdus.get(main.row, [])
        least, most = self._bounds
        unknown = [number for number in self._flight if number in self._open]
        if any(not self._open[number].may_be_gone for number in unknown):
            yield self._finding(
                exchange.start, f"data, and a BlockAckReq is to ask for MPDU {unknown[0]} first"
            )
        elif self._told[1] < min(self._discarded[0], least):
            yield self._finding(
                exchange.start, f"data, and no BlockAckReq for what is discarded below {least}"
            )
        self._flight = []
        yield from self._choice(exchange.start, [mpdu.sequence for mpdu in mpdus], most)
        for mpdu in mpdus:
            yield from self._transmission(exchange.start, mpdu)
        self._refused = 0
        self._process_exchange(exchange, main, mpdus)

    def _choice(self, start: int, numbers: list[int], most: float) -> Iterator[Finding]:
        """Check that the oldest queued MPDUs within the window are sent (§10.25.6.7)."""
        for number in numbers:
            if number >= most + self._window:
                text = f"MPDU {number} is sent, and the window ends at {most + self._window:.0f}"
                yield self._finding(start, text)
        last = max(numbers, default=-1)
        left = [
            number
            for number, mpdu in self._open.items()
            if number < last and number not in numbers and not mpdu.may_be_gone
        ]
        if left:
            yield self._finding(start, f"MPDU {last} is sent before MPDU {left[0]}, which waits")

    def _transmission(self, start: int, mpdu: Mpdu) -> Iterator[Finding]:
        """Check and record the sequence number of a transmission."""
        number = mpdu.sequence
        known = self._open.get(number)
        if known is None:
            if number < self._next:
                yield self._finding(start, f"MPDU {number} is sent, and is acknowledged or discarded")
                return
            self._passed += number - self._next
            if self._passed > sum(time <= start for time in self._unsent) and not self._is_on_demand:
                yield self._finding(start, f"MPDU {number} is sent, and MPDU {self._next} never was")
            for passed in range(self._next, number):
                self._discarded = [max(bound, passed + 1) for bound in self._discarded]
            self._next = number + 1
            known = self._open[number] = _PendingMpdu(
                self._packets.get(number, []), start, refused=self._refused
            )
        most = known.attempts + known.refused + 1
        if not known.attempts < mpdu.attempt <= most:
            yield self._finding(start, f"attempt {mpdu.attempt} at MPDU {number}, and {most} is next")
        if mpdu.attempt > self._attempts:
            text = f"attempt {mpdu.attempt} at MPDU {number}, of {self._attempts}"
            yield self._finding(start, text)
        if self._lifetime is not None and start >= known.first + self._lifetime:
            yield self._finding(start, f"MPDU {number} is sent after its lifetime")
        known.attempts, known.refused = mpdu.attempt, 0

    def _process_exchange(self, exchange: Exchange, main: Frame, mpdus: list[Mpdu]) -> None:
        """Record the arrivals in an exchange, and what the originator learns from them."""
        for mpdu in mpdus:
            if mpdu.outcome in RECEIVED:
                self._board = max(self._board, mpdu.sequence - self._window + 1)
                if mpdu.sequence in self._open:
                    self._open[mpdu.sequence].is_received = True
        numbers = [mpdu.sequence for mpdu in mpdus]
        if exchange.answer is None:
            if self._asks and main.kind == "a-mpdu":
                self._flight = numbers
                self._unanswered = 0
            else:
                self._fail(numbers)
        elif main.kind == "data":
            for number in numbers:
                self._open.pop(number, None)
        else:
            self._process_response(exchange.answer)
            self._fail(numbers)

    def _process_response(self, _: Frame) -> None:
        """Handle a BlockAck: MPDUs that have arrived are acknowledged, others in flight failed."""
        self._unanswered = 0
        self._told = [max(told, self._board) for told in self._told]
        for number in [number for number, mpdu in self._open.items() if mpdu.is_received]:
            del self._open[number]
        self._fail(self._flight)
        self._flight = []

    def _fail(self, numbers: list[int]) -> None:
        """End a failed attempt at these MPDUs, and discard MPDUs at the attempt limit."""
        for number in numbers:
            mpdu = self._open.get(number)
            if mpdu is not None and mpdu.attempts >= self._attempts:
                self._discard(number)

    def _finding(self, time: int, text: str) -> Finding:
        return Finding("block-ack", time / 1e9, self._place, text)
