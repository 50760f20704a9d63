"""Result 4: unmodified TCP from one mobile to another. "Performance of TCP is unacceptable!".

Packets pass only while both links are good, half of the time. "Unacceptable" means less than half of the
goodput of the same sender from a fixed host to a mobile. The last link has the same fades.
"""

from __future__ import annotations

from airhop.experiments.asked import Asked
from airhop.experiments.claims import each_below_beside
from airhop.experiments.experiment import Claim, Curve
from airhop.experiments.kounavis1996 import LENGTH, SECONDS, experiment, unmodified
from airhop.experiments.kounavis1996.basic import EXPERIMENT as FIXED_TO_MOBILE
from airhop.experiments.kounavis1996.networks import MOBILE
from airhop.experiments.samples import Samples

UNACCEPTABLE = 0.5


def headline(samples: Samples) -> str:
    """Return a sentence on the share of the goodput that remains with a second air interface."""
    left = samples.ratio_to_beside("basic", SECONDS).value
    goodput = samples.estimate("basic", SECONDS).mean
    return (
        f"With a second air interface unmodified TCP delivers {goodput:.2f} kbit/s, {left:.2f} of its "
        "goodput from a fixed host to a mobile."
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-m2m-basic",
        "From mobile to mobile, unmodified TCP performs unacceptably: its goodput is less than half of its "
        "goodput from a fixed host to a mobile.",
        Asked(each_below_beside, LENGTH, ("basic",), (SECONDS,), UNACCEPTABLE),
        quote="Performance of TCP is unacceptable !",
    ),
)

EXPERIMENT = experiment(
    "basic-m2m",
    "Basic TCP",
    "result 4",
    MOBILE,
    (unmodified(MOBILE), Curve("reno", "Reno", "reno", MOBILE.plain)),
    CLAIMS,
    headline,
    shown="basic",
    beside=FIXED_TO_MOBILE,
)
