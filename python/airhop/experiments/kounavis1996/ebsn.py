"""Result 3: EBSN over local recovery, fixed to mobile: "over 50% improvement on the performance of TCP"."""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import each_above
from airhop.experiments.experiment import Claim
from airhop.experiments.kounavis1996 import (
    EBSN,
    LATE,
    LENGTH,
    LOCAL,
    PATIENT,
    SECONDS,
    TIMED,
    TIMEOUTS,
    experiment,
    unmodified,
)
from airhop.experiments.kounavis1996.checks import less_than, ratio_text, seldom, timeouts_left
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples

GAIN = 1.5
"""Ratio of the paper's "over 50%" improvement."""


def headline(samples: Samples) -> str:
    """Return a sentence on EBSN's ratio of goodput to TCP and to local recovery alone."""
    left = timeouts_left(samples, "local", "ebsn")
    return (
        f"EBSN delivers {ratio_text(samples, 'ebsn', 'basic')} times the goodput of unmodified TCP and "
        f"{ratio_text(samples, 'ebsn', 'local')} times that of local recovery alone: of {left[0]:.1f} "
        f"timeouts in 100 s, {left[1]:.1f} remain."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-2",
        "EBSN delivers more than 1.5 times the goodput of unmodified TCP.",
        Asked(each_above, LENGTH, ("ebsn",), "basic", (SECONDS,), GAIN),
        quote="Explicit Bad State Notification offers over 50% improvement on the performance of TCP",
        bound=True,
        reason="EBSN's goodput cannot exceed the goodput of a sender without timeouts. The goodput of "
        "unmodified TCP therefore determines the ratio; this goodput is highest at the beginning of a run "
        "(`kounavis1996/run-length`). The paper shows single runs, which scatter. With bit error rates in "
        "E-notation unmodified TCP also loses packets in good times. The mean over the ratios of single "
        "runs is not used, because a single run in which unmodified TCP delivers nothing would make it "
        "infinite.",
    ),
    Claim(
        "kou-2-timeouts",
        (
            "EBSN solves the problem of timeouts, from which local recovery suffers: fewer than one "
            "timeout in 100 s remains."
        ),
        Asked(less_than, TIMEOUTS, "ebsn", 1.0),
        quote="EBSN is a solution to the problem of timeouts proposed by researchers of Texas A&M University",
    ),
    Claim(
        "kou-5-fixed",
        "Over a wire, notices arrive before the timer expires: fewer than half of the notices are late.",
        Asked(seldom, LATE, TIMED, "ebsn"),
        own=True,
        because="The paper states the opposite about air interfaces, and nothing about wires.",
    ),
)

EXPERIMENT = experiment(
    "ebsn",
    "EBSN",
    "result 3",
    FIXED,
    (unmodified(FIXED), LOCAL, EBSN, PATIENT),
    CLAIMS,
    headline,
    shown="ebsn",
)
