"""The ELN filter of §4.2 in a disconnection: wasted retransmissions, without and with the filter.

Printed in section 4.2: without a filter "the TCP sender keeps on retransmitting the lost segments", which
"wastes the bandwidth of the wired network". With a filter the sender treats more than N consecutive ELNs as a
disconnection, freezes, and answers every other ELN. The paper has no figure of the filter.

The network is Airhop's: the path of Figure 6 without channel errors. After 10 s, no frame arrives for the
length of a disconnection, which is the axis. Another 10 s without errors follow. N is 2 (the paper's
example), 3 and 5; without a filter N is a million.

A retransmission is wasted if it leaves the sender during the disconnection: it crosses three wired links in
vain. Wasted retransmissions are counted in traces, because other retransmissions repair collisions before and
after the disconnection. "Gradually" is checked in steps of a fifth of a second, about one round trip of this
path in good times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values
from airhop.experiments.claims import every, exceeds
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.traced import apart, estimated, mean_and_half, paired, traced_runs
from airhop.experiments.yun2009 import PAPER
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

GOOD_S = 10
"""Duration in seconds of the good time before the disconnection, and of the good time after it."""
LENGTHS = (0.5, 1, 2, 5, 10, 20)
PERMANENT_S = LENGTHS[-1]
TEMPORARY_S = 2
"""Maximum duration in seconds of a disconnection that counts as temporary."""
UNFILTERED, EXAMPLE = "no filter", "N = 2"
FILTERS = {EXAMPLE: 2, "N = 3": 3, "N = 5": 5, UNFILTERED: 1_000_000}
STEP_S = 0.2
STEPS = 10
"""Number of steps (intervals) at the start of a disconnection with separate counts of retransmissions."""
FALLS = 2
"""Number of step pairs for which a decrease of wasted retransmissions is checked.

As the queue empties, a step lasts up to three round trips. In the checked steps, a window of a hundred
segments is halved about six times. Afterwards the sender sends only probes.
"""
REPLICATIONS: dict[Mode, int] = {"quick": 3, "default": 10, "full": 20}
WASTED, PER_STEP, GOODPUT, SAVED, LESS, EXTRA = (
    "wasted",
    "wasted_in_step",
    "goodput_mbps",
    "saved",
    "less_than_before",
    "goodput_beyond_share",
)
AS_MUCH = 0.95
SAVES = "ESACK can reduce the bandwidth waste of unnecessary retransmission due to consecutive ELNs"


@dataclass(frozen=True)
class DisconnectionCounts:
    """Counts of a run with a disconnection."""

    wasted: int
    per_step: tuple[int, ...]
    goodput_mbps: float


def scenario(name: str, length: float) -> Scenario:
    """Return the scenario with one filter and one length of the disconnection."""
    return Scenario.load("yun2009-downlink").with_(
        {
            "scheme": {"name": "ll-elsn", "n": FILTERS[name]},
            "duration": f"{2 * GOOD_S + length} s",
            "wlan.cell.attempts": 1,
            "wlan.cell.errors": {
                "kind": "two-state",
                "good": f"{GOOD_S} s",
                "bad": f"{length} s",
                "sojourn": "constant",
                "start": "good",
                "fer_good": 0.0,
                "fer_bad": 1.0,
            },
        }
    )


def measure(name: str, length: float, seed: int, rep: int) -> DisconnectionCounts:
    """Trace a run and count its wasted retransmissions."""
    result = run(scenario(name, length), seed=seed, rep=rep, trace=True)
    wasted, per_step = wasted_in(result.tables, GOOD_S, length)
    return DisconnectionCounts(wasted, per_step, result.goodput_mbps)


def wasted_in(
    tables: Mapping[str, pl.DataFrame], begin_s: float, length_s: float
) -> tuple[int, tuple[int, ...]]:
    """Count the retransmissions sent during the disconnection: in total, and in each of the first steps."""
    since = tables["segments"].filter("retransmission")["time_s"] - begin_s
    since = since.filter(since.is_between(0.0, length_s, closed="left"))
    counts = tuple(
        int(since.is_between(k * STEP_S, (k + 1) * STEP_S, closed="left").sum()) for k in range(STEPS)
    )
    return since.len(), counts


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Trace every filter with every length of the disconnection, and compare filters by replication."""
    runs = traced_runs(measure, product(FILTERS, LENGTHS), REPLICATIONS[mode], seed, reporter)
    found = []
    for (name, length), seen in runs.items():
        x: dict[str, X] = {"length_s": length}
        wasted, goodput = [one.wasted for one in seen], [one.goodput_mbps for one in seen]
        without = runs[UNFILTERED, length]
        found.append(estimated(name, x, WASTED, wasted))
        found.append(estimated(name, x, GOODPUT, goodput))
        found.append(paired(name, x, SAVED, [one.wasted for one in without], wasted))
        share = [AS_MUCH * one.goodput_mbps for one in without]
        found.append(paired(name, x, EXTRA, goodput, share))
    for name in FILTERS:
        steps = list(zip(*(one.per_step for one in runs[name, PERMANENT_S]), strict=True))
        for number, counts in enumerate(steps):
            found.append(estimated(name, {"step": number}, PER_STEP, counts))
        for number, (before, counts) in enumerate(pairwise(steps), start=1):
            found.append(paired(name, {"step": number}, LESS, before, counts))
    return found


