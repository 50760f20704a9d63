"""Input of the laws: the steps of packets in nanoseconds, and the scenario's links as plain numbers."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from airhop.analysis.topology import BEST_EFFORT, Cell, cells
from airhop.catalogue import flagged, flagged_schemes
from airhop.verify.categories import categories

if TYPE_CHECKING:
    import polars as pl

ROUNDING = 2
"""Tolerance of times in ns. Recorded times are 64-bit floats, and transmission times are rounded."""

ACTS = {"snoop", "split"}
"""Services with an agent that creates packets in place of a TCP sender or receiver."""

CLOSE_MS = 1e-3
"""Tolerance in milliseconds of an RTO at its bound."""

_UNITS = {
    "s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0, "min": 60e9, "h": 3600e9,
    "bit/s": 1.0, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9,
    "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9,
}  # fmt: skip
"""Factors of units to nanoseconds, bits per second and bytes."""


@dataclass(frozen=True)
class Finding:
    """Contradiction between a trace and a law."""

    law: str
    time_s: float
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.law}: {self.text} ({self.place}, at {self.time_s:.9f} s)"


class Step(NamedTuple):
    """A row of the table `packets`; times in nanoseconds."""

    time: int
    packet: int
    step: str
    cause: str
    place: str
    flow: str
    kind: str
    seq: int
    bytes: int
    payload: int
    damaged: bool
    ecn: str
    flags: str

    @property
    def end(self) -> int:
        """First sequence number after a data segment; a FIN occupies one sequence number (RFC 9293 §3.4)."""
        return self.seq + self.payload + ("F" in self.flags)


class Frame(NamedTuple):
    """A row of the table `air`; times in nanoseconds."""

    start: int
    end: int
    sender: str
    receiver: str
    kind: str
    bytes: int
    flow: str
    packet: str
    seq: int
    attempt: int
    outcome: str
    row: int = -1
    """Row of the table."""
    category: str = "-"
    """Access category of the exchange; `-` without EDCA."""


class Mpdu(NamedTuple):
    """Row of the table `mpdus`, without the PPDU: an MPDU with one packet."""

    place: int
    msdu: int
    sequence: int
    flow: str
    packet: str
    seq: int
    bytes: int
    attempt: int
    outcome: str
    others: tuple[Mpdu, ...] = ()
    """Rows of the A-MSDU's other packets."""

    @property
    def packets(self) -> tuple[Mpdu, ...]:
        """Rows of all packets in the MPDU."""
        return (self, *self.others)


def is_handshake(step: Step) -> bool:
    """Return whether a step may be a SYN or SYN-ACK. The trace records both as ACKs of nothing."""
    return step.kind == "ack" and step.seq <= 1


def backs_off(timer: Mapping[str, Any], before: float, after: float) -> bool:
    """Return whether an RTO (ms) grows as after a timeout: about twofold, or to the maximum RTO.

    RFC 6298 §5.5 and §2.5. At the maximum, a timeout changes nothing.
    """
    return after >= min(1.5 * before, quantity(timer["max"]) / 1e6 - CLOSE_MS)


def keeps_order(queue: Mapping[str, Any]) -> bool:
    """Return whether the queue discipline keeps the order of packets."""
    return queue["kind"] in flagged("queue", "fifo")


def is_prompt(flow: Mapping[str, Any]) -> bool:
    """Return whether a sender reacts to events immediately: it has no pacing and no loss notices."""
    paces = flow["tcp"]["pacing"] or flow["tcp"]["loss_detection"] == "rack"
    paces |= flow["scheme"] in flagged_schemes("paces")
    return not paces and not flow["services"]


T = TypeVar("T")

_READ_FROM: Mapping[str, set[str]] = {
    "packets": {"steps", "_steps_by_flow", "_by_place", "_passed_wires"},
    "air": {"frames", "frames_by_place"},
    "mpdus": {"mpdus"},
    "stations": {"cells"},
}
"""Properties that are computed from each table of a trace, and are cached."""


