"""Table 1: delay and detection failures of loss notification, by formulas and in traces.

The formulas have terms for the transmissions of a data packet and of an ACK over the wireless link (equation
(1)), and over the wire. The formulas are evaluated for the paper's path (§5.1, Figure 5) with the DCF's mean
backoff. Measured delays also contain parts without a term in the formulas:

* Interframe spaces and link ACKs between the steps. The ACK that Balakrishnan's scheme marks waits for the
  link ACK of its data packet (0.21 ms). HACK's notice is created when the damaged frame ends, 0.23 ms before
  the link layer discards the packet, and waits for an EIFS (0.36 ms). These parts add at most an EIFS.
* Other packets: queues, contention, collisions. Therefore runs have two loads. `light` is a lone connection
  with one segment in flight. Balakrishnan's scheme needs a data packet after the lost packet, and has two in
  flight. Then only losses of the first count. `bulk` is the paper's own transfer, without a formula.
* Lost packets after the lost packet: the terms of (1) are the times "to transmit a TCP data and an ACK packet
  successfully". With one transmission per frame, as in §5.2, the next packet or its ACK may also be lost, and
  then Balakrishnan's sender has no notice. The scheme's printed zero is compared with losses whose repair
  meets no other loss. A claim about all losses is Airhop's own.

A loss is defined as in the paper, "discarded at the wireless link layer", for the first copy of a segment. A
detection failure is also defined as in the paper: "that the TCP sender does not have any notification for a
wireless loss", because no notice was created or the notice was lost. The printed formulas cover the first
cause alone. P_f_header is the probability that the headers of a damaged frame are damaged. P_f_frag is the
probability that no first fragment of a lost packet arrived. Collisions destroy whole frames: under `bulk`
they also cause failures of HACK's detection.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values, exact
from airhop.experiments.claims import Decision, between, ends, every, exceeds, within
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.traced import estimated, mean_and_half, traced_runs
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.notices import (
    SEGMENT,
    NoticeStatistics,
    collided_losses,
    detected,
    first_losses,
    followed,
    unhindered,
)
from airhop.experiments.yun2009.table1_formulas import EIFS_MS, FER, ROWS
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run
from airhop.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WAYS = ("downlink", "uplink")
LOADS = ("light", "bulk")
OWN = "ll-elsn"
OTHERS = tuple(scheme for scheme in ROWS if scheme != OWN)
REPLICATIONS: dict[Mode, int] = {"quick": 6, "default": 10, "full": 20}
SECONDS = {"light": 1000, "bulk": 50}
DELAY, WIRED, FORMULA = "delay_ms", "delay_on_wire_ms", "delay_formula_ms"
UNDETECTED, UNTOLD, FAILURE, LOSSES = "undetected", "untold", "undetected_formula", "losses"
UNTOLD_DELIVERED = "untold_if_delivered"
"""Name of a metric: share of losses without a received notice, among losses without another loss during the
repair.
"""
COLLIDED, COLLIDED_DETECTED = "collided", "collided_detected"

# ---- computed and simulated values -----------------------------------------------------------------------


def scenario(scheme: str, way: str, load: str) -> Scenario:
    """Return the scenario of a measurement: the paper's path with one transmission per frame."""
    settings: dict[str, Any] = {
        "scheme": scheme,
        "duration": f"{SECONDS[load]} s",
        "wlan.cell.attempts": 1,
        "wlan.cell.errors.fer": FER,
    }
    if load == "light":
        window = ROWS[scheme].segments
        settings["flow.ftp*.tcp.receive_window"] = f"{window * SEGMENT} B"
        # One ACK for two segments, so that no ACK contends with the second segment.
        settings["flow.ftp*.tcp.delayed_ack"] = {"segments": window, "timeout": "10 ms"}
    return Scenario.load(f"yun2009-{way}").with_(settings)


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Evaluate the formulas and measure every scheme, in both directions, under both loads."""
    runs = traced_runs(measure, product(ROWS, WAYS, LOADS), REPLICATIONS[mode], seed, reporter)
    found = list(_formulas())
    for (scheme, way, load), told in runs.items():
        found += _measured(scheme, {"way": way, "load": load}, told)
    return found


def _formulas() -> Iterator[Value]:
    for (scheme, row), way in product(ROWS.items(), WAYS):
        delay, wire = row.delay_ms(way)
        for metric, value in ((FORMULA, delay), (WIRED, wire), (FAILURE, row.failure(row))):
            yield Value(scheme, {"way": way}, metric, exact(value))


@dataclass(frozen=True)
class Measured:
    """Statistics of the losses in one run, also for losses by collisions that destroyed the whole frame."""

    told: NoticeStatistics
    told_if_delivered: NoticeStatistics | None
    """Statistics of losses without another discarded packet during the repair; None for the load `bulk`."""
    collided: int
    collided_detected: int
    """Number of losses by collision with a notice."""


def measure(scheme: str, way: str, load: str, seed: int, rep: int) -> Measured:
    """Trace a run and count its losses by outcome."""
    result = run(scenario(scheme, way, load), seed=seed, rep=rep, trace=True)
    losses = first_losses(result.tables)
    if load == "light" and ROWS[scheme].segments > 1:
        losses = followed(losses)
    collided = collided_losses(result.tables, losses)
    delivered = NoticeStatistics.of(unhindered(result.tables, losses)) if load == "light" else None
    return Measured(NoticeStatistics.of(losses), delivered, collided.height, detected(collided))


def _measured(scheme: str, x: dict[str, float | str], runs: list[Measured]) -> Iterator[Value]:
    for metric in (DELAY, UNDETECTED, UNTOLD, LOSSES):
        yield estimated(scheme, x, metric, [getattr(one.told, metric) for one in runs])
    if delivered := [one.told_if_delivered.untold for one in runs if one.told_if_delivered]:
        yield estimated(scheme, x, UNTOLD_DELIVERED, delivered)
    for metric in (COLLIDED, COLLIDED_DETECTED):
        yield estimated(scheme, x, metric, [getattr(one, metric) for one in runs])


# ---- claims ----------------------------------------------------------------------------------------------

SHARE = 2 * FER
"""Maximum difference of failure probabilities that count as equal: twice the FER, as notices may be lost."""
WHOLE = "a medium in which a header can survive a collision: in Airhop's none does, by construction"
"""Missing information for a claim about collisions that destroy whole frames."""
TOO_SELDOM = "a failure probability that differs measurably from zero: the formula's is {:.0e}"
"""Missing information if the printed formula is too close to zero."""


@worded(
    f"on downlink and uplink, every delay with {{schemes}} differs from Table 1's by at most "
    f"{EIFS_MS:.2f} ms "
    "(an EIFS), or by at most half of the wireless part of the delay if this part is positive and its half "
    "is less; among {of}, the share without a notice at the sender {share}",
    {scheme: row.label for scheme, row in ROWS.items()}
    | {
        SHARE: f"differs from the table's by less than {100 * SHARE:g} percentage points",
        0.0: "is exactly zero, as in the table",
        UNTOLD: "all losses",
        UNTOLD_DELIVERED: "the losses during whose repair the link loses no other packet",
    },
)
def agrees(values: Values, schemes: Sequence[str], share: float = SHARE, of: str = UNTOLD) -> ClaimResult:
    """Check whether delays and detection failures of these schemes equal Table 1, in both directions.

    The tolerance of a delay is an EIFS, or half of the formula's wireless part if this half is shorter and
    positive. The tolerance of a failure probability is `share`. A printed probability below 2 `share` leaves
    the claim undecided. A printed zero must be exactly zero. `of` is the metric of the failures.
    """
    decisions: list[Decision | bool | None] = []
    delays: list[tuple[float, float]] = []
    failures: list[tuple[float, float]] = []
    untold = ""
    for scheme, way in product(schemes, WAYS):
        delay = values.at(scheme, DELAY, way=way, load="light").value
        low, high = _ends(delay)
        expected = values.at(scheme, FORMULA, way=way).value.mean
        decisions.append(_equals_formula(delay, expected, values.at(scheme, WIRED, way=way).value.mean))
        delays.append((low - expected, high - expected))
        low, high = _ends(values.at(scheme, of, way=way, load="light").value)
        expected = values.at(scheme, FAILURE, way=way).value.mean
        met = between(low - expected, high - expected, -share, share) if share else low == high == expected
        if met and 0.0 < expected < 2 * share:
            met, untold = None, TOO_SELDOM.format(expected)
        decisions.append(met)
        failures.append((low - expected, high - expected))
    decision = every(decisions)
    return ClaimResult(
        decision,
        f"delays are off by {_range(delays, 1.0, 2)} ms, detection failures by {_range(failures, 100.0, 1)} "
        f"percentage points ({100 * share:g} are allowed); ends of the intervals",
        needs=untold if decision.holds is None else "",
    )


def _equals_formula(delay: Estimate, expected: float, wire: float) -> Decision:
    """Check whether a delay equals the formula's delay. If the formula's is zero, the delay must be zero."""
    if expected == 0.0:
        return Decision.of(delay.mean == 0.0)
    beyond = expected - wire
    tolerance = min(EIFS_MS, beyond / 2) if beyond > 0.0 else EIFS_MS
    return within(delay, expected - tolerance, expected + tolerance)


def misses_none(values: Values) -> ClaimResult:
    """Check whether Balakrishnan's sender has a notice of every loss, including losses followed by others."""
    found = {way: values.at("eln", UNTOLD, way=way, load="light").value for way in WAYS}
    told = ", ".join(f"{mean_and_half(share.scaled(100.0))} % on the {way}" for way, share in found.items())
    return ClaimResult(all(share.mean == 0.0 for share in found.values()), f"without a notice: {told}")


