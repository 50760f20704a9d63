"""Cost of EBSN if the link discards packets: "it may unnecessarily delay retransmissions".

With an attempt limit, the base station discards packets in a long fade, and the sender must retransmit them.
Until then, the EBSN of each failed attempt has restarted the sender's timer. Traces yield the time from the
discard of a packet to the sender's retransmission. The times with EBSN and with local recovery alone are
paired by replication. The limits are Airhop's choice; Bakshi et al. (1997) have a limit of 13. An attempt
takes 0.24 s, and the mean fade lasts 4 s.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values
from airhop.experiments.claims import some
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.kounavis1996 import EBSN, LOCAL, PAPER
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.kounavis1996.readings import questions
from airhop.experiments.reading import Reading
from airhop.experiments.traced import apart, estimated, mean_and_half, paired, traced_runs
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run
from airhop.stats import Estimate

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

CURVES = (LOCAL, EBSN)
BETWEEN = "ebsn less local"
"""Name of the curve with the paired differences."""
LIMITS = (2, 4, 8, 13)
REPLICATIONS: dict[Mode, int] = {"quick": 4, "default": 50, "full": 200}
METRICS = {
    "repair_s": "Time until retransmission (s)",
    "goodput_kbps": "Goodput (kbit/s)",
    "given_up": "Discarded packets",
    "real_timeouts": "Genuine timeouts",
}


@dataclass(frozen=True)
class Repairs:
    """Repairs of the packets that the link discarded in a run."""

    repair_s: float
    """Mean seconds from a discard to the sender's retransmission; nan without discarded packets."""
    goodput_kbps: float
    given_up: float
    real_timeouts: float


def scenario(curve: str, limit: int, reading: Reading | None = None) -> Scenario:
    """Return the scenario with this attempt limit of local recovery in both directions."""
    settings = {**FIXED.recovery, **(reading.settings if reading else {})}
    limited = {path: {**settings[path], "attempts": limit} for path in FIXED.recovery}  # type: ignore[dict-item]
    compared = next(one for one in CURVES if one.name == curve)
    changes = (compared.under(reading) if reading else compared).changes
    return Scenario.load(FIXED.scenario).with_({**settings, **limited, **changes})


def repair_times(tables: Mapping[str, pl.DataFrame]) -> pl.Series:
    """Return the seconds from the discard of each data packet to the retransmission of the segment."""
    import polars as pl

    given_up = tables["drops"].filter(pl.col("cause") == "retries", pl.col("kind") == "data")
    sent = tables["segments"].select("seq", "time_s").sort("time_s")
    repaired = (
        given_up.select("seq", dropped_s="time_s")
        .sort("dropped_s")
        .join_asof(
            sent,
            left_on="dropped_s",
            right_on="time_s",
            by="seq",
            strategy="forward",
            check_sortedness=False,  # polars cannot check groups; both are sorted above
        )
    )
    return (repaired["time_s"] - repaired["dropped_s"]).drop_nulls()


def measure(reading: Reading | None, curve: str, limit: int, seed: int, rep: int) -> Repairs:
    """Trace a run, and measure the repairs of the discarded packets."""
    result = run(scenario(curve, limit, reading), seed=seed, rep=rep, trace=True)
    times, flow = repair_times(result.tables), result.tcp_flows[0]
    return Repairs(
        repair_s=float(times.mean()) if len(times) else math.nan,  # type: ignore[arg-type]
        goodput_kbps=1000 * result.goodput_mbps,
        given_up=float(result.drops["retries"]),
        real_timeouts=float(flow["timeouts"] - flow["spurious_timeouts"]),
    )


