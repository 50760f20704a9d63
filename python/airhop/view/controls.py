"""Sliders over the values of scenario paths."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from airhop.errors import ScenarioError
from airhop.scenario import Scenario
from airhop.study.quantity import read_quantity

STEPS = ("1", "1.5", "2", "3", "5", "7")
"""Slider values within a decade; each value is about 1.5 times the previous value."""
RATES = (0.0, *(float(f"{step}e{decade}") for decade in (-4, -3, -2) for step in STEPS), 0.1, 0.15, 0.2, 0.3)
DELAYS_S = (0.0, *(float(f"{step}e{decade}") for decade in (-3, -2, -1) for step in STEPS), 1.0)
FADES_S = (0.1, 0.2, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
DURATIONS_S = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
ATTEMPTS = tuple(range(1, 11))
COPIES = tuple(range(1, 11))
Number = TypeVar("Number", int, float)
UNITS_S = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass(frozen=True)
class Control:
    """Slider that sets one path of a scenario, or several related paths."""

    label: str
    paths: tuple[str, ...]
    values: tuple[object, ...]
    """Values for the scenario, ascending."""
    texts: tuple[str, ...]
    """Values as text for readers."""
    place: int
    """Index in `values` of the scenario's value."""

    def changes(self, place: int) -> dict[str, object]:
        """Return the scenario changes for a position of the slider."""
        return dict.fromkeys(self.paths, self.values[place])


@dataclass(frozen=True)
class _Link:
    """Link of the scenario: its path, and its effective values."""

    medium: str
    name: str
    """Name of the link in paths of the scenario; all copies of a link have one name with `*`."""
    values: Mapping[str, Any]

    def path(self, key: str) -> str:
        return f"{self.medium}.{self.name}.{key}"


def controls(scenario: Scenario) -> list[Control]:
    """List the sliders of a scenario, the most important first."""
    links = list(_links(scenario))
    return [
        *_error_rates(links),
        *_fades(links),
        *_delays(links),
        *_attempts(links),
        *_copies(scenario),
        _duration(scenario.to_dict()),
    ]


def _links(scenario: Scenario) -> Iterator[_Link]:
    """Yield all links; copies of a link are represented by the first copy."""
    written, effective = scenario.written(), scenario.to_dict()
    for medium in ("wlan", "radio", "wired"):
        for table in written.get(medium, []):
            copy = re.compile(re.escape(table["name"]).replace(r"\*", r"\d+"))
            values = next(link for link in effective[medium] if copy.fullmatch(link["name"]))
            yield _Link(medium, table["name"], values)


def _error_models(links: Sequence[_Link]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each error model: link or direction, path in the scenario, and values."""
    for link in links:
        errors = link.values.get("errors", {})
        models = enumerate(errors) if isinstance(errors, list) else [(None, errors)]
        for index, model in models:
            at = "errors" if index is None else f"errors.{index}"
            yield model.get("direction") or link.name, link.path(at), model


def _error_rates(links: Sequence[_Link]) -> Iterator[Control]:
    for of, path, model in _error_models(links):
        for key, what in (("fer", "Frame error rate"), ("loss", "Loss rate")):
            if key in model:
                rates, place = _with_value(RATES, float(model[key]))
                texts = tuple(f"{100 * rate:.3g} %" for rate in rates)
                yield Control(f"{what} of {of}", (f"{path}.{key}",), tuple(rates), texts, place)


def _fades(links: Sequence[_Link]) -> Iterator[Control]:
    for of, path, model in _error_models(links):
        if model.get("kind") == "two-state":
            yield _times(f"Mean fade of {of}", (f"{path}.bad",), model["bad"], FADES_S)


def _delays(links: Sequence[_Link]) -> Iterator[Control]:
    """Yield a slider for each group of links with the same medium and delay.

    The slider sets them all.
    """
    alike: dict[tuple[str, str], list[_Link]] = {}
    for link in links:
        if isinstance(delays := link.values.get("delay"), dict):
            for way, delay in delays.items():
                yield _times(f"One-way delay {way}", (link.path(f"delay.{way}"),), delay, DELAYS_S)
        elif delays is not None:
            alike.setdefault((link.medium, delays), []).append(link)
    for (medium, delay), group in alike.items():
        everywhere = len(group) > 1 and len(group) == sum(link.medium == medium for link in links)
        of = f", {medium} links" if everywhere else f" of {_listed([link.name for link in group])}"
        paths = (f"{medium}.all.delay",) if everywhere else tuple(link.path("delay") for link in group)
        yield _times(f"One-way delay{of}", paths, delay, DELAYS_S)


def _attempts(links: Sequence[_Link]) -> Iterator[Control]:
    for link in links:
        for key, values, of in (
            ("attempts", link.values, link.name),
            ("arq.attempts", link.values.get("arq", {}), "->".join(link.values.get("ends", ()))),
        ):
            if "attempts" in values:
                label = f"Attempts per frame on {of}"
                yield _counts(label, link.path(key), values["attempts"], ATTEMPTS)


def _copies(scenario: Scenario) -> Iterator[Control]:
    """Yield a slider for the number of copies of each table with `*` in its name.

    The effective scenario contains only the copies, so the range is found by trial.
    """
    try:
        copies = [number for number in COPIES if scenario.with_({"copies": number}) == scenario]
    except ScenarioError:  # the table is no set of copies
        return
    if copies:
        yield _counts("Connections", "copies", copies[0], COPIES)


def _duration(effective: Mapping[str, Any]) -> Control:
    """Return the slider of the duration.

    All values exceed the warm-up, the starts of flows, and the first changes of links.
    """
    starts = [flow["start"] for flow in effective["flow"]]
    links = [*effective.get("wired", ()), *effective.get("radio", ())]
    changes = [change["at"] for link in links for change in _listing(link.get("changes", ()))]
    least = max(map(_seconds, [effective["warmup"], *starts, *changes]))
    stops = [stop for stop in DURATIONS_S if stop > least]
    return _times("Simulated time", ("duration",), effective["duration"], stops)


def _listing(tables: Any) -> Sequence[Mapping[str, Any]]:
    """Return a list of tables unchanged, and a single table as a list."""
    return [tables] if isinstance(tables, Mapping) else tables


def _counts(label: str, path: str, value: int, ladder: Sequence[int]) -> Control:
    values, place = _with_value(ladder, value)
    return Control(label, (path,), tuple(values), tuple(map(str, values)), place)


def _times(label: str, paths: tuple[str, ...], value: str, ladder_s: Sequence[float]) -> Control:
    ladder, place = _with_value(ladder_s, _seconds(value))
    texts = tuple(map(duration, ladder))
    return Control(label, paths, texts, texts, place)


def _seconds(text: str) -> float:
    quantity = read_quantity(text)
    assert quantity is not None  # the core formats quantities so that they can be parsed
    return quantity.to("s")


def _with_value(stops: Sequence[Number], value: Number) -> tuple[list[Number], int]:
    """Return the values with the scenario's own value included, and the index of that value."""
    ladder = list(stops)
    if value not in ladder:
        ladder.append(value)
        ladder.sort()
    return ladder, ladder.index(value)


def duration(value_s: float) -> str:
    """Format a duration in a suitable unit: `10 ms`."""
    unit = next((unit for unit, size in UNITS_S.items() if value_s >= size), "s")
    return f"{value_s / UNITS_S[unit]:.9g} {unit}"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
