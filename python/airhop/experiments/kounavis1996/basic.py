"""Result 1: unmodified TCP, fixed to mobile.

The paper's graph shows single packets. `kounavis1996/in-fades` counts the packets in fades, and this
experiment compares goodput. The few packets in fades do not matter if the goodput changes by less than 5 %
when every frame in a fade is lost.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.claims import above, every, within
from airhop.experiments.experiment import Claim, ClaimResult, Curve
from airhop.experiments.kounavis1996 import SECONDS, experiment, unmodified
from airhop.experiments.kounavis1996.checks import ratio_text
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.samples import Samples
from airhop.numerals import interval

BER, DEAD = "radio.air.errors.ber_bad", {"radio.air.errors.ber_bad": 0.5}
CLEAN = {"radio.air.errors.ber_good": 0.0, "radio.air.errors.ber_bad": 0.0}
SETTINGS = {"radio.air.errors.ber_good": 1e-5, "radio.air.errors.ber_bad": 1e-1}
GOOD_TIME = 10 / 14
"""Mean share of time in the good state."""
SAME = 0.05
GOOD_FRAMES = 0.99
"""Share of frames of 128 bytes without a bit error in good times (1e-5)."""


def variant(name: str, label: str, settings: Mapping[str, object], scheme: str = "tahoe") -> Curve:
    """Return a curve of unmodified TCP over another channel, or of another sender."""
    return Curve(name, label, scheme, FIXED.plain | dict(settings))


CURVES = (
    unmodified(FIXED),
    variant("reno", "Reno", {}, "reno"),
    variant("dead", "Every frame lost in fades", DEAD),
    variant("clean", "No errors", CLEAN),
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput of a path with fades."""
    left = samples.ratio("basic", "clean", SECONDS)
    return (
        f"Fades take {100 * (1 - GOOD_TIME):.0f} % of the time and {100 * (1 - left.value):.0f} % of the "
        f"goodput of unmodified TCP; Reno has {ratio_text(samples, 'reno', 'basic')} times that of Tahoe."
    )


def nothing_in_fades(samples: Samples) -> ClaimResult:
    """Check whether goodput changes by less than 5 % if every frame is lost during a fade."""
    found = samples.ratio("dead", "basic", SECONDS)
    return ClaimResult(
        within(found, 1 - SAME, 1 + SAME),
        f"{interval(found, 3)} × basic when every frame in a fade is lost",
    )


def loses_more_than_time(samples: Samples) -> ClaimResult:
    """Check whether Tahoe and Reno deliver more than 1.41 times as much without any errors as with errors."""
    found = {curve: samples.ratio("clean", curve, SECONDS) for curve in ("basic", "reno")}
    told = ", ".join(f"{interval(ratio)} × {curve}" for curve, ratio in found.items())
    return ClaimResult(
        every(above(ratio, 1 / GOOD_TIME / GOOD_FRAMES) for ratio in found.values()),
        f"without errors: {told}; the time in fades and the frame errors alone explain 1.41 ×",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "kou-fades-goodput",
        "Goodput changes by less than 5 % if no frame passes during a fade.",
        nothing_in_fades,
        own=True,
        because="The paper's sentence is about packets (`kou-fades`); the goodput shows that packets at the "
        "edges of fades make no difference.",
    ),
    Claim(
        "kou-severe",
        "Congestion control is unnecessarily severe: unmodified TCP, Tahoe or Reno, loses a larger share of "
        "its goodput to errors than the share of time in fades, 4 s of 14 s, and of the frames that errors "
        "destroy in good times, 1 %. The paper's other case, handoffs, is not among the runs.",
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
