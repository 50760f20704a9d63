"""What a run gave: the run document, its tidy frames and, when traced, its tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airhop.analysis import lateness
from airhop.analysis.loss_classifications import COLUMNS, LossClassifications
from airhop.boundary.arguments import checked
from airhop.files import filling, write

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from airhop import _core

NUMPY_DTYPES = {"u64": "<u8", "u32": "<u4", "f64": "<f8", "bool": "?", "category": "<u4"}
"""Little-endian numpy types of the column types that the core writes."""


NESTED = ("notices", "judgements", "lateness")
"""What a flow of a run document holds that is no number of its own: several columns each in a frame."""


UNKNOWN_OF_KERNELS = (
    *("timeouts", "fast_recoveries", "window_cuts", "spurious_timeouts", "duplicates"),
    "timeouts_warned_late",
)
"""Counts of a flow that are null where a real kernel sends: it alone knows them."""


class Result:
    """One finished run."""

    def __init__(
        self, document: str, outcome: _core.Outcome | None = None, notes: Sequence[str] = ()
    ) -> None:
        self._document = document
        self._outcome = outcome
        self.notes = tuple(notes)
        """What has to be known of it, a sentence each: that a log was cut short, for instance."""

    @cached_property
    def document(self) -> dict[str, Any]:
        """The run document: what `airhop run --json` prints."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the run document, the caller's to change."""
        document: dict[str, Any] = json.loads(self._document)
        return document

    @property
    def fingerprint(self) -> str:
        """Hash of the whole trajectory: equal for equal runs on any machine and thread count."""
        return str(self.document["fingerprint"])

    @property
    def tcp_flows(self) -> list[dict[str, Any]]:
        """The TCP flows of the run document."""
        return [flow for flow in self.document["flows"] if flow["transport"] == "tcp"]

    @property
    def goodput_mbps(self) -> float:
        """New in-order bytes handed to the receiving applications of all TCP flows, in Mbit/s."""
        return float(sum(flow["goodput_mbps"] for flow in self.tcp_flows))

    @property
    def drops(self) -> dict[str, int]:
        """Losses by reason: frames for channel and collision, packets for the others."""
        return dict(self.document["drops"])

    @cached_property
    def flows(self) -> pl.DataFrame:
        """A row per flow, units in the column names.

        Notices as `notice_eln` and so on; how late they came as `lateness_mean_ms` and so on; judgements as
        `judged_wireless_channel` and so on: how many losses were taken for wireless that the channel had
        caused. What only the kernel of a real sender knows is null.
        """
        import polars as pl

        rows = []
        for flow in self.document["flows"]:
            row = {key: value for key, value in flow.items() if key not in NESTED}
            row |= {f"notice_{kind}": count for kind, count in flow["notices"].items()}
            rows.append(row | _of_sender(flow))
        known = {  # even where all are null
            **dict.fromkeys(("srtt_ms", "completion_s", lateness.MEAN), pl.Float64),
            **dict.fromkeys((*UNKNOWN_OF_KERNELS, *lateness.COUNTS, *COLUMNS), pl.Int64),
            "scheme": pl.String,
        }
        return pl.DataFrame(rows, schema_overrides=known, infer_schema_length=None)

    @property
    def judgements(self) -> LossClassifications:
        """What the schemes of all TCP flows took losses for, against what had happened."""
        return LossClassifications.of_flows(self.tcp_flows)

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The trace by table (segments, acks, window, drops, … fades, stations, air); empty untraced."""
        import polars as pl

        if self._outcome is None:
            return {}
        return {
            table: pl.DataFrame([_series(*column) for column in columns])
            for table, columns in self._outcome.tables().items()
        }

    @checked
    def write_tables(self, folder: str | Path) -> list[Path]:
        """Write every trace table as TABLE.parquet into `folder`, which is made if need be.

        Tables of the same names are replaced, once all are written.
        """
        with filling(folder) as hidden:
            for table, frame in self.tables.items():
                write(hidden / f"{table}.parquet", frame.write_parquet)
        return [Path(folder) / f"{table}.parquet" for table in self.tables]

    def __repr__(self) -> str:
        d = self.document
        return f"<Result {d['scenario']} seed {d['seed']} rep {d['rep']}: {self.goodput_mbps:.3f} Mbit/s>"


def _of_sender(flow: Mapping[str, Any]) -> dict[str, Any]:
    """Take the columns of lateness and judgements from a flow of a run document; null for a real sender."""
    if flow["judgements"] is None:
        return dict.fromkeys((*lateness.COLUMNS, *COLUMNS))
    return lateness.columns_of(flow) | LossClassifications.of_flows([flow]).columns


def _series(name: str, dtype: str, raw: bytes, dictionary: list[str] | None) -> pl.Series:
    import numpy as np
    import polars as pl

    values: np.ndarray[Any, Any] = np.frombuffer(raw, dtype=NUMPY_DTYPES[dtype])
    series = pl.Series(name, values)
    return series if dictionary is None else series.cat.to(pl.Enum(dictionary))
