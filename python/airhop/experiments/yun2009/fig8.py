"""Figure 8: goodput against the frame error rate as in Figure 6, but uplink: the station sends.

Printed in the paper: the grid of Figure 6, and the Snoop agent at the station. The axis ends at 2.8 Mbit/s,
but at 3.6 Mbit/s in Figure 6, although the cell is symmetric. The paper does not state the reason.

"The relative performances of the other schemes are similar to those in downlink" means that each scheme's
ratio to Reno equals the downlink ratio within a factor of 1.25.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import Asked, Span
from airhop.experiments.claims import ahead_everywhere, each_below_beside, stands_as_beside, within_axis
from airhop.experiments.experiment import Claim, Metric
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import MUCH, NO_SLOWER, OTHERS, PAPER, SCHEMES, THE_REST
from airhop.experiments.yun2009.fig6 import EXPERIMENT as FIGURE6
from airhop.experiments.yun2009.fig6 import FER, FIRST_PRINTED_FER
from airhop.experiments.yun2009.overall import above_over, sum_below_companion

GOODPUT = Metric("goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.4, 0.8, 1.2, 1.6, 2.0, 2.4, 2.8))
SIMILAR = 1.25


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of LL-ELSN, Snoop, SACK and Reno at 1 %."""
    text = {scheme: f"{samples.estimate(scheme, 1e-2).mean:.1f}" for scheme in FIGURE6.labels}
    return (
        f"Uplink, at 1 % frame errors: LL-ELSN {text['ll-elsn']} Mbit/s, Snoop {text['snoop']}, "
        f"SACK {text['sack']}, Reno {text['reno']}."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-6",
        "LL-ELSN is best: over the axis it delivers more than any other scheme.",
        Asked(above_over, ("ll-elsn",), OTHERS, Span(FIRST_PRINTED_FER)),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the sum over "
            "the axis."
        ),
    ),
    Claim(
        "yun-6-strict",
        "LL-ELSN is first at every FER from 0.01 % up.",
        Asked(ahead_everywhere, FER, "ll-elsn", OTHERS, FIRST_PRINTED_FER),
        quote="LL-ELSN shows the best performance",
    ),
    Claim(
        "yun-6-snoop",
        "Snoop is much worse than on the downlink (Figure 6): over the axis it delivers less than two "
        "thirds of its downlink goodput.",
        Asked(sum_below_companion, "snoop", Span(FIRST_PRINTED_FER), 1.0 / MUCH),
        own=True,
        because=(
            "The paper's sentence names no error rate. Its weakest interpretation is about the sum over "
            "the axis."
        ),
    ),
    Claim(
        "yun-6-snoop-strict",
        "Snoop delivers less than two thirds of its downlink goodput at every FER from 0.01 % up.",
        Asked(each_below_beside, FER, ("snoop",), Span(FIRST_PRINTED_FER), 1.0 / MUCH),
        quote="Snoop is much worse than in downlink communication",
    ),
    Claim(
        "yun-6-others",
        "The other schemes compare as on the downlink: at every FER from 0.01 % up, the ratio of each to "
        "Reno equals its ratio in Figure 6 within a factor of 1.25.",
        Asked(stands_as_beside, FER, THE_REST, "reno", Span(FIRST_PRINTED_FER), factor=SIMILAR),
        quote="The relative performances of the other schemes are similar to those in downlink "
        "communication.",
        reason={
            "lhp": (
                "LHP sends a packet as five frames, whose preambles and link ACKs bound its goodput in "
                "both directions. Reno has no such bound, so the ratio varies with Reno's goodput."
            )
        },
    ),
    Claim(
        "yun-6-axis",
        "No curve exceeds the printed axis, which ends at 2.8 Mbit/s.",
        Asked(within_axis, FER, tuple(SCHEMES), 2.8, FIRST_PRINTED_FER),
        quote="Goodput (Mbps) 0 0.4 0.8 1.2 1.6 2 2.4 2.8 FER",
        reason=NO_SLOWER,
    ),
)

EXPERIMENT = replace(
    FIGURE6,
    id="yun2009/fig8",
    title="Goodput against frame error rate, uplink, one connection",
    source=f"{PAPER}, Figure 8",
    scenario="yun2009-uplink",
    metric=GOODPUT,
    claims=CLAIMS,
    headline=headline,
    beside=FIGURE6,
)
