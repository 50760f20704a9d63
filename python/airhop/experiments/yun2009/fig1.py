"""Figure 1: time sequence of LL-ELSN for a packet that the link layer discards, downlink and uplink.

Printed: the packet is corrupted, and its ACK timeout expires. The link layer retransmits, and sends an ERSN
to the sender. After the last retry the link layer sends an ELN, and the sender retransmits the packet without
congestion control. On the uplink the notices have "no delay". §3.1 adds that the first retry causes the ERSN,
and that the discard of the packet causes the ELN.

The order of these steps is read from traces, for every segment with a discarded copy. The last second of the
run is excluded, because its steps may be incomplete. Inferred: a retry limit of 4, and 30 % frame errors, so
that some packets reach the limit. The window has only four segments, because a long queueing delay would make
the steps in the drawing too small. The order of the steps does not depend on the load.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from airhop.experiments.asked import Asked, worded
from airhop.experiments.calculation import Calculation, TextTable, Value, Values, exact
from airhop.experiments.experiment import Claim, ClaimResult, Mode
from airhop.experiments.traced import estimated, traced_runs
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.notices import SEGMENT, losses_by_segment
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import run

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WAYS = ("downlink", "uplink")
ATTEMPTS = 4
SEGMENTS = 4
"""Window in segments."""
SECONDS = 50
SETTINGS = {
    "scheme": "ll-elsn",
    "duration": f"{SECONDS} s",
    "wlan.cell.attempts": ATTEMPTS,
    "wlan.cell.errors.fer": 0.3,
    "flow.ftp*.tcp.receive_window": f"{SEGMENTS * SEGMENT} B",
}
REPLICATIONS: dict[Mode, int] = {"quick": 3, "default": 10, "full": 20}
STEPS = {
    "sent": "packet 1 is sent",
    "reached": "first attempt begins",
    "corrupted": "first attempt ends, corrupted",
    "ersn": "ERSN is made",
    "retry": "1st retry begins",
    "last": "last retry begins",
    "discarded": "packet 1 is discarded",
    "eln": "ELN is made",
    "again": "packet 1 is retransmitted",
}
"""Steps in printed order. The arrival of a notice at the sender is drawn beside the step that sends the
notice.
"""
HEARD = {"ersn_heard": "ERSN reaches the sender", "eln_heard": "ELN reaches the sender"}
TIME, LOSSES, RETRIED = "time_ms", "losses", "retried"
SHARES = {
    "in_order": "all steps in the printed order",
    "ersn_once": "a single ERSN, between the first attempt and the retry",
    "eln_at_discard": "an ELN sent at the discard",
    "at_once": "a retransmission at the time of the ELN",
    "untouched": "no window reduction at the ELN",
    "held": "neither retransmission nor window reduction from the ERSN to the ELN, or to the ACK",
    "no_delay": "notices that the sender receives without delay",
}
"""Properties to count among the discarded packets. `ersn_once` and `held` are counted among all packets with
a failed first attempt.
"""


@dataclass(frozen=True)
class DiscardedPackets:
    """Discarded packets of a run."""

    losses: int
    retried: int
    """Packets whose first attempt failed."""
    shares: Mapping[str, float]
    """Share of packets by key of SHARES."""
    example: Mapping[str, float]
    """Times in milliseconds of the steps and received notices of one packet, from the packet's first attempt.
    """


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Trace runs in both directions, and count the packets whose steps are in order.

    The example packet of each direction comes from the first run.
    """
    runs = traced_runs(measure, ((way,) for way in WAYS), REPLICATIONS[mode], seed, reporter)
    found: list[Value] = []
    for (way,), seen in runs.items():
        found.append(estimated(way, {}, LOSSES, [one.losses for one in seen]))
        found.append(estimated(way, {}, RETRIED, [one.retried for one in seen]))
        found += [estimated(way, {}, share, [one.shares[share] for one in seen]) for share in SHARES]
        found += [Value(way, {"step": step}, TIME, exact(at)) for step, at in seen[0].example.items()]
    return found


def measure(way: str, seed: int, rep: int) -> DiscardedPackets:
    """Trace a run and check each discarded packet."""
    scenario = Scenario.load(f"yun2009-{way}").with_(SETTINGS)
    return seen_in(run(scenario, seed=seed, rep=rep, trace=True).tables)


