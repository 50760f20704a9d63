"""Table 1: delay and detection failures of explicit loss notification, its formulas beside what traces show.

The formulas name transmissions: of a data packet and of an ACK across the wireless link (equation (1)), and of
either across the wire. They are evaluated for the paper's path (§5.1, Figure 5) with the DCF's mean backoff.
What they count in no term, a measurement has all the same:

* Interframe spaces and link ACKs between one step and the next. The notice of HACK is made when the damaged
  frame ends, which is before the link layer gives it up, and waits an EIFS; the ACK that Balakrishnan's scheme
  marks waits for the link ACK of its data packet. An EIFS, 0.36 ms, is the most that comes of that.
* Whatever else is on its way: queues, contention and collisions. So there are two kinds of traffic. `light` is
  a connection with one segment at a time, alone on the path; with two for Balakrishnan's scheme, which needs a
  data packet behind the lost one. `bulk` is the paper's own transfer, and has no formula.
* That (1) lets every packet through in the end. With one transmission per frame, as in §5.2, the packet behind
  the lost one is lost as often as any other, and then Balakrishnan's scheme is not told either.

A loss is the paper's, "discarded at the wireless link layer", of the first copy of a segment. "Probability of a
detection failure" is read as the share of losses of which no notice is made: P_f_header is the probability that
the headers are hit if the frame is, P_f_frag that no first fragment arrived if the packet did not. Collisions
destroy frames whole: under `bulk` they fail HACK's detection as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from airhop.experiments.calculation import Calculation, TextTable, Value, Values, exact
from airhop.experiments.claims import every, within
from airhop.experiments.experiment import Claim, Judgement, Mode
from airhop.experiments.yun2009 import PAPER
from airhop.experiments.yun2009.notices import SEGMENT, Told, first_losses, followed
from airhop.progress import Reporter
from airhop.scenario import Scenario
from airhop.simulate import cores, run
from airhop.stats import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WAYS = ("downlink", "uplink")
LOADS = ("light", "bulk")
FER = 0.01
"""Of a full data frame, as wherever the paper names none."""
REPLICATIONS: dict[Mode, int] = {"quick": 5, "default": 10, "full": 20}
SECONDS: dict[str, dict[Mode, int]] = {
    "light": {"quick": 400, "default": 1000, "full": 1000},
    "bulk": {"quick": 20, "default": 50, "full": 50},
}
DELAY, WIRED, FORMULA = "delay_ms", "delay_on_wire_ms", "delay_formula_ms"
UNDETECTED, UNTOLD, FAILURE, LOSSES = "undetected", "untold", "undetected_formula", "losses"

# ---- the path --------------------------------------------------------------------------------------------

LINKS, LINK_MS, LINK_MBPS = 3, 10.0, 10.0
SLOT_MS, SIFS_MS, PLCP_MS, CW_MIN, RADIO_MBPS = 0.020, 0.010, 0.192, 31, 11.0
DIFS_MS = SIFS_MS + 2 * SLOT_MS
EIFS_MS = SIFS_MS + PLCP_MS + 14 * 8 / 1000 + DIFS_MS
"""With a link ACK at 1 Mbit/s."""
HEADERS, OVERHEAD = 40, 36
"""IP and TCP; MAC, LLC and frame check sequence."""
FRAGMENTS = (100, 256, 256, 256, 172)
"""What LHP cuts 1040 bytes into. With one transmission each there are as many slots."""


@dataclass(frozen=True)
class Row:
    """What Table 1 says of a scheme."""

    label: str
    data_option: int = 0
    """Bytes of TCP options of a segment."""
    notice: int = HEADERS
    """Bytes of the packet that tells the sender: an ELN about a segment that is not the next one takes 8."""
    detects: str = "receiver"
    """Who notices a loss: the receiver, the base station from the ACK that comes next, or the link layer."""
    failure: Callable[[Row], float] = lambda _: 0.0

    @property
    def segments(self) -> int:
        """Segments on their way under light load."""
        return 2 if self.detects == "base station" else 1

    def delay_ms(self, way: str) -> tuple[float, float]:
        """Give Table 1's ELN delay: what it is, and how much of that is on the wire."""
        if self.detects == "link layer" and way == "uplink":
            return 0.0, 0.0
        data, notice = SEGMENT + HEADERS + self.data_option, self.notice
        air = 0.0 if self.detects == "link layer" else wireless_ms(notice)
        air += wireless_ms(data) if self.detects == "base station" else 0.0
        wire = wired_ms(notice) + (wired_ms(data) if way == "uplink" else 0.0)
        return air + wire, wire


