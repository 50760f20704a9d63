"""Law of EDCA slots: start times of channel accesses relative to the end of a busy medium.

IEEE 802.11-2020 §10.23.2.4: a station begins or decrements its backoff at AIFS and at each slot boundary
after AIFS. EIFS replaces AIFS after a frame that the station could not decode. If the station's own frame had
no response, AIFS follows the ACK timeout.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from airhop.verify.laws.wifi.pairs import Exchanges, txops
from airhop.verify.medium import ANSWERS, Medium, finding, media
from airhop.verify.ppdus import CW, Ppdus
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel of 802.11n, ac and ax."""
    for medium in media(trace):
        if medium.ppdus is not None:
            yield from _Slots(medium, medium.ppdus).check()


@dataclass
class _Function:
    """EDCA function of a station, as far as its state follows from the trace."""

    failures: int = 0
    """Number of successive failed accesses. 0 if the contention window is unknown."""
    counted: int = 0
    """Minimum number of slots counted since the last failed access."""
    is_known: bool = True
    """False if internal collisions since the last success may have doubled the contention window."""

    def end(self, *, answered: bool) -> None:
        """Record the end of a channel access."""
        self.is_known |= answered
        self.failures = self.failures + 1 if self.is_known and not answered else 0
        self.counted = 0

    def collide_internally(self) -> None:
        """Record that the function may have lost an internal collision, and drawn a new backoff."""
        self.is_known, self.failures = False, 0

    def reset(self) -> None:
        """Record that the function has drawn a new backoff from CWmin."""
        self.failures = 0


