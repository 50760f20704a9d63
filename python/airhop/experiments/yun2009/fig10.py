"""Figure 10: fairness among the connections of Figure 9, in the very same runs.

Printed in the paper: Jain's index (its equation 5) of the goodputs of n connections; most schemes "achieve
high fairness index above 0.98". Most is read as more than half of those that exist here. The statements about
Jersey, JTCP, Westwood and TIBET wait for these schemes. The printed axis is not known to us.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.claims import most_stay_above
from airhop.experiments.experiment import Claim, Metric
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER, SCHEMES
from airhop.experiments.yun2009.fig9 import CONNECTIONS
from airhop.experiments.yun2009.fig9 import EXPERIMENT as FIGURE9

FAIRNESS = Metric(
    "jain",
    "Jain's fairness index",
    unit="",
    ticks=(0.9, 0.92, 0.94, 0.96, 0.98, 1.0),
    digits=3,
    most=1.0,
    printed=False,
)


def headline(samples: Samples) -> str:
    """Say how fair the fairest and the least fair are with the most connections."""
    last = samples.xs[-1]
    index = {label: samples.estimate(scheme, last).mean for scheme, label in SCHEMES.items()}
    least, best = min(index, key=index.__getitem__), max(index, key=index.__getitem__)
    return (
        f"With {last:g} connections Jain's index lies between {index[least]:.3f} ({least}) and "
        f"{index[best]:.3f} ({best})."
    )


CLAIMS = (
    Claim(
        "yun-8",
        "Most of the schemes keep Jain's index above 0.98 with every number of connections.",
        lambda s: most_stay_above(s, CONNECTIONS, tuple(SCHEMES), 0.98),
    ),
)

EXPERIMENT = replace(
    FIGURE9,
    id="yun2009/fig10",
    title="Fairness against the number of connections, downlink",
    source=f"{PAPER}, Figure 10",
    metric=FAIRNESS,
    claims=CLAIMS,
    headline=headline,
)
