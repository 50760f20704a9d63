"""Figure 4: LHP's packet list after three losses in a window, and ESACK's reaction to the same ACKs.

Printed in the paper: segments 14 to 19 are in the network, and 14, 16 and 18 are lost. Each of the first two
duplicate ACKs releases a segment. The figure shows the list after each ACK, and a fast recovery for each of
the three losses.

The computed list is that of Airhop's LHP. LHP's sender and other senders, including ESACK, then process the
same ACKs one by one. §4.2 has a second example, to choose the N of ESACK. This example is computed, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from airhop.experiments.calculation import Calculation, TextTable, Value, Values, exact
from airhop.experiments.experiment import Claim, ClaimResult, X
from airhop.experiments.yun2009 import PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Drawn = list[tuple[int, int]]
"""Packet list in the drawing: segments with their duplicate-ACK counters, in sending order."""

EXPECTED = 14
ARRIVALS = (15, 17, 19, 20, 21)
"""Segments that trigger the duplicate ACKs, in order of arrival."""
NEW = {15: 20, 17: 21}
"""New segments that the first two duplicate ACKs release (RFC 3042), by the segment that triggers the ACK."""
PRINTED: dict[int, Drawn] = {
    15: [(14, 1), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0)],
    17: [(14, 2), (16, 1), (18, 0), (19, 0), (20, 0), (21, 0)],
    19: [(16, 2), (18, 1), (20, 0), (21, 0), (14, 0)],
    20: [(18, 2), (21, 0), (14, 0), (16, 0)],
    21: [(14, 0), (16, 0), (18, 0)],
}
"""Printed list after each ACK, by the segment that triggers the ACK."""
SENDERS = {"lhp": "LHP", "ll-elsn": "ESACK", "sack": "SACK", "reno": "Reno"}
WINDOW = 6.0
"""Number of segments initially in the network."""
RISE = ((100, 7), (200, 13), (300, 14))
"""ACKs that open the window to `WINDOW`: time in milliseconds, and next expected segment."""
LOSS, LIMIT = 0.2, 1
"""§4.2: "when p = 20 % and r = 1"."""
PRINTED_RUNS = {2: 0.04, 3: 0.008}
"""Printed probabilities by number of consecutive failures."""


def ack(trigger: int) -> str:
    """Return the paper's name of an ACK."""
    return f"({EXPECTED}, {trigger})"


def compute(*_: object) -> list[Value]:
    """Compute the list after each ACK, and the reaction of each sender; all values are deterministic."""
    return [*_lists(), *_senders(), *_runs()]


def _lists() -> list[Value]:
    from airhop import _core

    steps: list[int | tuple[int, int]] = list(range(14, 20))
    for trigger in ARRIVALS:
        steps.append((EXPECTED, trigger))
        steps += [NEW[trigger]] if trigger in NEW else []
    found = []
    # The list drawn after an ACK includes the segment that the ACK released.
    for trigger, (entries, lost) in zip(ARRIVALS, _core.packet_list(steps), strict=True):
        shown = [*entries, *((NEW[trigger], 0) for _ in range(trigger in NEW))]
        printed = PRINTED[trigger]
        for place, (segment, duplicates) in enumerate(shown):
            x: dict[str, X] = {"ack": ack(trigger), "place": place}
            there = printed[place] if place < len(printed) else (None, None)
            found.append(Value("lhp", x, "segment", exact(segment), there[0]))
            found.append(Value("lhp", x, "duplicates", exact(duplicates), there[1]))
        found.append(Value("lhp", {"ack": ack(trigger)}, "entries", exact(len(shown)), len(printed)))
        found.append(Value("lhp", {"ack": ack(trigger)}, "lost", exact(len(lost))))
    return found


def _senders() -> list[Value]:
    from airhop import _core

    rise: list[tuple[int, int, list[int]]] = [(ms, expected, []) for ms, expected in RISE]
    duplicates = [
        (rise[-1][0] + count, EXPECTED, list(ARRIVALS[:count])) for count in range(1, len(ARRIVALS) + 1)
    ]
    found = []
    for sender in SENDERS:
        answers = _core.answers(sender, WINDOW, rise + duplicates)[len(rise) :]
        for trigger, (_, recoveries, cuts, cwnd) in zip(ARRIVALS, answers, strict=True):
            x = {"ack": ack(trigger)}
            last = trigger == ARRIVALS[-1] and sender == "lhp"
            found.append(Value(sender, x, "fast_recoveries", exact(recoveries), 3 if last else None))
            found.append(Value(sender, x, "window_cuts", exact(cuts)))
            found.append(Value(sender, x, "cwnd", exact(cwnd)))
    return found


