"""Runs in memory: all runs of a study without a folder, and the newest runs of a study with a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from types import TracebackType
from typing import Self

import polars as pl

from airhop import _core
from airhop.simulate import Job, model
from airhop.store.schema import FinishedRun, axis_values, combine, rows_of


class Recent:
    """Finished runs, converted to rows only on request."""

    def __init__(self) -> None:
        self._runs: list[FinishedRun] = []
        self._rows = rows_of([])
        self._count = 0
        self._scenarios: dict[str, str] = {}

    def __len__(self) -> int:
        return self._count

    def finish(self, job: Job, document: str, values: Mapping[str, object]) -> FinishedRun:
        """Return the data of a run for the store."""
        digest = job.scenario.digest
        if digest not in self._scenarios:
            self._scenarios[digest] = job.scenario.core.json()
        scenario_json = self._scenarios[digest]
        return FinishedRun(
            job.run_id, axis_values(values), document, scenario_json, _core.__version__, model()
        )

    def add(self, run: FinishedRun) -> None:
        """Add a run."""
        self._runs.append(run)
        self._count += 1

    def rows(self) -> pl.DataFrame:
        """Return the rows of all runs."""
        if self._runs:
            self._rows = combine([self._rows, rows_of(self._runs)])
            self._runs.clear()
        return self._rows


class MemoryStore:
    """Store in memory with the methods of `Store`.

    The runs are lost when the process ends.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()
        self._recent = Recent()

    def known(self) -> Set[str]:
        """Return the ids of all runs in the store, as a view that includes later runs."""
        return self._known

    def add(self, job: Job, document: str, values: Mapping[str, object]) -> None:
        """Keep a finished run.

        Parameters
        ----------
        job
            Finished run.
        document
            Run document as JSON, as printed by `airhop run --json`.
        values
            Varied values of the study, by column name.
        """
        run = self._recent.finish(job, document, values)
        if run.run_id not in self._known:
            self._recent.add(run)
            self._known.add(run.run_id)

    def save(self) -> None:
        """Do nothing, because runs in memory have no folder."""

    def close(self) -> None:
        """Do nothing, because runs in memory have no folder."""

    def rows(self, run_ids: Iterable[str] | None = None) -> pl.DataFrame:
        """Return one row per flow and run, sorted by run id.

        `run_ids` selects runs; the default is all.
        """
        return only(self._recent.rows(), None if run_ids is None else set(run_ids))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def only(rows: pl.DataFrame, run_ids: Set[str] | None) -> pl.DataFrame:
    """Return the rows of these runs, or of all runs if `run_ids` is None."""
    return rows if run_ids is None else rows.filter(pl.col("run_id").is_in(list(run_ids)))