def least(values: Values) -> ClaimResult:
    """Check whether LL-ELSN has the shortest delay, and misses the smallest share of losses."""
    decisions, later, untold = [], [], []
    for scheme, way, load in product(OTHERS, WAYS, LOADS):
        x = {"way": way, "load": load}
        own, other = (values.at(name, DELAY, **x).value for name in (OWN, scheme))
        decisions.append(exceeds(other, own))
        later.append((other.mean - own.mean, f"{ROWS[scheme].label} ({way}, {load})"))
        own, other = (values.at(name, UNTOLD, **x).value for name in (OWN, scheme))
        decisions.append(_at_most(own, other))
        untold.append((other.mean, ROWS[scheme].label))
    missed = max(value.value.mean for value in values.of(OWN, UNTOLD))
    return ClaimResult(
        every(decisions),
        f"the next one, {min(later)[1]}, is {min(later)[0]:.2f} ms later; LL-ELSN's sender has no notice of "
        f"{100 * missed:.2f} % of losses at most, the senders of the other schemes of up to "
        f"{100 * max(untold)[0]:.0f} % ({max(untold)[1]})",
    )


def collisions_fail(values: Values) -> ClaimResult:
    """Check whether HACK's receiver detects no loss by collision.

    A detected loss refutes the claim. Otherwise the claim is undecided, because in Airhop a collision
    destroys the whole frame.
    """
    found = {
        way: [
            values.at("hack", metric, way=way, load="bulk").value for metric in (COLLIDED, COLLIDED_DETECTED)
        ]
        for way in WAYS
    }
    told = ", ".join(
        f"{mean_and_half(seen, 1)} of {mean_and_half(lost, 0)} in a run, {way}"
        for way, (lost, seen) in found.items()
    )
    if any(seen.mean > 0.0 for _, seen in found.values()):
        return ClaimResult(False, f"detected: {told}")
    return ClaimResult(None, f"detected: {told}", needs=WHOLE)


