"""Law of the tables `stations`, `links` and `fades`, given by the scenario and its files."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from airhop.verify.trace import ROUNDING, Finding, Trace, listed, model_at, quantity, spans, ways

_CLOSE = 1e-6
"""Tolerance of positions in metres."""
_SAME = 1e-9
"""Maximum relative difference of a recorded rate or delay from the planned value."""


def check(trace: Trace) -> Iterator[Finding]:
    """Compare each table with the scenario, and the two directions of a link against each other."""
    yield from _stations(trace)
    yield from _links(trace)
    yield from _fades(trace)


def _stations(trace: Trace) -> Iterator[Finding]:
    """Compare the position of each station with the scenario, in the order of the scenario."""
    recorded: defaultdict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for wlan, *station in trace.tables["stations"].select("wlan", "station", "x_m", "y_m").iter_rows():
        recorded[wlan].append(tuple(station))
    for plan in trace.scenario.get("wlan", []):
        found, places = recorded.pop(plan["name"], []), _places(plan)
        if [name for name, *_ in found] != list(places):
            yield _finding(plan["name"], f"its stations are {', '.join(places)}")
            continue
        for name, x, y in found:
            low, high = places[name]
            if not all(a - _CLOSE <= b <= c + _CLOSE for a, b, c in zip(low, (x, y), high, strict=True)):
                yield _finding(plan["name"], f"{name} is not at ({x}, {y})")
    for wlan in recorded:
        yield _finding(wlan, "there is no wlan of this name")


_Place = tuple[float, float]


def _places(plan: Mapping[str, Any]) -> dict[str, tuple[_Place, _Place]]:
    """Return the corners of each station's area.

    Without a random position, the area is one point.
    """
    if "stations" in plan:
        return {name: (tuple(place), tuple(place)) for name, place in plan["stations"].items()}
    layout = plan["layout"]
    match layout["kind"]:
        case "random":
            corner = (spans(layout["width"]), spans(layout["height"]))
            found = [((0.0, 0.0), corner)] * layout["nodes"]
        case kind:
            step = spans(layout["spacing"])
            found = [((x * step, y * step),) * 2 for x, y in _steps(kind, layout)]
    return {f"{layout['prefix']}{number}": corners for number, corners in enumerate(found)}


def _steps(kind: str, layout: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return the positions of a layout's stations in units of its spacing."""
    if kind == "chain":
        return [(x, 0) for x in range(layout["nodes"])]
    if kind == "grid":
        return [(x, y) for y in range(layout["rows"]) for x in range(layout["columns"])]
    arm = layout["arm"]
    return [*((x, 0) for x in range(2 * arm + 1)), *((arm, y) for y in range(-arm, arm + 1) if y)]


def _links(trace: Trace) -> Iterator[Finding]:
    """Compare the phases of each link direction with the changes in the scenario."""
    rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
    if "links" in trace.tables:
        for time, place, *row in trace.rows("links", "place", "rate_mbps", "delay_ms"):
            rows[place].append((time, *row))
    for plan in [*trace.scenario.get("wired", []), *trace.scenario.get("radio", [])]:
        for place, way in ways(plan):
            if not _equals_phases(rows.pop(place, []), _timetable(way, trace.duration)):
                yield _finding(
                    place, "it changes at other times, or to another rate or delay, than it should"
                )
    for place in rows:
        yield _finding(place, "there is no such link")


_Phase = tuple[int, float | None, float]
"""Phase of a link direction: start, rate in Mbit/s, and delay in ms.

The rate is 0 in an outage, and None if a file defines the rate.
"""


def _timetable(way: Mapping[str, Any], duration: int) -> list[_Phase]:
    """Return the phases of a direction, from its changes.

    Outages that are recorded as fades are left out.
    """
    changes = [change for change in way["changes"] if change["kind"] != "outage" or change["fate"] != "lost"]
    rate = quantity(way["rate"]) / 1e6 if "rate" in way else None
    delay = quantity(way["delay"]) / 1e6
    phases: list[_Phase] = [(0, rate, delay)] if changes else []
    # At equal times, ends precede begins; among ends or begins, the order of the scenario applies.
    marks = sorted(
        mark
        for number, change in enumerate(changes)
        for begin in _times(change, duration)
        for mark in ((begin, True, number), (begin + _outage_length(change), False, number))
        if mark[0] < duration and (mark[1] or _outage_length(change))
    )
    is_silent = False
    for time, begins, number in marks:
        change = changes[number]
        if not begins or not _outage_length(change):
            rate = quantity(change["rate"]) / 1e6 if "rate" in change else rate
            delay = quantity(change["delay"]) / 1e6 if "delay" in change else delay
        is_silent = begins if _outage_length(change) else is_silent
        phase = (time, 0.0 if is_silent else rate, delay)
        if phases[-1][0] == time:
            phases[-1] = phase
        elif phase[1:] != phases[-1][1:] or (begins and _outage_length(change)):
            phases.append(phase)
    return phases


def _times(change: Mapping[str, Any], duration: int) -> Iterator[int]:
    """Yield the times at which a change begins."""
    at = round(quantity(change["at"]))
    yield from range(at, duration, round(quantity(change["every"]))) if "every" in change else (at,)


