"""Table "TCP goodput comparison (three hops)": connections over three hops in random networks."""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.cheng2008.random_networks import CONNECTIONS_AXIS, by_length

PRINTED = printed.columns(
    CONNECTIONS_AXIS.full,
    reno=(2.89, 2.41, 2.09, 1.93, 1.82, 1.68, 1.61, 1.51),
    tcp_cc=(2.93, 2.54, 2.12, 1.96, 1.85, 1.74, 1.66, 1.60),
    tcp_w=(3.04, 2.40, 2.14, 2.01, 1.83, 1.77, 1.72, 1.64),
    tcp_cl=(3.28, 2.72, 2.45, 2.18, 2.04, 1.96, 1.90, 1.85),
)

EXPERIMENT = by_length(6, "three hops", 3, (0.0, 1.0, 2.0, 3.0, 4.0), PRINTED)
