"""Figure 7: goodput against the round-trip time, downlink, one connection, 1 % packet errors.

Printed in the paper: the "delay offset of link buffer" d_off of every wired link is 2, 10, 20 and 30 ms, the
rest as in Figure 6. That d_off adds to each of three links, so that the round trip is six times as long plus
what transmission and queues take, is inferred from its Figure 5. Curves are drawn, not tabulated. "Small RTT"
is read as the smallest of the figure, and "good performance constantly" as more than nine tenths of the best.
"""

from __future__ import annotations

from airhop.experiments.claims import (
    ahead_everywhere,
    along,
    each_below,
    falls_all_along,
    keeps_most,
    near_best,
)
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import CURVES, GOOD, OTHERS, OWN, PAPER, REPLICATIONS, SCHEMES, SETTINGS
from airhop.experiments.yun2009.fig6 import CUTS, TIMEOUTS
from airhop.experiments.yun2009.readings import OF_SCHEMES

D_OFF = PlottedAxis(
    key="d_off_ms",
    name="d_off",
    paths=("wired.all.delay",),
    label="Delay offset of each link (ms)",
    full=(2, 10, 20, 30),
    coarse=(2, 10, 30),
    unit="ms",
    limits=(0, 32),
    ticks=(2, 10, 20, 30),
)
GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.8, 1.6, 2.4, 3.2))


def headline(samples: Samples) -> str:
    """Say what is left of LL-ELSN and of Reno at the longest round trip."""
    first, last = samples.xs[0], samples.xs[-1]
    ours, reno = (along(samples, scheme, first, last).value for scheme in ("ll-elsn", "reno"))
    return (
        f"From {D_OFF.text(first)} to {D_OFF.text(last)} a link LL-ELSN keeps {100 * ours:.0f} % of its "
        f"goodput, Reno {100 * reno:.0f} %."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-5-falls",
        "The goodput of every scheme falls with every step of the round-trip time.",
        lambda s: falls_all_along(s, D_OFF, tuple(SCHEMES)),
        quote="the testing schemes also show decreasing goodput for increasing RTT",
    ),
    Claim(
        "yun-5-constant",
        "LL-ELSN is good throughout: at every round-trip time it has more than nine tenths of what any other "
        "scheme has.",
        lambda s: near_best(s, D_OFF, {(OWN, x): [(other, x) for other in OTHERS] for x in s.xs}, GOOD),
        quote="LL-ELSN shows good performance constantly.",
    ),
    Claim(
        "yun-5-first",
        "LL-ELSN is ahead of every other scheme at every round-trip time.",
        lambda s: ahead_everywhere(s, D_OFF, OWN, OTHERS),
        own=True,
    ),
    Claim(
        "yun-5-constant-strict",
        "LL-ELSN suffers least from a long round trip: it keeps a larger part of its goodput than any other.",
        lambda s: keeps_most(s, D_OFF, OWN, OTHERS),
        own=True,
    ),
    Claim(
        "yun-5-small",
        "TIBET and Westwood are worse than Reno at the smallest round-trip time.",
        lambda s: each_below(s, D_OFF, ("tibet", "westwood-plus"), "reno", s.xs[:1]),
        quote="TIBET and Westwood are worse than Reno in small RTT.",
        reason={
            "tibet": (
                "TIBET repairs losses as NewReno does. Reno's recovery ends with the first of two losses in "
                "a window, and a timeout repairs the other: that can weigh more than TIBET's small ssthresh."
            ),
            "westwood-plus": (
                "Westwood repairs losses with SACK, where Reno waits for a timeout after two losses in a "
                "window: that can weigh more than the window that Westwood cuts to."
            ),
        },
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
    also=(CUTS, TIMEOUTS),
    questions=OF_SCHEMES,
)
