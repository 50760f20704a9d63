"""A CUBIC connection, as Linux has it, beside ten of today's senders."""

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
        "LL-ELSN is aggressive against CUBIC where losses are the air's.",
        Asked(aggressive, "cubic", ("ll-elsn",), LOSSY),
    ),
    BBR,
    Claim(
        "beside-cubic-told-reliable",
        "Over link ARQ LL-ELSN is friendly to CUBIC: it has no losses of the air to be told of.",
        Asked(friendly, "cubic", ("ll-elsn",), RELIABLE),
    ),
    BBR3,
    COPA,
)

EXPERIMENT = experiment(CUBIC, CLAIMS)
