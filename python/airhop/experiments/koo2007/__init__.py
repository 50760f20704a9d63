"""Koo 2007: WestwoodVT, which tells wireless losses from congestion by Vegas' estimate of the queue.

What both parts of its Figure 2 share. Printed: the four schemes, error rates of 0.1 and 1 to 5 %, queues of
20 segments, alpha 14 and beta 16, 200 s, averages of 10 runs, and gains in per cent, no goodputs. Neither
rates nor delays are printed: those of its source for Westwood, [4], are run, with segments of ns-2's size
(`airhop show koo2007-single`). 25 ms and 1460 bytes, with which the printed gains over Reno come out, are
fitted: a reading. In TCP New Jersey's runs all queues are congestion-warning ones.

A printed gain counts as met when the measured ratio is within 10 % of the printed one: the links are
inferred.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.claims import Decision, every, within
from airhop.experiments.experiment import ClaimResult, Curve, Metric, PlottedAxis, Replications, X
from airhop.experiments.koo2007.readings import SCHEME
from airhop.experiments.samples import Samples
from airhop.numerals import interval
from airhop.stats import Ratio

PAPER = "J. Koo, S.-G. Mun and H. Choo, ICCS 2007, LNCS 4490, pp. 538-541"
SCHEMES = {
    "westwood-vt": "WestwoodVT",
    "westwood-nr": "WestwoodNR",
    "new-jersey": "TCP New Jersey",
    "reno": "TCP Reno",
}
CURVES = tuple(Curve(name, label, settings={SCHEME: name}) for name, label in SCHEMES.items())
"""Each scheme in the connection under test: cross traffic stays what it is."""
ERRORS = PlottedAxis(
    key="loss",
    name="error rate",
    paths=("wired.air.errors.loss",),
    label="Wireless link error rate",
    full=(0.001, 0.01, 0.02, 0.03, 0.04, 0.05),
    coarse=(0.001, 0.01, 0.02, 0.05),
    ticks=(0.0, 0.01, 0.02, 0.03, 0.04, 0.05),
    percent=True,
)
GOODPUT = Metric("flow.ftp.goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.5, 1.0, 1.5, 2.0), printed=False)
REPLICATIONS = Replications(quick=5, full=10)
""""an average of 10 times, over 200 seconds"."""
TOLERANCE = 0.1
"""What a ratio may be off a printed one."""

_JUDGED = " + ".join(
    f"flow.ftp.judged_{judged}_channel" for judged in ("wireless", "undecided", "congestion")
)


def _share(judged: str, told: str) -> Metric:
    """Measure which part of the losses on the air was judged so."""
    name = f"flow.ftp.judged_{judged}_channel / ({_JUDGED})"
    return Metric(name, f"Losses on the air {told}", "", (0.0, 0.25, 0.5, 0.75, 1.0), most=1.0, printed=False)


TAKEN_FOR_WIRELESS = _share("wireless", "taken for wireless")
CONFUSION = (
    TAKEN_FOR_WIRELESS,
    _share("undecided", "left undecided"),
    _share("congestion", "taken for congestion"),
    Metric(
        "flow.ftp.judged_congestion_queue",
        "Losses in a queue taken for congestion",
        "",
        (0.0, 50.0, 100.0, 150.0),
        digits=1,
        printed=False,
    ),
    Metric(
        "flow.ftp.judged_wireless_queue + flow.ftp.judged_undecided_queue",
        "Losses in a queue taken for wireless or left undecided",
        "",
        (0.0, 50.0, 100.0, 150.0),
        digits=1,
        printed=False,
    ),
)
"""The confusion matrix at each error rate."""


def as_printed(samples: Samples, printed: Mapping[tuple[str, X], float]) -> ClaimResult:
    """Judge whether WestwoodVT's ratio to a scheme at an error rate is the printed one, for all of them."""
    found = {(other, x): samples.ratio("westwood-vt", other, x) for other, x in printed if x in samples.xs}
    parts = [
        f"{interval(ratio)} × {other} at {ERRORS.text(x)} (printed {printed[other, x]:.2f})"
        for (other, x), ratio in found.items()
    ]
    return ClaimResult(every(meets(ratio, printed[cell]) for cell, ratio in found.items()), "; ".join(parts))


def greatest_as_printed(samples: Samples, printed: Mapping[str, float]) -> ClaimResult:
    """Judge whether WestwoodVT's greatest ratio to each scheme over the error rates is the printed one."""
    decisions, parts = [], []
    for other, gain in printed.items():
        ratios = {x: samples.ratio("westwood-vt", other, x) for x in samples.xs}
        x = max(ratios, key=lambda x: ratios[x].value)
        decisions.append(meets(ratios[x], gain))
        parts.append(f"{interval(ratios[x])} × {other} at {ERRORS.text(x)} (printed {gain:.2f})")
    return ClaimResult(every(decisions), f"greatest: {'; '.join(parts)}")


def between_as_printed(samples: Samples, other: str, least: float, greatest: float) -> ClaimResult:
    """Judge whether the least and the greatest of WestwoodVT's ratios to a scheme are the printed ones."""
    ratios = {x: samples.ratio("westwood-vt", other, x) for x in samples.xs}
    low = min(ratios, key=lambda x: ratios[x].value)
    high = max(ratios, key=lambda x: ratios[x].value)
    return ClaimResult(
        every((meets(ratios[low], least), meets(ratios[high], greatest))),
        f"from {interval(ratios[low])} × {other} at {ERRORS.text(low)} (printed {least:.2f}) to "
        f"{interval(ratios[high])} at {ERRORS.text(high)} (printed {greatest:.2f})",
    )


def meets(found: Ratio, printed: float, tolerance: float = TOLERANCE) -> Decision:
    """Judge whether a ratio is the printed one within the tolerance."""
    if found.low is None or found.high is None:
        return None
    return within(found.low, found.high, printed * (1 - tolerance), printed * (1 + tolerance))
