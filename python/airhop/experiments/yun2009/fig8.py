"""Figure 8a: goodput against the frame error rate as in Figure 6a, but uplink: the station sends.

Printed in the paper: the grid of Figure 6, the Snoop agent at the station. The axis ends at 2.8 Mbit/s, that
of Figure 6 at 3.6, although the cell is symmetric; the paper does not say why.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.claims import ahead_everywhere, behind_beside, order_at
from airhop.experiments.experiment import Claim, Metric
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIGURE6
from airhop.experiments.yun2009.fig6 import FER, FIRST_PRINTED_FER, OTHERS

GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8))


def headline(samples: Samples) -> str:
    """Say what the four deliver at 1 %."""
    text = {scheme: f"{samples.estimate(scheme, 1e-2).mean:.1f}" for scheme in FIGURE6.labels}
    return (
        f"Uplink, at 1 % frame errors: LL-ELSN {text['ll-elsn']} Mbit/s, Snoop {text['snoop']}, "
        f"SACK {text['sack']}, Reno {text['reno']}."
    )


CLAIMS = (
    Claim(
        "yun-6",
        "LL-ELSN is first at every FER from 0.01 % up.",
        lambda s: ahead_everywhere(s, FER, "ll-elsn", OTHERS, FIRST_PRINTED_FER),
    ),
    Claim(
        "yun-6-snoop",
        "Snoop delivers less than in the downlink (Figure 6a), at every FER from 0.01 % up.",
        lambda s: behind_beside(s, FER, "snoop", FIRST_PRINTED_FER),
    ),
    Claim(
        "yun-6-others",
        "The others stand as in the downlink: at 1 % and 3 % SACK is behind LL-ELSN and ahead of Reno.",
        lambda s: order_at(s, FER, ("ll-elsn", "sack", "reno"), (1e-2, 3e-2)),
    ),
)

EXPERIMENT = replace(
    FIGURE6,
    id="yun2009/fig8",
    title="Goodput against frame error rate, uplink, one connection",
    source=f"{PAPER}, Figure 8a",
    scenario="yun2009-uplink",
    metric=GOODPUT,
    claims=CLAIMS,
    headline=headline,
    beside=FIGURE6,
)
