"""Yun's Figure 9 with today's senders: goodput of all connections against their number, 1 % frame errors."""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import LAST, Asked
from airhop.experiments.experiment import Claim, Experiment, Metric
from airhop.experiments.samples import Samples
from airhop.experiments.today import AS_GOOD, CURVES, PANELS, REPLICATIONS, SETTINGS, SOURCE
from airhop.experiments.today.duels import has_more
from airhop.experiments.yun2009 import fig9

CONNECTIONS = replace(fig9.CONNECTIONS, full=(1, 2, 4, 10), ticks=(1, 2, 4, 10))
GOODPUT = Metric(
    "goodput_mbps", "Total goodput", "Mbit/s", ticks=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0), printed=False
)
JAIN = Metric(
    "jain",
    "Jain's fairness index",
    "",
    ticks=(0.8, 0.85, 0.9, 0.95, 1.0),
    digits=3,
    most=1.0,
    printed=False,
)


def headline(samples: Samples) -> str:
    """Return a sentence on CUBIC's ratio to LL-ELSN with one connection and with the most."""
    ratios = [
        f"{100 * samples.ratio('cubic', 'll-elsn', x).value:.0f} %" for x in (samples.xs[0], samples.xs[-1])
    ]
    return (
        f"CUBIC delivers {ratios[0]} of the goodput of LL-ELSN with one connection and {ratios[1]} with "
        f"{samples.xs[-1]:g}."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "flows-enough",
        "With ten connections wireless losses no longer matter: CUBIC is as good as LL-ELSN.",
        Asked(has_more, CONNECTIONS, ("cubic",), "ll-elsn", AS_GOOD, LAST),
    ),
    Claim(
        "flows-bbr",
        "BBR is as good as LL-ELSN with every number of connections.",
        Asked(has_more, CONNECTIONS, ("bbr",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "flows-arq",
        "CUBIC over link ARQ is as good as LL-ELSN with one attempt, with every number of connections.",
        Asked(has_more, CONNECTIONS, ("cubic-arq",), "ll-elsn", AS_GOOD),
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/flows",
    title="Today's senders against the number of connections",
    source=f"{SOURCE}, Figure 9",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=CURVES,
    baseline="cubic",
    axis=CONNECTIONS,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    panels=PANELS,
)
