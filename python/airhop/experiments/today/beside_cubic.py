"""One CUBIC connection, as Linux has it, beside ten of today's senders."""

from __future__ import annotations

from airhop.experiments.experiment import Claim
from airhop.experiments.samples import Samples
from airhop.experiments.today.beside import KINDS, LOSSY, RELIABLE, aggressive, experiment, friendly

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
        reason="It comes down for losses above 2 % of a round trip only, and so drives the queue further: "
        "over ARQ that drops 1800 packets in a minute, beside ten of Reno 840. It leaves several times what "
        "BBR does.",
    ),
    Claim(
        "beside-cubic-copa",
        "Copa is friendly to CUBIC, over link ARQ and without.",
        lambda s: friendly(s, "cubic", ("copa",), LOSSY, RELIABLE),
        reason="Where others fill the queue it competes, and ten of it overfill it: over ARQ 50 places drop "
        "11,000 packets in a minute, and nearly a third of all segments goes again.",
    ),
)

EXPERIMENT = experiment(CUBIC, CLAIMS)
