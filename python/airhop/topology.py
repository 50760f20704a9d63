"""Where the stations of a scenario stand, who hears and who senses whom, and the ways of its flows.

Everything is read from the effective scenario as plain data (`Scenario.to_dict`); what is drawn for each
replication, from a traced run of it. Places and ranges are metres.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from airhop.scenario import Scenario

LIGHT_M_PER_S = 299_792_458.0
_METRES = {"m": 1.0, "km": 1000.0}
_HERTZ = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_DBM = {"dBm": 1.0}


@dataclass(frozen=True)
class Cell:
    """One wireless channel: its stations, and how far they are heard."""

    name: str
    places: Mapping[str, tuple[float, float]]
    """By station, in the order of the scenario."""
    receive: float
    """Frames can be received up to here; infinite where all hear all."""
    sense: float
    """The medium is sensed busy up to here."""

    @property
    def limited(self) -> bool:
        """Whether some stations may be out of each other's reach."""
        return math.isfinite(self.receive)

    def distance(self, a: str, b: str) -> float:
        """Give the distance between two stations."""
        return math.dist(self.places[a], self.places[b])

    @cached_property
    def hearers(self) -> dict[str, list[str]]:
        """List by station those that can receive its frames, in the order of the scenario."""
        return self._within(0.0, self.receive)

    @cached_property
    def sensers(self) -> dict[str, list[str]]:
        """List by station those that sense its frames and cannot receive them."""
        return self._within(self.receive, self.sense)

    def _within(self, beyond: float, reach: float) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in self.places}
        for a, b in combinations(self.places, 2):
            if (self.distance(a, b) > beyond or not beyond) and self.distance(a, b) <= reach:
                found[a].append(b)
                found[b].append(a)
        rank = {name: place for place, name in enumerate(self.places)}
        return {name: sorted(others, key=rank.__getitem__) for name, others in found.items()}

    @property
    def links(self) -> Iterator[tuple[str, str]]:
        """Pairs of stations that can receive each other's frames, each once."""
        rank = {name: place for place, name in enumerate(self.places)}
        return ((a, b) for a, others in self.hearers.items() for b in others if rank[a] < rank[b])


@dataclass(frozen=True)
class Topology:
    """The wireless channels of a scenario in one replication, and the ways of its flows."""

    cells: list[Cell]
    ways: dict[str, list[str]]
    """Nodes of the way of every flow by its name (see `routes`)."""

    @classmethod
    def of(cls, scenario: Scenario, *, seed: int = 1, rep: int = 0) -> Topology:
        """Find out where stations and ends of flows are in this replication."""
        from airhop.simulate import run

        # Places are drawn before anything happens: the shortest of runs has them.
        starts = {f"flow.{flow['name']}.start": "0 s" for flow in scenario.to_dict()["flow"]}
        instant = scenario.with_({"warmup": "0 s", **starts, "duration": "1 us"})
        result = run(instant, seed=seed, rep=rep, trace=True)
        return cls.of_run(scenario.to_dict(), result.document, result.tables)

    @classmethod
    def of_run(
        cls, network: Mapping[str, Any], document: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
    ) -> Topology:
        """Take those of a traced run: its scenario as plain data, its run document and its trace tables."""
        channels = cells(network, tables)
        return cls(channels, routes(network, channels, document["flows"]))


def cells(network: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> list[Cell]:
    """List the wireless channels of an effective scenario, with the places that a traced run of it drew."""
    return [_cell(table, tables) for table in network.get("wlan", ())]


def _cell(table: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Cell:
    receive, sense = _ranges(table)
    places = table["stations"] if "stations" in table else _drawn(table["name"], tables["stations"])
    return Cell(
        table["name"], {name: (float(x), float(y)) for name, (x, y) in places.items()}, receive, sense
    )


def _drawn(cell: str, stations: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Take the places of a layout's stations from the trace table `stations`."""
    rows = stations.filter(stations["wlan"].cast(str) == cell).select("station", "x_m", "y_m").iter_rows()
    return {station: (x, y) for station, x, y in rows}


def _ranges(table: Mapping[str, Any]) -> tuple[float, float]:
    """Give receive and sense range in metres; both are infinite where all hear all."""
    if "range" in table:
        return _quantity(table["range"]["receive"], _METRES), _quantity(table["range"]["sense"], _METRES)
    if "propagation" in table:
        law = table["propagation"]
        return _reach(law, law["receive"]), _reach(law, law["sense"])
    return math.inf, math.inf


def _reach(law: Mapping[str, Any], threshold: str) -> float:
    """Give the distance at which the received power falls to the threshold; antennas without gain."""
    loss = 10.0 ** ((_quantity(law["power"], _DBM) - _quantity(threshold, _DBM)) / 10.0)
    wave = LIGHT_M_PER_S / _quantity(law["frequency"], _HERTZ)
    free = wave / (4.0 * math.pi) * math.sqrt(loss)  # Friis 1946
    if law["model"] == "free-space":
        return free
    height = _quantity(law["height"], _METRES)
    # Beyond the crossover the ray that the ground reflects takes away two more powers of the distance
    # (Rappaport 2002, §4.6).
    crossover = 4.0 * math.pi * height**2 / wave
    return free if free <= crossover else height * loss**0.25


def _quantity(text: str, units: Mapping[str, float]) -> float:
    value, unit = text.split()
    return float(value) * units[unit]


def routes(
    network: Mapping[str, Any], channels: Sequence[Cell], flows: Iterable[Mapping[str, Any]]
) -> dict[str, list[str]]:
    """Give the nodes of the way of every flow: fewest hops, ties to the name that comes first.

    It is the way that static routing takes; a routing protocol may find another one. `flows` are those of a
    run document, with their ends in `from` and `to`. Flows without a way have none here.
    """
    neighbours = _neighbours(network, channels)
    ways = {flow["name"]: _way(neighbours, flow["from"], flow["to"]) for flow in flows}
    return {name: way for name, way in ways.items() if way}


def _neighbours(network: Mapping[str, Any], channels: Sequence[Cell]) -> dict[str, set[str]]:
    wires = (link["ends"] for kind in ("wired", "radio") for link in network.get(kind, ()))
    found: dict[str, set[str]] = {}
    for a, b in chain(wires, *(cell.links for cell in channels)):
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return found


def _way(neighbours: Mapping[str, set[str]], start: str, end: str) -> list[str]:
    """Search from the destination outwards, as the simulator does."""
    hops, frontier = {end: 0}, deque([end])
    while frontier:
        node = frontier.popleft()
        for other in neighbours.get(node, ()):
            if other not in hops:
                hops[other] = hops[node] + 1
                frontier.append(other)
    if start not in hops:
        return []
    way = [start]
    while way[-1] != end:
        here = way[-1]
        way.append(min(node for node in neighbours[here] if hops.get(node) == hops[here] - 1))
    return way
