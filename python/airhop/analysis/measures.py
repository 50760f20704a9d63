"""Measures of flows, classes, queues, stations and runs; each is a column of data frames and stores.

The list is defined in `crates/net/src/report/measures.rs`, in the order of the run document.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from airhop import _core


@dataclass(frozen=True)
class Measure:
    """A measure of a flow, of a class of flows, of a queue, of a station, or of a run."""

    column: str
    """Name of the measure in data frames, stores and formulas."""
    of: Literal["flow", "class", "queue", "station", "run"]
    path: tuple[str, ...]
    """Path of the value as keys, outermost first. The path starts at the flow, class, queue or station, or at
    the whole run document.
    """
    label: str
    """Name on axes and in menus."""
    short: str
    """Heading of a narrow column. Spaces are possible line breaks."""
    unit: str
    """Unit; empty for counts and ratios."""
    about: str
    """Definition."""
    over_flows: Literal["sum", "mean", "first", "apart"]
    """Aggregation of flows into a run. "sum": over the TCP flows. "mean": over the flows with a value.
    "first": the value is equal in all flows. "apart": no aggregation.
    """
    after_warm_up: bool
    """True if the measure excludes the warm-up. False for a value at the end of the run."""
    of_real: bool
    """True if Airhop also knows the value for real senders. False if only the sender's kernel knows the
    value.
    """
    is_count: bool
    """True if the measure is a whole number."""

    @property
    def most(self) -> float:
        """Largest possible value: 1 for shares and indices, infinite for all other measures.

        Shares and indices have no unit, are no counts, and are in no group such as `call`.
        """
        return math.inf if self.unit or self.is_count or len(self.path) > 1 else 1.0

    @property
    def heading(self) -> str:
        """Heading of a narrow column, with the unit."""
        return "\n".join(filter(None, (*self.short.lower().split(), self.unit)))

    @property
    def title(self) -> str:
        """Label and unit in a line of text."""
        first = self.label.split()[0]
        is_name = "'" in first or not first[1:].islower()
        label = self.label if is_name else self.label[:1].lower() + self.label[1:]
        return f"{label}, {self.unit}" if self.unit else label

    def value(self, document: Mapping[str, Any]) -> Any:
        """Return the value in the document of a flow or a run.

        Returns None if the run has no value, if only a real kernel knows the value, or if the document is
        from an earlier version without the measure. In an empty group, counts are 0.
        """
        found: Any = document
        for key in self.path:
            if found is None:
                return 0 if self.is_count and not is_real(document) else None
            if key not in found:
                return None
            found = found[key]
        return found


def _declared() -> tuple[Measure, ...]:
    entries: list[dict[str, Any]] = json.loads(_core.measures())
    return tuple(Measure(**entry | {"path": tuple(entry["path"])}) for entry in entries)


_DECLARED = _declared()
OF_FLOWS = tuple(measure for measure in _DECLARED if measure.of == "flow")
"""Measures of a flow."""
OF_CLASSES = tuple(measure for measure in _DECLARED if measure.of == "class")
"""Measures of a class of flows. The columns begin with `class_`. All flows of a class have equal values."""
OF_RUNS = tuple(measure for measure in _DECLARED if measure.of == "run")
"""Measures of a run as a whole."""
OF_QUEUES = tuple(measure for measure in _DECLARED if measure.of == "queue")
"""Measures of a queue, only in the run document."""
OF_STATIONS = tuple(measure for measure in _DECLARED if measure.of == "station")
"""Measures of a station of an 802.11 cell, only in the run document."""
MEASURES = {measure.column: measure for measure in _DECLARED if measure.of not in ("queue", "station")}
"""Measures of flows, classes and runs, by column."""


EARLIER = "all"
"""Class of all flows in documents of earlier versions without classes."""


def columns(group: str) -> tuple[str, ...]:
    """List a flow's columns in a group of the run document, such as `notices`."""
    of_group = (measure for measure in _DECLARED if measure.of != "class" and measure.path[0] == group)
    return tuple(measure.column for measure in of_group)


GOODPUT, ACTIVE, LOSS = "goodput_mbps", "active_mbps", "loss"
AIRTIME_JAIN = "airtime_jain"
"""Column of Jain's index of the stations' airtimes."""
NOTICES = columns("notices")
JUDGEMENTS = columns("judgements")
DROPS = columns("drops")
SUMS = tuple(
    measure.column
    for measure in OF_FLOWS
    if measure.over_flows == "sum" and measure.column not in (*NOTICES, *JUDGEMENTS)
)
"""Counts and rates of a flow that are summed over the TCP flows of a run."""
MEANS = tuple(measure.column for measure in OF_FLOWS if measure.over_flows == "mean")
"""Measures averaged over the flows of a run. Flows without a value are left out."""


def is_real(flow: Mapping[str, Any]) -> bool:
    """Return whether a flow runs between real hosts; measures that only a kernel knows are then null."""
    return flow.get("judgements", ()) is None


def class_of(flow: Mapping[str, Any]) -> str:
    """Return the class of a flow; all flows in documents of earlier versions have the class `EARLIER`."""
    return str(flow.get("class", EARLIER))


def of_class(group: Mapping[str, Any]) -> dict[str, Any]:
    """Select all measures of a class, by column; `group` is the class in a run document."""
    return {measure.column: measure.value(group) for measure in OF_CLASSES}


def of_flow(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Select all measures of a flow of a run document, by column."""
    return {measure.column: measure.value(flow) for measure in OF_FLOWS}


def aggregate_flows(
    flows: Sequence[Mapping[str, Any]], names: Iterable[str], transport: str = "tcp"
) -> dict[str, float | None]:
    """Aggregate measures over the flows of a run document, by column.

    Sums are over the flows of `transport`, and means over all flows with a value.
    """
    summed = [flow for flow in flows if flow["transport"] == transport]
    return {name: _total(MEASURES[name], flows, summed) for name in names}


def _total(
    measure: Measure, flows: Sequence[Mapping[str, Any]], summed: Sequence[Mapping[str, Any]]
) -> float | None:
    if measure.over_flows == "sum":
        return float(sum(measure.value(flow) or 0 for flow in summed))
    found = [value for flow in flows if (value := measure.value(flow)) is not None]
    return sum(found) / len(found) if found else None
