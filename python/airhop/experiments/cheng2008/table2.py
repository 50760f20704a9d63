"""Table "TCP goodput comparison": TCP-CL and Reno over a chain of one to eight hops without channel errors.

Printed: the chain, the ranges and the numbers. Missing: the rate, the packet size, the timers, and above all
the routing protocol. The results depend on on-demand routing (AODV). If the MAC discards a frame, AODV
assumes a link failure, flushes the queue, and searches for a new route. TCP-CL's NAK prevents this reaction.
Static routes have no link failures. Two additional curves with static routes show the effect of routing.
"""

from __future__ import annotations

import math

from airhop.experiments import printed
from airhop.experiments.cheng2008 import COLLISIONS, NAKS, SCHEMES, UNIT, gain
from airhop.experiments.cheng2008.chains import (
    HOPS,
    SILENT,
    chain_claims,
    experiment,
    over_static_routes,
    static_curve,
)
from airhop.experiments.cheng2008.readings import ON_DEMAND, ON_DEMAND_ROUTING, ROUTES, below_tcp
from airhop.experiments.claims import above, between, every
from airhop.experiments.experiment import Claim, ClaimResult, Curve
from airhop.experiments.samples import Samples
from airhop.numerals import half_width_text

PRINTED = printed.columns(
    HOPS.full,
    reno=(13.97, 7.12, 3.54, 2.21, 1.99, 1.82, 1.37, 1.33),
    tcp_cl=(13.95, 7.13, 4.09, 2.99, 2.61, 2.34, 2.18, 2.09),
)
COMPARED = ("reno", "tcp-cl")


CURVES = (*(Curve(name, SCHEMES[name], name) for name in COMPARED), *over_static_routes(COMPARED))


def headline(samples: Samples) -> str:
    """Return a sentence on TCP-CL's gains over eight hops, with AODV and with static routes."""
    last = samples.xs[-1]
    return (
        f"Over {HOPS.text(last)} TCP-CL delivers {gain(samples, last)} against Reno with on-demand routing, "
        f"{gain(samples, last, static_curve('tcp-cl'), static_curve('reno'))} with static routes; printed is "
        "+57 %."
    )


def error_of(samples: Samples, curve: str) -> tuple[float, float]:
    """Return the mean relative error of a curve against Reno's printed column, and the half-width."""
    found = {}
    for x in samples.xs:
        measured = samples.estimate(curve, x)
        ends = measured.interval()
        low, high = (ends.low, ends.high) if ends else (-math.inf, math.inf)
        found[HOPS.text(x)] = printed.PrintedCheck(PRINTED["reno", x], measured.mean, low, high, 0.0, UNIT)
    return printed.mean_error(found)


def routing_decides(samples: Samples) -> ClaimResult:
    """Check whether Reno's mean error to its printed column is smaller with AODV than with static routes."""
    on_demand, fixed = error_of(samples, "reno"), error_of(samples, static_curve("reno"))
    half = on_demand[1] + fixed[1]
    less = fixed[0] - on_demand[0]
    told = ", ".join(
        f"{100 * error:.1f} % with {routes}"
        for (error, _), routes in ((on_demand, "on-demand routing"), (fixed, "static routes"))
    )
    return ClaimResult(between(less - half, less + half, 0.0, float("inf")), f"mean error of Reno: {told}")


def nacks_without_errors(samples: Samples) -> ClaimResult:
    """Check whether the sender gets no NACK in any run, over any number of hops."""
    naks = {x: samples.also[NAKS.name].estimate("tcp-cl", x) for x in samples.xs}
    told = ", ".join(
        f"{one.mean:.1f} {half_width_text(one, 1)} over {HOPS.text(x)}" for x, one in naks.items()
    )
    return ClaimResult(all(one.mean == 0.0 for one in naks.values()), f"NACKs in 100 s: {told}")


def collides_with_itself(samples: Samples) -> ClaimResult:
    """Check whether frames collide with Reno over static routes, at every number of hops from three up."""
    collisions = samples.also[COLLISIONS.name]
    found = {x: collisions.estimate(static_curve("reno"), x) for x in samples.from_x(3)}
    told = ", ".join(
        f"{one.mean:.0f} {half_width_text(one, 0)} at {HOPS.text(x)}" for x, one in found.items()
    )
    return ClaimResult(
        every(above(one, 0.0) for one in found.values()),
        f"for a thousand segments of Reno over static routes: {told}",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    *chain_claims(2, PRINTED, reno=SILENT),
    Claim(
        "cheng-t2-routing",
        "Routing decides the shape: Reno's printed column is nearer to on-demand routing than to static "
        "routes.",
        routing_decides,
        own=True,
        because="The slides do not name the routing protocol.",
    ),
    Claim(
        "cheng-t2-self-collision",
        (
            "The packets of one flow collide with each other: from three hops up frames collide in a network "
            "of one connection over static routes without channel errors, in which all packets belong to "
            "this connection."
        ),
        collides_with_itself,
        quote="TCP self-collisions in the MAC layer",
    ),
    Claim(
        "cheng-t2-nak",
        (
            "A NACK is triggered only by transmission errors, which are read as errors of the channel, not "
            "as collisions: on an error-free channel TCP-CL's sender gets no NACK in any run, over any "
            "number of hops."
        ),
        nacks_without_errors,
        quote=(
            "The negative ACK (NACK) is triggered only when a frame is dropped as a result of "
            "transmission errors"
        ),
        reason=(
            "The algorithm of the slides triggers a NACK when retransmissions exceed the threshold. "
            "Collisions with hidden stations also cause retransmissions, and the MAC cannot detect the "
            "cause of a missing ACK. The slides do not define transmission errors: if collisions are "
            "transmission errors, NACKs on this channel agree with the sentence."
        ),
    ),
)

EXPERIMENT = experiment(
    2,
    "Goodput over a chain, no channel errors",
    "TCP goodput comparison",
    {ROUTES: ON_DEMAND},
    PRINTED,
    CLAIMS,
    headline,
    curves=CURVES,
    questions=below_tcp(routing=ON_DEMAND_ROUTING),
    panels=(COMPARED, tuple(map(static_curve, COMPARED))),
)
