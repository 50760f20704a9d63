"""Handoffs: notified losses, time until data arrive again, and state that base stations hand over.

Printed: a handoff "may result in the loss of the whole packet", which the receivers of HACK and LHP cannot
detect (§1, §2.1). LL-ELSN needs no memory at the base station, "which may enable fast handoffs" (§3.2). The
paper has no figure of handoffs.

The network is Airhop's: the path of Figure 6, on which each frame is sent once. The channel has no errors
except for a handoff every five seconds. The length of handoffs is the axis. During a handoff, neither side
receives the other's frames. Both link layers continue to send, because neither end knows of the handoff.

The next base station has the properties of the previous one. The state of agents moves with the mobile, at
once and without cost. The size of the state is computed at the beginning of each handoff, from the segments
that have reached the base station and whose ACKs have not. Snoop has copies of these segments (100 at most).
Balakrishnan's scheme has their numbers (256 at most) of 4 bytes each. The other schemes, LL-ELSN included,
have no state.

A loss counts if the whole packet was lost: the time from its first attempt to its discard lies within the
handoff. At the edge of a handoff a fragment of a packet may arrive, or a frame that is damaged only at its
end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

from airhop.experiments.calculation import Calculation, Compute, TextTable, Value, Values
from airhop.experiments.claims import every
from airhop.experiments.experiment import Claim, ClaimResult, Mode, X
from airhop.experiments.reading import Question, Reading
from airhop.experiments.traced import apart, estimated, mean_and_half, paired, traced_runs
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.notices import first_losses
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCHEMES = {
    "reno": "Reno",
    "sack": "SACK",
    "snoop": "Snoop",
    "eln": "Balakrishnan et al.",
    "hack": "HACK",
    "lhp": "LHP",
    "ll-elsn": "LL-ELSN",
}
OWN = "ll-elsn"
OTHERS = tuple(scheme for scheme in SCHEMES if scheme != OWN)
TELLING = ("eln", "hack", "lhp", OWN)
"""Schemes whose senders are notified of losses."""
RECEIVERS = ("hack", "lhp")
"""Schemes whose receiver sends the notices."""
REMEMBERED = {"snoop": (100, 1040), "eln": (256, 4)}
"""State of the base station by scheme: maximum number of segments, and bytes per segment."""
GAPS_MS = (50, 100, 200, 500)
BETWEEN_S = 5
SECONDS = 100
REPLICATIONS: dict[Mode, int] = {"quick": 3, "default": 10, "full": 20}
GOODPUT, UNDETECTED, SILENCE, STATE, TIMEOUTS, CUTS = (
    "goodput_mbps",
    "undetected",
    "silence_ms",
    "state_bytes",
    "timeouts",
    "window_cuts",
)
MEASURED = (GOODPUT, UNDETECTED, SILENCE, STATE, TIMEOUTS, CUTS)
MORE, LATER = "goodput_less_than_own", "silence_longer_than_own_ms"
"""Names of paired differences to LL-ELSN: goodput that another scheme lacks, and its additional silence."""
BUILT = "a measurement of the memory: an implementation that keeps something where it can"
"""Missing information for a claim that holds by construction and cannot be measured."""
HEADER = "a channel on which a header can survive a handoff: on Airhop's none does, by construction"
"""Missing information for a claim about packets that a handoff destroys completely."""
ATTEMPTS = "wlan.cell.attempts"
RETRY_LIMIT = Question(
    about="the retry limit in handoffs",
    default=Reading(
        "retry-limit-1",
        "The link layer sends each frame once, as in the paper's comparison of schemes.",
        "We first set the retry limit of 802.11 MAC to one in order to investigate the robustness of the "
        "testing schemes against wireless losses while excluding the effect of LL-ARQ",
    ),
    others=(
        Reading(
            "retry-limit-4",
            "The link layer sends each frame up to four times.",
            "the proposed scheme, when combined with the Link Layer Automatic Repeat Request (LL-ARQ) using "
            "a small retry limit, achieves consistently good performance",
            settings={ATTEMPTS: 4},
        ),
    ),
)


@dataclass(frozen=True)
class HandoffMeasurements:
    """Measurements of the handoffs of a run."""

    goodput_mbps: float
    undetected: float | None
    """Share of packets without a notice before the retransmission, among packets that handoffs lost
    completely. None without such losses.
    """
    silence_ms: float
    """Mean time in milliseconds from the end of a handoff until new data are delivered."""
    state_bytes: float
    """Mean state of the base station in bytes at the beginning of a handoff."""
    timeouts: float
    window_cuts: float


def scenario(scheme: str, gap_ms: int, reading: Reading = RETRY_LIMIT.default) -> Scenario:
    """Return the scenario of a scheme and a handoff length, for a reading of the paper."""
    return Scenario.load("yun2009-downlink").with_(
        {
            "scheme": scheme,
            "duration": f"{SECONDS} s",
            ATTEMPTS: 1,
            "wlan.cell.errors": {
                "kind": "two-state",
                "good": f"{BETWEEN_S} s",
                "bad": f"{gap_ms} ms",
                "sojourn": "constant",
                "start": "good",
                "fer_good": 0.0,
                "fer_bad": 1.0,
            },
            **reading.settings,
        }
    )


def measure(reading: Reading, scheme: str, gap_ms: int, seed: int, rep: int) -> HandoffMeasurements:
    """Trace a run and measure its handoffs."""
    result = run(scenario(scheme, gap_ms, reading), seed=seed, rep=rep, trace=True)
    (flow,) = result.tcp_flows
    gaps = gaps_of(result.tables)
    kept, size = REMEMBERED.get(scheme, (0, 0))
    held = [min(kept, unacknowledged(result.tables, begin)) if kept else 0 for begin, _ in gaps]
    return HandoffMeasurements(
        result.goodput_mbps,
        undetected(result.tables, gaps),
        1000.0 * mean([silence(result.tables, end) for _, end in gaps]),
        size * mean(held),
        flow["timeouts"],
        flow["window_cuts"],
    )


def mean(values: Sequence[float]) -> float:
    """Return the mean of some numbers."""
    return sum(values) / len(values)


def gaps_of(tables: Mapping[str, pl.DataFrame]) -> list[tuple[float, float]]:
    """List start and end of each handoff that is followed by a long enough part of the trace."""
    import polars as pl

    fades = tables["fades"].filter(pl.col("place") == "bs->d1")
    fades = fades.filter(pl.col("end_s") + BETWEEN_S <= SECONDS)
    return list(zip(fades["begin_s"], fades["end_s"], strict=True))


def undetected(tables: Mapping[str, pl.DataFrame], gaps: Sequence[tuple[float, float]]) -> float | None:
    """Return the share of completely lost segments without a notice before the retransmission.

    None if handoffs destroyed no segment completely.
    """
    import polars as pl

    frames = tables["air"].filter(pl.col("kind") == "data", pl.col("packet") == "data")
    tried = frames.group_by("seq").agg(tried_s=pl.col("start_s").min())
    whole = pl.any_horizontal((pl.col("tried_s") >= begin) & (pl.col("lost_s") <= end) for begin, end in gaps)
    losses = first_losses(tables).join(tried, on="seq").filter(whole)
    made = (pl.col("made_s") <= pl.col("again_s")).fill_null(pl.col("made_s").is_not_null())
    return 1.0 - float(losses.select(made.mean()).item()) if losses.height else None


def silence(tables: Mapping[str, pl.DataFrame], end: float) -> float:
    """Return the time in seconds from the end of a handoff until new data are delivered."""
    times = tables["deliveries"]["time_s"]
    return float(times.filter(times >= end).min()) - end  # type: ignore[arg-type]


def unacknowledged(tables: Mapping[str, pl.DataFrame], at: float) -> int:
    """Count the segments that have reached the base station by the time `at`, but whose ACKs have not."""
    import polars as pl

    arrived = tables["packets"].filter(pl.col("step") == "arrived", pl.col("time_s") <= at)
    acks = arrived.filter(pl.col("place") == "d1->bs", pl.col("kind") == "ack")["seq"]
    data = arrived.filter(pl.col("place") == "r2->bs", pl.col("kind") == "data")["seq"]
    return data.filter(data >= (acks.max() or 0)).n_unique()


def compute_under(reading: Reading) -> Compute:
    """Return the function that measures all schemes and handoff lengths, under one reading of the paper."""

    def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
        """Trace every scheme with every handoff length, and compare each replication with LL-ELSN's."""
        cells = product(SCHEMES, GAPS_MS)
        runs = traced_runs(partial(measure, reading), cells, REPLICATIONS[mode], seed, reporter)
        found = []
        for (scheme, gap), seen in runs.items():
            x: dict[str, X] = {"gap_ms": gap}
            own = runs[OWN, gap]
            for metric in MEASURED:
                if metric != UNDETECTED or scheme in TELLING:
                    sample = [value for one in seen if (value := getattr(one, metric)) is not None]
                    found += [estimated(scheme, x, metric, sample)] if sample else []
            for name, metric, sign in ((MORE, GOODPUT, -1), (LATER, SILENCE, 1)):
                these, those = ([sign * getattr(one, metric) for one in runs] for runs in (seen, own))
                found.append(paired(scheme, x, name, these, those))
        return found

    return compute


