"""Repetition of some of a study's runs with packet traces, for the report's time-lines."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from airhop.analysis.connections import connections

if TYPE_CHECKING:
    import polars as pl

    from airhop.experiments.experiment import TimelineChoice
    from airhop.study.study import Point
    from airhop.study.table import Table

LONGEST_S = 20.0
"""Maximum simulated time of a time-line in seconds. The page then loads fast and shows hundreds of losses."""
SLOW_MBPS = 0.1
"""Goodput in Mbit/s below which the page prints kbit/s."""
OPENING_S = 2.0
"""Length in seconds of the interval that the page shows first."""


@dataclass(frozen=True)
class TracedRun:
    """Traced run of one scheme, with the data that are needed to repeat the run."""

    scheme: str
    label: str
    document: dict[str, Any]
    tables: dict[str, pl.DataFrame]
    command: str
    rep: int = 0
    point: int | None = None
    """Index of the run's point in the study. None for a run outside a study."""
    opening_s: float = OPENING_S
    network: Mapping[str, Any] = field(default_factory=dict)
    """The scenario as plain data."""

    shown: str | None = None
    """Name of the TCP flow or connection to show. None selects the run's first flow."""

    @cached_property
    def connections(self) -> dict[str, list[str]]:
        """Names of the connections of each TCP flow, by flow name."""
        flows = [flow["name"] for flow in self.document["flows"] if flow["transport"] == "tcp"]
        return connections(flows, self.tables) if "segments" in self.tables else {flow: [] for flow in flows}

    @property
    def names(self) -> list[str]:
        """Names of the TCP flows, each followed by the names of the flow's connections."""
        return [name for flow, opened in self.connections.items() for name in (flow, *opened)]

    @cached_property
    def flow(self) -> dict[str, Any]:
        """TCP flow to show, or the flow of the connection to show."""
        name = next(iter(self.connections)) if self.shown is None else self.shown
        line = next(flow for flow, opened in self.connections.items() if name in (flow, *opened))
        return next(flow for flow in self.document["flows"] if flow["name"] == line)

    @property
    def opened(self) -> list[str]:
        """Connections of the flow shown."""
        return self.connections[self.flow["name"]]

    @property
    def name(self) -> str:
        """Name in the trace of the shown flow or connection.

        For a flow with several connections, the name of its first connection.
        """
        if self.shown is None or self.shown == self.flow["name"]:
            return self.opened[0] if self.opened else str(self.flow["name"])
        return self.shown

    @property
    def goodput(self) -> str:
        """Goodput of the shown flow as text.

        The text begins with the flow's name if the run has several flows.
        """
        mbps = float(self.flow["goodput_mbps"])
        told = f"{mbps:.2f} Mbit/s" if mbps >= SLOW_MBPS else f"{1000.0 * mbps:.2f} kbit/s"
        return f"{self.flow['name']}: {told}" if len(self.document["flows"]) > 1 else told

    @property
    def about_goodput(self) -> str:
        """Caption that separates `goodput` from the means in tables."""
        return (
            f"Goodput of flow {self.flow['name']} alone, in {self.duration_s:g} s of replication {self.rep};"
            " tables have the means of all replications, summed over the flows"
        )

    @property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return float(self.document["duration_s"])

    def table(self, name: str) -> pl.DataFrame:
        """Select the rows of a trace table that belong to the flow or connection shown."""
        import polars as pl

        table = self.tables[name]
        return table.filter(pl.col("flow") == self.name)


def trace_schemes(
    table: Table,
    point: int | None = None,
    choice: TimelineChoice | None = None,
    labels: Mapping[str, str] | None = None,
) -> tuple[TracedRun, ...]:
    """Simulate every scheme at one setting again with a trace; all runs have the same channel errors.

    The setting is that of the point with index `point`, by default the middle of the grid. Runs end after at
    most `LONGEST_S`; a shortened run equals the beginning of the full run, and has no warm-up.
    """
    rep = choice.rep if choice else 0
    limit = choice.duration_s if choice else LONGEST_S
    opening = choice.opening_s if choice else OPENING_S
    points = _setting(table, point)
    return tuple(_trace(table, one, rep, limit, opening, labels or {}) for one in points)


def _setting(table: Table, point: int | None) -> list[Point]:
    """Return the points of the shown setting, one per scheme."""
    points = [point for point in table.study.points() if point.scenario.tcp_flows()]
    settings = list(dict.fromkeys(point.setting for point in points))
    if not settings:
        return []
    middle = settings[len(settings) // 2]
    chosen = next((one.setting for one in points if one.index == point), middle)
    return [one for one in points if one.setting == chosen]


def _trace(
    table: Table, point: Point, rep: int, limit_s: float, opening_s: float, labels: Mapping[str, str]
) -> TracedRun:
    from airhop.simulate import run

    scenario, command = point.scenario, table.command(point, rep)
    if scenario.duration_s > limit_s:
        changes = {"duration": f"{limit_s:g} s"}
        if scenario.to_dict()["warmup"] != "0 s":
            changes["warmup"] = "0 s"
        scenario = scenario.with_(changes)
        command += "".join(f" --set {shlex.quote(f'{path}={value}')}" for path, value in changes.items())
    result = run(scenario, seed=table.study.seed, rep=rep, trace=True)
    return TracedRun(
        scheme=point.scheme,
        label=labels.get(point.scheme, point.scheme),
        document=result.to_dict(),
        tables=result.tables,
        command=f"{command} --trace DIR",
        rep=rep,
        point=point.index,
        opening_s=min(opening_s, scenario.duration_s),
        network=scenario.to_dict(),
    )
