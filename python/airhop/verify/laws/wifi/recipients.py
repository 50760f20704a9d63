"""Reorder buffers of Block Ack: a packet arrives when no earlier MPDU is missing, once, and in order.

IEEE 802.11-2020 §10.25.6.6: an MPDU beyond the window moves it, a BlockAckReq moves it to its own number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from airhop.verify.laws.wifi.pairs import Exchange, Exchanges, Packet, Pair, packets
from airhop.verify.medium import RECEIVED, Medium, media
from airhop.verify.trace import Finding, Trace, quantity

SHORT_RETRY_LIMIT = 7
"""BlockAckReqs in a row without an answer, where MPDUs have a lifetime: dot11ShortRetryLimit."""


def check(trace: Trace) -> Iterator[Finding]:
    """Check every pair of stations of every channel with Block Ack."""
    for medium in media(trace):
        if medium.aggregates:
            pairs = Exchanges(medium).of()
            for a in medium.cell.places:
                for b in medium.cell.places:
                    if a != b:
                        yield from _Buffer(trace, medium, (a, b), pairs.get((a, b), [])).check()


def most_requests(plan: Any) -> int:
    """Return the number of BlockAckReqs without an answer after which no further one is sent."""
    return int(plan["attempts"]) if "lifetime" not in plan else SHORT_RETRY_LIMIT


class _Buffer:
    """Reorder buffer of a receiver for one sender."""

    def __init__(self, trace: Trace, medium: Medium, pair: Pair, exchanges: list[Exchange]) -> None:
        self._medium = medium
        self._window = medium.ppdus.window if medium.ppdus else 0
        self._exchanges = exchanges
        self._place = "->".join(pair)
        self._packets = packets(trace, medium, pair, exchanges)
        self._steps = trace.steps_at(self._place, "arrived")
        self._held: set[int] = set()
        self._expected = 0
        """WinStartB: all below are delivered or given up."""
        self._is_unsure = False
        """True since a release that no frame shows."""

    def check(self) -> Iterator[Finding]:
        """Follow the buffer from frame to frame, and compare what it lets go with what arrives."""
        explained: dict[int, int] = {}
        unanswered = 0
        for place, exchange in enumerate(self._exchanges):
            main = exchange.main
            if main is None:
                continue
            until = self._exchanges[place + 1].start if place + 1 < len(self._exchanges) else 1 << 62
            released: list[int] = []
            if main.kind == "block-ack-req":
                if exchange.is_heard:
                    released = self._move(main.seq) + self._advance()
                unanswered = 0 if exchange.answer else unanswered + 1
            else:
                for mpdu in self._medium.mpdus.get(main.row, ()):
                    if mpdu.outcome in RECEIVED:
                        released += self._receive(mpdu.sequence, main.end)
            yield from self._compare(released, main.end, explained)
            if main.kind == "block-ack-req" and unanswered >= most_requests(self._medium.plan):
                unanswered = 0
                yield from self._give_up(main.end, until, explained)
        yield from self._arrivals(explained)

    def _arrivals(self, explained: dict[int, int]) -> Iterator[Finding]:
        """Check that what arrives was released, once and in this order."""
        last = -1
        for step in self._steps:
            rank = explained.pop(step.packet, None)
            if rank is None:
                text = f"{step.kind} {step.seq} arrives, and no MPDU or BlockAckReq releases it"
            elif rank < last:
                text = f"{step.kind} {step.seq} arrives out of order"
            else:
                last = rank
                continue
            yield Finding("release", step.time / 1e9, self._place, text)

    def _receive(self, number: int, time: int) -> list[int]:
        """Handle an MPDU (§10.25.6.6.2), and return the numbers that go up."""
        if number < self._expected or number in self._held:
            return []
        if self._is_unsure and min(self._held, default=number) >= number and self._arrives(number, time):
            self._expected = number  # the window had moved there
        released = self._move(number - self._window + 1)
        self._held.add(number)
        return released + self._advance()

    def _arrives(self, number: int, time: int) -> bool:
        return any(packet.arrived == time for packet in self._packets.get(number, ()))

    def _move(self, start: int) -> list[int]:
        """Move the window, which waits for no number below `start` then."""
        released = sorted(number for number in self._held if number < start)
        self._held -= set(released)
        self._expected = max(self._expected, start)
        return released

    def _advance(self) -> list[int]:
        released = []
        while self._expected in self._held:
            self._held.remove(self._expected)
            released.append(self._expected)
            self._expected += 1
        return released

    def _give_up(self, begin: int, until: int, explained: dict[int, int]) -> Iterator[Finding]:
        """Release what arrives before the next exchange: the recipient itself gives up what is discarded."""
        self._is_unsure = True
        due = [
            (packet.arrived, number)
            for number in sorted(self._held)
            for packet in self._packets.get(number, ())
            if packet.arrived is not None and begin < packet.arrived < until
        ]
        if due:
            released = self._move(due[-1][1] + 1) + self._advance()
            yield from self._compare(released, due[0][0], explained)

    def _compare(self, released: list[int], time: int, explained: dict[int, int]) -> Iterator[Finding]:
        """Compare the numbers that go up at a time with the arrivals of their packets."""
        for number in released:
            if number not in self._packets:
                yield Finding("release", time / 1e9, self._place, f"MPDU {number} has no packet")
            for packet in self._packets.get(number, ()):
                explained[packet.number] = len(explained)
                is_late = packet.arrived != time
                if is_late and (packet.arrived is not None or not self._is_dropped(packet, time)):
                    when = "never" if packet.arrived is None else f"at {packet.arrived} ns"
                    text = f"MPDU {number} is released at {time} ns, and its packet arrives {when}"
                    yield Finding("release", time / 1e9, self._place, text)

    def _is_dropped(self, packet: Packet, time: int) -> bool:
        return packet.dropped is not None and packet.dropped <= time


def lifetime(plan: Any) -> float | None:
    """Return the lifetime of MPDUs, ns; None where attempts are counted."""
    return quantity(plan["lifetime"]) if "lifetime" in plan else None
