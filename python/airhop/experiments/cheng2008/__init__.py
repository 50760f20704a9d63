"""Cheng and Lin 2008: TCP-CL, with reports of dropped packets by the MAC, on chains and random networks.

Common parts of tables and figures. The only available source is the paper's slides. The slides print 802.11
with the 9 µs slots of 802.11g, ranges of 40 and 85 m, nodes 30 m apart, seven attempts with basic access, one
NAK per series of consecutive drops, headers of 192 bits, the rules of the sender's window, and the tables.

Missing values come from the standards of 2008, or else from ns-2's defaults. Otherwise the simplest value is
used. Values that contradict a printed number are excluded. Data frames therefore have 54 Mbit/s, routing is
AODV (RFC 3561), and timers follow RFC 2988. `airhop show cheng2008-chain` lists all values. The duration of
100 s, ten runs and 20 random topologies are Airhop's choice. One reading (alternative set of values) was
fitted in ns-2.35 to Reno's column of the first table.

Two of the four columns have only the labels TCP-CC and TCP-W in the slides. Airhop simulates TCP Contention
Control and TCP Westwood for these labels. The numbers in these columns are claims, too, and no value was
chosen to meet them.

The tolerance of a printed number is half of the last digit plus the scatter of one run, because the slides
state no number of runs (`printed`). Over one and two hops, the printed columns of TCP-CL and Reno differ by
up to 1.3 %. Airhop's columns therefore count as equal up to 2 %.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from airhop.experiments.asked import ALL_X, Asked, Span, joined, noun
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Metric, PlottedAxis, Replications, X
from airhop.experiments.printed import Printed, Source, column_gains_met, numbers_met, paired_gains_met
from airhop.experiments.samples import Samples

PAPER = "R.-S. Cheng and H.-T. Lin, Computer Communications 31(14), 2008, pp. 3145-3152 (slides)"
SCHEMES = {"reno": "TCP-Reno", "tcp-cc": "TCP-CC", "tcp-w": "TCP-W", "tcp-cl": "TCP-CL"}
"""Schemes in the order of the printed columns."""
CURVES = Curve.of_schemes(SCHEMES)
OTHERS = ("reno", "tcp-cc", "tcp-w")
GUESSES = ("tcp-cc", "tcp-w")
"""Columns with a scheme that is guessed from a printed label."""
GOODPUT = Metric(
    "flow.ftp.goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 3.0, 6.0, 9.0, 12.0, 15.0), printed=False
)
TIMEOUTS = Metric("flow.ftp.timeouts", "Timeouts", "", (0.0, 20.0, 40.0), digits=1, printed=False)
CUTS = Metric("flow.ftp.window_cuts", "Window reductions", "", (0.0, 50.0, 100.0), digits=1, printed=False)
RESENT = Metric(
    "100 * flow.ftp.retransmissions / flow.ftp.sent_segments",
    "Retransmitted segments",
    "%",
    (0.0, 1.0, 2.0, 3.0),
    digits=1,
    printed=False,
)
COLLISIONS = Metric(
    "1000 * drops_collision / flow.ftp.sent_segments",
    "Frames lost by collisions in a thousand segments",
    "",
    (0.0, 500.0, 1000.0),
    digits=0,
    printed=False,
)
NAKS = Metric("flow.ftp.notices_nak", "NAKs", "", (0.0, 50.0, 100.0), digits=1, printed=False)
ALSO = (TIMEOUTS, CUTS, RESENT, COLLISIONS, NAKS)
"""Further metrics that explain the goodput."""
REPLICATIONS = Replications(quick=3, full=10, most=30)
Check = Callable[[Samples], ClaimResult]

DIGIT, UNIT = 0.01, "Mbit/s"
"""Last digit and unit of goodput in the tables."""


def source(table: int) -> Source:
    """Return the precision of a table: two decimals, and no number of runs."""
    return Source(f"cheng2008/table{table}", DIGIT)


def gain(samples: Samples, x: X, curve: str = "tcp-cl", other: str = "reno") -> str:
    """Format the gain of a curve over another: `+57 %`."""
    return f"{100 * samples.ratio(curve, other, x).value - 100:+.0f} %".replace("-", "−")


def rows(numbers: Printed, xs: Sequence[X] | None = None) -> str:
    """Quote rows of a printed table, all rows or the rows of some x: `1 13.97 13.95 […] 8 1.33 2.09`."""
    known = list(dict.fromkeys(x for _, x in numbers))
    printed_rows = (
        " ".join([f"{x:g}", *(f"{number:.2f}" for (_, at), number in numbers.items() if at == x)])
        for x in (known if xs is None else xs)
    )
    return " […] ".join(printed_rows)


def number_claims(
    table: int, axis: PlottedAxis, numbers: Printed, gains_at: Span = ALL_X, **reasons: str
) -> tuple[Claim[Samples], ...]:
    """Return claims that measured numbers of a column, and gains over Reno, equal the printed numbers.

    Gains are checked only at `gains_at`.
    """

    def claim(end: str, text: str, check: Check, xs: Sequence[X] = axis.full) -> Claim[Samples]:
        return Claim(
            f"cheng-t{table}-{end}", text, check, quote=rows(numbers, xs), reason=reasons.get(end, "")
        )

    def met(curves: Sequence[str]) -> Check:
        return Asked(numbers_met, axis, source(table), numbers, curves, UNIT)

    guesses = tuple(curve for curve in GUESSES if any(curve == known for known, _ in numbers))
    columns = joined([label for name, label in SCHEMES.items() if any(name == known for known, _ in numbers)])
    asked = (
        (
            "reno",
            "Airhop reproduces every number of Reno's column. A quoted row has the "
            f"{noun(axis)}, and the goodput of {columns}.",
            ("reno",),
        ),
        ("cl", "Airhop reproduces every number of TCP-CL's column.", ("tcp-cl",)),
        (
            "guesses",
            "Airhop reproduces every number of TCP-CC and TCP-W, whose algorithms the slides name "
            "but do not describe.",
            guesses,
        ),
    )
    return (
        *(claim(end, text, met(curves)) for end, text, curves in asked if curves),
        claim(
            "ratios",
            "Every gain of TCP-CL over Reno agrees with the printed numbers, within their tolerances"
            f"{'' if gains_at == ALL_X else f', at {gains_at.text(axis)}'}.",
            Asked(column_gains_met, axis, source(table), numbers, "tcp-cl", "reno", gains_at),
            [x for x in axis.full if isinstance(x, str) or gains_at.least <= x <= gains_at.most],
        ),
        Claim(
            f"cheng-t{table}-ratios-paired",
            "The ratio of TCP-CL to Reno equals the printed ratio, within the scatter of the ratio of two "
            "runs"
            f"{'' if gains_at == ALL_X else f', at {gains_at.text(axis)}'}.",
            Asked(paired_gains_met, axis, source(table), numbers, "tcp-cl", "reno", gains_at),
            own=True,
            because="The slides print goodputs and no gains, and do not state that both columns met the "
            "same channel.",
            reason=reasons.get("ratios", ""),
        ),
    )
