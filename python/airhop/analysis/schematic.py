"""Arrangement of nodes and links on a grid, for drawings of networks without positions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from airhop.analysis.topology import RadioLink, Topology, cell_rate, each_way, radio_links, rate


@dataclass(frozen=True)
class Line:
    """Link between two nodes."""

    name: str
    ends: tuple[str, str]
    speed: str
    """Rate of the link, and the delay if there is any."""
    wireless: bool = False
    notes: tuple[str, ...] = ()
    """ARQ and error model of each direction of a radio link."""


@dataclass(frozen=True)
class Schematic:
    """Nodes on a grid."""

    places: Mapping[str, tuple[int, int]]
    """Column and row of each node. Columns follow the paths of the flows; rows are counted downwards."""
    lines: tuple[Line, ...]

    @property
    def columns(self) -> int:
        """Number of columns."""
        return 1 + max((column for column, _ in self.places.values()), default=0)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return 1 + max((row for _, row in self.places.values()), default=0)


def schematic(network: Mapping[str, Any], topology: Topology) -> Schematic:
    """Arrange the links of a scenario along the paths of the flows.

    A cell is drawn only with the hops in use. A node on several paths is placed by the first path. A node on
    no path is placed beside a neighbour.
    """
    lines = (*_wired(network), *map(_radio, radio_links(network)), *_cells(network, topology))
    columns = _columns(lines, topology.ways)
    first = min(columns.values(), default=0)
    heights: dict[int, int] = defaultdict(int)
    places = {}
    for node, column in columns.items():
        places[node] = column - first, heights[column]
        heights[column] += 1
    return Schematic(places, lines)


def _wired(network: Mapping[str, Any]) -> Iterator[Line]:
    for table in network.get("wired", ()):
        speed = f"{rate(table)}, {each_way(table['delay'])}"
        yield Line(table["name"], tuple(table["ends"]), speed)


def _radio(link: RadioLink) -> Line:
    (a, b), (there, back) = link.ends, link.arq
    arq = (f"{a} ⇄ {b}: {there}",) if there == back else (f"{a} → {b}: {there}", f"{b} → {a}: {back}")
    errors = (link.errors,) if link.errors else ()
    return Line(link.name, link.ends, f"{link.rate}, {link.delay}", wireless=True, notes=(*arq, *errors))


def _cells(network: Mapping[str, Any], topology: Topology) -> Iterator[Line]:
    hops = dict.fromkeys((min(hop), max(hop)) for way in topology.ways.values() for hop in pairwise(way))
    for table, cell in zip(network.get("wlan", ()), topology.cells, strict=True):
        for a, b in hops:
            if b in cell.hearers.get(a, ()):
                yield Line(cell.name, (a, b), cell_rate(table), wireless=True)


def _columns(lines: Sequence[Line], ways: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return the column of each node: consecutive along a path, otherwise beside a neighbour."""
    columns: dict[str, int] = {}
    for way in ways.values():
        shift = next((columns[node] - i for i, node in enumerate(way) if node in columns), 0)
        for i, node in enumerate(way):
            columns.setdefault(node, i + shift)
    left = [line.ends for line in lines]
    while left:
        reached = next((ends for ends in left if columns.keys() & set(ends)), left[0])
        left.remove(reached)
        a, b = reached[::-1] if reached[1] in columns else reached
        columns.setdefault(b, columns.setdefault(a, 0) + 1)
    return columns
