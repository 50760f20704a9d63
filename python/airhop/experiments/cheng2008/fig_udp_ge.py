"""Figure "Variation of TCP goodput with FER": the chain beside UDP at 1 Mbit/s, against the bad state's loss.

Printed: UDP at 1 Mbit/s, P_G = 0.015, P_GB = 0.1, P_BG = 0.15, and P_B from 0.1 to 0.5. The curves are lost.
The mean frame error rate grows from 4.9 % to 20.9 %.
"""

from __future__ import annotations

from airhop.experiments.asked import ALL_X, LAST, Asked
from airhop.experiments.cheng2008 import (
    ALSO,
    CURVES,
    OTHERS,
    PAPER,
    REPLICATIONS,
    gain,
)
from airhop.experiments.cheng2008.fig_udp import EXPERIMENT as WITHOUT_ERRORS
from airhop.experiments.cheng2008.fig_udp import UDP
from airhop.experiments.cheng2008.readings import BELOW_TCP, STRIKES, TCP_W, UDP_PLACE
from airhop.experiments.claims import (
    above,
    ahead_everywhere,
    each_above,
    falls_all_along,
    falls_behind_all_along,
    growth,
)
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, PlottedAxis, TimelineChoice
from airhop.experiments.samples import Samples
from airhop.numerals import interval

LOSS = PlottedAxis(
    key="p_b",
    name="P_B",
    paths=("wlan.field.errors.loss_bad",),
    label="Frame error rate in the bad state",
    full=(0.1, 0.2, 0.3, 0.4, 0.5),
    coarse=(0.1, 0.5),
    ticks=(0.1, 0.2, 0.3, 0.4, 0.5),
)
ERRORS = {"kind": "gilbert-elliott", "loss_good": 0.015, "loss_bad": 0.1, "p_gb": 0.1, "p_bg": 0.15}


def headline(samples: Samples) -> str:
    """Return a sentence on TCP-CL's gains over the best and over the worst channel."""
    told = " and ".join(f"{gain(samples, x)} at P_B = {x:g}" for x in (samples.xs[0], samples.xs[-1]))
    return f"TCP-CL delivers {told} against Reno."


def gains_more_where_frequent(samples: Samples) -> ClaimResult:
    """Check whether TCP-CL's gain over Reno is larger at the highest P_B than at the lowest."""
    found = growth(samples, "tcp-cl", "reno", samples.xs[0], samples.xs[-1])
    steps = ", ".join(f"{gain(samples, x)} at {LOSS.text(x)}" for x in samples.xs)
    return ClaimResult(above(found, 1.0), f"{interval(found)} × from the best to the worst: {steps}")


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "cheng-udp-ge-ahead",
        "TCP-CL delivers more than Reno at any error rate.",
        Asked(each_above, LOSS, ("tcp-cl",), "reno", ALL_X),
        own=True,
        because="The curves are lost; the slides' conclusion, that TCP-CL enhances TCP, refers to all "
        "settings together.",
    ),
    Claim(
        "cheng-udp-ge-frequent",
        "TCP-CL treats frequent losses more efficiently: at the highest P_B, with the most frequent losses, "
        "TCP-CL delivers more than Reno.",
        Asked(each_above, LOSS, ("tcp-cl",), "reno", LAST),
        quote="A more efficient treatment on frequent transmission losses",
    ),
    Claim(
        "cheng-udp-ge-more",
        "TCP-CL's gain over Reno is larger at the highest P_B than at the lowest.",
        gains_more_where_frequent,
        own=True,
        because="The sentence compares TCP-CL with other senders, not frequent with rare losses.",
    ),
    Claim(
        "cheng-udp-ge-ahead-strict",
        "TCP-CL delivers more than each other scheme at any error rate.",
        Asked(ahead_everywhere, LOSS, "tcp-cl", OTHERS),
        own=True,
        because="The curves are lost; the slides' conclusion, that TCP-CL enhances TCP, refers to all "
        "settings together.",
    ),
    Claim(
        "cheng-udp-ge-falls",
        "TCP's goodput falls with the frame error rate, with every scheme.",
        Asked(falls_all_along, LOSS, (*OTHERS, "tcp-cl")),
        own=True,
        because="The curves are lost; any such figure shows that losses cost goodput.",
    ),
    Claim(
        "cheng-udp-ge-grows",
        "TCP-CL's gain over Reno grows with every step of the error rate.",
        Asked(falls_behind_all_along, LOSS, "reno", "tcp-cl"),
        own=True,
        because=(
            "The curves are lost; the sentence about frequent losses does not state how the gain depends on "
            "the error rate."
        ),
    ),
)

EXPERIMENT = Experiment(
    id="cheng2008/fig-udp-ge",
    title="Goodput over four hops beside UDP, against the frame error rate",
    source=f'{PAPER}, "Variation of TCP goodput with FER"',
    scenario="cheng2008-udp",
    settings={"flow.udp.app.rate": "1 Mbit/s", "wlan.field.errors": ERRORS},
    curves=CURVES,
    baseline="reno",
    axis=LOSS,
    metric=WITHOUT_ERRORS.metric,
    also=(UDP, *ALSO),
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("tcp-cl", 0.5, duration_s=5.0, opening_s=1.0),
    questions=(*BELOW_TCP, STRIKES, UDP_PLACE, TCP_W),
)
