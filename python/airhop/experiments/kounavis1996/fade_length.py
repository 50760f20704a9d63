"""Effect of the mean fade length on the benefit of notices, the subject of one sentence of the paper.

"When the average fade duration is high, performance degrades further, while EBSN works well when fades occur
for a relatively short period of time". The goodput of all senders falls as fades take a larger share of the
time. Goodput is therefore compared with that of a sender without timeouts. "Works well" means more than 90 %
of the goodput of this sender. "Short" means up to 1 s. Good periods have a mean of 10 s throughout.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial

from airhop.experiments.asked import Asked, Span, worded
from airhop.experiments.claims import above, each_above, falls_all_along, falls_from, growth, keeps_most
from airhop.experiments.experiment import Claim, ClaimResult, Experiment, PlottedAxis
from airhop.experiments.kounavis1996 import EBSN, LOCAL, PATIENT, RTTN, experiment, unmodified
from airhop.experiments.kounavis1996.networks import FIXED, Network
from airhop.experiments.samples import Samples
from airhop.numerals import interval

WELL = 0.9
SHORT_S = 1


def fade_axis(network: Network) -> PlottedAxis:
    """Return the axis of the mean fade length; all radio links have the same mean."""
    lengths = (0.25, 0.5, 1, 2, 4, 8, 16)
    return PlottedAxis(
        key="bad_s",
        name="mean fade",
        paths=network.each("errors.bad"),
        label="Mean fade length (s)",
        full=lengths,
        coarse=(1, 4, 16),
        unit="s",
        log=True,
    )


def headline(axis: PlottedAxis, samples: Samples) -> str:
    """Return a sentence on the fade lengths at which EBSN and RTTN exceed local recovery alone."""
    last = samples.xs[-1]
    gains = {curve: samples.ratio(curve, "local", last).value for curve in ("ebsn", "rttn")}
    return (
        f"EBSN delivers more than local recovery alone {_ahead(axis, samples, 'ebsn')}, RTTN "
        f"(reconstruction) {_ahead(axis, samples, 'rttn')}; with fades of {axis.text(last)} their goodputs "
        f"are {gains['ebsn']:.2f} and {gains['rttn']:.2f} times as high."
    )


def _ahead(axis: PlottedAxis, samples: Samples, curve: str) -> str:
    found = [x for x in samples.xs if above(samples.ratio(curve, "local", x), 1.0)]
    if len(found) == len(samples.xs):
        return "at every length of fades"
    return f"with mean fades of {', '.join(axis.text(x) for x in found)}" if found else "nowhere"


WELL_FOR_SHORT = "EBSN works well when fades occur for a relatively short period of time"
DEGRADES = "when the average fade duration is high, performance degrades further"
ELSEWHERE = "The paper makes this statement about its mobile-to-mobile network."
DEPENDS = (
    "Simulation tests of local recovery indicate that the efficiency of this approach depends on whether "
    "fades occur for a relatively long or short period of time."
)


@worded(
    "the ratio of {measure} with {scheme} to that with {other} differs between the smallest and the largest "
    "{noun}{from_x:bounds}"
)
def efficiency_depends(
    samples: Samples, axis: PlottedAxis, scheme: str, other: str, from_x: float
) -> ClaimResult:
    """Check whether the ratio of two schemes differs between the first x from `from_x` on and the last."""
    first, last = samples.from_x(from_x)[0], samples.xs[-1]
    found = growth(samples, scheme, other, first, last)
    shares = [interval(samples.ratio(scheme, other, x)) for x in (first, last)]
    return ClaimResult(
        True if found.excludes(1.0) else None,
        f"{shares[0]} of {other} at {axis.text(first)}, {shares[1]} at {axis.text(last)}",
    )


def claims(
    end: str, axis: PlottedAxis, own: Collection[str], reasons: Mapping[str, str]
) -> tuple[Claim[Samples], ...]:
    """Return the claims with `end` appended to their ids.

    Ids in `own` and in the keys of `reasons` lack this suffix.
    """
    made: tuple[Claim[Samples], ...] = (
        Claim(
            "kou-4-short",
            "EBSN works well for short fades: up to 1 s it delivers more than 90 % of the goodput of a "
            "sender without timeouts.",
            Asked(each_above, axis, ("ebsn",), "patient", Span(most=SHORT_S), WELL),
            quote=WELL_FOR_SHORT,
        ),
        Claim(
            "kou-4-long",
            "EBSN delivers less with long fades: with the longest fades it delivers less than with fades of "
            "1 s.",
            Asked(falls_from, axis, ("ebsn",), SHORT_S),
            quote=DEGRADES,
        ),
        Claim(
            "kou-4-steps",
            "The longer the fades, the less EBSN delivers, at every step of the axis.",
            Asked(falls_all_along, axis, ("ebsn",)),
            own=True,
            because="The paper's sentence is about long fades; it mentions no steps between short fades.",
        ),
        Claim(
            "kou-4-further",
            "EBSN loses more than the time in fades: from 1 s to 16 s it loses a larger share of its "
            "goodput than a sender without timeouts.",
            Asked(keeps_most, axis, "patient", ("ebsn",), SHORT_S),
            quote=DEGRADES,
        ),
        Claim(
            "kou-4-local",
            "The efficiency of local recovery alone also depends on the length of fades: its share of the "
            "goodput of a sender without timeouts differs between fades of 1 s and the longest fades.",
            Asked(efficiency_depends, axis, "local", "patient", SHORT_S),
            quote=DEPENDS,
        ),
    )
    return tuple(
        replace(
            claim,
            id=f"{claim.id}{end}",
            quote="" if claim.id in own else claim.quote,
            own=claim.own or claim.id in own,
            because=ELSEWHERE if claim.id in own else claim.because,
            reason=reasons.get(claim.id, ""),
        )
        for claim in made
    )


def over_fades(
    id_: str,
    network: Network,
    end: str = "",
    *,
    own: Collection[str],
    reasons: Mapping[str, str] | None = None,
) -> Experiment:
    """Return the experiment on a network.

    Claims in `own` are Airhop's own: the paper has no such statement for this network.
    """
    axis = fade_axis(network)
    return experiment(
        id_,
        "Goodput against the length of fades",
        "§3",
        network,
        (unmodified(network), LOCAL, EBSN, RTTN, PATIENT),
        claims(end, axis, own, reasons or {}),
        partial(headline, axis),
        axis=axis,
        at=4,
    )


EXPERIMENT = over_fades(
    "fade-length",
    FIXED,
    own=("kou-4-short", "kou-4-long", "kou-4-further"),
    reasons={
        "kou-4-further": "From a fixed host to a mobile, every failed attempt restarts the timer before it "
        "expires, for any length of the fade, so EBSN has the goodput of a sender without timeouts. "
        "The paper describes the mobile-to-mobile network "
        "(`kounavis1996/fade-length-m2m`)."
    },
)
