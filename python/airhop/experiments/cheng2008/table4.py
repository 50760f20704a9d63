"""Table "TCP goodput comparison (with delayed ACK)": the lossy chain with one ACK for two segments.

Printed: two packets, 0.1 s, and the numbers. Inferred: the channel has the errors of the previous table,
because delayed ACKs yield the printed 14.21 Mbit/s over one hop only with these errors, and 15.4 Mbit/s
without errors. With the errors, Airhop reproduces TCP-CL's column, and Reno's up to four hops. No tested
configuration of ns-2 reproduced this table.

Additional curves over static routes show the effect of delayed ACKs on collisions of a flow with itself. Over
static routes, every frame belongs to the connection. The curves are Reno and TCP-CL, with delayed ACKs and
with an ACK for every segment.
"""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.cheng2008 import COLLISIONS, CURVES, SCHEMES, gain
from airhop.experiments.cheng2008.chains import (
    HOPS,
    experiment,
    lossy_claims,
    over_static_routes,
    static_curve,
)
from airhop.experiments.cheng2008.readings import (
    ERRORS,
    ON_DEMAND,
    ON_DEMAND_ROUTING,
    ROUTES,
    STRIKES,
    TCP_W,
    below_tcp,
)
from airhop.experiments.cheng2008.table3 import EXPERIMENT as EVERY_SEGMENT
from airhop.experiments.claims import below, each_above_beside, each_below_beside, every
from airhop.experiments.experiment import Claim, ClaimResult, Curve
from airhop.experiments.samples import Samples
from airhop.numerals import interval

ACKS = "flow.ftp.tcp.delayed_ack"
DELAYED_ACK = {"segments": 2, "timeout": "100 ms"}
PRINTED = printed.columns(
    HOPS.full,
    reno=(14.21, 7.12, 3.34, 1.98, 1.57, 1.38, 0.95, 0.85),
    tcp_cc=(14.27, 7.16, 3.34, 1.93, 1.53, 1.38, 0.97, 0.93),
    tcp_w=(14.25, 7.14, 3.25, 2.19, 1.63, 1.43, 0.95, 0.91),
    tcp_cl=(14.28, 7.16, 4.15, 2.69, 2.31, 2.06, 1.88, 1.79),
)


STATIC = ("reno", "tcp-cl")
"""Schemes that are also run over static routes."""


def every_segment(scheme: str) -> str:
    """Name the curve of a scheme over static routes with an ACK for every segment."""
    return f"{static_curve(scheme)}, an ACK for every segment"


OVER_STATIC_ROUTES = over_static_routes(STATIC)
EVERY_SEGMENT_STATIC = tuple(
    Curve(every_segment(name), f"{curve.label}, every ACK", name, {**curve.settings, ACKS: False})
    for name, curve in zip(STATIC, OVER_STATIC_ROUTES, strict=True)
)


def headline(samples: Samples) -> str:
    """Return a sentence on the effect of delayed ACKs on both schemes at the largest number of hops."""
    last = samples.xs[-1]
    gains = {scheme: samples.ratio_to_beside(scheme, last).value for scheme in ("reno", "tcp-cl")}
    return (
        f"Over {HOPS.text(last)} delayed ACKs multiply Reno's goodput by {gains['reno']:.2f} and TCP-CL's "
        f"by {gains['tcp-cl']:.2f}; TCP-CL delivers {gain(samples, last)} against Reno."
    )


def fewer_self_collisions(samples: Samples) -> ClaimResult:
    """Check whether fewer frames collide for a segment with delayed ACKs, at every number of hops."""
    collisions = samples.also[COLLISIONS.name]
    found = {
        (scheme, x): collisions.ratio(static_curve(scheme), every_segment(scheme), x)
        for scheme in STATIC
        for x in samples.xs
    }
    told = ", ".join(f"{scheme} {interval(ratio)} at {HOPS.text(x)}" for (scheme, x), ratio in found.items())
    return ClaimResult(
        every(below(ratio, 1.0) for ratio in found.values()),
        f"collisions for a segment, with delayed ACKs over without: {told}",
    )


CLAIMS: tuple[Claim[Samples], ...] = (
    *lossy_claims(4, PRINTED),
    Claim(
        "cheng-t4-relief",
        "Delayed ACKs relieve self-contention: over any number of hops TCP-CL delivers more than in table "
        "3, where each segment is acknowledged.",
        Asked(each_above_beside, HOPS, ("tcp-cl",), ALL_X),
        own=True,
        because="Higher goodput suggests fewer collisions, but does not measure them.",
    ),
    Claim(
        "cheng-t4-self-collision",
        "Delayed ACKs alleviate self-collision: over static routes, on which every frame belongs to the "
        "connection, fewer frames of Reno and of TCP-CL collide for each segment sent than with an ACK for "
        "every segment, over any number of hops.",
        fewer_self_collisions,
        quote="The delayed ACK scheme alleviates the TCP self-collision problem in wireless link",
    ),
    Claim(
        "cheng-t4-collisions",
        "With each TCP, over any number of hops, collisions destroy fewer frames of the network for each "
        "segment sent than with an ACK for every segment.",
        Asked(each_below_beside, HOPS, tuple(SCHEMES), ALL_X, of=COLLISIONS),
        own=True,
        because="The slide is about packets of one flow; this claim counts all frames of the network, "
        "including frames of routing and of the MAC.",
    ),
)

EXPERIMENT = experiment(
    4,
    "Goodput over a chain with errors and delayed ACKs",
    "TCP goodput comparison (with delayed ACK)",
    {"wlan.field.errors": ERRORS, ACKS: DELAYED_ACK, ROUTES: ON_DEMAND},
    PRINTED,
    CLAIMS,
    headline,
    curves=(*CURVES, *OVER_STATIC_ROUTES, *EVERY_SEGMENT_STATIC),
    panels=(tuple(SCHEMES), tuple(curve.name for curve in (*OVER_STATIC_ROUTES, *EVERY_SEGMENT_STATIC))),
    beside=EVERY_SEGMENT,
    questions=(*below_tcp(routing=ON_DEMAND_ROUTING), STRIKES, TCP_W),
)
