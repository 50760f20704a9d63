"""Printed sequence graph as in Kounavis 1996: frames delivered and lost on the receiver's radio interface.

The horizontal axis is time, and the vertical axis the segment number modulo 90, so that minutes of a run fit
on a page. Each mark is a frame on the last wireless hop. Fades are shaded, and the sender's timeouts are
marked on the upper edge.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.analysis.arrivals import MODULO, arrivals, last_hop, ticks
from airhop.errors import InputError
from airhop.plots.fading import ALARM, ends, mark_timeouts, shade_fades, uncrowded, wide_page
from airhop.plots.paper import PRINT_STYLE, legend, write
from airhop.plots.traces import Span, chosen_flow

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from matplotlib.figure import Figure

    from airhop.results import Result

LOOKS: dict[tuple[bool, bool], tuple[str, dict[str, Any]]] = {
    (True, False): ("delivered", {"marker": "o", "markersize": 1.8, "color": "0.0", "markeredgewidth": 0}),
    (False, False): ("dropped", {"marker": "x", "markersize": 3.2, "color": ALARM, "markeredgewidth": 0.6}),
    (True, True): (
        "sent again by the source: delivered",
        {"marker": "^", "markersize": 4.2, "color": "#0096d2", "markeredgewidth": 0},
    ),
    (False, True): (
        "sent again: dropped",
        {"marker": "1", "markersize": 4.5, "color": ALARM, "markeredgewidth": 0.8},
    ),
}
"""Styles of frames in drawing order. The two flags of a key: the frame was delivered, and the frame carries a
retransmission of the source.
"""


def draw_arrivals(
    result: Result,
    stem: str | Path,
    *,
    flow: str | None = None,
    place: str | None = None,
    modulo: int = MODULO,
    between: Span = None,
) -> list[Path]:
    """Draw the sequence graph of a traced run (see `sequence_graph`).

    Parameters
    ----------
    result
        The result of a run with `trace=True`.
    stem
        Path of the files, without a suffix.
    flow
        Name of a flow; by default the TCP flow with the most delivered bytes.
    place
        Hop, such as `bs->m`; by default the last wireless hop.
    modulo
        Modulus of the drawn segment numbers.
    between
        Two times in simulated seconds; None draws the whole run.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When no data can be drawn.
    """
    import matplotlib as mpl

    name = chosen_flow(result, flow)
    since, until = between or (0.0, float(result.document["duration_s"]))
    with mpl.rc_context(PRINT_STYLE):
        drawn = sequence_graph(result.tables, name, place=place, modulo=modulo, since=since, until=until)
        return write(drawn, Path(stem), f"Segments of {name} at the receiver's air interface")


def sequence_graph(
    tables: Mapping[str, pl.DataFrame],
    flow: str,
    *,
    place: str | None = None,
    modulo: int = MODULO,
    since: float = 0.0,
    until: float | None = None,
) -> Figure:
    """Draw the segments that crossed a wireless hop: a mark per frame, time against number modulo `modulo`.

    `tables` are the trace tables of a run, and `flow` is the name of a TCP flow. `place` is a hop such as
    `bs->m`, by default the last wireless hop of the flow. The time axis is from `since` to `until`, in
    seconds. Without `until`, the axis ends with the trace. Call this function inside `PRINT_STYLE`. Raises
    InputError if no data of the flow crossed the hop, for a trace without table `air`, and for a modulus
    below 2.
    """
    if modulo < 2:
        raise InputError(f"segments are numbered modulo {modulo}; expected 2 or more")
    place = place or last_hop(tables, flow)
    rows = arrivals(tables, flow, place=place, modulo=modulo)
    first, last = ends(tables, since, until)
    rows = rows.filter(rows["time_s"].is_between(first, last))
    again = rows["copy"] > 1
    figure, (axes,) = wide_page()
    for (delivered, repeated), (text, look) in LOOKS.items():
        shown = rows.filter((rows["delivered"] == delivered) & (again == repeated))
        if shown.height:
            if delivered and not repeated:
                look = look | {"markersize": uncrowded(look["markersize"], shown.height)}
            axes.plot(shown["time_s"], shown["number"], linestyle="none", label=text, **look)
    shade_fades([axes], tables, place)
    mark_timeouts(axes, tables, flow, first, last)
    axes.set_xlim(first, last)
    axes.set_ylim(-0.04 * modulo, modulo)
    axes.set_yticks(ticks(modulo))
    axes.set_xlabel("Time (s)")
    axes.set_ylabel(f"Segment number mod {modulo}")
    legend(figure, most_columns=7)
    return figure
