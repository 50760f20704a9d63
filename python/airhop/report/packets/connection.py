"""Facts about the flow or connection of a time-line, and the list of the flow's connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from airhop.analysis.round_trips import timeouts

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

MOST_ROWS = 100
"""Maximum number of connections that a page lists."""


@dataclass(frozen=True)
class Connections:
    """Connections of the flow that a time-line shows."""

    flow: str
    shown: str
    """Name of the connection of the time-line."""
    count: int
    """Number of all connections with segments in this direction."""
    rows: list[dict[str, float | int | str]]
    """Keys: `name`; `opened` and `ended`, times in seconds of the first segment and of the last ACK;
    `kilobytes`; `segments` with data; `retransmissions`.
    """


def facts(run: TracedRun) -> list[tuple[str, str]]:
    """Return facts about the flow or connection of a time-line, as pairs of a name and a text."""
    if run.name == run.flow["name"]:
        return _facts_of_flow(run)
    (row,) = _rows(run, [run.name])
    return [
        ("connection", str(row["name"])),
        ("data", f"{row['kilobytes']:,.1f} kB"),
        ("first segment to last ACK", f"{row['opened']:.3f} to {row['ended']:.3f} s"),
        ("segments sent", f"{row['segments']:,}"),
        ("retransmissions", f"{row['retransmissions']:,}"),
        ("timeouts", f"{timeouts(run.tables, run.name).len():,}"),
    ]


def opened(run: TracedRun) -> Connections | None:
    """Return the connections of the flow shown; None if the application opens no connections."""
    names = run.opened
    if not names:
        return None
    return Connections(str(run.flow["name"]), run.name, len(names), _rows(run, names[:MOST_ROWS]))


def _facts_of_flow(run: TracedRun) -> list[tuple[str, str]]:
    counts = {
        "segments sent": run.flow["sent_segments"],
        "retransmissions": run.flow["retransmissions"],
        "window cuts": run.flow["window_cuts"],
        "timeouts": run.flow["timeouts"],
    }
    notices = {f"{kind.upper()} received": count for kind, count in run.flow["notices"].items() if count}
    return [("goodput", run.goodput), *((name, f"{count:,}") for name, count in (counts | notices).items())]


def _rows(run: TracedRun, names: list[str]) -> list[dict[str, float | int | str]]:
    acks = run.tables["acks"].select("flow", "time_s").group_by("flow").agg(ended=pl.col("time_s").max())
    found = (
        run.tables["segments"]
        .filter(pl.col("flow").is_in(names))
        .group_by("flow", maintain_order=True)
        .agg(
            opened=pl.col("time_s").min(),
            last=pl.col("time_s").max(),
            kilobytes=pl.col("bytes").filter(~pl.col("retransmission")).cast(pl.Float64).sum() / 1000.0,
            segments=(pl.col("bytes") > 0).sum(),
            retransmissions=pl.col("retransmission").sum(),
        )
        .join(acks, on="flow", how="left", maintain_order="left")
        .with_columns(ended=pl.max_horizontal("last", "ended"))
    )
    return found.select("opened", "ended", "kilobytes", "segments", "retransmissions", name="flow").to_dicts()