# ---- claims ----------------------------------------------------------------------------------------------


def receivers_detect_no_loss(values: Values) -> ClaimResult:
    """Check whether HACK and LHP detect no packet that a handoff destroys completely.

    A detected loss refutes the claim. Otherwise the claim is undecided, because in Airhop no header survives
    a handoff.
    """
    found = [one.value.mean for name in RECEIVERS for one in values.of(name, UNDETECTED)]
    told = f"without a notice: {_undetected(values, RECEIVERS)}"
    return ClaimResult(False, told) if min(found) < 1.0 else ClaimResult(None, told, needs=HEADER)


def link_layer_detects_each_loss(values: Values) -> ClaimResult:
    """Check whether LL-ELSN's link layer detects every loss, in every run and at every handoff length."""
    detects = all(one.value.mean == 0.0 for one in values.of(OWN, UNDETECTED))
    return ClaimResult(detects, f"without a notice: {_undetected(values, (OWN,))}")


def _undetected(values: Values, names: Sequence[str]) -> str:
    """List the shares of losses without a notice, by scheme and length of the handoff."""
    return ", ".join(
        f"{SCHEMES[name]} {mean_and_half(one.value.scaled(100.0), 1)} % in {one.x['gap_ms']:g} ms"
        for name in names
        for one in values.of(name, UNDETECTED)
    )