class Trace:
    """Recorded run."""

    def __init__(
        self, scenario: Mapping[str, Any], document: Mapping[str, Any], tables: Mapping[str, pl.DataFrame]
    ) -> None:
        self.scenario = scenario
        self.document = document
        self.tables = tables
        self._by_flow: dict[tuple[str, tuple[str, ...]], defaultdict[str, list[tuple[Any, ...]]]] = {}
        self._derived: dict[Callable[[Trace], Any], Any] = {}

    def derived(self, derive: Callable[[Trace], T]) -> T:
        """Return the value of `derive` for this trace. The value is cached for other laws."""
        if derive not in self._derived:
            self._derived[derive] = derive(self)
        return cast("T", self._derived[derive])

    def with_table(self, name: str, frame: pl.DataFrame) -> Trace:
        """Return this trace with one replaced table; values derived from other tables stay cached."""
        other = Trace(self.scenario, self.document, {**self.tables, name: frame})
        known = vars(self).keys() - vars(other).keys() - _READ_FROM.get(name, set())
        vars(other).update({key: vars(self)[key] for key in known})
        other._by_flow = {key: rows for key, rows in self._by_flow.items() if key[0] != name}
        return other

    @cached_property
    def steps(self) -> list[Step]:
        """Steps of all packets, in the order of the trace."""
        columns = self._columns("packets", "packet", "step", "cause", "place", "flow", "kind", "seq", "bytes",
                                "payload", "damaged", "ecn", "flags")  # fmt: skip
        return list(map(Step, self.times("packets"), *columns))

    @cached_property
    def frames(self) -> list[Frame]:
        """Transmissions on all channels, by start time."""
        columns = self._columns(
            "air", "from", "to", "kind", "bytes", "flow", "packet", "seq", "attempt", "outcome"
        )
        times = (self.times("air", name) for name in ("start_s", "end_s"))
        (categories,) = self._columns("air", "category")
        return sorted(map(Frame, *times, *columns, range(self.tables["air"].height), categories))

    @cached_property
    def mpdus(self) -> dict[int, list[Mpdu]]:
        """MPDUs of each PPDU in cells with Block Ack, by the PPDU's row in `air`."""
        columns = self._columns(
            "mpdus", "place", "msdu", "sequence", "flow", "packet", "seq", "bytes", "attempt", "outcome"
        )
        found: defaultdict[int, list[Mpdu]] = defaultdict(list)
        for ppdu, row in zip(self.tables["mpdus"]["ppdu"].to_list(), map(Mpdu, *columns), strict=True):
            mpdus = found[ppdu]
            if row.msdu > 0 and mpdus:
                mpdus[-1] = mpdus[-1]._replace(others=(*mpdus[-1].others, row))
            else:
                mpdus.append(row)
        return dict(found)

    def frames_at(self, place: str) -> list[Frame]:
        """Return the frames of a hop such as `bs->d`, by start time."""
        return self.frames_by_place[place]

    @cached_property
    def frames_by_place(self) -> defaultdict[str, list[Frame]]:
        """Frames by hop, such as `bs->d`, in order of start time."""
        found: defaultdict[str, list[Frame]] = defaultdict(list)
        for frame in self.frames:
            found[f"{frame.sender}->{frame.receiver}"].append(frame)
        return found

    def hearing(self, wlan: str) -> list[tuple[str, str]]:
        """List the pairs of stations of a wlan that receive each other's frames."""
        return [link for cell in self.cells if cell.name == wlan for link in cell.links]

    @cached_property
    def cells(self) -> list[Cell]:
        """The channels of the scenario, with the places of their stations."""
        return cells(self.scenario, self.tables)

    def steps_of(self, flow: str) -> list[Step]:
        """Return the steps of the packets of one flow, in order."""
        return self._steps_by_flow[flow]

    @cached_property
    def _steps_by_flow(self) -> defaultdict[str, list[Step]]:
        found: defaultdict[str, list[Step]] = defaultdict(list)
        for step in self.steps:
            found[step.flow].append(step)
        return found

    def steps_at(self, place: str, kind: str) -> list[Step]:
        """Return the steps of one kind at a place, in time order."""
        return self._by_place[place, kind]

    def places_of(self, kind: str) -> list[str]:
        """Return the places of all steps of one kind, in order of the first step at each."""
        return [place for place, one in self._by_place if one == kind]

    def queue_at(self, place: str, flow: str) -> str:
        """Return the queue before a hop that takes the packets of a flow.

        A station has one queue for all neighbours. With EDCA, each access category has a queue of its own.
        """
        key = (place, self.category_of(flow))
        if key not in self._queues:
            sender, _, receiver = place.partition("->")
            cell = next((cell for cell in reversed(self.cells) if cell.has(sender, receiver)), None)
            category = key[1] if cell is not None and cell.name in self._edca else BEST_EFFORT
            self._queues[key] = place if cell is None else cell.queue(sender, category)
        return self._queues[key]

    @cached_property
    def _queues(self) -> dict[tuple[str, str], str]:
        """Queues by place of the hop and access category (a cache)."""
        return {}

    @cached_property
    def _edca(self) -> set[str]:
        """Names of the cells of 802.11n, ac and ax."""
        return {wlan["name"] for wlan in self.scenario.get("wlan", ()) if "eifs" in wlan}

    def category_of(self, flow: str) -> str:
        """Return the access category of a flow's packets; messages between routers are best effort."""
        return self.categories.get(flow, BEST_EFFORT)

    @cached_property
    def categories(self) -> dict[str, str]:
        """Access category of each flow. A flow of real packets has the category of the replaced flow."""
        found = categories(self)
        return found | {name: found[line] for name, line in self._line_of.items() if line in found}

    @cached_property
    def _by_place(self) -> defaultdict[tuple[str, str], list[Step]]:
        found: defaultdict[tuple[str, str], list[Step]] = defaultdict(list)
        for step in self.steps:
            found[step.place, step.step].append(step)
        return found

    def came_through(self, place: str) -> list[Step]:
        """Return the packets that reached the end of a wire, in order of time.

        The packets have arrived, were lost on the wire, or are late. A late packet arrives a second time.
        """
        if place not in self._passed_wires:
            self._passed_wires[place] = self._passed(place)
        return self._passed_wires[place]

    @cached_property
    def _passed_wires(self) -> dict[str, list[Step]]:
        """Packets that reached the end of each wire, by place (a cache)."""
        return {}

    def _passed(self, place: str) -> list[Step]:
        steps = [
            *self.steps_at(place, "arrived"),
            *(step for step in self.steps_at(place, "dropped") if step.cause == "channel"),
        ]
        late = self.steps_at(place, "late")
        if late:
            packets = {step.packet for step in late}
            steps = [*late, *(step for step in steps if step.packet not in packets)]
        return sorted(steps, key=itemgetter(0))

    def times(self, table: str, column: str = "time_s") -> list[int]:
        """Return a column of times in nanoseconds."""
        import polars as pl

        return (self.tables[table][column] * 1e9).round().cast(pl.Int64).to_list()

    def rows(self, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table: the time in nanoseconds, then `columns`."""
        return list(zip(self.times(table), *self._columns(table, *columns), strict=True))

    def rows_of(self, flow: str, table: str, *columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of one flow; for a line (see `lines`), the rows of all its connections."""
        if (table, columns) not in self._by_flow:
            found: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
            for time, name, *row in self.rows(table, "flow", *columns):
                found[name].append((time, *row))
                if (line := self._line_of.get(name)) is not None:
                    found[line].append((time, *row))
            self._by_flow[table, columns] = found
        return self._by_flow[table, columns][flow]

    def _columns(self, table: str, *columns: str) -> list[list[Any]]:
        return [self.tables[table][name].to_list() for name in columns]

    @cached_property
    def plans(self) -> dict[str, Mapping[str, Any]]:
        """Flows of the scenario by name, including flows that applications open."""
        return {plan["name"]: plan for flow in self.scenario.get("flow", []) for plan in self._opened(flow)}

    def _opened(self, flow: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield a flow of the scenario, and the flow that its application opens, if any.

        Requests open the connection, so the flow of responses has no handshake. `connects` is true if the
        application opens and closes connections. Each connection is then a flow in the trace. A call or game
        opens a flow in the reverse direction.
        """
        said = {one["name"]: one for one in self.document["flows"]}
        if (reverse := f"{flow['name']} reverse") in said:
            yield flow
            yield {**flow, "name": reverse, "from": flow.get("to"), "to": flow.get("from")}
            return
        requests = f"{flow['name']} requests"
        if requests not in said:
            yield flow
            return
        both = {**flow, "connects": said[flow["name"]].get("connections") is not None}
        yield {**both, "tcp": {**flow["tcp"], "handshake": False}}
        yield {**both, "name": requests, "from": flow.get("to"), "to": flow.get("from")}

    @cached_property
    def flows(self) -> dict[str, Mapping[str, Any]]:
        """Simulated flows by name, with the keys of the scenario and of the run document.

        Flows of real packets are excluded, because the trace has no records of their hosts.
        """
        return {
            name: {**line, "name": name}
            for line in self.lines.values()
            for name in self.connections(line["name"])
        }

    @cached_property
    def lines(self) -> dict[str, Mapping[str, Any]]:
        """Lines of simulated flows in the run document, by name, with the keys of the scenario.

        A line is an entry of the document's flows: a flow, or all connections of an application in one
        direction.
        """
        plans = self.plans
        return {
            flow["name"]: {**plans[flow["name"]], **flow}
            for flow in self.document["flows"]
            if flow["name"] not in self.real
        }

    def connections(self, line: str) -> list[str]:
        """Return the flows of a line in the trace: the flow itself, or the flows of its connections."""
        if not self.plans[line].get("connects"):
            return [line]
        return [name for name, of in self._line_of.items() if of == line]

    @cached_property
    def _line_of(self) -> dict[str, str]:
        """Line of each connection in the trace."""
        connects = {name for name, plan in self.plans.items() if plan.get("connects")}
        if not connects:
            return {}
        names = self.tables["packets"]["flow"].unique(maintain_order=True).to_list()
        lines = ((name, name.rpartition("#")[0]) for name in names)
        return {name: line for name, line in lines if line in connects}

    @cached_property
    def real(self) -> set[str]:
        """Names of the flows of real packets; only the kernel knows the timeouts of these flows."""
        return {flow["name"] for flow in self.document["flows"] if flow["timeouts"] is None}

    @cached_property
    def services(self) -> dict[str, set[str]]:
        """Services of each flow; a flow of real packets has the services of the flow that it replaces."""
        plans = self.plans.values()
        found: dict[str, set[str]] = {}
        for flow in self.document["flows"]:
            ends = {flow["from"], flow["to"]}
            mine = [plan for plan in plans if plan["name"] == flow["name"]]
            made_room = [plan for plan in plans if {plan.get("from"), plan.get("to")} == ends]
            found[flow["name"]] = {one for plan in mine or made_room for one in plan.get("services", ())}
        return found | {name: found[line] for name, line in self._line_of.items() if line in found}

    @cached_property
    def helped(self) -> set[str]:
        """Names of the flows with services."""
        return {name for name, services in self.services.items() if services}

    @property
    def duration(self) -> int:
        """End of the run in ns; in an emulation, the end of the real senders."""
        planned = round(quantity(self.scenario["duration"]))
        return min(planned, round(self.document["duration_s"] * 1e9)) if self.real else planned

    @property
    def warmup(self) -> int:
        """Length of the warm-up in ns, excluded from the run document."""
        return round(quantity(self.scenario["warmup"]))


def listed(one_or_more: Any) -> list[Mapping[str, Any]]:
    """Return the tables of a key as a list; the value of the key may be a table or a list."""
    return one_or_more if isinstance(one_or_more, list) else [one_or_more]


def model_at(errors: Any, place: str) -> Mapping[str, Any] | None:
    """Return the error model of a direction; None without a model.

    Of the most specific models, the last one applies.
    """
    found, most = None, -1
    for model in listed(errors):
        named = model.get("direction", "*->*").split("->")
        exact = sum(name != "*" for name in named)
        covers = all(name in ("*", end) for name, end in zip(named, place.split("->"), strict=True))
        if covers and exact >= most:
            found, most = model, exact
    return found


def ways(link: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each direction of a link, such as `a->b`, with the link's values for this direction.

    `rate`, `delay` and `deliveries` are single values. `queue` and `reorder` are single tables. `changes` has
    only the changes of this direction.
    """
    for a, b in (link["ends"], link["ends"][::-1]):
        place = f"{a}->{b}"
        way = dict(link)
        for key in ("rate", "delay", "deliveries"):
            if isinstance(value := link.get(key), dict):
                way[key] = value.get(place)
        for key in ("queue", "reorder", "changes"):
            mine = [one for one in listed(link.get(key, [])) if one.get("direction", place) == place]
            if key == "changes":
                way[key] = mine
            else:  # a model for this direction precedes a model for both directions
                way[key] = min(mine, key=lambda one: "direction" not in one, default=None)
        yield place, {key: value for key, value in way.items() if value is not None}


def delays(link: Mapping[str, Any]) -> set[int]:
    """Return all delays of a link in ns, over both directions and the whole run."""
    found: set[int] = set()
    for _, way in ways(link):
        tables = [way, *way.get("changes", ())]
        found |= {round(quantity(table["delay"])) for table in tables if "delay" in table}
    return found


def spans(text: str) -> float:
    """Convert a distance to metres."""
    number, unit = text.split()
    return float(number) * {"m": 1.0, "km": 1e3}[unit]


@cache
def quantity(text: str) -> float:
    """Convert a time to ns, a rate to bit/s or a size to bytes."""
    number, unit = re.fullmatch(r"\s*([-+.\deE]+)\s*([A-Za-z/]+)\s*", text).groups()  # type: ignore[union-attr]
    return float(number) * _UNITS[unit]
