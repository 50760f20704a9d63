"""Synthetic studies with the interface of `airhop.study.table.Table`, for tests of figures and reports."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import polars as pl

from airhop import Scenario, schemes, stats
from airhop.analysis.loss_classifications import LossClassifications

Values = Mapping[str, object]
Law = Callable[[str, Values, int], dict[str, float]]
"""Metrics of a run, given scheme, setting and replication."""


@dataclass(frozen=True)
class Point:
    """One combination of varied values."""

    index: int
    values: Values
    scheme: str
    setting: tuple[object, ...]
    scenario: Scenario


@dataclass(frozen=True)
class Cell:
    """Cell of a study's point."""

    point: Point
    n: int
    value: stats.Estimate
    difference: stats.Difference | None
    ratio: stats.Ratio | None


@dataclass(frozen=True)
class Study:
    """A grid of schemes and values."""

    name: str
    schemes: Sequence[str]
    grid: Mapping[str, Sequence[object]]
    reps: int = 5
    seed: int = 1
    baseline: str | None = "reno"
    scenario: Scenario = field(default_factory=lambda: Scenario.load("last-hop").with_({"duration": "3 s"}))

    def points(self) -> list[Point]:
        """List the points, first axis slowest."""
        return self._points

    @property
    def columns(self) -> list[str]:
        """List the columns that vary."""
        return ["scheme", *self.grid]

    @cached_property
    def _under(self) -> dict[str, Scenario]:
        """Scenarios by scheme; the unchanged scenario for an unknown scheme."""
        known = {entry["name"] for entry in schemes()}
        return {
            scheme: self.scenario.with_({"scheme": scheme}) if scheme in known else self.scenario
            for scheme in self.schemes
        }

    @cached_property
    def _points(self) -> list[Point]:
        settings = list(product(*self.grid.values()))
        return [
            Point(
                index,
                {"scheme": scheme, **dict(zip(self.grid, setting, strict=True))},
                scheme,
                setting,
                self._under[scheme],
            )
            for index, (scheme, setting) in enumerate(product(self.schemes, settings))
        ]


def goodput(scheme: str, values: Values, rep: int) -> dict[str, float]:
    """Return goodputs that fall with the values, differently by scheme, with scatter common to schemes."""
    strength = 1 + len(scheme) % 4
    load = sum(math.log10(1 + 1000 * float(v)) for v in values.values() if isinstance(v, int | float))
    luck = 0.05 * math.sin(7.0 * rep) + 0.01 * math.sin(3.0 * rep + strength)
    mean = 3.6 * strength / (strength + 0.4 * load)
    return {
        "goodput_mbps": mean * (1 + luck),
        "jain": min(1.0, 1 - 0.02 * load / strength + 0.01 * luck),
        "srtt_ms": 60.0 + 10 * load + 20 * luck,
        "timeouts": float(rep % 3 + strength),
        "drops_queue": 0.0,
    }


def judged(scheme: str, rep: int) -> dict[str, dict[str, int]]:
    """Make loss classifications: LL-ELSN is nearly always right, others classify every loss as congestion."""
    losses = {"queue": 10 + rep, "aqm": 0, "channel": 25, "collision": 11 - rep, "none": 4}
    nothing = dict.fromkeys(losses, 0)
    if scheme != "ll-elsn":
        return {"congestion": losses, "wireless": nothing, "undecided": nothing}
    congestion = nothing | {"queue": losses["queue"], "collision": 1}
    wireless = losses | {"queue": 0, "collision": losses["collision"] - 1}
    return {"congestion": congestion, "wireless": wireless, "undecided": nothing}


@dataclass
class Table:
    """The rows of a synthetic study."""

    study: Study
    law: Law = goodput
    computed: int = 0
    reused: int = 0
    complete: bool = True
    missing: set[int] = field(default_factory=set)
    """Points without a run."""

    def rows(self) -> pl.DataFrame:
        """Return no rows: synthetic studies have no flows."""
        return pl.DataFrame()

    def frame(self) -> pl.DataFrame:
        """Return a row per run."""
        return pl.DataFrame(
            [
                {
                    **point.values,
                    "seed": self.study.seed,
                    "rep": rep,
                    **self.law(point.scheme, point.values, rep),
                }
                for point in self.study.points()
                if point.index not in self.missing
                for rep in range(self.study.reps)
            ]
        )

    @cached_property
    def _runs(self) -> dict[int, list[dict[str, float]]]:
        return {
            point.index: [self.law(point.scheme, point.values, rep) for rep in range(self.study.reps)]
            for point in self.study.points()
        }

    def values(self, point: Point, metric: str = "goodput_mbps") -> dict[int, float]:
        """Return a metric by replication."""
        return dict(enumerate(run[metric] for run in self._runs[point.index]))

    def cells(self, metric: str = "goodput_mbps") -> list[Cell]:
        """Estimate every point."""
        points = self.study.points()
        base = {p.setting: p for p in points if p.scheme == self.study.baseline}
        found = []
        for point in points:
            if point.index in self.missing:
                continue
            mine = list(self.values(point, metric).values())
            other = base.get(point.setting)
            paired = other is not None and point.scheme != self.study.baseline
            theirs = list(self.values(other, metric).values()) if other is not None else []
            found.append(
                Cell(
                    point,
                    len(mine),
                    stats.estimate(mine),
                    stats.difference(mine, theirs) if paired else None,
                    stats.ratio(mine, theirs) if paired else None,
                )
            )
        return found

    def judgements(self) -> dict[int, dict[int, LossClassifications]]:
        """Return the loss classifications."""
        return {
            point.index: {
                rep: LossClassifications.of_flows([{"judgements": judged(point.scheme, rep)}])
                for rep in range(self.study.reps)
            }
            for point in self.study.points()
            if point.index not in self.missing
        }

    def flows(self) -> pl.DataFrame:
        """Return a row per flow and run."""
        return self.frame().with_columns(flow=pl.lit("ftp"), airhop=pl.lit("0.1.0"))

    hints: tuple[str, ...] = ()

    def warnings(self) -> list[str]:
        """Return no warnings."""
        return []

    def command(self, point: Point, rep: int) -> str:
        """Return the command that repeats a run."""
        sets = " ".join(f"--set {path}={value}" for path, value in point.values.items() if path != "scheme")
        return f"airhop run last-hop --scheme {point.scheme} {sets} --seed {self.study.seed} --rep {rep}"


FER = "wlan.cell.errors.fer"


def study(
    name: str = "errors",
    schemes: Sequence[str] = ("reno", "sack", "snoop", "ll-elsn"),
    reps: int = 5,
    law: Law = goodput,
    alone: bool = False,
    **grid: Sequence[object],
) -> Table:
    """Make a study over the frame error rate, or over `grid` (`__` in a name is read as a dot).

    With `alone`, nothing varies but the scheme.
    """
    named = {key.replace("__", "."): values for key, values in grid.items()}
    errors: dict[str, Sequence[object]] = {} if alone else {FER: (0.0001, 0.001, 0.01, 0.1)}
    return Table(Study(name, schemes, named or errors, reps), law)
