"""Table "TCP goodput comparison": TCP-CL and Reno over a chain of one to eight hops without channel errors.

Printed: the chain, the ranges and the numbers. Silent: the rate, the packet size, the timers, and above all
the routing protocol. On-demand routing (AODV) is what the
comparison rests on: a frame that the MAC gives up is a link failure to it, its queue is flushed and the route
sought again, and TCP-CL's NAK keeps exactly that from happening. With static routes nothing of it exists;
those two curves stand beside, without printed numbers, to show what routing does.
"""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.cheng2008 import SCHEMES, gain
from airhop.experiments.cheng2008.chains import HOPS, SILENT, chain_claims, experiment
from airhop.experiments.cheng2008.readings import ON_DEMAND, ON_DEMAND_ROUTING, ROUTES, STATIC, below_tcp
from airhop.experiments.claims import within
from airhop.experiments.experiment import Claim, ClaimResult, Curve
from airhop.experiments.samples import Samples

PRINTED = printed.columns(
    HOPS.full,
    reno=(13.97, 7.12, 3.54, 2.21, 1.99, 1.82, 1.37, 1.33),
    tcp_cl=(13.95, 7.13, 4.09, 2.99, 2.61, 2.34, 2.18, 2.09),
)
COMPARED = ("reno", "tcp-cl")


def static(scheme: str) -> str:
    """Name the curve of a scheme over static routes."""
    return f"{scheme}, static routes"


CURVES = tuple(Curve(name, SCHEMES[name], name) for name in COMPARED) + tuple(
    Curve(static(name), f"{SCHEMES[name]}, static", name, {ROUTES: STATIC}) for name in COMPARED
)


def headline(samples: Samples) -> str:
    """Say what TCP-CL gains at eight hops, with either routing."""
    last = samples.xs[-1]
    return (
        f"Over {HOPS.text(last)} TCP-CL delivers {gain(samples, last)} against Reno with on-demand routing, "
        f"{gain(samples, last, static('tcp-cl'), static('reno'))} with static routes; printed is +57 %."
    )


def routing_decides(samples: Samples) -> ClaimResult:
    """Judge whether Reno's column is nearer to the printed one with on-demand than with static routes."""
    on_demand = printed.mean_error(printed.means(samples, PRINTED, ("reno",)))
    of_static = {(static("reno"), hops): PRINTED["reno", hops] for hops in samples.xs}
    fixed = printed.mean_error(printed.means(samples, of_static, (static("reno"),)))
    half = on_demand[1] + fixed[1]
    less = fixed[0] - on_demand[0]
    told = ", ".join(
        f"{100 * error:.1f} % with {routes}"
        for (error, _), routes in ((on_demand, "on-demand routing"), (fixed, "static routes"))
    )
    return ClaimResult(within(less - half, less + half, 0.0, float("inf")), f"mean error of Reno: {told}")


CLAIMS: tuple[Claim[Samples], ...] = (
    *chain_claims("t2", PRINTED, 1.4, reno=SILENT),
    Claim(
        "cheng-t2-routing",
        "Routing decides the shape: Reno's printed column is that of on-demand routing, not static routes.",
        routing_decides,
        own=True,
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
    panels=(COMPARED, tuple(map(static, COMPARED))),
)
