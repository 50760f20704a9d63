"""A Reno connection beside ten of today's senders."""

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
        "LL-ELSN is friendly to Reno if most losses are wireless: ten LL-ELSN connections leave it 90 % of "
        "its goodput beside ten of Reno.",
        Asked(friendly, "reno", ("ll-elsn",), LOSSY),
        reason="Reno alone leaves the queue empty, and its losses are wireless. Beside LL-ELSN, which "
        "keeps the queue full, Reno's round trip is longer, and it has queue losses as well as "
        "wireless losses.",
    ),
    BBR,
    Claim(
        "beside-reno-cubic",
        "CUBIC is friendly to Reno over link ARQ, where windows are those of Reno.",
        Asked(friendly, "reno", ("cubic",), RELIABLE),
        reason="A loss reduces CUBIC's window by less than Reno's (RFC 9438), and CUBIC's base has fewer "
        "timeouts.",
    ),
    BBR3,
    COPA,
)

EXPERIMENT = experiment(RENO, CLAIMS)
