"""Law of TXOPs: exchanges follow each other by a SIFS, within the limit of their access category.

IEEE 802.11-2020 §10.23.2.9. The first exchange of a TXOP may exceed the limit with a single MPDU or a
BlockAckReq. RTS and CTS precede the first exchange with each receiver. If frames reserve the medium until the
limit (key `nav`), a CF-End follows the last response. The CF-End is left out if the remaining reservation is
too short (§10.23.2.10).
"""

from __future__ import annotations

from collections.abc import Iterator

from airhop.verify.laws.wifi.pairs import Exchange, txops
from airhop.verify.medium import ANSWERS, Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel with a TXOP limit above 0, and find CF-Ends without a TXOP."""
    for medium in media(trace):
        found = list(txops(medium)) if medium.txop else []
        for txop in found:
            yield from _check(medium, txop)
        yield from _Ends(medium, trace.duration).check(found)


def _check(medium: Medium, txop: list[Exchange]) -> Iterator[Finding]:
    """Check the duration of a TXOP, and its RTS frames."""
    limit = medium.txop[txop[0].first.category]
    protected: set[str] = set()
    needs_rts = medium.plan["access"] == "rts-cts"
    for number, exchange in enumerate(txop):
        main = exchange.main
        has_rts = exchange.first.kind == "rts"
        receiver = exchange.first.receiver
        if has_rts and receiver in protected:
            yield finding("txop", exchange.first, f"a second RTS to {receiver} in a TXOP")
        if main is None:
            continue
        is_data = main.kind in ("data", "a-mpdu") and needs_rts
        if is_data and not has_rts and receiver not in protected:
            yield finding("txop", main, f"no RTS to {receiver} in the TXOP before")
        protected |= {receiver} if has_rts else set()
        until = main.end + medium.sifs + round(medium.answer_time(main.kind))
        may_exceed = number == 0 and main.kind != "a-mpdu"
        if until > txop[0].start + limit + ROUNDING and not may_exceed:
            text = f"its exchange ends {until - txop[0].start} ns after the start of the TXOP, of {limit} ns"
            yield finding("txop", main, text)


class _Ends:
    """Check of the ends of a channel's TXOPs: CF-Ends, and accesses during the remaining reservation."""

    def __init__(self, medium: Medium, duration: int) -> None:
        self._medium = medium
        self._duration = duration
        self._addressed = {(frame.receiver, frame.end) for frame in medium.frames}

    def check(self, found: list[list[Exchange]]) -> Iterator[Finding]:
        """Check the end of each TXOP, and find CF-Ends without a TXOP."""
        known = set()
        for txop in found if self._medium.reserves_limits else ():
            answer = txop[-1].answer
            if answer is None:
                continue  # an exchange without a response ends the TXOP without a CF-End
            end = txop[0].start + self._medium.txop[answer.category]
            cf_end = self._frame(answer.receiver, answer.end + self._medium.sifs)
            yield from self._cf_end(answer, cf_end, end)
            if cf_end is not None:
                known.add(cf_end.row)
            elif end > answer.end:
                yield from self._rest(txop, answer, end)
        for frame in self._medium.frames:
            if frame.kind == "cf-end" and frame.row not in known:
                yield finding("txop", frame, "it ends no TXOP")

    def _frame(self, station: str, start: int) -> Frame | None:
        near = (self._medium.begun.get((station, start + off)) for off in range(-ROUNDING, ROUNDING + 1))
        return next((frame for frame in near if frame is not None and frame.kind == "cf-end"), None)

    def _cf_end(self, answer: Frame, cf_end: Frame | None, end: int) -> Iterator[Finding]:
        """Check that a CF-End is sent exactly if the remaining reservation is long enough."""
        assert self._medium.ppdus is not None
        airtime = self._medium.airtime("cf-end", self._medium.ppdus.length("cf-end") or 0)
        begin = answer.end + self._medium.sifs
        if cf_end is not None and cf_end.category != answer.category:
            yield finding("txop", cf_end, f"it ends a TXOP of {answer.category}")
        if cf_end is not None and end - begin <= airtime - ROUNDING:
            yield finding("txop", cf_end, f"{end - begin} ns before the limit, shorter than the frame")
        is_over = end >= self._duration  # the trace may end before the next exchange
        if cf_end is None and end - begin > airtime + ROUNDING and not is_over:
            yield finding("txop", answer, f"no CF-End follows, {end - begin} ns before the limit")

    def _rest(self, txop: list[Exchange], answer: Frame, end: int) -> Iterator[Finding]:
        """Yield accesses of stations that must respect the NAV set by the response (§10.3.2.4)."""
        medium = self._medium
        members = {answer.receiver, *(exchange.first.receiver for exchange in txop)}
        for other in medium.before(end - ROUNDING, end - answer.end):
            station = other.sender
            is_later = other.start > answer.end and station not in members
            if not is_later or other.kind in ANSWERS.values() or self._follows(other):
                continue
            if medium.hears(answer.sender, station) and not medium.beside(answer, station):
                if self._has_reset(answer, other):
                    continue
                text = f"begins {end - other.start} ns before the end of the TXOP of {answer.receiver}"
                yield finding("txop", other, text)

    def _follows(self, frame: Frame) -> bool:
        """Return whether a frame to the sender ended a SIFS before this frame."""
        due = frame.start - self._medium.sifs
        return any((frame.sender, due + off) in self._addressed for off in range(-ROUNDING, ROUNDING + 1))

    def _has_reset(self, answer: Frame, other: Frame) -> bool:
        """Return whether a CF-End may have reset the NAV between a response and a later frame."""
        between = self._medium.before(other.start, other.start - answer.start)
        return any(frame.kind == "cf-end" and frame.end > answer.start for frame in between)
