"""Deliveries during fades: "during these periods almost no packet is being succesfully delivered".

Transmission attempts of data packets on the radio link are counted in traces. An attempt belongs to a fade if
its last bit lies in the fade. "Almost no packet" means that fewer than one in twenty of these attempts are
received. With the default bit error rate of fades, a packet is received only if nearly all of its bits
precede the fade.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values
from airhop.experiments.claims import below, every
from airhop.experiments.experiment import Claim, ClaimResult, Curve, Mode
from airhop.experiments.kounavis1996 import PAPER, SECONDS, TIMER, unmodified
from airhop.experiments.kounavis1996.basic import SETTINGS
from airhop.experiments.kounavis1996.networks import FIXED
from airhop.experiments.kounavis1996.readings import questions
from airhop.experiments.reading import Reading
from airhop.experiments.traced import estimated, mean_and_half, traced_runs
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

CURVES = (unmodified(FIXED), Curve("reno", "Reno", "reno", FIXED.plain))
REPLICATIONS: dict[Mode, int] = {"quick": 10, "default": 50, "full": 200}
DELIVERED, ATTEMPTS = "delivered_percent", "attempts"
METRICS = {DELIVERED: "Attempts received (%)", ATTEMPTS: "Attempts in a run"}
STATES = {"fade": "in a fade", "good": "in good times"}
"""State of the channel at the last bit of a transmission attempt."""
ALMOST_NONE = 5.0
"""Maximum share of received attempts that counts as "almost no packet", in per cent."""


@dataclass(frozen=True)
class AttemptCounts:
    """Transmission attempts of data packets in one run and one channel state: number, and share received."""

    attempts: int
    delivered_percent: float
    """Share of received attempts in per cent; NaN without attempts."""


def scenario(curve: str, reading: Reading | None = None) -> Scenario:
    """Return the scenario: unmodified TCP over radio links that send every frame once."""
    compared = next(one for one in CURVES if one.name == curve)
    changes = (compared.under(reading) if reading else compared).changes
    settings = {**FIXED.recovery, **TIMER, **SETTINGS, **(reading.settings if reading else {})}
    return Scenario.load(FIXED.scenario).with_({**settings, **changes})


def seen_in(tables: Mapping[str, pl.DataFrame]) -> dict[str, AttemptCounts]:
    """Count transmission attempts of data packets by the channel state at the last bit of the attempt."""
    import polars as pl

    fades = tables["fades"].select("place", "begin_s", fade_end_s="end_s").sort("begin_s")
    tried = (
        tables["air"]
        .filter(pl.col("kind") == "data", pl.col("packet") == "data")
        .select(
            "end_s",
            place=pl.concat_str("from", pl.lit("->"), "to"),
            received=pl.col("outcome") == "received",
        )
        .sort("end_s")
        .join_asof(fades, left_on="end_s", right_on="begin_s", by="place", check_sortedness=False)
        .with_columns(faded=(pl.col("end_s") < pl.col("fade_end_s")).fill_null(value=False))
    )
    found = {}
    for state in STATES:
        of_state = tried.filter(pl.col("faded") == (state == "fade"))["received"]
        share = of_state.mean()
        found[state] = AttemptCounts(of_state.len(), math.nan if share is None else 100.0 * float(share))  # type: ignore[arg-type]
    return found


def measure(reading: Reading | None, curve: str, seed: int, rep: int) -> dict[str, AttemptCounts]:
    """Trace a run and count its attempts."""
    return seen_in(run(scenario(curve, reading), seed=seed, rep=rep, trace=True).tables)


def compute_under(reading: Reading | None) -> Compute:
    """Return the function that traces both senders, under one interpretation of the paper."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        cells = ((curve.name,) for curve in CURVES)
        runs = traced_runs(partial(measure, reading), cells, REPLICATIONS[mode], seed, reporter)
        values = []
        for curve, state, metric in product(CURVES, STATES, METRICS):
            numbers = [float(getattr(one[state], metric)) for one in runs[(curve.name,)]]
            known = [number for number in numbers if not math.isnan(number)]
            if known:
                values.append(estimated(curve.name, {"state": state}, metric, known))
        return values

    return compute


@worded(
    "of the attempts to transmit a data packet whose last bit lies in a fade, fewer than {most:g} % are "
    "received, of Tahoe and of Reno"
)
def almost_none(values: Values, most: float) -> ClaimResult:
    """Check whether fewer than `most` per cent of the attempts during fades are received, for each sender."""
    found = {curve.label: values.at(curve.name, DELIVERED, state="fade").value for curve in CURVES}
    told = ", ".join(
        f"{label} {mean_and_half(share)} % of {values.at(curve.name, ATTEMPTS, state='fade').value.mean:.0f}"
        for (label, share), curve in zip(found.items(), CURVES, strict=True)
    )
    return ClaimResult(
        every(below(share, most) for share in found.values()), f"received of the attempts of a run: {told}"
    )


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "kou-fades",
        "In deep fades almost no packet is delivered: fewer than 5 % of the attempts that end in a fade are "
        "received.",
        Asked(almost_none, ALMOST_NONE),
        quote="Deep fades last for an average period of 4 sec and during these periods almost no packet is "
        "being succesfully delivered.",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the shares of received attempts in fades and in good times."""
    told = " and ".join(
        f"{values.at('basic', DELIVERED, state=state).value.mean:.1f} % {words}"
        for state, words in STATES.items()
    )
    return f"Of Tahoe's attempts {told} are received."


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List the transmission attempts by sender and channel state."""
    return [
        TextTable(
            "Attempts with a data packet by the state of the channel at their last bit",
            ("sender", "state", *METRICS.values()),
            tuple(
                (
                    curve.label,
                    words,
                    *(mean_and_half(values.at(curve.name, metric, state=state).value) for metric in METRICS),
                )
                for curve in CURVES
                for state, words in STATES.items()
            ),
            f"Mean ± 95 % half-width of {values.reps} runs of {SECONDS} s.",
        )
    ]


def figure(values: Values) -> Figure:
    """Draw the share of received attempts in fades and in good times."""
    from airhop.plots.paper import legend, page
    from airhop.plots.style import styles

    drawing, axes = page()
    for curve in CURVES:
        shares = [values.at(curve.name, DELIVERED, state=state).value for state in STATES]
        axes.errorbar(
            range(len(STATES)),
            [share.mean for share in shares],
            [share.half_width or 0.0 for share in shares],
            color=(style := styles([one.name for one in CURVES])[curve.name]).color,
            marker=style.marker,
            linestyle="none",
            markersize=3.5,
            capsize=1.5,
            label=curve.label,
        )
    axes.set_xticks(range(len(STATES)), list(STATES.values()))
    axes.set_xlim(-0.5, len(STATES) - 0.5)
    axes.set_ylim(0.0, 105.0)
    axes.set_ylabel(METRICS[DELIVERED])
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id="kounavis1996/in-fades",
    title="Packets delivered during fades, fixed to mobile",
    source=f"{PAPER}, §2",
    method=(
        "The values come from traces of the fixed-to-mobile network without local recovery. The measures "
        "count the attempts to transmit a data packet over the radio link, by the state of the channel at "
        "their last bit."
    ),
    compute=compute_under(None),
    questions=questions(FIXED, CURVES),
    compute_under=compute_under,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
