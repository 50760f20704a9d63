"""Results of a run: its JSON document, data frames of that document, and the trace tables if requested."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from airhop.analysis import measures
from airhop.analysis.loss_classifications import LossClassifications
from airhop.boundary.arguments import checked
from airhop.display import MOST_ROWS, AxesLike, Shown, Summary, plotted, to_pandas
from airhop.errors import InputError
from airhop.files import filling, write
from airhop.terminal import number

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure

    from airhop import _core
    from airhop.scenario import Scenario

NUMPY_DTYPES = {"u64": "<u8", "u32": "<u4", "f64": "<f8", "bool": "?", "category": "<u4"}
"""Numpy types (little-endian) of the core's column types."""
SHOWN = (measures.GOODPUT, "rtt_p50_ms", "delay_p95_ms", measures.LOSS, "completion_p95_ms",
         "retransmissions", "timeouts")  # fmt: skip
"""Measures of flows in a summary. A measure that no flow has is left out."""


class Result(Shown):
    """Results of a finished run. A notebook shows a table of the flows."""

    def __init__(
        self,
        document: str,
        outcome: _core.Outcome | None = None,
        notes: Sequence[str] = (),
        scenario: Scenario | None = None,
        *,
        controls: Mapping[str, str] | None = None,
    ) -> None:
        self._document = document
        self._scenario = scenario
        self._outcome = outcome
        self.notes = tuple(notes)
        """Notes, one sentence each, for instance about a truncated log."""
        self.controls = dict(controls or {})
        """Congestion controls by flow, as reported by the kernels of real senders. Only replayed emulations
        have these.
        """

    @cached_property
    def document(self) -> dict[str, Any]:
        """Run document, as printed by `airhop run --json`."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the run document that the caller may change."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    @property
    def fingerprint(self) -> str:
        """Hash of all packet events of the run, the same on any machine and with any number of threads."""
        return str(self.document["fingerprint"])

    @property
    def tcp_flows(self) -> list[dict[str, Any]]:
        """The TCP flows of the run document."""
        return [flow for flow in self.document["flows"] if flow["transport"] == "tcp"]

    @property
    def goodput_mbps(self) -> float:
        """Goodput of all TCP flows in Mbit/s: new in-order bytes delivered to the receiving applications."""
        return float(sum(flow["goodput_mbps"] for flow in self.tcp_flows))

    @property
    def drops(self) -> dict[str, int]:
        """Losses by cause: frames for `channel` and `collision`, packets for every other cause."""
        return dict(self.document["drops"])

    @cached_property
    def flows(self) -> pl.DataFrame:
        """One row per flow, with units in the column names.

        Columns: name, scheme and ends; then the measures; then the numbers of nested objects, such as
        `notice_eln`. `judged_wireless_channel` is the number of channel losses that the sender classified as
        wireless. For a real sender, values known only to its kernel are null.
        """
        import polars as pl

        groups = {measure.path[0] for measure in measures.OF_FLOWS}
        columns = {  # the names of these columns are older than the store's
            measure: f"notice_{measure.path[1]}" if measure.column in measures.NOTICES else measure.column
            for measure in sorted(measures.OF_FLOWS, key=_place)
        }
        rows = [
            {key: value for key, value in flow.items() if key not in groups}
            | {column: measure.value(flow) for measure, column in columns.items()}
            for flow in self.document["flows"]
        ]
        known = {"scheme": pl.String} | {  # a column exists even if all its values are null
            column: pl.Int64 if measure.is_count else pl.Float64 for measure, column in columns.items()
        }
        return pl.DataFrame(rows, schema_overrides=known, infer_schema_length=None)

    @cached_property
    def classes(self) -> pl.DataFrame:
        """One row per class of flows: its name and measures, with units in the column names."""
        named = {measure.column.removeprefix("class_"): measure for measure in measures.OF_CLASSES}
        return _frame(self.document.get("classes", ()), named)

    @cached_property
    def queues(self) -> pl.DataFrame:
        """One row per queue: its name and measures, with units in the column names."""
        named = {measure.column: measure for measure in measures.OF_QUEUES}
        return _frame(self.document.get("queues", ()), named)

    @cached_property
    def stations(self) -> pl.DataFrame:
        """One row per station of an 802.11 cell: its cell, name and measures."""
        named = {measure.column: measure for measure in measures.OF_STATIONS}
        return _frame(self.document.get("stations", ()), named, ("cell", "name"))

    @property
    def judgements(self) -> LossClassifications:
        """Number of losses of all TCP flows, by the sender's classification and by true cause."""
        return LossClassifications.of_flows(self.tcp_flows)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """Tables of the trace by name (segments, acks, window, drops and so on); empty without a trace."""
        if self._outcome is None:
            return {}
        return {table: _table(columns) for table, columns in self._outcome.tables().items()}

    @checked
    def write_tables(self, folder: str | Path) -> list[Path]:
        """Write every trace table as TABLE.parquet into `folder`, and create the folder if needed.

        Existing files are replaced once all tables are written.
        """
        with filling(folder) as hidden:
            for table, frame in self.tables.items():
                write(hidden / f"{table}.parquet", frame.write_parquet)
        return [Path(folder) / f"{table}.parquet" for table in self.tables]

    @cached_property
    def hints(self) -> list[str]:
        """Lines that `airhop run` prints: TCP stack of the senders, and settings that easily mislead."""
        from airhop import hints

        return [] if self._scenario is None else hints.lines([self._scenario])

    def to_pandas(self) -> pd.DataFrame:
        """Return `flows` as a data frame of pandas. Raises InputError if pandas is not installed."""
        return to_pandas(self.flows)

    @checked
    def plot(
        self,
        kind: Literal["window", "sequence", "queue"] = "window",
        *,
        flow: str | None = None,
        between: tuple[float, float] | None = None,
        ax: AxesLike | None = None,
    ) -> Figure:
        """Draw a figure of a run with `trace=True`.

        Parameters
        ----------
        kind
            "window": congestion window and threshold; "sequence": time-sequence graph; "queue": lengths of
            queues, without `flow`.
        flow
            Name of a flow; by default the TCP flow with the most delivered bytes.
        between
            Begin and end of the drawn part, simulated seconds; None draws the whole run.
        ax
            Axes to draw on, in their own style. None draws a new figure in the style of the printed figures.

        Returns
        -------
        Figure
            The figure, for instance for `savefig`.

        Raises
        ------
        InputError
            When the run has no trace, or the flow does not exist.
        """
        if kind != "queue":
            return plotted(f"traces.{kind}", self, flow=flow, between=between, ax=ax)
        if flow is not None:
            raise InputError("flow: the figure of queues shows the packets of all flows")
        return plotted("traces.queue", self, between=between, ax=ax)

    def _summary(self) -> Summary:
        from airhop.hints import pointer

        d = self.document
        flows = d["flows"]
        found = [measures.MEASURES[name] for name in SHOWN]
        shown = [one for one in found if any(one.value(flow) is not None for flow in flows)]
        drops = ", ".join(f"{cause} {count:,}" for cause, count in self.drops.items() if count)
        key = f"{d['duration_s']:g} s, seed {d['seed']}, replication {d['rep']}"
        return Summary(
            f"{d['scenario']}: {key}{pointer(self.hints)}",
            ["flow", "scheme", *(one.heading for one in shown)],
            [
                [
                    flow["name"],
                    flow["scheme"] or flow["transport"],
                    *(number(one.value(flow)) for one in shown),
                ]
                for flow in flows[:MOST_ROWS]
            ],
            notes=[
                *([f"… and {len(flows) - MOST_ROWS:,} more flows: .flows"] if len(flows) > MOST_ROWS else []),
                *([f"losses by cause: {drops}"] if drops else []),
            ],
            names=2,
        )


