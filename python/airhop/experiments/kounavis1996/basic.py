"""Result 1: unmodified TCP, fixed to mobile. "During these periods almost no packet is being delivered".

The graph shows that by single packets. Over all runs it is judged by fades that let nothing through: if TCP
delivers as much with them, within 5 %, then fades as the paper has them let almost nothing through.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.claims import above, every, within
from airhop.experiments.experiment import Claim, ClaimResult, Curve
from airhop.experiments.kounavis1996 import SECONDS, experiment, unmodified
from airhop.experiments.kounavis1996.checks import times
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples
from airhop.numerals import interval

BER, DEAD = "radio.air.errors.ber_bad", {"radio.air.errors.ber_bad": 0.5}
CLEAN = {"radio.air.errors.ber_good": 0.0, "radio.air.errors.ber_bad": 0.0}
SETTINGS = {"radio.air.errors.ber_good": 1e-5, "radio.air.errors.ber_bad": 1e-1}
GOOD_TIME = 10 / 14
"""Share of the time that is good in the mean."""
SAME = 0.05


def variant(name: str, label: str, settings: Mapping[str, object], scheme: str = "tahoe") -> Curve:
    """Make a curve of unmodified TCP over another channel, or of another sender."""
    return Curve(name, label, scheme, FIXED.plain | dict(settings))


CURVES = (
    unmodified(FIXED),
    variant("reno", "Reno", {}, "reno"),
    variant("dead", "Nothing gets through in fades", DEAD),
    variant("clean", "No errors", CLEAN),
)


def headline(samples: Samples) -> str:
    """State what fades leave of the goodput."""
    left = samples.ratio("basic", "clean", SECONDS)
    return (
        f"Fades take {100 * (1 - GOOD_TIME):.0f} % of the time and {100 * (1 - left.value):.0f} % of the "
        f"goodput of unmodified TCP; Reno has {times(samples, 'reno', 'basic')} times that of Tahoe."
    )


def nothing_in_fades(samples: Samples) -> ClaimResult:
    """Check whether goodput changes by less than 5 % if no frame passes during a fade."""
    found = samples.ratio("dead", "basic", SECONDS)
    return ClaimResult(
        within(found, 1 - SAME, 1 + SAME),
        f"{interval(found, 3)} × basic when nothing gets through",
    )


def loses_more_than_time(samples: Samples) -> ClaimResult:
    """Check whether Tahoe and Reno lose more goodput to fades than the share of time in fades."""
    found = {curve: samples.ratio("clean", curve, SECONDS) for curve in ("basic", "reno")}
    told = ", ".join(f"{interval(ratio)} × {curve}" for curve, ratio in found.items())
    return ClaimResult(
        every(above(ratio, 1 / GOOD_TIME) for ratio in found.values()),
        f"without errors: {told}; time alone is 1.40 ×",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-fades",
        "In deep fades almost no packet is delivered: goodput changes by less than 5 % if no frame passes "
        "during a fade.",
        nothing_in_fades,
        quote="Deep fades last for an average period of 4 sec and during these periods almost no packet is "
        "being succesfully delivered.",
    ),
    Claim(
        "kou-severe",
        "Congestion control is unnecessarily severe: unmodified TCP, Tahoe or Reno, loses a larger share "
        "of its goodput than the share of time in fades, 4 s of 14 s.",
        loses_more_than_time,
        quote="In all these cases standard TCP invokes congestion control mechanisms, which degrade "
        "throughput. […] Of course such severe behaviour is unnecessary",
    ),
)

EXPERIMENT = experiment(
    "basic",
    "Basic TCP",
    "result 1",
    FIXED,
    CURVES,
    CLAIMS,
    headline,
    shown="basic",
    settings=SETTINGS,
)
