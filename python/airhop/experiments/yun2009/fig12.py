"""Figure 12: goodput of one Reno connection beside ten connections of another scheme, downlink.

Printed in the paper: n = 10, "the goodput change of a connection using TCP Reno when 10 connections using …"
(the available text ends there). The curves have names such as "Reno + ideal BWE". Snoop is missing, "since
Snoop is a link-level solution". Westwood, Veno, TIBET and the ideal estimator "are aggressive against Reno
connections". Inferred: the axis is the FER, as in Figures 6, 8 and 11, without link retransmission. The
change is relative to ten rivals that use Reno. The reaction of the ideal estimator to a loss is inferred,
too, because the paper does not specify this reaction.

A scheme is aggressive if Reno's goodput beside it is below nine tenths of Reno's goodput beside ten Reno
connections. The strict claims require this at every FER. `yun-10` and `yun-10-ideal`, which are Airhop's own,
require this for the sum over the axis. The paper infers from Figures 9 and 10 that LL-ELSN's good performance
is not due to "aggressive behavior". This experiment measures the aggressiveness.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.claims import each_above, each_below
from airhop.experiments.experiment import Claim, Curve, Experiment, Metric
from airhop.experiments.reading import SILENT, Question, Reading
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import OWN, PAPER, REPLICATIONS, SCHEMES, SETTINGS
from airhop.experiments.yun2009.fig6 import FER as FIGURE6_FER
from airhop.experiments.yun2009.overall import ratio_over, sum_below
from airhop.experiments.yun2009.readings import (
    ESTIMATORS_RECOVERY,
    IDEAL,
    TIBET_DECAY,
    WESTWOOD_RECOVERY,
    of_rivals,
)

RIVALS = {name: label for name, label in SCHEMES.items() if name != "snoop"} | {"ideal-bwe": "ideal BWE"}
SCHEME_OF_RIVALS = "flow.rivals*.scheme"
FER = replace(FIGURE6_FER, full=(1e-4, 1e-3, 1e-2, 9e-2), coarse=(1e-4, 1e-2))
CURVES = tuple(
    Curve(name, f"Reno + {label}", settings={SCHEME_OF_RIVALS: name}) for name, label in RIVALS.items()
)
GOODPUT = Metric(
    "flow.reno.goodput_mbps",
    "Goodput of the Reno connection",
    "Mbit/s",
    ticks=(0.0, 0.1, 0.2, 0.3, 0.4),
    digits=3,
    printed=False,
)
TOTAL = Metric(
    "goodput_mbps", "Total goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
RESENT = Metric(
    "100 * flow.reno.retransmissions / flow.reno.sent_segments",
    "Retransmitted segments of Reno",
    "%",
    ticks=(0.0, 3.0, 6.0, 9.0, 12.0),
    digits=1,
    printed=False,
)
"""Share of retransmitted segments of the Reno connection in per cent, a measure of losses and collisions."""
FRIENDLY = 0.9
ESTIMATORS = ("westwood-plus", "veno", "tibet")
OF_RIVALS = (TIBET_DECAY, WESTWOOD_RECOVERY, ESTIMATORS_RECOVERY, IDEAL)


def headline(samples: Samples) -> str:
    """Return a sentence on Reno's goodput beside each rival that the paper names."""
    parts = [
        f"{RIVALS[rival]} {100 * ratio_over(samples, rival, 'reno', samples.xs).value:.0f} %"
        for rival in (*ESTIMATORS, "ideal-bwe")
    ]
    return f"Reno keeps, of its goodput beside ten other Reno connections: beside {', '.join(parts)}."


LITTLE_TAKEN = {
    "tibet": ("TIBET's ssthresh decays to two segments (see Figure 6), below half of Reno's window."),
    "veno": (
        "Veno halves its window as Reno does if it estimates more than three of its segments in the queue; "
        "this is the case when the queue overflows."
    ),
}
FAIR_SHARE = (
    "The ideal estimator sets ssthresh to the fair share times the round trip of the empty path, while "
    "Reno halves a window that included a full queue. An estimator that knows the bandwidth of the whole "
    "link, or the round trip with queueing, takes more; the paper does not state which of these values it "
    "knows."
)
QUOTE = (
    "it is shown that TCP Westwood, Veno, and TIBET including the ideal BWE are aggressive against Reno "
    "connections"
)
CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-10",
        "Westwood, Veno and TIBET are aggressive against Reno: over the axis, each leaves the Reno "
        "connection less than 90 % of its goodput among other Reno connections.",
        Asked(sum_below, ESTIMATORS, "reno", ALL_X, FRIENDLY),
        own=True,
        because=(
            "The paper's sentence names no error rate. At the least it holds for the goodput summed over "
            "the axis."
        ),
        reason=LITTLE_TAKEN,
    ),
    Claim(
        "yun-10-ideal",
        "Even an ideal estimator is aggressive against Reno.",
        Asked(sum_below, ("ideal-bwe",), "reno", ALL_X, FRIENDLY),
        own=True,
        because=(
            "The paper's sentence names no error rate. At the least it holds for the goodput summed over "
            "the axis."
        ),
        reason=FAIR_SHARE,
    ),
    Claim(
        "yun-10-strict",
        "Westwood, Veno and TIBET are aggressive against Reno at every FER.",
        Asked(each_below, FER, ESTIMATORS, "reno", ALL_X, FRIENDLY),
        quote=QUOTE,
        reason=LITTLE_TAKEN,
    ),
    Claim(
        "yun-10-ideal-strict",
        "An ideal estimator is aggressive against Reno at every FER.",
        Asked(each_below, FER, ("ideal-bwe",), "reno", ALL_X, FRIENDLY),
        quote=QUOTE,
        reason=FAIR_SHARE,
    ),
)
FRIENDLY_CLAIM = Claim[Samples](
    "yun-8-friendly",
    "LL-ELSN is not aggressive: it leaves the Reno connection more than 90 % of its goodput among other Reno "
    "connections, at every FER.",
    Asked(each_above, FER, (OWN,), "reno", ALL_X, FRIENDLY),
    quote="LL-ELSN achieves good performance against wireless losses […] not by aggressive behavior",
    reason="LL-ELSN keeps its window at wireless losses, and its connections fill the queue. Reno halves "
    "its window at each loss, and so has a smaller share than among senders that also halve their windows.",
)
LOSSES = Question(
    about="the place of the losses in Figure 12",
    default=Reading(
        "losses-of-the-channel",
        "A frame is sent once, so most losses are channel errors and collisions.",
        "We first set the retry limit of 802.11 MAC to one",
    ),
    others=(
        Reading(
            "losses-of-the-queue",
            "A frame is sent up to four times, so nearly all losses are queue overflows.",
            SILENT,
            {"wlan.cell.attempts": 4},
        ),
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig12",
    title="A Reno connection beside ten connections of another scheme, downlink",
    source=f"{PAPER}, Figure 12",
    scenario="yun2009-friendliness",
    settings=SETTINGS,
    curves=CURVES,
    baseline="reno",
    axis=FER,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=(*CLAIMS, FRIENDLY_CLAIM),
    headline=headline,
    also=(TOTAL, RESENT),
    questions=(
        *(of_rivals(question, SCHEME_OF_RIVALS) for question in OF_RIVALS),
        LOSSES,
    ),
)
