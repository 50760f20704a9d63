"""Printed drawing of a scenario's stations, with links in range and the routes of flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.analysis.schematic import schematic
from airhop.analysis.topology import Cell, Topology
from airhop.errors import InputError, did_you_mean
from airhop.plots.paper import COLUMN_WIDTH_IN, PRINT_STYLE, legend, new_figure, write
from airhop.plots.schematic import schematic_figure
from airhop.plots.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airhop.scenario import Scenario

LEAST_IN, MOST_IN = 0.9, 6.0
"""Minimum and maximum height in inches of the axes."""
BESIDE_IN, MARGINS_IN = 0.6, 0.75
"""Margins in inches beside the axes, and above and below the axes."""
MOST_NAMES = 60
"""Maximum number of stations that all have names. With more stations, only ends of flows and stations with
drawn ranges have names.
"""
MOST_WAYS = 8
"""Maximum number of flows with different styles. With more flows, all paths have the same style."""
FEW_RINGS = 2
ALL = "all"
"""Value of `around` that selects all stations."""


def draw_topology(
    scenario: Scenario,
    stem: str | Path,
    *,
    cell: str | None = None,
    around: Sequence[str] = (),
    seed: int = 1,
    rep: int = 0,
) -> list[Path]:
    """Draw the stations of a wlan in metres, with the links within receive range and the paths of flows.

    Nodes have no positions in a network with radio links, or without a wlan. The nodes are then drawn in
    columns, with the properties of each link, unless `cell` or `around` is given. Paths are those of static
    routing, with the fewest hops.

    Parameters
    ----------
    scenario
        Scenario with the network.
    stem
        Path of the files, without a suffix.
    cell
        Name of a `[[wlan]]`; by default the first.
    around
        Stations whose receive range (solid) and sense range (dashed) are drawn, or `["all"]`; by default
        the first sender in the cell.
    seed, rep
        Seed and replication of random positions and ends; both from 0 to 2**63 - 1.

    Returns
    -------
    list[Path]
        `stem.pdf`, `stem.svg` and `stem.png`, which are replaced if they exist.

    Raises
    ------
    InputError
        When a cell or a station does not exist.
    """
    import matplotlib as mpl

    network, topology = scenario.to_dict(), drawn_topology(scenario, seed=seed, rep=rep)
    title = f"Topology of {scenario.name}"
    if not topology.cells or (network.get("radio") and cell is None and not around):
        with mpl.rc_context(PRINT_STYLE):
            return write(schematic_figure(schematic(network, topology)), Path(stem), title)
    drawn = _chosen(topology.cells, cell)
    ringed = _stations_with_ranges(drawn, around, topology.ways)
    with mpl.rc_context(PRINT_STYLE):
        return write(topology_figure(drawn, topology.ways, ringed), Path(stem), title)


def drawn_topology(scenario: Scenario, *, seed: int = 1, rep: int = 0) -> Topology:
    """Return the positions of stations and the ends of flows in this replication."""
    from airhop.simulate import run

    # A very short run suffices, because random positions are drawn before the first event.
    starts = {f"flow.{flow['name']}.start": "0 s" for flow in scenario.to_dict()["flow"]}
    instant = scenario.with_({"warmup": "0 s", **starts, "duration": "1 us"})
    result = run(instant, seed=seed, rep=rep, trace=True)
    return Topology.of_run(scenario.to_dict(), result.document, result.tables)


def _chosen(cells: Sequence[Cell], wanted: str | None) -> Cell:
    names = [cell.name for cell in cells]
    if wanted is not None and wanted not in names:
        raise InputError(
            f"there is no wlan `{wanted}`.{did_you_mean(wanted, names)} There are: {', '.join(names)}."
        )
    return cells[names.index(wanted) if wanted is not None else 0]


def _stations_with_ranges(cell: Cell, around: Sequence[str], ways: Mapping[str, Sequence[str]]) -> list[str]:
    """Choose the stations whose ranges are drawn."""
    if list(around) == [ALL]:
        return list(cell.places)
    for name in around:
        if name not in cell.places:
            raise InputError(
                f"there is no station `{name}` in `{cell.name}`.{did_you_mean(name, cell.places)}"
            )
    senders = (node for way in ways.values() for node in way[:-1] if node in cell.places)
    return list(around) or [next(senders, next(iter(cell.places)))]


def topology_figure(cell: Cell, ways: Mapping[str, Sequence[str]], ringed: Sequence[str]) -> Figure:
    """Draw a cell with paths and the ranges of some stations; call it inside PRINT_STYLE."""
    (left, right), (low, high) = extent(cell, ringed)
    height = (COLUMN_WIDTH_IN - BESIDE_IN) * (high - low) / (right - left)
    figure = new_figure(COLUMN_WIDTH_IN, min(max(height, LEAST_IN), MOST_IN) + MARGINS_IN)
    axes = figure.subplots()
    axes.set_aspect("equal")
    _draw_links(axes, cell)
    _draw_ranges(axes, cell, ringed)
    _draw_paths(axes, cell, ways)
    _draw_stations(axes, cell, ways, ringed)
    axes.set_xlim(left, right)
    axes.set_ylim(low, high)
    axes.set_xlabel("x (m)")
    axes.set_ylabel("y (m)")
    legend(figure)
    return figure


def extent(cell: Cell, ringed: Iterable[str]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return limits of both axes that include all stations and all ranges, with a margin."""
    rings = dict.fromkeys(ringed, cell.sense) if cell.limited else {}
    ends = []
    for axis in (0, 1):
        low = min(place[axis] - rings.get(name, 0.0) for name, place in cell.places.items())
        high = max(place[axis] + rings.get(name, 0.0) for name, place in cell.places.items())
        ends.append((low, high))
    margin = 0.06 * max(*(high - low for low, high in ends), 1.0)
    (left, right), (low, high) = ends
    return (left - margin, right + margin), (low - margin, high + margin)


