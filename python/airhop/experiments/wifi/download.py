"""The download of a lone station with independent MPDU losses, for each standard and queue."""

from __future__ import annotations

from functools import partial

from airhop.experiments.asked import Span
from airhop.experiments.experiment import Experiment, TimelineChoice
from airhop.experiments.wifi import (
    CAUSES,
    CHANNEL,
    DURATION,
    FEW,
    GROUP,
    LOSS,
    QUEUES,
    REPLICATIONS,
    SENDERS,
    SOURCE,
    STANDARDS,
    TRACED_S,
    goodput,
    headline,
)
from airhop.experiments.wifi.claims import hidden, of_notices

ANY = Span(least=1e-9)
"""Loss rates above zero."""
EVERYWHERE = "at every loss rate"


def download(standard: str, queue: str) -> Experiment:
    """Return the experiment of a standard with a queue at the access point."""
    name, axis, settings = standard, LOSS, {**DURATION, "wlan.cell.errors": CHANNEL}
    if queue != "drop-tail":
        name, axis = f"{standard}-{queue}", FEW
        settings["wlan.cell.queue"] = {"kind": queue}
    return Experiment(
        id=f"{GROUP}/{name}",
        title=f"A download over 802.11{standard}, {QUEUES[queue]} at the access point",
        source=SOURCE,
        scenario=f"wifi-{standard}",
        settings=settings,
        curves=SENDERS,
        baseline="cubic",
        axis=axis,
        metric=goodput("goodput_mbps", "Goodput", standard),
        replications=REPLICATIONS,
        claims=(
            hidden(name, ANY, EVERYWHERE),
            *of_notices(name, LOSS, ANY, EVERYWHERE, EVERYWHERE),
        ),
        headline=partial(headline, axis),
        also=CAUSES,
        timeline=TimelineChoice("cubic", 0.1, duration_s=TRACED_S, opening_s=0.05),
    )


EXPERIMENTS = tuple(download(standard, queue) for queue in QUEUES for standard in STANDARDS)
