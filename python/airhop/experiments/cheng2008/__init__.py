"""Cheng and Lin 2008: TCP-CL, told by the MAC which packets it dropped, on chains and random networks.

What its tables and figures share. The paper is known to us by its slides. Printed: 802.11 with the 9 µs slots
of 802.11g, ranges of 40 and 85 m, nodes 30 m apart, seven attempts with basic access, one NAK in a run of
drops, and the tables. Inferred, from Reno's column of the first table alone: 36 Mbit/s with control frames at
24, basic access, headers of 20 µs, packets of 1000 bytes, a window of 20 and on-demand routing; so are 100 s
and ten runs, or 20 random topologies (`airhop show cheng2008-chain` says more). Nothing was fitted to any
other number.

Two of the four columns are readings: of TCP-CC and TCP-W the slides have the labels and nothing else. They
are run as TCP Contention Control and as TCP Westwood, and no number of theirs is a target.

A printed number counts as met within 20 %, the mean of a column within 8: what the best of 24 configurations
of ns-2 allows. Losing nothing is losing less than 2 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from airhop import stats
from airhop.experiments import printed
from airhop.experiments.claims import above, along, each_above, every
from airhop.experiments.experiment import Axis, Claim, Curve, Judgement, Metric, Replications, X
from airhop.experiments.numerals import interval
from airhop.experiments.printed import Printed
from airhop.experiments.samples import Samples
from airhop.stats import Ratio

PAPER = "R.-S. Cheng and H.-T. Lin, Computer Communications 31(14), 2008, pp. 3145-3152 (slides)"
SCHEMES = {"reno": "TCP-Reno", "tcp-cc": "TCP-CC", "tcp-w": "TCP-W", "tcp-cl": "TCP-CL"}
"""In the order of the printed columns."""
CURVES = Curve.of_schemes(SCHEMES)
OTHERS = ("reno", "tcp-cc", "tcp-w")
GUESSES = ("tcp-cc", "tcp-w")
"""Columns of which only the label is printed."""
MOST_HOPS = 8
HOPS = Axis(
    key="hops",
    name="hops",
    paths=("wlan.field.layout.nodes", "flow.ftp.to"),
    label="Hops",
    full=tuple(range(1, MOST_HOPS + 1)),
    coarse=(1, 3, 8),
    counts="hop",
    ticks=tuple(range(1, MOST_HOPS + 1)),
    takes={hops: (hops + 1, f"n{hops}") for hops in range(1, MOST_HOPS + 1)},
)
GOODPUT = Metric(
    "flow.ftp.goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 3.0, 6.0, 9.0, 12.0, 15.0), printed=False
)
TIMEOUTS = Metric("flow.ftp.timeouts", "Timeouts", "", (0.0, 20.0, 40.0), digits=1, printed=False)
CUTS = Metric("flow.ftp.window_cuts", "Window cuts", "", (0.0, 50.0, 100.0), digits=1, printed=False)
RESENT = Metric(
    "100 * flow.ftp.retransmissions / flow.ftp.sent_segments",
    "Share sent again",
    "%",
    (0.0, 1.0, 2.0, 3.0),
    digits=1,
    printed=False,
)
ALSO = (TIMEOUTS, CUTS, RESENT)
"""What goodput is lost by."""
REPLICATIONS = Replications(quick=3, full=10, most=30)
SETTINGS = {"duration": "100 s", "wlan.field.routing": {"kind": "aodv", "preset": "ns2"}}
ERRORS = {
    "kind": "gilbert-elliott",
    "loss_good": 0.0155,
    "loss_bad": 0.25,
    "p_gb": 0.06,
    "p_bg": 0.15,
}
"""Slide "Gilbert-Elliot (GE) error model": mean frame error rate 8.25 %."""
DELAYED_ACK = {"segments": 2, "timeout": "100 ms"}

Judge = Callable[[Samples], Judgement]

SILENT = (
    "From seven hops on (five with errors) packets are given up by nodes nearer to their end than to their "
    "origin, most of them ACKs that a hidden data frame hits, and there ns-2's routing repairs a route on "
    "the spot. Its repair asks for a route no fresher than the lost one, gets longer ones, takes none, and "
    "waits until the clock shows about twice what it did: with errors Reno over eight hops is silent for 79 "
    "of 100 s, in five gaps, and delivers 1.00 Mbit/s outside of them. ns-2 itself is low there too, 0.34 "
    "to 0.39 with other rates and packet sizes."
)
"""Why whoever has Reno's MAC is below the printed numbers at the most hops."""

LOSSLESS = 0.98
CELL, COLUMN = 0.2, 0.08
"""How far a cell, and the mean of a column, may be off what is printed."""


