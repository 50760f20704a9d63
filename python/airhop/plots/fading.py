"""Common parts of figures of a run over a fading link: size, shaded fades, marks of timeouts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from airhop.analysis.arrivals import fades
from airhop.analysis.round_trips import timeouts
from airhop.plots.paper import new_figure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDE_IN, LOW_IN = 7.16, 2.4
"""Width and height in inches of a figure over two columns of a paper; minutes of a run need this width."""
ROOMY = 1500
"""Maximum number of full-size marks of one kind. More marks are drawn smaller, except losses and repairs."""
FADE_LOOKS: tuple[dict[str, Any], ...] = (
    {"facecolor": "0.88", "edgecolor": "none"},
    {"facecolor": "none", "edgecolor": "0.75", "hatch": "////"},
    {"facecolor": "none", "edgecolor": "0.75", "hatch": "...."},
)
"""Shades of fades by link. Simultaneous fades of two links are both visible."""
ALARM = "#b5123e"
"""Colour of losses and timeouts, also dark in a grey print."""
EDGE_MARK: dict[str, Any] = {"linestyle": "none", "clip_on": False, "markeredgewidth": 0.7, "zorder": 5}


def wide_page(strip: float = 0.0) -> tuple[Figure, list[Axes]]:
    """Create a figure as wide as two columns; if `strip` is not 0, with a strip of `strip` inches below."""
    figure = new_figure(WIDE_IN, LOW_IN + strip)
    heights = [LOW_IN, strip] if strip else [LOW_IN]
    made = list(figure.subplots(len(heights), 1, sharex=True, height_ratios=heights, squeeze=False)[:, 0])
    for axes in made:
        axes.grid(visible=True, linewidth=0.3, color="0.85")
        axes.set_axisbelow(True)
    return figure, made


def uncrowded(size: float, count: int) -> float:
    """Return the size of `count` marks in points; above `ROOMY` marks, the total area stays constant."""
    return size * min(1.0, math.sqrt(ROOMY / max(count, 1)))


def shade_fades(panels: Sequence[Axes], tables: Mapping[str, pl.DataFrame], place: str | None = None) -> None:
    """Shade the bad periods of the hop `place`, or of all links by default; each link has its own shade.

    At most three links are shaded.
    """
    found = fades(tables, place)
    links = found["place"].unique(maintain_order=True)
    for look, link in zip(FADE_LOOKS, links, strict=False):
        for begin, end in found.filter(found["place"] == link).select("begin_s", "end_s").iter_rows():
            for axes in panels:
                axes.axvspan(begin, end, linewidth=0, zorder=0.5, **look)
        text = "fade" if links.len() == 1 else f"fade of {link.replace('->', '→')}"
        panels[0].patches[-1].set_label(text)


def mark_timeouts(
    axes: Axes, tables: Mapping[str, pl.DataFrame], flow: str, first: float, last: float
) -> None:
    """Mark the RTO expiries of a flow between two times, on the upper edge of the figure."""
    times = [time for time in timeouts(tables, flow) if first <= time <= last]
    if times:
        axes.plot(
            times,
            [1.025] * len(times),
            "v",
            transform=axes.get_xaxis_transform(),
            markersize=4.5,
            color=ALARM,
            label="timeout of the sender",
            **EDGE_MARK,
        )


def ends(tables: Mapping[str, pl.DataFrame], since: float, until: float | None) -> tuple[float, float]:
    """Return both ends of the time axis in seconds; without `until`, the axis ends at the last event."""
    if until is None:
        columns = (("segments", "time_s"), ("acks", "time_s"), ("air", "end_s"))
        last = (tables[name][column].max() for name, column in columns if name in tables)
        until = max((float(time) for time in last if time is not None), default=since)  # type: ignore[arg-type]
    return since, max(until, since)
