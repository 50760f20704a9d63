"""Figure "Congestion window dynamics (in eight-hop path)": Reno's window and TCP-CL's over time.

The curves of the figure are lost. The claims are statements of the slides about TCP-CL's sender. The sender
retransmits corrupted packets without a window reduction. The window is therefore larger, and falls to one
segment less often.

The network is the chain of the first table with eight hops. The figure shows replication 0, and means are
over all replications. The window here is the smaller of cwnd and the receive window of 20 segments, because
cwnd above 20 segments has no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values, exact
from airhop.experiments.cheng2008 import PAPER, SCHEMES
from airhop.experiments.cheng2008.chains import MOST_HOPS
from airhop.experiments.cheng2008.readings import BELOW_TCP
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Mode
from airhop.experiments.reading import Reading
from airhop.experiments.traced import apart, estimated, mean_and_half, paired, traced_runs
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COMPARED = ("reno", "tcp-cl")
BETWEEN = "tcp-cl less reno"
"""Name of the curve with the paired differences."""
RECEIVER = 20.0
"""Receive window in segments."""
STEP_S = 0.2
"""Interval between drawn points in seconds."""
REPLICATIONS: dict[Mode, int] = {"quick": 3, "default": 10, "full": 10}
METRICS = {
    "mean_cwnd": "Mean window (segments)",
    "at_one": "Time at one segment (%)",
    "timeouts": "Timeouts",
    "window_cuts": "Window reductions",
}


@dataclass(frozen=True)
class Window:
    """Congestion window of one run."""

    drawn: Sequence[float]
    """Window in segments, sampled every `STEP_S` from time 0."""
    mean_cwnd: float
    """Mean window over time, in segments."""
    at_one: float
    """Share of the time with a window of one segment, in per cent."""
    timeouts: float
    window_cuts: float


def scenario(scheme: str, reading: Reading | None = None) -> Scenario:
    """Return the scenario: the chain of eight hops without channel errors, for a reading of the paper."""
    changes = {"wlan.field.layout.nodes": MOST_HOPS + 1, "flow.ftp.to": f"n{MOST_HOPS}"}
    curve = Curve(scheme, SCHEMES[scheme], scheme)
    read = {**reading.settings, **curve.under(reading).changes} if reading else curve.changes
    return Scenario.load("cheng2008-chain").with_({**changes, **read})


def measure(reading: Reading | None, scheme: str, seed: int, rep: int) -> Window:
    """Trace a run, and sample the window; the window is constant between recorded changes."""
    import numpy as np

    result = run(scenario(scheme, reading), seed=seed, rep=rep, trace=True)
    table, flow = result.tables["window"], result.tcp_flows[0]
    times, cwnd = table["time_s"].to_numpy(), np.minimum(table["cwnd"].to_numpy(), RECEIVER)
    seconds = result.document["duration_s"]
    spans = np.diff(times, append=seconds)
    drawn = np.searchsorted(times, np.arange(0.0, seconds, STEP_S), side="right") - 1
    return Window(
        drawn=np.where(drawn < 0, 0.0, cwnd[np.maximum(drawn, 0)]).tolist(),
        mean_cwnd=float(np.average(cwnd, weights=spans)),
        at_one=100.0 * float(np.average(cwnd < 2.0, weights=spans)),
        timeouts=float(flow["timeouts"]),
        window_cuts=float(flow["window_cuts"]),
    )


def compute_under(reading: Reading | None) -> Compute:
    """Return the computation for an interpretation of the paper: traces of every scheme, in pairs."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        cells = ((scheme,) for scheme in COMPARED)
        runs = traced_runs(partial(measure, reading), cells, REPLICATIONS[mode], seed, reporter)
        found = {scheme: windows for (scheme,), windows in runs.items()}
        return [*_means(found), *_drawn(found)]

    return compute


def _means(found: dict[str, list[Window]]) -> Iterator[Value]:
    for metric in METRICS:
        samples = {scheme: [getattr(one, metric) for one in found[scheme]] for scheme in COMPARED}
        yield from (estimated(scheme, {}, metric, samples[scheme]) for scheme in COMPARED)
        yield paired(BETWEEN, {}, metric, samples["tcp-cl"], samples["reno"])


