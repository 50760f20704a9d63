"""Data of the sequence graph of a run over a radio link: frames, fades and timeouts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from airhop.analysis.arrivals import arrivals, fades, last_hop
from airhop.analysis.round_trips import timeouts
from airhop.analysis.topology import radio_links
from airhop.report.packets.marks import BLUE, CRIMSON, GOLD, GREY, VIOLET, LegendEntry, Mark

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

ARRIVALS: dict[tuple[bool, bool], Mark] = {
    (True, False): Mark("arrived", "delivered", "circle", BLUE, 4),
    (False, False): Mark("arrival-lost", "dropped", "x", CRIMSON, 7),
    (True, True): Mark("arrived-again", "sent again by the source: delivered", "triangle", GOLD, 8),
    (False, True): Mark("arrival-lost-again", "sent again: dropped", "y", VIOLET, 9, filled=False),
}
"""Marks of frames, in drawing order. The key is (delivered, carries a retransmission by the source)."""
COLUMNS = ("x", "y", "kilobytes", "attempt", "copy", "cause")
"""Columns of each mark's source. `copy` is 0 if an agent on the path sent the packet."""
HOP_FADES, HOP_TIMEOUTS = "hop-fades", "hop-timeouts"
"""Names of the sources for fades and timeouts, shared with the other figures of the page."""
FADE_COLUMNS = ("begin", "end", "place")
TIMEOUTS = Mark("timeouts", "timeout of the sender", "inverted_triangle", CRIMSON, 9, height=None)
EDGE = 0.975
"""Height of the marks of timeouts, as a share of the figure's height."""
FADE_ALPHA = 0.2


def shows_arrivals(run: TracedRun) -> bool:
    """Return whether the last wireless hop is a radio link.

    An 802.11 cell has a space-time diagram instead.
    """
    hops = {place for link in radio_links(run.network) for place in link.places}
    if not hops or "air" not in run.tables:
        return False
    data = run.table("air").filter(pl.col("packet") == "data")
    return not data.is_empty() and last_hop(run.tables, run.name) in hops


def sequence_shown(run: TracedRun) -> tuple[dict[str, pl.DataFrame], list[LegendEntry]]:
    """Select the frames of the last hop, its fades, and the sender's timeouts."""
    flow = run.name
    place = last_hop(run.tables, flow)
    frames = arrivals(run.tables, flow, place=place)
    sources, legend = {}, []
    for (delivered, again), mark in ARRIVALS.items():
        rows = frames.filter(pl.col("delivered") == delivered, (pl.col("copy") > 1) == again)
        if rows.height:
            sources[mark.group] = rows.select(
                "attempt",
                "copy",
                x="time_s",
                y="number",
                kilobytes=(pl.col("seq").cast(pl.Float64) - 1.0) / 1000.0,
                cause="outcome",
            ).select(COLUMNS)
            legend.append(LegendEntry.of(mark, rows.height))
    shaded = fades(run.tables, place)
    for entry, rows in (
        (fade_entry(HOP_FADES, shaded.height), fades_shown(shaded)),
        timeouts_shown(run, HOP_TIMEOUTS),
    ):
        if rows.height:
            sources[entry.group] = rows
            legend.append(entry)
    return sources, legend


def fades_shown(rows: pl.DataFrame) -> pl.DataFrame:
    """Convert the bad periods of links to shaded rectangles."""
    place = pl.col("place").str.replace("->", "→")
    return rows.select(begin="begin_s", end="end_s", place=place)


def fade_entry(group: str, count: int) -> LegendEntry:
    """Make the legend button of shaded fades."""
    return LegendEntry(group, "fade", GREY, "square", count)


def timeouts_shown(run: TracedRun, group: str = TIMEOUTS.group) -> tuple[LegendEntry, pl.DataFrame]:
    """Return the sender's timeouts as marks at the upper edge, with their legend button."""
    times = timeouts(run.tables, run.name)
    entry = replace(LegendEntry.of(TIMEOUTS, times.len()), group=group)
    return entry, pl.DataFrame({"x": times}).with_columns(y=pl.lit(EDGE))
