"""The download of a lone station with independent MPDU losses, for each standard and queue."""

from __future__ import annotations

from airhop.experiments.asked import Span
from airhop.experiments.experiment import Experiment
from airhop.experiments.wifi import (
    CHANNEL,
    FEW,
    LOSS,
    QUEUES,
    REPLICATIONS,
    STANDARDS,
    lone_download,
)
from airhop.experiments.wifi.claims import hidden, of_notices

ANY = Span(least=1e-9)
"""Loss rates above zero."""
EVERYWHERE = "at every loss rate"


def download(standard: str, queue: str) -> Experiment:
    """Return the experiment of a standard with a queue at the access point."""
    name, axis = standard, LOSS
    settings: dict[str, object] = {"wlan.cell.errors": CHANNEL}
    if queue != "drop-tail":
        name, axis = f"{standard}-{queue}", FEW
        settings["wlan.cell.queue"] = {"kind": queue}
    claims = (hidden(name, ANY, EVERYWHERE), *of_notices(name, LOSS, ANY, EVERYWHERE, EVERYWHERE))
    title = f", {QUEUES[queue]} at the access point"
    return lone_download(name, standard, title, axis, 0.1, claims, settings, REPLICATIONS)


EXPERIMENTS = tuple(download(standard, queue) for queue in QUEUES for standard in STANDARDS)