def _runs() -> list[Value]:
    from airhop.experiments.yun2009.equations import failures_in_succession

    return [
        Value(
            "esack", {"packets": n}, "failure", exact(float(failures_in_succession(LOSS, LIMIT, n))), printed
        )
        for n, printed in PRINTED_RUNS.items()
    ]


# ---- claims ----------------------------------------------------------------------------------------------


def same_lists(values: Values) -> ClaimResult:
    """Check whether every packet list has the segments, counters and order of the paper's drawing."""
    drawn = [value for value in values if value.metric in ("segment", "duplicates", "entries")]
    wrong = [value for value in drawn if value.value.mean != value.published]
    if not wrong:
        last = drawn_list(values, ARRIVALS[3])
        return ClaimResult(True, f"all {len(drawn)} numbers; after {ack(ARRIVALS[3])}: {_written(last)}")
    at = str(wrong[0].x["ack"])
    return ClaimResult(False, f"after {at}: {_written(drawn_list(values, int(at.split()[1][:-1])))}")


def drawn_list(values: Values, trigger: int) -> Drawn:
    """Return LHP's list after an ACK."""
    count = int(values.at("lhp", "entries", ack=ack(trigger)).value.mean)
    numbers = [
        [int(values.at("lhp", metric, ack=ack(trigger), place=place).value.mean) for place in range(count)]
        for metric in ("segment", "duplicates")
    ]
    return list(zip(*numbers, strict=True))


def _written(shown: Drawn) -> str:
    return ", ".join(f"{segment}:{duplicates}" for segment, duplicates in shown)


def recoveries(values: Values) -> ClaimResult:
    """Check whether LHP enters fast recovery for each of the three losses."""
    counts = {sender: _last(values, sender, "fast_recoveries") for sender in SENDERS}
    return ClaimResult(counts["lhp"] == 3, ", ".join(f"{SENDERS[s]} {count}" for s, count in counts.items()))


def one_cut(values: Values) -> ClaimResult:
    """Check whether ESACK reduces its window once for the three losses."""
    cuts = {sender: _last(values, sender, "window_cuts") for sender in ("lhp", "ll-elsn")}
    windows = {sender: values.at(sender, "cwnd", ack=ack(ARRIVALS[-1])).value.mean for sender in cuts}
    parts = [f"{SENDERS[s]} {cuts[s]} to a window of {windows[s]:.2g} segments" for s in cuts]
    return ClaimResult(cuts["ll-elsn"] == 1, "; ".join(parts))


def _last(values: Values, sender: str, metric: str) -> int:
    return int(values.at(sender, metric, ack=ack(ARRIVALS[-1])).value.mean)


def filtering(values: Values) -> ClaimResult:
    """Check whether the probabilities of consecutive failures equal the printed probabilities."""
    found = values.of("esack", "failure")
    parts = [f"{100 * value.value.mean:g} % for {value.x['packets']}" for value in found]
    agree = all(abs(value.value.mean - (value.published or 0.0)) < 1e-12 for value in found)
    return ClaimResult(agree, ", ".join(parts))


CLAIMS: tuple[Claim[Values], ...] = (
    Claim(
        "yun-fig4-list",
        "After each ACK LHP's packet list has the segments and counters of the drawing, in its order.",
        same_lists,
        quote="it removes the element of packet 15 in the list and increases the duplicate ACK counter of "
        "packet 14 by 1. […] Following ACKs for packets 17 and 19 increase the duplicate ACK counter of "
        "packets 14, 16, and 18.",
    ),
    Claim(
        "yun-fig4-recoveries",
        "LHP enters fast recovery three times for the three losses of one window.",
        recoveries,
        quote="the fast recovery is invoked three times for three packet drops in a congestion window",
    ),
    Claim(
        "yun-fig4-esack",
        "ESACK, with the same ACKs, reduces its window once.",
        one_cut,
        quote="ESACK is designed to avoid consecutive invocation of congestion control when multiple packets "
        "of a congestion window are dropped due to congestion.",
    ),
    Claim(
        "yun-13",
        "With a retry limit of 1 and 20 % errors, two consecutive packets fail with a probability of 4 %, "
        "and three with 0.8 %.",
        filtering,
        quote="assume that p is 20% and there is no retransmission (r = 1). Then, the probabilities of two "
        "and three consecutive failures are 4% and 0.8%, respectively",
    ),
)


