"""Checks against ns-3: a lossy wire, the last hop of Yun 2009, chains of stations and a saturated cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from airhop.crosscheck.check import Check, Reason
from airhop.crosscheck.quantity import GOODPUT, SATURATION
from airhop.crosscheck.reference import Point, parameters, points
from airhop.crosscheck.words import count, percent
from airhop.crosscheck.worlds import RFC_EVERY_ACK, Tcp, chain, last_hop, saturated_cell, wire
from airhop.stats import Estimate

VERSIONS = Reason(
    "difference between versions of ns-3",
    "On the last hop with one attempt, the goodput of ns-3.44 is 7 to 23 % less than that of ns-3.37 for each"
    " sender that was measured with both versions (at the lowest error rate Veno 1.73 against 2.25 Mbit/s,"
    " Vegas 2.40 against 2.80). Airhop is within 12 % of ns-3.37, except Westwood+ at FER 5 %. CUBIC was"
    " measured with ns-3.44 only, since CUBIC of ns-3.37 is broken. The cause of the difference between the"
    " two versions is unknown.",
    "against-ns3.md#last-hop-differences-between-two-versions-of-ns-3",
)


@dataclass(frozen=True)
class Equivalent:
    """Equivalent in Airhop of a scheme in ns-3: description, scheme and TCP parameters."""

    words: str
    scheme: str | Mapping[str, Any]
    tcp: Tcp = field(default_factory=lambda: RFC_EVERY_ACK)
    off: Mapping[str, float] = field(default_factory=dict)
    """Differences with the cause `reason`, by version of ns-3 and loss rate or FER."""
    reason: Reason | None = None
    off_last_hop: Mapping[str, float] = field(default_factory=dict)
    """Differences on the last hop with one attempt, with the cause `reason_last_hop`, by version and FER."""
    reason_last_hop: Reason = VERSIONS


HALF_OF_THE_PIPE = Reason(
    "half of the pipe",
    "After a loss ns-3's NewReno sets ssthresh to half of the pipe (segments neither delivered nor lost)."
    " RFC 6582 sets ssthresh to half of the flight size.",
    "against-ns3.md#newreno-ns-3-halves-the-pipe",
)
FOUR_FIFTHS_OF_THE_PIPE = Reason(
    "four fifths of the pipe",
    "After a loss ns-3's Veno sets ssthresh to four fifths of the pipe (segments neither delivered nor lost)."
    " Linux and the paper set ssthresh to four fifths of the window. Moreover, rate halving in Airhop detects"
    " a lost retransmission, whereas ns-3 waits for the RTO: at 3 % loss this adds another 10 %.",
    "against-ns3.md#veno-ns-3-keeps-four-fifths-of-the-pipe",
)
NOT_A_QUARTER = Reason(
    "one segment instead of a quarter",
    "After a loss ns-3's Vegas reduces the window by one segment, or by the growth of the window since the"
    " last loss. The paper's Vegas reduces the window by a quarter.",
    "against-ns3.md#vegas-ns-3-reduces-the-window-by-one-segment",
)
COUNTED_TWICE = Reason(
    "segments counted twice",
    "At the end of a recovery ns-3's Westwood+ counts the segments behind duplicate ACKs a second time: the"
    " bandwidth estimate is up to twice the delivery rate.",
    "against-ns3.md#westwood-ns-3-counts-segments-twice",
)
GROWS_BY_ALL = Reason(
    "growth by all segments of a recovery",
    "In ns-3's LinuxReno the ACK that ends a recovery increases the window for all segments that the ACK"
    " covers: by about two segments. Additive increase takes two round trips for the same growth.",
    "against-ns3.md#linuxreno-ns-3-counts-all-segments-of-a-recovery",
)
NS3: Tcp = {**RFC_EVERY_ACK, "loss_detection": "rfc6675", "prr": True}
"""Loss recovery of every congestion control in ns-3: SACK as in RFC 6675, with PRR."""
FROM_PIPE: Tcp = {**NS3, "halve_from": "pipe"}

EQUIVALENTS: Mapping[str, tuple[Equivalent, ...]] = {
    "newreno": (
        Equivalent(
            "NewReno as in ns-3",
            "newreno",
            FROM_PIPE,
        ),
        Equivalent(
            "NewReno of RFC 6582",
            "newreno",
            off={"3.37 0.01": 0.13, "3.37 0.03": 0.16},
            reason=HALF_OF_THE_PIPE,
        ),
    ),
    "linuxreno": (
        Equivalent(
            "SACK, half of cwnd",
            "sack",
            {**NS3, "halve_from": "cwnd"},
            off={"3.44 0.01": -0.22, "3.37 0.01": -0.16, "3.37 0.03": -0.23},
            reason=GROWS_BY_ALL,
            off_last_hop={"3.44 0.05": -0.36, "3.44 0.01": -0.17, "3.37 0.05": -0.30},
            reason_last_hop=GROWS_BY_ALL,
        ),
    ),
    "cubic": (Equivalent("CUBIC", "cubic", NS3, off_last_hop={"3.44 0.05": 0.18, "3.44 1e-05": 0.19}),),
    "bbr": (Equivalent("BBR", "bbr"),),
    "vegas": (
        Equivalent(
            "Vegas as in ns-3",
            {"name": "vegas", "alpha": 2, "beta": 4, "form": "ns3"},
            NS3,
            off_last_hop={"3.44 1e-05": 0.18},
        ),
        Equivalent(
            "Vegas of the paper",
            "vegas",
            off={
                "3.44 0.01": -0.36,
                "3.37 0.001": -0.14,
                "3.37 0.003": -0.36,
                "3.37 0.01": -0.34,
                "3.37 0.03": -0.28,
            },
            reason=NOT_A_QUARTER,
        ),
    ),
    "veno": (
        Equivalent(
            "Veno as in ns-3",
            "veno",
            FROM_PIPE,
            off_last_hop={"3.44 0.01": 0.13, "3.44 1e-05": 0.37},
        ),
        Equivalent(
            "Veno of Linux",
            "veno",
            off={"3.44 0.01": 0.18, "3.37 0.003": 0.15, "3.37 0.01": 0.29, "3.37 0.03": 0.63},
            reason=FOUR_FIFTHS_OF_THE_PIPE,
        ),
    ),
    "westwood+": (
        Equivalent(
            "Westwood+ as in ns-3",
            {"name": "westwood-plus", "filter": "ns3"},
            NS3,
            off_last_hop={"3.44 0.05": 0.21, "3.37 0.05": 0.13},
        ),
        Equivalent(
            "Westwood+ of Linux",
            "westwood-plus",
            off={"3.44 0.01": -0.33, "3.37 0.01": -0.33, "3.37 0.03": -0.53},
            reason=COUNTED_TWICE,
        ),
    ),
}
"""Equivalents by name in ns3.csv: first with ns-3's own rules, then with the rules of the paper or of Linux.
"""

LEFT_OUT: Mapping[str, str] = {
    "3.48": "The results of ns-3.48 on the lossy wire (scenario D), which equal those of ns-3.44 to the last"
    " digit.",
}
"""Reasons of the measurements that are not compared, by version of ns-3."""

WITHIN, LAST_HOP_WITHIN, CHAIN_WITHIN, SATURATION_WITHIN = 0.12, 0.12, 0.15, {1: 0.005, 10: 0.05}
"""Bounds of the differences: on the wire, on the last hop, over chains, and in a saturated cell by number of
stations. After a collision, stations of ns-3 wait for a DIFS. Stations of Airhop wait for an EIFS, as the
standard requires.
"""


def checks() -> Iterator[Check]:
    """Yield the checks of ns3.csv: the last hop (A), chains (B), saturation (C) and a lossy wire (D)."""
    by_scenario = {"A": _last_hop, "B": _chain, "C": _saturation, "D": _wire}
    for point, theirs in points("ns3").items():
        scenario, _, _, version = point
        if _release(version) not in LEFT_OUT:
            yield from by_scenario[scenario](point, theirs)


def _wire(point: Point, theirs: Estimate) -> Iterator[Check]:
    """Yield a check of each equivalent of a sender on a wire of 10 Mbit/s, 30 ms each way, 50 packets."""
    _, scheme, words, version = point
    given, release = parameters(words), _release(version)
    loss = given["loss"]
    for form in EQUIVALENTS[scheme]:
        deviation = form.off.get(f"{release} {loss}")
        yield Check(
            id=f"ns-3 wire {release} {scheme} {loss}, {form.words}",
            source="ns-3",
            scenario=f"wire, {scheme} of ns-{release}, loss {percent(loss)}: {form.words}",
            quantity=GOODPUT,
            document=wire(form.scheme, form.tcp, loss=float(loss), seconds=int(given["T"])),
            theirs=theirs,
            bound=WITHIN,
            reps=20,
            is_quick=loss == "0.01" and release == "3.44",
            reason=None if deviation is None else form.reason,
            deviation=deviation or 0.0,
        )


def _last_hop(point: Point, theirs: Estimate) -> Iterator[Check]:
    """Yield a check on Yun 2009's downlink with errors of data frames, 11 Mbit/s, and ns-3's sender rules."""
    _, scheme, words, version = point
    given, release = parameters(words), _release(version)
    form, attempts, fer = EQUIVALENTS[scheme][0], int(given["retry"]), given["fer"]
    deviation = form.off_last_hop.get(f"{release} {fer}") if attempts == 1 else None
    yield Check(
        id=f"ns-3 last hop {release} {scheme} {fer} {attempts}",
        source="ns-3",
        scenario=f"last hop, {scheme} of ns-{release}, FER {percent(fer)}, {count(attempts, 'attempt')}: "
        f"{form.words}",
        quantity=GOODPUT,
        document=last_hop(
            form.scheme,
            form.tcp,
            # errors in one direction only, as in ns-3
            errors={"kind": "bernoulli", "fer": float(fer), "direction": "bs->d"},
            seconds=int(given["T"]),
            attempts=attempts,
            control_mbps=11,
            delay_ms=int(given["d"]),
            cell={"queue": {"kind": "drop-tail", "packets": 49}},
        ),
        theirs=theirs,
        bound=LAST_HOP_WITHIN,
        reps=10,
        is_quick=fer == "0.01" and release == "3.44",
        reason=None if deviation is None else form.reason_last_hop,
        deviation=deviation or 0.0,
    )


def _chain(point: Point, theirs: Estimate) -> Iterator[Check]:
    """Yield a check over a chain: static routes, 54 Mbit/s, link ACKs at 24 Mbit/s, NewReno with SACK."""
    given = parameters(point[2])
    hops, segment = int(given["hops"]), int(given["mss"])
    yield Check(
        id=f"ns-3 chain {hops} {segment}",
        source="ns-3",
        scenario=f"chain, {count(hops, 'hop')}, {segment} B, static routes",
        quantity=GOODPUT,
        document=chain(
            "sack",
            FROM_PIPE,
            hops=hops,
            seconds=int(given["T"]),
            segment=segment,
            field={
                "rate": "54 Mbit/s",
                "control_rate": "24 Mbit/s",
                "phy": {"cw_min": 31},
                # 49, because the 50 packets of ns-3 include the packet in service
                "queue": {"kind": "drop-tail", "packets": 49},
            },
        ),
        theirs=theirs,
        bound=CHAIN_WITHIN,
        reps=10,
        is_quick=segment == 1460,
    )


def _saturation(point: Point, theirs: Estimate) -> Iterator[Check]:
    """Yield a check in a saturated cell with basic access: each station always has data for the AP."""
    given = parameters(point[2])
    stations, attempts = int(given["nsta"]), int(given["retry"])
    yield Check(
        id=f"ns-3 saturation {stations}",
        source="ns-3",
        scenario=f"saturated cell, {count(stations, 'station')}",
        quantity=SATURATION,
        document=saturated_cell(stations, access="basic", attempts=attempts, seconds=20),
        theirs=theirs,
        bound=SATURATION_WITHIN[stations],
        reps=10,
        is_quick=True,
    )


def _release(version: str) -> str:
    return version.partition("-")[0]
