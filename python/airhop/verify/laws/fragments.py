"""Law of 802.11 fragmentation: order, times and arrivals of fragments.

All fragments but the last have the even length that the threshold allows (IEEE 802.11-2016 §10.5). A fragment
follows the link ACK of the previous fragment by a SIFS, and is retransmitted without a link ACK (§10.3.4.5).
A packet arrives once, with the last of its missing fragments (§10.6).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from airhop.verify.medium import RTS_LIMIT, Medium, finding, media
from airhop.verify.trace import ROUNDING, Finding, Frame, Trace

_RECEIVED = ("received", "captured")
_LIFETIME = 512 * 1_024_000
"""dot11MaxTransmitMSDULifetime in nanoseconds: 512 TU."""
_OPTIONS = range(0, 44, 4)
"""Possible lengths in bytes of the options that agents add to a queued packet."""

_Key = tuple[str, str, str, int]
"""Receiver, flow, kind and sequence number of a packet."""


@dataclass
class _Packet:
    """Packet that a station is sending."""

    key: _Key
    lengths: list[list[int]]
    """Possible frame lengths, by offered packet."""
    begun: int
    at: int = 0
    """Current or next fragment."""
    failures: int = 0
    """Number of this packet's frames without a response."""
    tries: int = 0
    """Number of transmissions of the current fragment."""
    rts: int = 0
    """Number of successive RTS frames without a CTS."""
    cleared: bool = False
    """True if the packet's last frame was an RTS with a CTS."""
    resumes: int | None = None
    """Start time of the next fragment. None if the previous fragment was not acknowledged."""
    received: set[int] = field(default_factory=set)

    def is_over(self) -> bool:
        """Return whether the last fragment was acknowledged."""
        return bool(self.lengths) and all(self.at >= len(lengths) for lengths in self.lengths)

    def expires(self) -> float:
        """Return the end of a packet's lifetime in ns; infinite for a packet in a single frame."""
        return self.begun + _LIFETIME if len(self.lengths[0]) > 1 else float("inf")


def check(trace: Trace) -> Iterator[Finding]:
    """Check every channel with a fragmentation threshold."""
    for medium in media(trace):
        if medium.threshold is not None:
            yield from _Replay(trace, medium).check()