class _Slots:
    """Accesses of the stations of a channel."""

    def __init__(self, medium: Medium, ppdus: Ppdus) -> None:
        self._medium = medium
        self._ppdus = ppdus
        self._exchanges = Exchanges(medium)
        self._is_clean = medium.plan["errors"] == {"kind": "clean"}
        self._answers = self._find_answers()
        self._limits = dict(self._find_limits())

    def _find_answers(self) -> set[tuple[str, int]]:
        """List the frames that begin a SIFS after another: responses, data after a CTS, further exchanges."""
        found = set()
        for frame in self._medium.frames:
            answer = self._exchanges.answer(frame)
            if answer is None:
                continue
            if frame.kind in ANSWERS or frame.kind == "cts" or self._medium.may_follow(answer, frame):
                found.add((answer.sender, answer.start))
        return found

    def _find_limits(self) -> Iterator[tuple[int, int]]:
        """Yield each frame that reserves the medium until its TXOP limit, as row and time of the limit."""
        if not self._medium.reserves_limits:
            return
        for txop in txops(self._medium):
            end = txop[0].start + self._medium.txop[txop[0].first.category]
            for exchange in txop:
                cts = self._exchanges.response(exchange.first)
                for frame in (
                    exchange.first,
                    cts,
                    exchange.main,
                    self._exchanges.response(exchange.main or exchange.first),
                ):
                    if frame is not None:
                        yield frame.row, end

    def check(self) -> Iterator[Finding]:
        """Check every access, station by station."""
        for station in self._medium.cell.places:
            around = [
                frame
                for frame in self._medium.frames
                if frame.sender == station or self._medium.senses(frame.sender, station)
            ]
            yield from self._accesses(station, around)

    def _accesses(self, station: str, around: list[Frame]) -> Iterator[Finding]:
        """Check the channel accesses of a station.

        `around` are the frames that the station sends or senses, by start time.
        """
        busy: list[Frame] = []
        """Frames of the preceding busy period, by start time."""
        idle_from = 0
        failed: Frame | None = None
        """Last frame of the station, if nothing responded to it."""
        functions = {category: _Function() for category in self._medium.categories}
        reserved: list[int] = []
        for frame in around:
            if frame.start > idle_from or not busy:
                is_access = frame.sender == station and (frame.sender, frame.start) not in self._answers
                for category, function in functions.items():
                    is_own = is_access and category == frame.category
                    if not is_own and function.failures == 0:
                        continue
                    gap = self._candidates(station, category, busy, idle_from, failed, reserved)
                    if is_own and gap:
                        yield from self._access(frame, gap)
                    if function.failures and gap:
                        slots = (frame.start - max(gap)) // self._ppdus.slot
                        function.counted += max(0, slots + (not is_own))
                        if is_own:
                            yield from self._window(frame, function)
                if is_access:
                    for lower in self._medium.lower(frame.category):
                        functions[lower].collide_internally()
                busy = []
            busy.append(frame)
            idle_from = max(idle_from, frame.end)
            if frame.sender == station and frame.kind in ANSWERS and frame.receiver != "*":
                answered = self._exchanges.answered(frame) is not None
                if answered and frame.kind == "rts":
                    continue  # the frame after the CTS decides whether the access failed
                functions[frame.category].end(answered=answered)
                failed = None if answered else frame
            elif frame.kind == "cf-end":
                if frame.sender != station and self._receives(station, frame):
                    reserved.clear()
            elif frame.sender == station and frame.receiver == "*":
                functions[frame.category].reset()
                failed = None
            elif frame.sender != station:
                reserved += self._reservation(station, frame)

    def _candidates(
        self,
        station: str,
        category: str,
        busy: list[Frame],
        idle_from: int,
        failed: Frame | None,
        reserved: list[int],
    ) -> list[int]:
        """Return the possible starts of a function's backoff countdown; empty if unknown.

        After a frame without a response, all functions of the station wait for the timeout (§10.23.2.4 c).
        """
        ppdus, aifs = self._ppdus, self._ppdus.aifs(category)
        if not busy:
            return [aifs]
        last = max(busy, key=lambda frame: frame.end)
        found = [idle_from + space for space in self._spaces(station, category, last)]
        if -1 in reserved:
            return []
        found += [until + aifs for until in reserved if until + aifs > min(found)]
        if failed is not None:
            ends = [failed.end + ppdus.timeout]
            ends += [frame.end for frame in busy if failed.end < frame.end < failed.end + ppdus.timeout]
            found = [max(time, end + aifs) for time in found for end in ends]
        return sorted(set(found))

    def _spaces(self, station: str, category: str, last: Frame) -> list[int]:
        """List the interframe spaces that a function may use after the last frame around its station."""
        medium = self._medium
        aifs, eifs = self._ppdus.aifs(category), self._ppdus.eifs(category)
        if medium.plan["eifs"] == "never" or last.sender == station:
            return [aifs]
        if medium.beside(last, station):
            return [aifs, eifs]
        if not medium.hears(last.sender, station):
            return [eifs]
        is_safe = self._is_clean or last.kind not in ("data", "a-mpdu", "broadcast")
        return [aifs] if is_safe else [aifs, eifs]

    def _reservation(self, station: str, frame: Frame) -> list[int]:
        """List the possible ends of the NAV that a frame for another station sets.

        -1 means unknown.
        """
        if frame.receiver in (station, "*") or not self._medium.hears(frame.sender, station):
            return []
        limits = [self._limits[frame.row]] if frame.row in self._limits else []
        if frame.kind in ("ack", "block-ack"):
            return limits
        sifs = self._ppdus.sifs
        if frame.kind in ("rts", "cts"):
            cts = self._exchanges.response(frame) if frame.kind == "rts" else frame
            data = None if cts is None else self._exchanges.answer(cts)
            if data is None or data.kind not in ("data", "a-mpdu"):
                return [-1]
            frame = data
        return [*limits, frame.end + sifs + round(self._medium.answer_time(frame.kind))]

    def _receives(self, station: str, frame: Frame) -> bool:
        """Return whether a station receives a control frame.

        Control frames have no errors.
        """
        return self._medium.hears(frame.sender, station) and not self._medium.beside(frame, station)

    def _access(self, frame: Frame, begins: list[int]) -> Iterator[Finding]:
        """Yield a finding if an access begins at no slot boundary."""
        slot = self._ppdus.slot
        for begin in begins:
            off = (frame.start - begin + ROUNDING) % slot
            if frame.start >= begin - ROUNDING and off <= 2 * ROUNDING:
                return
        late = frame.start - begins[0]
        yield finding("slot", frame, f"begins {late} ns after the first slot may begin: at no boundary")

    def _window(self, frame: Frame, function: _Function) -> Iterator[Finding]:
        """Yield retransmissions that waited for more slots than the contention window has (§10.23.2.2)."""
        least, most = CW[frame.category]
        window = min((least + 1) * 2**function.failures - 1, most)
        if frame.attempt > 1 and function.counted > window:
            text = f"begins after {function.counted} slots, and its contention window has {window}"
            yield finding("slot", frame, text)