def _outage_length(change: Mapping[str, Any]) -> int:
    """Return the length in ns of an outage or handoff gap."""
    return round(quantity(change.get("lasts", change.get("gap", "0 s"))))


def _equals_phases(recorded: list[tuple[Any, ...]], planned: list[_Phase]) -> bool:
    """Return whether the recorded phases equal the planned phases."""
    return len(recorded) == len(planned) and all(
        abs(time - at) <= ROUNDING
        and (rate is None or (mbps is not None and math.isclose(mbps, rate, rel_tol=_SAME)))
        and math.isclose(ms, delay, rel_tol=_SAME, abs_tol=_SAME)
        for (time, mbps, ms), (at, rate, delay) in zip(recorded, planned, strict=True)
    )


def _fades(trace: Trace) -> Iterator[Finding]:
    """Check the fades of each direction: their order, their file, and that shared fades are equal."""
    fades: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    begins, ends = trace.times("fades", "begin_s"), trace.times("fades", "end_s")
    for place, begin, end in zip(trace.tables["fades"]["place"].to_list(), begins, ends, strict=True):
        fades[place].append((begin, end))
    for place, bad in fades.items():
        times = [time for fade in bad for time in fade]
        if any(before >= after for before, after in pairwise(times)):
            yield _finding(place, "a fade begins before the last one is over, or ends before it begins")
        if times[0] < 0 or times[-1] > trace.duration:
            yield _finding(place, "a fade beyond the run")
    for errors, directions in _faded(trace):
        for place, back in zip(directions, directions[::-1], strict=True):
            bad = fades.pop(place, [])
            if errors["kind"] == "recorded":
                if bad != _of_file(errors["file"], trace.duration):
                    yield _finding(place, "its fades are not those of its file")
            elif back != place and bad != fades.get(back, bad):
                yield _finding(place, "its fades are not those of the other direction")
    for plan in [*trace.scenario.get("wired", []), *trace.scenario.get("radio", [])]:
        for place, way in ways(plan) if _loses_at_times(plan) else ():
            if not _has_outages(place, way, fades.pop(place, []), trace.duration):
                yield _finding(place, "its fades are not the outages that lose what is sent")
    for place in fades:
        yield _finding(place, "it fades, and its channel has no times that are bad")


def _has_outages(place: str, way: Mapping[str, Any], bad: list[tuple[int, int]], duration: int) -> bool:
    """Return whether the fades of a direction are exactly its outages and its channel's fades."""
    outages = _joined(
        sorted(
            (begin, min(begin + _outage_length(change), duration))
            for change in way["changes"]
            if change["kind"] == "outage" and change["fate"] == "lost"
            for begin in _times(change, duration)
            if begin < duration
        )
    )
    model = model_at(way["errors"], place)
    if model is None or not _is_fading(model):
        return bad == outages
    return all(any(first <= begin and end <= last for first, last in bad) for begin, end in outages)


def _faded(trace: Trace) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    """List the error models that fade in time.

    Each comes with the directions that share its fades.
    """
    for kind in ("wired", "radio", "wlan"):
        for plan in trace.scenario.get(kind, []):
            if _loses_at_times(plan) or not any(map(_is_fading, listed(plan["errors"]))):
                continue
            pairs = [plan["ends"]] if kind != "wlan" else trace.hearing(plan["name"])
            for a, b in pairs:
                there, back = (model_at(plan["errors"], place) for place in (f"{a}->{b}", f"{b}->{a}"))
                shared = [(there, [f"{a}->{b}", f"{b}->{a}"])]
                apart = [(there, [f"{a}->{b}"]), (back, [f"{b}->{a}"])]
                for model, places in shared if there is back else apart:
                    if model is not None and _is_fading(model):
                        yield model, places


def _is_fading(model: Mapping[str, Any]) -> bool:
    """Return whether an error model changes in time.

    The trace then has its fades.
    """
    return model["kind"] in ("two-state", "recorded")


def _loses_at_times(plan: Mapping[str, Any]) -> bool:
    """Return whether a link's outages lose frames on the air.

    The trace records such outages as fades.
    """
    return any(change.get("fate") == "lost" for change in listed(plan.get("changes", [])))


def _of_file(name: str, duration: int) -> list[tuple[int, int]]:
    """Read the fades of a recorded channel, repeated to the end of the run."""
    with open(name, encoding="utf-8") as file:  # noqa: PTH123
        rows = [tuple(round(float(cell) * 1e9) for cell in line.split(",")) for line in list(file)[1:]]
    fades: list[tuple[int, int]] = []
    start = 0
    while rows and start < duration:
        fades += [(start + begin, min(start + end, duration)) for begin, end in rows]
        start += rows[-1][1]
    return _joined([fade for fade in fades if fade[0] < duration])


def _joined(fades: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Merge two adjacent fades."""
    found: list[tuple[int, int]] = []
    for begin, end in fades:
        if found and found[-1][1] == begin:
            begin = found.pop()[0]
        found.append((begin, end))
    return found


def _finding(place: str, text: str) -> Finding:
    return Finding("plan", 0.0, place, text)
