"""Figure 9: goodput of all connections together against their number, downlink.

Printed in the paper: n connections, each with its own source and station; all other settings are as in Figure
6. The largest n, the error rate and the axes are unknown. Here n is 1 to 10, and the FER is 1 %, as in Figure
7. "Quasi-constant" means 90 % of the largest goodput over n. "Fully utilize" means 90 % of LL-ELSN's goodput.
A "sufficiently large" number of connections may exceed 10. The claim is therefore undecided for a scheme
below 90 % with ten connections, unless the scheme's share of LL-ELSN's goodput has decreased.
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import catches_up, steady
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import CURVES, OTHERS, PAPER, REPLICATIONS, SETTINGS
from airhop.experiments.yun2009.readings import ERROR_RATE, OF_SCHEMES

CONNECTIONS = PlottedAxis(
    key="n",
    name="n",
    paths=("copies",),
    label="Connections",
    full=(1, 2, 3, 4, 6, 8, 10),
    coarse=(1, 10),
    ticks=(1, 2, 3, 4, 6, 8, 10),
)
GOODPUT = Metric(
    "goodput_mbps", "Total goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
FULL = 0.9
"""Minimum share of the best goodput that counts as full use of the link."""
HOW_MANY = "how many connections are sufficient (the axis of the figure is not known)"
"""Missing information if ten connections are too few for a decision."""


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of one connection and of the largest number of connections."""
    first, last = samples.xs[0], samples.xs[-1]
    ratios = [samples.ratio("reno", "ll-elsn", x).value for x in (first, last)]
    return (
        f"Reno delivers {100 * ratios[0]:.0f} % of the goodput of LL-ELSN with {first:g} connection "
        f"and {100 * ratios[1]:.0f} % with {last:g}."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-7-constant",
        "LL-ELSN is quasi-constant: its goodput with every number of connections is more than 90 % of its "
        "goodput with any other number.",
        Asked(steady, CONNECTIONS, "ll-elsn", FULL),
        quote="LL-ELSN shows quasiconstant goodput irrespective of n.",
    ),
    Claim(
        "yun-7-others",
        "The other schemes fill the link only with enough connections: each delivers less than 90 % of "
        "LL-ELSN's goodput with one connection, and more than 90 % with ten, the largest number of the grid. "
        "A scheme that is below 90 % with ten connections is undecided, unless its share of LL-ELSN's "
        "goodput has decreased.",
        Asked(catches_up, CONNECTIONS, OTHERS, "ll-elsn", FULL, HOW_MANY),
        quote="the other schemes can fully utilize the bandwidth with sufficiently large number of "
        "connections",
        reason={
            "reno": (
                "Reno halves its window at each channel loss: ten connections are too few to fill the link."
            ),
            "tibet": (
                "TIBET's ssthresh decays (see Figure 6): ten connections are too few to fill the link."
            ),
            "lhp": (
                "LHP sends each packet as five frames, each with a preamble and a link ACK, as the paper "
                "states (§2.1); this overhead bounds the total goodput."
            ),
        },
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig9",
    title="Goodput against the number of connections, downlink",
    source=f"{PAPER}, Figure 9",
    scenario="yun2009-downlink",
    settings=SETTINGS | {"wlan.cell.errors.fer": 0.01},
    curves=CURVES,
    baseline="reno",
    axis=CONNECTIONS,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("reno", 1, duration_s=20.0, opening_s=4.0),
    questions=(*OF_SCHEMES, ERROR_RATE),
)
