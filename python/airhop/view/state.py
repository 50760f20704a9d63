"""State of the page: scenario and changes, schemes, seed, replications, and flow of the graphs.

The state is stored as a study file, which `airhop view` and `airhop sweep` both read.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from airhop.boundary.shell import command_line
from airhop.catalogue import scheme as find_scheme
from airhop.comparison.arms import Arm, arms
from airhop.errors import InputError, ScenarioError, did_you_mean, shortened
from airhop.files import read_text
from airhop.scenario import SCHEME, Scenario, packaged, toml_literal
from airhop.simulate import Job
from airhop.study.axis import flattened
from airhop.view.shown import FIRST, Shown

OPENING_DURATION_S = 20.0
"""Initial duration in s of longer scenarios, so that a run takes milliseconds. A slider changes the duration.
"""
OPENING_REPS = 10
"""Initial number of replications, as of `airhop compare`."""
MOST_REPS = 20
MOST_SEED = 2**31 - 1
STUDY_KEYS = (
    "name",
    "scenario",
    "seed",
    "reps",
    "until",
    "baseline",
    "plugins",
    "set",
    "vary",
    "zip",
    "view",
)
HEADER = """\
# State of `airhop view`. `airhop view FILE` opens the state; `airhop sweep FILE` computes the table.
"""


@dataclass(frozen=True)
class State:
    """State from which everything on the page follows."""

    base: Scenario
    """Scenario before the changes of `sets`."""
    source: str | None
    """Packaged name or path of `base`; None if the file of the state contains the scenario."""
    sets: Mapping[str, object] = field(default_factory=dict)
    schemes: tuple[str, ...] = ()
    seed: int = 1
    reps: int = OPENING_REPS
    shown: Shown = FIRST
    """Replication, and flow or class, in the graphs."""
    plugins: tuple[str, ...] = ()
    """Files and modules with schemes in Python. Only the command line loads them, never an opened state."""

    @classmethod
    def of(cls, source: str) -> State:
        """Return the initial state of a packaged scenario, a scenario file, or a study file.

        Raises InputError or ScenarioError for anything else.
        """
        if source not in packaged() and _is_study(Path(source)):
            text = read_text(Path(source), "a study", ())
            return cls.from_toml(text, source, Path(source).parent)
        return cls._initial(Scenario.load(source), source)

    @classmethod
    def of_packaged(cls, name: str) -> State:
        """Return the initial state of the packaged scenario `name`, given by a request.

        Raises InputError if no such packaged scenario exists. Files of that name are ignored.
        """
        return cls._initial(Scenario.received(name), name)

    @classmethod
    def uploaded(cls, text: str, name: str) -> State:
        """Return the state of an uploaded study or scenario.

        Raises InputError or ScenarioError for any other text, and for a text that names a file. No file is
        read, and no code in the text is executed.
        """
        document = _toml(text, name)
        if "scenario" in document:
            return cls.from_toml(text, name)
        return cls._initial(Scenario.received(document), None)

    @classmethod
    def _initial(cls, base: Scenario, source: str | None) -> State:
        _check_flows(base, source or base.name)
        return cls(base, source, _shorter(base), own_schemes(base))

    @classmethod
    def from_toml(cls, text: str, name: str, folder: Path | None = None) -> State:
        """Read the scenario, `[set]`, schemes, seed and reps of a study file.

        Axes other than `scheme` are ignored. Only `airhop sweep` varies them.

        `name` is used in messages. The study's scenario is a packaged name, a table, or a file relative to
        `folder`. Without `folder`, no file is read at all. No code in the text is executed, because the text
        may come from an untrusted source.
        """
        study = _toml(text, name)
        for key in study:
            if key not in STUDY_KEYS:
                near = did_you_mean(key, STUDY_KEYS)
                raise InputError(f"{name}: there is no key `{key}` in a study.{near}")
        base, source = _scenario(study.get("scenario"), name, folder)
        _check_flows(base, name)
        state = cls(
            base,
            source,
            flattened(_table(study, "set", name)),
            _schemes(_table(study, "vary", name), name) or own_schemes(base),
            _whole_number(study, "seed", name, 0, MOST_SEED),
            min(_whole_number(study, "reps", name, 1, 10**6, OPENING_REPS), MOST_REPS),
            Shown.from_table(_table(study, "view", name), name),
        )
        # report invalid changes and flows now, not after the page is open
        state.shown.check(name, state.scenario, state.seed)
        return state

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario with all changes; raises ScenarioError if a change is not accepted."""
        return self.base.with_(self.sets)

    @property
    def title(self) -> str:
        """Title of the scenario on the page."""
        return self.base.name

    def with_sets(self, changes: Mapping[str, object]) -> State:
        """Change values of the scenario by their paths."""
        return replace(self, sets={**self.sets, **changes})

    @cached_property
    def arms(self) -> list[Arm]:
        """Return the arms of the comparison: one per scheme."""
        return arms(self.scenario, self.schemes, {})

    def jobs(self) -> dict[tuple[str, int], Job]:
        """Return the runs behind the bars, by scheme and replication, in order of replication."""
        return {
            (arm.name, rep): Job(arm.scenario, self.seed, rep)
            for rep in range(self.reps)
            for arm in self.arms
        }

    def portions(self) -> list[int]:
        """Return the numbers of replications after which the page shows a long comparison, ascending.

        The number 2 is only shown if it is the last, because the t interval with one degree of freedom is too
        wide.
        """
        return [*(reps for reps in (1, 3) if reps < self.reps), self.reps]

    def command(self) -> str:
        """Return the command that repeats the runs in a terminal."""
        source, *sets = self.scenario.arguments()
        plugins = [word for plugin in self.plugins for word in ("--with", plugin)]
        luck = ["--reps", str(self.reps), "--seed", str(self.seed)]
        return command_line(["airhop", "compare", source, *self.schemes, *sets, *luck, *plugins])

    def to_toml(self) -> str:
        """Return the text of a study file for `from_toml`.

        A scenario without a `source` is included in full.
        """
        shared = self.source if self.source in packaged() else self.base.written()
        lines = [
            HEADER,
            f"scenario = {toml_literal(shared)}",
            f"seed = {self.seed}",
            f"reps = {self.reps}",
            *([f"plugins = {toml_literal(list(map(_absolute, self.plugins)))}"] if self.plugins else []),
            "\n[set]",
            *(f"{toml_literal(path)} = {toml_literal(value)}" for path, value in self.sets.items()),
            "\n[vary]",
            f"scheme = {toml_literal(list(self.schemes))}",
            *self.shown.to_toml(),
        ]
        return "\n".join(lines) + "\n"


