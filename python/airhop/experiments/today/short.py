"""Completion times of short transfers: 30 kB, 300 kB and 3 MB over Yun's last hop at 1 % frame errors.

All senders have the TCP of Linux here, including the schemes from papers. The handshake and the initial
window of ten affect a transfer of 30 kB more than any scheme does.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments.asked import FIRST, Asked, Span
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis, Replications
from airhop.experiments.samples import Samples
from airhop.experiments.today import CLEARLY, LINUX, PANELS, SENDERS, SETTINGS, SOURCE
from airhop.experiments.today.duels import has_less, has_more

SIZES = (30, 300, 3000)
SIZE = PlottedAxis(
    key="size_kb",
    name="size",
    paths=("flow.ftp*.app",),
    label="Transfer size (kB)",
    full=SIZES,
    coarse=SIZES,
    unit="kB",
    log=True,
    takes={size: ({"kind": "transfer", "size": f"{size} kB"},) for size in SIZES},
)
COMPLETION = Metric(
    "completion_s", "Completion time", "s", ticks=(0.0, 10.0, 20.0, 30.0, 40.0), digits=3, printed=False
)
RATE = Metric(
    "0.000008 * delivered_bytes / completion_s",
    "Size over completion time",
    "Mbit/s",
    ticks=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0),
    printed=False,
)
"""Metric of the figure: size divided by completion time, because completion times differ a hundredfold."""


def times(samples: Samples) -> Samples:
    """Select the completion times."""
    return samples.also[COMPLETION.name]


def headline(samples: Samples) -> str:
    """State the times of the smallest and the largest transfer with CUBIC, LL-ELSN and link ARQ."""
    told = []
    for size in (samples.xs[0], samples.xs[-1]):
        took = [
            f"{times(samples).estimate(curve, size).mean:.2f} s ({curve})"
            for curve in ("cubic", "ll-elsn", "cubic-arq")
        ]
        told.append(f"{SIZE.text(size)} take {', '.join(took)}")
    return f"{'; '.join(told)}."


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "short-cubic",
        "For transfers of 300 kB or more, notices beat CUBIC: LL-ELSN takes less than two thirds of CUBIC's "
        "completion time.",
        Asked(has_less, SIZE, ("ll-elsn",), "cubic", 2 / 3, Span(300), of=COMPLETION),
    ),
    Claim(
        "short-bbr",
        "Notices beat BBR: BBR takes more than 1.05 times as long as LL-ELSN for every size.",
        Asked(has_less, SIZE, ("ll-elsn",), "bbr", 1 / CLEARLY, of=COMPLETION),
        reason="Both senders send at the capacity of the wireless link, and wait for a timeout or a probe if "
        "the last segment is lost.",
    ),
    Claim(
        "short-arq",
        "Link ARQ finishes first: LL-ELSN with one attempt takes more than 1.05 times as long as CUBIC over "
        "ARQ, for every size.",
        Asked(has_more, SIZE, ("ll-elsn",), "cubic-arq", CLEARLY, of=COMPLETION),
    ),
    Claim(
        "short-tail",
        "The loss of the last segment dominates the time of 30 kB: every sender without link ARQ takes more "
        "than 1.05 times as long as CUBIC over link ARQ.",
        Asked(has_more, SIZE, PANELS[0], "cubic-arq", CLEARLY, FIRST, of=COMPLETION),
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/short",
    title="Completion times of short transfers",
    source=f"{SOURCE}, Figure 5",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=tuple(replace(sender, preset=LINUX).curve() for sender in SENDERS),
    baseline="cubic",
    axis=SIZE,
    metric=RATE,
    replications=Replications(quick=10, full=40),
    claims=CLAIMS,
    headline=headline,
    also=(COMPLETION,),
    panels=PANELS,
)
