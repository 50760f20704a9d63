"""Open questions of Koo 2007 (rates, delays, cross traffic, parts of schemes), and possible answers."""

from __future__ import annotations

from airhop.experiments.reading import Question, Reading

SCHEME = "flow.ftp.scheme"
FIGURE_1 = "The simulation environments are depicted in Figure 1(a) and Figure 1(b)."
MSS = "all network nodes retain the queue size of 20 MSS"
ERRORS = "various wireless link errors"
ESTIMATOR = "the available bandwidth estimator of WestwoodNR [4]"
NEXT = (
    "WestwoodVT postpones the decision of cause to the next it receives 3-DUPACK for the more accurate "
    "discriminating."
)
CROSSING = (
    "forward traffic flows from node1 to node2 via router1 and base station, and backward traffic flows from "
    "node3 to node4 via base station and router1, respectively."
)


def delay(wire_less_ms: int = 0) -> Question:
    """Return the question of the path's delay; `wire_less_ms` is the delay of the sender's own link."""

    def wire(ms: int) -> dict[str, object]:
        return {"wired.wire.delay": f"{ms - wire_less_ms} ms"}

    return Question(
        about="the delay",
        default=Reading(
            "delay-45",
            "The wire has a delay of 45 ms, as in Casetti et al. (2001), the paper's [4].",
            ESTIMATOR,
        ),
        others=(
            Reading("delay-30", "The wire has a delay of 30 ms.", settings=wire(30)),
            Reading(
                "fitted",
                "The wire has a delay of 25 ms, and the MSS is 1460 bytes. Both values are fitted to the "
                "printed gains over Reno.",
                settings={**wire(25), "flow.ftp.segment": "1460 B"},
            ),
        ),
    )


AIR_RATE = Question(
    about="the rate of the air",
    default=Reading("air-2", "The wireless link has 2 Mbit/s, as in the paper's [4].", ESTIMATOR),
    others=tuple(
        Reading(f"air-{rate:g}", f"It has {rate:g} Mbit/s.", settings={"wired.air.rate": f"{rate:g} Mbit/s"})
        for rate in (1, 5.5, 11)
    ),
)
SEGMENT = Question(
    about="the segment",
    default=Reading("segment-1000", "The MSS is 1000 bytes, the default of ns-2.", MSS),
    others=(
        Reading(
            "segment-1460",
            "The MSS is 1460 bytes, as on Ethernet.",
            MSS,
            settings={"flow.ftp.segment": "1460 B"},
        ),
    ),
)
WAYS = Question(
    about="the direction of errors",
    default=Reading("data-only", "Errors hit data, not ACKs.", ERRORS),
    others=(
        Reading(
            "both-ways",
            "Errors hit packets in both directions.",
            ERRORS,
            settings={"wired.air.errors": {"kind": "bernoulli", "loss": 0.01}},
        ),
    ),
)


def _westwood(**parameters: object) -> dict[str, dict[str, object]]:
    """Return these parameters for WestwoodNR and for WestwoodVT (based on WestwoodNR)."""
    return {name: {SCHEME: {"name": name, **parameters}} for name in ("westwood-nr", "westwood-vt")}


FILTER = Question(
    about="Westwood's filter",
    default=Reading(
        "tustin",
        "ACK rates pass the filter of Westwood's paper, Koo's [4], with a time constant of 1 s.",
        ESTIMATOR,
    ),
    others=tuple(
        Reading(name, text, ESTIMATOR, curves=_westwood(**parameters))
        for name, text, parameters in (
            ("tau-0.5", "ACK rates pass the same filter with a time constant of 0.5 s.", {"tau": 0.5}),
            (
                "ewma",
                "ACK rates pass an exponential mean: 0.9 × the old estimate + 0.1 × the sample.",
                {"filter": "ewma"},
            ),
            ("bilinear", "ACK rates pass the bilinear filter of UCLA's modules.", {"filter": "bilinear"}),
            (
                "slow-bilinear",
                "ACK rates pass the slower bilinear filter of UCLA's modules.",
                {"filter": "slow-bilinear"},
            ),
        )
    ),
)


POSTPONED = Question(
    about="the event to which the decision is postponed",
    default=Reading(
        "next-loss",
        "An undecided loss stays undecided; the next loss is classified at its own third duplicate ACK.",
        NEXT,
    ),
    others=(
        Reading(
            "same-loss",
            "An undecided loss is classified again after three more duplicate ACKs for it.",
            NEXT,
            curves={"westwood-vt": {SCHEME: {"name": "westwood-vt", "postponed": "duplicates"}}},
        ),
    ),
)


def warnings(*links: str) -> Question:
    """Return the question of New Jersey's congestion warnings; the paper prints no threshold."""
    queue = {"kind": "drop-tail", "packets": 20}
    warning = {"kind": "congestion-warning", "packets": 20, "threshold": 10}
    return Question(
        about="New Jersey's warnings",
        default=Reading(
            "warned-at-5",
            "Routers mark packets if their queue is at least a quarter full, with five packets.",
        ),
        others=(
            Reading(
                "warned-at-10",
                "Routers mark packets if their queue is at least half full.",
                settings={f"wired.{link}.queue": queue for link in links},
                curves={"new-jersey": {f"wired.{link}.queue": warning for link in links}},
            ),
        ),
    )


NEW_JERSEY_RTT = Question(
    about="New Jersey's round trip",
    default=Reading("rtt-current", "New Jersey multiplies its estimate by the latest RTT sample."),
    others=(
        Reading(
            "rtt-minimum",
            "New Jersey multiplies its estimate by the smallest RTT sample.",
            curves={"new-jersey": {SCHEME: {"name": "new-jersey", "rtt": "minimum"}}},
        ),
    ),
)


def _cross(app: dict[str, object]) -> dict[str, object]:
    return {f"flow.{flow}.{key}": value for flow in ("forward", "backward") for key, value in app.items()}


CROSS_TRAFFIC = Question(
    about="the cross traffic",
    default=Reading(
        "pareto",
        "Cross traffic is UDP in Pareto bursts, with a mean of 0.5 Mbit/s in each direction.",
        CROSSING,
    ),
    others=(
        Reading(
            "cbr",
            "Cross traffic is UDP at a constant 0.5 Mbit/s in each direction.",
            CROSSING,
            settings=_cross({"app": {"kind": "cbr", "rate": "0.5 Mbit/s"}}),
        ),
        Reading(
            "ftp",
            "Cross traffic is a long-lived FTP over Reno in each direction.",
            CROSSING,
            settings=_cross(
                {
                    "transport": "tcp",
                    "scheme": "reno",
                    "segment": "1460 B",
                    "app": {"kind": "bulk"},
                    "tcp.preset": "ns2",
                }
            ),
        ),
    ),
)
"""Readings of the cross traffic.

With an FTP connection each way, the data of the backward connection delay and compress ACKs. Two in five ACKs
follow the previous ACK within 1 ms, although a segment takes 6 ms. Westwood's filter therefore estimates 17
times the link's bandwidth. The ssthresh is then 160 segments or more, although 9 segments fill the pipe. Nine
losses in ten occur in slow start, where both WestwoodVT and WestwoodNR classify every loss as congestion. New
Jersey measures the arrival times of segments instead of ACKs. New Jersey's routers also send warnings before
packets are dropped.
"""
