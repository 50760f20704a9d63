"""RTTN (a reconstruction) with a moving receiver, section 4: "fade duration is also constantly changing".

A fade is a section of the receiver's path without reception, and lasts until the receiver has crossed the
section. The mean fade length is therefore inversely proportional to the speed (Rice 1948; Jakes 1974, §1.3).
At the printed speed, the receiver is in a fade for 4 of 14 s, as in the paper's network. The receiver
alternates between a higher and a lower speed. The geometric mean of both speeds is the printed speed, and the
axis is the ratio of both. The sender's own radio link fades as in the paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values
from airhop.experiments.claims import every, some
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.kounavis1996 import EBSN, LOCAL, PAPER, PATIENT, RTTN
from airhop.experiments.kounavis1996.networks import MOBILE
from airhop.experiments.kounavis1996.readings import RTTN_MARGIN, questions
from airhop.experiments.reading import Reading
from airhop.experiments.traced import apart, differs_from_zero, estimated, mean_and_half, paired, traced_runs
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CURVES = (LOCAL, EBSN, RTTN, PATIENT)
FACTORS = (1, 4, 16)
PHASE_S, PHASES = 100, 4
"""Duration in seconds of each phase of constant receiver speed, and number of phases."""
REPLICATIONS: dict[Mode, int] = {"quick": 4, "default": 50, "full": 200}
METRICS = {
    "goodput_kbps": "Goodput (kbit/s)",
    "timeouts": "Timeouts in 100 s",
    "spread_s": "Deviation of round trips (s)",
}
LINK = "last"
"""Name of the receiver's radio link."""


@dataclass(frozen=True)
class Moved:
    """Measurements of a run."""

    goodput_kbps: float
    timeouts: float
    spread_s: float
    """Standard deviation in seconds of the round-trip times of all segments."""


# ---- the way ---------------------------------------------------------------------------------------------


def speeds(factor: float) -> list[float]:
    """Return the speed in each phase, relative to the paper's speed; the higher speed comes first."""
    return [factor**0.5 if phase % 2 == 0 else factor**-0.5 for phase in range(PHASES)]


def passing_times(places: Sequence[float], factor: float) -> Iterator[float]:
    """Yield the times in seconds at which the receiver passes these places.

    Each place is the time in seconds at which a receiver with the paper's constant speed would pass.
    """
    ends = [0.0]
    for speed in speeds(factor):
        ends.append(ends[-1] + PHASE_S * speed)
    phase = 0
    for place in places:
        while phase < PHASES - 1 and place > ends[phase + 1]:
            phase += 1
        yield PHASE_S * phase + (place - ends[phase]) / speeds(factor)[phase]


def crossed(fades: str, factor: float) -> str:
    """Convert the CSV text of fades at the paper's constant speed into fades at the changing speed."""
    rows = [row for row in fades.splitlines() if row[:1].isdigit()]
    times = list(passing_times([float(place) for row in rows for place in row.split(",")], factor))
    begins, ends = times[::2], times[1::2]
    told = [f"{begin:.9f},{end:.9f}" for begin, end in zip(begins, ends, strict=True)]
    return "\n".join([f"# period_s = {PHASE_S * PHASES}", "begin_s,end_s", *told, ""])


# ---- runs ------------------------------------------------------------------------------------------------


def scenario(curve: str, reading: Reading | None = None) -> Scenario:
    """Return the scenario of a receiver with the paper's constant speed."""
    compared = next(one for one in CURVES if one.name == curve)
    changes = (compared.under(reading) if reading else compared).changes
    settings = {**MOBILE.recovery, **(reading.settings if reading else {}), **changes}
    return Scenario.load(MOBILE.scenario).with_({"duration": f"{PHASE_S * PHASES} s", **settings})


def moving(standing: Scenario, factor: int, folder: Path, seed: int, rep: int) -> Scenario:
    """Return the scenario with changing speed; the fades follow from the seed and the replication."""
    way = sum(PHASE_S * speed for speed in speeds(factor))
    fades = standing.fades(seed=seed, rep=rep, until=f"{way:.6f} s")[LINK]
    file = folder / f"{factor}-{rep}.csv"
    file.write_text(crossed(fades, factor), encoding="utf-8")
    errors = next(link["errors"] for link in standing.to_dict()["radio"] if link["name"] == LINK)
    rates = {key: errors[key] for key in ("ber_good", "ber_bad")}
    return standing.with_({f"radio.{LINK}.errors": {"kind": "recorded", "file": str(file), **rates}})


