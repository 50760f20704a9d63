"""Time-line of one run: data of its figures, taken from the trace, and their legends.

A source contains the rows of one group of events. The figures (figures.py) and the legend buttons refer to
the group by the name of its source.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from airhop.report.packets.marks import (
    ACK_COLOR,
    ACK_HELD_BACK,
    ACK_LOST,
    AIR_LOSSES,
    DATA_DROPS,
    DUPLICATE,
    ECHO,
    HEIGHTS_PX,
    LINK_ACK_LOST,
    MARKED,
    NEW_DATA,
    NOTICE_LOST,
    NOTICES,
    QUEUE_COLORS,
    RETRANSMISSIONS,
    WINDOW_COLORS,
    LegendEntry,
    Mark,
)
from airhop.report.packets.on_air import AirShown, air_counts, air_shown, height_px
from airhop.report.packets.round_trip import round_trips_shown
from airhop.report.packets.sequence import sequence_shown, shows_arrivals

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

KILOBYTE = 1000.0
TITLES = {
    "sequence": "Time-sequence graph",
    "arrivals": "Segments at the receiver’s air interface",
    "window": "Congestion window",
    "timer": "Round-trip time and timer",
    "queue": "Queues and losses in the air",
    "air": "Frames on the air",
}


@dataclass(frozen=True)
class Timeline:
    """Data of a run's figures."""

    sources: dict[str, pl.DataFrame]
    """Rows by source: `x` in seconds, `y` and the values of the hover cards; empty sources are left out."""
    legends: dict[str, list[LegendEntry]]
    """Legend by figure: `sequence`, `arrivals`, `window`, `timer`, `queue` and `air`.

    `arrivals` needs a radio link. `queue` and `air` need the trace table of this name.
    """
    losses: list[float]
    """Times in seconds at which data packets were lost, ascending."""
    air: AirShown | None = None
    """Data of the figure `air`. The page's script fills the figure's sources."""

    @property
    def figures(self) -> list[str]:
        """Names of the figures, from top to bottom."""
        return list(self.legends)

    @property
    def heights(self) -> dict[str, int]:
        """Heights of the figures in pixels.

        The page reserves this space before it draws the figures.
        """
        return HEIGHTS_PX | ({"air": height_px(len(self.air.air.lanes))} if self.air else {})


def timeline(run: TracedRun) -> Timeline:
    """Arrange the trace of one run for its figures."""
    sources: dict[str, pl.DataFrame] = {}
    legends: dict[str, list[LegendEntry]] = {}
    for name, take in (
        ("sequence", _sequence),
        *((("arrivals", sequence_shown),) if shows_arrivals(run) else ()),
        ("window", _window),
        ("timer", round_trips_shown),
        *((("queue", _queues),) if "queue" in run.tables else ()),
    ):
        taken, legends[name] = take(run)
        sources |= taken
    air = air_shown(run)
    if air is not None:
        legends["air"] = [LegendEntry.of(mark, count) for mark, count in air_counts(air.air)]
    return Timeline(sources, legends, _loss_times(run), air)


def _loss_times(run: TracedRun) -> list[float]:
    """List the times at which a frame or packet with data was lost.

    A packet discarded after too many retries is not listed, because its last lost frame is.
    """
    lost = run.table("drops").filter((pl.col("kind") == "data") & (pl.col("cause") != "retries"))
    return [round(float(t), 6) for t in lost["time_s"].sort()]


def _sequence(run: TracedRun) -> tuple[dict[str, pl.DataFrame], list[LegendEntry]]:
    """Collect segments, ACKs, losses and notices, with sequence numbers in kB as y."""
    acks = run.table("acks").select(x="time_s", y=_kilobytes("ack"), duplicate="duplicate")
    advancing = acks.filter(~pl.col("duplicate")).drop("duplicate")
    sources = {"ack": advancing}
    legend = [LegendEntry("ack", "cumulative ACK", ACK_COLOR, "line", advancing.height)]
    for mark, points in _marks(run, acks):
        if points.height:
            sources[mark.group] = points
            legend.append(LegendEntry.of(mark, points.height))
    return sources, legend