def headline(values: Values) -> str:
    """Return a sentence on the number of window reductions of each sender."""
    cuts = {label: _last(values, sender, "window_cuts") for sender, label in SENDERS.items()}
    times = {label: "once" if count == 1 else f"{count} times" for label, count in cuts.items()}
    return f"Three losses of one window: LHP reduces the window {times['LHP']}, ESACK {times['ESACK']}."


# ---- table and figure ------------------------------------------------------------------------------------


def tables(values: Values) -> list[TextTable]:
    """List LHP's packet list and the windows after each ACK."""
    lists = tuple(
        (f"after {ack(trigger)}", _written(drawn_list(values, trigger)), _told(values, trigger))
        for trigger in ARRIVALS
    )
    senders = tuple(
        (
            f"after {ack(trigger)}",
            *(
                f"{values.at(sender, 'cwnd', ack=ack(trigger)).value.mean:.2f} "
                f"({values.at(sender, 'window_cuts', ack=ack(trigger)).value.mean:.0f})"
                for sender in SENDERS
            ),
        )
        for trigger in ARRIVALS
    )
    return [
        TextTable("LHP's packet list: segment:duplicates", ("ACK", "list", ""), lists),
        TextTable(
            "Congestion window in segments (number of reductions)",
            ("ACK", *SENDERS.values()),
            senders,
            "The ACKs carry SACK blocks and the segment that caused each ACK; each sender reads the fields "
            "that it supports.",
        ),
    ]


def _told(values: Values, trigger: int) -> str:
    lost = values.at("lhp", "lost", ack=ack(trigger)).value.mean
    return "fast recovery" if lost else ""


BOX, GAP, ROW = 1.0, 0.12, 1.9
"""Width of an entry, space between entries, and distance between rows, in widths of an entry."""


def figure(values: Values) -> Figure:
    """Draw the list after each ACK as in the paper, with the windows beside the list."""
    from airhop.plots.paper import page

    drawing, axes = page(3.0)
    axes.set_axis_off()
    for text, x in (("LHP", 7.6), ("ESACK", 9.0)):
        axes.text(x, 1.1, text, ha="center", va="center", fontsize=8)
    axes.text(8.3, 1.75, "window (segments)", ha="center", va="center", fontsize=8)
    axes.text(3.2, 1.75, "packets in the order of sending", ha="center", va="center", fontsize=8)
    _row(axes, 0, "at first", [(segment, 0) for segment in range(14, 20)], lost=False)
    for row, trigger in enumerate(ARRIVALS, start=1):
        lost = bool(values.at("lhp", "lost", ack=ack(trigger)).value.mean)
        _row(axes, row, f"after {ack(trigger)}", drawn_list(values, trigger), lost=lost)
        for sender, x in (("lhp", 7.6), ("ll-elsn", 9.0)):
            cwnd = values.at(sender, "cwnd", ack=ack(trigger)).value.mean
            axes.text(x, -ROW * row, f"{cwnd:.1f}", ha="center", va="center", fontsize=8)
    axes.set_xlim(-3.1, 9.7)
    axes.set_ylim(-ROW * len(ARRIVALS) - 1.2, 2.2)
    return drawing


def _row(axes: Axes, row: int, label: str, entries: Drawn, *, lost: bool) -> None:
    from matplotlib.patches import Rectangle

    y = -ROW * row
    axes.text(-0.4, y, label, ha="right", va="center", fontsize=8)
    for place, (segment, duplicates) in enumerate(entries):
        x = place * (BOX + GAP)
        for bottom, text, face in ((0.0, segment, "white"), (-0.7, duplicates, "0.9")):
            axes.add_patch(Rectangle((x, y + bottom), BOX, 0.7, facecolor=face, edgecolor="black", lw=0.6))
            axes.text(x + BOX / 2, y + bottom + 0.33, str(text), ha="center", va="center", fontsize=7.5)
    if lost:
        x = len(entries) * (BOX + GAP)
        axes.text(x, y, "fast\nrecovery", va="center", fontsize=7, color="#a01c3c", linespacing=0.9)


EXPERIMENT = Calculation(
    id="yun2009/fig4",
    title="LHP's packet list against three losses of one window",
    source=f"{PAPER}, Figure 4 and §4.2",
    method=(
        "Airhop's LHP packet list receives the segments and ACKs of the figure. Complete senders with a "
        "window of six segments receive the same ACKs one at a time, without other traffic. The "
        "probabilities of §4.2 are p^(r n): n consecutive packets fail in all of their r attempts."
    ),
    compute=compute,
    claims=CLAIMS,
    headline=headline,
    figure=figure,
    tables=tables,
)