def gain(samples: Samples, x: X, curve: str = "tcp-cl", other: str = "reno") -> str:
    """Write what a curve gains over another: `+57 %`."""
    return f"{100 * samples.ratio(curve, other, x).value - 100:+.0f} %".replace("-", "−")


def growth(samples: Samples, scheme: str, other: str, x: X, y: X) -> Ratio:
    """Give scheme / other at y over scheme / other at x."""
    at_x, at_y, other_x, other_y = samples.paired((scheme, x), (scheme, y), (other, x), (other, y))
    return stats.ratio(np.multiply(at_y, other_x).tolist(), np.multiply(other_y, at_x).tolist())


def gain_grows(samples: Samples, scheme: str = "tcp-cl", other: str = "reno") -> Judgement:
    """Judge whether the gain is larger at the most hops than at the first three, where it begins."""
    first, last = samples.from_x(3)[0], samples.xs[-1]
    found = growth(samples, scheme, other, first, last)
    steps = ", ".join(f"{gain(samples, x, scheme, other)} at {HOPS.text(x)}" for x in samples.from_x(3))
    return Judgement(
        above(found, 1.0), f"{interval(found)} × from {HOPS.text(first)} to {HOPS.text(last)}: {steps}"
    )


def falls(samples: Samples, axis: Axis, schemes: Sequence[str]) -> Judgement:
    """Judge whether each scheme has less at the last x than at the first."""
    first, last = samples.xs[0], samples.xs[-1]
    found = {scheme: along(samples, scheme, last, first) for scheme in schemes}
    told = ", ".join(f"{scheme} {interval(ratio)}" for scheme, ratio in found.items())
    return Judgement(
        every(above(ratio, 1.0) for ratio in found.values()),
        f"{axis.text(first)} over {axis.text(last)}: {told}",
    )


def chain_claims(
    table: str, numbers: Printed, last_gain: float, **reasons: str
) -> tuple[Claim[Samples], ...]:
    """Make the claims that tables of a chain have in common; `reasons` are by the end of the claim's id.

    `last_gain` is what TCP-CL must have of Reno's goodput at the most hops.
    """
    off = printed.means

    def claim(end: str, text: str, judge: Judge) -> Claim[Samples]:
        return Claim(f"cheng-{table}-{end}", text, judge, reasons.get(end, ""))

    return (
        claim(
            "short",
            "Over one and two hops TCP-CL loses nothing against Reno: it has more than 98 %.",
            lambda s: each_above(s, HOPS, ("tcp-cl",), "reno", [x for x in s.xs if x in (1, 2)], LOSSLESS),
        ),
        claim(
            "long",
            "From three hops on TCP-CL delivers more than Reno.",
            lambda s: each_above(s, HOPS, ("tcp-cl",), "reno", s.from_x(3)),
        ),
        claim("grows", "The gain grows with the hops: at eight it is larger than at three.", gain_grows),
        claim(
            "last",
            f"At eight hops TCP-CL gains more than {100 * last_gain - 100:.0f} % "
            f"({100 * numbers['tcp-cl', 8] / numbers['reno', 8] - 100:.0f} % printed).",
            lambda s: each_above(s, HOPS, ("tcp-cl",), "reno", (s.xs[-1],), last_gain),
        ),
        *number_claims(table, HOPS, numbers, **reasons),
        claim(
            "column",
            "Reno's column is the printed one: the mean error is below 8 %.",
            lambda s: printed.mean_error_below(HOPS, off(s, numbers, ("reno",)), COLUMN),
        ),
    )


def number_claims(table: str, axis: Axis, numbers: Printed, **reasons: str) -> tuple[Claim[Samples], ...]:
    """Make the claims that every printed number is met, column by column, and every ratio to Reno."""

    def claim(end: str, text: str, judge: Judge) -> Claim[Samples]:
        return Claim(f"cheng-{table}-{end}", text, judge, reasons.get(end, ""))

    def met(curves: Sequence[str]) -> Judge:
        return lambda s: printed.all_met(axis, printed.means(s, numbers, curves), CELL)

    guesses = tuple(curve for curve in GUESSES if any(curve == known for known, _ in numbers))
    asked = (
        ("reno", "Every number of Reno's column is met within 20 %.", ("reno",)),
        ("cl", "Every number of TCP-CL's column is met within 20 %.", ("tcp-cl",)),
        ("guesses", "Every number of TCP-CC and TCP-W, of which we know the labels alone, is met.", guesses),
    )
    return (
        *(claim(end, text, met(curves)) for end, text, curves in asked if curves),
        claim(
            "ratios",
            "Every ratio of TCP-CL to Reno is the printed one within 20 %.",
            lambda s: printed.all_met(axis, printed.ratios(s, numbers, ("tcp-cl",), "reno"), CELL),
        ),
    )
