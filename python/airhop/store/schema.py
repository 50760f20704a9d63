"""The columns of the dataset, with one row per flow and run, and the conversion of runs into rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from airhop.analysis.measures import JUDGEMENTS, OF_CLASSES, OF_FLOWS, OF_RUNS, Measure, of_class, of_flow

_KEYS: dict[str, pl.DataType | type[pl.DataType]] = {
    "run_id": pl.String,  # 32 hex digits, digest of simulator, scenario, seed and rep
    "scenario": pl.String,  # name of the scenario, as in its file
    "scheme": pl.String,  # scheme of this flow; null for UDP
    "flow": pl.String,
    "transport": pl.String,  # tcp or udp
    "from": pl.String,
    "to": pl.String,
    "class": pl.String,  # class of flows; null in rows of versions without classes
    "seed": pl.Int64,
    "rep": pl.Int64,
}
_JUDGED = tuple(measure for measure in OF_FLOWS if measure.column in JUDGEMENTS)
_OTHERS = tuple(measure for measure in OF_FLOWS if measure not in _JUDGED)
_OF_RUNS = sorted(OF_RUNS, key=lambda measure: measure.column == "events")


def _types(measures: Iterable[Measure]) -> dict[str, type[pl.DataType]]:
    return {measure.column: pl.Int64 if measure.is_count else pl.Float64 for measure in measures}


_MEASURED: dict[str, pl.DataType | type[pl.DataType]] = {
    "duration_s": pl.Float64,
    "warmup_s": pl.Float64,  # time that goodput and counters exclude
    **_types((*_OTHERS, *_JUDGED, *OF_CLASSES, *_OF_RUNS)),
    "fingerprint": pl.String,
    "airhop": pl.String,  # version of Airhop that computed the run
    "model": pl.String,  # hash of the simulator's sources
    "scenario_json": pl.Categorical(),  # canonical JSON; as a category, its text is stored once for all flows
}
COLUMNS = _KEYS | _MEASURED
"""Types of the fixed columns by name. The columns of a study's axes are between `rep` and `duration_s`.

All flows of a run repeat the values of the run, such as drops, events and fingerprint. Flows of the same
class repeat the values of the class. No column has a wall-clock time, so that equal runs have equal rows.
"""

IDENTITY = ("run_id", "flow")
"""Columns that identify a row."""


class FinishedRun(NamedTuple):
    """Stored data of one run, sufficient to recreate the run's rows."""

    run_id: str
    values: Mapping[str, Any]
    document: str
    scenario_json: str
    airhop: str
    model: str


def axis_values(values: Mapping[str, object]) -> dict[str, Any]:
    """Convert varied values to text, numbers and booleans.

    Values named like a fixed column are omitted, because the run document contains them.
    """
    return {name: _scalar(value) for name, value in values.items() if name not in COLUMNS}


def rows_of(runs: Iterable[FinishedRun]) -> pl.DataFrame:
    """Create the rows of these runs, sorted by run id, with the fixed columns and all axis columns in use."""
    rows: list[list[Any]] = []
    varied: list[Mapping[str, Any]] = []
    for run in runs:
        for row in _rows_of(run):
            rows.append(row)
            varied.append(run.values)
    columns = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
    series = [
        _series(name, column, dtype) for (name, dtype), column in zip(COLUMNS.items(), columns, strict=True)
    ]
    for name in set().union(*varied):
        axis = _axis(name, [values.get(name) for values in varied])
        if axis.dtype != pl.Null:
            series.append(axis)
    return _in_order(pl.DataFrame(series))


def _series(name: str, column: Sequence[Any], dtype: pl.DataType | type[pl.DataType]) -> pl.Series:
    """Return a fixed column. For a category, each distinct text is converted only once."""
    if dtype != pl.Categorical:
        return pl.Series(name, column, dtype)
    places = {text: place for place, text in enumerate(dict.fromkeys(column))}
    return pl.Series(name, list(places), dtype).gather([places[text] for text in column])


def _rows_of(run: FinishedRun) -> Iterator[list[Any]]:
    """Create one row per flow, with values in the order of COLUMNS."""
    document = json.loads(run.document)
    of_run = [measure.value(document) for measure in _OF_RUNS]
    classes = {group["name"]: of_class(group) for group in document.get("classes", ())}
    unknown = dict.fromkeys(measure.column for measure in OF_CLASSES)
    for flow in document["flows"]:
        measured = of_flow(flow) | classes.get(flow.get("class"), unknown)
        yield [
            run.run_id,
            document["scenario"],
            flow["scheme"],
            flow["name"],
            flow["transport"],
            flow["from"],
            flow["to"],
            flow.get("class"),
            document["seed"],
            document["rep"],
            document["duration_s"],
            document["warmup_s"],
            *(measured[measure.column] for measure in (*_OTHERS, *_JUDGED, *OF_CLASSES)),
            *of_run,
            document["fingerprint"],
            run.airhop,
            run.model,
            run.scenario_json,
        ]


def combine(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Combine the rows of several files without duplicates, sorted by run id and by order of the flows.

    If a file lacks a column, its rows have null there. An axis with numbers in one file and text in another
    becomes text. Files of older versions have text instead of categories.
    """
    categories = [name for name, dtype in COLUMNS.items() if dtype == pl.Categorical]
    frames = [
        rows_of([]),
        *(
            frame.cast({name: pl.Categorical for name in categories if name in frame.columns})
            for frame in frames
        ),
    ]
    types: dict[str, set[pl.DataType]] = {}
    for frame in frames:
        for name, dtype in frame.schema.items():
            types.setdefault(name, set()).add(dtype)
    mixed = [name for name, found in types.items() if len(found) > 1]
    alike = [
        frame.with_columns(_as_text(frame[name]) for name in mixed if name in frame.columns)
        for frame in frames
    ]
    rows = pl.concat(alike, how="diagonal")
    return _in_order(rows.unique(IDENTITY, keep="first", maintain_order=True))


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Sort columns and rows, independently of the order in which runs finished."""
    axes = sorted(name for name in rows.columns if name not in COLUMNS)
    return rows.select(*_KEYS, *axes, *_MEASURED).sort("run_id", maintain_order=True)


def _scalar(value: object) -> object:
    if hasattr(value, "item"):  # a numpy number
        value = value.item()
    return value if value is None or isinstance(value, (str, int, float)) else json.dumps(value, default=str)


def _axis(name: str, values: list[Any]) -> pl.Series:
    """Create the column of an axis, with booleans, numbers, or text.

    Whole numbers also become Float64, so that the column has the same type in all studies.
    """
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        return pl.Series(name, values, pl.Float64 if kinds else pl.Null)
    if kinds == {bool}:
        return pl.Series(name, values, pl.Boolean)
    return pl.Series(name, [_text(value) for value in values], pl.String)


def _as_text(column: pl.Series) -> pl.Series:
    return pl.Series(column.name, [_text(value) for value in column], pl.String)


def _text(value: Any) -> str | None:
    """Format a value; 10 and 10.0 have the same text. None stays None."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if value == value // 1 else repr(value)