def _drawn(found: dict[str, list[Window]]) -> Iterator[Value]:
    for scheme in COMPARED:
        for place, cwnd in enumerate(found[scheme][0].drawn):
            yield Value(scheme, {"time_s": round(STEP_S * place, 6)}, "cwnd", exact(cwnd))


# ---- claims ----------------------------------------------------------------------------------------------


@worded(
    "the paired difference of {metric}, TCP-CL less Reno, is {sign} zero",
    {**METRICS, 1: "above", -1: "below"},
)
def larger(values: Values, metric: str, sign: int) -> ClaimResult:
    """Check whether TCP-CL is above Reno (`sign` 1) or below (-1) in a metric, by paired differences."""
    less = values.at(BETWEEN, metric).value
    told = ", ".join(f"{scheme} {mean_and_half(values.at(scheme, metric).value)}" for scheme in COMPARED)
    if less.half_width is None:
        return ClaimResult(None, told)
    difference = mean_and_half(less, sign="+")
    return ClaimResult(
        apart(less, sign), f"{METRICS[metric].lower()}: {told}; paired difference {difference}"
    )


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "cheng-cwnd-larger",
        "TCP-CL's window over eight hops is larger than Reno's, averaged over time.",
        Asked(larger, "mean_cwnd", 1),
        own=True,
        because="The curves are lost; a NAK is meant to keep the window larger.",
    ),
    Claim(
        "cheng-cwnd-cuts",
        "TCP-CL reduces its window less often.",
        Asked(larger, "window_cuts", -1),
        own=True,
        because=("The slides print the rule of the sender; its outcome in this figure is lost."),
    ),
    Claim(
        "cheng-cwnd-timeouts",
        "TCP-CL's window falls to one segment less often: the sender has fewer timeouts.",
        Asked(larger, "timeouts", -1),
        own=True,
        because="The curves are lost; in such a figure a window of one segment marks a timeout.",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the mean windows."""
    reno, own = (values.at(scheme, "mean_cwnd").value.mean for scheme in COMPARED)
    waits = [values.at(scheme, "timeouts").value.mean for scheme in COMPARED]
    return (
        f"Over eight hops TCP-CL's window is {own:.1f} segments in the mean and Reno's {reno:.1f}; in 100 s "
        f"they have {waits[1]:.0f} and {waits[0]:.0f} timeouts."
    )


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List the statistics of the windows over time."""
    rows = tuple(
        (label, *(mean_and_half(values.at(curve, metric).value) for curve in (*COMPARED, BETWEEN)))
        for metric, label in METRICS.items()
    )
    runs = values.at(BETWEEN, "timeouts").value.n
    return [
        TextTable(
            "The congestion window over eight hops",
            ("", *(SCHEMES[scheme] for scheme in COMPARED), "paired difference"),
            rows,
            f"Mean ± 95 % half-width of {runs} runs of 100 s.",
        )
    ]


def figure(values: Values) -> Figure:
    """Draw the window of one run of each scheme, one below the other."""
    from airhop.plots.paper import panels
    from airhop.plots.style import styles

    drawing, made = panels(len(COMPARED), 1.5)
    look = styles(COMPARED)
    highest = max(value.value.mean for scheme in COMPARED for value in values.of(scheme, "cwnd"))
    for axes, scheme in zip(made, COMPARED, strict=True):
        times, windows, _ = values.line(scheme, "cwnd", "time_s")
        axes.step(times, windows, where="post", color=look[scheme].color, linewidth=0.7)
        axes.set_ylim(0.0, 1.3 * highest)
        axes.set_ylabel("Window (segments)")
        axes.text(0.97, 0.93, SCHEMES[scheme], transform=axes.transAxes, ha="right", va="top")
    made[-1].set_xlim(0.0, times[-1] + STEP_S)
    made[-1].set_xlabel("Time (s)")
    return drawing


EXPERIMENT = Calculation(
    id="cheng2008/fig-cwnd",
    title="Congestion window over time, eight hops",
    source=f'{PAPER}, "Congestion window dynamics (in eight-hop path)"',
    method=(
        "The values come from traces of the chain of eight hops without channel errors, with on-demand "
        "routing. The window is the smaller of cwnd and the receiver's 20 segments. Each run yields one "
        "value, the mean over its 100 s. The claims compare TCP-CL and Reno in pairs of replications. The "
        "figure shows replication 0, every 0.2 s."
    ),
    compute=compute_under(None),
    compute_under=compute_under,
    questions=BELOW_TCP,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
