"""Checks against a Linux 6.18 kernel that sends through Airhop's own last hop: `airhop emulate`."""

from __future__ import annotations

from collections.abc import Iterator

from airhop.crosscheck.check import Check
from airhop.crosscheck.quantity import GOODPUT
from airhop.crosscheck.reference import points
from airhop.crosscheck.words import percent
from airhop.crosscheck.worlds import Document
from airhop.scenario import Scenario

REPEATED_WITHIN, ONCE_WITHIN = 0.015, 0.08
"""Bounds where frames are sent more than once, and where each loss is the kernel's to repair. BBR, which
losses do not slow, has the first everywhere."""

SECONDS = 30


def emulated(scheme: str, attempts: int, fer: float) -> Document:
    """Give the network that the kernel sent through, with a sender and a receiver of ours in its place.

    The kernel delays ACKs, two segments, 40 ms, but for those of pushed segments.

    Parameters
    ----------
    scheme
        Of the sender.
    attempts
        Transmissions of a frame at most.
    fer
        Probability that a full data frame is lost.
    """
    changes = {
        "duration": f"{SECONDS} s",
        "wlan.cell.attempts": attempts,
        "wlan.cell.errors.fer": fer,
        "flow.ftp.scheme": scheme,
        "flow.ftp.tcp.preset": "linux",
        "flow.ftp.tcp.delayed_ack": {"segments": 2, "timeout": "40 ms"},
    }
    return Scenario.load("last-hop").with_(changes).to_dict()


def checks() -> Iterator[Check]:
    """Give a check for every point of emulated.csv: iperf3 for 30 s, tools/emulated.py."""
    for (scheme, attempts, fer), theirs in points("emulated").items():
        keeps_pace = scheme == "bbr" or int(attempts) > 1
        yield Check(
            id=f"kernel {scheme} {attempts} {fer}",
            source="kernel",
            scenario=f"{scheme}, FER {percent(fer)}, attempts {attempts}",
            quantity=GOODPUT,
            document=emulated(scheme, int(attempts), float(fer)),
            theirs=theirs,
            bound=REPEATED_WITHIN if keeps_pace else ONCE_WITHIN,
            reps=60,
            is_quick=fer == "0.01" and scheme == "reno",
        )
