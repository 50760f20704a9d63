"""Figures of one traced run: time-sequence graph, congestion window, queues.

Every function takes the result of `airhop.run(…, trace=True)`. The functions `draw_…` write `stem.pdf`,
`stem.svg` and `stem.png` for print and return their paths; `sequence`, `window` and `queue` return the
figure, and draw on `ax` if it is given. `between` has the ends of the time axis in seconds.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.errors import InputError, did_you_mean
from airhop.plots.paper import PRINT_STYLE, canvas, finish, write

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.results import Result

Span = tuple[float, float] | None
KILOBYTE = 1000.0
QUEUE_INKS = ("0.0", "0.45", "0.7")
QUEUE_DASHES: tuple[Any, ...] = ("-", (0, (4, 2)), (0, (1, 1)))
FRAME_LOSSES = ("channel", "collision")


def draw_sequence(
    result: Result, stem: str | Path, *, flow: str | None = None, between: Span = None
) -> list[Path]:
    """Draw segments sent, retransmitted, acknowledged and lost over time, by sequence number in kB.

    Parameters
    ----------
    result
        The result of a run with `trace=True`.
    stem
        Path of the files, without a suffix.
    flow
        Name of a flow; by default the TCP flow with the most delivered bytes.
    between
        Two times in simulated seconds; None draws the whole run.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When the flow does not exist.
    """
    name = chosen_flow(result, flow)
    return _written(sequence(result, flow=name, between=between), stem, f"Time-sequence graph of {name}")


def sequence(
    result: Result, *, flow: str | None = None, between: Span = None, ax: Axes | None = None
) -> Figure:
    """Draw the figure of `draw_sequence`."""
    import polars as pl

    name = chosen_flow(result, flow)
    segments, acks, drops = (_rows(result, table, name, between) for table in ("segments", "acks", "drops"))
    lost = drops.filter(_column("kind") == "data", _column("cause") != "retries")
    with canvas(ax) as (figure, axes):
        axes.step(
            acks["time_s"],
            _kilobytes(acks["ack"].cum_max()),
            where="post",
            color="0.45",
            linewidth=0.8,
            label="ACK",
        )
        for again, marker, ink, label in ((False, ".", "0.6", "sent"), (True, "^", "0.0", "sent again")):
            rows = segments.filter(pl.col("retransmission") == again)
            axes.plot(
                rows["time_s"],
                _kilobytes(rows["seq"]),
                marker,
                color=ink,
                markersize=2 if not again else 3.5,
                markeredgewidth=0,
                label=label,
            )
        axes.plot(
            lost["time_s"],
            _kilobytes(lost["seq"]),
            "x",
            color="0.0",
            markersize=3.5,
            markeredgewidth=0.7,
            label="lost",
        )
        axes.set_ylabel("Sequence number (kB)")
        return _finish(figure, axes, between, own=ax is None)


def draw_window(
    result: Result, stem: str | Path, *, flow: str | None = None, between: Span = None
) -> list[Path]:
    """Draw congestion window and threshold over time, in segments.

    Parameters
    ----------
    result
        The result of a run with `trace=True`.
    stem
        Path of the files, without a suffix.
    flow
        Name of a flow; by default the TCP flow with the most delivered bytes.
    between
        Two times in simulated seconds; None draws the whole run.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When the flow does not exist.
    """
    name = chosen_flow(result, flow)
    return _written(window(result, flow=name, between=between), stem, f"Congestion window of {name}")


def window(
    result: Result, *, flow: str | None = None, between: Span = None, ax: Axes | None = None
) -> Figure:
    """Draw the figure of `draw_window`."""
    name = chosen_flow(result, flow)
    rows = _rows(result, "window", name, between)
    with canvas(ax) as (figure, axes):
        axes.step(rows["time_s"], rows["cwnd"], where="post", color="0.0", label="cwnd")
        # The initial ssthresh, which is infinite, is not drawn.
        known = rows.filter(rows["ssthresh"].is_finite())
        axes.step(
            known["time_s"],
            known["ssthresh"],
            where="post",
            color="0.5",
            linestyle=(0, (4, 2)),
            label="ssthresh",
        )
        axes.set_ylim(0.0, 1.08 * float(rows["cwnd"].max() or 1.0))  # type: ignore[arg-type]
        axes.set_ylabel("Segments")
        return _finish(figure, axes, between, own=ax is None)


def draw_queue(result: Result, stem: str | Path, *, between: Span = None) -> list[Path]:
    """Draw the lengths of the fullest queues over time, and the frames lost on the air.

    Parameters
    ----------
    result
        The result of a run with `trace=True`.
    stem
        Path of the files, without a suffix.
    between
        Two times in simulated seconds; None draws the whole run.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When the trace has no table `queue`.
    """
    return _written(queue(result, between=between), stem, "Queues and frames lost in the air")


def queue(result: Result, *, between: Span = None, ax: Axes | None = None) -> Figure:
    """Draw the figure of `draw_queue`."""
    waiting = _between(_table(result, "queue"), between)
    lost = _between(_table(result, "drops"), between).filter(_column("cause").is_in(FRAME_LOSSES))
    peaks = waiting.group_by("place").agg(peak=_column("packets").max()).filter(_column("peak") > 0)
    places = peaks.sort("peak", "place", descending=[True, False])["place"]
    with canvas(ax) as (figure, axes):
        for place, ink, dash in zip(places, QUEUE_INKS, QUEUE_DASHES, strict=False):
            rows = waiting.filter(_column("place") == place)
            axes.step(
                rows["time_s"],
                rows["packets"],
                where="post",
                color=ink,
                linestyle=dash,
                label=f"queue {place}",
            )
        axes.plot(
            lost["time_s"],
            [0.0] * lost.height,
            "|",
            color="0.0",
            markersize=6,
            markeredgewidth=0.5,
            label="frame lost",
            clip_on=False,
        )
        axes.set_ylim(bottom=0.0)
        axes.set_ylabel("Packets")
        return _finish(figure, axes, between, own=ax is None)


def chosen_flow(result: Result, wanted: str | None) -> str:
    """Return the trace's name of the TCP flow to draw, by default the flow with the most delivered bytes.

    An application may open and close several connections in a flow. The result is then `wanted` if `wanted`
    names a connection (`web#3`), and otherwise the connection with the most bytes.

    Raises InputError if the flow does not exist.
    """
    delivered = {str(flow["name"]): flow["delivered_bytes"] for flow in result.tcp_flows}
    names = list(delivered)
    if not names:
        raise InputError("the run has no TCP flow to draw")
    connections = _connections(result)
    if wanted in connections:
        return wanted
    if wanted is None:
        wanted = max(names, key=lambda name: delivered[name])
    if wanted not in names:
        raise InputError(
            f"there is no TCP flow `{wanted}`.{did_you_mean(wanted, names)} There are: {', '.join(names)}."
        )
    own = [name for name in connections if name.rpartition("#")[0] == wanted]
    return max(own, key=lambda name: connections[name], default=wanted)


def _connections(result: Result) -> dict[str, int]:
    """Return the bytes sent on each connection of applications that open and close connections."""
    if not any(flow.get("connections") for flow in result.tcp_flows):
        return {}
    rows = _table(result, "segments").select("flow", "bytes").iter_rows()
    found: dict[str, int] = {}
    for name, size in rows:
        if "#" in name:
            found[name] = found.get(name, 0) + size
    return found


def _table(result: Result, name: str) -> pl.DataFrame:
    if name not in result.tables:
        raise InputError(f"the run has no table `{name}`; run it with trace=True")
    return result.tables[name]


def _rows(result: Result, table: str, flow: str, between: Span) -> pl.DataFrame:
    return _between(_table(result, table), between).filter(_column("flow") == flow)


def _between(table: pl.DataFrame, between: Span) -> pl.DataFrame:
    first, last = between or (0.0, math.inf)
    return table.filter(_column("time_s").is_between(first, last))


def _column(name: str) -> pl.Expr:
    import polars as pl

    return pl.col(name)


def _kilobytes(seq: pl.Series) -> pl.Series:
    """Convert sequence numbers (the first data byte is 1) into offsets in kB."""
    return (seq.cast(float) - 1.0) / KILOBYTE


def _style() -> Any:
    import matplotlib as mpl

    return mpl.rc_context(PRINT_STYLE)


def _finish(figure: Figure, axes: Axes, between: Span, *, own: bool) -> Figure:
    axes.set_xlabel("Time (s)")
    axes.set_xlim(*(between or (0.0, None)))
    return finish(figure, axes, own=own)


def _written(figure: Figure, stem: str | Path, title: str) -> list[Path]:
    with _style():
        return write(figure, Path(stem), title)
