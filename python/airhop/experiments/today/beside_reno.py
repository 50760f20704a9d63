"""A Reno connection beside ten connections of each of today's senders."""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.experiment import Claim
from airhop.experiments.samples import Samples
from airhop.experiments.today.beside import (
    KINDS,
    LOSSY,
    RELIABLE,
    claims_of_today,
    experiment,
    friendly,
)

(RENO,) = (kind for kind in KINDS if kind.name == "reno")
BBR, BBR3, COPA = claims_of_today(RENO)

CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "beside-reno-told",
        "LL-ELSN is friendly to Reno if most losses are wireless: a Reno connection beside ten LL-ELSN "
        "connections has 90 % of its goodput beside ten Reno connections.",
        Asked(friendly, "reno", ("ll-elsn",), LOSSY),
        reason="Reno connections alone leave the queue empty, and their losses are wireless. Beside "
        "LL-ELSN, which keeps the queue full, Reno's round trip is longer, and Reno has queue losses in "
        "addition to wireless losses.",
    ),
    BBR,
    Claim(
        "beside-reno-cubic",
        "CUBIC is friendly to Reno over link ARQ, where CUBIC's windows are Reno's.",
        Asked(friendly, "reno", ("cubic",), RELIABLE),
        reason="A loss reduces CUBIC's window by less than Reno's (RFC 9438), and CUBIC's base has fewer "
        "timeouts.",
    ),
    BBR3,
    COPA,
)

EXPERIMENT = experiment(RENO, CLAIMS)