class _Replay:
    """Replay of a channel, station by station and packet by packet."""

    def __init__(self, trace: Trace, medium: Medium) -> None:
        self._trace = trace
        self._medium = medium
        self._begun = {(frame.sender, frame.start): frame for frame in medium.frames}
        self._helped = trace.helped
        self._offered: defaultdict[tuple[str, _Key], set[int]] = defaultdict(set)
        for sender, receiver, step in medium.steps(trace, "offered"):
            self._offered[sender, (receiver, step.flow, step.kind, step.seq)].add(step.bytes)
        self._arriving: Counter[tuple[int, str, _Key]] = Counter()
        self._unknown: set[tuple[str, _Key]] = set()
        """Packets with an unknown number of fragments, because packets of different lengths share their key.
        """

    def check(self) -> Iterator[Finding]:
        """Follow every station, and compare arrivals with received fragments."""
        present: dict[str, _Packet] = {}
        for frame in self._medium.frames:
            if frame.kind in ("cts", "ack"):
                continue
            if frame.kind == "broadcast" or frame.flow in self._medium.fragmented:
                present.pop(frame.sender, None)
                continue
            packet = present.get(frame.sender)
            if packet is None or not self._continues(packet, frame):
                if packet is not None:
                    yield from self._given_up(packet, frame)
                packet = present[frame.sender] = _Packet(_key(frame), self._lengths(frame), frame.start)
            yield from self._sends(packet, frame)
        yield from self._arrivals()

    def _lengths(self, frame: Frame) -> list[list[int]]:
        """Return the possible lengths of the fragments of a frame's packet."""
        sizes = self._offered[frame.sender, _key(frame)] or {frame.bytes - self._medium.overhead}
        options = _OPTIONS if frame.flow in self._helped else (0,)
        return [self._medium.lengths(size + option) for size in sorted(sizes) for option in options]

    def _continues(self, packet: _Packet, frame: Frame) -> bool:
        """Return whether a frame belongs to the packet that its sender is sending."""
        if packet.is_over() or packet.key != _key(frame):
            return False
        if packet.resumes is not None:
            return abs(frame.start - packet.resumes) <= ROUNDING
        return frame.attempt > 1 or packet.failures == 0

    def _given_up(self, packet: _Packet, frame: Frame) -> Iterator[Finding]:
        """Check the state of a packet when the next packet starts.

        The packet must be complete, expired, or at its attempt limit.
        """
        is_used_up = packet.tries >= self._medium.plan["attempts"] or packet.rts >= RTS_LIMIT
        if packet.is_over() or (packet.resumes is None and is_used_up) or frame.start > packet.expires():
            return
        if packet.resumes is not None and len({len(lengths) for lengths in packet.lengths}) > 1:
            return  # two packets have this number, and the fragment may belong to either
        text = f"of another packet, with fragment {packet.at} of {packet.key[2]} {packet.key[3]} left to send"
        yield finding("fragment", frame, text)

    def _sends(self, packet: _Packet, frame: Frame) -> Iterator[Finding]:
        if not packet.cleared and frame.start > packet.expires() + ROUNDING:
            yield finding("fragment", frame, f"begins {frame.start - packet.begun} ns after the first")
        if frame.attempt != packet.failures + 1:
            yield finding("fragment", frame, f"attempt {frame.attempt} after {packet.failures} failures")
        packet.resumes, answer = None, self._answer(frame)
        packet.cleared = frame.kind == "rts" and answer is not None
        packet.failures += answer is None
        if frame.kind == "rts":
            packet.rts = 0 if packet.cleared else packet.rts + 1
            return
        fitting = [sizes for sizes in packet.lengths if sizes[packet.at : packet.at + 1] == [frame.bytes]]
        if not fitting:
            due = sorted({sizes[packet.at] for sizes in packet.lengths if packet.at < len(sizes)})
            yield finding("fragment", frame, f"{frame.bytes} bytes in fragment {packet.at}, which has {due}")
            fitting = packet.lengths
        packet.lengths = fitting
        packet.tries += 1
        if packet.tries > self._medium.plan["attempts"]:
            yield finding("fragment", frame, f"transmission {packet.tries} of fragment {packet.at}")
        if frame.outcome in _RECEIVED:
            missing = packet.at not in packet.received
            packet.received.add(packet.at)
            counts = {len(sizes) for sizes in packet.lengths}
            if len(counts) > 1:
                self._unknown.add((frame.sender, packet.key))
            elif missing and len(packet.received) == counts.pop():
                self._arriving[frame.end, frame.sender, packet.key] += 1
        if answer is not None:
            packet.at, packet.tries = packet.at + 1, 0
            packet.resumes = None if packet.is_over() else answer.end + self._medium.sifs

    def _answer(self, frame: Frame) -> Frame | None:
        """Return the CTS or link ACK that the sender of a frame received in response.

        None without a response.
        """
        due = frame.end + self._medium.sifs
        near = (self._begun.get((frame.receiver, due + off)) for off in range(-ROUNDING, ROUNDING + 1))
        answer = next(filter(None, near), None)
        is_one = answer is not None and answer.kind in ("cts", "ack") and answer.receiver == frame.sender
        return answer if answer is not None and is_one and answer.outcome in _RECEIVED else None

    def _arrivals(self) -> Iterator[Finding]:
        """Compare arrived packets with the packets of which every fragment was received."""
        told: Counter[tuple[int, str, _Key]] = Counter()
        for sender, receiver, step in self._medium.steps(self._trace, "arrived"):
            if step.flow not in self._medium.fragmented:
                told[step.time, sender, (receiver, step.flow, step.kind, step.seq)] += 1
        for which, text in (
            (told - self._arriving, "arrives without all of its fragments, or twice"),
            (self._arriving - told, "has all fragments there, and does not arrive"),
        ):
            for time, sender, key in which:
                if (sender, key) not in self._unknown:
                    place = f"{sender}->{key[0]}"
                    yield Finding("fragment", time / 1e9, place, f"{key[2]} {key[3]} {text}")


def _key(frame: Frame) -> _Key:
    return frame.receiver, frame.flow, frame.packet, frame.seq
