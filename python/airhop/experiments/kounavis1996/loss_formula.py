"""The formula of section 1: losses of probability p leave a share 1 / (1 + 2 p w) of the throughput.

"For example 1% damage loss degrades throughput by 14%" concerns a window of 8 packets. This is the window of
an Arpanet path in the formula's source (Jacobson and Karels 1988, the paper's [5]). The formula is exact if
the only effect of a loss is a pause of two round trips, long enough to send 2 w packets.

The simulated senders are Tahoe and Reno with a receive window of w. The path has no other limits, and loses
data packets independently. The formula holds if the simulated reduction of throughput is within 10 % of the
calculated reduction. (10 % of the remaining throughput would be more than the whole reduction with a small
window.)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values, exact
from airhop.experiments.claims import Decision, every, within
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.kounavis1996 import PAPER
from airhop.experiments.kounavis1996.readings import CLOCK, ESTIMATOR
from airhop.experiments.printed import PrintedCheck, Source, all_met
from airhop.experiments.reading import Question, Reading
from airhop.experiments.traced import mean_and_half
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import Job, run_many

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SENDERS = {"tahoe": "Tahoe", "reno": "Reno"}
WINDOWS = (4, 8, 16, 32)
LOSSES = (0.001, 0.003, 0.01, 0.03, 0.1)
GRID = tuple(10 ** (-3 + step / 20) for step in range(41))
"""Loss probabilities at which the formula's curve is computed."""
SEGMENT = 88
"""Payload in bytes of a packet of 128 bytes."""
REPLICATIONS: dict[Mode, int] = {"quick": 4, "default": 10, "full": 20}
FORMULA, SIMULATED = "share_formula", "share"
HOLDS = 0.1
LIMITED = 1.5
"""Value of p w² above which losses limit the window to sqrt(3 / (2 p)) (Mathis et al. 1997)."""
DAMAGE = Question(
    about="the damaged packets",
    default=Reading("data", "Each data packet is damaged with probability p.", "p degrades throughput"),
    others=(
        Reading(
            "both-ways",
            "Packets of both directions are damaged with probability p, ACKs included.",
            "A simple quantitative analysis on the way damages in transit degrade throughput",
            settings={"wired.path.errors": {"kind": "bernoulli", "loss": 0.01}},
        ),
    ),
)
EXAMPLE_W, EXAMPLE_P, EXAMPLE = 8, 0.01, 0.14
"""Example in the paper: with w = 8 and p = 0.01, throughput degrades by 14 %."""
DIGIT = Source("kounavis1996/loss-formula", digit=1.0)
"""Precision of the example: half a percentage point, because the paper rounds to whole per cent."""


def share(p: float, w: float) -> float:
    """Return the remaining share of the throughput according to the printed formula."""
    return 1.0 / (1.0 + 2.0 * p * w)


def compute_under(settings: Mapping[str, object]) -> Compute:
    """Return the function that evaluates the formula, and simulates both senders with these settings."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        found = [
            Value("formula", {"w": w, "p": p}, FORMULA, exact(share(p, w))) for w in WINDOWS for p in GRID
        ]
        cells = list(product(SENDERS, WINDOWS))
        with reporter.task("windows", len(cells)) as task:
            for sender, w in cells:
                found += _simulate(settings, sender, w, seed, REPLICATIONS[mode])
                task.advance()
        return found

    return compute


def _simulate(settings: Mapping[str, object], sender: str, w: int, seed: int, reps: int) -> list[Value]:
    """Simulate a sender, and return the goodput at each loss probability relative to that without losses."""
    from airhop import stats

    base = Scenario.load("kounavis1996-loss").with_(
        {**settings, "scheme": sender, "flow.ftp.tcp.receive_window": f"{w * SEGMENT} B"}
    )
    lossy = [base.with_({"wired.path.errors.loss": p}) for p in LOSSES]
    jobs = [Job(one, seed, rep) for one, rep in product(lossy, range(reps))]
    # one run, because nothing is random without losses
    clean = Job(base.with_({"wired.path.errors.loss": 0.0}), seed)
    without, *goodputs = (result.goodput_mbps for result in run_many([clean, *jobs]))
    return [
        Value(
            sender,
            {"w": w, "p": p},
            SIMULATED,
            stats.estimate([one / without for one in goodputs[place * reps : (place + 1) * reps]]),
            share(p, w),
        )
        for place, p in enumerate(LOSSES)
    ]


# ---- claims ----------------------------------------------------------------------------------------------


def formulas_example(_: Values) -> ClaimResult:
    """Check whether the formula yields the degradation in the printed example: 14 %, rounded to 1 %."""
    cost = 1.0 - share(EXAMPLE_P, EXAMPLE_W)
    return ClaimResult(round(cost, 2) == EXAMPLE, f"{100 * cost:.1f} % by the formula")


def example(values: Values) -> ClaimResult:
    """Check whether a loss rate of 1 % reduces the goodput of Tahoe and Reno by 14 %, within tolerance."""
    judged = {}
    for sender, label in SENDERS.items():
        cost = values.at(sender, SIMULATED, w=EXAMPLE_W, p=EXAMPLE_P).value
        half = math.inf if cost.half_width is None else 100 * cost.half_width
        lost = 100 * (1.0 - cost.mean)
        judged[label] = PrintedCheck(100 * EXAMPLE, lost, lost - half, lost + half, DIGIT.tolerance(0.0), "%")
    return all_met(judged, DIGIT.needs)


def is_allowed(value: Value) -> bool:
    """Return whether the receive window limits the sender more than losses do."""
    return float(value.x["p"]) * float(value.x["w"]) ** 2 < LIMITED


def where_allowed(values: Values) -> ClaimResult:
    """Check whether goodput losses are within 10 % of the formula's wherever w limits the window."""
    return _in_cells(cell for sender in SENDERS for cell in values.of(sender, SIMULATED) if is_allowed(cell))