# ---- claims ----------------------------------------------------------------------------------------------


@worded(
    "with {names}, a disconnection of {lengths} s causes fewer wasted retransmissions than without a filter"
)
def saving(values: Values, names: tuple[str, ...], lengths: tuple[float, ...]) -> ClaimResult:
    """Check whether these filters waste fewer transmissions than no filter, in each disconnection."""
    saved = [values.at(name, SAVED, length_s=length).value for name in names for length in lengths]
    return ClaimResult(every(apart(one, 1) for one in saved), "; ".join(map(_told(values), lengths)))


def _told(values: Values) -> Callable[[float], str]:
    def told(length: float) -> str:
        means = {name: values.at(name, WASTED, length_s=length).value for name in (UNFILTERED, EXAMPLE)}
        parts = ", ".join(f"{mean_and_half(mean, 0)} ({name})" for name, mean in means.items())
        return f"in {length:g} s {parts}"

    return told


def waste_falls_stepwise(values: Values) -> ClaimResult:
    """Check whether with N = 2 each of the first steps of 200 ms wastes less than the step before."""
    counts = [values.at(EXAMPLE, PER_STEP, step=number).value for number in range(FALLS + 1)]
    falls = [values.at(EXAMPLE, LESS, step=number).value for number in range(1, FALLS + 1)]
    told = ", ".join(mean_and_half(count, 0) for count in counts)
    return ClaimResult(
        every((apart(counts[0], 1), *(apart(fall, 1) for fall in falls))),
        f"from one {1000 * STEP_S:g} ms to the next: {told}",
    )


def longer_wastes_more(values: Values) -> ClaimResult:
    """Check whether longer disconnections waste more retransmissions, without a filter."""
    told, decisions = [], []
    for short, long in pairwise(LENGTHS):
        less, more = (values.at(UNFILTERED, WASTED, length_s=length).value for length in (short, long))
        decisions.append(exceeds(more, less))
        told.append(f"{mean_and_half(more, 0)} in {long:g} s")
    return ClaimResult(every(decisions), ", ".join(told))


def keeps_goodput(values: Values) -> ClaimResult:
    """Check whether N = 2 costs less than 5 % of the goodput, in disconnections of up to 2 s."""
    lengths = [length for length in LENGTHS if length <= TEMPORARY_S]
    more = [values.at(EXAMPLE, EXTRA, length_s=length).value for length in lengths]
    told = []
    for length in lengths:
        with_it, without = (
            mean_and_half(values.at(name, GOODPUT, length_s=length).value) for name in (EXAMPLE, UNFILTERED)
        )
        told.append(f"{with_it} of {without} Mbit/s with {length:g} s")
    return ClaimResult(every(apart(one, 1) for one in more), ", ".join(told))


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-filter-waste",
        "Without a filter the sender keeps retransmitting, and a longer disconnection causes more "
        "retransmissions.",
        longer_wastes_more,
        quote="the TCP sender keeps on retransmitting the lost segments. This wastes the bandwidth of the "
        "wired network unnecessarily",
    ),
    Claim(
        "yun-filter",
        f"The filter saves bandwidth in a permanent disconnection: over {PERMANENT_S} s, N = 2 "
        "causes fewer wasted retransmissions than no filter.",
        Asked(saving, (EXAMPLE,), (PERMANENT_S,)),
        quote=SAVES,
    ),
    Claim(
        "yun-filter-gradually",
        "The saving is gradual: in the first 200 ms the sender still retransmits, and in each of the next "
        "two periods of 200 ms it retransmits less than in the previous period.",
        waste_falls_stepwise,
        quote=f"{SAVES} gradually in permanent disconnection",
    ),
    Claim(
        "yun-filter-everywhere",
        "The filter saves bandwidth in a disconnection of any length from half a second to 20 s, with N of "
        "2, 3 and 5.",
        Asked(saving, tuple(name for name in FILTERS if name != UNFILTERED), LENGTHS),
        own=True,
        because="The paper speaks of permanent disconnections and of one N.",
    ),
    Claim(
        "yun-filter-temporary",
        f"The filter costs almost nothing if a station is away for {TEMPORARY_S} s or less: with N = 2 the "
        "goodput is more than 95 % of that without a filter.",
        keeps_goodput,
        own=True,
        because="The paper's sender recovers after a short disconnection, at a cost that the paper does not "
        "print.",
    ),
)


