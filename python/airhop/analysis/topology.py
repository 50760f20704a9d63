"""Positions of a scenario's stations, receive and carrier-sense ranges, and routes of its flows.

The functions read the effective scenario as plain data (`Scenario.to_dict`). Values drawn per replication
come from a traced run. Positions and ranges are in metres.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

LIGHT_M_PER_S = 299_792_458.0
_METRES = {"m": 1.0, "km": 1000.0}
_HERTZ = {"Hz": 1.0, "kHz": 1e3, "MHz": 1e6, "GHz": 1e9}
_DBM = {"dBm": 1.0}
_ERRORS = {
    "direction": "of",
    "fer": "FER",
    "ber": "BER",
    "loss": "loss",
    "good": "good",
    "bad": "bad",
    "fer_good": "FER good",
    "fer_bad": "FER bad",
    "ber_good": "BER good",
    "ber_bad": "BER bad",
    "file": "file",
}
"""Caption of each error model in drawings."""
NO_BREAK = "\u00a0"
BEST_EFFORT = "BE"
"""Access category of packets without a category in the scenario (best effort)."""


@dataclass(frozen=True)
class Cell:
    """Wireless channel with stations and ranges."""

    name: str
    places: Mapping[str, tuple[float, float]]
    """Positions by station, in the order of the scenario."""
    receive: float
    """Receive range; infinite if all stations hear all others."""
    sense: float
    """Sense range."""
    crossover: float = math.inf
    """Crossover distance in metres. Received power falls with the square of the distance up to the crossover,
    and with the fourth power beyond.
    """

    @property
    def stations(self) -> tuple[str, ...]:
        """Names of the stations."""
        return tuple(self.places)

    def power(self, a: str, b: str) -> float:
        """Return the received power of station `a` at station `b`, in an arbitrary unit.

        Distances below a metre count as a metre.
        """
        if not self.limited:
            return 1.0
        square = max(self.distance(a, b), 1.0) ** 2
        return min(self.crossover**2 / square, 1.0) / square

    @property
    def limited(self) -> bool:
        """True if some stations may be out of range of each other."""
        return math.isfinite(self.receive)

    def distance(self, a: str, b: str) -> float:
        """Return the distance between two stations."""
        return math.dist(self.places[a], self.places[b])

    def has(self, sender: str, receiver: str) -> bool:
        """Return whether a hop uses this channel; the receiver of a broadcast is `*`."""
        return sender in self.places and (receiver == "*" or receiver in self.places)

    def queue(self, station: str, category: str = BEST_EFFORT) -> str:
        """Return the trace name of a station's queue: `a->b` with a single neighbour, `a->*` with several.

        For access categories other than best effort, the name ends with the category.
        """
        others = [other for other in self.places if other != station] if len(self.places) == 2 else ["*"]
        name = f"{station}->{others[0]}"
        return name if category == BEST_EFFORT else f"{name} {category}"

    @cached_property
    def hearers(self) -> dict[str, list[str]]:
        """Return the receivers in range of each station, in the order of the scenario."""
        return self._within(0.0, self.receive)

    @cached_property
    def sensers(self) -> dict[str, list[str]]:
        """Return the stations within sense range but not within receive range of each station."""
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
        """Pairs of stations that can receive each other's frames."""
        rank = {name: place for place, name in enumerate(self.places)}
        return ((a, b) for a, others in self.hearers.items() for b in others if rank[a] < rank[b])


@dataclass(frozen=True)
class RadioLink:
    """A point-to-point radio link, with quantities as in the scenario."""

    name: str
    ends: tuple[str, str]
    rate: str
    """Rate, or the file with the trace of delivery opportunities."""
    delay: str
    arq: tuple[str, str]
    """Description of the ARQ for data from each end."""
    errors: str
    """Description of the error models; empty without error models."""

    @property
    def stations(self) -> tuple[str, ...]:
        """Names of the stations."""
        return self.ends

    @property
    def hearers(self) -> dict[str, list[str]]:
        """Return the receivers of each station: only the other end of the link."""
        a, b = self.ends
        return {a: [b], b: [a]}

    @property
    def sensers(self) -> dict[str, list[str]]:
        """Return the stations that only sense the frames of each station; always empty on a radio link."""
        return {station: [] for station in self.ends}

    @property
    def places(self) -> tuple[str, str]:
        """Names of the link's directions, such as `bs->m`."""
        a, b = self.ends
        return f"{a}->{b}", f"{b}->{a}"


