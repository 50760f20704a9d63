"""Drawing of the topology of a traced run; the page shows a station's ranges when the pointer is on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from airhop.analysis.topology import Cell, cells, routes
from airhop.plots.style import PALETTE
from airhop.plots.topology import MOST_NAMES, MOST_WAYS, bend, extent

if TYPE_CHECKING:
    from airhop.report.packets.traced import TracedRun

WIDTH_PX, MOST_HEIGHT_PX = 720.0, 560.0
BAR_SHARE = 0.2
"""Minimum length of the scale bar, as a share of the drawing's width."""
GREY = "#7d8794"


@dataclass(frozen=True)
class Plan:
    """Drawing of a cell, with the paths of flows in it."""

    cell: Cell
    drawing: Markup
    ways: list[tuple[str, str, int]]
    """Name, colour and number of hops of each flow with a path in the cell."""


def plans(run: TracedRun) -> list[Plan]:
    """Draw those cells of a run that have stations out of range of each other."""
    channels = cells(run.network, run.tables)
    limited = [cell for cell in channels if cell.limited]
    if not limited:  # avoids the search for the flows' paths, which takes long for many flows
        return []
    ways = routes(run.network, channels, run.document["flows"])
    return [_plan(cell, ways) for cell in limited]


def _plan(cell: Cell, ways: Mapping[str, Sequence[str]]) -> Plan:
    through = {
        name: [(a, b) for a, b in pairwise(way) if a in cell.places and b in cell.places]
        for name, way in ways.items()
    }
    through = {name: hops for name, hops in through.items() if hops}
    named = [
        (name, _color(number, len(through)), len(hops)) for number, (name, hops) in enumerate(through.items())
    ]
    return Plan(cell, _draw(cell, through), named)


def _color(number: int, count: int) -> str:
    return PALETTE[number + 1].color if count <= MOST_WAYS else GREY


def _draw(cell: Cell, ways: Mapping[str, Sequence[tuple[str, str]]]) -> Markup:
    first = next((hops[0][0] for hops in ways.values()), next(iter(cell.places)))
    (left, right), (low, high) = extent(cell, cell.places)
    scale = min(WIDTH_PX / (right - left), MOST_HEIGHT_PX / (high - low))
    width, height = scale * (right - left), scale * (high - low)
    # The y axis of the scenario points up, the y axis of a screen down.
    at = {name: (scale * (x - left), scale * (high - y)) for name, (x, y) in cell.places.items()}
    ends = {end for hops in ways.values() for end in (hops[0][0], hops[-1][1])}
    on_way = {node for hops in ways.values() for hop in hops for node in hop}
    named = set(cell.places) if len(cell.places) <= MOST_NAMES else ends
    parts = [
        _element("path", {"class": "links", "d": " ".join(_line(at[a], at[b]) for a, b in cell.links)}),
        *_paths(ways, at),
        *(_station(cell, name, at[name], scale, name == first, name in on_way, name in named) for name in at),
        _bar(scale, width, height),
    ]
    head = Markup(
        '<svg class="plan" viewBox="0 0 {:.0f} {:.0f}" style="max-width: {:.0f}px" role="img" '
    ) + Markup('aria-label="{} stations of {} at their places; receive range {:g} m, sense range {:g} m">')
    told = (width, height, width, len(cell.places), cell.name, round(cell.receive, 1), round(cell.sense, 1))
    return head.format(*told) + Markup("").join(parts) + Markup("</svg>")


def _paths(
    ways: Mapping[str, Sequence[tuple[str, str]]], at: Mapping[str, tuple[float, float]]
) -> list[Markup]:
    """Draw an arc with a head for each hop; arcs of several flows are side by side."""
    found = []
    for number, hops in enumerate(ways.values()):
        color, bent = _color(number, len(ways)), 0.0 if len(ways) > MOST_WAYS else bend(number)
        for a, b in hops:
            found.append(_arc(at[a], at[b], bent, color))
    return found


def _arc(start: tuple[float, float], end: tuple[float, float], bent: float, color: str) -> Markup:
    (x0, y0), (x1, y1) = start, end
    # Control point of the curve, beside the middle; the arrow head is at the dot.
    x, y = (x0 + x1) / 2 - bent * (y1 - y0), (y0 + y1) / 2 + bent * (x1 - x0)
    length = max(((x1 - x) ** 2 + (y1 - y) ** 2) ** 0.5, 1e-9)
    ux, uy = (x1 - x) / length, (y1 - y) / length
    tip, base = (x1 - 6 * ux, y1 - 6 * uy), (x1 - 14 * ux, y1 - 14 * uy)
    curve = f"M{x0:.1f} {y0:.1f}Q{x:.1f} {y:.1f} {base[0]:.1f} {base[1]:.1f}"
    corners = [tip, (base[0] - 4 * uy, base[1] + 4 * ux), (base[0] + 4 * uy, base[1] - 4 * ux)]
    head = "M" + "L".join(f"{px:.1f} {py:.1f}" for px, py in corners) + "z"
    return _element("path", {"class": "way", "d": curve, "stroke": color}) + _element(
        "path", {"d": head, "fill": color}
    )


def _station(
    cell: Cell, name: str, at: tuple[float, float], scale: float, first: bool, on_way: bool, named: bool
) -> Markup:
    """Draw a station.

    Its range circles appear on hover, and those of the first station always.
    """
    x, y = (f"{value:.1f}" for value in at)
    metres = cell.places[name]
    told = f"{name} at ({metres[0]:.6g} m, {metres[1]:.6g} m)"
    for verb, others in (("heard by", cell.hearers[name]), ("only sensed by", cell.sensers[name])):
        told += f"\n{verb} {', '.join(others) or 'nobody'}"
    rings = [
        _element("circle", {"class": f"ring {kind}", "cx": x, "cy": y, "r": f"{scale * radius:.1f}"})
        for kind, radius in (("receive", cell.receive), ("sense", cell.sense))
    ]
    dot = _element("circle", {"class": "dot on-way" if on_way else "dot", "cx": x, "cy": y, "r": "5"})
    label = Markup('<text x="{}" y="{:.1f}">{}</text>').format(x, at[1] - 9, name) if named else Markup("")
    begin = Markup('<g class="station{}" tabindex="0"><title>{}</title>').format(
        " first" if first else "", told
    )
    return begin + Markup("").join(rings) + dot + label + Markup("</g>")


def _bar(scale: float, width: float, height: float) -> Markup:
    """Draw the scale bar, a round number of metres long, at the lower left."""
    least = BAR_SHARE * width / scale
    decade = 10.0 ** len(str(int(least))) / 10
    metres = next(step * decade for step in (1, 2, 5, 10) if step * decade >= least)
    y = height - 8
    line = f"M8 {y - 4:.1f}v4h{scale * metres:.1f}v-4"
    return _element("path", {"class": "scale", "d": line}) + Markup(
        '<text class="scale" x="12" y="{:.1f}">{:g} m</text>'
    ).format(y - 5, metres)


def _line(a: tuple[float, float], b: tuple[float, float]) -> str:
    return f"M{a[0]:.1f} {a[1]:.1f}L{b[0]:.1f} {b[1]:.1f}"


def _element(name: str, attributes: Mapping[str, Any]) -> Markup:
    written = Markup("").join(Markup(' {}="{}"').format(*pair) for pair in attributes.items())
    return Markup("<{}{}/>").format(Markup(name), written)
