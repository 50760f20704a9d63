"""Arms of a comparison: variants of one scenario, by scheme and by the values of keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import product
from typing import Any

from airhop.comparison.schemes import scheme_axis
from airhop.errors import InputError, did_you_mean
from airhop.scenario import Scenario
from airhop.study.axis import Axis, Scalar, text

LINKS = ("wired", "radio", "wlan")
"""Names of a scenario's tables that define links."""


@dataclass(frozen=True)
class Arm:
    """Variant of a scenario that a comparison runs."""

    name: str
    """Values that distinguish the arm, as in `cubic` or `cubic, fq-codel`."""
    scenario: Scenario
    changes: Mapping[str, Any]
    """Changed values by path in the scenario."""
    columns: Mapping[str, Scalar]
    """Values that distinguish the arm, by column of `Comparison.frame`, as in {"wlan.cell.attempts": 7}."""


def arms(
    scenario: Scenario,
    schemes: Sequence[str | Mapping[str, Any]],
    vary: Mapping[str, object],
    seed: int = 1,
) -> list[Arm]:
    """Return the arms, one for each scheme with each combination of values; the first is the baseline.

    Parameters
    ----------
    scenario
        Scenario that the arms change.
    schemes
        Names, tables with parameters, or schemes by class of flows such as `bulk=bbr,web=cubic`. Empty: the
        flows keep the schemes of the scenario.
    vary
        Lists of values, or ranges such as {"log": [1e-4, 1e-1], "points": 7}, by path or by key. A key such
        as `queue` applies to all links with the key. A word such as `drop-tail` names a kind. A link that
        already has the kind keeps the settings. Any other link gets the defaults of the kind.
    seed
        Seed of the comparison. The seed determines random ends of flows, and thus the classes of these flows.

    Raises
    ------
    InputError
        When a value occurs twice, a key occurs in no link, or a class is unknown.
    """
    axes = [_Varied(scheme_axis(scenario, schemes, seed))] if schemes else []
    axes += [_varied(scenario, key, values) for key, values in vary.items()]
    return [_arm(scenario, axes, places) for places in product(*(range(len(one.axis)) for one in axes))]


@dataclass(frozen=True)
class _Varied:
    """Axis of a comparison."""

    axis: Axis
    unchanged: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """Paths at which the scenario already has the kind, by index of the value."""


def _varied(scenario: Scenario, key: str, values: object) -> _Varied:
    """Return the axis of a key; a word names a kind, so that `pie` means { kind = "pie" }."""
    found = paths(scenario, key)
    document = scenario.to_dict()
    unchanged = {}
    kinds = {path: _kinds(_at(document, path)) for path in found}
    if isinstance(values, list | tuple) and all(kinds.values()):
        words = {place: value for place, value in enumerate(values) if isinstance(value, str)}
        unchanged = {
            place: [path for path, own in kinds.items() if own == {word}] for place, word in words.items()
        }
        values = [{"kind": value} if isinstance(value, str) else value for value in values]
    return _Varied(Axis.zipped(dict.fromkeys(found, values), "vary"), unchanged)


def _at(document: Any, path: str) -> Any:
    """Return the value at a path of the effective scenario; None if the path has no value."""
    for word in path.split("."):
        if isinstance(document, list):
            document = next((one for one in document if fnmatchcase(one.get("name", ""), word)), None)
        else:
            document = document.get(word) if isinstance(document, Mapping) else None
    return document


def _kinds(value: object) -> set[str]:
    """Return the kinds of a table, or of a list of tables (queues per direction); empty without kinds."""
    tables = value if isinstance(value, list) else [value]
    kinds = [one["kind"] for one in tables if isinstance(one, Mapping) and "kind" in one]
    return set(kinds) if len(kinds) == len(tables) else set()


def _arm(scenario: Scenario, axes: Sequence[_Varied], places: Sequence[int]) -> Arm:
    changes: dict[str, Any] = {}
    columns: dict[str, Scalar] = {}
    words = []
    for one, place in zip(axes, places, strict=True):
        axis, unchanged = one.axis, one.unchanged.get(place, ())
        given = zip(axis.paths, axis.values[place], strict=True)
        changes |= {path: value for path, value in given if path not in unchanged}
        columns |= {name: column[place] for name, column in axis.columns.items()}
        words.append(axis.names[place] if axis.names else text(axis.values[place][0]))
    return Arm(", ".join(words), scenario.with_(changes), changes, columns)


def paths(scenario: Scenario, key: str) -> list[str]:
    """Return the paths that a key of `vary` selects.

    A path, or a top-level key such as `duration`, selects one value. Any other key selects all link keys of
    this name.
    """
    document = scenario.to_dict()
    if "." in key or (key in document and not isinstance(document[key], list)):
        return [key]
    found = [f"{kind}.{name}.{key}" for kind, name, link in _links(scenario) if key in link]
    if not found:
        keys = {known for *_, link in _links(scenario) for known in link}
        raise InputError(
            f"vary: no link of {scenario.name} has the key `{key}`.{did_you_mean(key, keys)} "
            "Expected a key of a link, or a path such as flow.ftp.tcp.preset"
        )
    return found


def _links(scenario: Scenario) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield type, name in the file, and effective table of each link.

    The first copy of a link stands for all copies.
    """
    document, written = scenario.to_dict(), scenario.written()
    for kind in LINKS:
        for name in (link["name"] for link in written.get(kind, ())):
            yield kind, name, next(link for link in document[kind] if fnmatchcase(link["name"], name))