def _place(measure: measures.Measure) -> tuple[bool, bool]:
    """Return a sort key: plain numbers, then nested objects, and the matrix of loss classifications last."""
    return len(measure.path) > 1, measure.column in measures.JUDGEMENTS


def _frame(
    documents: Sequence[Mapping[str, Any]],
    columns: Mapping[str, measures.Measure],
    names: Sequence[str] = ("name",),
) -> pl.DataFrame:
    """Return a data frame: one row per named object of a run document, one column per measure."""
    import polars as pl

    types = {column: pl.Int64 if measure.is_count else pl.Float64 for column, measure in columns.items()}
    rows = [
        {
            **{name: one[name] for name in names},
            **{column: measure.value(one) for column, measure in columns.items()},
        }
        for one in documents
    ]
    return pl.DataFrame(rows, {**dict.fromkeys(names, pl.String), **types})


def _table(columns: Iterable[tuple[str, str, bytes, list[str] | None]]) -> pl.DataFrame:
    """Return a table of the trace. One query replaces the indices into dictionaries by their words."""
    import numpy as np
    import polars as pl

    series, words = [], []
    for name, dtype, raw, dictionary in columns:
        values: np.ndarray[Any, Any] = np.frombuffer(raw, dtype=NUMPY_DTYPES[dtype])
        if dictionary is not None and not len(values):
            series.append(pl.Series(name, [], pl.String))
            continue
        series.append(pl.Series(name, values))
        if dictionary is not None:
            known = pl.lit(pl.Series(name, dictionary, pl.String))
            words.append(known.gather(pl.col(name)).alias(name))
    table = pl.DataFrame(series)
    return table.with_columns(words) if words else table