def wireless_ms(size: int) -> float:
    """Give the time of an IP packet across the wireless link, equation (1)."""
    from airhop.experiments.yun2009.equations import crossing_time

    attempt = DIFS_MS + SLOT_MS * CW_MIN / 2 + PLCP_MS + 8e-3 * (size + OVERHEAD) / RADIO_MBPS
    return float(crossing_time(attempt, hit(size + OVERHEAD)))


def wired_ms(size: int) -> float:
    """Give the time of an IP packet across the wired path: T_wrd."""
    return LINKS * (LINK_MS + 8e-3 * size / LINK_MBPS)


def hit(size: int) -> float:
    """Give the probability that bit errors are in so many bytes of a frame."""
    return 1.0 - (1.0 - FER) ** (size / (SEGMENT + HEADERS + OVERHEAD))


def header_hit(row: Row) -> float:
    """Give P_f_header: the headers of a damaged frame are damaged."""
    headers = OVERHEAD + HEADERS + row.data_option
    return hit(headers) / hit(headers + SEGMENT)


def fragment_lost(_: Row) -> float:
    """Give P_f_frag: the first fragment of a packet that was lost took all slots, and did not arrive."""
    from math import prod

    frames = [size + OVERHEAD for size in FRAGMENTS]
    arrived = prod(1.0 - hit(frame) for frame in frames)
    return hit(frames[0]) ** len(frames) / (1.0 - arrived)


ROWS = {
    "eln": Row("Balakrishnan", detects="base station"),
    "hack": Row("HACK", data_option=4, notice=HEADERS + 8, failure=header_hit),
    "ewln": Row("EWLN", notice=HEADERS + 8, failure=header_hit),
    "tcp-eln": Row("TCP-ELN", data_option=4, notice=HEADERS + 8, failure=header_hit),
    "lhp": Row("LHP", notice=HEADERS + 8, failure=fragment_lost),
    "ll-elsn": Row("LL-ELSN", detects="link layer"),
}

# ---- what is computed and what is run --------------------------------------------------------------------


def scenario(scheme: str, way: str, load: str, seconds: float) -> Scenario:
    """Make the scenario of a measurement: the paper's path with one transmission per frame."""
    settings: dict[str, Any] = {
        "scheme": scheme,
        "duration": f"{seconds} s",
        "wlan.cell.attempts": 1,
        "wlan.cell.errors.fer": FER,
    }
    if load == "light":
        window = ROWS[scheme].segments
        settings["flow.ftp*.tcp.receive_window"] = f"{window * SEGMENT} B"
        # One ACK for two segments, so that none contends with the second of them.
        settings["flow.ftp*.tcp.delayed_ack"] = {"segments": window, "timeout": "10 ms"}
    return Scenario.load(f"yun2009-{way}").with_(settings)


def compute(mode: Mode, seed: int, reporter: Reporter) -> list[Value]:
    """Evaluate the formulas and measure every scheme, both ways, under both loads."""
    found = list(_formulas())
    cells = list(product(ROWS, WAYS, LOADS))
    reps = range(REPLICATIONS[mode])
    with reporter.task("traced runs", len(cells) * len(reps)) as task, ThreadPoolExecutor(cores()) as pool:
        jobs = {
            cell: [pool.submit(_measure, *cell, mode, seed, rep) for rep in reps] for cell in cells
        }
        try:
            for (scheme, way, load), runs in jobs.items():
                told = []
                for job in runs:
                    told.append(job.result())
                    task.advance()
                found += _measured(scheme, {"way": way, "load": load}, told)
        finally:
            pool.shutdown(cancel_futures=True)
    return found


def _formulas() -> Iterator[Value]:
    for (scheme, row), way in product(ROWS.items(), WAYS):
        delay, wire = row.delay_ms(way)
        for metric, value in ((FORMULA, delay), (WIRED, wire), (FAILURE, row.failure(row))):
            yield Value(scheme, {"way": way}, metric, exact(value))


def _measure(scheme: str, way: str, load: str, mode: Mode, seed: int, rep: int) -> Told:
    result = run(scenario(scheme, way, load, SECONDS[load][mode]), seed=seed, rep=rep, trace=True)
    losses = first_losses(result.tables)
    if load == "light" and ROWS[scheme].segments > 1:
        losses = followed(losses)
    return Told.of(losses)


def _measured(scheme: str, x: dict[str, float | str], told: list[Told]) -> Iterator[Value]:
    from airhop.stats import estimate

    for metric in (DELAY, UNDETECTED, UNTOLD, LOSSES):
        yield Value(scheme, x, metric, estimate([getattr(one, metric) for one in told]))


# ---- what is claimed -------------------------------------------------------------------------------------

SHARE = 2 * FER
"""Detection failures that differ by less are the same: so often the packet behind is lost, or the notice."""


