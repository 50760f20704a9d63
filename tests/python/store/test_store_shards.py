"""Several shards write one store simultaneously; each run is stored once."""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import store_writer
from airhop.errors import InputError
from airhop.store import MemoryStore, Store, read_rows, store


@pytest.mark.parametrize(
    ("first", "second"),
    [(None, None), (None, "1-of-2"), ("1-of-2", None), ("1-of-2", "1-of-2")],
)
def test_a_second_writer_of_a_store_is_refused(tmp_path: Path, first: str | None, second: str | None) -> None:
    """The message names the process with the lock; after its end, the next writer gets the lock."""
    (tmp_path / "runs").mkdir()
    for lock in (".lock", ".lock-1-of-2"):  # lock files that an ended process has left
        (tmp_path / "runs" / lock).write_text(
            "process 123456789 on a-host-with-a-name-of-great-length.example"
        )
    with Store.open(tmp_path, first):
        with pytest.raises(InputError) as refused:
            Store.open(tmp_path, second)
        assert f"{tmp_path}: process {os.getpid()} on {socket.gethostname()}. Wait" in str(refused.value)
    with Store.open(tmp_path, second) as opened:
        assert not opened.known()


def test_a_second_process_is_refused_and_does_not_change_the_store(tmp_path: Path) -> None:
    script = "import sys; from airhop.store import Store; Store.open(sys.argv[1])"
    with Store.open(tmp_path) as opened:
        store_writer.add(opened, range(3))
        other = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False
        )
        assert other.returncode == 1
        assert f"process {os.getpid()} on" in other.stderr
        store_writer.add(opened, range(3, 6))
    assert len(read_rows(tmp_path)) == 12


def test_the_lock_is_released_when_its_process_dies(tmp_path: Path) -> None:
    command = [sys.executable, store_writer.__file__, str(tmp_path), "-", "0", "1000000", "1000000"]
    writer = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert writer.stdout is not None
    writer.stdout.readline()
    with pytest.raises(InputError, match=f"process {writer.pid} on"):
        Store.open(tmp_path)
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    with Store.open(tmp_path) as opened:
        assert store_writer.job(0).run_id in opened.known()


def test_two_simultaneous_shards_store_each_run_once(tmp_path: Path) -> None:
    """Two processes write parts and journals, and have runs in common; the dataset has each run once."""
    writers = [
        subprocess.Popen(
            [sys.executable, store_writer.__file__, str(tmp_path), shard, str(first), str(first + 400), "50"],
            stdout=subprocess.PIPE,
        )
        for shard, first in (("1-of-2", 0), ("2-of-2", 200))
    ]
    while any(writer.poll() is None for writer in writers):
        rows = read_rows(tmp_path) if tmp_path.joinpath("runs").exists() else pl.DataFrame()
        assert rows.is_empty() or rows.group_by("run_id").len()["len"].unique().to_list() == [2]
    assert [writer.communicate()[0].endswith(b"closed\n") for writer in writers] == [True, True]
    memory = MemoryStore()
    store_writer.add(memory, range(600))
    assert_frame_equal(read_rows(tmp_path), memory.rows())
    assert len(pl.read_parquet(tmp_path / "**" / "*.parquet")) == 1200
    assert not list(tmp_path.glob("runs/*.journal"))


def test_a_shard_skips_the_runs_of_other_shards(tmp_path: Path) -> None:
    with Store.open(tmp_path, "1-of-2") as first, Store.open(tmp_path, "2-of-2") as second:
        store_writer.add(first, [0])
        store_writer.add(second, [1])
        with Store.open(tmp_path, "3-of-3") as third:
            assert third.known() == first.known() | second.known()
            assert_frame_equal(third.rows(), read_rows(tmp_path))
            assert len(third.rows()) == 4


def test_a_run_simulated_by_two_shards_is_stored_once(tmp_path: Path) -> None:
    with Store.open(tmp_path, "1-of-2") as first, Store.open(tmp_path, "2-of-2") as second:
        store_writer.add(first, [0, 1])
        store_writer.add(second, [1, 2])
        assert len(read_rows(tmp_path)) == 6  # of two journals
        first.save()
        assert len(read_rows(tmp_path)) == 6  # of a part and a journal
        assert len(second.rows()) == 6
    assert len(pl.read_parquet(tmp_path / "**" / "*.parquet")) == 6
    assert second.known() == {store_writer.job(number).run_id for number in range(3)}


def test_only_one_shard_at_a_time_makes_a_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a shard reads the list of parts and adds a part, no other shard may add a part."""

    def is_free() -> bool:
        with (tmp_path / "runs" / ".commit").open("rb") as other:
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return False
        return True

    def watched(step: Callable[..., Any]) -> Callable[..., Any]:
        def go(*given: Any) -> Any:
            seen.append(is_free())
            return step(*given)

        return go

    seen: list[bool] = []
    for step in ("parts", "write_part"):
        monkeypatch.setattr(store, step, watched(getattr(store, step)))
    with Store.open(tmp_path, "1-of-2") as opened:
        store_writer.add(opened, range(3))
        seen.clear()
        opened.save()
        assert seen == [False, False]
        assert is_free()


def test_the_journal_of_a_killed_shard_is_left_to_that_shard_or_a_lone_writer(tmp_path: Path) -> None:
    """Another shard ignores the journal; the shard itself, or a single writer, adopts its runs."""
    for number, heir in enumerate((None, "1-of-2")):
        folder = tmp_path / str(number)
        journal = folder / "runs" / "shard-1-of-2.journal"
        with Store.open(folder, "1-of-2") as shard:
            store_writer.add(shard, range(3))
            kept = journal.read_bytes()
        for part in folder.glob("runs/*.parquet"):
            part.unlink()
        journal.write_bytes(kept)
        with Store.open(folder, "2-of-2") as other:
            assert len(other.known()) == 3
        assert journal.read_bytes() == kept
        with Store.open(folder, heir):
            assert not journal.exists()
        assert len(pl.read_parquet(folder / "**" / "*.parquet")) == 6
