"""Queueing delay before the last hop, by sender and buffer size.

The wait of a segment is the time from its transmission by the sender to the start of its first frame on the
last hop, minus the minimum of this time in the run. Waits consist of queueing, contention, and link-layer
retransmissions of earlier packets. In contrast to round-trip times, waits exclude delayed ACKs.

Waits are measured in traces, because run documents do not contain them. Segments that the sender
retransmitted are excluded, because the trace does not distinguish the copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values
from airhop.experiments.claims import every
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.today import LABELS, SENDERS, SETTINGS, SOURCE, Sender
from airhop.experiments.today.buffers import BUFFER
from airhop.experiments.traced import apart, estimated, mean_and_half, paired, traced_runs
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

FLOW = "ftp1"
BUFFERS = (10, 50, 500)
USUAL = 50
"""Queue capacity of the paper in packets. Quick mode simulates only this capacity."""
REPLICATIONS: dict[Mode, int] = {"quick": 3, "default": 10, "full": 10}
MEAN, TAIL, GOODPUT = "wait_mean_ms", "wait_p95_ms", "goodput_mbps"
MEASURED = {MEAN: "Mean wait (ms)", TAIL: "95th percentile (ms)", GOODPUT: "Goodput (Mbit/s)"}
REFERENCES = ("ll-elsn", "cubic-arq")
"""Baselines of the paired differences."""


def less_than(reference: str) -> str:
    """Return the name of the difference of the mean wait from `reference`, paired by replication."""
    return f"{MEAN} less {reference}"


def scenario(sender: Sender, packets: int) -> Scenario:
    """Return the scenario of `airhop/today/buffers`."""
    changes = dict(SETTINGS) | dict.fromkeys(BUFFER.paths, packets) | sender.curve().changes
    return Scenario.load("yun2009-downlink").with_(changes)


def waits_ms(tables: Mapping[str, pl.DataFrame], flow: str) -> pl.Series:
    """Return the waits in milliseconds of the segments that a flow sent once.

    The wait is the time from the transmission of the segment to the start of its first frame on the last hop,
    minus the minimum of this time.
    """
    import polars as pl

    def of_flow(table: str) -> pl.DataFrame:
        return tables[table].filter(pl.col("flow") == flow)

    data = (pl.col(column) == "data" for column in ("kind", "packet"))
    on_air = of_flow("air").filter(*data).group_by("seq").agg(aired_s=pl.col("start_s").min())
    sent = of_flow("segments").group_by("seq").agg(sendings=pl.len(), sent_s=pl.col("time_s").min())
    # Sort the rows, because the last bits of a mean depend on the order of summation.
    took = (
        sent.filter(pl.col("sendings") == 1)
        .join(on_air, on="seq")
        .sort("sent_s", "seq")
        .select(1e3 * (pl.col("aired_s") - pl.col("sent_s")))
        .to_series()
    )
    return took - took.min()


def measure(sender: Sender, packets: int, seed: int, rep: int) -> dict[str, float]:
    """Trace a run and return its measures."""
    result = run(scenario(sender, packets), seed=seed, rep=rep, trace=True)
    waits = waits_ms(result.tables, FLOW)
    tail = waits.quantile(0.95, interpolation="linear")
    return {MEAN: float(waits.mean()), TAIL: float(tail or 0.0), GOODPUT: result.goodput_mbps}  # type: ignore[arg-type]


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Trace every sender with every buffer, and compare senders replication by replication."""
    cells = ((sender, packets) for packets in _buffers(mode) for sender in SENDERS)
    runs = traced_runs(measure, cells, REPLICATIONS[mode], seed, reporter)
    return list(_values({(sender.name, packets): found for (sender, packets), found in runs.items()}))


def _buffers(mode: Mode) -> Sequence[int]:
    return (USUAL,) if mode == "quick" else BUFFERS


def _values(found: Mapping[tuple[str, int], Sequence[Mapping[str, float]]]) -> Iterator[Value]:
    def sample(metric: str, curve: str, packets: int) -> list[float]:
        return [one[metric] for one in found[curve, packets]]

    for curve, packets in found:
        x: dict[str, X] = {BUFFER.key: packets}
        for metric in MEASURED:
            yield estimated(curve, x, metric, sample(metric, curve, packets))
        for reference in REFERENCES:
            if curve != reference:
                own, other = (sample(MEAN, one, packets) for one in (curve, reference))
                yield paired(curve, x, less_than(reference), own, other)


# ---- claims ----------------------------------------------------------------------------------------------


def buffers_in(values: Values) -> list[int]:
    """List the measured buffer sizes."""
    return [packets for packets in BUFFERS if any(value.x[BUFFER.key] == packets for value in values)]


