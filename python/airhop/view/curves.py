"""Graphs of a traced run as data for the page: window, sequence numbers, round-trip time and queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from airhop.analysis.connections import connections
from airhop.analysis.measures import class_of
from airhop.results import Result
from airhop.view.shown import FIRST, Shown

KILOBYTE = 1000.0
MOST_POINTS = 20_000
"""Maximum number of points in a curve, and of marks. Larger data are thinned out, because the transfer to the
browser would take longer than the run.
"""


@dataclass(frozen=True)
class Curves:
    """Curves of a flow, a connection or a class in a run of one scheme: times in s, sequence numbers in kB.

    Window and ACKs of a class are the sums over its flows and connections.
    """

    name: str
    """Name of the flow or connection in the trace, or of the class."""
    connections: int
    """Number of connections of the flow. 0 for a class, and for a flow without connections."""
    window: Line
    """Congestion window in segments. 0 after a connection is closed."""
    acks: Line
    """Cumulative ACK in kB."""
    rtt: Sequence[Line]
    """Smoothed round-trip time in ms. One line per flow or connection with a sample."""
    queue: Line
    """Length in packets of the queue with the largest mean length. Empty if all queues are always empty."""
    place: str
    """Name of the queue in `queue`."""
    resent: pl.DataFrame
    """Retransmissions: time `x`, height `y`, `flow`, offset of the `first` byte in kB, and `cause`.

    `y` is the sequence number. For a class, `y` is the height of the ACK curve.
    """
    lost: pl.DataFrame
    """Lost data packets and frames: columns as in `resent`, and `place` of the loss."""

    @classmethod
    def of(cls, result: Result, shown: Shown = FIRST) -> Curves:
        """Select the curves of a flow, a connection or a class from a traced run."""
        flows = result.document["flows"]
        members = [one["name"] for one in flows if class_of(one) == shown.name]
        if not shown.is_class:
            members = [shown.name or result.tcp_flows[0]["name"]]
        opened = connections(members, result.tables)
        found = [name for member in members for name in opened[member] or [member]]
        count = 0 if shown.is_class else max(map(_number, opened[members[0]]), default=0)
        if count:
            found = [f"{members[0]}#{shown.connection}"]
        window, acks, segments, drops, packets = (
            _of_flows(result.tables[name], found)
            for name in ("window", "acks", "segments", "drops", "packets")
        )
        # Discards by the link layer are omitted: a discard has the same time as the loss of the last frame.
        lost = drops.filter((_words("kind") == "data") & (_words("cause") != "retries"))
        acknowledged = _sum(
            acks.filter(~pl.col("duplicate")).select("time_s", "flow", value=_kilobytes("ack"))
        )
        above = acknowledged if len(found) > 1 else None
        queue, place = _longest_queue(result.tables["queue"], _places(packets), result.document["duration_s"])
        most = MOST_POINTS // max(len(found), 1)
        sampled = window.filter(pl.col("srtt_ms").is_finite()).partition_by("flow", maintain_order=True)
        return cls(
            name=shown.name if shown.is_class else found[0],
            connections=count,
            window=Line.steps(*_sum(_until_closed(window, segments))),
            acks=Line.steps(*acknowledged),
            rtt=[Line.steps(one["time_s"], one["srtt_ms"], most) for one in sampled],
            queue=queue,
            place=place,
            resent=_marks(segments.filter("retransmission"), above),
            lost=_marks(lost, above, "place"),
        )


@dataclass(frozen=True)
class Line:
    """Line, as the coordinates of its corners."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @classmethod
    def steps(cls, time_s: pl.Series, value: pl.Series, most: int = MOST_POINTS) -> Line:
        """Return a step line of a value that is constant between changes."""
        every = 1 + len(time_s) // most
        x, y = (np.repeat(column.gather_every(every).to_numpy(), 2) for column in (time_s, value))
        return cls(x[1:], y[:-1])


def _of_flows(table: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Select the rows of these flows, possibly no row."""
    known = table["flow"].dtype
    categories = set(known.categories) if isinstance(known, pl.Enum) else set(names)
    return table.filter(pl.col("flow").is_in([name for name in names if name in categories]))


def _until_closed(window: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Return the window by flow.

    A flow that sent a FIN gets a zero after its last change.
    """
    windows = window.select("time_s", "flow", value="cwnd")
    closed = segments.filter("fin").select("flow").unique()
    last = windows.join(closed, on="flow").group_by("flow").agg(pl.col("time_s").max(), value=pl.lit(0.0))
    return pl.concat([windows, last.select(windows.columns)]).sort("time_s", maintain_order=True)


def _sum(values: pl.DataFrame) -> tuple[pl.Series, pl.Series]:
    """Return the times at which any flow's `value` changes, and the sum over the flows at these times."""
    if values["flow"].n_unique() <= 1:
        return values["time_s"], values["value"]
    before = pl.col("value").shift(1).over("flow").fill_null(0.0)
    return values["time_s"], values.select(total=(pl.col("value") - before).cum_sum())["total"]


def _marks(packets: pl.DataFrame, on: tuple[pl.Series, pl.Series] | None, *more: str) -> pl.DataFrame:
    """Return the marks of packets, at their sequence numbers or on a class's curve `on`."""
    first = _kilobytes("seq")
    marks = packets.select(
        x="time_s",
        y=first,
        flow=_words("flow"),
        first=first,
        cause=_words("cause"),
        **{k: _words(k) for k in more},
    )
    marks = marks.gather_every(1 + marks.height // MOST_POINTS)
    if on is None:
        return marks
    time_s, value = (column.to_numpy() for column in on)
    places = np.searchsorted(time_s, marks["x"].to_numpy(), side="right")
    return marks.with_columns(y=pl.Series(np.concatenate([[0.0], value])[places], dtype=pl.Float64))


def _places(packets: pl.DataFrame) -> set[str]:
    """Return the names of the queues of links and stations that the data packets entered."""
    data = packets.filter((pl.col("step") == "offered") & _words("kind").is_in(["data", "datagram"]))
    links = data["place"].unique().cast(pl.String).to_list()
    return {name for link in links for name in (link, f"{link.partition('->')[0]}->*")}


def _longest_queue(queues: pl.DataFrame, places: set[str], end_s: float) -> tuple[Line, str]:
    """Return the length and the name of the queue with the largest mean length."""
    lengths = {
        str(place): rows
        for (place,), rows in queues.filter(_words("place").is_in(places))
        .partition_by("place", as_dict=True)
        .items()
    }
    if not lengths:
        return Line(np.empty(0), np.empty(0)), ""

    def area(place: str) -> float:
        time_s, packets = (lengths[place][name].to_numpy() for name in ("time_s", "packets"))
        return float((np.diff(time_s, append=end_s) * packets).sum())

    longest = max(lengths, key=area)
    return Line.steps(lengths[longest]["time_s"], lengths[longest]["packets"]), longest


def _number(connection: str) -> int:
    """Return the number of a connection, from 1."""
    return int(connection.rpartition("#")[2])


def _kilobytes(column: str) -> pl.Expr:
    """Convert a sequence number to an offset in kB; the first data byte has number 1."""
    return (pl.col(column).cast(pl.Float64) - 1.0) / KILOBYTE


def _words(column: str) -> pl.Expr:
    """Cast a category to text."""
    return pl.col(column).cast(pl.String)