def _marks(run: TracedRun, acks: pl.DataFrame) -> Iterator[tuple[Mark, pl.DataFrame]]:
    """Yield every kind of event with its points (x in s, y in kB), in drawing order."""
    segments = run.table("segments").select("retransmission", x="time_s", y=_kilobytes("seq"), cause="cause")
    yield NEW_DATA, segments.filter(~pl.col("retransmission")).select("x", "y")
    for cause, mark in RETRANSMISSIONS.items():
        yield mark, segments.filter(pl.col("retransmission") & (pl.col("cause") == cause)).select("x", "y")
    yield DUPLICATE, acks.filter(pl.col("duplicate")).drop("duplicate")
    yield from _congestion_marks(run)
    drops = run.table("drops").select(
        x="time_s", y=_kilobytes("seq"), place="place", cause="cause", kind="kind"
    )
    for cause, mark in DATA_DROPS.items():
        yield mark, drops.filter((pl.col("kind") == "data") & (pl.col("cause") == cause)).drop("kind")
    # Leave out discards of ACKs and notices: a discard has the same time as the loss of the last frame.
    lost = {
        kind: drops.filter((pl.col("kind") == kind) & (pl.col("cause") != "retries")).drop("kind")
        for kind in ("ack", "notice", "control")
    }
    held_back = pl.col("cause") == "agent"
    yield ACK_HELD_BACK, lost["ack"].filter(held_back)
    yield ACK_LOST, lost["ack"].filter(~held_back)
    yield NOTICE_LOST, lost["notice"]
    yield LINK_ACK_LOST, _on_the_ack_line(lost["control"], acks)
    notices = run.table("notices").select(x="time_s", y=_kilobytes("seq"), kind="kind", event="event")
    for (kind, event), mark in NOTICES.items():
        yield mark, notices.filter((pl.col("kind") == kind) & (pl.col("event") == event)).select("x", "y")


def _congestion_marks(run: TracedRun) -> Iterator[tuple[Mark, pl.DataFrame]]:
    """Yield arrivals with an ECN CE mark, and the ACKs that echo the mark.

    Older traces have neither.
    """
    if "packets" in run.tables and "ecn" in run.tables["packets"].columns:
        arrives = (pl.col("step") == "delivered") & (pl.col("kind") == "data") & (pl.col("ecn") == "ce")
        yield MARKED, run.table("packets").filter(arrives).select(x="time_s", y=_kilobytes("seq"))
    if "ece" in run.tables["acks"].columns:
        yield ECHO, run.table("acks").filter(pl.col("ece")).select(x="time_s", y=_kilobytes("ack"))


def _on_the_ack_line(points: pl.DataFrame, acks: pl.DataFrame) -> pl.DataFrame:
    """Place events without a sequence number at the height of the current cumulative ACK."""
    line = acks.select("x", y=pl.col("y").cum_max())
    return points.drop("y").sort("x").join_asof(line, on="x").with_columns(pl.col("y").fill_null(0.0))


def _window(run: TracedRun) -> tuple[dict[str, pl.DataFrame], list[LegendEntry]]:
    """Collect windows in segments, and timers in ms.

    Missing samples are NaN, because a log axis has no zero.
    """
    segment_bytes = run.table("segments")["bytes"].max() or 1
    rows = run.table("window").select(
        x="time_s",
        cwnd="cwnd",
        ssthresh="ssthresh",
        flight=pl.col("flight").cast(pl.Float64) / float(segment_bytes),  # type: ignore[arg-type]
        srtt_ms=pl.when(pl.col("srtt_ms") > 0).then("srtt_ms").otherwise(float("nan")),
        rto_ms="rto_ms",
    )
    return {"window": rows}, [
        LegendEntry("cwnd", "cwnd", WINDOW_COLORS["cwnd"], "line", None),
        LegendEntry("ssthresh", "ssthresh", WINDOW_COLORS["ssthresh"], "dashed", None),
        LegendEntry("flight", "in flight", WINDOW_COLORS["flight"], "circle", None),
    ]


def _queues(run: TracedRun) -> tuple[dict[str, pl.DataFrame], list[LegendEntry]]:
    """Select the longest queues, and the frames lost in the air, over all flows."""
    waiting = run.tables["queue"].select(x="time_s", y="packets", place="place")
    peaks = waiting.group_by("place").agg(peak=pl.col("y").max()).filter(pl.col("peak") > 0)
    places = peaks.sort("peak", "place", descending=[True, False])["place"]
    sources, legend = {}, []
    for number, (place, color) in enumerate(zip(places, QUEUE_COLORS, strict=False)):
        group = f"queue-{number}"
        sources[group] = waiting.filter(pl.col("place") == place).select("x", "y")
        legend.append(LegendEntry(group, f"queue {place.replace('->', '→')}", color, "line", None))
    drops = run.tables["drops"].select(x="time_s", place="place", cause="cause")
    for mark in AIR_LOSSES:
        lost = drops.filter(pl.lit("air-") + pl.col("cause") == mark.group).with_columns(y=pl.lit(0.0))
        if lost.height:
            sources[mark.group] = lost
            legend.append(LegendEntry.of(mark, lost.height))
    return sources, legend


def _kilobytes(column: str) -> pl.Expr:
    """Convert a sequence number to an offset in kB; the first data byte has number 1."""
    return (pl.col(column).cast(pl.Float64) - 1.0) / KILOBYTE