@worded(
    "the paired difference of the mean wait, {curve} less {reference}, is below zero with buffers of "
    "{buffers} packets (buffers of the grid)",
    LABELS,
)
def waits_less(values: Values, curve: str, reference: str, buffers: Sequence[int]) -> ClaimResult:
    """Check whether the mean wait of `curve` is below that of `reference`, with each of these buffers."""
    found = {
        packets: values.at(curve, less_than(reference), packets=packets).value
        for packets in buffers_in(values)
        if packets in buffers
    }
    told = ", ".join(
        f"{mean_and_half(less, 1, '+')} ms with {BUFFER.text(packets)}".replace("-", "−")
        for packets, less in found.items()
    )
    return ClaimResult(
        every(apart(less, -1) for less in found.values()) if found else None,
        f"{curve} less {reference}, paired: {told or 'not run'}",
    )


SMALL, LARGER = BUFFERS[0], BUFFERS[1:]
CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "delay-bbr",
        "BBR's packets wait less than LL-ELSN's, in buffers of 50 packets, the usual size, or more.",
        Asked(waits_less, "bbr", "ll-elsn", LARGER),
    ),
    Claim(
        "delay-copa",
        "Copa's packets wait less than LL-ELSN's, with every buffer.",
        Asked(waits_less, "copa", "ll-elsn", BUFFERS),
    ),
    Claim(
        "delay-bbr-small",
        "BBR's packets wait less than LL-ELSN's also in a buffer of 10 packets.",
        Asked(waits_less, "bbr", "ll-elsn", (SMALL,)),
        reason="A full buffer halves LL-ELSN's window. BBR keeps twice its estimate of the BDP in flight, "
        "which keeps the small buffer full.",
    ),
    Claim(
        "delay-arq",
        "Over link ARQ BBR's packets wait less than CUBIC's in the usual buffer of 50 packets.",
        Asked(waits_less, "bbr-arq", "cubic-arq", (USUAL,)),
        reason="BBR uses the largest rate of ten round trips, which is above the mean with random access. "
        "BBR is therefore limited by its window of twice the BDP, which fills the path and this buffer.",
    ),
    Claim(
        "delay-arq-large",
        "Over link ARQ BBR's packets wait less than CUBIC's in a buffer of 500 packets.",
        Asked(waits_less, "bbr-arq", "cubic-arq", BUFFERS[-1:]),
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the mean waits in the largest buffer."""
    last = buffers_in(values)[-1]
    told = ", ".join(
        f"{values.at(curve, MEAN, packets=last).value.mean:.0f} ms ({curve})"
        for curve in ("ll-elsn", "bbr", "cubic-arq", "bbr-arq")
    )
    return f"With {BUFFER.text(last)} of buffer a packet waits {told} in the mean."


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List waits and goodputs, one table each."""
    buffers, digits = buffers_in(values), {MEAN: 1, TAIL: 1, GOODPUT: 2}

    def row(metric: str, sender: Sender) -> tuple[str, ...]:
        found = (values.at(sender.name, metric, packets=packets).value for packets in buffers)
        return sender.label, *(mean_and_half(value, digits[metric]) for value in found)

    return [
        TextTable(
            title,
            ("", *(BUFFER.text(packets) for packets in buffers)),
            tuple(row(metric, sender) for sender in SENDERS),
            f"Mean ± 95 % half-width of {values.reps} runs.",
        )
        for metric, title in MEASURED.items()
    ]


def figure(values: Values) -> Figure:
    """Draw goodput against the mean wait, with one panel per buffer size; the upper left corner is best."""
    from airhop.plots.paper import curve, legend, panels
    from airhop.plots.style import styles

    buffers = buffers_in(values)
    drawing, made = panels(len(buffers), 2.0)
    look = styles(LABELS)
    for place, (axes, packets) in enumerate(zip(made, buffers, strict=True)):
        for sender in SENDERS:
            wait, goodput = (values.at(sender.name, one, packets=packets).value for one in (MEAN, GOODPUT))
            curve(
                axes,
                [max(wait.mean, 1.0)],
                [goodput.mean],
                [goodput.half_width],
                label="_" * (place > 0) + sender.label,  # one line in the legend
                style=look[sender.name],
                joined=False,
            )
        axes.set_ylim(0.0, 5.0)
        axes.set_ylabel(MEASURED[GOODPUT])
        axes.text(0.03, 0.93, BUFFER.text(packets), transform=axes.transAxes, va="top")
    made[-1].set_xscale("log")
    made[-1].set_xlabel(MEASURED[MEAN])
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id="airhop/today/delay",
    title="Queueing delay of today's senders, by size of buffers",
    source=f"{SOURCE}, Figure 5",
    method=(
        "The values come from traces of the runs of airhop/today/buffers. The queueing delay of a segment is "
        "the time from its transmission to its first frame on the air, less the smallest such time in the "
        "run; retransmitted segments are excluded. Its mean and its 95th percentile are one number per run "
        "each, and senders are compared replication by replication."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