def everywhere(values: Values) -> ClaimResult:
    """Check whether goodput losses are within 10 % of the formula's for both senders, at every w and p."""
    return _in_cells(cell for sender in SENDERS for cell in values.of(sender, SIMULATED))


def _in_cells(judged: Iterable[Value]) -> ClaimResult:
    """Check whether the formula holds at all of these points, and list the points where the formula holds."""
    cells = list(judged)
    met = {sender: [cell for cell in cells if cell.curve == sender and _is_met(cell)] for sender in SENDERS}
    furthest = max(cells, key=lambda value: abs(_relative_error(value)))
    told = "; ".join(f"{SENDERS[sender]} with {_where(found)}" for sender, found in met.items() if found)
    told = f": {told}" if told else ""
    return ClaimResult(
        every(map(_is_met, cells)),
        f"within 10 % of the loss in {sum(map(len, met.values()))} of {len(cells)} cells{told}; furthest: "
        f"{SENDERS[furthest.curve]}, w = {furthest.x['w']}, p = {_loss(furthest)}, "
        f"{100 * _relative_error(furthest):+.0f} %".replace("-", "−"),
    )


def _is_met(value: Value) -> Decision:
    assert value.published is not None
    loss = 1.0 - value.published
    return within(value.value, 1.0 - (1.0 + HOLDS) * loss, 1.0 - (1.0 - HOLDS) * loss)


def _relative_error(value: Value) -> float:
    """Return the relative difference between the simulated and the calculated loss of throughput."""
    assert value.published is not None
    return (1.0 - value.value.mean) / (1.0 - value.published) - 1.0


def _where(found: Sequence[Value]) -> str:
    """Return a text that lists, for each window, the loss probabilities at which the formula holds."""
    windows = dict.fromkeys(value.x["w"] for value in found)
    return ", ".join(
        f"w = {w} at p = {', '.join(_loss(value) for value in found if value.x['w'] == w)}" for w in windows
    )


