"""Frames of a traced run by station and time, and reasons of collisions, for space-time diagrams.

The functions read the trace table `air`, with one row per transmission, and the positions of the stations.
Times are seconds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airhop.analysis.topology import Cell, RadioLink, cells, radio_links
from airhop.errors import InputError

if TYPE_CHECKING:
    import polars as pl

FRAMES = (
    "rts", "cts", "data", "tcp-ack", "other", "ack", "broadcast", "a-mpdu", "block-ack", "block-ack-req",
    "cf-end",
)  # fmt: skip
"""Kinds of frames with different marks in diagrams. Data frames have the kind `data` (TCP segment with
payload), `tcp-ack` (TCP segment without payload) or `other`. The kind `ack` is a link ACK, and an `a-mpdu`
contains several data frames.
"""
CARRIED = {"data": "data", "ack": "tcp-ack"}
REASONS = {
    "hidden": "of hidden terminals: the senders do not sense each other",
    "sending": "its receiver was sending",
    "sensed": "the senders sense each other",
    "unknown": "with a frame that is not in the trace",
}
"""Reasons of a collision, with their descriptions."""
NOBODY = -1
"""Value in place of a lane or frame that does not exist."""
TOUCH_S = 1e-9
"""Minimum overlap of two frames in seconds. Shorter overlaps are rounding errors of the trace's times."""
DELIMITER_BYTES = 4
"""Length of the delimiter before each MPDU of an A-MPDU."""


@dataclass(frozen=True)
class Lane:
    """Row of a space-time diagram: a station in one cell, or one end of a radio link."""

    cell: Cell | RadioLink
    station: str
    label: str


@dataclass(frozen=True)
class Overlap:
    """Interference: another signal that reaches the receiver of a frame during the frame."""

    frame: int
    """Row of the frame."""
    other: int
    """Row of the other frame; NOBODY if the trace has no such frame."""
    lane: int
    """Lane of the frame's receiver."""
    start_s: float
    end_s: float
    reason: str
    """Reason, an entry of REASONS."""
    captured: bool
    """True if the receiver decoded the frame in spite of the interference."""


@dataclass(frozen=True)
class OnAir:
    """Transmissions of a run for space-time diagrams; each station has a lane (row)."""

    lanes: tuple[Lane, ...]
    """Lanes in the order of the scenario."""
    frames: pl.DataFrame
    """One row per transmission, sorted by start: `start_s`, `end_s`, `lane` (of the sender), `to` (lane or
    NOBODY), `kind` (of FRAMES), `bytes`, `flow`, `seq`, `attempt`, `outcome`, `ppdu` (row of the table
    `air`).
    """
    waiting: tuple[tuple[int, float, float], ...]
    """Periods in which a station had data to send, as lane, start and end. Packets were in the queue, or a
    failed attempt awaited retransmission. The periods are sorted by lane and time, and do not overlap.
    """
    mpdus: pl.DataFrame
    """One row per MPDU of an A-MPDU, sorted by `ppdu` and `place`: `start_s`, `end_s` (share of the PPDU's
    airtime by bytes), `bytes`, `attempt`, `outcome`.
    """

    @cached_property
    def hearers(self) -> list[list[int]]:
        """Lanes that can receive a station's frames, by the station's lane."""
        return self._lanes_of([lane.cell.hearers[lane.station] for lane in self.lanes])

    @cached_property
    def sensers(self) -> list[list[int]]:
        """Lanes that only sense a station's frames, by the station's lane."""
        return self._lanes_of([lane.cell.sensers[lane.station] for lane in self.lanes])

    def _lanes_of(self, names: list[list[str]]) -> list[list[int]]:
        rank = {(id(lane.cell), lane.station): place for place, lane in enumerate(self.lanes)}
        return [
            [rank[id(lane.cell), name] for name in others if (id(lane.cell), name) in rank]
            for lane, others in zip(self.lanes, names, strict=True)
        ]

    @cached_property
    def overlaps(self) -> list[Overlap]:
        """Interference at each frame that collided or was captured, with the other frame and the reason."""
        return list(_overlaps(self))

    def between(self, start_s: float, end_s: float) -> OnAir:
        """Return the frames that are on the air between these times."""
        import polars as pl

        kept = self.frames.filter(pl.col("end_s") > start_s, pl.col("start_s") < end_s)
        waiting = tuple(
            (lane, max(first, start_s), min(last, end_s))
            for lane, first, last in self.waiting
            if first < end_s and last > start_s
        )
        return OnAir(self.lanes, kept, waiting, self._mpdus_of(kept))

    def busiest(self, lanes: int) -> OnAir:
        """Return only the lanes with the most sent and received frames, at most `lanes`."""
        import polars as pl

        if len(self.lanes) <= lanes:
            return self
        count = Counter[int]()
        for column in ("lane", "to"):
            count.update(dict(self.frames[column].value_counts().iter_rows()))
        kept = sorted(sorted(range(len(self.lanes)), key=lambda lane: -count[lane])[:lanes])
        place = {lane: new for new, lane in enumerate(kept)}
        moved = pl.col("lane", "to").replace_strict(place, default=NOBODY, return_dtype=pl.Int32)
        frames = self.frames.with_columns(moved).filter(pl.col("lane") != NOBODY)
        return OnAir(
            tuple(self.lanes[lane] for lane in kept),
            frames,
            tuple((place[lane], start, end) for lane, start, end in self.waiting if lane in place),
            self._mpdus_of(frames),
        )

    def _mpdus_of(self, frames: pl.DataFrame) -> pl.DataFrame:
        return self.mpdus.join(frames, on="ppdu", how="semi", maintain_order="left")