def own_schemes(scenario: Scenario) -> tuple[str, ...]:
    """Return the schemes of a scenario's TCP flows, in the order of the file."""
    schemes = (flow["scheme"] for flow in scenario.to_dict()["flow"] if "scheme" in flow)
    return tuple(dict.fromkeys(one if isinstance(one, str) else one["name"] for one in schemes))


def _shorter(scenario: Scenario) -> dict[str, object]:
    """Return the change that shortens the initial duration.

    Empty if the scenario is already shorter, or needs more time.
    """
    sets = {"duration": f"{OPENING_DURATION_S:g} s"}
    if scenario.duration_s <= OPENING_DURATION_S:
        return {}
    try:
        scenario.with_(sets)
    except ScenarioError:  # a flow starts, or a link changes, after that duration
        return {}
    return dict(sets)


def _is_study(path: Path) -> bool:
    """Return whether a file has the form of a study file; False for all other and unreadable files."""
    try:
        return "scenario" in tomllib.loads(read_text(path, "a study", ()))
    # a missing file, a file that is no text, or invalid TOML; all these errors are ValueErrors
    except ValueError:
        return False


def _toml(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{name} is not TOML: {error}") from None


def _scenario(value: object, name: str, folder: Path | None) -> tuple[Scenario, str | None]:
    load = Scenario.received if folder is None else Scenario.load
    if isinstance(value, Mapping):
        return load(value), None
    if not isinstance(value, str):
        raise InputError(f"{name}: `scenario` must be a packaged name, a file or a table")
    if value in packaged():
        return load(value), value
    if folder is None:
        raise InputError(
            f"{name}: the scenario `{shortened(value)}` is not packaged, and the page opens no files that a "
            "study names: start `airhop view` with the study file"
        )
    path = folder / value
    return Scenario.load(path), str(path)


def _check_flows(scenario: Scenario, name: str) -> None:
    if not scenario.tcp_flows():
        raise InputError(f"{name} has no TCP flow, and the page compares schemes of TCP flows")


def _table(study: Mapping[str, Any], key: str, name: str) -> Mapping[str, Any]:
    value = study.get(key, {})
    if not isinstance(value, Mapping):
        raise InputError(f"{name}: `{key}` must be a table, [{key}]")
    return value


def _schemes(vary: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Read the schemes of a study; empty if the study does not vary the scheme."""
    if SCHEME not in vary:
        return ()
    schemes = vary[SCHEME]
    if not isinstance(schemes, list) or not all(isinstance(scheme, str) for scheme in schemes):
        raise InputError(
            f"{name}: `vary.scheme` must be a list of names; the page supports no parameters of schemes"
        )
    if not schemes:
        raise InputError(f"{name}: `vary.scheme` names no scheme")
    for scheme in schemes:
        find_scheme(scheme)
    return tuple(dict.fromkeys(schemes))


def _whole_number(
    study: Mapping[str, Any], key: str, name: str, least: int, most: int, default: int = 1
) -> int:
    value = study.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError(f"{name}: `{key}` must be a whole number from {least} to {most}, not {value!r}")
    return value


def _absolute(plugin: str) -> str:
    """Return the absolute path of a plugin file; modules stay unchanged."""
    return str(Path(plugin).absolute()) if plugin.endswith(".py") else plugin
