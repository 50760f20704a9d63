"""Delay of datagrams at a quarter of the capacity if MPDUs are lost and retransmitted.

The recipient of a Block Ack agreement releases packets in order. A lost MPDU therefore delays all later
packets until its retransmission. A TCP receiver then gets a burst of segments without a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values
from airhop.experiments.claims import below, every
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.traced import estimated, mean_and_half, paired, traced_runs
from airhop.experiments.wifi import GROUP, LOSS, SOURCE
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OFFERED_MBPS = {"n": 15.0, "ac": 85.0, "ax": 137.5}
"""Rate of the datagrams in Mbit/s, by standard: a quarter of the capacity without losses."""
MEAN, TAIL = "delay_mean_ms", "delay_p99_ms"
MEASURED = {MEAN: "One-way delay, mean (ms)", TAIL: "One-way delay, 99th percentile (ms)"}
PROSE = {MEAN: "mean one-way delay", TAIL: "99th percentile of the one-way delay"}
REPLICATIONS: dict[Mode, int] = {"quick": 2, "default": 5, "full": 5}
HALF_LOST, SELDOM = 0.5, (0.01, 0.05, 0.1, 0.2)


def scenario(standard: str, loss: float) -> Scenario:
    """Return the download scenario of a standard, with datagrams instead of a TCP connection."""
    document = Scenario.load(f"wifi-{standard}").to_dict()
    document["duration"], document["warmup"] = "5 s", "1 s"
    document["wlan"][0]["errors"] = {"kind": "bernoulli", "loss": loss}
    document["flow"] = [
        {
            "name": "download",
            "from": "server",
            "to": "sta",
            "transport": "udp",
            "segment": "1448 B",
            "app": {"kind": "cbr", "rate": f"{OFFERED_MBPS[standard]:g} Mbit/s"},
        }
    ]
    return Scenario.load(document)


def measure(standard: str, loss: float, seed: int, rep: int) -> dict[str, float]:
    """Simulate one standard and one loss rate, and return both delays (mean and tail) in milliseconds."""
    (flow,) = run(scenario(standard, loss), seed=seed, rep=rep).document["flows"]
    return {MEAN: flow["delay_ms"]["mean"], TAIL: flow["delay_ms"]["p99"]}


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Simulate every standard at every loss rate."""
    cells = [(standard, float(loss)) for standard in OFFERED_MBPS for loss in LOSS.full]
    runs = traced_runs(measure, cells, REPLICATIONS[mode], seed, reporter)
    values = []
    for ((standard, loss), found), metric in product(runs.items(), MEASURED):
        sample, without = ([one[metric] for one in those] for those in (found, runs[standard, 0.0]))
        values.append(estimated(standard, {LOSS.key: loss}, metric, sample))
        values.append(paired(standard, {LOSS.key: loss}, added(metric), sample, without))
    return values


def added(metric: str) -> str:
    """Return the name of the difference between a delay and the delay without losses."""
    return f"{metric} added"


@worded(
    "with every standard, losses of {losses} of the MPDUs add less than {most_ms} ms to {metric}",
    {**PROSE, SELDOM: "1, 5, 10 and 20 %", (HALF_LOST,): "50 %"},
)
def adds_less(values: Values, losses: Sequence[float], metric: str, most_ms: float) -> ClaimResult:
    """Check whether each loss rate adds less than `most_ms` milliseconds to a delay, for every standard."""
    found = {
        (standard, loss): values.at(standard, added(metric), **{LOSS.key: loss}).value
        for standard in OFFERED_MBPS
        for loss in losses
    }
    told = ", ".join(
        f"802.11{name} {mean_and_half(more)} at {LOSS.text(loss)}" for (name, loss), more in found.items()
    )
    return ClaimResult(every(below(more, most_ms) for more in found.values()), f"ms more, paired: {told}")


def _at(values: Values, standard: str, metric: str, loss: float) -> float:
    return values.at(standard, metric, **{LOSS.key: loss}).value.mean


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "delay-seldom",
        "Losses of up to 20 % of the MPDUs add less than a millisecond to the mean delay.",
        Asked(adds_less, SELDOM, MEAN, 1.0),
    ),
    Claim(
        "delay-tail",
        "With 50 % of the MPDUs lost the 99th percentile of the delay grows by less than 10 ms, a quarter of "
        "the base round trip.",
        Asked(adds_less, (HALF_LOST,), TAIL, 10.0),
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the additional delay if half of the MPDUs are lost."""
    told = ", ".join(
        f"{_at(values, name, MEAN, HALF_LOST) - _at(values, name, MEAN, 0.0):.1f} ms (802.11{name})"
        for name in OFFERED_MBPS
    )
    return f"With {LOSS.text(HALF_LOST)} of the MPDUs lost the mean one-way delay grows by {told}."


def tables(values: Values) -> list[TextTable]:
    """List both delays, one table each."""
    return [
        TextTable(
            title,
            (LOSS.name, *(LOSS.text(loss) for loss in LOSS.full)),
            tuple(
                (
                    f"802.11{name}",
                    *(mean_and_half(values.at(name, metric, **{LOSS.key: x}).value) for x in LOSS.full),
                )
                for name in OFFERED_MBPS
            ),
            f"Mean ± 95 % half-width of {values.reps} runs.",
        )
        for metric, title in MEASURED.items()
    ]


def figure(values: Values) -> Figure:
    """Draw the mean delay against the loss rate of MPDUs."""
    from airhop.plots.paper import curve, legend, page
    from airhop.plots.style import styles

    drawing, axes = page()
    look = styles(OFFERED_MBPS)
    losses = [float(loss) for loss in LOSS.full]
    for name in OFFERED_MBPS:
        found = [values.at(name, MEAN, **{LOSS.key: loss}).value for loss in losses]
        means, halves = [one.mean for one in found], [one.half_width for one in found]
        curve(axes, losses, means, halves, label=f"802.11{name}", style=look[name], joined=True)
    axes.set_xlabel(LOSS.label)
    axes.set_ylabel(MEASURED[MEAN])
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id=f"{GROUP}/delay",
    title="Delay of datagrams over 802.11n, ac and ax with MPDU losses",
    source=SOURCE,
    method=(
        "Datagrams of 1448 bytes are sent at a quarter of the capacity over the path of the downloads, with "
        "a delay of 20 ms on its wire. The one-way delay contains the channel access, retransmissions of an "
        "MPDU, and its wait at the recipient for earlier MPDUs."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
