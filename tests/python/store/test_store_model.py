"""After any sequence of adds, saves, closes, kills and full disks, the store equals a set of runs."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from polars.testing import assert_frame_equal

import store_writer
from airhop.store import MemoryStore, Store, StoreError, parts, read_rows

MOST = 20
NUMBERS = st.integers(0, MOST - 1)
STEPS = st.sampled_from(
    [(os, "write"), (parts, "_write_through"), (os, "fsync"), (Path, "rename"), (Path, "unlink")]
)


class DeathError(BaseException):
    """End of the process, as seen by the store; no code catches it."""


class StoreMachine(RuleBasedStateMachine):
    """State machine of a store, with the numbers of the runs that must be in the store."""

    @initialize(shard=st.sampled_from([None, "1-of-2"]))
    def begin(self, shard: str | None) -> None:
        """Open a new store, alone or as a shard."""
        self.folder = Path(tempfile.mkdtemp())
        self.shard = shard
        self.expected: set[int] = set()
        self.store = Store.open(self.folder, shard)

    @rule(numbers=st.lists(NUMBERS, min_size=1, max_size=8))
    def add(self, numbers: list[int]) -> None:
        """Add runs, including stored runs."""
        store_writer.add(self.store, numbers)
        self.expected |= set(numbers)

    @rule()
    def save(self) -> None:
        """Save."""
        self.store.save()

    @rule()
    def close_and_open(self) -> None:
        """Close the store, and open it again."""
        self.store.close()
        assert not list(self.folder.glob("runs/*.journal"))
        self.store = Store.open(self.folder, self.shard)

    @rule()
    def die_and_open(self) -> None:
        """Die as by SIGKILL, and open the store again: a dead process has neither open files nor locks."""
        self.store._release()
        self.store = Store.open(self.folder, self.shard)

    @rule(number=NUMBERS, share=st.floats(0, 0.999))
    def die_in_the_middle_of_a_line(self, number: int, share: float) -> None:
        """Write only a part of a line; the run is not stored, unless it was before."""
        write = os.write

        def partly(fd: int, data: bytes) -> int:
            write(fd, data[: int(share * len(data))])
            raise DeathError

        with mock.patch("os.write", partly), suppress(DeathError):
            store_writer.add(self.store, [number])
        self.die_and_open()

    @rule(step=STEPS)
    def die_while_saving(self, step: tuple[Any, str]) -> None:
        """Die before a step of a save."""
        with stopped(step, DeathError), suppress(DeathError):
            self.store.save()
        self.die_and_open()

    @rule(step=STEPS, numbers=st.lists(NUMBERS, max_size=3))
    def find_no_room(self, step: tuple[Any, str], numbers: list[int]) -> None:
        """Fail in a step of an add or a save, and continue."""
        with stopped(step, lambda: OSError(errno.ENOSPC, "no space")), suppress(StoreError):
            for number in numbers:
                store_writer.add(self.store, [number])
                self.expected.add(number)
            self.store.save()

    @invariant()
    def holds_what_was_added(self) -> None:
        """Check that each run is read once: in the store, without the lock, and in the Parquet files."""
        if not self.expected:
            assert self.store.rows().is_empty()
            return
        rows = all_rows().filter(pl.col("run_id").is_in([store_writer.job(n).run_id for n in self.expected]))
        assert self.store.known() == set(rows["run_id"])
        assert_frame_equal(self.store.rows(), rows)
        assert_frame_equal(read_rows(self.folder), rows)
        in_parts = [pl.read_parquet(part) for part in self.folder.glob("**/*.parquet")]
        assert not in_parts or pl.concat(in_parts).select("run_id", "flow").is_unique().all()

    def teardown(self) -> None:
        """Close the store; check that all runs are in parts."""
        self.store.close()
        in_parts = [pl.read_parquet(part) for part in self.folder.glob("**/*.parquet")]
        assert sum(map(len, in_parts)) == 2 * len(self.expected)
        shutil.rmtree(self.folder)


def test_a_failed_first_write_leaves_no_journal(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    full = stopped((os, "write"), lambda: OSError(errno.ENOSPC, "no space"))
    with full, pytest.raises(StoreError):
        store_writer.add(store, [0])
    store.close()
    assert not list(tmp_path.glob("runs/*.journal"))


@cache
def all_rows() -> pl.DataFrame:
    """Return the rows of every run that a machine may add."""
    memory = MemoryStore()
    store_writer.add(memory, range(MOST))
    return memory.rows()


@contextmanager
def stopped(step: tuple[Any, str], error: Callable[[], BaseException]) -> Iterator[None]:
    """Replace a function by one that raises an exception."""

    def refuse(*_: object, **__: object) -> None:
        raise error()

    with mock.patch.object(*step, refuse):
        yield


TestStore = StoreMachine.TestCase
TestStore.settings = settings(max_examples=40, stateful_step_count=12)
