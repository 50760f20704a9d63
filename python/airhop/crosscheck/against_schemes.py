"""Checks of packaged BPF objects against the Rust schemes of their names, in pairs of runs with equal channels.

The networks are those of `against_kernel`, so each row can stand beside the goodput of the same object in a
kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from airhop.crosscheck.against_kernel import description, emulated
from airhop.crosscheck.check import Check, Reason
from airhop.crosscheck.quantity import RATIO
from airhop.crosscheck.reference import Point, parameters, points
from airhop.objects import shipped
from airhop.stats import Estimate

WITHIN = 0.05
"""Bound of the ratio of goodputs: objects count whole segments in fixed point, schemes fractions."""

SCHEMES: Mapping[str, str | Mapping[str, Any]] = {
    "bpf_bbr": "bbr",
    "bpf_cubic": {"name": "cubic", "form": "rfc", "slow_start": "hystart++"},
    "bpf_dctcp": "dctcp",
    "bpf_eln": "eln",
    "bpf_eln_cubic": "eln-cubic",
    "bpf_htcp": "htcp",
    "bpf_hybla": "hybla",
    "bpf_illinois": "illinois",
    "bpf_reno": "reno",
    "bpf_tcp_cl": "tcp-cl",
    "bpf_vegas": "vegas",
    "bpf_veno": "veno",
    "bpf_westwood_nr": "westwood-nr",
    "bpf_westwood_pl": "westwood-plus",
    "bpf_westwood_vt": "westwood-vt",
}
"""Rust scheme of the rules and constants of each packaged object."""

NOT_IN_A_KERNEL: tuple[Point, ...] = (
    ("last-hop", "attempts=1;fer=0.01", "bpf_westwood_nr"),
    ("last-hop", "attempts=7;fer=0.01", "bpf_westwood_nr"),
    ("wire", "loss=0.01", "bpf_westwood_nr"),
    ("last-hop", "attempts=1;fer=0.01;services=ll-elsn", "bpf_eln_cubic"),
)
"""Points without runs of a kernel."""

REASONS: Mapping[Point, tuple[Reason, float]] = {}
"""Reason and size of the differences beyond the bound."""


def partner(params: str, scheme: str) -> str | Mapping[str, Any]:
    """Return the Rust scheme of an object at a point; the object of ELN also has the notices of LL-ELSN."""
    services = parameters(params).get("services")
    return services if scheme == "bpf_eln" and services else SCHEMES[scheme]


def compared() -> list[Point]:
    """Return the points of all objects: those of a kernel, without networks that hide an object's notices."""
    measured = [*points("emulated"), *points("chain")]
    return [
        *(point for point in measured if shipped(point[2]) and "services=none" not in point[1]),
        *NOT_IN_A_KERNEL,
    ]


def checks() -> Iterator[Check]:
    """Yield a check for each point."""
    for point in compared():
        link, params, scheme = point
        reason, deviation = REASONS.get(point, (None, 0.0))
        other = emulated(link, params, "reno")
        for flow in other["flow"]:
            flow["scheme"] = partner(params, scheme)
        yield Check(
            id=check_id(point),
            source="schemes",
            scenario=description(link, params, scheme),
            quantity=RATIO,
            document=emulated(link, params, scheme),
            theirs=Estimate(1.0, 0.0, 1),
            bound=WITHIN,
            reps=60,
            is_quick=scheme == "bpf_veno",
            reason=reason,
            deviation=deviation,
            over=other,
        )


def check_id(point: Point) -> str:
    """Return the ID of a check: "scheme", then the link, the parameters and the object."""
    return " ".join(("scheme", *filter(None, point)))
