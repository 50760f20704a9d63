"""A connection with Linux's CUBIC beside ten connections of each of today's senders."""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.experiment import Claim
from airhop.experiments.samples import Samples
from airhop.experiments.today.beside import (
    KINDS,
    LOSSY,
    RELIABLE,
    aggressive,
    claims_of_today,
    experiment,
    friendly,
)

(CUBIC,) = (kind for kind in KINDS if kind.name == "cubic")
BBR, BBR3, COPA = claims_of_today(CUBIC)

CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "beside-cubic-told",
        "LL-ELSN is aggressive against CUBIC if most losses are wireless.",
        Asked(aggressive, "cubic", ("ll-elsn",), LOSSY),
    ),
    BBR,
    Claim(
        "beside-cubic-told-reliable",
        "Over link ARQ LL-ELSN is friendly to CUBIC: there are no wireless losses for notices.",
        Asked(friendly, "cubic", ("ll-elsn",), RELIABLE),
    ),
    BBR3,
    COPA,
)

EXPERIMENT = experiment(CUBIC, CLAIMS)