def measure(reading: Reading | None, folder: Path, curve: str, factor: int, seed: int, rep: int) -> Moved:
    """Trace a run."""
    from airhop.analysis.round_trips import round_trips

    own = folder / curve
    own.mkdir(exist_ok=True)
    result = run(moving(scenario(curve, reading), factor, own, seed, rep), seed=seed, rep=rep, trace=True)
    spread = round_trips(result.tables, "ftp")["rtt_ms"].std() or 0.0
    return Moved(
        goodput_kbps=1000 * result.goodput_mbps,
        timeouts=result.tcp_flows[0]["timeouts"] / PHASES,
        spread_s=1e-3 * float(spread),  # type: ignore[arg-type]
    )


def compute_under(reading: Reading | None) -> Compute:
    """Return the function that runs all curves at every speed ratio, under one reading of the paper."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        cells = product((curve.name for curve in CURVES), FACTORS)
        with TemporaryDirectory() as folder:
            one = partial(measure, reading, Path(folder))
            found = traced_runs(one, cells, REPLICATIONS[mode], seed, reporter)
        return [value for metric in METRICS for value in _values(found, metric)]

    return compute


PAIRS = (("rttn", "local"), ("rttn", "ebsn"))


def less(curve: str, other: str) -> str:
    """Return the name of the paired difference of `curve` and `other`."""
    return f"{curve} less {other}"


STEADY = "steady"
NAMES = {curve.name: curve.label for curve in CURVES} | {STEADY: "the same curve at factor 1"}


def _values(found: Mapping[tuple[str, int], Sequence[Moved]], metric: str) -> Iterator[Value]:
    def runs(curve: str, factor: int) -> list[float]:
        return [getattr(one, metric) for one in found[curve, factor]]

    for factor in FACTORS:
        x: dict[str, X] = {"factor": factor}
        for curve in CURVES:
            yield estimated(curve.name, x, metric, runs(curve.name, factor))
            if factor > 1:
                steady = runs(curve.name, 1)
                yield paired(less(curve.name, STEADY), x, metric, runs(curve.name, factor), steady)
        for one, other in PAIRS:
            yield paired(less(one, other), x, metric, runs(one, factor), runs(other, factor))


# ---- claims ----------------------------------------------------------------------------------------------


@worded(
    "at speed factors {factors}, the paired difference of {metric}, {curve} less {other}, is {sign} zero",
    {**METRICS, **NAMES, 1: "above", -1: "below"},
)
def differs(
    values: Values, curve: str, other: str, metric: str, sign: int, factors: Sequence[int] = FACTORS
) -> ClaimResult:
    """Check whether `curve` is above `other` (sign 1) or below (sign -1) in a metric at each speed ratio."""
    found = {factor: values.at(less(curve, other), metric, factor=factor).value for factor in factors}
    told = ", ".join(f"{mean_and_half(one, sign='+')} at {factor}" for factor, one in found.items())
    return ClaimResult(
        every(apart(one, sign) for one in found.values()),
        f"{METRICS[metric]}, {less(curve, other)}: {told}".replace("-", "−"),
    )


@worded(
    "at one of the speed factors {factors}, {metric} with {curve} differs from that at factor 1, paired, by "
    "simultaneous intervals",
    {**METRICS, **NAMES},
)
def depends(values: Values, curve: str, metric: str, factors: Sequence[int]) -> ClaimResult:
    """Check whether the metric of a curve differs from the value at constant speed, at any speed ratio."""
    more = differs(values, curve, STEADY, metric, 1, factors)
    found = [values.at(less(curve, STEADY), metric, factor=factor).value for factor in factors]
    return replace(more, decision=some(differs_from_zero(one) for one in found))


def fewest_timeouts(values: Values) -> ClaimResult:
    """Check whether RTTN has fewer timeouts than EBSN and than local recovery, at every speed ratio."""
    found = [differs(values, "rttn", other, "timeouts", -1) for other in ("ebsn", "local")]
    return ClaimResult(every(one.decision for one in found), "; ".join(one.measured for one in found))


CHANGING = FACTORS[1:]
BEHIND = (
    "The average of fade durations lags behind changes of the speed: fades of the slower phases last "
    "longer than the duration that RTTN announces, while EBSN reports the present fade."
)
CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "kou-moving-spread",
        "Variations of the round trip depend on the receiver's movement: the standard deviation of the round "
        "trips of a sender without timeouts differs from the deviation at constant speed if the speed "
        "changes by a factor of 4, or of 16.",
        Asked(depends, "patient", "spread_s", CHANGING),
        quote="variations in RTT depend on a great number of parameters such as the receiver's movement",
    ),
    Claim(
        "kou-moving-goodput",
        "RTTN (as reconstructed) may improve on EBSN also for a moving receiver: it delivers more than "
        "EBSN at every speed factor.",
        Asked(differs, "rttn", "ebsn", "goodput_kbps", 1),
        own=True,
        because="The paper leaves this to future research; it has no result of RTTN.",
        reason=BEHIND,
    ),
    Claim(
        "kou-moving-timeouts",
        "An updated average of fade durations predicts the next fade: RTTN has fewer timeouts than EBSN, "
        "and than local recovery alone, at every speed factor.",
        fewest_timeouts,
        own=True,
        because="The paper leaves this to future research; it has no result of RTTN.",
        reason=BEHIND,
    ),
    Claim(
        "kou-moving-harder",
        "Averages lag behind a receiver that changes its speed: RTTN has more timeouts at changing speed "
        "than at constant speed.",
        Asked(differs, "rttn", STEADY, "timeouts", 1, CHANGING),
        own=True,
        because="The paper states that averages are updated, but not whether the updates are early enough.",
    ),
)


def headline(values: Values) -> str:
    """State RTTN's ratio to EBSN and the remaining timeouts, at constant speed and at the largest ratio."""
    told = []
    for factor in (FACTORS[0], FACTORS[-1]):
        goodput, timeouts = (
            [values.at(curve, metric, factor=factor).value.mean for curve in ("local", "ebsn", "rttn")]
            for metric in ("goodput_kbps", "timeouts")
        )
        told.append(
            f"{goodput[2] / goodput[1]:.2f} times the goodput of EBSN at a factor of {factor} (timeouts in "
            f"100 s: local recovery {timeouts[0]:.1f}, EBSN {timeouts[1]:.1f}, RTTN {timeouts[2]:.1f})"
        )
    return f"RTTN as reconstructed delivers {told[0]}, and {told[1]}."


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List goodput, timeouts and the deviation of round-trip times, one table each."""
    return [
        TextTable(
            label,
            ("factor", *(curve.label for curve in CURVES)),
            tuple(
                (
                    str(factor),
                    *(mean_and_half(values.at(curve.name, metric, factor=factor).value) for curve in CURVES),
                )
                for factor in FACTORS
            ),
            f"Mean ± 95 % half-width of {values.reps} runs of {PHASE_S * PHASES} s."
            if metric == list(METRICS)[-1]
            else "",
        )
        for metric, label in METRICS.items()
    ]


def figure(values: Values) -> Figure:
    """Draw goodput and timeouts against the speed ratio."""
    from airhop.plots.paper import curve as draw
    from airhop.plots.paper import legend, panels
    from airhop.plots.style import styles

    shown = ("goodput_kbps", "timeouts")
    drawing, made = panels(len(shown), 1.8)
    look = styles([curve.name for curve in CURVES])
    for axes, metric in zip(made, shown, strict=True):
        for curve in CURVES:
            draw(
                axes,
                *values.line(curve.name, metric, "factor"),
                label=curve.label if axes is made[0] else f"_{curve.label}",
                style=look[curve.name],
            )
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel(METRICS[metric])
    made[-1].set_xscale("log")
    made[-1].set_xticks(FACTORS, [str(factor) for factor in FACTORS])
    made[-1].set_xlabel("Ratio of the higher to the lower speed")
    legend(drawing)
    return drawing


EXPERIMENT = Calculation(
    id="kounavis1996/rttn-moving",
    title="RTTN (reconstruction) where the receiver moves, mobile to mobile",
    source=f"{PAPER}, section 4",
    method=(
        f"The values come from traces of the mobile-to-mobile network over {PHASE_S * PHASES} s, in which "
        f"the receiver alternates every {PHASE_S} s between a faster and a slower speed. Fades are places on "
        f"the receiver's path, "
        "taken from the fades of the paper's network in each replication, so a fade lasts longer at the "
        "slower speed. Curves are "
        "compared replication by replication."
    ),
    compute=compute_under(None),
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
    questions=(*questions(MOBILE, CURVES), RTTN_MARGIN),
    compute_under=compute_under,
)