def _loss(value: Value) -> str:
    return f"{100 * float(value.x['p']):g} %"


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "kou-1-example",
        (
            "A loss rate of 1 % degrades the throughput of Tahoe and of Reno by 14 %, with a window of 8 "
            "packets."
        ),
        example,
        quote="For example 1% damage loss degrades throughput by 14%.",
        reason=(
            "The formula assumes a TCP with a constant window. A loss halves Reno's window and reduces "
            "Tahoe's to one segment; the formula omits the throughput that is lost until the window has its "
            "former size again."
        ),
    ),
    Claim(
        "kou-1-arithmetic",
        "By the formula a loss rate of 1 % costs a window of 8 packets 14 % of its throughput, rounded to "
        "whole per cent.",
        formulas_example,
        quote=(
            "a packet loss probability p degrades throughput by a factor of 1/(1+2pw), where w is the "
            "size of allowed window. For example 1% damage loss degrades throughput by 14%."
        ),
    ),
    Claim(
        "kou-1",
        "A packet loss probability p degrades the throughput of a window w by a factor of 1/(1+2pw), where "
        "w is the allowed window: for Tahoe and Reno, wherever losses alone would allow a larger window, p "
        "w² < 1.5, the loss of throughput is within 10 % of the formula's.",
        where_allowed,
        own=True,
        because=(
            '"Allowed window" may be the window that the network allows: the law then applies '
            "if losses allow more than w."
        ),
        reason="The formula of Jacobson and Karels (1988) assumes a TCP with a constant window. A loss "
        "halves Reno's window, which needs w/2 round trips to reach w again, and reduces Tahoe's to "
        "one segment: near the bound the formula omits this cost.",
    ),
    Claim(
        "kou-1-strict",
        "The formula holds for every loss rate and window: the loss of Tahoe and Reno equals its loss within "
        "10 %, for w from 4 to 32 and p from 0.1 to 10 %.",
        everywhere,
        quote="a packet loss probability p degrades throughput by a factor of 1/(1+2pw), where w is the "
        "size of allowed window.",
        reason="The formula holds while w limits the window. Each loss halves the window (Tahoe's falls to "
        "one segment), which then grows by a packet per round trip. If w exceeds the window that losses "
        "alone allow, sqrt(3/(2p)) for Reno (Mathis et al. 1997), the next loss comes before the window is w "
        "again. Larger p also cause timeouts, which take longer than the formula's two round trips.",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the windows and loss probabilities at which the formula holds."""
    cells = [value for sender in SENDERS for value in values.of(sender, SIMULATED)]
    few = [value for value in cells if is_allowed(value)]
    met, of_few = (sum(bool(_is_met(value)) for value in some) for some in (cells, few))
    return (
        f"The loss of 1/(1+2pw) is met within 10 % in {met} of {len(cells)} cells, and in {of_few} of the "
        f"{len(few)} cells in which w is below the window that losses alone allow."
    )


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """Return a table per window: remaining throughput of both senders and by the formula."""
    return [
        TextTable(
            f"Remaining share of the throughput, window of {w} packets, %",
            ("loss", "1/(1+2pw)", *SENDERS.values()),
            tuple(_row(values, w, p) for p in LOSSES),
            f"Mean ± 95 % half-width of {values.reps} runs of 200 s." if w == WINDOWS[-1] else "",
        )
        for w in WINDOWS
    ]


def _row(values: Values, w: int, p: float) -> tuple[str, ...]:
    cells = []
    for sender in SENDERS:
        value = values.at(sender, SIMULATED, w=w, p=p)
        off = f"{100 * _relative_error(value):+.0f} %".replace("-", "−")
        cells.append(f"{mean_and_half(value.value.scaled(100), 1)} ({off})")
    return f"{100 * p:g} %", f"{100 * share(p, w):.1f}", *cells


def figure(values: Values) -> Figure:
    """Draw the formula as one line per window, and the simulated senders as markers."""
    from airhop.plots.paper import legend, page
    from airhop.plots.style import PALETTE

    drawing, axes = page()
    for w, style in zip(WINDOWS, PALETTE, strict=False):
        p, shares, _ = values.line("formula", FORMULA, "p", w=w)
        axes.plot(p, shares, color=style.color, label=f"$w$ = {w}")
        for sender, marker in MARKERS.items():
            p, shares, half = values.line(sender, SIMULATED, "p", w=w)
            axes.errorbar(
                p,
                shares,
                yerr=[width or 0.0 for width in half],
                color=style.color,
                marker=marker,
                markerfacecolor="white",
                markersize=4.0,
                markeredgewidth=0.8,
                linestyle="none",
                elinewidth=0.7,
                clip_on=False,
                zorder=3,
            )
    for sender, marker in MARKERS.items():
        axes.plot(
            [], [], "k", linestyle="none", marker=marker, markerfacecolor="white", label=SENDERS[sender]
        )
    axes.set_xscale("log")
    axes.set_xlim(LOSSES[0], LOSSES[-1])
    axes.set_ylim(0.0, 1.0)
    axes.set_xlabel("Loss probability $p$")
    axes.set_ylabel("Share of the throughput")
    legend(drawing)
    return drawing


MARKERS = {"tahoe": "o", "reno": "s"}

EXPERIMENT = Calculation(
    id="kounavis1996/loss-formula",
    title="Throughput against the loss probability: 1/(1+2pw) and two senders",
    source=f"{PAPER}, §1",
    method=(
        "Lines show the formula. Markers show the ratio of Tahoe's and Reno's throughput to the throughput "
        "of the same run without losses. The receiver advertises w packets of 128 bytes; the link has 100 "
        "Mbit/s and "
        "60 ms, and loses each data packet with probability p, and no ACK; RTO = a + 4 v in ticks of 100 "
        "ms. The formula holds if the whole interval of the lost share is within 10 % of the formula's."
    ),
    compute=compute_under({}),
    questions=(DAMAGE, CLOCK, ESTIMATOR),
    compute_under=lambda reading: compute_under(reading.settings),
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
