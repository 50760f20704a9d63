"""Store in a folder: one journal per writer, the parts, and the conversion of journals to parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from types import TracebackType
from typing import Self

import polars as pl

from airhop.errors import InputError
from airhop.simulate import Job
from airhop.store.errors import StoreError, cannot_open
from airhop.store.journal import Journal, read_journal, remove
from airhop.store.layout import journal_path, journals, parts
from airhop.store.locks import WriterLock
from airhop.store.memory import Recent, only
from airhop.store.parts import read_part, write_part
from airhop.store.schema import combine, rows_of

RUNS_PER_PART = 20_000
"""Number of runs in a journal that triggers the conversion to a part."""


class Store:
    """Store in a folder, open for writing; use `open` with a `with` block."""

    def __init__(self, runs: Path, shard: str | None) -> None:
        self._runs = runs
        self._lock = WriterLock(runs, shard)
        self._journal = Journal(journal_path(runs, shard))
        self._recent = Recent()
        self._known: set[str] = set()
        self._in_parts: dict[Path, set[str]] = {}
        self._parts_read: dict[Path, pl.DataFrame] = {}

    @classmethod
    def open(cls, folder: str | Path, shard: str | None = None) -> Self:
        """Open the store of a folder as its only writer, or as a shard such as "2-of-8".

        Creates the folder if needed. If an earlier writer left a journal, its runs become a part. Raises
        InputError if the folder cannot contain a store, if another process writes to it, or if a file is
        damaged.
        """
        folder = Path(folder)
        runs = folder / "runs"
        try:
            runs.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_open(runs if folder.is_dir() else folder, error) from None
        store = cls(runs, shard)
        try:
            store._recover(alone=shard is None)
        except BaseException:
            store._release()
            raise
        return store

    def known(self) -> Set[str]:
        """Return the ids of all runs in the store, as a view that grows with the store."""
        return self._known

    def add(self, job: Job, document: str, values: Mapping[str, object]) -> None:
        """Keep a finished run.

        A kept run survives the death of the process. A run that is already in the store is not added again.

        Parameters
        ----------
        job
            Finished run.
        document
            Run document as JSON, as printed by `airhop run --json`.
        values
            Varied values of the study, by column name.

        Raises
        ------
        StoreError
            When the disk rejects the write.
        """
        run = self._recent.finish(job, document, values)
        if run.run_id in self._known:
            return
        self._journal.append(run, job.scenario.digest)
        self._recent.add(run)
        self._known.add(run.run_id)
        if len(self._recent) >= RUNS_PER_PART:
            self.save()

    def save(self) -> None:
        """Convert the journal to a part.

        Raises StoreError if the write fails; the journal then stays. Safe to repeat after an interruption,
        because runs that are already in a part are skipped.
        """
        rows = self._recent.rows()
        if rows.is_empty():
            self._journal.remove()  # removes a journal whose first write failed, for example on a full disk
            return
        with self._lock.committing():
            rows = rows.filter(~pl.col("run_id").is_in(list(self._saved())))
            if not rows.is_empty():
                write_part(self._runs, rows)
        self._journal.remove()
        self._recent = Recent()

    def close(self) -> None:
        """Save, and release the store for other writers."""
        try:
            self.save()
        finally:
            self._release()

    def rows(self, run_ids: Iterable[str] | None = None) -> pl.DataFrame:
        """Return one row per flow and run, sorted by run id.

        `run_ids` selects runs; the default is all.
        """
        wanted = None if run_ids is None else set(run_ids)
        others = [path for path in journals(self._runs) if path != self._journal.path]
        frames = [self._recent.rows(), *(rows_of(read_journal(path)) for path in others)]
        # parts are read after journals, because a journal is removed only when its part exists
        self._find_parts()
        found = [path for path, ids in self._in_parts.items() if wanted is None or not ids.isdisjoint(wanted)]
        return combine([only(frame, wanted) for frame in (*map(self._part, found), *frames)])

    def _part(self, path: Path) -> pl.DataFrame:
        """Return a part, read from its file at the first call."""
        if path not in self._parts_read:
            self._parts_read[path] = read_part(path)
        return self._parts_read[path]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except (StoreError, InputError):
            if error is None:  # after an error in the `with` block, the journal keeps the runs
                raise

    def _recover(self, *, alone: bool) -> None:
        """Read the existing files, and convert the journals of ended writers into a part."""
        left = {path: read_journal(path) for path in journals(self._runs)}
        self._find_parts()
        abandoned = list(left) if alone else [self._journal.path]
        for path, runs in left.items():
            for run in runs:
                if path in abandoned and run.run_id not in self._known:
                    self._recent.add(run)
                self._known.add(run.run_id)
        self.save()
        for path in abandoned:
            remove(path)

    def _saved(self) -> set[str]:
        """Return the ids of the runs in parts, including parts of other shards."""
        self._find_parts()
        return set().union(*self._in_parts.values())

    def _find_parts(self) -> None:
        """Read the run ids of new parts, including parts of other shards."""
        for path in parts(self._runs):
            if path not in self._in_parts:
                self._in_parts[path] = set(read_part(path, ["run_id"])["run_id"])
                self._known |= self._in_parts[path]

    def _release(self) -> None:
        self._journal.close()
        self._lock.release()


def read_rows(folder: str | Path) -> pl.DataFrame:
    """Read all runs in a folder: one row per flow and run, sorted by run id.

    Another process may be writing meanwhile. Raises InputError if the folder does not exist, or if a file of
    the store is damaged.
    """
    if not Path(folder).is_dir():
        raise InputError(f"there is no folder {folder}")
    runs = Path(folder) / "runs"
    frames = [rows_of(read_journal(path)) for path in journals(runs)]
    # Parts are read after journals, because a journal is removed only when its part exists.
    return combine([*(read_part(path) for path in parts(runs)), *frames])