def headline(values: Values) -> str:
    """State the wasted retransmissions in the longest disconnection, without and with the filter."""
    without, with_it = (
        values.at(name, WASTED, length_s=PERMANENT_S).value.mean for name in (UNFILTERED, EXAMPLE)
    )
    return (
        f"In a disconnection of {PERMANENT_S} s the sender wastes {without:.0f} retransmissions without a "
        f"filter, and {with_it:.0f} with N = 2."
    )


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List wasted and delivered segments by length of the disconnection, and wasted segments step by step."""
    note = f"Mean ± 95 % half-width of {values.reps} runs."

    def by_length(title: str, metric: str, digits: int) -> TextTable:
        rows = tuple(
            (
                f"{length:g} s",
                *(mean_and_half(values.at(name, metric, length_s=length).value, digits) for name in FILTERS),
            )
            for length in LENGTHS
        )
        return TextTable(title, ("disconnection", *FILTERS), rows, note)

    steps = tuple(
        (
            f"{1000 * STEP_S * number:.0f} ms",
            *(mean_and_half(values.at(name, PER_STEP, step=number).value, 0) for name in FILTERS),
        )
        for number in range(STEPS)
    )
    title = f"Wasted retransmissions in a disconnection of {PERMANENT_S} s, in the {1000 * STEP_S:g} ms from"
    return [
        by_length("Wasted retransmissions within the disconnection", WASTED, 0),
        by_length("Goodput, Mbit/s, including 20 s without errors", GOODPUT, 2),
        TextTable(title, ("", *FILTERS), steps, note),
    ]


def figure(values: Values) -> Figure:
    """Draw the wasted retransmissions against the length of the disconnection, and step by step."""
    from airhop.plots.paper import legend, new_figure
    from airhop.plots.style import PALETTE

    drawing = new_figure(7.16, 2.7)
    left, right = drawing.subplots(1, 2)
    for name, style in zip(FILTERS, PALETTE, strict=False):
        look = {"color": style.color, "marker": style.marker, "markersize": 3.5, "capsize": 1.5}
        wasted = values.line(name, WASTED, "length_s")
        left.errorbar(
            wasted.x, wasted.means, [half or 0.0 for half in wasted.half_widths], **look, label=name
        )
        steps = values.line(name, PER_STEP, "step")
        right.errorbar(
            [STEP_S * (number + 0.5) for number in steps.x],
            [mean / STEP_S for mean in steps.means],
            [(half or 0.0) / STEP_S for half in steps.half_widths],
            **look,
        )
    left.set_xscale("log")
    left.set_yscale("log")
    left.set_xlabel("Length of the disconnection (s)")
    left.set_ylabel("Wasted retransmissions")
    right.set_xlim(0.0, STEP_S * STEPS)
    right.set_ylim(bottom=0.0)
    right.set_xlabel(f"Time since the disconnection (s), of {PERMANENT_S} s")
    right.set_ylabel("Retransmissions per second")
    for axes in (left, right):
        axes.grid(visible=True, linewidth=0.3, color="0.85")
        axes.set_axisbelow(True)
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id="yun2009/filter",
    title="Wasted retransmissions in a disconnection, without and with the ELN filter",
    source=f"{PAPER}, section 4.2",
    method=(
        "Runs have the path of Figure 6, one transmission per frame, no channel errors, and from 10 s on a "
        "disconnection in which every frame is lost, followed by 10 s without errors. The traces give the "
        "number of retransmissions that leave the sender within the disconnection."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