def _at_most(own: Estimate, other: Estimate) -> Decision:
    """Check whether one share is at most another; open if the intervals overlap."""

    def by(confidence: float) -> bool | None:
        (own_low, own_high), (other_low, other_high) = ends(own, confidence), ends(other, confidence)
        return True if own_high <= max(other_low, 0.0) else False if own_low > other_high else None

    return Decision(by)


def _ends(value: Estimate) -> tuple[float, float]:
    half = value.half_width or 0.0
    return value.mean - half, value.mean + half


def _range(ends: list[tuple[float, float]], unit: float, digits: int) -> str:
    extremes = min(low for low, _ in ends), max(high for _, high in ends)
    return " to ".join(f"{round(unit * end, digits) + 0.0:+.{digits}f}" for end in extremes)  # + 0.0: no -0.0


def headline(values: Values) -> str:
    """State the notice delays of LL-ELSN and of other schemes under the paper's own load."""

    def late(scheme: str, way: str) -> float:
        return values.at(scheme, DELAY, way=way, load="bulk").value.mean

    others = {way: [late(scheme, way) for scheme in ROWS if scheme != "ll-elsn"] for way in WAYS}
    failing = max(values.at("hack", UNTOLD, way=way, load="bulk").value.mean for way in WAYS)
    return (
        f"Under a bulk transfer LL-ELSN reports a loss after {late('ll-elsn', 'downlink'):.1f} ms down and "
        f"{late('ll-elsn', 'uplink'):.1f} ms up, the other schemes after {min(others['downlink']):.0f} to "
        f"{max(others['downlink']):.0f} and {min(others['uplink']):.0f} to {max(others['uplink']):.0f} ms; "
        f"HACK's sender has no notice of up to {100 * failing:.0f} % of losses."
    )


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-12",
        "LL-ELSN has the least delay and detection failure probability both ways: every other scheme has a "
        "longer delay, and no smaller share of losses without a notice at its sender.",
        least,
        quote="LL-ELSN has the least delay and detection failure probability for both downlink and uplink",
    ),
    Claim(
        "yun-12-contention",
        "Contention defeats HACK's receiver: under a bulk transfer, down and up, it detects none of the "
        "losses whose whole frame a collision destroys.",
        collisions_fail,
        quote="channel contention may result in the loss of the whole packet. In such cases, the "
        "TCP receiver cannot judge the wireless link error correctly.",
    ),
    Claim(
        "yun-12-eln",
        "Balakrishnan's scheme has the delays and the probability of detection failure of Table 1: a "
        "downlink delay of T_data + T_ack + T_wrd (airtimes of a data packet and of an ACK, delay of the "
        "wires), one T_wrd more on the uplink, and no loss without a notice at the sender, if the later "
        "packets are transmitted successfully, as the table's terms assume.",
        Asked(agrees, ("eln",), 0.0, UNTOLD_DELIVERED),
        quote="Balakrishnan et al.’s […] ELN delay (downlink) T wls data + T wls ack + T wrd […] ELN delay "
        "(uplink) T wls data + T wls ack +2T wrd […] Prob. of detection failure 0 […] T wls data and T wls "
        "ack are the time that takes to transmit a TCP data and an ACK packet successfully over a wireless "
        "link",
    ),
    Claim(
        "yun-12-eln-once",
        "With one transmission per frame Balakrishnan's scheme also leaves no loss without a notice at the "
        "sender.",
        misses_none,
        own=True,
        because="The table assumes that later packets are transmitted successfully, while the paper's runs "
        "without LL-ARQ send each frame once.",
        reason="The packet after the lost packet, and the ACK with the mark, are lost as often as other "
        "packets; the sender then has no notice.",
    ),
    Claim(
        "yun-12-hack",
        "HACK, EWLN and TCP-ELN have the delays and the probability of detection failure of Table 1: a "
        "downlink delay of T_ack + T_wrd, one T_wrd more on the uplink, and a share P_f_header of losses "
        "without a notice at the sender, the losses with an unreadable header.",
        Asked(agrees, ("hack", "ewln", "tcp-eln")),
        quote="HACK, EWLN, TCP-ELN […] ELN delay (downlink) […] T wls ack + T wrd […] ELN delay (uplink) […] "
        "T wls ack +2T wrd […] Prob. of detection failure […] P f header",
    ),
    Claim(
        "yun-12-lhp",
        "LHP has the delays and the probability of detection failure of Table 1: a downlink delay of T_ack + "
        "T_wrd, one T_wrd more on the uplink, and a share P_f_frag of losses without a notice at the sender, "
        "the losses whose first fragment takes all slots and does not arrive.",
        Asked(agrees, ("lhp",)),
        quote="LHP […] ELN delay (downlink) […] T wls ack + T wrd […] ELN delay (uplink) […] T wls ack +2T "
        "wrd […] Prob. of detection failure […] P f frag",
    ),
    Claim(
        "yun-12-ll-elsn",
        "LL-ELSN has the delays and the probability of detection failure of Table 1: a downlink delay of "
        "T_wrd, no delay on the uplink, and no loss without a notice at the sender.",
        Asked(agrees, ("ll-elsn",), 0.0),
        quote="LL-ELSN ELN delay (downlink) […] T wrd ELN delay (uplink) […] 0 Prob. of detection failure "
        "[…] 0",
    ),
)

# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List formulas and measurements side by side: delays, detection failures, and a bulk transfer."""
    of = f"Measured: mean ± 95 % half-width of {values.reps} runs."
    beside = ("scheme", "down, formula", "measured", "up, formula", "measured")
    return [
        TextTable(
            "ELN delay under light load, ms",
            beside,
            tuple(_beside(values, scheme, FORMULA, DELAY, 1.0) for scheme in ROWS),
            of,
        ),
        TextTable(
            "Losses without a notice at the sender under light load, %",
            beside,
            tuple(_beside(values, scheme, FAILURE, UNTOLD, 100.0) for scheme in ROWS),
            of,
        ),
        TextTable(
            "Under a bulk transfer: ELN delay, ms, and losses without a notice at the sender, %",
            ("scheme", "down, delay", "no notice", "up, delay", "no notice"),
            tuple(_bulk(values, scheme) for scheme in ROWS),
            "No formula: queues, contention and collisions. An ACK that Balakrishnan's scheme marks reports "
            "one loss; a second loss is reported after the repair of the first.",
        ),
    ]


def _beside(values: Values, scheme: str, formula: str, measured: str, unit: float) -> tuple[str, ...]:
    cells = [ROWS[scheme].label]
    for way in WAYS:
        cells.append(f"{unit * values.at(scheme, formula, way=way).value.mean:.2f}")
        cells.append(_scaled(values.at(scheme, measured, way=way, load="light").value, unit))
    return tuple(cells)


