"""One CUBIC connection, as Linux has it, beside ten of today's senders."""

from __future__ import annotations

from airhop.experiments.experiment import Claim
from airhop.experiments.samples import Samples
from airhop.experiments.today.beside import (
    BBR3_DRIVES_THE_QUEUE,
    COPA_OVERFILLS_THE_QUEUE,
    KINDS,
    LOSSY,
    RELIABLE,
    aggressive,
    experiment,
    friendly,
)

(CUBIC,) = (kind for kind in KINDS if kind.name == "cubic")

CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "beside-cubic-told",
        "LL-ELSN is aggressive against CUBIC where losses are the air's.",
        lambda s: aggressive(s, "cubic", ("ll-elsn",), LOSSY),
    ),
    Claim(
        "beside-cubic-bbr",
        "BBR is aggressive against CUBIC, over link ARQ and without.",
        lambda s: aggressive(s, "cubic", ("bbr",), LOSSY, RELIABLE),
    ),
    Claim(
        "beside-cubic-told-reliable",
        "Over link ARQ LL-ELSN is friendly to CUBIC: it has no losses of the air to be told of.",
        lambda s: friendly(s, "cubic", ("ll-elsn",), RELIABLE),
    ),
    Claim(
        "beside-cubic-bbr3",
        "BBRv3 is friendly to CUBIC, over link ARQ and without.",
        lambda s: friendly(s, "cubic", ("bbr3",), LOSSY, RELIABLE),
        reason=BBR3_DRIVES_THE_QUEUE,
    ),
    Claim(
        "beside-cubic-copa",
        "Copa is friendly to CUBIC, over link ARQ and without.",
        lambda s: friendly(s, "cubic", ("copa",), LOSSY, RELIABLE),
        reason=COPA_OVERFILLS_THE_QUEUE,
    ),
)

EXPERIMENT = experiment(CUBIC, CLAIMS)
