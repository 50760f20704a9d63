"""Table "TCP goodput comparison (with delayed ACK)": the lossy chain with one ACK for two segments.

Printed: two packets, 0.1 s, and the numbers. Inferred: the errors of the previous table apply, since delayed
ACKs yield the printed 14.21 Mbit/s over one hop only with these errors (15.4 without). With them Airhop
reproduces TCP-CL's column, and Reno's up to four hops; no tested configuration of ns-2 reproduced this table.
"""

from __future__ import annotations

from dataclasses import replace

from airhop.experiments import printed
from airhop.experiments.asked import ALL_X, Asked
from airhop.experiments.cheng2008 import COLLISIONS, SCHEMES, gain
from airhop.experiments.cheng2008.chains import HOPS, experiment, lossy_claims
from airhop.experiments.cheng2008.readings import ERRORS, ROUTING, STATIC_ROUTES, STRIKES, TCP_W, below_tcp
from airhop.experiments.cheng2008.table3 import EXPERIMENT as EVERY_SEGMENT
from airhop.experiments.claims import each_above_beside, each_below_beside
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.samples import Samples

DELAYED_ACK = {"segments": 2, "timeout": "100 ms"}
PRINTED = printed.columns(
    HOPS.full,
    reno=(14.21, 7.12, 3.34, 1.98, 1.57, 1.38, 0.95, 0.85),
    tcp_cc=(14.27, 7.16, 3.34, 1.93, 1.53, 1.38, 0.97, 0.93),
    tcp_w=(14.25, 7.14, 3.25, 2.19, 1.63, 1.43, 0.95, 0.91),
    tcp_cl=(14.28, 7.16, 4.15, 2.69, 2.31, 2.06, 1.88, 1.79),
)


def headline(samples: Samples) -> str:
    """State the effect of delayed ACKs on both schemes at the largest number of hops."""
    last = samples.xs[-1]
    gains = {scheme: samples.ratio_to_beside(scheme, last).value for scheme in ("reno", "tcp-cl")}
    return (
        f"Over {HOPS.text(last)} delayed ACKs give Reno {gains['reno']:.2f} times and TCP-CL "
        f"{gains['tcp-cl']:.2f} times their goodput; TCP-CL delivers {gain(samples, last)} against Reno."
    )


def own_collisions(_: Samples) -> ClaimResult:
    """Check whether fewer frames of a flow collide; undecided, as frames of routing count, too."""
    return ClaimResult(None, "not measured: collided frames of routing are counted, too", needs=APART)


APART = "a count of the collided frames of a flow alone, without those of routing"
"""Missing information about self-collisions of a flow."""
FEWER_COLLISIONS = Asked(each_below_beside, HOPS, tuple(SCHEMES), ALL_X, of=COLLISIONS)
OVER_STATIC_ROUTES = replace(
    STATIC_ROUTES,
    text="Routes are known from the beginning, and no link breaks: every frame is of the connection, and "
    "collisions for a segment sent are those of the flow with itself.",
    checks={"cheng-t4-self-collision": FEWER_COLLISIONS},
)
ROUTES_OF_FLOWS = replace(
    ROUTING,
    others=tuple(OVER_STATIC_ROUTES if one is STATIC_ROUTES else one for one in ROUTING.others),
)
CLAIMS: tuple[Claim[Samples], ...] = (
    *lossy_claims(4, PRINTED),
    Claim(
        "cheng-t4-relief",
        "Delayed ACKs relieve self-contention: over any number of hops TCP-CL delivers more than in table "
        "3, where each segment is acknowledged.",
        Asked(each_above_beside, HOPS, ("tcp-cl",), ALL_X),
        own=True,
        because="Higher goodput is a sign of relief, but does not measure collisions.",
    ),
    Claim(
        "cheng-t4-self-collision",
        "Delayed ACKs alleviate self-collision: packets of a flow collide less with each other.",
        own_collisions,
        quote="The delayed ACK scheme alleviates the TCP self-collision problem in wireless link",
    ),
    Claim(
        "cheng-t4-collisions",
        "With each TCP, over any number of hops, collisions destroy fewer frames of the network for each "
        "segment sent than with an ACK for every segment.",
        FEWER_COLLISIONS,
        own=True,
        because="The slide speaks of packets of one flow; these frames are those of the network, of routing "
        "and of the MAC among them.",
    ),
)

EXPERIMENT = experiment(
    4,
    "Goodput over a chain with errors and delayed ACKs",
    "TCP goodput comparison (with delayed ACK)",
    {"wlan.field.errors": ERRORS, "flow.ftp.tcp.delayed_ack": DELAYED_ACK},
    PRINTED,
    CLAIMS,
    headline,
    beside=EVERY_SEGMENT,
    questions=(*below_tcp(routing=ROUTES_OF_FLOWS), STRIKES, TCP_W),
)
