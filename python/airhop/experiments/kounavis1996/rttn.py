"""RTTN between mobiles, section 4: a reconstruction.

The paper proposes RTTN without results, and the printed listing is lost. Here each base station estimates the
mean and the deviation of fade lengths, as TCP does for round trips. The base station then announces an
additional delay: the mean plus two deviations. The sender adds up the delays that different base stations
announce (`airhop schemes rttn`).
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import each_above, each_below
from airhop.experiments.experiment import Claim
from airhop.experiments.kounavis1996 import (
    EBSN,
    LENGTH,
    LOCAL,
    PATIENT,
    RTTN,
    SECONDS,
    TIMEOUTS,
    experiment,
    unmodified,
)
from airhop.experiments.kounavis1996.checks import count, ratio_text
from airhop.experiments.kounavis1996.networks import MOBILE
from airhop.experiments.kounavis1996.readings import RTTN_MARGIN
from airhop.experiments.samples import Samples

TOLD = {"local": "local recovery", "ebsn": "EBSN", "rttn": "RTTN"}


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of RTTN and of EBSN."""
    left = {curve: count(samples, TIMEOUTS).estimate(curve, SECONDS).mean for curve in TOLD}
    told = ", ".join(f"{label} {left[curve]:.1f}" for curve, label in TOLD.items())
    return (
        f"RTTN as reconstructed delivers {ratio_text(samples, 'rttn', 'local')} times the goodput of local "
        f"recovery alone, EBSN {ratio_text(samples, 'ebsn', 'local')} times; timeouts in 100 s: {told}."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-rttn-goodput",
        "RTTN (as reconstructed) may improve on EBSN: it delivers more than EBSN.",
        Asked(each_above, LENGTH, ("rttn",), "ebsn", (SECONDS,)),
        own=True,
        because="The paper leaves this to future research; it has no result of RTTN.",
    ),
    Claim(
        "kou-rttn-timeouts",
        "RTTN (as reconstructed) is more efficient at preventing timeouts: it has fewer timeouts than EBSN.",
        Asked(each_below, LENGTH, ("rttn",), "ebsn", (SECONDS,), of=TIMEOUTS),
        own=True,
        because="The paper leaves this to future research; it has no result of RTTN.",
    ),
    Claim(
        "kou-rttn-timeouts-strict",
        "RTTN prevents most timeouts: it has fewer than half of the timeouts of local recovery alone.",
        Asked(each_below, LENGTH, ("rttn",), "local", (SECONDS,), 0.5, of=TIMEOUTS),
        own=True,
        because="The paper leaves this to future research; it has no result of RTTN.",
    ),
)

EXPERIMENT = experiment(
    "rttn",
    "RTTN (reconstruction)",
    "section 4",
    MOBILE,
    (unmodified(MOBILE), LOCAL, EBSN, RTTN, PATIENT),
    CLAIMS,
    headline,
    shown="rttn",
    asked=(RTTN_MARGIN,),
)