def compute_under(reading: Reading | None) -> Compute:
    """Return the computation under a reading of the paper: paired runs of both curves at every limit."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        cells = product((curve.name for curve in CURVES), LIMITS)
        found = traced_runs(partial(measure, reading), cells, REPLICATIONS[mode], seed, reporter)
        return [
            value for limit, metric in product(LIMITS, METRICS) for value in _values(found, limit, metric)
        ]

    return compute


def _values(found: Mapping[tuple[str, int], Sequence[Repairs]], limit: int, metric: str) -> list[Value]:
    runs = ([getattr(one, metric) for one in found[curve.name, limit]] for curve in CURVES)
    known = [pair for pair in zip(*runs, strict=True) if not any(map(math.isnan, pair))]
    if not known:  # the link discards no packet, because all fades are short
        return []
    local, ebsn = zip(*known, strict=True)
    x: dict[str, X] = {"attempts": limit}
    return [
        estimated("local", x, metric, local),
        estimated("ebsn", x, metric, ebsn),
        paired(BETWEEN, x, metric, ebsn, local),
    ]


# ---- claims ----------------------------------------------------------------------------------------------


@worded(
    "at some limit, the paired difference of {metric}, EBSN less local recovery, is {sign} zero, by "
    "simultaneous intervals",
    {**METRICS, 1: "above", -1: "below"},
)
def somewhere(values: Values, metric: str, sign: int) -> ClaimResult:
    """Check whether EBSN is above local recovery alone (`sign` 1) or below (-1) in a metric at some limit."""
    differences = values.of(BETWEEN, metric)
    told = ", ".join(f"{_told(found.value, '+')} at {found.x['attempts']}" for found in differences)
    return ClaimResult(
        some(apart(found.value, sign) for found in differences) if differences else None,
        f"{METRICS[metric]}, EBSN less local recovery: {told} attempts",
    )


def _told(value: Estimate, sign: str = "") -> str:
    return mean_and_half(value, sign=sign).replace("-", "−")


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "kou-6",
        "EBSN delays retransmissions of packets that were dropped on the wireless link: with some limit of "
        "attempts the sender retransmits them later than with local recovery alone.",
        Asked(somewhere, "repair_s", 1),
        quote="Another disadvantage of EBSN is that it may unnecessarily delay retransmissions, in cases "
        "when packets are dropped over the wireless links.",
    ),
    Claim(
        "kou-6-cost",
        "This delay costs goodput: with some limit EBSN delivers less than local recovery alone.",
        Asked(somewhere, "goodput_kbps", -1),
        own=True,
        because="The paper states that retransmissions may be late, but not the cost.",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the additional delay of retransmissions, and the change of the goodput."""
    told = [
        f"{values.at(BETWEEN, 'repair_s', attempts=limit).value.mean:+.2f} s and "
        f"{values.at(BETWEEN, 'goodput_kbps', attempts=limit).value.mean:+.2f} kbit/s with {limit} attempts"
        for limit in (LIMITS[0], LIMITS[-1])
    ]
    return f"EBSN changes the repair time of discarded packets by {', '.join(told)}.".replace("-", "−")


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List the measures of discarded packets, one table per metric."""
    signs = {"local": "", "ebsn": "", BETWEEN: "+"}

    def row(metric: str, limit: int) -> tuple[str, ...]:
        found = {curve: values.at(curve, metric, attempts=limit).value for curve in signs}
        return str(limit), *(_told(found[curve], sign) for curve, sign in signs.items())

    return [
        TextTable(
            label,
            ("attempts", *(curve.label for curve in CURVES), "paired difference"),
            tuple(row(metric, limit) for limit in LIMITS),
            f"Mean ± 95 % half-width of {values.reps} runs of 100 s." if metric == list(METRICS)[-1] else "",
        )
        for metric, label in METRICS.items()
    ]


def figure(values: Values) -> Figure:
    """Draw the time until a discarded packet is retransmitted, and the goodput, against the limit."""
    from airhop.plots.paper import curve as draw
    from airhop.plots.paper import legend, panels
    from airhop.plots.style import styles

    shown = ("repair_s", "goodput_kbps")
    drawing, made = panels(len(shown), 1.8)
    look = styles([curve.name for curve in CURVES])
    for axes, metric in zip(made, shown, strict=True):
        for curve in CURVES:
            draw(
                axes,
                *values.line(curve.name, metric, "attempts"),
                label=curve.label if axes is made[0] else f"_{curve.label}",
                style=look[curve.name],
            )
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel(METRICS[metric])
    made[-1].set_xticks(LIMITS)
    made[-1].set_xlabel("Attempt limit of the link")
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id="kounavis1996/attempt-limit",
    title="EBSN on a link that discards packets, fixed to mobile",
    source=f"{PAPER}, §3",
    method=(
        "The values come from traces of the fixed-to-mobile network, whose local recovery sends a frame a "
        "limited number of times. The result of a run is the mean time from the discard of a data packet to "
        "the retransmission of its segment by the sender. Runs are compared replication by replication; a "
        "run without discards has no such time."
    ),
    compute=compute_under(None),
    questions=questions(FIXED, CURVES),
    compute_under=compute_under,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
