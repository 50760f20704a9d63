"""Figure 3: share of the reverse path that LL-ELSN's notices take, against the frame error rate.

Printed in the paper: equations (2) to (4) with L/P = 0.2, FER up to 30 %, and retry limits 2 to 5. The rate
of notices stays below 5 % of the link's rate r. Equation (2) contains E[RT] of (3) for both notices. For ERSN
this is an error, because only l - 1 attempts remain after the ERSN. Solid curves show the corrected equation,
and dotted curves the printed equation. Markers show a simulation of the link that the equations describe.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airhop.experiments.calculation import Calculation, Line, TextTable, Value, Values, exact
from airhop.experiments.claims import every, within
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.yun2009 import PAPER
from airhop.numerals import half_width_text
from airhop.progress import Reporter
from airhop.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.plots.style import SchemeStyle

NOTICES = ("ersn", "eln")
LIMITS = (2, 3, 4, 5)
MOST = 0.05
"""Upper bound in the paper: "below 5 % of r"."""
GRID = tuple(round(0.01 * step, 2) for step in range(31))
SIMULATED: dict[Mode, tuple[float, ...]] = {
    "quick": (0.1, 0.2, 0.3),
    "default": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "full": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
}
FRAMES: dict[Mode, int] = {"quick": 1_000_000, "default": 1_000_000, "full": 4_000_000}
CORRECTED, LITERAL, MEASURED = "share_of_rate", "share_of_rate_literal", "share_of_rate_simulated"
NARROW = 0.015
"""Maximum relative half-width of a simulated rate that is compared with equation (2). Notices at the other
rates are too rare.
"""
AGREE = 0.03
"""Maximum relative difference of rates that agree. The printed equation differs more from the simulation."""


def curve(notice: str, limit: int) -> str:
    """Return the name of a curve."""
    return f"{notice}, l = {limit}"


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Evaluate the equations over the grid, and simulate the link at some error rates."""
    import numpy as np

    from airhop.experiments.yun2009 import equations

    def values(notice: str, limit: int, metric: str, rates: Sequence[float]) -> list[Value]:
        named = curve(notice, limit)
        return [Value(named, {"p": p}, metric, exact(rate)) for p, rate in zip(GRID, rates, strict=True)]

    found, p, rate = [], np.array(GRID), equations.notice_rate
    for limit in LIMITS:
        literal = equations.ersn_interval(p, limit, literal=True)
        found += values("ersn", limit, CORRECTED, rate(equations.ersn_interval(p, limit)).tolist())
        found += values("ersn", limit, LITERAL, rate(literal).tolist())
        found += values("eln", limit, CORRECTED, rate(equations.eln_interval(p, limit)).tolist())
    return found + _simulate(mode, seed, reporter)


def _simulate(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    import numpy as np

    from airhop.experiments.yun2009.equations import simulate_link

    random, found = np.random.default_rng(seed), []
    with reporter.task("slotted link", len(LIMITS) * len(SIMULATED[mode])) as task:
        for limit in LIMITS:
            for p in SIMULATED[mode]:
                link = simulate_link(p, limit, FRAMES[mode], random)
                for notice, rate in zip(NOTICES, (link.ersn, link.eln), strict=True):
                    found.append(Value(curve(notice, limit), {"p": p}, MEASURED, _share(rate)))
                task.advance()
    return found


def _share(per_slot: Estimate) -> Estimate:
    """Convert notices per slot into a share of the link's rate r: equation (4)."""
    from airhop.experiments.yun2009.equations import MESSAGE_SHARE

    return per_slot.scaled(MESSAGE_SHARE)


def headline(values: Values) -> str:
    """Return a sentence on the highest rate of notices, and on the error of the printed equation."""
    most = _largest(values, CORRECTED)
    worst = min(_errors_of_printed_equation(values), key=lambda found: found[1])
    return (
        f"LL-ELSN's notices take at most {100 * most.value.mean:.1f} % of the rate r; with E[RT] over l "
        f"attempts, as printed, the rate of ERSNs would be up to {-100 * worst[1]:.1f} % too small."
    )


def stays_below(values: Values) -> ClaimResult:
    """Check whether every rate is below 5 % of the link rate, by both equations and in the simulation."""
    found = [_largest(values, metric) for metric in (CORRECTED, LITERAL, MEASURED)]
    decisions = [value.value.mean + (value.value.half_width or 0.0) < MOST for value in found]
    names = ("corrected", "as printed", "simulated")
    parts = [f"{name} {_percent(value.value)}" for name, value in zip(names, found, strict=True)]
    return ClaimResult(
        every(decisions), f"largest ({_where(found[0])}), in per cent of r: {', '.join(parts)}"
    )


def agrees(values: Values) -> ClaimResult:
    """Check whether simulated rates with half-widths below 1.5 % are within 3 % of the corrected equation."""
    ratios = []
    for value in values:
        if value.metric == MEASURED and (value.value.relative or 1.0) < NARROW:
            of = values.at(value.curve, CORRECTED, **value.x).value.mean
            ratios.append((value, value.value.scaled(1.0 / of)))
    value, ratio = max(ratios, key=lambda found: abs(found[1].mean - 1.0) + (found[1].half_width or 0.0))
    literal = min(_errors_of_printed_equation(values), key=lambda found: found[1])
    return ClaimResult(
        every(within(one, 1.0 - AGREE, 1.0 + AGREE) for _, one in ratios),
        f"furthest of {len(ratios)}: {ratio.mean:.3f} {half_width_text(ratio, 3)} times the equation "
        f"({_where(value)}); with E[RT] of l attempts the equation itself is {1.0 + literal[1]:.3f} of that "
        f"({_where(literal[0])})",
    )


def _largest(values: Values, metric: str) -> Value:
    return max((value for value in values if value.metric == metric), key=lambda value: value.value.mean)


def _errors_of_printed_equation(values: Values) -> list[tuple[Value, float]]:
    """Return the error of the printed equation relative to the corrected equation, by simulated point."""
    simulated = {(value.curve, value.x["p"]) for value in values if value.metric == MEASURED}
    return [
        (value, value.value.mean / values.at(value.curve, CORRECTED, **value.x).value.mean - 1.0)
        for value in values
        if value.metric == LITERAL and (value.curve, value.x["p"]) in simulated
    ]


def _where(value: Value) -> str:
    notice, _, limit = value.curve.partition(", ")
    return f"{notice.upper()}, {limit}, FER {_per_cent(value.x['p'])}"


def _percent(value: Estimate, digits: int = 2) -> str:
    """Format a share in per cent, without the percent sign."""
    half = "" if value.half_width is None else f" ± {100 * value.half_width:.{digits}f}"
    return f"{100 * value.mean:.{digits}f}{half}"


def _per_cent(p: X) -> str:
    return f"{100 * float(p):g} %"


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-3",
        "The rate of each notice stays below 5 % of r up to 30 % frame errors, with L/P = 0.2 and retry "
        "limits of 2 to 5.",
        stays_below,
        quote="When L/P = 0.2, Figure 3 shows that R is below 5% of r in the considered range of p.",
        bound=True,
    ),
    Claim(
        "yun-3-simulated",
        "Equation (2), with E[RT] over the l - 1 attempts after an ERSN, is the interval between notices "
        "on a saturated slotted link: simulated rates with a half-width below 1.5 % differ by less than 3 %.",
        agrees,
        own=True,
        because="The paper only computes the rates; a simulation checks its equation.",
    ),
)