def on_air(tables: Mapping[str, pl.DataFrame], network: Mapping[str, Any]) -> OnAir:
    """Arrange the trace of a run by station; `network` is the scenario (`Scenario.to_dict`).

    If `tables["air"]` contains only some rows of the trace's table, a column `ppdu` must contain the row
    number of each transmission in the whole table.

    Raises InputError if the trace has no table `air`, or if the network has neither a wireless cell nor a
    radio link.
    """
    import polars as pl

    channels: list[Cell | RadioLink] = [*cells(network, tables), *radio_links(network)]
    if not channels:
        raise InputError("there are no frames on the air: the scenario has no [[wlan]] and no [[radio]]")
    if "air" not in tables:
        raise InputError("the run has no table `air`; run it with trace=True")
    lanes = _lanes(channels)
    air = tables["air"] if "ppdu" in tables["air"].columns else tables["air"].with_row_index("ppdu")
    named = air.with_columns(pl.col("from", "to", "kind", "flow", "packet", "outcome").fill_null(""))
    ends = _ends(lanes, named.select("from", "to").unique())
    frames = (
        named.join(ends, on=["from", "to"])
        .with_columns(kind=_kind())
        .select(
            *("start_s", "end_s", "lane", "receiver", "kind", "bytes", "flow", "seq", "attempt", "outcome"),
            "ppdu",
        )
        .rename({"receiver": "to"})
        .sort("start_s", "lane")
    )
    found = OnAir(lanes, frames, (), _mpdus(frames, tables))
    return replace(found, waiting=tuple(_waiting(found, tables)))


