"""Printed figure of round-trip times: measured per segment, estimated by the sender, and with notices."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.analysis.round_trips import round_trips, timely_notices
from airhop.plots.fading import ALARM, EDGE_MARK, ends, mark_timeouts, shade_fades, uncrowded, wide_page
from airhop.plots.paper import PRINT_STYLE, legend, write
from airhop.plots.traces import Span, chosen_flow

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.results import Result

MILLI = 1e-3
ROW_IN = 0.22
"""Height in inches of the row of a kind of notice."""
NOTICE_LOOKS: dict[bool, tuple[str, dict[str, Any]]] = {
    False: ("notice in time", {"marker": "|", "color": "0.0", "markersize": 6.0}),
    True: ("notice late", {"marker": "x", "color": ALARM, "markersize": 3.5}),
}
"""Styles of notices. The key is True if the notice came after the RTO expiry that it should have prevented.
"""


def draw_round_trips(
    result: Result, stem: str | Path, *, flow: str | None = None, between: Span = None
) -> list[Path]:
    """Draw the round trips of a traced run (see `round_trip_graph`).

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
        If the flow does not exist.
    """
    import matplotlib as mpl

    name = chosen_flow(result, flow)
    since, until = between or (0.0, float(result.document["duration_s"]))
    with mpl.rc_context(PRINT_STYLE):
        drawn = round_trip_graph(result.tables, name, since=since, until=until)
        return write(drawn, Path(stem), f"Round trips of {name}")


def round_trip_graph(
    tables: Mapping[str, pl.DataFrame], flow: str, *, since: float = 0.0, until: float | None = None
) -> Figure:
    """Draw the true round-trip time of each segment, the sender's estimate and its timeout.

    A round-trip time lasts from the last transmission of the segment to the ACK that covers it, and is drawn
    at the time of the ACK. The mark is hollow if the segment was retransmitted, because the sender must not
    use such a sample. Below the graph, notices that came before the RTO expiry that they should have
    prevented have another mark than late notices. Expiries are marked at the upper edge, and fades of all
    links are shaded.

    `tables` are the trace tables of a run, and `flow` is the name of a TCP flow. The time axis is from
    `since` to `until`, in seconds. Without `until`, the axis ends with the trace. Call this function inside
    `PRINT_STYLE`.
    """
    from matplotlib.ticker import LogLocator, NullLocator

    first, last = ends(tables, since, until)
    notices = timely_notices(tables, flow)
    notices = notices.filter(notices["time_s"].is_between(first, last))
    figure, made = wide_page(strip=ROW_IN * notices["kind"].n_unique())
    _draw_trips(made[0], tables, flow, first, last)
    _draw_timer(made[0], tables, flow, last)
    mark_timeouts(made[0], tables, flow, first, last)
    made[0].set_yscale("log")
    made[0].yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    made[0].yaxis.set_major_formatter("{x:g}")
    made[0].yaxis.set_minor_locator(NullLocator())
    made[0].set_ylabel("Round-trip time (s)")
    if len(made) > 1:
        _draw_notices(made[1], notices)
    shade_fades(made, tables)
    made[-1].set_xlim(first, last)
    made[-1].set_xlabel("Time (s)")
    legend(figure, most_columns=7)
    return figure


def _draw_trips(axes: Axes, tables: Mapping[str, pl.DataFrame], flow: str, first: float, last: float) -> None:
    """Draw a dot per segment, hollow if the segment was retransmitted."""
    trips = round_trips(tables, flow)
    trips = trips.filter(trips["time_s"].is_between(first, last))
    for again, face, text in ((False, "0.45", "round trip"), (True, "white", "sent more than once")):
        shown = trips.filter((trips["sendings"] > 1) == again)
        if shown.height:
            axes.plot(
                shown["time_s"],
                MILLI * shown["rtt_ms"],
                "o",
                color="0.45",
                markersize=2.6 if again else uncrowded(2.2, shown.height),
                markerfacecolor=face,
                markeredgewidth=0.6 if again else 0.0,
                zorder=3,
                label=text,
            )


def _draw_timer(axes: Axes, tables: Mapping[str, pl.DataFrame], flow: str, last: float) -> None:
    """Draw the sender's estimate and its timeout as steps, from the first sample on."""
    window = tables["window"].filter(tables["window"]["flow"] == flow)
    looks: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("srtt_ms", "estimate (srtt)", {"color": "#0096d2", "linewidth": 1.2}),
        ("rto_ms", "retransmission timeout", {"color": "0.0", "linewidth": 0.8, "linestyle": (0, (4, 1.5))}),
    )
    for column, text, look in looks:
        known = window.filter(window[column].is_finite() & (window[column] > 0))
        if known.height:
            times, values = known["time_s"].to_list(), (MILLI * known[column]).to_list()
            held = [*times, max(last, times[-1])], [*values, values[-1]]
            axes.plot(*held, drawstyle="steps-post", label=text, zorder=2.5, **look)


def _draw_notices(axes: Axes, notices: pl.DataFrame) -> None:
    """Draw a row of marks for each kind of notice."""
    kinds = notices["kind"].unique().sort().to_list()
    for late, (text, look) in NOTICE_LOOKS.items():
        shown = notices.filter(notices["late"] == late)
        if shown.height:
            rows = [kinds.index(kind) for kind in shown["kind"]]
            axes.plot(shown["time_s"], rows, label=text, **EDGE_MARK | look)
    axes.set_ylim(len(kinds) - 0.5, -0.5)
    axes.set_yticks(range(len(kinds)), [kind.upper() for kind in kinds])
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
