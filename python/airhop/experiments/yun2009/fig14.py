"""Figure 14: the effect of LL-ARQ under uniform errors: goodput against the retry limit of the link layer.

Printed in section 5.4 and in the abstract: LL-ELSN "combined with LL-ARQ using a small retry limit" is
"consistently good" under uniform errors and under bursty errors (Figure 18), 50 runs with LL-ARQ. The figure
is lost. Inferred: the FERs, and an axis of 1 to 7 transmissions (7 is 802.11's default).

A small retry limit means 2, 3 or 4. LL-ELSN is "consistently good" if a single small limit yields more than
90 % of the best goodput at each FER. The best goodput is the highest of Reno and LL-ELSN with any retry
limit. The claim about each small limit is Airhop's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from airhop.experiments.claims import Cell, near_best, some
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Curve,
    Experiment,
    Metric,
    PlottedAxis,
    Replications,
    TimelineChoice,
)
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import GOOD, PAPER
from airhop.experiments.yun2009.readings import ELN_FILTER

LIMIT = PlottedAxis(
    key="retry_limit",
    name="retry limit",
    paths=("wlan.cell.attempts",),
    label="Retry limit (transmissions of a frame at most)",
    full=(1, 2, 3, 4, 5, 7),
    coarse=(1, 2, 7),
    ticks=(1, 2, 3, 4, 5, 6, 7),
)
GOODPUT = Metric(
    "goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
WITH_ARQ = Replications(quick=3, full=50, printed=True)
"""§5.1: "50 runs with LL-ARQ"."""
FERS = {0.01: "1 %", 0.1: "10 %", 0.3: "30 %"}
SCHEMES = {"reno": "Reno", "ll-elsn": "LL-ELSN"}
SMALL = (2, 3, 4)


def at(scheme: str, fer: float) -> str:
    """Return the name of a scheme's curve at an error rate."""
    return f"{scheme}, {FERS[fer]}"


CURVES = tuple(
    Curve(at(scheme, fer), f"{label}, FER {FERS[fer]}", scheme, {"wlan.cell.errors.fer": fer})
    for scheme, label in SCHEMES.items()
    for fer in FERS
)


def of_the_best(samples: Samples, limits: Sequence[int]) -> dict[Cell, list[Cell]]:
    """Return the points to compare with LL-ELSN at each of these retry limits: all points of an FER."""
    return {
        (at("ll-elsn", fer), x): [(at(scheme, fer), limit) for scheme in SCHEMES for limit in samples.xs]
        for fer in FERS
        for x in limits
        if x in samples.xs
    }


def good_with_one(samples: Samples) -> ClaimResult:
    """Check whether a single limit from 2 to 4 keeps LL-ELSN above 90 % of the best goodput at every FER.

    The intervals of the limits are simultaneous.
    """
    found = {x: near_best(samples, LIMIT, of_the_best(samples, (x,)), GOOD) for x in SMALL if x in samples.xs}
    told = "; ".join(f"with {x}: {one.measured}" for x, one in found.items())
    return ClaimResult(some(one.decision for one in found.values()), told)


def good_with_each(samples: Samples) -> ClaimResult:
    """Check whether LL-ELSN exceeds 90 % of the best goodput at each FER, with each retry limit of 2 to 4."""
    return near_best(samples, LIMIT, of_the_best(samples, SMALL), GOOD)


def headline(samples: Samples) -> str:
    """Return a sentence on the effect of one retransmission on the goodput of Reno and of LL-ELSN."""
    parts = []
    for scheme, label in SCHEMES.items():
        once, twice = (samples.estimate(at(scheme, 0.1), x).mean for x in (1, 2))
        parts.append(f"{label} from {once:.1f} to {twice:.1f} Mbit/s")
    return f"At 10 % frame errors a second transmission of lost frames takes {' and '.join(parts)}."


CONSISTENTLY_GOOD = (
    "the proposed scheme, when combined with the Link Layer Automatic Repeat Request (LL-ARQ) using a small "
    "retry limit, achieves consistently good performance against both uniform and bursty channel errors"
)
CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-2-uniform",
        "LL-ELSN with LL-ARQ of a small retry limit is consistently good under uniform errors: with one "
        "limit of 2 to 4 it delivers, at each of 1, 10 and 30 % FER, more than 90 % of the best goodput of "
        "Reno and LL-ELSN with any limit.",
        good_with_one,
        quote=CONSISTENTLY_GOOD,
    ),
    Claim(
        "yun-2-uniform-strict",
        "LL-ELSN is consistently good under uniform errors with each small retry limit, 2 to 4.",
        good_with_each,
        own=True,
        because="The paper speaks of a small retry limit, not of every small limit.",
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig14",
    title="Goodput against the retry limit of LL-ARQ, uniform errors",
    source=f"{PAPER}, section 5.4",
    scenario="yun2009-downlink",
    settings={"duration": "200 s"},
    curves=CURVES,
    baseline=at("reno", 0.01),
    axis=LIMIT,
    metric=GOODPUT,
    replications=WITH_ARQ,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice(at("ll-elsn", 0.1), 2, duration_s=20.0, opening_s=2.0),
    questions=(ELN_FILTER,),
)