def _mpdus(frames: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Divide the airtime of each A-MPDU among the MPDUs, in proportion to subframe bytes."""
    import polars as pl

    if "mpdus" not in tables:
        words, numbers, times = ("outcome",), ("ppdu", "place", "bytes", "attempt"), ("start_s", "end_s")
        types = dict.fromkeys(numbers, pl.UInt32) | dict.fromkeys(times, pl.Float64)
        return pl.DataFrame(schema=types | dict.fromkeys(words, pl.String))
    ppdus = frames.filter(kind="a-mpdu").select(
        "ppdu", begun="start_s", airtime=pl.col("end_s") - pl.col("start_s")
    )
    subframe = (pl.col("bytes") + DELIMITER_BYTES + 3) // 4 * 4
    end = subframe.cum_sum().over("ppdu") / subframe.sum().over("ppdu")
    return (
        tables["mpdus"]
        .filter(pl.col("msdu") == 0)
        .join(ppdus, on="ppdu", maintain_order="left")
        .with_columns(end=end)
        .with_columns(start=pl.col("end").shift(1).over("ppdu").fill_null(0.0))
        .select(
            "ppdu",
            "place",
            "bytes",
            "attempt",
            "outcome",
            start_s=pl.col("begun") + pl.col("start") * pl.col("airtime"),
            end_s=pl.col("begun") + pl.col("end") * pl.col("airtime"),
        )
    )


def _lanes(channels: Sequence[Cell | RadioLink]) -> tuple[Lane, ...]:
    """Create a lane per station. A station in two cells has two lanes, named after the cells."""
    seen = Counter(station for cell in channels for station in cell.stations)
    return tuple(
        Lane(cell, station, station if seen[station] == 1 else f"{station} ({cell.name})")
        for cell in channels
        for station in cell.stations
    )


def _ends(lanes: Sequence[Lane], pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the lanes of sender and receiver for each pair of names, in the cell with both stations."""
    import polars as pl

    place = {(id(lane.cell), lane.station): index for index, lane in enumerate(lanes)}
    rows = []
    for sender, receiver in pairs.select("from", "to").iter_rows():
        homes = [lane for lane in lanes if lane.station == sender]
        home = next((lane for lane in homes if receiver in lane.cell.stations), homes[0])
        to = place.get((id(home.cell), receiver), NOBODY)
        rows.append((sender, receiver, place[id(home.cell), sender], to))
    schema = {"from": pl.String, "to": pl.String, "lane": pl.Int32, "receiver": pl.Int32}
    return pl.DataFrame(rows, schema, orient="row")


def _kind() -> pl.Expr:
    """Return the kind of each frame; the kind of a data frame depends on the payload."""
    import polars as pl

    carried = pl.col("packet").replace_strict(CARRIED, default="other", return_dtype=pl.String)
    return pl.when(pl.col("kind") == "data").then(carried).otherwise("kind")


def _overlaps(air: OnAir) -> Iterator[Overlap]:
    starts, ends, senders, receivers, outcomes = (
        air.frames[name].to_list() for name in ("start_s", "end_s", "lane", "to", "outcome")
    )
    reach = [
        {*heard, *sensed, lane}
        for lane, (heard, sensed) in enumerate(zip(air.hearers, air.sensers, strict=True))
    ]
    longest = max((end - start for start, end in zip(starts, ends, strict=True)), default=0.0)
    for row, outcome in enumerate(outcomes):
        to, captured = receivers[row], outcome == "captured"
        if to == NOBODY or not (captured or outcome == "collision"):
            continue
        best, rank = Overlap(row, NOBODY, to, starts[row], ends[row], "unknown", captured), (9, 0.0)
        for other in _rows_near(starts, row, starts[row] - longest, ends[row]):
            start, end = max(starts[row], starts[other]), min(ends[row], ends[other])
            if end - start < TOUCH_S or to not in reach[senders[other]]:
                continue
            reason = _reason(senders[row], senders[other], to, reach)
            this = (tuple(REASONS).index(reason), start - end)
            if this < rank:
                best, rank = Overlap(row, other, to, start, end, reason, captured), this
        yield best


def _rows_near(starts: Sequence[float], row: int, first_s: float, last_s: float) -> Iterator[int]:
    """Yield the other rows with frames that start between `first_s` and `last_s`, earlier rows first."""
    before = row - 1
    while before >= 0 and starts[before] >= first_s:
        yield before
        before -= 1
    after = row + 1
    while after < len(starts) and starts[after] < last_s:
        yield after
        after += 1


def _reason(sender: int, other: int, to: int, reach: Sequence[set[int]]) -> str:
    if other == to:
        return "sending"
    return "sensed" if sender in reach[other] else "hidden"


def _waiting(air: OnAir, tables: Mapping[str, pl.DataFrame]) -> Iterator[tuple[int, float, float]]:
    """Yield for each lane the union of the periods with queued packets and the periods between attempts."""
    spans: list[list[tuple[float, float]]] = [[] for _ in air.lanes]
    last_s = max(air.frames["end_s"], default=0.0)
    for lane, start, end in (*_between_attempts(air.frames), *_queued(air.lanes, tables, last_s)):
        spans[lane].append((start, end))
    for lane, found in enumerate(spans):
        start, end = math.inf, -math.inf
        for first, last in sorted(found):
            if first > end:
                if end > start:
                    yield lane, start, end
                start = first
            end = max(end, last)
        if end > start:
            yield lane, start, end


def _between_attempts(frames: pl.DataFrame) -> Iterator[tuple[int, float, float]]:
    """Yield lane, begin and end of the periods between two attempts at a packet (ACK timeout, backoff).

    A link with an ARQ window may send other packets in between.
    """
    import polars as pl

    packet = ("to", "flow", "seq")
    tries = frames.filter(pl.col("kind").is_in(["rts", "data", "tcp-ack", "other", "a-mpdu"]))
    following = tries.with_columns(
        pl.col("start_s", "attempt").shift(-1).over("lane", *packet).name.prefix("next_")
    )
    again = following.filter(pl.col("next_attempt") > pl.col("attempt"))
    yield from again.select("lane", "end_s", "next_start_s").iter_rows()


def _queue_places(lane: Lane) -> list[str]:
    """Return the trace names of a station's queue: for the whole cell, or for the link's other end."""
    if isinstance(lane.cell, Cell):
        return [f"{lane.station}->*"]
    return [f"{lane.station}->{other}" for other in lane.cell.hearers[lane.station]]


def _queued(
    lanes: Sequence[Lane], tables: Mapping[str, pl.DataFrame], end_s: float
) -> Iterator[tuple[int, float, float]]:
    """Return the periods in which packets wait in a station's queue; the last period ends at `end_s`."""
    import polars as pl

    if "queue" not in tables:
        return
    of_place = {place: index for index, lane in enumerate(lanes) for place in _queue_places(lane)}
    queue = (
        tables["queue"]
        .select("time_s", "packets", "place")
        .filter(pl.col("place").is_in(list(of_place)))
        .with_columns(until=pl.col("time_s").shift(-1).over("place").fill_null(end_s))
        .filter(pl.col("packets") > 0, pl.col("until") > pl.col("time_s"))
    )
    for place, start, end in queue.select("place", "time_s", "until").iter_rows():
        yield of_place[place], start, end
