"""Law of Block Ack reorder buffers: packets arrive once and in order, after all earlier MPDUs.

IEEE 802.11-2020 §10.25.6.6: an MPDU beyond the window moves the window. A BlockAckReq moves the window to its
starting sequence number. If the originator gives up its BlockAckReq, a timer of the recipient moves the
window.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from airhop.verify.laws.wifi.pairs import Conversation, Packet, conversations, of_category
from airhop.verify.medium import RECEIVED, media
from airhop.verify.ppdus import LONGEST
from airhop.verify.trace import Finding, Trace, quantity

REORDER_TIMEOUT = 100_000_000
"""Timeout in ns of a reorder buffer without BlockAckReqs: HT_RX_REORDER_BUF_TIMEOUT of Linux."""
SHORT_RETRY_LIMIT = 7
"""Maximum number of successive BlockAckReqs without a response, for MPDUs with a lifetime.

dot11ShortRetryLimit.
"""


def check(trace: Trace) -> Iterator[Finding]:
    """Check every pair of stations of every channel with Block Ack."""
    known = conversations(trace)
    for medium in media(trace):
        if medium.aggregates:
            for pair, category in product(permutations(medium.cell.places, 2), medium.categories):
                silent = Conversation(medium, pair, category, [], {})
                key = (medium.cell.name, pair, category)
                yield from _Buffer(trace, known.get(key, silent)).check()


def most_requests(plan: Any) -> int:
    """Return the retry limit of BlockAckReqs.

    The station stops after this number of unanswered requests.
    """
    return int(plan["attempts"]) if "lifetime" not in plan else SHORT_RETRY_LIMIT


_UNKNOWN = Packet(-1, 0, None, None)
"""Packet that stands for the packets of an MPDU that was never sent."""


class _Buffer:
    """Reorder buffer of a receiver for one sender, in one access category."""

    def __init__(self, trace: Trace, conversation: Conversation) -> None:
        self._medium = medium = conversation.medium
        self._window = medium.ppdus.window if medium.ppdus else 0
        self._exchanges = conversation.exchanges
        self._place = "->".join(conversation.pair)
        self._packets = conversation.packets
        self._steps = of_category(trace, conversation.category, trace.steps_at(self._place, "arrived"))
        self._held: set[int] = set()
        self._expected = 0
        """WinStartB: the MPDUs of all lower numbers are delivered or given up."""
        self._since: dict[int, int] = {}
        """Arrival time of each stored MPDU in ns."""
        self._given_up: int | None = None
        """End in ns of the last BlockAckReq, if the originator then gave up; None otherwise."""
        self._duration = trace.duration

    def check(self) -> Iterator[Finding]:
        """Follow the buffer from frame to frame, and compare the released packets with the arrivals."""
        explained: dict[int, int] = {}
        unanswered = 0
        for exchange in self._exchanges:
            main = exchange.main
            yield from self._time_out(exchange.start if main is None else main.end, explained)
            if main is None:
                continue
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
                self._given_up = main.end
        yield from self._time_out(self._duration, explained)
        yield from self._arrivals(explained)

    def _arrivals(self, explained: dict[int, int]) -> Iterator[Finding]:
        """Check that each arrival was released, once and in order."""
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
        """Process an MPDU (§10.25.6.6.2), and return the released numbers."""
        if number < self._expected or number in self._held:
            return []
        released = self._move(number - self._window + 1)
        self._held.add(number)
        self._since[number] = time
        return released + self._advance()

    def _move(self, start: int) -> list[int]:
        """Move the window to `start`, and return the released numbers."""
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

    def _time_out(self, now: int, explained: dict[int, int]) -> Iterator[Finding]:
        """Release the packets with a reorder timer that expired before `now`.

        The timer expires 100 ms after the arrival of the lowest stored MPDU, but not before the originator
        stops sending BlockAckReqs. By then the originator has discarded all missing MPDUs with lower numbers.
        For MPDUs that were never sent, the release is the only evidence of the discard.
        """
        while self._given_up is not None and self._held:
            lowest = min(self._held)
            due = self._since[lowest] + REORDER_TIMEOUT
            arrived = next((packet.arrived for packet in self._packets.get(lowest, ())), None)
            missing = [self._packets.get(number, []) for number in range(self._expected, lowest)]
            is_given_up = all(
                packet.dropped is not None and packet.dropped <= self._given_up
                for inside in missing
                for packet in inside or [_UNKNOWN]
            )
            # The originator discards the BlockAckReq at its ACK timeout, which a reception may defer.
            is_near = due <= self._given_up + LONGEST
            least, most = (max(due, self._given_up), now) if is_near else (due, due + 1)
            goes = arrived is not None and least <= arrived < min(most, now)
            must = is_given_up and not is_near and due < now
            if not goes and not must:
                return
            released = self._move(lowest) + self._advance()
            yield from self._compare(released, arrived if goes and arrived is not None else due, explained)

    def _compare(self, released: list[int], time: int, explained: dict[int, int]) -> Iterator[Finding]:
        """Compare the numbers released at a time with the packet arrivals."""
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
    """Return the lifetime of MPDUs in ns; None if attempts are counted instead."""
    return quantity(plan["lifetime"]) if "lifetime" in plan else None
