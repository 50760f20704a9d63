"""Figure 7: goodput against the round-trip time, downlink, one connection, 1 % packet errors.

Printed in the paper: the "delay offset of link buffer" d_off of every wired link is 2, 10, 20 and 30 ms. All
other settings are as in Figure 6. Inferred from Figure 5: d_off delays each of three links in both
directions. The round trip is therefore six times d_off plus transmission and queueing times. The paper draws
the curves without a table. "Small RTT" means the smallest RTT of the figure. "Good performance constantly"
means more than nine tenths of the best goodput.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from airhop import stats
from airhop.experiments.asked import FIRST, Asked
from airhop.experiments.claims import (
    ahead_everywhere,
    along,
    each_below,
    every,
    falls_all_along,
    keeps_most,
    near_each,
    sensitivities_differ,
    within,
    within_axis,
)
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Experiment,
    Metric,
    PlottedAxis,
    TimelineChoice,
    X,
)
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import (
    CURVES,
    GOOD,
    NO_SLOWER,
    OTHERS,
    OWN,
    PAPER,
    REPLICATIONS,
    SCHEMES,
    SETTINGS,
)
from airhop.experiments.yun2009.fig6 import CUTS, TIMEOUTS
from airhop.experiments.yun2009.readings import OF_SCHEMES
from airhop.numerals import interval
from airhop.stats import Ratio

D_OFF = PlottedAxis(
    key="d_off_ms",
    name="d_off",
    paths=("wired.all.delay",),
    label="Link delay offset (ms)",
    full=(2, 10, 20, 30),
    coarse=(2, 10, 30),
    unit="ms",
    limits=(0, 32),
    ticks=(2, 10, 20, 30),
)
GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.8, 1.6, 2.4, 3.2))


def headline(samples: Samples) -> str:
    """State the shares of goodput that LL-ELSN and Reno keep at the longest round trip."""
    first, last = samples.xs[0], samples.xs[-1]
    ours, reno = (along(samples, scheme, first, last).value for scheme in ("ll-elsn", "reno"))
    return (
        f"From {D_OFF.text(first)} to {D_OFF.text(last)} a link LL-ELSN keeps {100 * ours:.0f} % of its "
        f"goodput, Reno {100 * reno:.0f} %."
    )


ROUND_TRIP = Metric("srtt_ms", "Smoothed round trip", "ms", (0.0, 100.0, 200.0), digits=0, printed=False)
SAME = 0.1


def inverse_of_round_trip(samples: Samples) -> ClaimResult:
    """Check whether Reno's goodput times round-trip time differs by less than 10 % between any two delays."""
    trips = samples.also[ROUND_TRIP.name]
    products = {(x, y): _product(samples, trips, y, x) for x, y in combinations(samples.xs, 2)}
    told = ", ".join(
        f"{interval(ratio)} from {D_OFF.text(x)} to {D_OFF.text(y)}" for (x, y), ratio in products.items()
    )
    longer = along(trips, "reno", samples.xs[0], samples.xs[-1])
    return ClaimResult(
        every(within(ratio, 1 - SAME, 1 + SAME) for ratio in products.values()),
        f"product changes by: {told}; the longest round trip is {interval(longer)} times the shortest",
    )


def _product(samples: Samples, trips: Samples, x: X, y: X) -> Ratio:
    """Return the ratio of Reno's goodput times round trip at x to the product at y, paired by replication."""
    (here, there), (long, short) = (one.paired(("reno", x), ("reno", y)) for one in (samples, trips))
    return stats.ratio(np.multiply(here, long).tolist(), np.multiply(there, short).tolist())


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-5-falls",
        "The goodput of every scheme falls with every step of the round-trip time.",
        Asked(falls_all_along, D_OFF, tuple(SCHEMES)),
        quote="the testing schemes also show decreasing goodput for increasing RTT",
    ),
    Claim(
        "yun-5-constant",
        "LL-ELSN is good throughout: at every round-trip time it has more than 90 % of the goodput of any "
        "other scheme.",
        Asked(near_each, D_OFF, OWN, OTHERS, GOOD),
        quote="LL-ELSN shows good performance constantly.",
    ),
    Claim(
        "yun-5-first",
        "LL-ELSN is ahead of every other scheme at every round-trip time.",
        Asked(ahead_everywhere, D_OFF, OWN, OTHERS),
        own=True,
        because="The paper calls LL-ELSN good at every round trip, not the best.",
    ),
    Claim(
        "yun-5-constant-strict",
        "LL-ELSN suffers least from a long round trip: from the shortest to the longest it keeps a larger "
        "share of its goodput than any other scheme.",
        Asked(keeps_most, D_OFF, OWN, OTHERS),
        own=True,
        because="The paper states that sensitivities differ and that LL-ELSN is good throughout, not that "
        "LL-ELSN is the least sensitive.",
    ),
    Claim(
        "yun-5-sensitivities",
        "Schemes differ in their sensitivity to the round trip: from the shortest to the longest round trip "
        "one scheme keeps a larger part of its goodput than another.",
        Asked(sensitivities_differ, D_OFF, tuple(SCHEMES)),
        quote="However, their sensitivities to RTT are different.",
    ),
    Claim(
        "yun-5-small",
        "TIBET and Westwood are worse than Reno at the smallest round-trip time.",
        Asked(each_below, D_OFF, ("tibet", "westwood-plus"), "reno", FIRST),
        quote="TIBET and Westwood are worse than Reno in small RTT.",
        reason={
            "tibet": (
                "TIBET recovers as NewReno. Reno's recovery ends with the first of two losses in a window, "
                "and a timeout repairs the second; these timeouts can cost more than TIBET's small ssthresh."
            ),
            "westwood-plus": (
                "Westwood recovers with SACK, while Reno needs a timeout after two losses in a window; "
                "these timeouts can cost more than Westwood's smaller window after a loss."
            ),
        },
    ),
    Claim(
        "yun-5-reno",
        (
            "Reno's goodput is inversely proportional to the round trip: their product differs by less "
            "than 10 % between any two delays."
        ),
        inverse_of_round_trip,
        quote="The goodput of TCP Reno is known as inversely proportional to RTT [39].",
        reason=(
            "The law applies to a sender without timeouts, whose loss rate does not depend on its sending "
            "rate. At the shortest round trip data frames collide with more TCP ACKs, and the timeouts "
            "after losses are as long on every path."
        ),
    ),
    Claim(
        "yun-5-axis",
        "No curve exceeds the printed axis, which ends at 3.2 Mbit/s.",
        Asked(within_axis, D_OFF, tuple(SCHEMES), 3.2),
        quote="Goodput (Mbpt) 0 0.8 1.6 2.4 3.2 Delay offset of link buffer (ms)",
        reason=NO_SLOWER,
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig7",
    title="Goodput against round-trip time, downlink, one connection",
    source=f"{PAPER}, Figure 7",
    scenario="yun2009-downlink",
    settings=SETTINGS | {"wlan.cell.errors.fer": 0.01},
    curves=CURVES,
    baseline="reno",
    axis=D_OFF,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("ll-elsn", 30, duration_s=20.0, opening_s=4.0),
    also=(CUTS, TIMEOUTS, ROUND_TRIP),
    questions=OF_SCHEMES,
)
