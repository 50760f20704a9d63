"""Graphs of a traced run as data for the page: window, sequence numbers and round-trip time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from airhop.analysis.connections import connections
from airhop.results import Result

KILOBYTE = 1000.0
MOST_POINTS = 20_000
"""Largest number of points of a curve; longer curves are thinned, because the transfer to the browser would
last longer than the run."""


@dataclass(frozen=True)
class Curves:
    """Curves of a TCP flow or connection in a run of one scheme. Times are in s, sequence numbers in kB."""

    name: str
    """Name of the flow or connection in the trace."""
    connections: Mapping[str, int]
    """Number of connections by TCP flow of the run; 0 for a flow that opens none."""
    window: Line
    """The congestion window in segments."""
    acks: Line
    """The cumulative ACK."""
    rtt: Line
    """Smoothed round-trip time, ms; empty before the first sample."""
    resent: pl.DataFrame
    """Retransmissions: time `x`, first byte `y`, and `cause` of the retransmission."""
    lost: pl.DataFrame
    """Data packets and frames that were lost: `x`, `y` their first byte, `cause`, `place`."""

    @classmethod
    def of(cls, result: Result, flow: str | None = None, connection: int = 1) -> Curves:
        """Select the curves from a traced run.

        Parameters
        ----------
        result
            The traced run.
        flow
            Name of a TCP flow; by default the first.
        connection
            Number of the connection, from 1, of a flow whose application opens connections.
        """
        names = [one["name"] for one in result.tcp_flows]
        opened = {
            one: max(map(_number, found), default=0)
            for one, found in connections(names, result.tables).items()
        }
        line = names[0] if flow is None else flow
        name = f"{line}#{connection}" if opened.get(line) else line
        of_flow = pl.col("flow").cast(pl.String) == name
        window, acks, segments, drops = (
            result.tables[name].filter(of_flow) for name in ("window", "acks", "segments", "drops")
        )
        # The discard of a packet has the same time as the loss of its last frame.
        lost = drops.filter((_words("kind") == "data") & (_words("cause") != "retries"))
        mark = [pl.col("time_s").alias("x"), _kilobytes("seq").alias("y"), _words("cause")]
        return cls(
            name=name,
            connections=opened,
            window=Line.steps(window["time_s"], window["cwnd"]),
            acks=Line.steps(*acks.filter(~pl.col("duplicate")).select("time_s", _kilobytes("ack"))),
            rtt=Line.steps(*window.filter(pl.col("srtt_ms").is_finite()).select("time_s", "srtt_ms")),
            resent=segments.filter("retransmission").select(mark),
            lost=lost.select(*mark, _words("place")),
        )


@dataclass(frozen=True)
class Line:
    """A line to draw, corner by corner."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @classmethod
    def steps(cls, time_s: pl.Series, value: pl.Series) -> Line:
        """Return a step line of a value that is constant between changes."""
        every = 1 + len(time_s) // MOST_POINTS
        x, y = (np.repeat(column.gather_every(every).to_numpy(), 2) for column in (time_s, value))
        return cls(x[1:], y[:-1])


def _number(connection: str) -> int:
    """Return the number of a connection, from 1."""
    return int(connection.rpartition("#")[2])


def _kilobytes(column: str) -> pl.Expr:
    """Turn a sequence number (the first data byte is 1) into an offset in kB."""
    return (pl.col(column).cast(pl.Float64) - 1.0) / KILOBYTE


def _words(column: str) -> pl.Expr:
    """Cast a category to text."""
    return pl.col(column).cast(pl.String)
