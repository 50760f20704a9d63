"""Checks of packaged BPF objects against Rust schemes, over paired runs with the same channel errors.

The networks are those of `against_kernel`. Each result is therefore comparable with the goodput of the same
BPF object in a kernel.
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
"""Maximum difference of the goodput ratio from 1. BPF objects compute windows in whole segments, and Rust
schemes in fractions.
"""

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
"""Rust scheme with the rules and constants of each packaged BPF object."""

HANDSHAKE = Reason(
    "the handshake counts",
    "In a simulation, as in a kernel, the object also gets the round trip of the SYN. This round trip is"
    " shorter than the round trip of any data segment. The Rust scheme uses data only. The window after a"
    " loss is the bandwidth estimate times the smallest round trip, and a smaller window lowers the"
    " estimate. Without a handshake (`tcp.handshake = false`) the ratio of Westwood+ is 0.97 on the wire,"
    " 0.99 on the last hop with one attempt and 1.00 with seven, and that of WestwoodNR is 1.00 everywhere."
    " The object's first bandwidth sample, which begins at the SYN, has no lasting effect: after a warm-up"
    " of 100 s the ratio on the wire is 0.83.",
)
PACING = Reason(
    "bursts of the kernel's pacing",
    "A kernel paces bursts of two segments at 1.2 windows per round trip. The Rust scheme spaces single"
    " segments at one window per round trip, as the paper recommends. On the last hop 36 % of the"
    " object's segments follow their predecessor immediately, and none of the scheme's, so more of the"
    " object's frames collide with ACKs. If the Rust scheme also sends at 1.2 windows per round trip and"
    " neither has a handshake, the ratio is 1.00 on the wire and 0.93 on the last hop with one attempt;"
    " the bursts are the remaining difference.",
)
RECOVERY = Reason(
    "recovery without SACK",
    "The kernel repairs the object's losses by SACK and RACK. The Rust scheme has the recovery of its"
    " paper, without SACK: a lost retransmission leads to a timeout. In 30 s Vegas has 0.2 timeouts on"
    " the last hop, ELN up to 3 and TCP-CL 4, and the objects have none. Vegas with the kernel's"
    " recovery has a ratio of 1.01. The sender of ELN also sends no new data before the repair of a"
    " loss: on the uplink with FER 3 % its pauses of more than 40 ms add up to 7 of 30 s, and the pauses of"
    " the object to 0.1 s.",
)
GROWTH = Reason(
    "no growth in recovery",
    "The kernel enters a recovery for each loss that a notice names, and does not increase the window"
    " before its end: with FER 3 %, 190 recoveries in 30 s. LL-ELSN retransmits at the notice, in 2"
    " recoveries in 30 s, and its window grows all the time, to a round trip of 121 ms instead of 76 ms.",
)

_ONCE, _WIRE = ("last-hop", "attempts=1;fer=0.01"), ("wire", "loss=0.01")
REASONS: Mapping[Point, tuple[Reason, float]] = {
    (*_ONCE, "bpf_westwood_pl"): (HANDSHAKE, -0.15),
    (*_WIRE, "bpf_westwood_pl"): (HANDSHAKE, -0.18),
    ("koo", "loss=0.01", "bpf_westwood_nr"): (HANDSHAKE, -0.05),
    ("koo", "loss=0.02", "bpf_westwood_nr"): (HANDSHAKE, -0.09),
    (*_ONCE, "bpf_hybla"): (PACING, -0.15),
    (*_ONCE, "bpf_vegas"): (RECOVERY, 0.09),
    ("down", "fer=0.003;services=eln", "bpf_eln"): (RECOVERY, 0.18),
    ("down", "fer=0.01;services=eln", "bpf_eln"): (RECOVERY, 0.19),
    ("down", "fer=0.03;services=eln", "bpf_eln"): (RECOVERY, 0.15),
    ("up", "fer=0.003;services=eln", "bpf_eln"): (RECOVERY, 0.36),
    ("up", "fer=0.01;services=eln", "bpf_eln"): (RECOVERY, 0.52),
    ("up", "fer=0.03;services=eln", "bpf_eln"): (RECOVERY, 1.13),
    ("chain", "services=nak", "bpf_tcp_cl"): (RECOVERY, 0.13),
    ("down", "fer=0.03;services=ll-elsn", "bpf_eln"): (GROWTH, -0.08),
    ("up", "fer=0.03;services=ll-elsn", "bpf_eln"): (GROWTH, -0.06),
}
"""Known differences beyond the bound, by point, with the reason."""


def partner(params: str, scheme: str) -> str | Mapping[str, Any]:
    """Return the Rust counterpart of a BPF object at a point.

    If the point's parameters name services, the counterpart of bpf_eln is the scheme with these services,
    such as LL-ELSN.
    """
    services = parameters(params).get("services")
    return services if scheme == "bpf_eln" and services else SCHEMES[scheme]


def compared() -> list[Point]:
    """Return the kernel's points of all packaged BPF objects, except ELN without notices."""
    measured = [*points("emulated"), *points("chain")]
    return [point for point in measured if shipped(point[2]) and "services=none" not in point[1]]


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
