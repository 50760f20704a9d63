"""Printed space-time diagram of frames on the air: one lane per station, over a few milliseconds.

A bar in the lane of a station is a frame that the station sends. A strip along the edge of a lane is a frame
that the station receives. A thin strip is a frame that the station only senses. A strip is at the edge
towards the sender's lane. Frames of hidden terminals therefore have strips in the receiver's lane, but not in
each other's lanes. An arrow leads from the end of a frame to its receiver, and the arrow's head shows the
outcome. A dotted line leads from the interfering frame to the overlap.

The bar of an A-MPDU is divided into its MPDUs. A white, hatched cell is an MPDU with bit errors, and a strip
below a cell marks a retransmission. If the whole A-MPDU is lost in a collision, only the collision is marked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.analysis.on_air import NOBODY, OnAir, Overlap, on_air
from airhop.errors import InputError
from airhop.plots.frames import LOST_MPDU, RETRIED_MPDU, STYLES
from airhop.plots.paper import PRINT_STYLE, legend, new_figure, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.results import Result
    from airhop.scenario import Scenario

MILLI = 1e3
WIDTH_IN = 7.16
"""Width in inches of two columns of a paper."""
LANE_IN = 0.42
MARGINS_IN = 0.95
"""Total height in inches of the legend, the ticks and the label of the time axis."""
MOST_LANES = 24
AROUND_S, ROUND_S = 0.002, 1e-4
"""Time in seconds drawn before and after a collision if no window is given, and rounding of the window's
start.
"""
BAR, EDGE, HEARD, SENSED = 0.22, 0.45, 0.12, 0.045
"""Half height of a bar, distance of a strip's outer edge from the lane's middle, and heights of strips of
received and of sensed frames; the unit is a lane.
"""
CELL_SHARE = 0.003
"""Minimum width of a separately drawn MPDU, as a share of the window."""
RETRIED = 0.09
"""Height of the strip of a retransmitted MPDU; the unit is a lane."""
LETTER_SHARE = 0.012
"""Minimum width of a bar with a letter for its kind of frame, as a share of the window."""
ALARM = "#b5123e"
"""Colour of collisions, also dark in a grey print."""
NEUTRAL = "0.25"
WORD: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 6.5,
    "rotation": 90,
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6},
}
"""Style of the text in the middle of an overlap."""
WORD_SHARE = 0.018
"""Minimum width of an overlap with the text "hidden", as a share of the window."""
HEADS: dict[str, tuple[str, dict[str, Any]]] = {
    "captured": ("captured", {"marker": "D", "markersize": 4, "markerfacecolor": "white"}),
    "collision": ("collision", {"marker": "x", "markersize": 6.5, "color": ALARM, "markeredgewidth": 2.0}),
    "channel": ("channel error", {"marker": "s", "markersize": 4, "markerfacecolor": "white"}),
    "unheard": ("out of range", {"marker": "o", "markersize": 4, "markerfacecolor": "white"}),
}
"""Arrow heads by outcome, with their labels; received frames have a plain head."""

Box = tuple[float, float, float, float]
"""Box: start and end in seconds, upper and lower end in lanes."""


def draw_space_time(
    result: Result, scenario: Scenario, stem: str | Path, *, between: tuple[float, float] | None = None
) -> list[Path]:
    """Draw the transmissions of each station over time, with receivers and outcomes.

    If there are more than 24 stations, those with the most frames are drawn.

    Parameters
    ----------
    result
        Result of `airhop.run(scenario, trace=True)`.
    scenario
        Scenario of the run.
    stem
        Path of the files, without a suffix.
    between
        Two times in seconds, best a few milliseconds apart. None draws the time around the first collision
        of hidden terminals, or else around any collision, or else the beginning.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When the trace has no frames on the air.
    """
    import matplotlib as mpl

    air = on_air(result.tables, scenario.to_dict())
    window = between or worth_seeing(air)
    shown = air.between(*window).busiest(MOST_LANES)
    if not shown.frames.height:
        raise InputError(f"no frame is on the air between {window[0]:g} s and {window[1]:g} s")
    with mpl.rc_context(PRINT_STYLE):
        return write(space_time_figure(shown, window), Path(stem), f"Frames on the air of {scenario.name}")


def worth_seeing(air: OnAir) -> tuple[float, float]:
    """Return the window to draw in seconds: a collision, preferably of hidden terminals, or the start."""
    lost = [overlap for overlap in air.overlaps if not overlap.captured]
    first = min(lost, key=lambda overlap: (overlap.reason != "hidden", overlap.start_s), default=None)
    if first is not None:
        start = max((first.start_s + first.end_s) / 2 - AROUND_S, 0.0)
    else:
        start = float(air.frames["start_s"][0]) if air.frames.height else 0.0
    start = math.floor(start / ROUND_S) * ROUND_S
    return start, start + 2 * AROUND_S


def space_time_figure(air: OnAir, window: tuple[float, float]) -> Figure:
    """Draw the lanes between two times, in seconds; call it inside PRINT_STYLE."""
    lanes, (first, last) = len(air.lanes), window
    figure = new_figure(WIDTH_IN, LANE_IN * lanes + MARGINS_IN)
    axes = figure.subplots()
    # The legend lists bars first.
    _draw_bars(axes, air, window)
    _draw_mpdus(axes, air, window)
    _draw_arrows(axes, air, first)
    _draw_overlaps(axes, air, window)
    _draw_strips(axes, air, first)
    _draw_waiting(axes, air, first)
    for lane in range(1, lanes):
        axes.axhline(lane - 0.5, color="0.75", linewidth=0.4, zorder=0)
    axes.set_xlim(0.0, MILLI * (last - first))
    axes.set_ylim(lanes - 0.5, -0.5)
    axes.set_yticks(range(lanes), [lane.label for lane in air.lanes])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"Time since {first:.6g} s (ms)" if first else "Time (ms)")
    axes.set_ylabel("Station")
    legend(figure, most_columns=7)
    return figure


def _draw_bars(axes: Axes, air: OnAir, window: tuple[float, float]) -> None:
    """Draw a bar per frame; wide bars have a letter for the kind of frame."""
    first, last = window
    has_cells = {"a-mpdu"} if air.mpdus.height else set()
    for kind, style in STYLES.items():
        rows = air.frames.filter(air.frames["kind"] == kind).select("start_s", "end_s", "lane").rows()
        bars = [(start, end, lane - BAR, lane + BAR) for start, end, lane in rows]
        look = {"facecolor": style.ink, "edgecolor": "black", "linewidth": 0.5, "zorder": 4}
        _boxes(axes, bars, first, label=style.text, hatch=style.hatch or None, **look)
        for start, end, lane in rows:
            seen = max(start, first), min(end, last)
            is_labelled = style.letter and kind not in has_cells
            if is_labelled and seen[1] - seen[0] >= LETTER_SHARE * (last - first):
                axes.text(
                    MILLI * (sum(seen) / 2 - first),
                    lane,
                    style.letter,
                    ha="center",
                    va="center_baseline",
                    fontsize=6.5,
                    color="white" if kind == "data" else "black",
                    zorder=5,
                )


def _draw_mpdus(axes: Axes, air: OnAir, window: tuple[float, float]) -> None:
    """Divide the bars of A-MPDUs into MPDUs, and mark lost and retransmitted MPDUs."""
    from matplotlib.collections import LineCollection

    first, last = window
    lanes = air.frames.select("ppdu", "lane")
    columns = ("start_s", "end_s", "lane", "place", "attempt", "outcome")
    cells = air.mpdus.join(lanes, on="ppdu", maintain_order="left").select(columns).rows()
    narrowest = CELL_SHARE * (last - first)
    borders = [
        [(MILLI * (start - first), lane - BAR), (MILLI * (start - first), lane + BAR)]
        for start, end, lane, place, *_ in cells
        if place and end - start >= narrowest
    ]
    if borders:
        axes.add_collection(LineCollection(borders, colors="white", linewidths=0.5, zorder=4.1))
    lost = [(start, end, lane - BAR, lane + BAR) for start, end, lane, *_, out in cells if out == "channel"]
    look = {"facecolor": "white", "edgecolor": ALARM, "hatch": "xxxxxx", "linewidth": 0.4, "zorder": 4.2}
    _boxes(axes, lost, first, label=LOST_MPDU, **look)
    again = [
        (start, end, lane + BAR - RETRIED, lane + BAR)
        for start, end, lane, _, attempt, _ in cells
        if attempt > 1
    ]
    mark = {"facecolor": "black", "edgecolor": "white", "linewidth": 0.3, "zorder": 4.3}
    _boxes(axes, again, first, label=RETRIED_MPDU, **mark)


def _draw_strips(axes: Axes, air: OnAir, origin: float) -> None:
    """Draw a strip for each frame, along an edge of the lanes that receive or sense the frame."""
    frames = air.frames.select("start_s", "end_s", "lane").rows()
    for others, height, ink, text in (
        (air.hearers, HEARD, "0.45", "heard here"),
        (air.sensers, SENSED, "0.65", "only sensed"),
    ):
        strips = [
            (start, end, *_edge(lane, other, height)) for start, end, lane in frames for other in others[lane]
        ]
        _boxes(axes, strips, origin, label=text, facecolor=ink, edgecolor="none", zorder=2)


def _edge(lane: int, other: int, height: float) -> tuple[float, float]:
    """Return both ends of a strip, at the edge of the receiver's lane that faces the sender's lane."""
    side = -1 if lane < other else 1
    return other + side * EDGE, other + side * (EDGE - height)


def _draw_waiting(axes: Axes, air: OnAir, origin: float) -> None:
    """Shade the periods in which a station had data to send."""
    shades = [(start, end, lane - BAR, lane + BAR) for lane, start, end in air.waiting]
    look = {"facecolor": "0.9", "edgecolor": "none", "zorder": 1}
    _boxes(axes, shades, origin, label="has frames to send", **look)


def _draw_overlaps(axes: Axes, air: OnAir, window: tuple[float, float]) -> None:
    """Mark overlaps of a frame with another signal, with a line from the sender of the other signal."""
    known = [overlap for overlap in air.overlaps if overlap.other != NOBODY]
    boxes: dict[bool, list[Box]] = {False: [], True: []}
    senders, (first, last) = air.frames["lane"], window
    for overlap in known:
        box = overlap.start_s, overlap.end_s, overlap.lane - EDGE, overlap.lane + EDGE
        boxes[overlap.captured].append(box)
        ink, middle = _text_color(overlap), MILLI * ((overlap.start_s + overlap.end_s) / 2 - first)
        if overlap.reason == "hidden" and overlap.end_s - overlap.start_s >= WORD_SHARE * (last - first):
            axes.text(middle, overlap.lane, "hidden", color=ink, zorder=8, **WORD)
        if overlap.reason != "sending":
            ends = _arrow_ends(senders[overlap.other], overlap.lane, BAR, EDGE)
            axes.plot([middle, middle], ends, ":", color=ink, linewidth=1.3, zorder=6)
    lost = {"facecolor": (*_rgb(ALARM), 0.18), "edgecolor": ALARM, "hatch": "////", "linewidth": 0.6}
    _boxes(axes, boxes[False], first, label="frames overlap", zorder=3, **lost)
    _boxes(
        axes, boxes[True], first, facecolor="none", edgecolor=NEUTRAL, linestyle="--", linewidth=0.6, zorder=3
    )


def _text_color(overlap: Overlap) -> str:
    return NEUTRAL if overlap.captured else ALARM


def _draw_arrows(axes: Axes, air: OnAir, origin: float) -> None:
    """Draw an arrow from the end of each frame to its receiver, with a head that shows the outcome."""
    tips: dict[str, list[tuple[float, float]]] = {}
    for end, lane, to, outcome in air.frames.select("end_s", "lane", "to", "outcome").iter_rows():
        if to == NOBODY:
            continue
        at, received = MILLI * (end - origin), outcome == "received"
        ends = _arrow_ends(lane, to, BAR, BAR if received else 0.0)
        axes.plot([at, at], ends, "-", color="black", linewidth=0.6, zorder=6)
        mark = ("down" if lane < to else "up") if received else outcome
        tips.setdefault(mark, []).append((at, ends[1]))
    plain = {mark: ("", {"marker": sign, "markersize": 3}) for mark, sign in (("down", "v"), ("up", "^"))}
    for mark, (text, look) in (plain | HEADS).items():
        if mark in tips:
            style = {"color": "black", "linestyle": "none", "label": text or "_", "zorder": 7} | look
            axes.plot(*zip(*tips[mark], strict=True), **style)


def _arrow_ends(lane: int, other: int, leave: float, arrive: float) -> tuple[float, float]:
    """Return both ends of an arrow; `leave` and `arrive` are distances from the middles of both lanes."""
    side = 1 if lane < other else -1
    return lane + side * leave, other - side * arrive


def _boxes(axes: Axes, boxes: Iterable[Box], origin: float, **look: Any) -> None:
    """Draw boxes of the same style; times are in seconds since the beginning."""
    from matplotlib.collections import PolyCollection

    corners = [
        [(MILLI * (x - origin), y) for x, y in ((start, low), (end, low), (end, high), (start, high))]
        for start, end, low, high in boxes
    ]
    if corners:
        axes.add_collection(PolyCollection(corners, **look))


def _rgb(color: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(color)