def agrees(*schemes: str) -> Callable[[Values], Judgement]:
    """Judge whether delays and detection failures of these schemes are those of Table 1, both ways.

    Delays within an EIFS, failures within `SHARE`.
    """

    def judge(values: Values) -> Judgement:
        verdicts, delays, failures = [], [], []
        for scheme, way in product(schemes, WAYS):
            for metric, formula, most, off in (
                (DELAY, FORMULA, EIFS_MS, delays),
                (UNDETECTED, FAILURE, SHARE, failures),
            ):
                low, high = _ends(values.at(scheme, metric, way=way, load="light").value)
                expected = values.at(scheme, formula, way=way).value.mean
                verdicts.append(within(low - expected, high - expected, -most, most))
                off.append((low - expected, high - expected))
        return Judgement(
            every(verdicts),
            f"off by {_range(delays, 1.0, 2)} ms, and in detection failures by {_range(failures, 100.0, 1)} "
            f"percentage points (ends of the intervals)",
        )

    return judge


def least(values: Values) -> Judgement:
    """Judge whether no scheme has less delay than LL-ELSN, or leaves its sender untold less often."""
    verdicts, ratios = [], []
    for way, load in product(WAYS, LOADS):
        for scheme in ROWS:
            if scheme == "ll-elsn":
                continue
            delay, untold = (
                [values.at(name, metric, way=way, load=load).value for name in ("ll-elsn", scheme)]
                for metric in (DELAY, UNTOLD)
            )
            verdicts += [_not_above(*delay, strict=True), _not_above(*untold)]
            ratios.append((delay[1].mean - delay[0].mean, ROWS[scheme].label, way, load))
    gap, label, way, load = min(ratios)
    return Judgement(
        every(verdicts),
        f"the next one is {label} ({way}, {load}), {gap:.2f} ms later; untold of "
        f"{_percent(_most(values, 'll-elsn'))} % of losses at most, the others of up to "
        f"{_percent(max((_most(values, name) for name in ROWS if name != 'll-elsn'), key=_mean))} %",
    )


def _not_above(own: Estimate, other: Estimate, *, strict: bool = False) -> bool | None:
    """Judge whether `own` is below `other`, or not above it; None where the intervals leave that open."""
    (own_low, own_high), (other_low, other_high) = _ends(own), _ends(other)
    if own_low > other_high:
        return False
    return True if own_high < other_low or (not strict and own.mean <= other.mean) else None


def _ends(value: Estimate) -> tuple[float, float]:
    half = value.half_width or 0.0
    return value.mean - half, value.mean + half


def _mean(value: Estimate) -> float:
    return value.mean


def _most(values: Values, scheme: str) -> Estimate:
    return max((value.value for value in values.of(scheme, UNTOLD)), key=_mean)


def _range(ends: list[tuple[float, float]], unit: float, digits: int) -> str:
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    return f"{unit * low:+.{digits}f} to {unit * high:+.{digits}f}"


def headline(values: Values) -> str:
    """Say what LL-ELSN's notice takes beside the others, under the paper's own load."""

    def late(scheme: str, way: str) -> float:
        return values.at(scheme, DELAY, way=way, load="bulk").value.mean

    others = {way: [late(scheme, way) for scheme in ROWS if scheme != "ll-elsn"] for way in WAYS}
    failing = max(values.at("hack", UNDETECTED, way=way, load="bulk").value.mean for way in WAYS)
    return (
        f"Under a bulk transfer LL-ELSN tells of a loss after {late('ll-elsn', 'downlink'):.1f} ms down and "
        f"{late('ll-elsn', 'uplink'):.1f} ms up, the others after {min(others['downlink']):.0f} to "
        f"{max(others['downlink']):.0f} and {min(others['uplink']):.0f} to {max(others['uplink']):.0f} ms; "
        f"HACK detects none of up to {100 * failing:.0f} % of losses."
    )


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-12",
        "LL-ELSN has the least delay and the fewest failures both ways, and keeps nothing per connection at "
        "the base station.",
        least,
    ),
    Claim(
        "yun-12-eln",
        "Balakrishnan's scheme is as fast and as sure as Table 1 says: T_data + T_ack + T_wrd down, one T_wrd "
        "more up, no failure.",
        agrees("eln"),
    ),
    Claim(
        "yun-12-hack",
        "HACK, EWLN and TCP-ELN are as fast and as sure as Table 1 says: T_ack + T_wrd down, one T_wrd more "
        "up, failure P_f_header.",
        agrees("hack", "ewln", "tcp-eln"),
    ),
    Claim(
        "yun-12-lhp",
        "LHP is as fast and as sure as Table 1 says: T_ack + T_wrd down, one T_wrd more up, failure P_f_frag.",
        agrees("lhp"),
    ),
    Claim(
        "yun-12-ll-elsn",
        "LL-ELSN is as fast and as sure as Table 1 says: T_wrd down, no delay up, no failure.",
        agrees("ll-elsn"),
    ),
)