def no_memory(_: Values) -> ClaimResult:
    """Check nothing: Airhop's agent of LL-ELSN has no memory by construction."""
    return ClaimResult(None, "not measured: Airhop's agent of LL-ELSN is built without memory", needs=BUILT)


def others_have_state(values: Values) -> ClaimResult:
    """Check whether Snoop and Balakrishnan's scheme have state to hand over, in every handoff."""
    held = {name: {gap: values.at(name, STATE, gap_ms=gap).value for gap in GAPS_MS} for name in REMEMBERED}
    told = [
        f"{SCHEMES[name]} {', '.join(f'{mean_and_half(one, 0)} in {gap} ms' for gap, one in found.items())}"
        for name, found in held.items()
    ]
    decisions = [apart(one, 1) for found in held.values() for one in found.values()]
    return ClaimResult(every(decisions), f"bytes a connection: {'; '.join(told)}")


def soonest(values: Values) -> ClaimResult:
    """Check whether LL-ELSN delivers new data after a handoff sooner than all others, at every length."""
    return _ahead(values, LATER, SILENCE, "ms")


def most(values: Values) -> ClaimResult:
    """Check whether LL-ELSN has the highest goodput of all schemes, at every handoff length."""
    return _ahead(values, MORE, GOODPUT, "Mbit/s")


