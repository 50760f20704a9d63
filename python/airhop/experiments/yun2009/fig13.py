"""Figure 13: goodput of four senders with the same notices (LL-ELSN's), against the frame error rate.

Printed in section 5.3: HACK, HACK-fixed, LHP and ESACK are compared under LL-ELSN, to "find which combination
results in the best performance". The figures and their captions are unavailable. Inferred: the axis is the
FER. The paths come from Figure 6 (without background traffic) and Figure 11 (with background traffic).
HACK-fixed is reconstructed (`airhop schemes hack-fixed`).

The available text does not name the best combination. Everywhere else, the paper combines LL-ELSN with ESACK.
The claim that ESACK is the best combination is Airhop's own. Section 5.2 adds that the "severe performance
degradation of LHP" under background traffic "is due to multiple fast recoveries", and that section 5.3
investigates it. "Severe" means that LHP's goodput is below four fifths of ESACK's. "Multiple", as in Figure
11, means more than 1.5 times ESACK's recoveries per segment sent.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.claims import ahead_everywhere, each_below
from airhop.experiments.experiment import Claim, Curve, Experiment, Metric, Replications, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import MUCH, PAPER, SETTINGS, SEVERE, fig6
from airhop.experiments.yun2009.fig11 import RECOVERIES
from airhop.experiments.yun2009.overall import sum_below
from airhop.experiments.yun2009.readings import ELN_FILTER, HACK_SHIELD, LHP_ACKS

FER = replace(fig6.FER, full=(1e-4, 1e-3, 1e-2, 3e-2, 9e-2), coarse=(1e-3, 1e-2, 9e-2))
GOODPUT = Metric(
    "goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6), printed=False
)
SENDERS = {"hack": "HACK", "hack-fixed": "HACK-fixed", "lhp": "LHP", "ll-elsn": "ESACK"}
NO_BACKGROUND = {"kind": "cbr", "rate": "1 bit/s"}
"""Background traffic of a single packet in 200 s."""
BACKGROUND = {
    "kind": "pareto-on-off",
    "peak": "9.72 Mbit/s",
    "on": "400 ms",
    "off": "100 ms",
    "shape": 2.0,
}
"""Background traffic of Figure 11, as in the packaged scenario."""


def background(sender: str) -> str:
    """Return the name of a sender's curve with background traffic."""
    return f"{sender}, background"


CURVES = tuple(Curve(name, label, name) for name, label in SENDERS.items()) + tuple(
    Curve(background(name), f"{label}, background", name, {"flow.background.app": BACKGROUND})
    for name, label in SENDERS.items()
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of the four senders at 1 %, without and with background traffic."""
    parts = []
    for sender, label in SENDERS.items():
        alone, beside = (samples.estimate(name, 1e-2).mean for name in (sender, background(sender)))
        parts.append(f"{label} {alone:.1f} ({beside:.1f})")
    return (
        f"With LL-ELSN's notices at 1 % frame errors, in Mbit/s and in brackets under background "
        f"traffic: {', '.join(parts)}."
    )


OF_FIGURE_11 = "The sentence is about Figure 11; the name of the sender to compare in Figure 13 is lost."
BURSTS = (
    "A burst of the background occupies the wired link for longer than a round trip. LHP and ESACK then "
    "both lose whole windows and wait for timeouts, and a larger window helps only between the bursts."
)
CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-13-best",
        "Among four senders that receive the same notices, ESACK is the best at every FER from 0.01 % up.",
        Asked(ahead_everywhere, FER, "ll-elsn", ("hack", "hack-fixed", "lhp")),
        own=True,
        because="Figure 13 and its text are lost; the rest of the paper suggests that the figure showed "
        "ESACK as the best.",
        reason={
            "lhp": (
                "ESACK's ELN filter treats more than N consecutive ELNs as a disconnection, during which "
                "it answers only every other ELN; this happens more often at higher error rates. LHP has "
                "no filter."
            )
        },
    ),
    Claim(
        "yun-13-best-background",
        "ESACK is the best of the four also under background traffic, at every FER from 0.01 % up.",
        Asked(
            ahead_everywhere,
            FER,
            background("ll-elsn"),
            tuple(map(background, ("hack", "hack-fixed", "lhp"))),
        ),
        own=True,
        because="Figure 13 and its text are lost; the rest of the paper suggests that the figure showed "
        "ESACK as the best.",
    ),
    Claim(
        "yun-13-lhp",
        "With background traffic LHP degrades severely: over the axis it delivers less than 80 % of "
        "ESACK's goodput.",
        Asked(sum_below, (background("lhp"),), background("ll-elsn"), ALL_X, SEVERE),
        own=True,
        because=OF_FIGURE_11,
        reason=BURSTS,
    ),
    Claim(
        "yun-13-lhp-strict",
        "With background traffic LHP delivers less than 80 % of ESACK's goodput, at every FER.",
        Asked(each_below, FER, (background("lhp"),), background("ll-elsn"), ALL_X, SEVERE),
        own=True,
        because=OF_FIGURE_11,
        reason=BURSTS,
    ),
    Claim(
        "yun-13-recoveries",
        "LHP suffers multiple fast recoveries: over the axis, with background traffic, ESACK has less than "
        "two thirds of LHP's fast recoveries per segment.",
        Asked(sum_below, (background("ll-elsn"),), background("lhp"), ALL_X, 1.0 / MUCH, of=RECOVERIES),
        own=True,
        because=OF_FIGURE_11,
    ),
    Claim(
        "yun-13-recoveries-strict",
        "LHP suffers multiple fast recoveries: with background traffic ESACK has less than two thirds of "
        "LHP's fast recoveries per segment, at every FER.",
        Asked(each_below, FER, (background("ll-elsn"),), background("lhp"), ALL_X, 1.0 / MUCH, of=RECOVERIES),
        own=True,
        because=OF_FIGURE_11,
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/fig13",
    title="Four senders that receive the same notices, without and with background traffic",
    source=f"{PAPER}, section 5.3",
    scenario="yun2009-background",
    settings=SETTINGS | {"flow.ftp*.services": ["elsn"], "flow.background.app": NO_BACKGROUND},
    curves=CURVES,
    baseline="hack",
    axis=FER,
    metric=GOODPUT,
    also=(RECOVERIES,),
    replications=Replications(quick=3, full=20, printed=True),
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("ll-elsn", 1e-2, duration_s=20.0, opening_s=2.0),
    questions=(ELN_FILTER, LHP_ACKS, HACK_SHIELD),
)
