"""A download over 802.11ac with discarded packets: few attempts, or a short lifetime.

If an MPDU is finally lost, the link layer discards its packet. A BlockAckReq then moves the recipient's
window past the MPDU. TCP therefore detects the loss, and a notice can prevent a reduction of the window.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.asked import LAST, Asked, Span
from airhop.experiments.experiment import Claim, Experiment, PlottedAxis, Replications
from airhop.experiments.samples import Samples
from airhop.experiments.today.duels import has_more
from airhop.experiments.wifi import (
    AS_GOOD,
    CHANNEL,
    LOSS,
    MORE,
    REPLICATIONS,
    lone_download,
)
from airhop.experiments.wifi.claims import of_notices
from airhop.experiments.wifi.download import ANY, EVERYWHERE

ATTEMPTS = PlottedAxis(
    key="attempts",
    name="attempts",
    paths=("wlan.cell.attempts",),
    label="Attempts",
    full=(1, 2, 3, 4, 7),
    coarse=(2,),
    limits=(1, 7),
    ticks=(1, 2, 3, 4, 7),
)
LIFETIME = PlottedAxis(
    key="lifetime_ms",
    name="lifetime",
    paths=("wlan.cell.lifetime",),
    label="MPDU lifetime (ms)",
    full=(2, 5, 10, 20, 50),
    coarse=(5,),
    unit="ms",
    log=True,
    limits=(1.6, 60),
    ticks=(2, 5, 10, 20, 50),
)
FEW_ATTEMPTS, SHORT = Span(most=3), Span(most=10)
TENTH, HALF = 0.1, 0.5
"""MPDU loss rates in the experiments with varied attempts and with varied lifetimes."""


def download(
    name: str,
    axis: PlottedAxis,
    settings: Mapping[str, object],
    title: str,
    claims: tuple[Claim[Samples], ...],
    replications: Replications = MORE,
) -> Experiment:
    """Return an experiment whose link layer discards packets."""
    shown = axis.coarse[0]
    return lone_download(name, "ac", f", {title}", axis, shown, claims, settings, replications)


def enough(name: str, axis: PlottedAxis, where: str) -> Claim[Samples]:
    """Return the claim that notices have no gain at the last value of an axis."""
    return Claim(
        f"{name}-enough",
        f"CUBIC is as good as LL-ELSN {where}: it delivers more than 0.95 times as much.",
        Asked(has_more, axis, ("cubic",), "ll-elsn", AS_GOOD, LAST),
    )


EXPERIMENTS = (
    download(
        "ac-once",
        LOSS,
        {"wlan.cell.errors": CHANNEL, "wlan.cell.attempts": 1},
        "each MPDU sent once",
        of_notices("ac-once", LOSS, ANY, EVERYWHERE, EVERYWHERE, reason=""),
        REPLICATIONS,
    ),
    download(
        "ac-attempts",
        ATTEMPTS,
        {"wlan.cell.errors": {"kind": "bernoulli", "loss": TENTH}},
        "few attempts per MPDU at 10 % loss",
        (
            *of_notices(
                "ac-attempts",
                ATTEMPTS,
                FEW_ATTEMPTS,
                "with one to three attempts",
                "with every number of attempts",
                reason="",
            ),
            enough("ac-attempts", ATTEMPTS, "with seven attempts"),
        ),
    ),
    download(
        "ac-lifetime",
        LIFETIME,
        {"wlan.cell.errors": {"kind": "bernoulli", "loss": HALF}},
        "short lifetimes of MPDUs at 50 % loss",
        (
            *of_notices(
                "ac-lifetime",
                LIFETIME,
                SHORT,
                "with lifetimes up to 10 ms",
                "with every lifetime",
                reason="",
            ),
            enough("ac-lifetime", LIFETIME, "with a lifetime of 50 ms"),
        ),
    ),
)
