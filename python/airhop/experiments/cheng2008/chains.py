"""Common parts of the tables of chains: one connection over one to eight hops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from airhop.experiments.asked import Asked, Span
from airhop.experiments.cheng2008 import (
    ALSO,
    CURVES,
    GOODPUT,
    GUESSES,
    PAPER,
    REPLICATIONS,
    SCHEMES,
    UNIT,
    Check,
    gain,
    number_claims,
    rows,
    source,
)
from airhop.experiments.cheng2008.readings import BELOW_TCP, ROUTES, STATIC
from airhop.experiments.claims import above, each_above, each_below, each_within, growth
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Experiment, PlottedAxis, TimelineChoice
from airhop.experiments.printed import Printed, column_gains_met, mean_error_met
from airhop.experiments.reading import Question
from airhop.experiments.samples import Samples
from airhop.numerals import interval

MOST_HOPS = 8
HOPS = PlottedAxis(
    key="hops",
    name="hops",
    paths=("wlan.field.layout.nodes", "flow.ftp.to"),
    label="Hops",
    full=tuple(range(1, MOST_HOPS + 1)),
    coarse=(1, 3, 8),
    counts="hop",
    ticks=tuple(range(1, MOST_HOPS + 1)),
    takes={hops: (hops + 1, f"n{hops}") for hops in range(1, MOST_HOPS + 1)},
)
SILENT = (
    "Over long chains, collisions with hidden stations exceed the MAC's retry limit, and AODV treats each "
    "such drop as a broken link. AODV drops the packets that wait for the route and sends a RERR; the "
    "source repeats its RREQ with binary exponential back-off, and TCP's RTO of at least one second adds "
    "to the silence. The duration of this silence depends on the constants of AODV and TCP, which the "
    "slides do not contain."
)
"""Reason of the difference from the printed numbers over many hops. The MAC of these schemes sends no NAK."""

UNREPEATED = (
    "In Airhop, errors also hit RREQs, which are broadcast and therefore not retransmitted by the MAC. The "
    "slides state neither the types of frames with errors nor the number of RREQ retries."
)
"""Reason why Airhop's goodput is below the printed numbers if the channel loses frames."""
EQUAL = 0.02
"""Maximum difference of columns that count as equal, rounded up from 1.34 % at one hop in table 3."""


def static_curve(scheme: str) -> str:
    """Return the name of the curve of a scheme over static routes."""
    return f"{scheme}, static routes"


def over_static_routes(schemes: Sequence[str]) -> tuple[Curve, ...]:
    """Return the curves of schemes over static routes, without packets of a routing protocol."""
    return tuple(
        Curve(static_curve(name), f"{SCHEMES[name]}, static", name, {ROUTES: STATIC}) for name in schemes
    )


def gain_grows(samples: Samples, scheme: str = "tcp-cl", other: str = "reno") -> ClaimResult:
    """Check whether the gain of TCP-CL over Reno is larger at eight hops than at three."""
    first, last = samples.from_x(3)[0], samples.xs[-1]
    found = growth(samples, scheme, other, first, last)
    steps = ", ".join(f"{gain(samples, x, scheme, other)} at {HOPS.text(x)}" for x in samples.from_x(3))
    return ClaimResult(
        above(found, 1.0), f"{interval(found)} × from {HOPS.text(first)} to {HOPS.text(last)}: {steps}"
    )


def chain_claims(table: int, numbers: Printed, **reasons: str) -> tuple[Claim[Samples], ...]:
    """Return the common claims of the tables of chains.

    `reasons` are reasons of failures, by the last part of a claim's id.
    """

    def claim(end: str, text: str, check: Check, *hops: int) -> Claim[Samples]:
        return Claim(
            f"cheng-t{table}-{end}", text, check, quote=rows(numbers, hops), reason=reasons.get(end, "")
        )

    return (
        claim(
            "short",
            "Over one and two hops TCP-CL and Reno have equal goodput, within 2 %.",
            Asked(each_within, HOPS, ("tcp-cl",), "reno", Span(1, 2), EQUAL),
            1,
            2,
        ),
        claim(
            "long",
            "From three hops on TCP-CL delivers more than Reno.",
            Asked(each_above, HOPS, ("tcp-cl",), "reno", Span(3)),
            *range(3, MOST_HOPS + 1),
        ),
        claim(
            "grows",
            "TCP-CL's gain over Reno is larger at eight hops than at three.",
            gain_grows,
            3,
            8,
        ),
        claim(
            "last",
            "At eight hops TCP-CL has the gain of the printed numbers over Reno, "
            f"{100 * numbers['tcp-cl', 8] / numbers['reno', 8] - 100:.0f} %, within the tolerance.",
            Asked(column_gains_met, HOPS, source(table), numbers, "tcp-cl", "reno", Span(MOST_HOPS)),
            8,
        ),
        *number_claims(table, HOPS, numbers, Span(3), **reasons),
        Claim(
            f"cheng-t{table}-column",
            "Airhop reproduces Reno's column as a whole: its mean error is below the mean tolerance of its "
            "numbers.",
            Asked(mean_error_met, HOPS, source(table), numbers, ("reno",), UNIT),
            own=True,
            because="The slides print single numbers; the mean error of a column says more about a model.",
            reason=reasons.get("column", ""),
        ),
    )


def lossy_claims(table: int, numbers: Printed) -> tuple[Claim[Samples], ...]:
    """Return the claims of the tables with errors, and reasons of failures for Reno and guessed schemes."""
    lost = f"{SILENT} {UNREPEATED}"
    met = "The gain deviates in the rows in which Reno's column deviates."
    reasons = {"reno": lost, "column": lost, "guesses": lost, "ratios": met}
    return (
        *chain_claims(table, numbers, **reasons),
        Claim(
            f"cheng-t{table}-others",
            "From three hops on TCP-CC and TCP-W deliver less than TCP-CL.",
            Asked(each_below, HOPS, GUESSES, "tcp-cl", Span(3)),
            quote=rows(numbers, range(3, MOST_HOPS + 1)),
        ),
    )


def experiment(
    table: int,
    title: str,
    slide: str,
    settings: Mapping[str, object],
    published: Printed,
    claims: Sequence[Claim[Samples]],
    headline: Callable[[Samples], str],
    *,
    curves: Sequence[Curve] = CURVES,
    panels: tuple[tuple[str, ...], ...] = (),
    beside: Experiment | None = None,
    questions: tuple[Question, ...] = BELOW_TCP,
) -> Experiment:
    """Return the experiment of a table; `slide` is the heading of its slide."""
    return Experiment(
        id=f"cheng2008/table{table}",
        title=title,
        source=f'{PAPER}, "{slide}"',
        scenario="cheng2008-chain",
        settings=settings,
        curves=tuple(curves),
        baseline="reno",
        axis=HOPS,
        metric=GOODPUT,
        also=ALSO,
        replications=REPLICATIONS,
        claims=tuple(claims),
        headline=headline,
        timeline=TimelineChoice("tcp-cl", MOST_HOPS, duration_s=5.0, opening_s=1.0),
        beside=beside,
        published=published,
        panels=panels,
        questions=questions,
    )