def _draw_links(axes: Axes, cell: Cell) -> None:
    from matplotlib.collections import LineCollection

    if cell.limited:
        links = [(cell.places[a], cell.places[b]) for a, b in cell.links]
        axes.add_collection(
            LineCollection(links, color="0.8", linewidth=0.4, label="in receive range", zorder=1)
        )


def _draw_ranges(axes: Axes, cell: Cell, ringed: Sequence[str]) -> None:
    """Draw receive and sense ranges as circles, fainter if there are many."""
    from matplotlib.patches import Circle

    if not cell.limited:
        return
    of = f" of {ringed[0]}" if len(ringed) == 1 else ""
    for radius, line, text in (
        (cell.receive, "-", "receive range"),
        (cell.sense, (0, (4, 2)), "sense range"),
    ):
        look: dict[str, Any] = {"linestyle": line, "linewidth": 0.7, "color": "0.35"}
        faint = 1.0 if len(ringed) <= FEW_RINGS else 0.35
        for name in ringed:
            axes.add_patch(Circle(cell.places[name], radius, fill=False, alpha=faint, **look))
        axes.plot([], [], label=text + of, **look)


def _draw_paths(axes: Axes, cell: Cell, ways: Mapping[str, Sequence[str]]) -> None:
    """Draw the hops of each flow in this cell, as arrows beside each other."""
    alike = len(ways) > MOST_WAYS
    for number, (name, way) in enumerate(ways.items()):
        style = PALETTE[number + 1]
        look: dict[str, Any] = {
            "color": "black" if alike else style.color,
            "linewidth": 0.8 if alike else 1.3,
        }
        hops = [(a, b) for a, b in pairwise(way) if a in cell.places and b in cell.places]
        for a, b in hops:
            arrow = {
                "arrowstyle": "-|>,head_width=0.16,head_length=0.32",
                "connectionstyle": f"arc3,rad={0.0 if alike else bend(number)}",
                "shrinkA": 3.0,
                "shrinkB": 3.0,
            }
            axes.annotate("", cell.places[b], cell.places[a], arrowprops=arrow | look, zorder=3)
        if hops and not (alike and number):
            text = "ways of flows" if alike else f"{name}: {len(hops)} {'hop' if len(hops) == 1 else 'hops'}"
            axes.plot([], [], "-", label=text, **look)


def bend(number: int) -> float:
    """Return the bend of a flow's arrows: 0 for the first flow, then alternately to each side."""
    return 0.12 * ((number + 1) // 2) * (1 if number % 2 == 0 else -1)


def _draw_stations(axes: Axes, cell: Cell, ways: Mapping[str, Sequence[str]], ringed: Sequence[str]) -> None:
    """Draw the stations, filled on the path of a flow and open elsewhere, with names if there is space."""
    from matplotlib.patheffects import withStroke

    on_way = {node for way in ways.values() for node in way}
    few = len(cell.places) <= MOST_NAMES
    named = set(cell.places) if few else {*ringed, *(way[end] for way in ways.values() for end in (0, -1))}
    for filled in (False, True):
        places = [place for name, place in cell.places.items() if (name in on_way) == filled]
        look: dict[str, Any] = {"color": "black", "markeredgewidth": 0.6, "markersize": 4.0 if few else 2.0}
        xs, ys = zip(*places, strict=True) if places else ((), ())
        axes.plot(xs, ys, "o", zorder=4, markerfacecolor="black" if filled else "white", **look)
    for name, place in cell.places.items():
        if name in named:
            text = axes.annotate(
                name, place, xytext=(0, 4.5), textcoords="offset points", ha="center", fontsize=7.5
            )
            text.set(path_effects=[withStroke(linewidth=1.5, foreground="white")], zorder=5)
