"""A download to one of five stations; of the other stations two download and two upload, with CUBIC.

The sender of the download varies. There are three cases of MPDU losses: no loss, independent losses at all
stations, and losses by SNR at the download's station only. In the last case the station is so far away that
half of its MPDUs are lost. This slows all stations down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from airhop.experiments.asked import Asked
from airhop.experiments.experiment import Claim, Experiment, Metric, PlottedAxis
from airhop.experiments.samples import Samples
from airhop.experiments.today.duels import has_less, has_more
from airhop.experiments.wifi import (
    AS_GOOD,
    CAUSES,
    CHANNEL,
    CLEARLY,
    DURATION,
    GROUP,
    MORE,
    QUEUES,
    SENDERS,
    SOURCE,
    STANDARDS,
    goodput,
    headline,
)
from airhop.experiments.wifi.claims import hidden, of_notices
from airhop.experiments.wifi.snr import BY_SNR, PLACES

CELLS: Mapping[str, Mapping[str, object]] = {
    "n": {"wlan.cell.standard": "802.11n", "wlan.cell.width": "20 MHz", "wlan.cell.rate.mcs": 7},
    "ac": {},
    "ax": {
        "wlan.cell.standard": "802.11ax",
        "wlan.cell.rate.mcs": 11,
        "wlan.cell.aggregation.frames": 256,
    },
}
"""Changes of the packaged scenario by standard. The cells equal those of the packaged scenarios with a lone
station.
"""
CLEAN, TENTH, EDGE = "no loss", "10 % loss", "edge"
"""Values of the axis. At the edge, the download's station loses half of its MPDUs by low SNR."""
LOSSY = (TENTH, EDGE)
CONTENDS = (
    "Among five stations the losses that TCP detects are mostly drops of a queue, about which no notice is"
    " sent. Block Ack repairs nearly all losses of the air; the goodput depends on the wait for the channel."
)
SUBJECTS = tuple(
    replace(curve, scheme=None, settings={"flow.download.scheme": curve.name}) for curve in SENDERS
)
"""Senders of the download; all other connections use CUBIC."""

OTHERS = "class.others"
OTHER_GOODPUT = Metric(
    f"{OTHERS}.goodput_mbps",
    "Goodput of the other four",
    "Mbit/s",
    ticks=(0.0, 150.0, 300.0),
    digits=1,
    printed=False,
)


def _ms(name: str, label: str) -> Metric:
    return Metric(name, label, "ms", ticks=(0.0, 100.0, 200.0, 300.0), digits=0, printed=False)


MEDIAN = _ms("flow.download.delay_p50_ms", "One-way delay, median")
TAIL = _ms("flow.download.delay_p95_ms", "One-way delay, 95th percentile")
OTHER_TAIL = _ms(f"{OTHERS}.delay_p95_ms", "One-way delay of the other four, 95th percentile")
_INDEX = Metric(
    "jain", "Jain's index of goodputs", "", ticks=(0.0, 0.5, 1.0), digits=2, most=1.0, printed=False
)
FAIRNESS = _INDEX
AIRTIME = replace(_INDEX, name="airtime_jain", label="Jain's index of airtimes")
MEASURES = (OTHER_GOODPUT, MEDIAN, TAIL, OTHER_TAIL, FAIRNESS, AIRTIME)


def conditions(standard: str) -> PlottedAxis:
    """Return the axis of loss conditions: each sets the error model and the station's position."""
    near, edge = ([PLACES[standard][place], 0.0] for place in (0, 2))
    tenth = {"kind": "bernoulli", "loss": 0.1}
    return PlottedAxis(
        key="condition",
        name="condition",
        paths=("wlan.cell.errors", "wlan.cell.stations.sta"),
        label="Condition",
        full=(CLEAN, TENTH, EDGE),
        coarse=(TENTH,),
        words={EDGE: "station at the edge (50 % loss)"},
        takes={CLEAN: (CHANNEL, near), TENTH: (tenth, near), EDGE: (BY_SNR, edge)},
    )


def _claims_of_others(name: str, axis: PlottedAxis) -> tuple[Claim[Samples], ...]:
    """Return the claims about the goodput of the other four stations, and about the delay of the download."""
    told = ("ll-elsn", "eln-cubic")
    return (
        Claim(
            f"{name}-others",
            "Notices cost the others nothing: beside LL-ELSN and beside ELN-CUBIC the other four deliver "
            "more than 0.95 times as much as beside CUBIC, with and without losses.",
            Asked(has_more, axis, told, "cubic", AS_GOOD, of=OTHER_GOODPUT),
        ),
        Claim(
            f"{name}-delay",
            "Notices cost no delay: the 95th percentile of the delay with LL-ELSN and with ELN-CUBIC is less "
            "than 1.05 times CUBIC's, with and without losses.",
            Asked(has_less, axis, told, "cubic", CLEARLY, of=TAIL),
        ),
    )


def among_five(standard: str, queue: str) -> Experiment:
    """Return the experiment of a standard and a queue."""
    name = f"{standard}-five" + ("" if queue == "drop-tail" else f"-{queue}")
    axis, where = (
        conditions(standard),
        "with 10 % loss at all stations and with 50 % loss at the download's station",
    )
    queues = {} if queue == "drop-tail" else {"wlan.cell.queue": {"kind": queue}}
    return Experiment(
        id=f"{GROUP}/{name}",
        title=f"A download among five stations of 802.11{standard}, {QUEUES[queue]} at the stations",
        source=SOURCE,
        scenario="wifi-five",
        settings={**DURATION, **CELLS[standard], **queues},
        curves=SUBJECTS,
        baseline="cubic",
        axis=axis,
        metric=goodput("flow.download.goodput_mbps", "Goodput of the download", standard),
        replications=MORE,
        claims=(
            hidden(name, LOSSY, where),
            *of_notices(name, axis, LOSSY, where, "with and without losses", CONTENDS),
            *_claims_of_others(name, axis),
        ),
        headline=partial(headline, axis),
        also=(*MEASURES, *CAUSES),
    )


EXPERIMENTS = tuple(among_five(standard, queue) for queue in QUEUES for standard in STANDARDS)
