"""EDCA slots: start times of channel accesses relative to the end of a busy medium.

IEEE 802.11-2020 §10.23.2.4: at AIFS and at each slot boundary after it a station begins or decrements its
backoff. After a frame that the station could not decode, EIFS replaces AIFS; after an own frame without a
response, AIFS follows the timeout.
"""

from __future__ import annotations

from collections.abc import Iterator

from airhop.verify.laws.wifi.pairs import Exchanges
from airhop.verify.medium import ANSWERS, Medium, finding, media
from airhop.verify.ppdus import CW, Ppdus
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel of 802.11n, ac and ax."""
    for medium in media(trace):
        if medium.ppdus is not None:
            yield from _Slots(medium, medium.ppdus).check()


class _Slots:
    """Accesses of the stations of a channel."""

    def __init__(self, medium: Medium, ppdus: Ppdus) -> None:
        self._medium = medium
        self._ppdus = ppdus
        self._exchanges = Exchanges(medium)
        self._is_clean = medium.plan["errors"] == {"kind": "clean"}
        self._answers = self._find_answers()

    def _find_answers(self) -> set[tuple[str, int]]:
        """List the frames that follow another frame after a SIFS: responses, and data after a CTS."""
        found = set()
        for frame in self._medium.frames:
            answer = self._exchanges.answer(frame)
            if answer is not None and (frame.kind in ANSWERS or frame.kind == "cts"):
                found.add((answer.sender, answer.start))
        return found

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
        """Check the accesses of a station; `around` are the frames that it sends or senses, by start time."""
        busy: list[Frame] = []
        """Frames of the busy period before, by their start."""
        idle_from = 0
        failed: Frame | None = None
        """Last frame of the station, if it had no response."""
        failures, counted = 0, 0
        """Accesses in a row that failed, and slots counted since the last, at least."""
        reserved: list[int] = []
        for frame in around:
            if frame.start > idle_from or not busy:
                gap = self._candidates(station, busy, idle_from, failed, reserved)
                is_access = frame.sender == station and (frame.sender, frame.start) not in self._answers
                if is_access and gap:
                    yield from self._access(frame, gap)
                if failed is not None and gap:
                    counted += max(0, (frame.start - max(gap)) // self._ppdus.slot + (not is_access))
                    if is_access:
                        yield from self._window(frame, failures, counted)
                busy = []
            busy.append(frame)
            idle_from = max(idle_from, frame.end)
            if frame.sender == station and frame.kind in ANSWERS and frame.receiver != "*":
                answered = self._exchanges.answered(frame) is not None
                if answered and frame.kind == "rts":
                    continue  # the frame after the CTS decides whether the access failed
                failures = 0 if answered else failures + 1
                failed, counted = (None, 0) if answered else (frame, 0)
            elif frame.sender == station and frame.receiver == "*":
                failed = None  # the station has drawn a new backoff
            elif frame.sender != station:
                reserved += self._reservation(station, frame)

    def _candidates(
        self, station: str, busy: list[Frame], idle_from: int, failed: Frame | None, reserved: list[int]
    ) -> list[int]:
        """Return the possible starts of the station's backoff countdown; none if they are unknown."""
        ppdus = self._ppdus
        if not busy:
            return [ppdus.aifs]
        last = max(busy, key=lambda frame: frame.end)
        found = [idle_from + space for space in self._spaces(station, last)]
        if -1 in reserved:
            return []
        found += [until + ppdus.aifs for until in reserved if until + ppdus.aifs > min(found)]
        if failed is not None:
            ends = [failed.end + ppdus.timeout]
            ends += [frame.end for frame in busy if failed.end < frame.end < failed.end + ppdus.timeout]
            found = [max(time, end + ppdus.aifs) for time in found for end in ends]
        return sorted(set(found))

    def _spaces(self, station: str, last: Frame) -> list[int]:
        """List the interframe spaces that may follow the last frame around a station."""
        medium, ppdus = self._medium, self._ppdus
        if medium.plan["eifs"] == "never" or last.sender == station:
            return [ppdus.aifs]
        if medium.beside(last, station):
            return [ppdus.aifs, ppdus.eifs]
        if not medium.hears(last.sender, station):
            return [ppdus.eifs]
        is_safe = self._is_clean or last.kind not in ("data", "a-mpdu", "broadcast")
        return [ppdus.aifs] if is_safe else [ppdus.aifs, ppdus.eifs]

    def _reservation(self, station: str, frame: Frame) -> list[int]:
        """List the ends of the NAV that a frame for another station sets; -1 if unknown."""
        if frame.receiver in (station, "*") or frame.kind in ("ack", "block-ack"):
            return []
        if not self._medium.hears(frame.sender, station):
            return []
        sifs = self._ppdus.sifs
        if frame.kind in ("rts", "cts"):
            cts = self._exchanges.answer(frame) if frame.kind == "rts" else frame
            data = None if cts is None else self._exchanges.answer(cts)
            if data is None or data.kind not in ("data", "a-mpdu"):
                return [-1]
            frame = data
        return [frame.end + sifs + round(self._medium.answer_time(frame.kind))]

    def _access(self, frame: Frame, begins: list[int]) -> Iterator[Finding]:
        """Find an access at no slot boundary."""
        slot = self._ppdus.slot
        for begin in begins:
            off = (frame.start - begin + ROUNDING) % slot
            if frame.start >= begin - ROUNDING and off <= 2 * ROUNDING:
                return
        late = frame.start - begins[0]
        yield finding("slot", frame, f"begins {late} ns after the first slot may begin: at no boundary")

    def _window(self, frame: Frame, failures: int, counted: int) -> Iterator[Finding]:
        """Find a retransmission after more slots than its contention window has (§10.23.2.2)."""
        least, most = CW
        window = min((least + 1) * 2**failures - 1, most)
        if frame.attempt > 1 and counted > window:
            text = f"begins after {counted} slots, and its contention window has {window}"
            yield finding("slot", frame, text)