def _bulk(values: Values, scheme: str) -> tuple[str, ...]:
    cells = [ROWS[scheme].label]
    for way, (metric, unit) in product(WAYS, ((DELAY, 1.0), (UNTOLD, 100.0))):
        cells.append(_scaled(values.at(scheme, metric, way=way, load="bulk").value, unit))
    return tuple(cells)


def _scaled(value: Estimate, unit: float) -> str:
    return f"{unit * value.mean:.2f} ± {unit * (value.half_width or 0.0):.2f}"


MARKS = {"downlink": (-0.18, "v", "black"), "uplink": (0.18, "^", "white")}
"""By direction: offset within the row of a scheme, marker, and fill."""


def figure(values: Values) -> Figure:
    """Draw wireless delays and detection failures under light load, over bars with the formulas' values."""
    from airhop.plots.paper import legend, page

    drawing, _ = page(3.0)
    drawing.clear()
    left, right = drawing.subplots(1, 2, sharey=True)
    _panel(left, values, (FORMULA, DELAY), 1.0, WIRED)
    _panel(right, values, (FAILURE, UNTOLD), 100.0)
    left.set_yticks(range(len(ROWS)), [row.label for row in ROWS.values()])
    left.set_ylim(len(ROWS) - 0.5, -0.5)
    left.set_xlabel("Delay beyond $T_{\\mathrm{wrd}}$ (ms)")
    right.set_xlabel("Without a notice (%)")
    left.barh(0, 0, color=BAR, label="formula")
    for way, (_, marker, face) in MARKS.items():
        left.plot(
            [], [], "k", linestyle="none", marker=marker, markerfacecolor=face, label=f"measured, {way}"
        )
    legend(drawing)
    return drawing


BAR = "0.8"


def _panel(axes: Axes, values: Values, metrics: tuple[str, str], unit: float, less: str = "") -> None:
    """Draw formulas as bars and measurements as markers; the metric `less` is subtracted from both."""
    for (place, scheme), way in product(enumerate(ROWS), WAYS):
        step, marker, face = MARKS[way]
        origin = values.at(scheme, less, way=way).value.mean if less else 0.0
        formula = values.at(scheme, metrics[0], way=way).value
        measured = values.at(scheme, metrics[1], way=way, load="light").value
        axes.barh(place + step, unit * (formula.mean - origin), height=0.3, color=BAR)
        axes.errorbar(
            unit * (measured.mean - origin),
            place + step,
            xerr=unit * (measured.half_width or 0.0),
            color="black",
            marker=marker,
            markerfacecolor=face,
            markersize=3.5,
            linestyle="none",
            elinewidth=0.7,
            clip_on=False,
        )
    axes.grid(visible=True, axis="x", linewidth=0.3, color="0.85")
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)


EXPERIMENT = Calculation(
    id="yun2009/table1",
    title="Delay and detection failures of loss notification",
    source=f"{PAPER}, Table 1 and §3.2",
    method=(
        "The formulas are evaluated for the paper's path, with the airtimes of the DCF at the mean backoff "
        "and three wired links. They are compared with traces of that path at 1 % frame errors and one "
        "transmission per frame: with traces of a connection with one segment in flight (two for "
        "Balakrishnan's scheme), and with traces of a bulk transfer. A delay runs from the discard of a "
        "segment's first copy to the notice at the sender; detection fails if the sender has no notice, "
        "because no notice is made or because the notice is lost. A delay agrees if it "
        "differs from the formula by at most an EIFS (0.36 ms), or by at most half of the formula's wireless "
        "part if this part is positive and its half is less. A failure probability agrees if it differs by "
        "less than twice the frame error rate; a printed zero must be exactly zero. For Balakrishnan's "
        "scheme only those losses count until whose repair the link delivers all other packets."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
