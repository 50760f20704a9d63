"""Small and large buffers: goodput with queues of 10, 50 and 500 packets on the path, 1 % frame errors.

`airhop/today/delay` measures the queueing delay of these buffers.
"""

from __future__ import annotations

from airhop.experiments.asked import FIRST, Asked
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis
from airhop.experiments.samples import Samples
from airhop.experiments.today import AS_GOOD, CURVES, PANELS, REPLICATIONS, SETTINGS, SOURCE
from airhop.experiments.today.duels import has_more
from airhop.experiments.today.fer import GOODPUT

BUFFER = PlottedAxis(
    key="packets",
    name="buffer",
    paths=("wired.all.queue.packets", "wlan.cell.queue.packets"),
    label="Queue capacity (packets)",
    full=(10, 50, 500),
    coarse=(10, 50, 500),
    counts="packet",
    log=True,
)
DROPPED = Metric(
    "drops_queue", "Packets that found a queue full", "", ticks=(0.0, 1000.0, 2000.0), digits=0, printed=False
)


def headline(samples: Samples) -> str:
    """State the goodput with the smallest buffer as a share of the goodput with the usual buffer."""
    told = ", ".join(
        f"{name} {100 * samples_ratio(samples, name):.0f} %" for name in ("ll-elsn", "bbr", "cubic-arq")
    )
    return f"Goodput with a buffer of 10 packets, relative to 50 packets: {told}."


def samples_ratio(samples: Samples, name: str) -> float:
    """Return a curve's goodput with the smallest buffer over its goodput with 50 packets."""
    return samples.estimate(name, 10).mean / samples.estimate(name, 50).mean


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "buffers-bbr",
        "With every buffer BBR has at least 95 % of the goodput of LL-ELSN.",
        Asked(has_more, BUFFER, ("bbr",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "buffers-arq",
        "With every buffer, CUBIC over link ARQ has at least 95 % of the goodput of LL-ELSN with one "
        "attempt.",
        Asked(has_more, BUFFER, ("cubic-arq",), "ll-elsn", AS_GOOD),
    ),
    Claim(
        "buffers-small",
        "Over link ARQ with buffers of 10 packets, BBR delivers more than CUBIC.",
        Asked(has_more, BUFFER, ("bbr-arq",), "cubic-arq", 1.0, FIRST),
        reason="BBR keeps up to twice the BDP in flight with any buffer, and loses the excess over the "
        "buffer. Behind each gap every segment is acknowledged at once, and these ACKs take airtime "
        "from data.",
    ),
)

EXPERIMENT = Experiment(
    id="airhop/today/buffers",
    title="Today's senders with small and large buffers",
    source=f"{SOURCE}, Figure 5",
    scenario="yun2009-downlink",
    settings=SETTINGS,
    curves=CURVES,
    baseline="cubic",
    axis=BUFFER,
    metric=GOODPUT,
    replications=REPLICATIONS,
    claims=CLAIMS,
    headline=headline,
    also=(DROPPED,),
    panels=PANELS,
)