def seen_in(tables: Mapping[str, pl.DataFrame]) -> DiscardedPackets:
    """Check the packets of a run that were discarded and later acknowledged; the run has a single flow."""
    import polars as pl

    steps = steps_of(tables)
    ordered = pl.all_horizontal(pl.col(one) <= pl.col(next_) for one, next_ in pairwise(STEPS))
    shares = steps.select(
        in_order=ordered & (pl.col("ersn_heard") < pl.col("eln_heard")),
        eln_at_discard=pl.col("eln") == pl.col("discarded"),
        at_once=(pl.col("again") == pl.col("eln_heard")) & (pl.col("why") == "notice"),
        untouched=pl.col("cwnd_after") >= pl.col("cwnd_before"),
        no_delay=(pl.col("ersn") == pl.col("ersn_heard")) & (pl.col("eln") == pl.col("eln_heard")),
    )
    first = steps.drop_nulls().row(0, named=True)
    example = {step: 1000.0 * (first[step] - first["reached"]) for step in (*STEPS, *HEARD)}
    means = shares.select(pl.all().fill_null(value=False).mean()).row(0, named=True)
    retried = retries_of(tables)
    once = retried.select((pl.col("ersns") == 1).mean()).item() or 0.0
    held = held_after_ersn(tables)
    return DiscardedPackets(steps.height, retried.height, {**means, "ersn_once": once, "held": held}, example)


def held_after_ersn(tables: Mapping[str, pl.DataFrame]) -> float:
    """Return the share of ERSNs after which the sender waits for an ELN or ACK of the packet.

    Until that ELN or ACK arrives, the sender neither retransmits the packet nor reduces its window below the
    window at the ERSN. ERSNs of the last second are excluded.
    """
    import polars as pl

    heard = tables["notices"].filter(pl.col("event") == "received")
    elns, acks = heard.filter(pl.col("kind") == "eln"), tables["acks"]
    again = tables["segments"].filter("retransmission")
    window = tables["window"].sort("time_s")
    times, cwnd = window["time_s"].to_numpy(), window["cwnd"].to_numpy()
    ersns = heard.filter(pl.col("kind") == "ersn", pl.col("time_s") <= SECONDS - 1)
    held = 0
    for at, seq in ersns.select("time_s", "seq").iter_rows():
        about = (elns.filter(pl.col("seq") == seq), acks.filter(pl.col("ack") > seq))
        news = pl.concat([one.filter(pl.col("time_s") >= at)["time_s"] for one in about]).to_numpy()
        until = float(news.min()) if news.size else math.inf
        first, last = times.searchsorted(at), times.searchsorted(until)
        sent = again.filter(pl.col("seq") == seq, pl.col("time_s") >= at, pl.col("time_s") < until)
        kept = first == last or cwnd[first:last].min() >= cwnd[max(first - 1, 0)]
        held += sent.is_empty() and bool(kept)
    return held / ersns.height if ersns.height else 0.0


def retries_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """List the first retries of data packets, one row each, with the number of ERSNs sent before the retry.

    An ERSN without a retry has its own row, with a count of 0.
    """
    import polars as pl

    frames = tables["air"].filter(pl.col("kind") == "data", pl.col("packet") == "data")
    first = frames.filter(pl.col("attempt") == 1).select("seq", failed=pl.col("end_s")).sort("failed")
    retries = frames.filter(pl.col("attempt") == 2).select("seq", retry=pl.col("start_s")).sort("retry")
    retries = retries.join_asof(first, left_on="retry", right_on="failed", by="seq", check_sortedness=False)
    made = tables["notices"].filter(pl.col("kind") == "ersn", pl.col("event") == "sent")
    made = made.filter(pl.col("time_s") <= SECONDS - 1).select("seq", made=pl.col("time_s"))
    pairs = made.join(retries, on="seq").filter(pl.col("made").is_between("failed", "retry"))
    counted = pairs.group_by("seq", "retry").agg(ersns=pl.len())
    strays = made.join(pairs, on=("seq", "made"), how="anti").select("seq", ersns=pl.lit(0, pl.UInt32))
    found = retries.filter(pl.col("retry") <= SECONDS - 1).join(counted, on=("seq", "retry"), how="left")
    return pl.concat([found.select("seq", pl.col("ersns").fill_null(0)), strays])


