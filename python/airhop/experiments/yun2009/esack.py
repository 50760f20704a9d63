"""ESACK compared with SACK when only queues lose packets (§4.1, last sentence), against the queue length.

Printed in section 4.1: "The other operations of ESACK are equal to SACK. Therefore, if there is no wireless
loss, ESACK behaves just like SACK." The paper has no figure of this sentence. The network is Airhop's: the
path of Figure 6 without channel errors. A frame is sent up to seven times, 802.11's default, so that no
collision becomes a loss. Only the queue before the cell drops packets. The length of this queue varies, with
one connection and with five.

"Just like" is checked by three measures of a run. Goodputs count as alike if the whole interval of the ratio
lies within 5 % of 1, and so do fast recoveries. Smaller differences are invisible in the paper's curves,
which are a millimetre wide on axes of a few centimetres. Timeouts are few, and count as alike if the numbers
differ by at most two per connection in 200 s.

LL-ELSN combines ESACK with notices, and collisions still cause ERSNs. A further curve therefore shows a
sender that ignores ERSNs.
"""

from __future__ import annotations

from collections.abc import Mapping

from airhop.experiments.asked import Asked, worded
from airhop.experiments.claims import Decision, every, within
from airhop.experiments.experiment import (
    Claim,
    ClaimResult,
    Curve,
    Experiment,
    Metric,
    PlottedAxis,
    TimelineChoice,
    X,
)
from airhop.experiments.samples import Samples
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.fig14 import WITH_ARQ
from airhop.numerals import interval
from airhop.stats import Difference, Ratio

QUEUE = PlottedAxis(
    key="queue_packets",
    name="queue",
    paths=("wlan.cell.queue.packets",),
    label="Queue capacity (packets)",
    full=(5, 10, 20, 50),
    coarse=(5, 20, 50),
    counts="packet",
    ticks=(0, 10, 20, 30, 40, 50),
)
GOODPUT = Metric(
    "goodput_mbps", "Goodput", "Mbit/s", ticks=(0.0, 0.6, 1.2, 1.8, 2.4, 3.0, 3.6, 4.2), printed=False
)
RECOVERIES = Metric(
    "fast_recoveries", "Fast recoveries", "", ticks=(0.0, 200.0, 400.0, 600.0), digits=1, printed=False
)
TIMEOUTS = Metric("timeouts", "Timeouts", "", ticks=(0.0, 50.0, 100.0), digits=1, printed=False)
LOST_ON_AIR = Metric("drops_retries", "Discards of the link layer", "", ticks=(0.0, 1.0, 2.0), printed=False)
ALIKE = 1.05
"""Maximum ratio of two measures that count as alike. The minimum ratio is the inverse."""
TIMEOUTS_ALIKE = 2.0
"""Maximum difference of timeout counts that count as alike, per connection in 200 s."""
FLOWS = (1, 5)
SENDERS: Mapping[str, tuple[str, str | dict[str, object]]] = {
    "sack": ("SACK", "sack"),
    "esack": ("ESACK", "ll-elsn"),
    "esack, no ERSN": ("ESACK without ERSN", {"name": "ll-elsn", "ersn": "ignored"}),
}


def curve_name(sender: str, flows: int) -> str:
    """Return the name of the curve of a sender with `flows` connections."""
    return sender if flows == 1 else f"{sender}, {flows} flows"


CURVES = tuple(
    Curve(curve_name(sender, flows), curve_name(label, flows), scheme, {"copies": flows})
    for flows in FLOWS
    for sender, (label, scheme) in SENDERS.items()
)


def headline(samples: Samples) -> str:
    """Return a sentence on the goodput and the fast recoveries of SACK and ESACK with the longest queue."""
    last = samples.xs[-1]
    recoveries = samples.also[RECOVERIES.name]
    sack, esack = (
        f"{samples.estimate(name, last).mean:.2f} Mbit/s with {recoveries.estimate(name, last).mean:.0f}"
        for name in ("sack", "esack")
    )
    return f"If only a queue of {QUEUE.text(last)} drops, ESACK delivers {esack} recoveries, SACK {sack}."


