"""Table "TCP goodput comparison (two hops)": connections over two hops in random networks."""

from __future__ import annotations

from airhop.experiments import printed
from airhop.experiments.cheng2008.random_networks import CONNECTIONS_AXIS, by_length

PRINTED = printed.columns(
    CONNECTIONS_AXIS.full,
    reno=(4.05, 3.21, 2.68, 2.34, 2.25, 2.11, 1.90, 1.86),
    tcp_cc=(4.15, 3.30, 2.77, 2.39, 2.29, 2.18, 2.04, 1.91),
    tcp_w=(4.05, 3.28, 2.79, 2.37, 2.26, 2.15, 1.94, 1.92),
    tcp_cl=(4.55, 3.71, 3.16, 2.90, 2.65, 2.53, 2.23, 2.20),
)

EXPERIMENT = by_length(5, "two hops", 2, (0.0, 2.0, 4.0, 6.0), PRINTED)