def _ahead(values: Values, lead: str, metric: str, unit: str) -> ClaimResult:
    leads = {(name, gap): values.at(name, lead, gap_ms=gap).value for name in OTHERS for gap in GAPS_MS}
    told = []
    for gap in GAPS_MS:
        closest = min(OTHERS, key=lambda name: leads[name, gap].mean)
        own, other = (mean_and_half(values.at(name, metric, gap_ms=gap).value) for name in (OWN, closest))
        told.append(f"{gap} ms: {own} {unit}, next {SCHEMES[closest]} {other}")
        lost = [SCHEMES[name] for name in OTHERS if not apart(leads[name, gap], 1)]
        told[-1] += f" (not ahead of {', '.join(lost)})" if lost else ""
    return ClaimResult(every(apart(one, 1) for one in leads.values()), "; ".join(told))


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-handoff-receivers",
        "HACK and LHP, two of the four schemes of the sentence, fail in a handoff: they detect none of the "
        "completely lost packets before its retransmission.",
        receivers_detect_no_loss,
        quote="handoff […] may result in the loss of the whole packet. In such cases, the TCP receiver will "
        "not detect the wireless loss correctly",
    ),
    Claim(
        "yun-handoff-detected",
        "LL-ELSN's link layer detects these losses: every packet that is lost completely in a handoff causes "
        "a notice.",
        link_layer_detects_each_loss,
        quote="LL-ELSN also has no detection failure in downlink communication if ELN messages do not suffer "
        "from congestion losses on the wired path",
    ),
    Claim(
        "yun-handoff-memory",
        "With LL-ELSN a base station has no state to hand over. Airhop's agent has no memory by "
        "construction, so runs cannot test this claim.",
        no_memory,
        quote="does not need any memory overhead at BS",
    ),
    Claim(
        "yun-handoff-state",
        "With Snoop and Balakrishnan's scheme a base station has state to hand over, in handoffs of any "
        "length.",
        others_have_state,
        own=True,
        because="The paper's sentence is about LL-ELSN, and does not state the memory of the other schemes.",
    ),
    Claim(
        "yun-handoff-soonest",
        "After a handoff of any length new data are delivered sooner with LL-ELSN than with the other "
        "schemes.",
        soonest,
        own=True,
        because=(
            "The paper simulates no handoffs; the benefit of a notice in a handoff is Airhop's own question."
        ),
        reason="LL-ELSN's ELN filter mistakes the handoff for a disconnection. A second ELN for the first "
        "missing segment arrives while the sender is frozen; if the filter ignores that ELN, the "
        "next retransmission is the probe at the expiry of the retransmission timer. A sender with "
        "a smaller window and a shorter round trip has a shorter timer.",
    ),
    Claim(
        "yun-handoff-most",
        "LL-ELSN has the highest goodput with handoffs of any length.",
        most,
        own=True,
        because=(
            "The paper simulates no handoffs; the benefit of a notice in a handoff is Airhop's own question."
        ),
    ),
)


def headline(values: Values) -> str:
    """State the share of losses without a notice in a long handoff, and the time until new data arrive."""
    gap = 200
    missed = ", ".join(
        f"{SCHEMES[one.curve]} {100 * one.value.mean:.0f} %"
        for name in TELLING
        for one in values.of(name, UNDETECTED)
        if one.x["gap_ms"] == gap
    )
    silent = {name: values.at(name, SILENCE, gap_ms=gap).value.mean for name in SCHEMES}
    return (
        f"Losses without a notice in a handoff of {gap} ms: {missed}. New data arrive after "
        f"{silent[OWN]:.0f} ms with LL-ELSN, {min(silent[name] for name in OTHERS):.0f} to "
        f"{max(silent[name] for name in OTHERS):.0f} ms with the other schemes."
    )