@worded(
    "with one flow and with five, goodput and fast recoveries of {sender} are within 5 % of SACK's, and its "
    "timeouts differ by at most two per flow, at {every}"
)
def just_like(samples: Samples, sender: str) -> ClaimResult:
    """Check whether goodput, fast recoveries and timeouts are like SACK's, with one and five connections."""
    recoveries, timeouts = (samples.also[metric.name] for metric in (RECOVERIES, TIMEOUTS))
    cells = [(x, flows) for flows in FLOWS for x in samples.xs]
    decisions, told = [], []
    for words, measured in (("goodput", samples), ("fast recoveries", recoveries)):
        ratios = {(x, n): measured.ratio(curve_name(sender, n), curve_name("sack", n), x) for x, n in cells}
        decisions += [_alike(ratio) for ratio in ratios.values()]
        cell = max(ratios, key=lambda cell: _distance_from_1(ratios[cell]))
        told.append(f"{words} {interval(ratios[cell])} {_at(cell)}")
    more = {(x, n): timeouts.difference(curve_name(sender, n), curve_name("sack", n), x) for x, n in cells}
    decisions += [_close(difference, flows) for (_, flows), difference in more.items()]
    cell = max(more, key=lambda cell: abs(more[cell].mean) / cell[1])
    half = more[cell].half_width
    told.append(f"{more[cell].mean:+.1f} ± {'?' if half is None else f'{half:.1f}'} timeouts {_at(cell)}")
    return ClaimResult(every(decisions), f"furthest from SACK's: {'; '.join(told)}")


def _alike(ratio: Ratio) -> Decision:
    return within(ratio, 1.0 / ALIKE, ALIKE)


def _close(more: Difference, flows: int) -> Decision:
    return within(more, -TIMEOUTS_ALIKE * flows, TIMEOUTS_ALIKE * flows)


def _distance_from_1(ratio: Ratio) -> float:
    return max(ratio.value, 1.0 / ratio.value) if ratio.value > 0.0 else float("inf")


def _at(cell: tuple[X, int]) -> str:
    x, flows = cell
    return f"at {QUEUE.text(x)} with {flows} flow{'' if flows == 1 else 's'}"


LOST_AGAIN = (
    "Short queues lose retransmissions, too. ESACK keeps its list in sending order, so an ACK of a later "
    "segment shows the loss of the retransmission; SACK waits for its timer."
)

CLAIMS: tuple[Claim[Samples], ...] = (
    Claim(
        "yun-esack",
        "Without wireless losses ESACK is just like SACK: its goodput and its number of fast recoveries are "
        "within 5 % of SACK's, and its number of timeouts differs by at most two per connection. This "
        "holds with every queue capacity, with one connection and with five.",
        Asked(just_like, "esack"),
        quote="if there is no wireless loss, ESACK behaves just like SACK",
        reason=LOST_AGAIN,
    ),
    Claim(
        "yun-esack-deaf",
        "ESACK without ERSN is also just like SACK; with ERSN, collisions cause notices even if no packet "
        "is lost.",
        Asked(just_like, "esack, no ERSN"),
        own=True,
        because="The paper's sentence excludes wireless losses, and collisions are losses that cause ERSNs.",
        reason=LOST_AGAIN,
    ),
)

EXPERIMENT = Experiment(
    id="yun2009/esack",
    title="ESACK and SACK with losses in queues only",
    source=f"{PAPER}, section 4.1",
    scenario="yun2009-downlink",
    settings={"duration": "200 s", "wlan.cell.attempts": 7, "wlan.cell.errors": {"kind": "clean"}},
    curves=CURVES,
    baseline="sack",
    axis=QUEUE,
    metric=GOODPUT,
    also=(RECOVERIES, TIMEOUTS, LOST_ON_AIR),
    replications=WITH_ARQ,
    claims=CLAIMS,
    headline=headline,
    timeline=TimelineChoice("esack", 50, duration_s=20.0, opening_s=2.0),
)
