"""Study files in TOML: a scenario, its varied parameters, and the number of replications."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from airhop.errors import InputError, ScenarioError, did_you_mean, harmless
from airhop.files import is_file, packaged_toml, read_text
from airhop.scenario import SCHEME, Scenario, toml_literal
from airhop.study.axis import Axis, flattened
from airhop.study.study import Study, changed, load_plugins
from airhop.study.until import Until

KEYS = ("name", "scenario", "reps", "until", "seed", "baseline", "plugins", "set", "vary", "zip", "view")
"""Keys of a study file. The key `view` selects the flow in graphs of `airhop view`."""
DEFAULT_REPS = 10


def packaged_studies() -> dict[str, str]:
    """Texts of the shipped studies, by name."""
    return packaged_toml("studies")


def read(source: str | Path, plugins: Sequence[str | Path] = ()) -> Study:
    """Read a study file by its path, or a packaged study by its name.

    Raises InputError with the file, the key and the expected value. The message has the line if the key is on
    a single line.
    """
    packaged = packaged_studies()
    path = Path(source)
    if path.suffix == ".toml" or is_file(path):
        return _File(read_text(path, "a study", packaged), str(path), path.parent, plugins).study()
    name = str(source)
    if name in packaged:
        return _File(packaged[name], f"{name}.toml", Path(), plugins).study()
    raise InputError(
        f"there is no study `{name}`: neither a file nor a packaged name."
        f"{did_you_mean(name, packaged)} Packaged: {', '.join(packaged)}."
    )


def written(study: Study) -> str:
    """Format a study as the text of a study file.

    `read` then creates the same points. The names of values (`Axis.names`) are lost, because a study file
    cannot contain them.
    """
    recipe = study.scenario.recipe()
    varied = {path for axis in study.axes for path in axis.paths}
    source = study.scenario.written() if recipe["is_json"] else recipe["name"]
    if recipe["is_packaged"]:
        source = str(source).removesuffix(".toml")
    elif not recipe["is_json"]:
        source = str(Path(str(source)).absolute())
    often = (
        f"until = {toml_literal(study.reps.spec())}"
        if isinstance(study.reps, Until)
        else f"reps = {study.reps}"
    )
    fixed = [(SCHEME, recipe["scheme"])] if recipe["scheme"] is not None else []
    fixed += [(path, value) for path, value in recipe["sets"] if path not in varied]
    # `[set]` changes single keys of a table. A table that replaces a whole table is therefore written as an
    # axis with one value.
    tables = [(path, value) for path, value in fixed if not _is_whole(path, value)]
    fixed = [pair for pair in fixed if pair not in tables]
    lines = [
        f"name = {toml_literal(study.name)}",
        f"scenario = {toml_literal(source)}",
        often,
        f"seed = {study.seed}",
        *([f"plugins = {toml_literal(list(study.plugins))}"] if study.plugins else []),
        *(["\n[set]"] if fixed else []),
        *(f"{toml_literal(path)} = {value}" for path, value in fixed),
    ]
    alone = [axis for axis in study.axes if len(axis.paths) == 1]
    lines += ["\n[vary]"] if alone or tables else []
    lines += [f"{toml_literal(path)} = [{value}]" for path, value in tables]
    lines += [line for axis in alone for line in _listed(axis)]
    for axis in study.axes:
        lines += ["\n[[zip]]", *_listed(axis)] if len(axis.paths) > 1 else []
    return "\n".join(lines) + "\n"


def _is_whole(path: str, literal: str) -> bool:
    """Return whether `[set]` accepts a value unchanged."""
    value = {path: tomllib.loads(f"value = {literal}")["value"]}
    return flattened(value) == value


def _listed(axis: Axis) -> list[str]:
    """Format the values of an axis, one line for each path."""
    columns = zip(axis.paths, zip(*axis.values, strict=True), strict=True)
    return [f"{toml_literal(path)} = {toml_literal(list(values))}" for path, values in columns]


class _File:
    """Reader of a study file. Every error names the file."""

    def __init__(self, text: str, name: str, folder: Path, plugins: Sequence[str | Path]) -> None:
        self._text = text
        self._name = name
        self._folder = folder
        self._more_plugins = plugins
        self._data: dict[str, Any] = {}

    def study(self) -> Study:
        """Read the whole file."""
        try:
            self._data = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{self._name}: {error}; a study is a TOML file") from None
        try:
            return self._study()
        except InputError as error:
            raise InputError("\n\n".join(map(self._placed, str(error).split("\n\n")))) from None

    def _study(self) -> Study:
        for key in self._data:
            if key not in KEYS:
                raise InputError(
                    f"{key}: unknown key; a study has {', '.join(KEYS)}.{did_you_mean(key, KEYS)}"
                )
        plugins = [*self._plugins(), *(_portable(Path(), name) for name in self._more_plugins)]
        load_plugins(plugins)
        fixed = flattened(self._table("set"))
        axes = self._axes()
        for path in fixed:
            if any(path in axis.paths for axis in axes):
                raise InputError(f"set.{path}: the path varies, so [set] cannot fix its value")
        name = self._string("name", "a line of text")
        return Study(
            name=harmless(Path(self._name).stem) if name is None else name,
            scenario=self._scenario(fixed),
            axes=tuple(axes),
            reps=self._reps(),
            seed=self._whole_number("seed", 1),
            baseline=self._string("baseline", "a scheme of the study"),
            plugins=tuple(plugins),
        )

    def _scenario(self, fixed: Mapping[str, object]) -> Scenario:
        if isinstance(table := self._data.get("scenario"), Mapping):
            try:
                return changed(Scenario.load(table), fixed)
            except ScenarioError as error:
                raise InputError(str(error)) from None
        expected = 'a packaged scenario or a file, such as "last-hop", or a scenario as a table'
        name = self._string("scenario", expected)
        if name is None:
            raise InputError(f"scenario: is missing; expected {expected}")
        beside = self._folder / name
        try:
            scenario = Scenario.load(beside if name.endswith(".toml") or is_file(beside) else name)
        except InputError as error:
            raise InputError(f"scenario: {error}") from None
        return changed(scenario, fixed)

    def _axes(self) -> list[Axis]:
        axes = [Axis.of(path, values) for path, values in flattened(self._table("vary")).items()]
        zips = self._data.get("zip", [])
        if not isinstance(zips, list) or not all(isinstance(table, Mapping) for table in zips):
            raise InputError(f"zip: expected tables with double brackets, [[zip]], got {zips!r}")
        return axes + [Axis.zipped(flattened(table), f"zip[{place}]") for place, table in enumerate(zips)]

    def _reps(self) -> int | Until:
        if "until" not in self._data:
            return self._whole_number("reps", DEFAULT_REPS)
        if "reps" in self._data:
            raise InputError("until: a study has either `reps` or `until`, not both")
        return Until.read(self._data["until"])

    def _plugins(self) -> list[str]:
        """List plugins: modules, and files relative to the folder of the study file."""
        names = self._data.get("plugins", [])
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise InputError(
                f'plugins: expected a list of files and modules, such as ["mine.py"], got {names!r}'
            )
        return [_portable(self._folder, name) for name in names]

    def _whole_number(self, key: str, default: int) -> int:
        value = self._data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise InputError(f"{key}: expected a whole number, got {value!r}")
        return value

    def _table(self, key: str) -> Mapping[str, object]:
        table = self._data.get(key, {})
        if not isinstance(table, Mapping):
            raise InputError(f"{key}: expected a table, [{key}], got {table!r}")
        return table

    def _string(self, key: str, expected: str) -> str | None:
        value = self._data.get(key)
        if value is not None and not isinstance(value, str):
            raise InputError(f"{key}: expected {expected}, got {value!r}")
        return value

    def _placed(self, problem: str) -> str:
        """Prefix a problem with the file, and with the line if the key is on a single line."""
        key = re.split(r"[:=]", problem, maxsplit=1)[0]
        first, _, rest = key.partition(".")
        for candidate in filter(None, (key, rest, first)):
            begins = re.compile(rf"""\s*["']?{re.escape(candidate)}["']?\s*=""")
            lines = [number for number, line in enumerate(self._text.splitlines(), 1) if begins.match(line)]
            if len(lines) == 1:
                return f"{self._name}:{lines[0]}: {problem}"
        return f"{self._name}: {problem}"


def _portable(folder: Path, plugin: str | Path) -> str:
    """Return the absolute path of a Python file, so that reports in other folders find it.

    Module names stay unchanged.
    """
    return str((folder / plugin).absolute()) if str(plugin).endswith(".py") else str(plugin)
