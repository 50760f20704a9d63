"""802.11 capture: which frame a receiver decodes when signals overlap."""

from __future__ import annotations

from collections.abc import Sequence

from airhop.verify.medium import Medium
from airhop.verify.trace import Frame

_LEAST = 1 - 1e-9
"""Tolerance for rounding errors, because the simulator adds powers in a different order."""


def survives_overlap(medium: Medium, frame: Frame, others: Sequence[Frame]) -> tuple[bool, bool]:
    """Return two booleans: whether the receiver may decode an overlapped frame, and whether it must.

    Bit errors are ignored.
    """
    if any(other.sender == frame.receiver for other in others):
        return False, False
    if medium.plan.get("receiver") == "lock":
        return _survives_each(medium, frame, others)
    return _survives_sum(medium, frame, others)


def _survives_each(medium: Medium, frame: Frame, others: Sequence[Frame]) -> tuple[bool, bool]:
    """Return whether a frame exceeds the power of each later frame by the capture ratio, as in ns-2."""
    powers = [medium.power(other, frame.receiver) for other in others]
    may = _is_above(medium, frame, powers, _LEAST) and all(other.start >= frame.start for other in others)
    must = _is_above(medium, frame, powers, 1 / _LEAST) and all(other.start > frame.start for other in others)
    return may, must


def _survives_sum(medium: Medium, frame: Frame, others: Sequence[Frame]) -> tuple[bool, bool]:
    """Return whether a frame always exceeds the summed power of all others by the capture ratio.

    A receiver stays with a decodable frame that began earlier.
    """
    sums = []
    for begun in others:
        at = max(begun.start, frame.start)
        together = (other for other in others if other.start <= at < other.end)
        sums.append(sum(medium.power(other, frame.receiver) for other in together))
    is_free = not any(
        other.start < frame.start and medium.hears(other.sender, frame.receiver) for other in others
    )
    return _is_above(medium, frame, sums, _LEAST), is_free and _is_above(medium, frame, sums, 1 / _LEAST)


def _is_above(medium: Medium, frame: Frame, powers: Sequence[float], margin: float) -> bool:
    own = medium.power(frame, frame.receiver)
    return all(own >= margin * medium.capture * power for power in powers)
