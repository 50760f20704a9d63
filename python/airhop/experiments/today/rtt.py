"""Yun's Figure 7 with today's senders: goodput against the round-trip time, 1 % frame errors."""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import Asked, Span
from airhop.experiments.claims import along
from airhop.experiments.experiment import Claim, Experiment
from airhop.experiments.samples import Samples
from airhop.experiments.today import (
    AS_GOOD,
    CLEARLY,
    CURVES,
    PANELS,
    REPLICATIONS,
    SETTINGS,
    SOURCE,
)
from airhop.experiments.today.duels import has_more
from airhop.experiments.today.fer import GOODPUT, TIMEOUTS
from airhop.experiments.yun2009 import fig7

D_OFF = replace(fig7.D_OFF, full=(2, 10, 30, 60), coarse=(30,), limits=(0, 62), ticks=(2, 10, 30, 60))
"""Delays of each of three links, in both directions. Round trips are 12 to 360 ms. Yun's figure ends at a
delay of 30 ms.
"""


def headline(samples: Samples) -> str:
    """Return a sentence on the share of goodput that remains at the longest round trip."""
    first, last = samples.xs[0], samples.xs[-1]
    parts = [
        f"{name} {100 * along(samples, name, first, last).value:.0f} %"
        for name in ("ll-elsn", "bbr", "cubic")
    ]
    return f"Goodput kept from {D_OFF.text(first)} to {D_OFF.text(last)} per link: {', '.join(parts)}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "rtt-bbr",
        "Notices beat BBR on long round trips: LL-ELSN delivers more than 1.05 times as much, from "
        "30 ms per link up.",
        Asked(has_more, D_OFF, ("ll-elsn",), "bbr", CLEARLY, Span(30)),
        reason="ACKs of new data open LL-ELSN's window. With losses in every round trip each such ACK "
        "covers many segments, so the window hardly grows after a reduction on a long round trip.",
    ),
    Claim(
        "rtt-eln-cubic",
        "CUBIC with notices beats BBR on long round trips: ELN-CUBIC delivers more than 1.05 times "
        "as much, from 30 ms per link up.",
        Asked(has_more, D_OFF, ("eln-cubic",), "bbr", CLEARLY, Span(30)),
        reason="BBR's window follows the delivery rate for any losses, so BBR keeps the path full without "
        "notices; a loss without a notice reduces ELN-CUBIC's window.",
    ),
    Claim(
        "rtt-bbr-as-good",
        "BBR is as good as LL-ELSN at every round-trip time.",
        Asked(has_more, D_OFF, ("bbr",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "rtt-arq",
        "CUBIC over link ARQ is as good as LL-ELSN with one attempt at every round-trip time.",
        Asked(has_more, D_OFF, ("cubic-arq",), "ll-elsn", AS_GOOD),
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/rtt",
    title="Today's senders against round-trip time, one connection",
    source=f"{SOURCE}, Figure 7",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=CURVES,
    baseline="cubic",
    axis=D_OFF,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    also=(TIMEOUTS,),
    panels=PANELS,
)
