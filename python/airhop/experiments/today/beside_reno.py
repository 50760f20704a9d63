"""One Reno connection beside ten of today's senders."""

from __future__ import annotations

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
        "LL-ELSN is friendly to Reno where losses are the air's: it leaves it nine tenths of what ten of "
        "Reno leave.",
        lambda s: friendly(s, "reno", ("ll-elsn",), LOSSY),
        reason="Ten of Reno leave the queue empty: nearly all of their losses are the air's, and they spend "
        "much of their time in timeouts. Ten of LL-ELSN keep it full. Reno's round trip is twice as long "
        "then, and it loses to the queue as well as to the air: 11 % of its segments go again, not 7 %.",
    ),
    BBR,
    Claim(
        "beside-reno-cubic",
        "CUBIC is friendly to Reno over link ARQ, where windows are those of Reno.",
        lambda s: friendly(s, "reno", ("cubic",), RELIABLE),
        reason="A loss leaves it seven tenths of its window and Reno half, and it hardly ever waits for a "
        "timeout: ten connections 7 times in a minute, where ten of Reno do 215 times.",
    ),
    BBR3,
    COPA,
)

EXPERIMENT = experiment(RENO, CLAIMS)