@dataclass(frozen=True)
class Topology:
    """The wireless channels of a scenario in one replication, and the paths of its flows."""

    cells: list[Cell]
    ways: dict[str, list[str]]
    """Nodes on the path of each flow, by the flow's name (see `routes`)."""

    @classmethod
    def of_run(
        cls, network: Mapping[str, Any], document: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
    ) -> Topology:
        """Read the positions of a traced run from scenario, run document and trace tables."""
        channels = cells(network, tables)
        return cls(channels, routes(network, channels, document["flows"]))


def cells(network: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> list[Cell]:
    """List the wireless channels of an effective scenario, with the random positions of a traced run."""
    return [_cell(table, tables) for table in network.get("wlan", ())]


def _cell(table: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]) -> Cell:
    places = table["stations"] if "stations" in table else _drawn(table["name"], tables["stations"])
    places = {name: (float(x), float(y)) for name, (x, y) in places.items()}
    return Cell(table["name"], places, *_ranges(table), _crossover(table.get("propagation")))


def _drawn(cell: str, stations: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Select the positions of a layout's stations from the trace table `stations`."""
    rows = stations.filter(stations["wlan"] == cell).select("station", "x_m", "y_m").iter_rows()
    return {station: (x, y) for station, x, y in rows}


def radio_links(network: Mapping[str, Any]) -> list[RadioLink]:
    """List the radio links of an effective scenario."""
    return [
        RadioLink(
            table["name"],
            tuple(table["ends"]),
            rate(table),
            each_way(table["delay"]),
            (_arq(table["arq"]), _arq(table["arq_back"])),
            _errors(table.get("errors")),
        )
        for table in network.get("radio", ())
    ]


def rate(table: Mapping[str, Any]) -> str:
    """Return the rate of a wired or radio link, or the file name of the delivery opportunities."""
    paces: dict[str, str] = {}
    for key in ("rate", "deliveries"):
        value = table.get(key, {})
        ways = value if isinstance(value, Mapping) else {"": value}
        paces |= {way: PurePath(pace).name if key == "deliveries" else pace for way, pace in ways.items()}
    return each_way(paces.get("") or paces)


def cell_rate(table: Mapping[str, Any]) -> str:
    """Return the rate of a cell, or the standard with the MCS and spatial streams."""
    value = table.get("rate", "")
    if not isinstance(value, Mapping):
        return str(value)
    streams = value.get("streams", 1)
    return f"{table['standard']}, MCS {value['mcs']}, {streams} stream{'s' if streams > 1 else ''}"


def each_way(value: str | Mapping[str, str]) -> str:
    """Format the value of a link's key: one value for both directions, or a value for each direction."""
    if isinstance(value, str):
        return value
    return ", ".join(f"{way.replace('->', ' → ')} {one}" for way, one in value.items())


def _arq(table: Mapping[str, Any]) -> str:
    """Format a link's recovery: `go-back-n, window 3`."""
    if table["kind"] == "none":
        return "no ARQ"
    return _listed(
        [
            table["kind"],
            *(f"{name} {table[name]}" for name in ("window", "rounds", "attempts") if name in table),
        ]
    )


def _errors(tables: Any) -> str:
    """Format a link's error models: `two-state, good 10 s, bad 4 s`."""
    models = tables if isinstance(tables, list) else [tables] if tables else []
    return "; ".join(
        _listed(
            [
                model["kind"],
                *(f"{_ERRORS[name]} {_short(name, model[name])}" for name in model if name in _ERRORS),
            ]
        )
        for model in models
    )


def _short(name: str, value: Any) -> str:
    return PurePath(value).name if name == "file" else str(value).replace("e-0", "e-")


def _listed(words: Iterable[str]) -> str:
    """Join words by commas, with non-breaking spaces between a name, its number and the unit."""
    return ", ".join(word.replace(" ", NO_BREAK) for word in words)


def _ranges(table: Mapping[str, Any]) -> tuple[float, float]:
    """Return receive and sense range in metres; both are infinite if all stations hear all others."""
    if "range" in table:
        return _quantity(table["range"]["receive"], _METRES), _quantity(table["range"]["sense"], _METRES)
    if "propagation" in table:
        law = table["propagation"]
        return _range_at(law, law["receive"]), _range_at(law, law["sense"])
    return math.inf, math.inf


def _range_at(law: Mapping[str, Any], threshold: str) -> float:
    """Return the distance at which the received power falls to the threshold, for antennas of gain 1."""
    loss = 10.0 ** ((_quantity(law["power"], _DBM) - _quantity(threshold, _DBM)) / 10.0)
    free = _wavelength(law) / (4.0 * math.pi) * math.sqrt(loss)  # Friis 1946
    return free if free <= _crossover(law) else _quantity(law["height"], _METRES) * loss**0.25


def _crossover(law: Mapping[str, Any] | None) -> float:
    """Return the crossover distance of the two-ray ground model (Rappaport 2002, §4.6)."""
    if law is None or law["model"] == "free-space":
        return math.inf
    return 4.0 * math.pi * _quantity(law["height"], _METRES) ** 2 / _wavelength(law)


def _wavelength(law: Mapping[str, Any]) -> float:
    return LIGHT_M_PER_S / _quantity(law["frequency"], _HERTZ)


def _quantity(text: str, units: Mapping[str, float]) -> float:
    value, unit = text.split()
    return float(value) * units[unit]


def routes(
    network: Mapping[str, Any], channels: Sequence[Cell], flows: Iterable[Mapping[str, Any]]
) -> dict[str, list[str]]:
    """Return the nodes on the path of every flow: fewest hops, ties in alphabetical order.

    Static routing uses this path. A routing protocol may find another path. `flows` are the flows of a run
    document, with the keys `from` and `to`. Flows without a path are omitted.
    """
    neighbours = neighbours_of(network, channels)
    ways = {flow["name"]: _shortest_path(neighbours, flow["from"], flow["to"]) for flow in flows}
    return {name: way for name, way in ways.items() if way}


def neighbours_of(network: Mapping[str, Any], channels: Sequence[Cell]) -> dict[str, set[str]]:
    """Return the neighbours of each node over all kinds of links."""
    lists = (tables for tables in network.values() if isinstance(tables, list))
    wires = (table["ends"] for tables in lists for table in tables if "ends" in table)
    found: dict[str, set[str]] = {}
    for a, b in chain(wires, *(cell.links for cell in channels)):
        found.setdefault(a, set()).add(b)
        found.setdefault(b, set()).add(a)
    return found


def hops_to(end: str, neighbours: Mapping[str, set[str]]) -> dict[str, int]:
    """Return the number of hops to the node `end` from each node that can reach `end`."""
    hops, frontier = {end: 0}, deque([end])
    while frontier:
        node = frontier.popleft()
        for other in neighbours.get(node, ()):
            if other not in hops:
                hops[other] = hops[node] + 1
                frontier.append(other)
    return hops


def _shortest_path(neighbours: Mapping[str, set[str]], start: str, end: str) -> list[str]:
    """Return the shortest path.

    The search begins at the destination, so that ties are resolved as in the simulator.
    """
    hops = hops_to(end, neighbours)
    if start not in hops:
        return []
    way = [start]
    while way[-1] != end:
        here = way[-1]
        way.append(min(node for node in neighbours[here] if hops.get(node) == hops[here] - 1))
    return way