def steps_of(tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """List the segments with a discarded copy, one row each, with the time of each step in seconds.

    Further columns: `why`, the cause of the retransmission; `cwnd_before` and `cwnd_after`, the window in
    segments before and after the ELN. A step that did not occur is null.
    """
    import polars as pl

    losses = losses_by_segment(tables).filter(pl.col("lost_s") <= SECONDS - 1).drop("next_s")
    losses = losses.rename(
        {"sent_s": "sent", "lost_s": "discarded", "made_s": "eln", "heard_s": "eln_heard", "again_s": "again"}
    )
    ersns = tables["notices"].filter(pl.col("kind") == "ersn").join(losses, on="seq")
    ersns = ersns.filter(pl.col("time_s") <= pl.col("discarded"))
    made = ersns.filter(pl.col("event") == "sent").group_by("seq")
    heard = tables["notices"].filter(pl.col("kind") == "ersn", pl.col("event") == "received").group_by("seq")
    frames = tables["air"].filter(pl.col("kind") == "data", pl.col("packet") == "data")
    frames = frames.join(losses.select("seq", "discarded"), on="seq").filter(
        pl.col("end_s") <= pl.col("discarded")
    )
    attempts = frames.group_by("seq").agg(
        reached=pl.col("start_s").filter(pl.col("attempt") == 1).min(),
        corrupted=pl.col("end_s").filter(pl.col("attempt") == 1).min(),
        retry=pl.col("start_s").filter(pl.col("attempt") == 2).min(),
        last=pl.col("start_s").filter(pl.col("attempt") == ATTEMPTS).min(),
    )
    again = tables["segments"].filter("retransmission").sort("time_s").unique("seq", keep="first")
    again = again.select("seq", pl.col("cause").alias("why"), pl.col("cwnd").alias("cwnd_after"))
    found = losses
    for facts in (
        made.agg(ersn=pl.col("time_s").min()),
        heard.agg(ersn_heard=pl.col("time_s").min()),
        attempts,
        again,
    ):
        found = found.join(facts, on="seq", how="left")
    windows = tables["window"].select("time_s", cwnd_before=pl.col("cwnd")).sort("time_s")
    found = found.sort("eln_heard").join_asof(
        windows, left_on="eln_heard", right_on="time_s", allow_exact_matches=False
    )
    return found.drop("time_s", strict=False).sort("discarded")


# ---- claims ----------------------------------------------------------------------------------------------


@worded(
    "{ways}, every discarded packet has {shares}",
    {**SHARES, ("downlink", "uplink"): "in both directions", ("uplink",): "on the uplink"},
)
def all_discarded(values: Values, ways: tuple[str, ...], *shares: str) -> ClaimResult:
    """Check whether every discarded packet has these properties.

    There is no tolerance, because the order of the steps involves no chance.
    """
    found = {(way, share): values.at(way, share).value.mean for way in ways for share in shares}
    told = "; ".join(f"{way}, {SHARES[share]}: {100 * value:.3g} %" for (way, share), value in found.items())
    counts = ", ".join(f"{values.at(way, LOSSES).value.mean:.0f} {way}" for way in ways)
    return ClaimResult(all(value == 1.0 for value in found.values()), f"{told} (a run: {counts})")


@worded("in both directions every packet whose first attempt fails has {share}", SHARES)
def all_retried(values: Values, share: str) -> ClaimResult:
    """Check whether a property holds for every packet with a failed first attempt."""
    found = {way: values.at(way, share).value.mean for way in WAYS}
    told = "; ".join(f"{way}: {100 * value:.3g} %" for way, value in found.items())
    counts = ", ".join(f"{values.at(way, RETRIED).value.mean:.0f} {way}" for way in WAYS)
    return ClaimResult(all(value == 1.0 for value in found.values()), f"{told} (a run: {counts})")


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-fig1-order",
        "In both directions each discarded packet is corrupted, announced by an ERSN, retried, discarded, "
        "reported by an ELN, and retransmitted, in this order; the ERSN arrives before the ELN.",
        Asked(all_discarded, WAYS, "in_order"),
        quote="When the wireless link layer of BS fails in the first transmission attempt of the packet 1 "
        "(Layer-2 ACK timeout), the wireless link layer retransmits the packet and, simultaneously, BS sends "
        "the Explicit Retransmission Start Notification (ERSN) to the remote TCP sender. […] If the packet 1 "
        "fails in transmission until the retry limit of LL-ARQ, BS sends an appropriate ELN message to the "
        "TCP sender. Upon receiving the ELN, the TCP sender immediately retransmits the packet 1 […] "
        "Behavior of the LL-ELSN scheme for (a) downlink communication, and (b) uplink communication.",
    ),
    Claim(
        "yun-fig1-ersn",
        "Each packet whose first attempt fails causes one ERSN, between this attempt and its first retry, "
        "whether or not the link layer finally discards the packet.",
        Asked(all_retried, "ersn_once"),
        quote="fails in the first transmission attempt of the packet 1 (Layer-2 ACK timeout), the wireless "
        "link layer retransmits the packet and, simultaneously, BS sends the Explicit Retransmission Start "
        "Notification",
    ),
    Claim(
        "yun-fig1-eln",
        "The ELN is sent when the link layer discards the packet, at the retry limit.",
        Asked(all_discarded, WAYS, "eln_at_discard"),
        quote="If the packet 1 fails in transmission until the retry limit of LL-ARQ, BS sends an "
        "appropriate ELN message to the TCP sender",
    ),
    Claim(
        "yun-fig1-reaction",
        "The sender retransmits the packet when the ELN arrives, and does not reduce its window.",
        Asked(all_discarded, WAYS, "at_once", "untouched"),
        quote="Upon receiving the ELN, the TCP sender immediately retransmits the packet 1 without any "
        "congestion control",
    ),
    Claim(
        "yun-fig1-held",
        "From the ERSN to the ELN, or to the ACK of a packet that a retry delivers, the sender neither "
        "retransmits the packet nor reduces its window.",
        Asked(all_retried, "held"),
        quote="Upon reception of ERSN, the TCP sender neither invokes congestion control due to the packet 1 "
        "nor retransmits it.",
    ),
    Claim(
        "yun-fig1-uplink",
        "On the uplink the sender receives both notices without delay.",
        Asked(all_discarded, ("uplink",), "no_delay"),
        quote="(No delay)",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the delays of notices in the examples, downlink and uplink."""

    def at(way: str, step: str) -> float:
        return values.at(way, TIME, step=step).value.mean

    down, up = (
        f"{at(way, 'ersn_heard') - at(way, 'ersn'):.1f} and {at(way, 'eln_heard') - at(way, 'eln'):.1f} ms"
        for way in WAYS
    )
    return f"ERSN and ELN of the drawn packet reach the sender after {down} downlink, and {up} uplink."


# ---- tables and figures ----------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List the number of packets for each statement, and the times of the drawn packets."""
    shares = tuple(
        (words, *(f"{100 * values.at(way, share).value.mean:.1f}" for way in WAYS))
        for share, words in SHARES.items()
    )
    counts = ("packets given up in a run", *(f"{values.at(way, LOSSES).value.mean:.0f}" for way in WAYS))
    times = tuple(
        (words, *(f"{_time(values, way, step):.2f}" for way in WAYS)) for step, words in _steps_in_order()
    )
    return [
        TextTable(
            "Share of the discarded packets, %",
            ("", *WAYS),
            (*shares, counts),
            f"Means of {values.reps} runs.",
        ),
        TextTable("The drawn packets: ms from the first attempt", ("", *WAYS), times),
    ]


def _time(values: Values, way: str, step: str) -> float:
    return values.at(way, TIME, step=step).value.mean


def _steps_in_order() -> Iterator[tuple[str, str]]:
    """Yield the steps of a packet and the receptions of notices in chronological order, with labels."""
    for step, words in STEPS.items():
        if step == "again":
            yield from HEARD.items()
        yield step, words


LIFELINES = {
    "downlink": ("TCP sender", "BS", "TCP receiver"),
    "uplink": ("TCP layer", "link layer", "BS"),
}
"""Lifelines from left to right. Notices go to the first, and frames from the second to the third."""
PLACES = (0.0, 1.0, 1.8)
"""Horizontal positions of the lifelines."""
ATTEMPT_WORDS = {
    "reached": ("packet 1", "bottom"),
    "retry": ("1st retry", "top"),
    "last": ("last retry", "center"),
}
"""Label of an attempt, and its position relative to the end of the attempt."""
WIDTH_IN, HEIGHT_IN = 7.16, 3.6
MARGIN = 0.06
"""Margin above and below the steps, as a share of the whole time sequence."""
ALARM = "#a01c3c"
"""Colour of corrupted frames."""
INK, NOTICE = "black", "#0064a0"


def figure(values: Values) -> Figure:
    """Draw the time sequences of a packet, downlink and uplink, as in the paper, with a time scale."""
    from airhop.plots.paper import new_figure

    drawing = new_figure(WIDTH_IN, HEIGHT_IN)
    for number, (way, axes) in enumerate(zip(WAYS, drawing.subplots(1, 2), strict=True)):
        _sequence(axes, {step: _time(values, way, step) for step in (*STEPS, *HEARD)}, LIFELINES[way])
        axes.set_title(f"({'ab'[number]}) {way}", fontsize=9, y=-0.1)
    return drawing


def _sequence(axes: Axes, at: Mapping[str, float], lifelines: tuple[str, ...]) -> None:
    """Draw the time sequence of one packet, with time running downwards."""
    sender, station, receiver = PLACES
    first, last = min(at.values()), max(at.values())
    room = MARGIN * (last - first)
    top, bottom = first - room, last + 3.5 * room
    for place, name in zip(PLACES, lifelines, strict=True):
        axes.plot([place, place], [top, bottom], color="0.5", linewidth=0.8)
        axes.text(place, top - 0.4 * room, name, ha="center", va="bottom", fontsize=8)
    airtime = at["corrupted"] - at["reached"]
    _arrow(axes, (sender, at["sent"]), (station, at["reached"]), INK)
    _words(axes, (sender + station) / 2, (at["sent"] + at["reached"]) / 2, "packet 1", INK)
    for step, (words, side) in ATTEMPT_WORDS.items():
        _arrow(axes, (station, at[step]), (receiver, at[step] + airtime), ALARM)
        axes.plot(receiver, at[step] + airtime, "x", color=ALARM, markersize=5, markeredgewidth=1.4)
        _words(axes, receiver + 0.08, at[step] + airtime, words, ALARM, ha="left", va=side)
    between = (at["retry"] + at["last"]) / 2 + airtime
    axes.text((station + receiver) / 2, between, "⋮", ha="center", va="center", fontsize=9)
    for notice in ("ersn", "eln"):
        made, heard = at[notice], at[f"{notice}_heard"]
        _arrow(axes, (station, made), (sender, heard), NOTICE)
        _words(axes, (sender + station) / 2, (made + heard) / 2, notice.upper(), NOTICE)
    leaves = at["again"] + 2.0 * room
    _arrow(axes, (sender, at["again"]), (station / 2, leaves), INK)
    _words(axes, station / 2 + 0.04, leaves, "packet 1", INK, ha="left")
    axes.set_xlim(-0.15, receiver + 0.45)
    axes.set_ylim(bottom, top)
    axes.set_ylabel("ms from the first attempt")
    axes.set_xticks([])
    axes.tick_params(right=False)
    axes.spines[["top", "right", "bottom"]].set_visible(False)


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
    look = {"arrowstyle": "-|>", "color": color, "lw": 1.0, "shrinkA": 0, "shrinkB": 0}
    axes.annotate("", xy=end, xytext=start, arrowprops=look)


def _words(
    axes: Axes, x: float, y: float, words: str, color: str, *, ha: str = "center", va: str = "center"
) -> None:
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
    axes.text(x, y, words, ha=ha, va=va, fontsize=7, color=color, bbox=box)


EXPERIMENT = Calculation(
    id="yun2009/fig1",
    title="Timeline of a packet that the link layer discards, with LL-ELSN",
    source=f"{PAPER}, Figure 1 and §3.1",
    method=(
        "Runs of 50 s over the paper's path, down and up, are traced, with 30 % frame errors, four "
        "transmissions of a frame, and a window of four segments. For each segment whose first transmission "
        "was discarded, the trace has the times of its attempts on the air, of the notices sent and "
        "received, of the discard and of the retransmission. The figure shows the first such packet of the "
        "first run."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
