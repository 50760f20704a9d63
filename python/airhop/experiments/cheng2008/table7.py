"""Table "TCP goodput comparison (path of all lengths)": connections of any length in random networks."""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.cheng2008.random_networks import CONNECTIONS_AXIS, experiment, goodput
from airhop.experiments.cheng2008.table2 import PRINTED as CHAIN
from airhop.experiments.claims import above
from airhop.experiments.experiment import Claim, ClaimResult
from airhop.experiments.samples import Samples
from airhop.numerals import half_width_text

PRINTED = printed.columns(
    CONNECTIONS_AXIS.full,
    reno=(11.58, 9.76, 8.75, 7.24, 6.53, 6.50, 6.13, 5.96),
    tcp_cc=(11.93, 10.63, 8.87, 8.29, 7.17, 7.14, 6.27, 6.12),
    tcp_w=(11.82, 10.66, 8.82, 8.40, 7.27, 7.16, 6.57, 6.26),
    tcp_cl=(14.82, 12.56, 10.91, 9.34, 8.90, 8.39, 7.58, 7.37),
)
ONE_HOP = CHAIN["tcp-cl", 1]
"""Printed goodput in Mbit/s of one connection of TCP-CL over one hop."""


def reuses_space(samples: Samples) -> ClaimResult:
    """Check whether two connections of TCP-CL deliver more in total than the printed goodput over one hop."""
    found = samples.estimate("tcp-cl", 2)
    return ClaimResult(
        above(found, ONE_HOP), f"{found.mean:.2f} {half_width_text(found)} Mbit/s, {ONE_HOP} over one hop"
    )


EXPERIMENT = experiment(
    7,
    "path of all lengths",
    goodput((0.0, 3.0, 6.0, 9.0, 12.0, 15.0)),
    PRINTED,
    more=(
        Claim(
            "cheng-t7-reuse",
            "Space is reused: two connections of TCP-CL together deliver more than the printed "
            f"{ONE_HOP} Mbit/s of one connection over a single hop.",
            reuses_space,
            own=True,
            because="Spatial reuse lets two connections deliver more than one hop can carry; the slides do "
            "not mention it.",
        ),
    ),
)
