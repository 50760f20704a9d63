"""Checks against a Linux 6.18 kernel over an emulated link."""

from __future__ import annotations

from collections.abc import Iterator

from airhop.crosscheck.check import Check
from airhop.crosscheck.quantity import GOODPUT
from airhop.crosscheck.reference import points
from airhop.crosscheck.words import percent
from airhop.crosscheck.worlds import wire

WITHIN, HEAVY_WITHIN = 0.1, 0.2
"""Bounds of the difference for loss rates up to 1 %, and for 5 %."""


def checks() -> Iterator[Check]:
    """Yield a check for every point of linux.csv: a kernel over an emulated link, MTU 1040, 60 s."""
    for point, theirs in points("linux").items():
        scheme, loss = point
        yield Check(
            id=f"linux {scheme} {loss}",
            source="linux",
            scenario=f"{scheme}, loss {percent(loss)}",
            quantity=GOODPUT,
            document=wire(scheme, {"preset": "linux"}, loss=float(loss), seconds=60, segment=988),
            theirs=theirs,
            bound=WITHIN if float(loss) <= 0.01 else HEAVY_WITHIN,
            reps=20,
            is_quick=loss in ("0", "0.01"),
        )