# ---- tables and figures ----------------------------------------------------------------------------------

TITLES: dict[str, tuple[str, float, int]] = {
    GOODPUT: ("Goodput, Mbit/s", 1.0, 2),
    SILENCE: ("From the end of a handoff until new data are delivered, ms", 1.0, 0),
    UNDETECTED: ("Packets lost whole in handoffs that are not detected, %", 100.0, 1),
    TIMEOUTS: ("Timeouts in a run", 1.0, 1),
    CUTS: ("Window reductions in a run", 1.0, 1),
    STATE: ("State of a connection at the base station at the beginning of a handoff, bytes", 1.0, 0),
}


def tables(values: Values) -> list[TextTable]:
    """List every measure by scheme and length of the handoffs."""
    found = []
    for metric, (title, unit, digits) in TITLES.items():
        rows = tuple(
            (
                label,
                *(_cell(values, scheme, metric, gap, unit, digits) for gap in GAPS_MS),
            )
            for scheme, label in SCHEMES.items()
            if values.of(scheme, metric)
        )
        note = f"Mean ± 95 % half-width of {values.reps} runs of {SECONDS} s, a handoff every {BETWEEN_S} s."
        found.append(TextTable(title, ("scheme", *(f"{gap} ms" for gap in GAPS_MS)), rows, note))
    return found


def _cell(values: Values, scheme: str, metric: str, gap: int, unit: float, digits: int) -> str:
    there = [one.value for one in values.of(scheme, metric) if one.x["gap_ms"] == gap]
    return mean_and_half(there[0].scaled(unit), digits) if there else "nothing lost"


def figure(values: Values) -> Figure:
    """Draw goodput, and the time without data after a handoff, against the handoff length."""
    from airhop.plots.paper import legend, new_figure

    drawing = new_figure(7.16, 2.9)
    left, right = drawing.subplots(1, 2)
    _panel(left, values, GOODPUT, "Goodput (Mbit/s)")
    _panel(right, values, SILENCE, "Silence after the handoff (ms)")
    legend(drawing)
    return drawing


def _panel(axes: Axes, values: Values, metric: str, label: str) -> None:
    from airhop.plots.style import styles

    for scheme, style in styles(SCHEMES).items():
        line = values.line(scheme, metric, "gap_ms")
        look: dict[str, Any] = {"color": style.color, "marker": style.marker}
        halves = [half or 0.0 for half in line.half_widths]
        shown = SCHEMES[scheme] if metric == GOODPUT else None
        axes.errorbar(line.x, line.means, halves, **look, markersize=3.5, capsize=1.5, label=shown)
    axes.set_xlim(0.0, 1.04 * GAPS_MS[-1])
    axes.set_ylim(bottom=0.0)
    axes.set_xlabel("Length of the handoff (ms)")
    axes.set_ylabel(label)
    axes.grid(visible=True, linewidth=0.3, color="0.85")
    axes.set_axisbelow(True)


EXPERIMENT = Calculation(
    id="yun2009/handoff",
    title="Handoffs: notices to senders, time until data arrive again, state at base stations",
    source=f"{PAPER}, §1, §2.1 and §3.2",
    method=(
        "Runs have the path of Figure 6, one transmission per frame and no channel errors. Every five "
        "seconds a handoff follows, in which every frame of either end is lost. Losses, notices, deliveries "
        "and the packets at the base station come from traces of 100 s. The state of agents moves with the "
        "mobile."
    ),
    compute=compute_under(RETRY_LIMIT.default),
    compute_under=compute_under,
    questions=(RETRY_LIMIT,),
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
