"""Koo 2007: WestwoodVT, with Vegas' queue estimate to distinguish wireless losses from congestion.

Common parts of figures 2a and 2b. Printed: the four schemes, error rates of 0.1 and 1 to 5 %, queues of 20
segments, alpha 14 and beta 16, 200 s, averages of 10 runs, and gains in per cent. The paper prints no
goodputs, rates or delays. The runs have the rates and delays of the paper's source for Westwood, [4], and
segments of ns-2's size (`airhop show koo2007-single`). One reading (alternative set of values) has 25 ms and
1460 bytes, fitted to the printed gains over Reno. In TCP New Jersey's runs, all queues send congestion
warnings.

A measured gain equals a printed gain if the difference is at most half a percentage point plus the scatter of
a mean of ten runs (`printed`).
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.asked import worded
from airhop.experiments.experiment import ClaimResult, Curve, Metric, PlottedAxis, Replications
from airhop.experiments.koo2007.readings import SCHEME
from airhop.experiments.printed import Source, all_met, gained
from airhop.experiments.samples import Samples

PAPER = "J. Koo, S.-G. Mun and H. Choo, ICCS 2007, LNCS 4490, pp. 538-541"
SCHEMES = {
    "westwood-vt": "WestwoodVT",
    "westwood-nr": "WestwoodNR",
    "new-jersey": "TCP New Jersey",
    "reno": "TCP Reno",
}
CURVES = tuple(Curve(name, label, settings={SCHEME: name}) for name, label in SCHEMES.items())
"""Curves by scheme of the connection under test. The cross traffic is the same in all curves."""
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
REPLICATIONS = Replications(quick=5, full=10, printed=True)
"""Number of replications in the paper: "an average of 10 times, over 200 seconds"."""
OWN = "westwood-vt"
"""Scheme that the paper proposes."""
SOURCES = {figure: Source(f"koo2007/{figure}", digit=1.0, runs=10) for figure in ("fig2a", "fig2b")}
"""Precision of the printed gains: whole per cent, as "an average of 10 times"."""

_JUDGED = " + ".join(
    f"flow.ftp.judged_{judged}_channel" for judged in ("wireless", "undecided", "congestion")
)


def _share(judged: str, told: str) -> Metric:
    """Return the metric for the share of channel losses classified as `judged`, with the label `told`."""
    name = f"flow.ftp.judged_{judged}_channel / ({_JUDGED})"
    return Metric(name, f"Wireless losses {told}", "", (0.0, 0.25, 0.5, 0.75, 1.0), most=1.0, printed=False)


CLASSIFIED_AS_WIRELESS = _share("wireless", "classified as wireless")
CONFUSION = (
    CLASSIFIED_AS_WIRELESS,
    _share("undecided", "left undecided"),
    _share("congestion", "classified as congestion"),
    Metric(
        "flow.ftp.judged_congestion_queue",
        "Queue losses classified as congestion",
        "",
        (0.0, 50.0, 100.0, 150.0),
        digits=1,
        printed=False,
    ),
    Metric(
        "flow.ftp.judged_wireless_queue + flow.ftp.judged_undecided_queue",
        "Queue losses classified as wireless or left undecided",
        "",
        (0.0, 50.0, 100.0, 150.0),
        digits=1,
        printed=False,
    ),
)
"""Metrics of the confusion matrix. Figures show the matrix at each error rate."""


@worded(
    "the 95 % interval of the largest gain of WestwoodVT over each scheme lies within the tolerance of the "
    "printed gain, {printed}: {source:half} percentage points (half of the last digit) plus {source}, "
    "computed for the logarithm of the ratio"
)
def greatest_met(
    samples: Samples, axis: PlottedAxis, source: Source, printed: Mapping[str, float]
) -> ClaimResult:
    """Check whether WestwoodVT's greatest gain over each scheme is the printed gain, in percentage points."""
    found = {}
    for other, gain in printed.items():
        ratios = {x: samples.ratio(OWN, other, x) for x in samples.xs}
        x = max(ratios, key=lambda x: ratios[x].value)
        found[f"greatest over {other}, at {axis.text(x)}:"] = gained(source, ratios[x], gain, OWN, other, x)
    return all_met(found, source.needs)


@worded(
    "the 95 % intervals of the smallest and of the largest gain of WestwoodVT over {other} lie within the "
    "tolerances of the printed gains, {least} % and {greatest} %: {source:half} percentage points (half of "
    "the last digit) plus {source}, computed for the logarithm of the ratio"
)
def range_met(
    samples: Samples, axis: PlottedAxis, source: Source, other: str, least: float, greatest: float
) -> ClaimResult:
    """Check whether WestwoodVT's least and greatest gains over a scheme equal the printed ones."""
    ratios = {x: samples.ratio(OWN, other, x) for x in samples.xs}
    ends = {
        "least": (min(ratios, key=lambda x: ratios[x].value), least),
        "greatest": (max(ratios, key=lambda x: ratios[x].value), greatest),
    }
    found = {
        f"{word} over {other}, at {axis.text(x)}:": gained(source, ratios[x], gain, OWN, other, x)
        for word, (x, gain) in ends.items()
    }
    return all_met(found, source.needs)