def tables(values: Values) -> list[TextTable]:
    """Return a table per notice, with simulated rates in rows below the calculated rates."""
    return [_table(values, notice) for notice in NOTICES]


def _table(values: Values, notice: str) -> TextTable:
    readings = {CORRECTED: "equation (2)", LITERAL: "as printed", MEASURED: "simulated"}
    rows = []
    for p in dict.fromkeys(value.x["p"] for value in values if value.metric == MEASURED):
        for metric, words in readings.items():
            if values.of(curve(notice, LIMITS[0]), metric):
                cells = [values.at(curve(notice, limit), metric, p=p).value for limit in LIMITS]
                rows.append((f"{_per_cent(p)}, {words}", *(_percent(cell, 3) for cell in cells)))
    return TextTable(
        f"{notice.upper()}: rate of notices in per cent of r",
        ("FER", *(f"l = {limit}" for limit in LIMITS)),
        tuple(rows),
        f"Simulated: mean ± 95 % half-width of {values.reps} parts of a run.",
    )


def figure(values: Values) -> Figure:
    """Draw the curves on the paper's axes: printed equation dotted, simulated rates as markers."""
    from airhop.plots.paper import legend, page
    from airhop.plots.style import PALETTE

    drawing, axes = page()
    for limit, style in zip(LIMITS, PALETTE, strict=False):
        axes.plot([], [], color=style.color, marker=style.marker, **HOLLOW, label=f"$l$ = {limit}")
        _line(axes, values.line(curve("ersn", limit), LITERAL, "p"), style, ":")
        for notice, dash in DASHES.items():
            _line(axes, values.line(curve(notice, limit), CORRECTED, "p"), style, dash)
            _markers(axes, values.line(curve(notice, limit), MEASURED, "p"), style)
    for dash, words in ((DASHES["ersn"], "ERSN"), (DASHES["eln"], "ELN"), (":", "as printed")):
        axes.plot([], [], color="black", linestyle=dash, label=words)
    axes.plot([], [], color="black", linestyle="none", marker="o", **HOLLOW, label="simulated")
    axes.set_xlim(0.0, 0.3)
    axes.set_ylim(0.0, MOST)
    axes.set_xlabel("Frame error rate $p$")
    axes.set_ylabel("Rate of notices / $r$")
    legend(drawing)
    return drawing


DASHES = {"ersn": "-", "eln": "--"}
HOLLOW: dict[str, Any] = {"markerfacecolor": "white", "markeredgewidth": 0.8}


def _line(axes: Axes, line: Line, style: SchemeStyle, dash: str) -> None:
    width = 0.8 if dash == ":" else 1.0
    axes.plot(line.x, line.means, color=style.color, linestyle=dash, linewidth=width)


def _markers(axes: Axes, points: Line, style: SchemeStyle) -> None:
    axes.errorbar(
        points.x,
        points.means,
        yerr=[width or 0.0 for width in points.half_widths],
        color=style.color,
        linestyle="none",
        marker=style.marker,
        markersize=3.5,
        clip_on=False,
        zorder=3,
        **HOLLOW,
    )


EXPERIMENT = Calculation(
    id="yun2009/fig3",
    title="Rate of LL-ELSN's notices against the frame error rate",
    source=f"{PAPER}, Figure 3",
    method=(
        "Curves are equations (2) to (4) of the paper for L/P = 0.2. R is the rate of a notice, r the rate "
        "of the link, L and P are the lengths of a notice and of a frame, l is the retry limit, p the frame "
        "error rate, and E[RT] the mean number of attempts of a delivered frame. For an ERSN, solid curves "
        "compute E[RT] over the l - 1 attempts that remain after the ERSN, and dotted curves over all l "
        "attempts, as printed. Markers are a simulation of the link of the equations, which is saturated and "
        "slotted, and loses each attempt with probability p. The run is divided into 20 parts for the "
        "intervals."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