# ---- how it is shown -------------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List formulas and measurements side by side: delays, detection failures, and a bulk transfer."""
    of = f"Measured: mean ± 95 % half-width of {max(value.value.n for value in values)} runs."
    beside = ("scheme", "down, formula", "measured", "up, formula", "measured")
    return [
        TextTable(
            "ELN delay with one loss at a time, ms",
            beside,
            tuple(_beside(values, scheme, FORMULA, DELAY, 1.0) for scheme in ROWS),
            of,
        ),
        TextTable(
            "Losses that are not detected, %",
            beside,
            tuple(_beside(values, scheme, FAILURE, UNDETECTED, 100.0) for scheme in ROWS),
            of,
        ),
        TextTable(
            "Under a bulk transfer: ELN delay, ms, and losses that are not detected, %",
            ("scheme", "down, delay", "undetected", "up, delay", "undetected"),
            tuple(_bulk(values, scheme) for scheme in ROWS),
            "Queues, contention and collisions are in no formula of the table.",
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
    for way, (metric, unit) in product(WAYS, ((DELAY, 1.0), (UNDETECTED, 100.0))):
        cells.append(_scaled(values.at(scheme, metric, way=way, load="bulk").value, unit))
    return tuple(cells)


def _scaled(value: Estimate, unit: float) -> str:
    return f"{unit * value.mean:.2f} ± {unit * (value.half_width or 0.0):.2f}"


def _percent(value: Estimate) -> str:
    return _scaled(value, 100.0)


def figure(values: Values) -> Figure:
    """Draw the delay beyond the wire and the detection failures of each scheme, formulas as bars."""
    from airhop.plots.paper import legend, page

    drawing, _ = page(3.0)
    drawing.clear()
    left, right = drawing.subplots(1, 2, sharey=True)
    for place, scheme in enumerate(ROWS):
        for step, way in zip((-0.17, 0.17), WAYS, strict=True):
            wire = values.at(scheme, WIRED, way=way).value.mean
            x = {"way": way, "load": "light"}
            formulas = [values.at(scheme, metric, way=way).value.mean for metric in (FORMULA, FAILURE)]
            measured = [values.at(scheme, metric, **x).value for metric in (DELAY, UNDETECTED)]
            _mark(left, place + step, formulas[0] - wire, measured[0].mean - wire, measured[0].half_width, way)
            _mark(right, place + step, *(100 * of for of in (formulas[1], *_pair(measured[1]))), way)
    left.set_yticks(range(len(ROWS)), [row.label for row in ROWS.values()])
    left.set_ylim(len(ROWS) - 0.5, -0.5)
    left.set_xlabel("Delay beyond $T_\\mathrm{wrd}$ (ms)")
    right.set_xlabel("Not detected (%)")
    for axes in (left, right):
        axes.grid(visible=True, axis="x", linewidth=0.3, color="0.85")
        axes.set_axisbelow(True)
        axes.tick_params(axis="y", length=0)
    legend(drawing)
    return drawing


MARKS = {"downlink": ("v", "black"), "uplink": ("^", "white")}


def _pair(value: Estimate) -> tuple[float, float]:
    return value.mean, value.half_width or 0.0


def _mark(
    axes: Axes, y: float, formula: float, measured: float, half: float | None, way: str
) -> None:
    """Draw a measured value on the bar of its formula."""
    marker, inside = MARKS[way]
    axes.barh(y, formula, height=0.3, color="0.8", label="formula" if y < 0 else None)
    axes.errorbar(
        measured,
        y,
        xerr=half or 0.0,
        color="black",
        marker=marker,
        markerfacecolor=inside,
        markersize=3.5,
        linestyle="none",
        elinewidth=0.7,
        capsize=1.5,
        clip_on=False,
        label=f"measured, {way}" if y < 1 else None,
    )


EXPERIMENT = Calculation(
    id="yun2009/table1",
    title="Delay and detection failures of loss notification",
    source=f"{PAPER}, Table 1 and §3.2",
    method=(
        "The formulas are evaluated for the paper's path: DCF airtimes with the mean backoff, three wired "
        "links. Beside them are traces of the same path at 1 % frame errors and one transmission per frame: of "
        "a connection with a single loss at a time, and of a bulk transfer, which has queues, contention and "
        "collisions. A delay runs from the discard of a segment's first copy to its notice at the sender; "
        "not detected are losses of which no notice was made."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
