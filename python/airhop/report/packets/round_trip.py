"""Round-trip times of a run and the lateness of notices, as data for the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from airhop.analysis.arrivals import fades
from airhop.analysis.round_trips import round_trips, timely_notices
from airhop.report.packets.marks import GREEN, GREY, TIMER_COLORS, VIOLET, LegendEntry, Mark
from airhop.report.packets.sequence import fade_entry, fades_shown, timeouts_shown

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

TRIPS: dict[bool, Mark] = {
    False: Mark("trip", "round trip of a segment", "circle", GREY, 4),
    True: Mark("trip-again", "sent more than once", "circle", GREY, 6, filled=False),
}
"""Style of a segment's round trip, by whether the segment was sent more than once.

Karn's rule excludes round trips of retransmitted segments from the RTT samples.
"""
TRIP_COLUMNS = ("x", "y", "kilobytes", "sendings")
TIMELY: dict[bool, Mark] = {
    False: Mark("notice-in-time", "notice in time", "square", GREEN, 5),
    True: Mark("notice-late", "notice late", "x", VIOLET, 7),
}
"""Style of a notice, by whether it arrived after the RTO expiry that it should have prevented."""
NOTICE_COLUMNS = ("x", "y", "kind", "lateness")
FLOOR, ROW = 0.03, 0.06
"""Height of the first row of notice marks, and distance between rows, as shares of the figure's height."""


def round_trips_shown(run: TracedRun) -> tuple[dict[str, pl.DataFrame], list[LegendEntry]]:
    """Collect round trips in ms, notices on the lower edge, fades and timeouts, and their legend."""
    flow = run.name
    trips, notices, shaded = (
        round_trips(run.tables, flow),
        timely_notices(run.tables, flow),
        fades(run.tables),
    )
    found = [
        (LegendEntry("rto", "retransmission timeout", TIMER_COLORS["rto"], "line", None), None),
        (LegendEntry("srtt", "smoothed RTT", TIMER_COLORS["srtt"], "line", None), None),
        *(_trips(trips, again) for again in TRIPS),
        *(_notices(notices, late) for late in TIMELY),
        (fade_entry("fades", shaded.height), fades_shown(shaded)),
        timeouts_shown(run),
    ]
    return (
        {entry.group: rows for entry, rows in found if rows is not None and rows.height},
        [entry for entry, rows in found if rows is None or rows.height],
    )


def _trips(trips: pl.DataFrame, again: bool) -> tuple[LegendEntry, pl.DataFrame]:
    rows = trips.filter((pl.col("sendings") > 1) == again)
    kilobytes = (pl.col("seq").cast(pl.Float64) - 1.0) / 1000.0
    shown = rows.select("sendings", x="time_s", y="rtt_ms", kilobytes=kilobytes).select(TRIP_COLUMNS)
    return LegendEntry.of(TRIPS[again], rows.height), shown


def _notices(notices: pl.DataFrame, late: bool) -> tuple[LegendEntry, pl.DataFrame]:
    """Return the late notices, or the notices in time; each kind of notice has its own row of marks."""
    row = pl.col("kind").rank("dense").cast(pl.Float64) - 1.0
    rows = notices.with_columns(y=FLOOR + ROW * row).filter(pl.col("late") == late)
    shown = rows.select("y", x="time_s", kind=pl.col("kind").str.to_uppercase(), lateness="lateness_ms")
    return LegendEntry.of(TIMELY[late], rows.height), shown.select(NOTICE_COLUMNS)
