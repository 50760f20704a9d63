"""A study: a scenario, its varied parameters, and the number of replications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from airhop.boundary.arguments import checked
from airhop.boundary.shell import command_line
from airhop.catalogue import schemes as known_schemes
from airhop.errors import InputError, ScenarioError, did_you_mean
from airhop.scenario import SCHEME, Scenario
from airhop.simulate import Job
from airhop.study.axis import Axis, Scalar, text
from airhop.study.metric import flows_of as metric_flows
from airhop.study.until import Until

MOST_RUNS = 10_000_000
MOST_POINTS = 100_000
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Point:
    """Point of a study's grid: one combination of the varied values."""

    index: int
    """Index in the grid; the first axis varies slowest."""
    values: Mapping[str, Scalar]
    """Values by column name."""
    scheme: str
    """Schemes of the TCP flows, with the parameters that differ from their defaults: `ll-elsn(n=3)`.

    On an axis with names (`Axis.names`), the name of the value.
    """
    setting: tuple[Scalar, ...]
    """Values except the scheme. Points with equal settings are compared, replication by replication."""
    scenario: Scenario

    def __str__(self) -> str:
        told = ", ".join(f"{column} = {text(value)}" for column, value in self.values.items())
        return told or self.scenario.name


@checked
@dataclass(frozen=True)
class Study:
    """A study: a grid over a scenario, with a number of replications per point.

    Raises InputError if a value is invalid for the scenario, if two points are the same scenario, if the
    number of runs is zero or too large, or if the study lacks its baseline scheme.
    """

    name: str
    scenario: Scenario
    axes: tuple[Axis, ...] = ()
    reps: int | Until = 10
    seed: int = 1
    baseline: str | None = None
    """Scheme with which all others are compared, by default the first; None if there is only one scheme."""
    plugins: tuple[str | Path, ...] = ()
    """Files and modules with the Python schemes of the study."""

    def __post_init__(self) -> None:
        if not self.name or not self.name.isprintable():
            raise InputError(f"name: expected a line of text, got {self.name!r}")
        if not isinstance(self.reps, Until) and self.reps < 1:
            raise InputError(f"reps: expected at least one replication, got {self.reps}")
        if not 0 <= self.seed <= MOST_SEED:
            raise InputError(f"seed: expected a whole number from 0 to 2^63 - 1, got {self.seed}")
        self._refuse_repeated_paths()
        self._refuse_too_many()
        self._refuse_equal_points()
        self._refuse_unknown_flow()
        object.__setattr__(self, "baseline", self._baseline())

    @classmethod
    @checked
    def load(cls, source: str | Path, plugins: Sequence[str | Path] = ()) -> Study:
        """Read a study file by its path, or a packaged study by its name.

        `plugins` are further files and modules with Python schemes. Raises InputError with file, key and the
        expected value.
        """
        from airhop.study.file import read

        return read(source, plugins)

    def points(self) -> Sequence[Point]:
        """List the points in grid order, with the first axis slowest."""
        return self._points

    @cached_property
    def settings(self) -> tuple[tuple[Point, ...], ...]:
        """Points grouped by setting; within a setting, the points of its schemes are in grid order."""
        found: dict[tuple[Scalar, ...], list[Point]] = {}
        for point in self._points:
            found.setdefault(point.setting, []).append(point)
        return tuple(map(tuple, found.values()))

    @property
    def columns(self) -> list[str]:
        """Names of the columns that vary, in the order of the axes."""
        return [column for axis in self.axes for column in axis.columns]

    @property
    def schemes(self) -> list[str]:
        """Schemes of all points, each once, in grid order."""
        return list(dict.fromkeys(point.scheme for point in self._points))

    @property
    def most_reps(self) -> int:
        """Largest possible number of replications of a point."""
        return self.reps.max if isinstance(self.reps, Until) else self.reps

    def runs(self) -> Iterator[tuple[Point, int, str]]:
        """Yield point, replication and run id of every run that the study may need, in grid order."""
        for point in self.points():
            for rep in range(self.most_reps):
                yield point, rep, Job(point.scenario, self.seed, rep).run_id

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON and `from_dict`."""
        return {
            "name": self.name,
            "scenario": self.scenario.recipe(),
            "axes": [
                {
                    path: list(values)
                    for path, values in zip(axis.paths, zip(*axis.values, strict=True), strict=True)
                }
                for axis in self.axes
            ],
            "names": [list(axis.names) for axis in self.axes],
            "reps": self.reps.to_dict() if isinstance(self.reps, Until) else self.reps,
            "seed": self.seed,
            "baseline": self.baseline,
            "plugins": list(map(str, self.plugins)),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Study:
        """Restore a study from the data of `to_dict`, and load the Python schemes that it names."""
        load_plugins(data["plugins"])
        reps = data["reps"]
        # studies of older versions lack this key
        names = data.get("names") or [()] * len(data["axes"])
        return cls(
            name=data["name"],
            scenario=Scenario.from_recipe(data["scenario"]),
            axes=tuple(map(_axis, data["axes"], names)),
            reps=Until(**reps) if isinstance(reps, Mapping) else reps,
            seed=data["seed"],
            baseline=data["baseline"],
            plugins=tuple(data["plugins"]),
        )

    @cached_property
    def _points(self) -> tuple[Point, ...]:
        rows = [
            list(zip(axis.values, zip(*axis.columns.values(), strict=True), strict=True))
            for axis in self.axes
        ]
        made = []
        for index, chosen in enumerate(product(*rows)):
            changes = {
                path: value
                for axis, (values, _) in zip(self.axes, chosen, strict=True)
                for path, value in zip(axis.paths, values, strict=True)
            }
            cells = [cell for _, row in chosen for cell in row]
            made.append(self._point(index, dict(zip(self.columns, cells, strict=True)), changes))
        return tuple(made)

    def _point(self, index: int, values: dict[str, Scalar], changes: Mapping[str, object]) -> Point:
        scenario = changed(self.scenario, changes)
        setting = tuple(value for column, value in values.items() if column != SCHEME)
        scheme = str(values[SCHEME]) if SCHEME in values else scheme_of(scenario)
        return Point(index, values, scheme, setting, scenario)

    def _baseline(self) -> str | None:
        if self.baseline is None:
            several = SCHEME in self.columns and len(self.schemes) > 1
            return self.schemes[0] if several else None
        if self.baseline not in self.schemes:
            near = did_you_mean(self.baseline, self.schemes)
            known = ", ".join(self.schemes)
            raise InputError(
                f"baseline: expected a scheme of the study ({known}), got `{self.baseline}`.{near}"
            )
        return self.baseline

    def _refuse_repeated_paths(self) -> None:
        paths = [path for axis in self.axes for path in axis.paths]
        for path in paths:
            if paths.count(path) > 1:
                raise InputError(f"{path}: the path varies twice; a path belongs to one axis")

    def _refuse_too_many(self) -> None:
        points = 1
        for axis in self.axes:
            points *= len(axis)
        if points > MOST_POINTS:
            raise InputError(f"the grid has {points:,} points; at most {MOST_POINTS:,}")
        if points * self.most_reps > MOST_RUNS:
            product = (
                f"{points:,} points × {self.most_reps:,} replications = {points * self.most_reps:,} runs"
            )
            raise InputError(f"{product}; at most {MOST_RUNS:,}")

    def _refuse_unknown_flow(self) -> None:
        """Raise an error if a point lacks a flow that the stopping rule names."""
        wanted = metric_flows(self.reps.of) if isinstance(self.reps, Until) else []
        for name in wanted:
            for point in self._points:
                known = [flow["name"] for flow in point.scenario.to_dict()["flow"]]
                if name not in known:
                    raise InputError(f"until.of: there is no flow `{name}`.{did_you_mean(name, known)}")

    def _refuse_equal_points(self) -> None:
        """Raise an error if two points are the same scenario, because their runs would count twice."""
        seen: dict[str, Point] = {}
        for point in self._points:
            first = seen.setdefault(point.scenario.digest, point)
            if first is not point:
                raise InputError(f"these points are the same scenario: {first}; and {point}")


def _axis(columns: Mapping[str, list[object]], names: Sequence[str]) -> Axis:
    """Restore an axis.

    Different named values may share a value at some path.
    """
    if names:
        return Axis(tuple(columns), tuple(zip(*columns.values(), strict=True)), tuple(names))
    return Axis.zipped(columns)


def scheme_of(scenario: Scenario) -> str:
    """Return the names of the TCP flows' schemes without duplicates.

    A name includes the parameters that differ from their defaults.
    """
    defaults = {
        entry["name"]: {parameter["name"]: parameter["default"] for parameter in entry["parameters"]}
        for entry in known_schemes()
    }
    names = []
    for flow in scenario.to_dict()["flow"]:
        scheme = flow.get("scheme")
        if isinstance(scheme, Mapping):
            usual = defaults.get(scheme["name"], {})
            scheme = {key: value for key, value in scheme.items() if key == "name" or usual.get(key) != value}
        if scheme is not None:
            names.append(text(scheme))
    return " + ".join(dict.fromkeys(names)) or "none"


def load_plugins(names: Sequence[str | Path]) -> None:
    """Load the Python schemes of these files and modules."""
    if names:
        from airhop import plugins

        plugins.load_all(names)


def changed(scenario: Scenario, changes: Mapping[str, object]) -> Scenario:
    """Change a scenario; raise InputError for an invalid value, as `PATH=VALUE: what was expected`."""
    try:
        return scenario.with_(changes)
    except ScenarioError as error:
        raise InputError(str(error).replace("--set ", "").replace("--scheme ", "scheme=")) from None


def run_command(study: Study, point: Point, rep: int) -> str:
    """Return the `airhop run` command that repeats a run of a study, quoted for a shell."""
    plugins = [word for plugin in study.plugins for word in ("--with", str(plugin))]
    key = ["--seed", str(study.seed), "--rep", str(rep)]
    return command_line(["airhop", "run", *point.scenario.arguments(), *plugins, *key])
